"""The prompts that make a model answer in a form the audit can follow."""

from functools import cache
from importlib.resources import files
from string import Template

from groundwire.audit.evidence_map import EvidenceMap, evidence_map_by_pointer_id
from groundwire.audit.outcomes import ANSWER_MODES
from groundwire.audit.policy import AuditPolicy
from groundwire.errors import InputError, PolicyError


@cache
def prompt_template(mode: str) -> Template:
    """Load the prompt text of an answer mode."""
    if mode not in ANSWER_MODES:
        raise PolicyError(f"The answer mode is {mode!r}.", fix=f"choose from {', '.join(ANSWER_MODES)}")
    text = files("groundwire.audit").joinpath("prompts", f"{mode}.txt").read_text(encoding="utf-8")
    return Template(text)


def render_prompt(question: str, evidence_map: EvidenceMap, policy: AuditPolicy | None = None) -> str:
    """Write the prompt for a question over numbered evidence, within the limits of the policy."""
    policy = policy or AuditPolicy()
    entries = evidence_map_by_pointer_id(evidence_map).values()
    if len(entries) > policy.prompt_max_evidence:
        raise InputError(
            f"The evidence map has {len(entries)} entries, the policy allows {policy.prompt_max_evidence}.",
            fix="retrieve fewer passages or raise prompt_max_evidence",
        )
    lines = []
    for entry in entries:
        # One line per entry, so that no text of a source can pose as another entry.
        span = " ".join(entry.span.split())
        if len(span) > policy.prompt_max_span_chars:
            raise InputError(
                f"The span of {entry.pointer_id} has {len(span)} characters, the policy allows"
                f" {policy.prompt_max_span_chars}.",
                fix="build the evidence map with max_span_chars, or raise prompt_max_span_chars",
            )
        title = f" ({' '.join(entry.title.split())})" if entry.title else ""
        lines.append(f"[{entry.pointer_id}]{title} {span}")
    return prompt_template(policy.answer_mode).substitute(
        question=" ".join(question.split()),
        evidence="\n".join(lines),
        max_claims=policy.max_claims_per_answer,
        max_pointers=policy.max_pointers_per_claim,
    )
