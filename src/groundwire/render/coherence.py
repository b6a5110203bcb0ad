"""Show a coherence score in a terminal: the claims, the decision, and what it is made of."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from groundwire.render.terminal import claim_blocks, lay_out
from groundwire.types import ClaimVerdict, CoherenceScore


def render_review(
    score: CoherenceScore,
    claims: Sequence[ClaimVerdict],
    threshold: float,
    *,
    width: int = 80,
    colour: bool = False,
    unicode: bool = True,
) -> str:
    """Return the text a terminal shows for a score and its claims."""
    blocks: list[RenderableType] = claim_blocks(claims, width)
    blocks += [Text(f"Note: {note}", "bold yellow") for note in review_notes(score)]
    sign, style = ("✓", "bold green") if score.approved else ("✗", "bold red")
    blocks.append(Text(f"{sign} {decision(score, threshold)}", style))
    blocks.append(Text(" · ".join(parts(score)), "dim"))
    return lay_out(blocks, width=width, colour=colour, unicode=unicode)


def decision(score: CoherenceScore, threshold: float) -> str:
    """Say the decision in one sentence."""
    words = "Approved" if score.approved else "Not approved"
    if score.warning:
        words = "Approved with a warning"
    side = "at or above" if score.approved else "below"
    return f"{words}: score {score.score:.2f}, {side} the threshold {threshold:.2f}."


def parts(score: CoherenceScore) -> list[str]:
    """List what a score is made of."""
    factual = "not measured" if score.retrieval_confidence is None else f"{score.h_factual:.2f}"
    shown = [f"logical divergence {score.h_logical:.2f}", f"factual divergence {factual}"]
    named = (
        ("coverage", score.claim_coverage),
        ("confidence", score.verdict_confidence),
        ("retrieval", score.retrieval_confidence),
        ("cross-turn", score.cross_turn_divergence),
        ("injection risk", score.injection_risk),
    )
    shown += [f"{name} {value:.2f}" for name, value in named if value is not None]
    return [*shown, score.detected_task_type] if score.detected_task_type else shown


def review_notes(score: CoherenceScore) -> list[str]:
    """Say what a reader must know about how the score came about."""
    if score.strict_mode_rejected:
        return ["Strict mode needs a model, and none is there: nothing was measured."]
    if score.retrieval_confidence is None:
        return ["No fact was found for this: the response was compared with the prompt alone."]
    return []
