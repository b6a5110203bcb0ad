"""Counters and times in the text form that Prometheus reads; no tenant, key or text is ever a label."""

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Final

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What the service counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: dict[tuple[str, str, int], int] = defaultdict(int)
        self._times: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = defaultdict(float)
        self._decisions: dict[tuple[str, str], int] = defaultdict(int)
        self._gauges: dict[str, tuple[str, Callable[[], float]]] = {}

    def gauge(self, name: str, meaning: str, value: Callable[[], float]) -> None:
        """Show a value that is read when it is asked for."""
        self._gauges[name] = (meaning, value)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        with self._lock:
            self._requests[method, route, status] += 1
            counts = self._times.setdefault(route, [0] * (len(_BUCKETS) + 1))
            place = next((place for place, limit in enumerate(_BUCKETS) if seconds <= limit), len(_BUCKETS))
            counts[place] += 1
            self._seconds[route] += seconds

    def decision(self, route: str, approved: bool) -> None:
        """Count one decision."""
        with self._lock:
            self._decisions[route, "approved" if approved else "refused"] += 1

    def text(self) -> str:
        """Write everything down."""
        lines: list[str] = []
        with self._lock:
            _head(lines, "groundwire_requests_total", "counter", "Requests answered.")
            for (method, route, status), count in sorted(self._requests.items()):
                labels = f'method="{method}",route="{route}",status="{status}"'
                lines.append(f"groundwire_requests_total{{{labels}}} {count}")
            _head(lines, "groundwire_request_seconds", "histogram", "Time from the request to its answer.")
            for route, counts in sorted(self._times.items()):
                total = 0
                for limit, count in zip([*map(str, _BUCKETS), "+Inf"], counts, strict=True):
                    total += count
                    lines.append(f'groundwire_request_seconds_bucket{{route="{route}",le="{limit}"}} {total}')
                lines.append(f'groundwire_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
                lines.append(f'groundwire_request_seconds_count{{route="{route}"}} {total}')
            _head(lines, "groundwire_decisions_total", "counter", "Decisions recorded.")
            for (route, outcome), count in sorted(self._decisions.items()):
                lines.append(f'groundwire_decisions_total{{route="{route}",outcome="{outcome}"}} {count}')
        for name, (meaning, value) in sorted(self._gauges.items()):
            _head(lines, name, "gauge", meaning)
            lines.append(f"{name} {value():g}")
        return "\n".join(lines) + "\n"


def _head(lines: list[str], name: str, kind: str, meaning: str) -> None:
    lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
