"""What it means that the sources nowhere state a number."""

from collections.abc import Iterator, Sequence
from itertools import islice

from groundwire.evidence import Evidence, SourceIndex
from groundwire.signals.claim import ClaimView
from groundwire.signals.derived import follows
from groundwire.text.coverage import share
from groundwire.text.quantity import Kind, Quantity

# A claim of which so much stands in one sentence was written by someone who counted.
_TOLD = 0.5
# Where the whole statement is there and only its day differs, the day is wrong.
_TOLD_WHOLE = 0.8
_MOST_SENTENCES = 24


def may_follow(view: ClaimView, quantity: Quantity, evidence: Sequence[Evidence], index: SourceIndex) -> bool:
    """Tell whether a reader may have come by a number that no sentence states: counted, computed or concluded.

    A date in figures or a name in digits is looked up, never worked out. Of all other numbers those are
    invented whose kind the sources do not know at all, and even then a spelled count may be the reader's own.
    """
    in_figures = any(character.isdigit() for character in quantity.text)
    if quantity.kind == Kind.IDENTIFIER:
        return False
    told = share(view.stems, evidence[0].stems) if evidence else 0.0
    if quantity.kind in (Kind.DATE, Kind.TIME):
        return not in_figures and told < _TOLD_WHOLE
    others = [other for item in evidence for other in item.analysis.quantities]
    others += [other for item in _with_figures(index) for other in item.analysis.quantities]
    if any(other.kind == quantity.kind for other in others):
        return True
    if follows(quantity, others):
        return True
    return not in_figures and told >= _TOLD


def _with_figures(index: SourceIndex) -> Iterator[Evidence]:
    """List the first sentences of the sources that hold figures; more are not read for one number."""
    return islice((item for item in index.sentences if item.numbers), _MOST_SENTENCES)
