"""The free-text audit: is what an answer quotes, repeats or names in the context?"""

import re
from collections.abc import Sequence
from typing import Final

from groundwire.audit.context import MAX_LISTED_OCCURRENCES, Context, ContextIndex, index_context
from groundwire.audit.entities import (
    DEFAULT_ENTITY_POLICY,
    DEFAULT_PROXIMITY_N,
    DEFAULT_PROXIMITY_WINDOW,
    ENTITY_POLICIES,
    entity_mode,
    name_places,
    name_units,
    without_particles,
)
from groundwire.audit.outcomes import AuditMode, Method, UnitStatus, capped, mode_of
from groundwire.audit.paraphrase import DEFAULT_PARAPHRASE_MIN_TOKENS, paraphrase_of
from groundwire.audit.results import QuoteAudit, UnitResult
from groundwire.audit.spans import MIN_SPAN_CHARS, Unit, quote_units, require_text, span_units
from groundwire.errors import PolicyError
from groundwire.text.lexical import (
    capitalised_words,
    is_prose_span,
    negation_count,
    numeric_signature,
    sentence_borders,
    topical_tokens,
)
from groundwire.text.normal_form import find_bounded, normal_form

# The pieces of a quote with an ellipsis must follow one another this closely.
MAX_ELLIPSIS_GAP: Final = 1_000
_ELLIPSIS = re.compile(r"\[\s{0,3}(?:\.{3,9}|…)\s{0,3}\]|\(\s{0,3}(?:\.{3,9}|…)\s{0,3}\)|\.{3,9}|…")
_MIN_PIECE_CHARS: Final = 4
_MAX_SENTENCES: Final = 20


def verify_quotes(
    answer_text: str,
    context: Context | ContextIndex,
    *,
    entity_policy: str = DEFAULT_ENTITY_POLICY,
    proximity_n: int = DEFAULT_PROXIMITY_N,
    proximity_window: int = DEFAULT_PROXIMITY_WINDOW,
    cover_unquoted: bool = False,
    local_paraphrase: bool = False,
) -> QuoteAudit:
    """Audit an answer against a context; the first strategy that has something to say decides."""
    require_text("answer_text", answer_text)
    require_entity_policy(entity_policy)
    index = index_context(context)
    quotes = quote_units(answer_text)
    if quotes:
        result = _result([_looked_up(unit, index, Method.QUOTE) for unit in quotes], Method.QUOTE)
        return _covered(answer_text, quotes, result, index, local_paraphrase) if cover_unquoted else result
    spans = [
        _span(unit, index, local_paraphrase)
        for unit in span_units(answer_text, 1 if local_paraphrase else MIN_SPAN_CHARS)
        if not local_paraphrase or any(character.isalnum() for character in unit.text)
    ]
    if any(span.status is not UnitStatus.UNSUPPORTED for span in spans):
        paraphrased = any(span.method is Method.PARAPHRASE for span in spans)
        return _result(spans, Method.PARAPHRASE if paraphrased else Method.SPAN)
    names = _resolved(name_units(answer_text), index) if entity_policy != "drop" else []
    places = [name_places(unit.text, index) for unit in names]
    if not any(places):
        return QuoteAudit(0, 0, AuditMode.UNGROUNDED, (), Method.NONE, ())
    mode = entity_mode(
        answer_text,
        index,
        places,
        policy=entity_policy,
        proximity_n=proximity_n,
        proximity_window=proximity_window,
    )
    units = [_named(unit, listed, index) for unit, listed in zip(names, places, strict=True)]
    return _result(
        units, Method.ENTITY, mode if not local_paraphrase or _only_names(answer_text, index) else capped(mode)
    )


def require_entity_policy(name: str) -> None:
    """Refuse a policy for names that does not exist."""
    if name not in ENTITY_POLICIES:
        raise PolicyError(f"entity_policy is {name!r}.", fix=f"choose from {', '.join(ENTITY_POLICIES)}")


def _result(units: Sequence[UnitResult], method: Method, mode: AuditMode | None = None) -> QuoteAudit:
    order = list(UnitStatus)
    verified = sum(unit.status is not UnitStatus.UNSUPPORTED for unit in units)
    return QuoteAudit(
        n_quotes=len(units),
        n_verified=verified,
        audit_mode=mode or mode_of(verified, len(units)),
        unverified_quotes=tuple(unit.text for unit in units if unit.status is UnitStatus.UNSUPPORTED),
        verifier_method=method,
        claim_statuses=tuple(sorted(units, key=lambda unit: order.index(unit.status))),
    )


def _looked_up(unit: Unit, context: ContextIndex, method: Method) -> UnitResult:
    """Look a unit up word for word, with an ellipsis piece by piece."""
    needle = normal_form(unit.text)
    places = context.places(needle)
    if places:
        return _found(unit, [(place, place + len(needle)) for place in places], context, method)
    elided = _elided(unit.text, context) if method is Method.QUOTE else []
    if elided:
        return _found_once(unit, elided, context, method)
    return UnitResult(unit.text, UnitStatus.UNSUPPORTED, method, unit.start, unit.end)


def _found(unit: Unit, ranges: Sequence[tuple[int, int]], context: ContextIndex, method: Method) -> UnitResult:
    listed = tuple(context.pieces(start, end) for start, end in ranges[:MAX_LISTED_OCCURRENCES])
    return UnitResult(unit.text, UnitStatus.VERIFIED_QUOTE, method, unit.start, unit.end, listed, len(ranges))


def _found_once(unit: Unit, ranges: Sequence[tuple[int, int]], context: ContextIndex, method: Method) -> UnitResult:
    pieces = tuple(piece for start, end in ranges for piece in context.pieces(start, end))
    return UnitResult(unit.text, UnitStatus.VERIFIED_QUOTE, method, unit.start, unit.end, (pieces,), 1)


def _in_sentences(text: str, context: ContextIndex) -> list[tuple[int, int]]:
    """Find a span as runs of sentences, where one begins without a capital, so that no cut was made."""
    borders = sentence_borders(text)
    if not 2 < len(borders) <= _MAX_SENTENCES:
        return []
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(borders) - 1:
        for last in range(len(borders) - 1, first, -1):
            needle = normal_form(text[borders[first] : borders[last]])
            places = context.places(needle) if len(needle) >= MIN_SPAN_CHARS else []
            if places:
                ranges.append((places[0], places[0] + len(needle)))
                first = last
                break
        else:
            return []
    return ranges


def _elided(quote: str, context: ContextIndex) -> list[tuple[int, int]]:
    """Find the pieces around ellipses in order and close together."""
    pieces = [normal_form(piece) for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if piece]
    if len(_ELLIPSIS.split(quote)) < 2 or not pieces or any(len(piece) < _MIN_PIECE_CHARS for piece in pieces):
        return []
    text = context.normal.text
    for first in context.places(pieces[0]):
        ranges = [(first, first + len(pieces[0]))]
        for piece in pieces[1:]:
            left = ranges[-1][1]
            place = find_bounded(text, piece, left, left + MAX_ELLIPSIS_GAP + len(piece))
            if place < 0:
                break
            ranges.append((place, place + len(piece)))
        if len(ranges) == len(pieces):
            return ranges
    return []


def _span(unit: Unit, context: ContextIndex, local: bool) -> UnitResult:
    result = _looked_up(unit, context, Method.SPAN)
    if result.status is UnitStatus.VERIFIED_QUOTE:
        return result
    paraphrase = paraphrase_of(unit.text, context, local=local)
    if paraphrase is None:
        ranges = _in_sentences(unit.text, context)
        return _found_once(unit, ranges, context, Method.SPAN) if ranges else result
    evidence = context.base_pieces(*context.sentences[paraphrase.sentence])
    return UnitResult(
        unit.text,
        UnitStatus.SUPPORTED_PARAPHRASE,
        Method.PARAPHRASE,
        unit.start,
        unit.end,
        (evidence,),
        1,
        paraphrase.order_changed,
    )


def _only_names(answer: str, context: ContextIndex) -> bool:
    """Tell whether an answer states nothing that names could not vouch for."""
    if is_prose_span(answer) or negation_count(answer) or numeric_signature(answer):
        return False
    return all(context.has(normal_form(word)) for word in capitalised_words(answer))


def _resolved(names: Sequence[Unit], context: ContextIndex) -> list[Unit]:
    """Take a name with particles that the context lacks as the shorter names inside it."""
    found: dict[str, Unit] = {}
    for unit in names:
        parts = [unit] if name_places(unit.text, context) else without_particles(unit) or [unit]
        for part in parts:
            found.setdefault(normal_form(part.text), part)
    return list(found.values())


def _named(unit: Unit, places: list[int], context: ContextIndex) -> UnitResult:
    if not places:
        return UnitResult(unit.text, UnitStatus.UNSUPPORTED, Method.ENTITY, unit.start, unit.end)
    length = len(normal_form(unit.text))
    if context.normal.text[places[0] : places[0] + length] != normal_form(unit.text):
        length -= len("'s")
    return _found(unit, [(place, place + length) for place in places], context, Method.ENTITY)


def _covered(answer: str, quotes: Sequence[Unit], result: QuoteAudit, context: ContextIndex, local: bool) -> QuoteAudit:
    """Audit the prose around the quotes too, and cap the mode when some of it is not in the context."""
    masked = list(answer)
    for quote in quotes:
        # The marks go with the quote; the places of everything else stay.
        masked[quote.start - 1 : quote.end + 1] = " " * (quote.end - quote.start + 2)
    rest = "".join(masked)
    missing: list[str] = []
    for unit in span_units(answer):
        left = rest[unit.start : unit.end]
        if left == unit.text:
            supported = _span(unit, context, local).status is not UnitStatus.UNSUPPORTED
        else:
            # Words that lead into a quote are no statement of their own.
            supported = (
                len(topical_tokens(left)) < DEFAULT_PARAPHRASE_MIN_TOKENS
                or paraphrase_of(left, context, local=local) is not None
            )
        if not supported:
            missing.append(unit.text)
    return QuoteAudit(
        n_quotes=result.n_quotes,
        n_verified=result.n_verified,
        audit_mode=capped(result.audit_mode) if missing else result.audit_mode,
        unverified_quotes=result.unverified_quotes,
        verifier_method=result.verifier_method,
        claim_statuses=result.claim_statuses,
        unquoted_unverified=tuple(missing),
    )
