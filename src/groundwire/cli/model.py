"""The one door to the language model: every command that may use it comes through here."""

from groundwire.nli import NLI, DivergenceScorer

# False until the package carries the model's files. No look at the disk decides this: an
# installation that lost its model must fail, not go on without it.
SHIPPED = False


def load_model(no_model: bool) -> NLI | DivergenceScorer | None:
    """Return the embedded model, or None when the user wants none or none is shipped."""
    if no_model or not SHIPPED:
        return None
    from groundwire import nli  # here: most of its weight is wanted by this line alone

    scorer: NLI = nli.NLIScorer()  # type: ignore[attr-defined]
    return scorer
