"""Measure guarded streams: wrong sentences stopped before a reader sees them, against right answers stopped.

Reads the data folder given by --data or GROUNDWIRE_DATA; the data itself is not part of this project.
"""

import argparse
import math
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import data, plot, record
from benchmarks.stream_data import Stream, edited, labelled, quoted
from groundwire import NLIScorer
from groundwire.stream import ClaimStream, certainty
from groundwire.types import ClaimVerdict

FALSE_HALTS = (0.01, 0.03, 0.05, 0.10, 0.20)
AT = 0.03
PICTURE = record.ROOT / "docs" / "images" / "stream-curve.svg"
OURS, DOUBT, WORDS = "certainty", "probability", "word coverage"


@dataclass(frozen=True, slots=True)
class Judged:
    """What one stream gave: per sentence its label, kind and how strongly each rule would stop it."""

    is_right: bool
    sentences: tuple[tuple[int, str, dict[str, float], bool], ...]


def judge(stream: Stream, model: NLIScorer | None = None) -> Judged:
    """Run an answer through a stream that marks instead of halting."""
    text, places = stream.text()
    guarded = ClaimStream(stream.source, halt=False, nli_scorer=model)
    for _ in guarded.guard(_tokens(text)):
        pass
    rejected = guarded.rejected
    rows = []
    for sentence, (start, end) in zip(stream.sentences, places, strict=True):
        claims = [item for item in guarded.verdicts if item.start < end and start < item.end]
        scores = {
            OURS: max(
                (certainty(item, with_model=model is not None) for item in claims if item in rejected), default=0.0
            ),
            DOUBT: max((1.0 - (item.support_probability or 1.0) for item in claims), default=0.0),
            WORDS: max((_uncovered(item) for item in claims), default=0.0),
        }
        rows.append((sentence.label, sentence.kind, scores, any(item in rejected for item in claims)))
    return Judged(stream.is_right, tuple(rows))


def _uncovered(verdict: ClaimVerdict) -> float:
    return 0.0 if verdict.support_probability is None else 1.0 - verdict.traceability


def _tokens(text: str) -> list[str]:
    return [text[place : place + 4] for place in range(0, len(text), 4)]


def threshold_at(right: Sequence[Judged], rule: str, share: float) -> float:
    """Return the least threshold at which at most this share of the right answers is stopped."""
    worst = sorted((max(scores[rule] for _, _, scores, _ in item.sentences) for item in right), reverse=True)
    allowed = worst[int(share * len(worst))]
    # A sentence is stopped at or above the threshold: the first answer that must pass lies just below it.
    return math.nextafter(allowed, math.inf)


def stopped(items: Sequence[Judged], stops: Callable[[dict[str, float], bool], bool]) -> dict[str, Any]:
    """Return the share of wrong sentences that are stopped, in all and by kind."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for item in items:
        for label, kind, scores, rejected in item.sentences:
            if not label:
                kinds[kind].append(stops(scores, rejected))
    every = [flag for flags in kinds.values() for flag in flags]
    return {
        "sentences": len(every),
        "stopped": _share(every),
        "by_kind": {kind: {"sentences": len(flags), "stopped": _share(flags)} for kind, flags in sorted(kinds.items())},
    }


def false_halts(right: Sequence[Judged], stops: Callable[[dict[str, float], bool], bool]) -> float:
    """Return the share of right answers that are stopped anywhere."""
    return _share([any(stops(scores, rejected) for _, _, scores, rejected in item.sentences) for item in right])


def at_or_above(rule: str, threshold: float) -> Callable[[dict[str, float], bool], bool]:
    """Make the rule that stops a sentence at a threshold."""
    return lambda scores, rejected: scores[rule] >= threshold


def figures_of(right: Sequence[Judged], wrong: Sequence[Judged]) -> dict[str, Any]:
    """Return curves, the point at 3 % false halts, and the point of the default policy."""
    curves: dict[str, list[dict[str, Any]]] = {}
    points: dict[str, Any] = {}
    for rule in (OURS, DOUBT, WORDS):
        curves[rule] = []
        for share in FALSE_HALTS:
            threshold = threshold_at(right, rule, share)
            stops = at_or_above(rule, threshold)
            found = stopped(wrong, stops)
            curves[rule].append(
                {
                    "threshold": round(threshold, 4),
                    "false_halts": false_halts(right, stops),
                    "stopped": found["stopped"],
                    "by_kind": {kind: item["stopped"] for kind, item in found["by_kind"].items()},
                }
            )
        threshold = threshold_at(right, rule, AT)
        stops = at_or_above(rule, threshold)
        points[rule] = {
            "threshold": round(threshold, 4), "false_halts": false_halts(right, stops), **stopped(wrong, stops),
        }  # fmt: skip
    by_policy = {
        "false_halts": false_halts(right, lambda scores, rejected: rejected),
        **stopped(wrong, lambda scores, rejected: rejected),
    }
    words = points[WORDS]["stopped"]
    return {
        "right_streams": len(right),
        "wrong_streams": len(wrong),
        "at_3_percent_false_halts": points,
        "times_word_coverage": round(points[OURS]["stopped"] / words, 2) if words else None,
        "default_policy": by_policy,
        "curves": curves,
    }


def overhead(streams: Sequence[Stream], model: NLIScorer | None) -> dict[str, float]:
    """Time the stream itself per token, and the check of one claim."""
    # Headings need no check: what is left is the cost of the stream.
    tokens = [token for stream in streams[:100] for token in _tokens("# " + stream.text()[0] + "\n")]
    costs = []
    for _ in range(5):
        guarded = ClaimStream("x")
        started = time.perf_counter()
        for _ in guarded.guard(tokens):
            pass
        costs.append((time.perf_counter() - started) / len(tokens))
    claims = []
    for stream in streams[:100]:
        guarded = ClaimStream(stream.source, halt=False, nli_scorer=model)
        text = stream.text()[0]
        started = time.perf_counter()
        for _ in guarded.guard([text]):
            pass
        claims.append((time.perf_counter() - started) / max(1, len(guarded.verdicts)))
    return {
        "tokens": len(tokens),
        "microseconds_per_token": round(1e6 * statistics.median(costs), 2),
        "milliseconds_per_claim": round(1e3 * statistics.median(claims), 2),
    }


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 4) if flags else 0.0


def main() -> None:
    """Measure, print, write the result and the picture."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stream", description=__doc__)
    parser.add_argument("--data", help="folder with dev/ and ours/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--model", action="store_true", help="check with the embedded model")
    options = parser.parse_args()
    streams = labelled(data.folder(options.data))
    model = NLIScorer() if options.model else None
    judged = [judge(stream, model) for stream in streams]
    right = [item for item in judged if item.is_right]
    wrong = [item for item in judged if not item.is_right]
    quoted_right, quoted_wrong = ([judge(stream, model) for stream in part] for part in quoted(streams))
    figures: dict[str, Any] = {
        "model": model.model_info.id if model else None,
        "labelled": figures_of(right, wrong),
        "edited_paraphrases": figures_of(right, [judge(stream, model) for stream in edited(streams)]),
        "edited_quotations": figures_of([*right, *quoted_right], quoted_wrong),
        "quoted_right": {
            "streams": len(quoted_right),
            "false_halts": false_halts(quoted_right, lambda scores, rejected: rejected),
        },
        "overhead": overhead(streams, model),
    }
    for name in ("labelled", "edited_paraphrases", "edited_quotations"):
        part = figures[name]
        print(f"{name}: {part['right_streams']} right, {part['wrong_streams']} wrong streams")
        for rule, point in part["at_3_percent_false_halts"].items():
            kinds = ", ".join(
                f"{kind} {item['stopped']:.2f}/{item['sentences']}" for kind, item in point["by_kind"].items()
            )
            print(f"  {rule}: {point['stopped']:.3f} at {point['false_halts']:.3f} ({kinds})")
        print(
            f"  default policy: {part['default_policy']['stopped']:.3f} at {part['default_policy']['false_halts']:.3f}"
        )
    print(figures["overhead"])
    name, flag = ("stream_model", " --model") if model else ("stream", "")
    path = record.write(name, f"python -m benchmarks.stream{flag}", figures)
    if model:
        print(f"written to {path.relative_to(record.ROOT)}")
        return
    series = {
        f"{label}: {rule}": [(item["false_halts"], item["stopped"]) for item in figures[name]["curves"][rule]]
        for name, label in (("labelled", "labelled"), ("edited_quotations", "quoted"))
        for rule in (OURS, WORDS)
    }
    PICTURE.write_text(
        plot.line_chart(
            "Wrong sentences stopped against right answers stopped",
            "right answers stopped", "wrong sentences stopped", series, 0.2,
        ),
        encoding="utf-8",
    )  # fmt: skip
    print(f"written to {path.relative_to(record.ROOT)} and {PICTURE.relative_to(record.ROOT)}")


if __name__ == "__main__":
    main()
