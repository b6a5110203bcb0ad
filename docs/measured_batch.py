"""Put the measurement of `groundwire batch` into words: for the page of figures and the page on sizing."""

from typing import Any

_HEADER = [
    "rows",
    "processes",
    "time",
    "rows a second",
    "per CPU second",
    "of the loop",
    "memory, all processes",
    "by quarters of the run",
]
# Above this share of the machine the wall clock tells more of others than of us.
_QUIET = 0.05


def sections(result: dict[str, Any]) -> list[str]:
    """Return the paragraphs and tables."""
    machine = result["machine"]
    parts = [
        f"Measured on {machine['processor']}, {machine['cores']} cores, Python {machine['python']}. The rows are those "
        "of public sets and pairs made from plain text, each with a source of its own. The loop is one process that "
        "calls `verify`. *Of the loop* compares rows per CPU second, start of the processes and assembly of the output "
        "included: the share of the processors' time that goes into checking."
    ]
    for name, words in (("without_model", "without a model"), ("with_model", "with the embedded model")):
        if name in result:
            parts += _part(result[name], words)
    if "ray" in result:
        parts.append(_ray(result["ray"]))
    if "kills" in result:
        parts.append(_kills(result["kills"]))
    return parts


def _part(found: dict[str, Any], words: str) -> list[str]:
    loop = found["in_process"]["rows_per_cpu_second"]
    rows = [
        [
            f"{run['rows']:,}",
            str(run["processes"]),
            f"{run['seconds']:,.0f} s",
            f"{run['rows_per_second']:,.0f}",
            f"{run['rows_per_cpu_second']:,.0f}",
            f"{run['rows_per_cpu_second'] / loop:.0%}",
            f"{run['peak_mb']:,.0f} MB",
            " · ".join(f"{value:,.0f}" for value in run.get("peak_mb_by_quarter", ())) or "–",
        ]
        for run in found["runs"]
    ]
    best = found["runs"][-1]
    hour = best["rows_per_cpu_second"] * 3600
    return [
        f"**{words[0].upper()}{words[1:]}** (the loop: {loop:,.0f} rows per CPU second; {_origin(found)}):",
        _table(_HEADER, rows),
        f"That is {hour:,.0f} rows per core-hour, or {1e6 / hour:,.1f} core-hours per million rows, and about "
        f"{best['peak_mb'] / (best['processes'] + 1):,.0f} MB a process.",
        _by_the_wall(found, best),
        *_flatness(best),
    ]


def _flatness(best: dict[str, Any]) -> list[str]:
    quarters = best.get("peak_mb_by_quarter")
    if quarters is None:
        return []
    more = quarters[3] / quarters[1] - 1
    return [
        f"With {best['rows']:,} rows the processes held {more:+.0%} in the last quarter of the run, compared with the "
        f"second; the process that reads and writes had at most {best['parent_peak_mb']:,.0f} MB, one that checks "
        f"{best['child_peak_mb']:,.0f} MB."
    ]


def _by_the_wall(found: dict[str, Any], best: dict[str, Any]) -> str:
    taken = _taken(found)
    cores = best["processes"]
    if taken is None or taken > _QUIET:
        why = "Other work ran" if taken is None else f"Other work took up to {taken:.0%} of the cores"
        return (
            f"{why} meanwhile, so the times are longer than on a quiet machine, and shares by the wall clock say "
            "nothing; rows per CPU second depend on it far less."
        )
    both = found["loops_at_once"]
    return (
        f"By the clock on the wall {best['rows']:,} rows ran at {found['share_of_cores']:.0%} of {cores} times the "
        f"loop, and at {found['share_of_loops_at_once']:.0%} of {both['loops']} loops at once, which is all the cores "
        f"can do together. Others took at most {taken:.0%} of the cores."
    )


def _taken(found: dict[str, Any]) -> float | None:
    """Return the largest share that others took while one of the figures was measured; None when nobody looked."""
    loop = found["in_process"]
    measured = [loop.get("before", {}), loop.get("after", {}), found.get("loops_at_once", {}), found["runs"][-1]]
    shares = [entry.get("taken_by_others") for entry in measured]
    return None if None in shares else max(share for share in shares if share is not None)


def _ray(found: dict[str, Any]) -> str:
    told = [
        f"{found[name]['rows']:,} rows {words} took {found[name]['seconds']:,.0f} s and "
        f"{found[name]['peak_mb']:,.0f} MB in all its processes; the output was "
        f"{'equal to the byte to' if found[name]['equal_to_local'] else 'NOT equal to'} that of the local engine"
        for name, words in (("without_model", "without the model"), ("with_model", "with it"))
    ]
    return f"On Ray, started for the run on the same machine ({_origin(found)}), {'. '.join(told)}."


def _kills(found: dict[str, Any]) -> str:
    kept = ", ".join(f"{rows:,}" for rows in found["rows_kept_by_kill"])
    equal = "equal to the byte to" if found["equal_bytes"] else "NOT equal to"
    return (
        f"A run over {found['rows']:,} rows was killed at random moments ({_origin(found)}), with {kept} rows kept; "
        f"resumed each time, its files were {equal} those of an undisturbed run."
    )


def _origin(found: dict[str, Any]) -> str:
    measured = found["measured"]
    return f"`{measured['command']}` at commit `{measured['commit'][:10]}`, {measured['date']}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
