"""Write the page of measured figures and the README's share of it: python -m docs.generate_measured."""

import json
from pathlib import Path
from typing import Any

from docs import measured_batch
from docs.measured_model import beside_section, cost_section, model_sections
from docs.measured_parts import origin, table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "measured.md"
README = ROOT / "README.md"
PROCESSES = ROOT / "docs" / "images" / "batch_processes.svg"
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
        *model_sections(load("grounding_model"), load("grounding"), load("blend"), load("quantised")),
        *cost_section(load("model")),
        *beside_section(load("side_by_side")),
        *_stream(load("stream"), load("stream_model")),
        *_audit(load("audit")),
        *_retrieval(load("retrieval"), load("scale_store")),
        *_coherence(load("heuristic_coherence_pipeline"), load("coherence")),
        *_hooks(load("hooks")),
        "## Batch",
        *measured_batch.sections(load("batch")),
        *_server(load("server")),
    ]
    return "\n\n".join(parts) + "\n"


def readme() -> str:
    """Return the README with its figures written anew."""
    return _between_marks(README, _sentences())


def sizing() -> str:
    """Return the page on sizing with its figures written anew."""
    parts = measured_batch.sections(load("batch"))
    if PROCESSES.exists():
        parts.append(f"![Rows a second by processes, beside what the loop promises](../images/{PROCESSES.name})")
    return _between_marks(SIZING, "\n\n".join(parts))


def _between_marks(path: Path, text: str) -> str:
    head, rest = path.read_text(encoding="utf-8").split(START, 1)
    tail = rest.split(END, 1)[1]
    return f"{head}{START}\n{text}\n{END}{tail}"


def _sentences() -> str:
    verify, grounding = load("verify"), load("grounding")
    golden, mean = verify["golden"], grounding["mean_of_public_sets"]
    model = load("grounding_model")["mean_of_public_sets"]
    peer = golden.get("director")
    beside = f"; director-ai without a model gets {peer['right']}" if peer else ""
    return (
        f"Without a model it gets {golden['groundwire']['right']} of {golden['groundwire']['cases']} documented cases "
        f"right{beside}. Over {mean['sets']} public grounding sets its support probability has a mean AUC of "
        f"{mean['auc']:.3f} and a mean balanced accuracy of {mean['balanced_accuracy']:.3f} at the one threshold 0.5; "
        f"with the embedded model {model['auc']:.3f} and {model['balanced_accuracy']:.3f}. "
        f"Five claims against a source of 1,000 words take {_time(verify, '5 claims x 1000 words'):.0f} ms on two "
        "cores. Where it is weak, and where others are faster, stands on the page of "
        "[measured figures](docs/measured.md)."
    )


def _time(verify: dict[str, Any], shape: str) -> float:
    return float(next(row["ms"]["groundwire"] for row in verify["times"] if row["shape"] == shape))


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
        origin(result) + " Fresh texts on every call, so that no cache answers; medians.",
        table(["shape", *systems, "our time over the peer's"], times),
        f"Growth with the source: exponent {result['source_exponent']['groundwire']}. Peak memory of a fresh process: "
        f"{memory['after_5x50']} MB after a small call, {memory['after_100k_words']} MB after 100,000 words. "
        f"Not run: {not_run}.",
        "## Documented cases right, without a model",
        table(["system", "right", "bad answers approved", "good answers refused"], golden),
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
        origin(result) + " The features and the scale were chosen on these sets, so the figures flatter a little; "
        "nothing was trained on them.",
        table(["set", "rows", "AUC", "balanced accuracy at 0.5"], sets),
        f"Mean over the {mean['sets']} public sets (all but contrast, responses and ours): AUC {mean['auc']:.4f}, "
        f"balanced accuracy {mean['balanced_accuracy']:.4f}.",
        "## Minimal errors: what words alone find",
        "The contrast set is written so that wrong claims share *more* words with the passage than right ones, and "
        "most of its claims are free paraphrases. *Recall* ranks claims by the conflicts found, at a threshold that "
        "10 % of the right claims fall under; *not supported* is the share of wrong claims that the verdict does not "
        "call supported.",
        table(["kind of error", "rows", "recall at 10 % false alarms", "not supported"], kinds),
    ]


STREAM_HEADER = ["wrong sentences", "number", "stopped at 3 %", "min_certainty", "word coverage", "default policy"]
STREAMS = (
    ("labelled", "written by hand, in the writer's own words"),
    ("edited_paraphrases", "one respect changed in a right answer"),
    ("edited_quotations", "one respect changed in a sentence of the source"),
)


def _stream_rows(result: dict[str, Any]) -> list[list[str]]:
    rows = []
    for name, what in STREAMS:
        part = result[name]
        ours, words = (part["at_3_percent_false_halts"][rule] for rule in ("certainty", "word coverage"))
        default = part["default_policy"]
        rows.append(
            [
                what, str(ours["sentences"]), _percent(ours["stopped"]), f"{ours['threshold']:.2f}",
                _percent(words["stopped"]), f"{_percent(default['stopped'])} at {_percent(default['false_halts'])}",
            ]
        )  # fmt: skip
    return rows


def _stream(result: dict[str, Any], with_model: dict[str, Any]) -> list[str]:
    kinds = sorted(
        {kind for name, _ in STREAMS for kind in result[name]["at_3_percent_false_halts"]["certainty"]["by_kind"]}
    )
    by_kind = []
    for kind in kinds:
        cells = [kind]
        for name, _ in STREAMS:
            item = result[name]["at_3_percent_false_halts"]["certainty"]["by_kind"].get(kind)
            cells.append(f"{_percent(item['stopped'])} of {item['sentences']}" if item else "–")
        by_kind.append(cells)
    cost = result["overhead"]
    return [
        "## Streams: wrong sentences stopped before a reader sees them, without a model",
        origin(result) + f" {result['labelled']['right_streams']} right answers and "
        f"{result['labelled']['wrong_streams']} with a wrong sentence, from the sentence-labelled responses and our "
        "own claims; the edits are made by program. A *false halt* is a right answer stopped anywhere. The threshold "
        "(`min_certainty`) was read off these very streams, at no more than 3 % false halts; "
        "for the last kind the right answers are joined by answers that repeat their source.",
        table(STREAM_HEADER, _stream_rows(result)),
        table(["kind of error, at 3 % false halts", *(what for _, what in STREAMS)], by_kind),
        "The right answers here are free paraphrases, which words alone often take for a clash: with the default "
        f"policy and no model a stream halts {_percent(result['labelled']['default_policy']['false_halts'])} of them. "
        f"Of {result['quoted_right']['streams']} answers that repeat sentences of their source it halts "
        f"{_percent(result['quoted_right']['false_halts'])}.",
        f"The stream itself costs {cost['microseconds_per_token']:.1f} µs a token; a claim is checked in "
        f"{cost['milliseconds_per_claim']:.1f} ms without a model.",
        "### The same streams with the embedded model",
        origin(with_model) + f" A claim is checked in {with_model['overhead']['milliseconds_per_claim']:.1f} ms; the "
        "machine was shared while this was measured.",
        table(STREAM_HEADER, _stream_rows(with_model)),
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _audit(result: dict[str, Any]) -> list[str]:
    rows = [
        [name.removesuffix("_ms").replace("_", " "), f"{value:.2f} ms"] for name, value in result["figures"].items()
    ]
    return ["## Audit", origin(result), table(["what", "median"], rows)]


def _coherence(cases: dict[str, Any], times: dict[str, Any]) -> list[str]:
    presets = list(cases["right_by_preset"])
    kinds = [
        [kind, f"{entry['right']} of {entry['cases']}"]
        for kind, entry in cases["right_with_every_preset_by_kind"].items()
    ]
    parts = [
        "## Coherence without a model",
        origin(cases) + f" {cases['cases']} cases of our own over small stores of facts, which are part of the tests. "
        "They are plain: one fact restated, denied, or with one word changed. *Right* means right with every preset "
        "that looks at what the case is about.",
        table(["kind of answer", "right"], kinds),
    ]
    if cases["contrast"] is not None:
        approved = cases["contrast"]["approved_by_kind"]
        rows = [
            [kind, str(approved[kind]["claims"]), *(_share(approved[kind], name) for name in presets)]
            for kind in ("right", *(kind for kind in approved if kind != "right"))
        ]
        parts += [
            "The contrast claims (dev part) are hard on purpose: free paraphrases, sums, small errors in many words. "
            f"Each is reviewed alone against {cases['contrast']['passages']} passages of "
            f"{cases['contrast']['sources']} sources. The table shows the share that is approved: much of `right` and "
            "little of the rest would be good. Words alone are not enough here: that is what a model or a judge is "
            "for.",
            table(["kind of claim", "claims", *presets], rows),
        ]
    parts += [
        "## Time of a review",
        origin(times) + f" A store of {times['inputs']['facts']:,} facts; {times['inputs']['statistic']}.",
        table(
            ["what", "median", "95th percentile"],
            [
                [name.replace("_", " "), f"{entry['median']:.2f} ms", f"{entry['p95']:.2f} ms"]
                for name, entry in times["times_ms"].items()
            ],
        ),
    ]
    not_run = "; ".join(f"{name.replace('_', ' ')}: {why}" for name, why in times["not_run"].items())
    return [*parts, f"Not run: {not_run}."] if not_run else parts


def _share(entry: dict[str, int], name: str) -> str:
    return _percent(entry[name] / entry["claims"])


def _retrieval(found: dict[str, Any], grown: dict[str, Any]) -> list[str]:
    ways = [
        [
            f"**{name}**" if name == found["default"] else name,
            f"{way['claims']:,}",
            f"{100 * way['recall_at_1']:.1f} %",
            f"{100 * way['recall_at_3']:.1f} %",
            f"{way['query_mean_ms']:.1f} ms",
        ]
        for name, way in found["ways"].items()
    ]
    sizes = [
        [
            row["backend"],
            f"{row['chunks']:,}",
            f"{row['ingestion_s']:.1f} s",
            f"{row['query_median_ms']:.1f} ms",
            f"{row['query_p95_ms']:.1f} ms",
            f"{row['peak_mb']:.0f} MB",
            "–" if row["file_mb"] is None else f"{row['file_mb']:.0f} MB",
        ]
        for row in grown["sizes"]
    ]
    not_run = "; ".join(f"{name}: {why}" for name, why in found["not_run"].items()) or "none"
    return [
        "## Retrieval",
        origin(found)
        + f" Each supported claim of nine public sets must find its own source among {found['sources']:,} "
        f"sources, cut into {found['passages']:,} passages. *blend* is what `SQLiteBackend` and `groundwire kb search` "
        "do unless told otherwise; its two constants were chosen on these sets, so its figures flatter a little.",
        table(["way", "claims", "first", "among three", "query, mean"], ways),
        f"Not run: {not_run}.",
        "## Stores that grow",
        origin(grown)
        + f" Generated passages of {grown['inputs']['words_a_chunk']} words, queries of "
        f"{grown['inputs']['words_a_query']}; every size in a process of its own. {grown.get('note', '')}".rstrip(),
        table(["store", "passages", "ingestion", "query, median", "95th percentile", "peak memory", "file"], sizes),
    ]


def _hooks(result: dict[str, Any]) -> list[str]:
    first = result["first_run"]
    rows = [
        [
            name,
            f"{entry['to_pass']} / {entry['to_catch']}",
            str(len(entry["false_alarms"])),
            str(len(entry["misses"])),
            *(f"{first[part][name]['false_alarms']} + {first[part][name]['misses']}" for part in ("first", "second")),
            f"{entry['median_ms']:.2f} ms",
            f"{entry['slowest_ms']:.2f} ms",
        ]
        for name, entry in result["hooks"].items()
    ]
    growth = [
        [f"{row['triples']:,}", f"{row['with_shapes_ms']:.1f} ms", f"{row['without_shapes_ms']:.2f} ms"]
        for row in result["shacl_growth"]
    ]
    header = ["hook", "to pass / to catch", "false alarms", "misses", "first run, set 1", "first run, set 2"]
    pleas, benign = first["pleas_in_unseen_words"], first["benign"]
    return [
        "## Hooks",
        origin(result) + " The cases lie in `tests/data/hooks/`. *First run* counts false alarms + misses when a set "
        "of cases met the guard for the first time: the first set was written before the guards, the second after "
        "them; causes were mended afterwards, so the columns before it flatter. The same people wrote both. "
        "A third set of ordinary actions and sentences, all to pass, gave at first "
        + " and ".join(
            f"{entry['false_alarms']} false alarms in {entry['cases']} ({name})" for name, entry in benign.items()
        )
        + f". Of {pleas['cases']} texts that argue against their sandbox in words not seen before, the containment "
        f"guard found {pleas['found']}: its text check knows the phrasings on its list and no others.",
        table([*header, "median check", "slowest check"], rows),
        "Checks that go through SHACL are timed apart; their time grows with the size of the ontology to the power "
        f"of {result['shacl_exponent']}:",
        table(["triples", "with SHACL shapes", "classes and disjointness alone"], growth),
        "![Time of one ontology check over the size of the ontology](images/shacl_growth.svg)",
    ]


def _server(result: dict[str, Any]) -> list[str]:
    steady, overload, soak, model = (
        result[name] for name in ("at_60_percent", "at_300_percent", "soak", "with_the_model")
    )
    rows = [
        [name, f"{one['library_per_s']:.1f}", f"{one['service_per_s']:.1f}", f"{one['service_share_of_library']:.0%}"]
        for name, one in (("without the model", result), ("with the model", model))
    ]
    refused = sum(count for status, count in overload["statuses"].items() if status != "200")
    return [
        "## Service",
        f"{origin(result)} Five claims against 1,000 words over loopback, one worker process, every decision "
        "recorded on the disk before its answer; the caller runs on the same machine.",
        table(["", "library, one process, a second", "service, a second", "share"], rows),
        f"At 60 % of that rate half of the answers came within {steady['accepted_p50_ms']:.0f} ms and 99 % within "
        f"{steady['accepted_p99_ms']:.0f} ms ({result['p99_over_p50_at_60_percent']:.1f} times as long). "
        f"At three times the rate {overload['statuses'].get('200', 0)} requests were answered, half of them within "
        f"{overload['accepted_p50_ms']:.0f} ms and 99 % within {overload['accepted_p99_ms']:.0f} ms; {refused} were "
        f"refused with Retry-After, and {overload['hung']} hung. Over {soak['seconds']:.0f} s at 60 % the memory of "
        f"all processes went from {soak['memory_before_mb']:.0f} to {soak['memory_after_mb']:.0f} MB.",
    ]


if __name__ == "__main__":
    SIZING.write_text(sizing(), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
