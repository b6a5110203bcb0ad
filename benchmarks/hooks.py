"""Measure the hooks: `python -m benchmarks.hooks` writes benchmarks/results/hooks.json and a plot for the docs."""

import gc
import json
import math
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import record
from benchmarks.hook_cases import DATA, HOOKS, cases, prepare
from groundwire.hooks import OntologyChecker

PLOT = record.ROOT / "docs" / "images" / "shacl_growth.svg"
ROUNDS = 15
LIMIT_MS = 1.0
SIZES = (10, 30, 100, 300, 1_000, 3_000)


def main() -> None:
    """Count, time, and write the result file and the plot."""
    growth = [shacl(size) for size in SIZES]
    first = json.loads((DATA / "first_run.json").read_text(encoding="utf-8"))
    figures = {
        "what": "written cases of each hook; a check is one call of check() on what was prepared before; "
        f"processor time, median of {ROUNDS} calls a case",
        "first_run": first,
        "hooks": {hook: measure(hook) for hook in HOOKS},
        "shacl_growth": growth,
        "shacl_exponent": exponent([row["triples"] for row in growth], [row["with_shapes_ms"] for row in growth]),
    }
    path = record.write("hooks", "python -m benchmarks.hooks", figures)
    PLOT.write_text(plot(growth), encoding="utf-8")
    print(path.read_text(encoding="utf-8"))


def measure(hook: str) -> dict[str, Any]:
    """Run all cases of a hook: what it says, and how long it takes."""
    rows = [(case, *timed(hook, case)) for case in cases(hook)]
    alarms = [case["id"] for case, allowed, _ in rows if case["allow"] and not allowed]
    misses = [case["id"] for case, allowed, _ in rows if not case["allow"] and allowed]
    fast = [(case, ms) for case, _, ms in rows if not uses_shapes(hook, case) and not case.get("full")]
    times = sorted(ms for _, ms in fast)
    return {
        "cases": len(rows),
        "to_pass": sum(case["allow"] for case, _, _ in rows),
        "to_catch": sum(not case["allow"] for case, _, _ in rows),
        "false_alarms": alarms,
        "misses": misses,
        "timed": len(times),
        "median_ms": round(statistics.median(times), 4),
        "p95_ms": round(times[int(0.95 * (len(times) - 1))], 4),
        "slowest_ms": round(times[-1], 4),
        "slower_than_1_ms": {case["id"]: round(ms, 3) for case, ms in fast if ms >= LIMIT_MS},
    }


def uses_shapes(hook: str, case: Mapping[str, Any]) -> bool:
    """Tell whether a case goes through SHACL: its time is told apart."""
    properties = (" works for ", "capital", "located in", "part of", "age", "population")
    return hook == "ontology" and ("triples" in case or any(word in case["text"] for word in properties))


def timed(hook: str, case: Mapping[str, Any]) -> tuple[bool, float]:
    """Return whether a case is allowed, and the median time of its check."""
    check = prepare(hook, case)
    allowed = check().allowed
    durations = []
    gc.disable()  # a collection of everything the cases left behind is not the check's
    for _ in range(ROUNDS):
        started = time.process_time_ns()
        check()
        durations.append((time.process_time_ns() - started) / 1e6)
    gc.enable()
    return allowed, statistics.median(durations)


def shacl(size: int) -> dict[str, Any]:
    """Time one statement against an ontology of this many classes, each with a shape of its own."""
    head = (
        "@prefix ex: <https://example.org/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix sh: <http://www.w3.org/ns/shacl#> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        'ex:p a owl:DatatypeProperty ; rdfs:label "p" ; rdfs:range xsd:integer .\n'
    )
    classes = "".join(
        f"ex:C{n} a owl:Class ; rdfs:subClassOf ex:C{n // 2} .\n"
        f"ex:S{n} a sh:NodeShape ; sh:targetClass ex:C{n} ; sh:property [ sh:path ex:p ; sh:maxCount 1 ] .\n"
        for n in range(1, size + 1)
    )
    checker = OntologyChecker(turtle=head + classes)
    shaped: list[list[Any]] = [["ex:a", "a", f"ex:C{size}"], ["ex:a", "ex:p", 1]]
    return {
        "classes": size,
        "triples": len(checker.graph),
        "with_shapes_ms": round(_median(lambda: checker.check(shaped), 7), 3),
        "without_shapes_ms": round(_median(lambda: checker.check("A is a c1."), 15), 4),
    }


def _median(call: Any, rounds: int) -> float:
    call()
    durations = []
    for _ in range(rounds):
        started = time.process_time_ns()
        call()
        durations.append((time.process_time_ns() - started) / 1e6)
    return statistics.median(durations)


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Fit the exponent of growth by least squares on logarithms."""
    x, y = [math.log(value) for value in sizes], [math.log(value) for value in times]
    slope, _ = statistics.linear_regression(x, y)
    return round(slope, 3)


def plot(rows: Sequence[Mapping[str, Any]]) -> str:
    """Draw time over triples, both on logarithmic axes, as SVG."""
    left, top, width, height = 60, 20, 520, 260
    low_x, high_x = math.log10(rows[0]["triples"]), math.log10(rows[-1]["triples"])
    values = [row[name] for row in rows for name in ("with_shapes_ms", "without_shapes_ms")]
    low_y, high_y = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def place(triples: float, ms: float) -> tuple[float, float]:
        x = left + width * (math.log10(triples) - low_x) / (high_x - low_x)
        return round(x, 1), round(top + height * (high_y - math.log10(ms)) / (high_y - low_y), 1)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 340" font-family="sans-serif" font-size="12">',
        "<title>Time of one ontology check over the size of the ontology</title>",
        '<rect width="640" height="340" fill="#fff"/>',
    ]
    for power in range(low_y, high_y + 1):
        y = place(rows[0]["triples"], 10.0**power)[1]
        parts.append(f'<line x1="{left}" y1="{y}" x2="{left + width}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{10.0**power:g} ms</text>')
    for row in rows:
        x = place(row["triples"], 1)[0]
        parts.append(f'<text x="{x}" y="{top + height + 18}" text-anchor="middle">{row["triples"]:,}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{top + height + 40}" text-anchor="middle">triples</text>')
    for name, colour, label in (
        ("with_shapes_ms", "#b3261e", "with SHACL shapes"),
        ("without_shapes_ms", "#0b57d0", "classes and disjointness alone"),
    ):
        points = [place(row["triples"], row[name]) for row in rows]
        line = " ".join(f"{x},{y}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in points]
        x, y = points[2]
        parts.append(f'<text x="{x}" y="{y + 24:g}" fill="{colour}">{label}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
