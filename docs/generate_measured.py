"""Write the page of measured figures and the README's share of it: python docs/generate_measured.py."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "measured.md"
README = ROOT / "README.md"
SIZING = ROOT / "docs" / "guide" / "sizing.md"
NOTE = "<!-- Made by docs/generate_measured.py from benchmarks/results. Change the measurement, not this page. -->"
START, END = "<!-- measured: start -->", "<!-- measured: end -->"


def load(name: str) -> dict[str, Any]:
    """Read one result file."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def page() -> str:
    """Return the whole page."""
    parts = [
        NOTE,
        "# Measured",
        "Every figure of this page stands in a file under `benchmarks/results/`, which names machine, commit and "
        "command. How to run them again is told in `benchmarks/README.md`.",
        *_verify(load("verify")),
        *_grounding(load("grounding")),
        *_audit(load("audit")),
        "## Batch",
        *_batch(load("batch")),
    ]
    return "\n\n".join(parts) + "\n"


def readme() -> str:
    """Return the README with its figures written anew."""
    return _between_marks(README, _sentences())


def sizing() -> str:
    """Return the page on sizing with its figures written anew."""
    return _between_marks(SIZING, "\n\n".join(_batch(load("batch"))))


def _between_marks(path: Path, text: str) -> str:
    head, rest = path.read_text(encoding="utf-8").split(START, 1)
    tail = rest.split(END, 1)[1]
    return f"{head}{START}\n{text}\n{END}{tail}"


def _sentences() -> str:
    verify, grounding = load("verify"), load("grounding")
    golden, mean = verify["golden"], grounding["mean_of_public_sets"]
    peer = golden.get("director")
    beside = f"; director-ai without a model gets {peer['right']}" if peer else ""
    return (
        f"Without a model it gets {golden['groundwire']['right']} of {golden['groundwire']['cases']} documented cases "
        f"right{beside}. Over {mean['sets']} public grounding sets its support probability has a mean AUC of "
        f"{mean['auc']:.3f} and a mean balanced accuracy of {mean['balanced_accuracy']:.3f} at the one threshold 0.5. "
        f"Five claims against a source of 1,000 words take {_time(verify, '5 claims x 1000 words'):.0f} ms on two "
        "cores. Where it is weak, and where others are faster, stands on the page of "
        "[measured figures](docs/measured.md)."
    )


def _time(verify: dict[str, Any], shape: str) -> float:
    return float(next(row["ms"]["groundwire"] for row in verify["times"] if row["shape"] == shape))


def _origin(result: dict[str, Any]) -> str:
    machine = result["machine"]
    processor = machine.get("processor") or machine.get("cpu")
    cores = f", {machine['cores']} cores" if "cores" in machine else ""
    return (
        f"`{result['command']}` at commit `{result['commit'][:10]}` on {processor}{cores}, Python {machine['python']}."
    )


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _verify(result: dict[str, Any]) -> list[str]:
    systems = [name for name in ("groundwire", "director", "ragground") if name in result["golden"]]
    times = [
        [row["shape"].replace(" x ", " × "), *(_ms(row["ms"].get(name)) for name in systems), _ratios(row)]
        for row in result["times"]
    ]
    golden = [
        [name, f"{entry['right']} of {entry['cases']}", str(entry["bad_approved"]), str(entry["good_refused"])]
        for name, entry in ((name, result["golden"][name]) for name in systems)
    ]
    memory = result["peak_mb"]["groundwire"]
    not_run = "; ".join(f"{name}: {why}" for name, why in result.get("not_run", {}).items()) or "none"
    return [
        "## Speed, beside its peers in one run",
        _origin(result) + " Fresh texts on every call, so that no cache answers; medians.",
        _table(["shape", *systems, "our time over the peer's"], times),
        f"Growth with the source: exponent {result['source_exponent']['groundwire']}. Peak memory of a fresh process: "
        f"{memory['after_5x50']} MB after a small call, {memory['after_100k_words']} MB after 100,000 words. "
        f"Not run: {not_run}.",
        "## Documented cases right, without a model",
        _table(["system", "right", "bad answers approved", "good answers refused"], golden),
    ]


def _ms(value: float | None) -> str:
    return "no answer" if value is None else f"{value:.1f} ms"


def _ratios(row: dict[str, Any]) -> str:
    return (
        ", ".join(f"{name} {ratio:.2f}×" for name, ratio in row["ours_over_peer"].items() if ratio is not None) or "–"
    )


def _grounding(result: dict[str, Any]) -> list[str]:
    mean = result["mean_of_public_sets"]
    sets = [
        [name, str(entry["rows"]), f"{entry['auc']:.3f}", f"{entry['balanced_accuracy']:.3f}"]
        for name, entry in result["sets"].items()
    ]
    kinds = [
        [name, str(entry["rows"]), _percent(entry["conflicts_first"]), _percent(ladder["not_supported"])]
        for name, entry in result["contrast_recall_at_10_percent_false_alarms"].items()
        if isinstance(entry, dict) and (ladder := result["contrast_ladder"]["wrong"].get(name))
    ]
    return [
        "## Support probability on public sets, without a model",
        _origin(result) + " The features and the scale were chosen on these sets, so the figures flatter a little; "
        "nothing was trained on them.",
        _table(["set", "rows", "AUC", "balanced accuracy at 0.5"], sets),
        f"Mean over the {mean['sets']} public sets (all but contrast, responses and ours): AUC {mean['auc']:.4f}, "
        f"balanced accuracy {mean['balanced_accuracy']:.4f}.",
        "## Minimal errors: what words alone find",
        "The contrast set is written so that wrong claims share *more* words with the passage than right ones, and "
        "most of its claims are free paraphrases. *Recall* ranks claims by the conflicts found, at a threshold that "
        "10 % of the right claims fall under; *not supported* is the share of wrong claims that the verdict does not "
        "call supported.",
        _table(["kind of error", "rows", "recall at 10 % false alarms", "not supported"], kinds),
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _audit(result: dict[str, Any]) -> list[str]:
    rows = [
        [name.removesuffix("_ms").replace("_", " "), f"{value:.2f} ms"] for name, value in result["figures"].items()
    ]
    return ["## Audit", _origin(result), _table(["what", "median"], rows)]


def _batch(result: dict[str, Any]) -> list[str]:
    parts = [
        _origin(result) + f" The rows are those of public sets and pairs made from plain text, each with a source of "
        f"its own; {result['input_mb']:.0f} MB as JSON lines. *Of the loop* compares with one process that calls "
        "`verify` in a loop on one thread, times the processes."
    ]
    for name, words in (("without_model", "without a model"), ("with_model", "with the embedded model")):
        if name not in result:
            continue
        found = result[name]
        loop = found["in_process"]["rows_per_second"]
        rows = [
            [
                f"{run['rows']:,}",
                str(run["processes"]),
                f"{run['seconds']:,.0f} s",
                f"{run['rows_per_second']:,.0f}",
                f"{run['rows_per_second'] / loop / run['processes']:.0%}",
                f"{run['peak_mb']:,.0f} MB",
            ]
            for run in found["runs"]
        ]
        best = found["runs"][-1]
        hour = best["rows_per_second"] * 3600 / best["processes"]
        parts += [
            f"**{words[0].upper()}{words[1:]}** (the loop: {loop:,.0f} rows a second):",
            _table(["rows", "processes", "time", "rows a second", "of the loop", "memory of all processes"], rows),
            f"That is {hour:,.0f} rows per core-hour, or {1e6 / hour:,.1f} core-hours per million rows, and about "
            f"{best['peak_mb'] / (best['processes'] + 1):,.0f} MB a process.",
        ]
        if "ray" in found:
            ray = found["ray"]
            same = "equal to the byte to" if ray["equal_to_local"] else "NOT equal to"
            parts.append(
                f"On Ray, started for the run on the same machine with two actors, {ray['rows']:,} rows took "
                f"{ray['seconds']:,.0f} s and {ray['peak_mb']:,.0f} MB in all its processes; the output was {same} "
                "that of the local engine."
            )
    return parts


if __name__ == "__main__":
    SIZING.write_text(sizing(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
