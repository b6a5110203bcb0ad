"""The numbers of the evidence that a claim's number may be compared with."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.text.agreement import Agreement, Clash, agree, same_kind
from groundwire.text.coverage import covered, share
from groundwire.text.quantity import Kind, Quantity
from groundwire.types import Policy

_NEAR = 4
_BESIDE = 0.5
# No sentence of a person has more pairs of numbers than this; endless rows must not cost their square.
_MOST_PAIRS = 4_096
_FEWEST = 8


class Match(NamedTuple):
    """One number of the evidence beside one of the claim."""

    evidence: Evidence
    quantity: Quantity
    verdict: Agreement
    nearness: float  # how alike the words around the two are
    comparable: bool  # of one kind and in one slot
    related: bool  # of one kind


class Counterpart(NamedTuple):
    """A match with how well its whole sentence fits."""

    fit: float
    match: Match

    @property
    def place(self) -> tuple[int, int]:
        """Name the number in the evidence."""
        return self.match.evidence.index, self.match.quantity.start


class Counterparts(NamedTuple):
    """The best equal, the best clashing and the best undecided number."""

    equal: Counterpart | None
    different: Counterpart | None
    unknown: Counterpart | None


def matches(view: ClaimView, item: Evidence, policy: Policy) -> tuple[tuple[Match, ...], ...]:
    """Compare every number of the claim with every number of a sentence, once."""
    found = view.memo.get(item.index)
    if found is None:
        mine = view.analysis.quantities
        # A claim without numbers needs no sentence taken apart.
        theirs = item.analysis.quantities if mine else ()
        limit = max(_FEWEST, _MOST_PAIRS // max(1, len(mine)))
        if len(theirs) <= limit:
            found = tuple(_matches_of(quantity, theirs, item, policy) for quantity in mine)
        else:
            found = tuple(_matches_of(quantity, few, item, policy) for quantity, few in _nearest(mine, theirs, limit))
        view.memo[item.index] = found
    return found


def _nearest(
    mine: Sequence[Quantity], theirs: Sequence[Quantity], limit: int
) -> Iterator[tuple[Quantity, list[Quantity]]]:
    """Pick for each number of an endless row the equal ones, and a few more to tell it from."""
    equal: dict[float, list[Quantity]] = {}
    for other in theirs:
        equal.setdefault(other.low, []).append(other)
    for quantity in mine:
        same = equal.get(quantity.low, [])[: limit // 2]
        known = set(map(id, same))
        rest = (other for other in theirs if id(other) not in known)
        yield quantity, [*same, *islice(rest, limit - len(same))]


def _matches_of(quantity: Quantity, others: Sequence[Quantity], item: Evidence, policy: Policy) -> tuple[Match, ...]:
    found: list[Match] = []
    for other in others:
        verdict = agree(quantity, other, policy.approximate_within, policy.approximate_beyond)
        related = same_kind(quantity, other)
        if verdict.equal is None and not related and not verdict.loose:
            continue
        near = nearness(quantity, other)
        found.append(Match(item, other, verdict, near, related and _same_slot(quantity, other), related))
    return tuple(found)


def holds_exactly(match: Match) -> bool:
    """Tell whether two numbers are equal, not merely within a bound."""
    return bool(match.verdict.equal) and not match.verdict.loose


def counterparts(
    number: int,
    view: ClaimView,
    evidence: Sequence[Evidence],
    fits: Mapping[int, float],
    policy: Policy,
    taken: Mapping[tuple[int, int], int],
) -> Counterparts:
    """Pick the best match of each sort for one number; `taken` are numbers spoken for by another."""
    quantity = view.analysis.quantities[number]
    equal: Counterpart | None = None
    different: Counterpart | None = None
    unknown: Counterpart | None = None
    for item in evidence:
        for match in matches(view, item, policy)[number]:
            found = Counterpart(fits[item.index] + match.nearness, match)
            verdict = match.verdict
            if verdict.equal and (match.comparable or not match.related):
                equal = _better(equal, found)
            elif verdict.equal is False:
                bears = match.comparable or verdict.clash == Clash.UNIT
                if bears and not _other_length(quantity, match) and taken.get(found.place, number) == number:
                    different = _better(different, found)
            elif match.comparable or verdict.loose or verdict.equal:
                unknown = _better(unknown, found)
    return Counterparts(equal, different, unknown)


def _better(best: Counterpart | None, found: Counterpart) -> Counterpart:
    return found if best is None or found.fit > best.fit + 1e-9 else best


def _same_slot(claim: Quantity, source: Quantity) -> bool:
    if claim.kind == Kind.ORDINAL or claim.weak:
        return bool(claim.after and source.after and claim.after[0] == source.after[0])
    if claim.kind != Kind.COUNT or not claim.after or not source.after:
        return True
    if share(claim.after, frozenset(source.after)) > 0:
        return True
    return bool(claim.before and source.before and claim.before[0] == source.before[0])


def _other_length(claim: Quantity, match: Match) -> bool:
    # Minutes are the counterpart of years only where the sentence puts them in the same place.
    source = match.quantity
    return claim.kind == Kind.MEASURE and claim.unit != source.unit and claim.raw != source.raw and match.nearness < 0.5


def nearness(claim: Quantity, source: Quantity) -> float:
    """Measure how alike the words around two numbers are."""
    mine = (*claim.before[: max(1, min(_NEAR, claim.near))], *claim.after)
    if not mine:
        return 0.0
    theirs = frozenset((*source.before[: max(1, min(_NEAR + 1, source.near))], *source.after))
    near = sum(covered(key, theirs) for key in mine) / len(mine)
    if claim.after and source.after:
        # "€6 on Studio and €4 on Agency": what follows a number tells the slots apart.
        near += _BESIDE if share(claim.after, frozenset(source.after)) > 0 else -_BESIDE
    return near
