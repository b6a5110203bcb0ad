"""What the eight rules look for; each check returns a reason, empty when the rule is kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from groundwire.evidence import Evidence, SourceIndex
from groundwire.evidence.index import written_numbers
from groundwire.text.agreement import Agreement, agree, same_kind
from groundwire.text.analysis import Analysis, analyse
from groundwire.text.bounds import Bound
from groundwire.text.coverage import covered, share
from groundwire.text.entities import Name, capitals_in, find_names, same_name
from groundwire.text.meaning import against
from groundwire.text.polarity import Negation, find_negations
from groundwire.text.quantity import Kind, Quantity
from groundwire.text.relations import (
    Marked,
    find_conditions,
    find_modals,
    find_quantifiers,
    modal_clash,
    quantifier_clash,
)
from groundwire.text.sentences import shorten, split_sentences
from groundwire.text.tokens import stem
from groundwire.types import Source

_CANDIDATES = 8
_LONGEST = 400
# From this share of common words on, a sentence speaks of the same thing.
_MATCHING = 0.6
# How much better a sentence with another number must fit before an equal number elsewhere no longer counts.
_MARGIN = 0.25
_LOWER = (Bound.OVER, Bound.MIN)
_UPPER = (Bound.UNDER, Bound.MAX)
_MEASURED = (Kind.MONEY, Kind.MEASURE, Kind.PERCENT, Kind.POINTS)
_OPEN = ("possible", "expected", "advised", "able")


class Facts:
    """The premise as an index over its sentences."""

    def __init__(self, premise: str) -> None:
        self.index = SourceIndex([Source("premise", premise)])

    @cached_property
    def names(self) -> list[Name]:
        """List the names of all sentences."""
        return [name for item in self.index.sentences for name in find_names(item.analysis, self.index.capitals)]


@dataclass(frozen=True)
class Statement:
    """One sentence of the hypothesis beside the premise sentences that bear on it, most alike first."""

    analysis: Analysis
    names: tuple[Name, ...]
    stems: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    def likeness(self, item: Evidence) -> float:
        """Return the share of the statement's words that a premise sentence holds."""
        return share(self.stems, item.stems)

    @cached_property
    def matching(self) -> Evidence | None:
        """Return the premise sentence that speaks of the same thing, None when there is none."""
        best = self.evidence[0] if self.evidence else None
        return best if best is not None and self.stems and self.likeness(best) >= _MATCHING else None


def read_statements(hypothesis: str, facts: Facts) -> list[Statement]:
    """Cut a hypothesis into statements and find what bears on each."""
    known = facts.index.capitals | capitals_in(hypothesis)
    found: list[Statement] = []
    for unit in split_sentences(hypothesis):
        for piece in shorten(unit, _LONGEST):
            sentence = analyse(piece.text)
            stems = tuple(dict.fromkeys(sentence.words[place].stem for place in sentence.content))
            chosen = facts.index.select(stems, written_numbers(piece.text), _CANDIDATES)
            # Equal likeness keeps the order of the premise, so that the result does not depend on chance.
            evidence = sorted(chosen, key=lambda item: (-share(stems, item.stems), item.index))
            found.append(Statement(sentence, tuple(find_names(sentence, known)), stems, tuple(evidence)))
    return found


def ungrounded_name(statement: Statement, facts: Facts) -> str:
    """Find a name that the facts do not hold."""
    index = facts.index
    for name in statement.names:
        if all(index.contains(stem(part)) for part in name.key):
            continue
        if not any(same_name(name, other, index.definitions) for other in facts.names):
            return f"{name.text!r} is not named in the facts"
    return ""


def wrong_number(statement: Statement, facts: Facts) -> str:
    """Find a number that the facts do not hold, or hold differently where it belongs."""
    for quantity in statement.analysis.quantities:
        compared = list(_compared(statement, quantity))
        if quantity.weak:
            continue
        if quantity.kind is Kind.DATE:
            # Dates that differ have a rule of their own; here a date counts that nothing can be compared with.
            if not any(same_kind(quantity, other) or verdict.equal for other, verdict, _ in compared):
                return f"{quantity.text!r} is not in the facts"
            continue
        reason = _disagreement(quantity, compared)
        if reason:
            return reason
    return ""


def wrong_date(statement: Statement, facts: Facts) -> str:
    """Find a date that differs from the facts."""
    for quantity in statement.analysis.quantities:
        if quantity.kind is Kind.DATE:
            compared = [entry for entry in _compared(statement, quantity) if entry[1].equal is not None]
            reason = _disagreement(quantity, compared) if compared else ""
            if reason:
                return reason
    return ""


def wrong_unit(statement: Statement, facts: Facts) -> str:
    """Find a value of the facts that stands with another unit or currency."""
    for quantity in statement.analysis.quantities:
        if quantity.kind not in _MEASURED:
            continue
        compared = list(_compared(statement, quantity))
        if any(verdict.equal for _, verdict, _ in compared):
            continue
        for other, _, _ in compared:
            if other.kind in _MEASURED and _written(quantity) == _written(other):
                return f"{quantity.text!r} stands as {other.text!r} in the facts"
    return ""


def turned_round(statement: Statement, facts: Facts) -> str:
    """Find a statement that denies what a matching sentence affirms, or the other way round."""
    item = _alike_or_opposed(statement)
    if item is None:
        return ""
    claim, source = statement.analysis, item.analysis
    mine, theirs = _bearing(claim, source), _bearing(source, claim)
    opposed = [
        key
        for key in sorted(claim.stems)
        if not covered(key, source.stems) and not against(key).isdisjoint(source.stems - claim.stems)
    ]
    if (len(mine) + len(theirs) + len(opposed)) % 2 == 0:
        return ""
    if opposed:
        word = next(word.text for word in claim.words if word.stem == opposed[0])
        return f"{word!r} is the opposite of what the facts say"
    cue, text = (mine[0], claim.text) if mine else (theirs[0], source.text)
    side = "the statement" if mine else "the facts"
    return f"{text[cue.start : cue.end]!r} stands only in {side}"


def wider_scope(statement: Statement, facts: Facts) -> str:
    """Find a quantifier or a limit that says more than the facts, or the reverse."""
    item = statement.matching
    if item is None:
        return ""
    source = item.analysis
    theirs = find_quantifiers(source)
    for one in find_quantifiers(statement.analysis):
        partner = next((other for other in theirs if other.head and covered(other.head, frozenset((one.head,)))), None)
        if partner is not None and quantifier_clash(one.value, partner.value) is not None:
            return f"{_text(statement.analysis, one)!r} says more than {_text(source, partner)!r}"
        if partner is None and one.value in ("only", "all") and one.head and covered(one.head, source.stems):
            return f"{_text(statement.analysis, one)!r} is not said in the facts"
    for quantity in statement.analysis.quantities:
        for other in source.quantities:
            reversed_ = (quantity.bound in _LOWER and other.bound in _UPPER) or (
                quantity.bound in _UPPER and other.bound in _LOWER
            )
            if reversed_ and _written(quantity) == _written(other) and same_kind(quantity, other):
                return f"the limit of {quantity.text!r} is turned round"
    return ""


def too_certain(statement: Statement, facts: Facts) -> str:
    """Find what the facts call possible or conditional and the statement calls certain or required."""
    item = statement.matching
    if item is None:
        return ""
    claim, source = statement.analysis, item.analysis
    mine = find_modals(claim)
    for other in find_modals(source):
        if other.value not in _OPEN or not other.head or not covered(other.head, claim.stems):
            continue
        partner = next((one for one in mine if one.head and covered(one.head, frozenset((other.head,)))), None)
        if modal_clash(partner.value if partner else "", other.value):
            return f"the facts say only {_text(source, other)!r}"
    if find_conditions(claim):
        return ""
    for condition in find_conditions(source):
        if share(sorted(condition.stems), claim.stems) < _MATCHING:
            return f"the facts hold only {source.text[condition.start : condition.end]!r}"
    return ""


def hardly_traceable(statement: Statement, facts: Facts, minimum: float) -> str:
    """Find a statement most of whose words the facts do not hold."""
    found = facts.index.traceability(statement.stems)
    if found is None or found >= minimum:
        return ""
    return f"only {found:.0%} of the words are in the facts"


def _compared(statement: Statement, quantity: Quantity) -> Iterator[tuple[Quantity, Agreement, float]]:
    """Set a quantity against every one of the premise sentences, with how well its place fits."""
    around = (*quantity.before[:4], *quantity.after)
    for item in statement.evidence:
        likeness = statement.likeness(item)
        for other in item.analysis.quantities:
            slot = share(around, frozenset((*other.before[:5], *other.after))) if around else 0.0
            yield other, agree(quantity, other), likeness + slot


def _disagreement(quantity: Quantity, compared: list[tuple[Quantity, Agreement, float]]) -> str:
    equal = max((fit for _, verdict, fit in compared if verdict.equal), default=None)
    clashing = [(fit, other) for other, verdict, fit in compared if verdict.equal is False]
    best, rival = max(clashing, key=lambda entry: entry[0], default=(0.0, None))
    if rival is not None and (equal is None or best > equal + _MARGIN):
        if quantity.text == rival.text:
            return f"the limit of {quantity.text!r} is another one in the facts"
        return f"{quantity.text!r} is {rival.text!r} in the facts"
    undecided = any(
        verdict.equal is None and (same_kind(quantity, other) or verdict.loose) for other, verdict, _ in compared
    )
    return "" if equal is not None or undecided else f"{quantity.text!r} is not in the facts"


def _alike_or_opposed(statement: Statement) -> Evidence | None:
    """Return the premise sentence with the most words alike or opposite, None when they are too few."""

    def likeness(item: Evidence) -> float:
        return sum(
            covered(key, item.stems) or not against(key).isdisjoint(item.stems) for key in statement.stems
        ) / len(statement.stems)

    if not statement.stems or not statement.evidence:
        return None
    best = max(statement.evidence, key=lambda item: (likeness(item), statement.likeness(item), -item.index))
    return best if likeness(best) >= _MATCHING else None


def _bearing(sentence: Analysis, other: Analysis) -> list[Negation]:
    """List the denials in the clause that says most of what the other sentence says."""
    found = find_negations(sentence)
    if not found:
        return []
    shares = {
        clause: share(sorted(other.stems), sentence.clause_stems(clause) | sentence.inherited_subject(clause))
        for clause in set(sentence.clauses)
    }
    return [cue for cue in found if shares[cue.clause] == max(shares.values())]


def _written(quantity: Quantity) -> float:
    return quantity.low if quantity.raw is None else quantity.raw


def _text(sentence: Analysis, mark: Marked) -> str:
    return sentence.text[mark.start : mark.end]
