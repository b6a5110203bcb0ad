"""Free of charge against a price."""

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.text.analysis import Analysis
from groundwire.text.coverage import share
from groundwire.text.quantity import Kind
from groundwire.types import Reason

# Stems that speak of the price itself; the rest of the claim must be shared.
_PRICE_WORDS = frozenset(("fre", "cost", "pric", "charg", "fe", "pay"))


def compare_charges(view: ClaimView, item: Evidence) -> Finding | None:
    """Find "free" where the evidence names a price, and a price where it says "free"."""
    rest = [key for key in view.stems if key not in _PRICE_WORDS]
    mine = _price(view.analysis, None)
    if mine is None or not rest or share(rest, item.stems) < 0.75:
        return None
    clauses = sorted(set(item.analysis.clauses))
    clause = max(clauses, key=lambda number: (share(rest, item.analysis.clause_stems(number)), -number), default=None)
    theirs = _price(item.analysis, clause)
    if theirs is None or mine[0] == theirs[0]:
        return None
    return Finding(Reason.NUMBER_MISMATCH, mine[1], mine[2], item, theirs[1], theirs[2])


def _price(sentence: Analysis, clause: int | None) -> tuple[bool, int, int] | None:
    """Tell whether a clause says "free" (True) or names a price (False), with the place."""
    places = [place for place, number in enumerate(sentence.clauses) if clause is None or number == clause]
    if not places:
        return None
    start, end = sentence.words[places[0]].start, sentence.words[places[-1]].end
    prices = [
        item
        for item in sentence.quantities
        if item.kind == Kind.MONEY and item.low > 0 and start <= item.end <= end + 9
    ]
    free = next((sentence.words[place] for place in places if sentence.words[place].lower == "free"), None)
    if free is not None and prices:
        return None
    if free is not None:
        return True, free.start, free.end
    return (False, prices[0].start, prices[0].end) if prices else None
