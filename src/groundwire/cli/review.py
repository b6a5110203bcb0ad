"""The command that scores an answer against its prompt and a store of facts."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundwire.cli import inputs, output
from groundwire.cli.options import AsJson, NoModel, PolicyFile, Quiet, ResponseFile, ResponsePath, ResponseText, Tenant
from groundwire.errors import InputError
from groundwire.nli.shipped import load_model

if TYPE_CHECKING:
    from groundwire.retrieval import GroundTruthStore

APPROVED, NOT_APPROVED = 0, 1


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("review")(review)


def review(
    response_path: ResponsePath = None,
    response: ResponseText = None,
    response_file: ResponseFile = None,
    prompt: Annotated[str | None, typer.Option("--prompt", metavar="TEXT", help="The prompt as text.")] = None,
    prompt_file: Annotated[
        str | None, typer.Option("--prompt-file", metavar="PATH", help="The prompt, '-' for standard input.")
    ] = None,
    fact: Annotated[
        list[str] | None, typer.Option("--fact", metavar="TEXT", help="A fact as text; may be repeated.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="FILE", help="The knowledge store; GROUNDWIRE_STORE when no fact is given."),
    ] = None,
    tenant: Tenant = "",
    preset: Annotated[
        str,
        typer.Option(
            "--preset", metavar="NAME", help="Weights: default, knowledge-heavy, reasoning-heavy or summarisation."
        ),
    ] = "default",
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="SCORE", help="Score from which an answer is approved.")
    ] = 0.5,
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=100, metavar="N", help="Facts looked up per text.")] = 3,
    scan: Annotated[bool, typer.Option("--scan", help="Also look for injected instructions.")] = False,
    policy: PolicyFile = None,
    strict: Annotated[bool, typer.Option("--strict", help="Approve nothing when the model is missing.")] = False,
    no_model: NoModel = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Score an answer against its prompt and a store of facts.

    Exit status: 0 approved, 1 not approved, 2 usage or input error.
    """
    from groundwire.coherence import CoherenceScorer  # here: `--help` need not wait for it
    from groundwire.injection import InjectionDetector

    if quiet and as_json:
        raise typer.BadParameter("--quiet and --json exclude each other.")
    if strict and no_model:
        raise typer.BadParameter("--strict and --no-model exclude each other.")
    responses = [path for path in (response_path, response_file) if path is not None]
    inputs.refuse_two_readers_of_stdin([*responses, *([prompt_file] if prompt_file else [])])
    chosen = inputs.read_policy(policy, None)
    question = inputs.read_prompt(prompt, prompt_file)
    answer = inputs.read_response(response, responses)
    model = load_model(no_model)
    # Asked for now: an installation that lost its model must fail, not go on without it.
    info = None if model is None else asdict(model.model_info)
    facts = _open(fact or (), store)
    try:
        scorer = CoherenceScorer.from_preset(
            preset,
            threshold=threshold,
            ground_truth_store=facts,
            strict_mode=strict,
            nli_scorer=model,
            injection_detector=InjectionDetector() if scan else None,
            policy=chosen,
            top_k=top_k,
        )
        approved, score = scorer.review(question, answer, tenant_id=tenant)
    finally:
        if facts is not None:
            facts.close()
    if as_json:
        output.write_json({**_plain(asdict(score)), "threshold": threshold, "preset": preset, "model": info})
    elif not quiet:
        from groundwire.render.coherence import render_review

        text = render_review(
            score,
            scorer.explain(question, score),
            scorer.threshold,
            width=output.terminal_width(),
            colour=output.wants_colour(),
            unicode=output.is_utf8(),
        )
        output.write(text)
    return APPROVED if approved else NOT_APPROVED


def _open(facts: Sequence[str], path: str | None) -> "GroundTruthStore | None":
    """Open the store that was named, or make one of the facts."""
    from groundwire.retrieval import GroundTruthStore, SQLiteBackend, VectorGroundTruthStore

    if facts and path is not None:
        raise InputError("Facts were given both as text and as a store.", fix="keep --fact or --store")
    if path is None and not facts:
        path = os.environ.get("GROUNDWIRE_STORE") or None
    if path is not None:
        return VectorGroundTruthStore(SQLiteBackend(path, create=False), strict=True)
    if not facts:
        return None
    store = GroundTruthStore()
    store.add_many(inputs.read_facts(facts))
    return store


def _plain(value: Any) -> Any:
    """Round the numbers of a result for readers."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value
