"""Recorded runs audited again under another policy, without any language model."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from groundwire.audit.answer import Audit, audit_answer
from groundwire.audit.context import Context, as_sources
from groundwire.audit.policy import AuditPolicy
from groundwire.audit.record import Run
from groundwire.audit.store import StoredRun
from groundwire.types import EvidenceObject, Source


@dataclass(frozen=True, slots=True)
class Replay:
    """A run's mode as recorded and under the new policy."""

    run_id: int
    before: str
    after: str
    new_violations: tuple[str, ...]
    run: Run

    @property
    def changed(self) -> bool:
        """Tell whether the new policy decides otherwise."""
        return self.before != self.after


def audit_run(
    answer: str,
    *,
    mode: str,
    question: str | None = None,
    context: Context | None = None,
    evidence_map: Iterable[EvidenceObject] = (),
    policy: AuditPolicy | None = None,
) -> Run:
    """Audit an answer and keep everything the record needs."""
    policy = replace(policy or AuditPolicy(), answer_mode=mode)
    sources = () if context is None else as_sources(context)
    entries = tuple(evidence_map)
    result = _audit(answer, mode, question, sources, entries, policy)
    return Run(mode, question, answer, sources, entries, policy, result)


def replay(stored: StoredRun, policy: AuditPolicy) -> Replay:
    """Audit a recorded run again under a policy; its answer mode stays."""
    run = stored.run
    policy = replace(policy, answer_mode=run.mode)
    result = _audit(run.answer, run.mode, run.question, run.context, run.evidence_map, policy)
    before = {item["kind"] for item in run.result.get("violations", ())}
    after = {item["kind"] for item in result.get("violations", ())}
    return Replay(
        run_id=stored.run_id,
        before=str(run.result["audit_mode"]),
        after=str(result["audit_mode"]),
        new_violations=tuple(sorted(after - before)),
        run=replace(run, policy=policy, result=result),
    )


def _audit(
    answer: str,
    mode: str,
    question: str | None,
    context: tuple[Source, ...],
    evidence_map: tuple[EvidenceObject, ...],
    policy: AuditPolicy,
) -> Audit:
    return audit_answer(
        answer,
        mode=mode,
        context=context or None,
        evidence_map=evidence_map or None,
        question=question,
        policy=policy,
    )
