"""The one door to the shipped model: every command and guard that may use it comes through here."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.nli.scorer import NLIScorer


def load_model(no_model: bool) -> "NLIScorer | None":
    """Return the embedded model, or None when the user wants none.

    No look at the disk decides this: an installation that lost its model must fail, not go on without it.
    """
    if no_model:
        return None
    from groundwire.nli.scorer import NLIScorer  # here: most of its weight is wanted by this line alone

    return NLIScorer()
