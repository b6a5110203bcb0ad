"""Measure the injection detector: python -m benchmarks.injection --data FOLDER [--defender PYTHON].

Reports on the part of the public sets that was never tuned on, on harmless texts of our own, and on attacks
hidden by program; beside stackone-defender when the Python of an environment that has it is given.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import injection_data as data
from benchmarks import record
from benchmarks.growth import power_exponent
from benchmarks.obfuscate import KINDS
from groundwire import InjectionDetector
from groundwire.evals import metrics

CALIBRATED_PRIOR = 0.30  # ATTACK_PRIOR of training/injection.py, which needs numpy
DEFENDER = Path(__file__).with_name("injection_defender.py")
Scores = dict[str, tuple[float, bool]]


def main() -> None:
    """Run everything and write results/injection.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with injection/ and text/ (or GROUNDWIRE_DATA)")
    parser.add_argument("--defender", help="Python of an environment with stackone-defender[onnx]")
    parser.add_argument("--defender-answers", help="file that keeps its answers, so that only new texts are asked")
    options = parser.parse_args()
    folder = data.folder(options.data)
    rows = data.report(folder)
    own = data.own("tests/data/injection_benign.jsonl")
    direct = data.own("tests/data/injection_direct.jsonl")
    paragraphs = data.documents(folder, tune_half=False, per_set=100)
    hidden = {kind: [change(row.text) for row in direct] for kind, change in KINDS.items()}
    benign = [row for row in rows if not row.label] + [data.Row(text, 0, "document") for text in paragraphs]
    hidden_texts = [text for group in hidden.values() for text in group]
    tools = {"groundwire": ours([*(row.text for row in (*rows, *own, *direct)), *paragraphs, *hidden_texts])}
    peer: dict[str, Any] = {"run": False, "why": "no --defender was given"}
    if options.defender:
        # The long jailbreaks that no harmless text matches in length would take it most of an hour.
        compared = [row.text for group in pairs(rows, benign).values() for side in group for row in side]
        texts = dict.fromkeys([*compared, *(row.text for row in (*own, *direct)), *hidden_texts])
        tools["stackone-defender"], peer = theirs(options.defender, list(texts), options.defender_answers)
    figures = {
        "threshold": InjectionDetector().threshold,
        "split": "halves of deepset and wildguard_benign by hash; trustair_jailbreaks and tensortrust_extract whole; "
        "texts that also stand in the tune part are left out",
        "rows": {name: _count(rows, name) for name in sorted({row.source for row in rows})},
        "stackone_defender": peer,
        "matched_in_length": {name: matched(rows, benign, scores) for name, scores in tools.items()},
        "detected_at_threshold": at_threshold(rows, tools["groundwire"]),
        "false_alarms_on_own_texts": {name: false_alarms(own, scores) for name, scores in tools.items()},
        "false_alarms_on_documents": {
            "texts": len(paragraphs),
            "flagged": _share([tools["groundwire"][text][1] for text in paragraphs]),
        },
        "obfuscations": {name: obfuscations(hidden, scores) for name, scores in tools.items()},
        "plain_attacks": {name: _share([scores[row.text][1] for row in direct]) for name, scores in tools.items()},
        "calibration_error_at_balanced_prior": round(
            metrics.calibration_error(
                [row.label for row in rows], [probability(row.text) for row in rows]
            ) or 0.0, 4,
        ),
        "speed": speed(paragraphs),
    }  # fmt: skip
    shown = ["--data DATA", *(["--defender PYTHON"] if options.defender else [])]
    shown += ["--defender-answers FILE"] if options.defender_answers else []
    path = record.write("injection", " ".join(["python -m benchmarks.injection", *shown]), figures)
    print(f"written to {path.name}", file=sys.stderr)


def ours(texts: Sequence[str]) -> Scores:
    """Score every text with stage 1."""
    detector = InjectionDetector()
    scans = {text: detector.scan(text) for text in texts}
    # The score keeps silent below even odds; for ranking the probability speaks there, too.
    return {text: (max(scan.score, scan.probability), scan.detected) for text, scan in scans.items()}


def probability(text: str) -> float:
    """Return the probability of one text, moved from the prior of the calibration to a balanced one."""
    chance = min(max(InjectionDetector().scan(text).probability, 1e-9), 1 - 1e-9)
    odds = chance / (1 - chance) * (1 - CALIBRATED_PRIOR) / CALIBRATED_PRIOR
    return odds / (1 + odds)


def theirs(python: str, texts: Sequence[str], kept: str | None) -> tuple[Scores, dict[str, Any]]:
    """Score every text with stackone-defender in its own environment."""
    store = Path(kept) if kept else None
    known: dict[str, Any] = json.loads(store.read_text("utf-8")) if store and store.exists() else {"answers": {}}
    asked = [text for text in texts if text not in known["answers"]]
    if asked:
        done = subprocess.run(
            [python, str(DEFENDER)], input=json.dumps(asked), capture_output=True, text=True, check=True, timeout=3600
        )
        answer = json.loads(done.stdout)
        known["answers"].update(zip(asked, answer["scores"], strict=True))
        known["version"] = answer["version"]
        if store:
            store.write_text(json.dumps(known), "utf-8")
    scores = {text: (known["answers"][text][0], bool(known["answers"][text][1])) for text in texts}
    return scores, {
        "run": True,
        "version": known["version"],
        "answers_kept_from_an_earlier_run": len(texts) - len(asked),
        "ranked_by": "tier2_score; detected = not allowed with block_high_risk=True",
    }


def pairs(rows: Sequence[data.Row], benign: Sequence[data.Row]) -> dict[str, tuple[list[data.Row], list[data.Row]]]:
    """Pair the attacks of each source, and all of them, with harmless texts of the same lengths."""
    attacks = [row for row in rows if row.label]
    groups = {name: [row for row in attacks if row.source == name] for name in sorted({row.source for row in attacks})}
    return {name: data.matched(group, benign) for name, group in {**groups, "all": attacks}.items()}


def matched(rows: Sequence[data.Row], benign: Sequence[data.Row], scores: Scores) -> dict[str, Any]:
    """Compare attacks with harmless texts of the same lengths, per source and together."""
    return {name: _compare(left, right, scores) for name, (left, right) in pairs(rows, benign).items()}


def _compare(left: Sequence[data.Row], right: Sequence[data.Row], scores: Scores) -> dict[str, Any]:
    labels = [1] * len(left) + [0] * len(right)
    values = [scores[row.text][0] for row in (*left, *right)]
    lengths = [float(len(row.text)) for row in (*left, *right)]
    interval = metrics.bootstrap_interval(labels, values, metrics.auc)
    return {
        "attacks": len(left),
        "harmless": len(right),
        "auc": _rounded(metrics.auc(labels, values)),
        "auc_interval": [_rounded(value) for value in interval] if interval else None,
        "auc_of_length_alone": _rounded(metrics.auc(labels, lengths)),
        "found_at_1_percent_false_alarms": _found_at(values[: len(left)], values[len(left) :], 0.01),
        "found_at_5_percent_false_alarms": _found_at(values[: len(left)], values[len(left) :], 0.05),
        "found_at_threshold": _share([scores[row.text][1] for row in left]),
        "false_alarms_at_threshold": _share([scores[row.text][1] for row in right]),
    }


def _found_at(attacks: Sequence[float], harmless: Sequence[float], share: float) -> float | None:
    if not attacks or not harmless:
        return None
    allowed = int(share * len(harmless))
    limit = sorted(harmless, reverse=True)[allowed] if allowed < len(harmless) else float("-inf")
    return _share([value > limit for value in attacks])


def at_threshold(rows: Sequence[data.Row], scores: Scores) -> dict[str, Any]:
    """Tell what is flagged of every source at the shipped setting, whatever its length."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        groups[f"{row.source} ({'attacks' if row.label else 'harmless'})"].append(scores[row.text][1])
    return {name: {"texts": len(flags), "flagged": _share(flags)} for name, flags in sorted(groups.items())}


def false_alarms(rows: Sequence[data.Row], scores: Scores) -> dict[str, Any]:
    """Tell how many harmless texts of each kind are flagged."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        kinds[row.source].append(scores[row.text][1])
    return {
        "texts": len(rows),
        "flagged": _share([scores[row.text][1] for row in rows]),
        "kinds": {kind: {"texts": len(flags), "flagged": sum(flags)} for kind, flags in sorted(kinds.items())},
    }


def obfuscations(hidden: dict[str, list[str]], scores: Scores) -> dict[str, Any]:
    """Tell how many hidden attacks are found, by the way they are hidden."""
    kinds = {kind: _share([scores[text][1] for text in texts]) for kind, texts in hidden.items()}
    flags = [scores[text][1] for texts in hidden.values() for text in texts]
    return {"texts": len(flags), "found": _share(flags), "kinds": kinds}


def speed(paragraphs: Sequence[str]) -> dict[str, Any]:
    """Time stage 1 per kilobyte and its growth up to five megabytes."""
    detector = InjectionDetector()
    prose = "\n\n".join(paragraphs)
    prose = (prose * (5_000_000 // len(prose) + 1))[:5_000_000]
    sizes = (1_024, 10_240, 102_400, 1_000_000, 5_000_000)
    detector.scan(prose[-200_000:])  # lists and caches are loaded once in a process
    times = []
    for size in sizes:
        turns = []
        for turn in range(25 if size < 500_000 else 1):
            first = turn * size % 4_000_000 if size < 500_000 else 0
            text = prose[first : first + size]
            start = time.process_time()
            detector.scan(text)
            turns.append(time.process_time() - start)
        times.append(statistics.median(turns))
    return {
        "processor_ms_per_kb": {str(size): round(1e3 * spent / (size / 1_024), 3) for size, spent in
                                zip(sizes, times, strict=True)},
        "seconds_for_5_mb": round(times[-1], 2),
        "growth_exponent": round(power_exponent(sizes[2:], times[2:]), 2),
    }  # fmt: skip


def _count(rows: Sequence[data.Row], source: str) -> dict[str, int]:
    labels = [row.label for row in rows if row.source == source]
    return {"attacks": sum(labels), "harmless": len(labels) - sum(labels)}


def _share(flags: Sequence[bool]) -> float:
    return round(sum(flags) / len(flags), 4) if flags else 0.0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


if __name__ == "__main__":
    main()
