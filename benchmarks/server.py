"""Measure the service on loopback: `python -m benchmarks.server` writes benchmarks/results/server.json.

The library and the service check the same texts (5 claims, 1,000 words), the service with one worker process.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.texts import make_words
from groundwire import NLIScorer, VerifiedScorer

CLAIMS, WORDS = 5, 1_000
TEXTS = [make_words(CLAIMS, WORDS, seed) for seed in range(40)]
BODIES = [json.dumps({"response": response, "source": source}).encode() for response, source in TEXTS]
HUNG_S = 30.0
CALLERS = 4


@dataclass
class Load:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter)
    accepted_s: list[float] = field(default_factory=list)
    refused_s: list[float] = field(default_factory=list)
    hung: int = 0


def main() -> None:
    """Measure every figure and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0, help="length of each phase")
    parser.add_argument("--soak", type=float, default=60.0, help="length of the soak")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service, port = _start(Path(folder) / "data", "--no-model")
        try:
            figures = asyncio.run(_measure(port, service.pid, options.seconds, options.soak))
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(60)
        service, port = _start(Path(folder) / "with-model")
        try:
            figures["with_the_model"] = asyncio.run(_throughput(port, VerifiedScorer(NLIScorer()), options.seconds))
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(60)
    arguments = f" --seconds {options.seconds:g} --soak {options.soak:g}"
    print(json.dumps(figures, indent=2))
    record.write("server", f"python -m benchmarks.server{arguments}", figures)


def _start(folder: Path, *options: str) -> "tuple[subprocess.Popen[bytes], int]":
    command = [sys.executable, "-m", "groundwire", "serve", "--port", "0", "--data", str(folder), *options]
    service = subprocess.Popen(
        [*command, "--workers", "1", "--queue", "4", "--rate", "100000000", "--concurrency", "100000"],
        stderr=subprocess.PIPE,
    )
    assert service.stderr is not None
    port = json.loads(service.stderr.readline())["port"]
    # The log goes on; somebody has to read it.
    subprocess.Popen(["cat"], stdin=service.stderr, stdout=subprocess.DEVNULL)
    return service, port


async def _measure(port: int, pid: int, seconds: float, soak: float) -> dict[str, Any]:
    measured = await _throughput(port, VerifiedScorer(), seconds)
    throughput = measured["service_per_s"]
    steady = await _open(port, 0.6 * throughput, seconds)
    overload = await _open(port, 3.0 * throughput, seconds)
    before = _memory_kb(pid)
    await _open(port, 0.6 * throughput, soak)
    after = _memory_kb(pid)
    return {
        "inputs": {"claims": CLAIMS, "words": WORDS, "workers": 1, "queue": 4, "callers": CALLERS},
        **measured,
        "at_60_percent": _summary(steady),
        "p99_over_p50_at_60_percent": round(_at(steady.accepted_s, 0.99) / _at(steady.accepted_s, 0.5), 2),
        "at_300_percent": _summary(overload),
        "soak": {
            "seconds": soak,
            "memory_before_mb": round(before / 1024, 1),
            "memory_after_mb": round(after / 1024, 1),
            "growth": round(after / before - 1, 4),
        },
        "targets": {"service_share_of_library": 0.6, "p99_over_p50_at_60_percent": 4.0, "soak_growth": 0.05},
        "load_average_at_the_end": os.getloadavg()[0],
    }


async def _throughput(port: int, scorer: VerifiedScorer, seconds: float) -> dict[str, float]:
    await _closed(port, CALLERS, 1.0)
    # The library once before and once after: other programs of the machine slow both down.
    library = [_library(scorer, seconds / 2)]
    served = await _closed(port, CALLERS, seconds)
    library.append(_library(scorer, seconds / 2))
    in_process, throughput = statistics.mean(library), served.statuses[200] / seconds
    return {
        "library_per_s": round(in_process, 1),
        "service_per_s": round(throughput, 1),
        "service_share_of_library": round(throughput / in_process, 3),
    }


def _library(scorer: VerifiedScorer, seconds: float) -> float:
    scorer.verify(*TEXTS[0])
    count, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        scorer.verify(*TEXTS[count % len(TEXTS)]).to_dict()
        count += 1
    return count / (time.perf_counter() - started)


async def _closed(port: int, callers: int, seconds: float) -> Load:
    load, until = Load(), time.perf_counter() + seconds

    async def call(number: int) -> None:
        while time.perf_counter() < until:
            await _ask(port, BODIES[number % len(BODIES)], load)
            number += 1

    await asyncio.gather(*(call(number * 7) for number in range(callers)))
    return load


async def _open(port: int, rate: float, seconds: float) -> Load:
    """Ask at a fixed rate, whether earlier answers came or not."""
    load, tasks, started = Load(), [], time.perf_counter()
    for number in range(max(1, int(rate * seconds))):
        wait = started + number / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        tasks.append(asyncio.create_task(_ask(port, BODIES[number % len(BODIES)], load)))
    await asyncio.gather(*tasks)
    return load


async def _ask(port: int, body: bytes, load: Load) -> None:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(HUNG_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(
                b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            answer = await reader.read(-1)
            writer.close()
    except TimeoutError:
        load.hung += 1
        return
    status = int(answer[9:12] or b"0")
    load.statuses[status] += 1
    (load.accepted_s if status == 200 else load.refused_s).append(time.perf_counter() - started)


def _summary(load: Load) -> dict[str, Any]:
    return {
        "statuses": {str(status): count for status, count in sorted(load.statuses.items())},
        "hung": load.hung,
        "accepted_p50_ms": round(1000 * _at(load.accepted_s, 0.5), 1),
        "accepted_p99_ms": round(1000 * _at(load.accepted_s, 0.99), 1),
        "refused_p99_ms": round(1000 * _at(load.refused_s, 0.99), 1) if load.refused_s else None,
    }


def _at(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def _memory_kb(pid: int) -> int:
    """Add up the memory of the service and its workers."""
    pids = [pid]
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        pids += [int(child) for child in path.read_text().split()]
    total = 0
    for one in pids:
        for line in Path(f"/proc/{one}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                total += int(line.split()[1])
    return total


if __name__ == "__main__":
    main()
