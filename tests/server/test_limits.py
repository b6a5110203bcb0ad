"""Rate and concurrency: shared between processes, deaf to a clock that jumps, closed when broken."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from groundwire.server.limits import Allowance, Refusal, SQLiteLimits, burst_of, refill
from tests.server.running import Running
from tests.server.test_routes import EXAMPLES, problem


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_tenant_gets_its_rate_and_no_more(folder: Path) -> None:
    clock = Clock()
    limits, other = (SQLiteLimits(folder, lease_s=60, clock=clock) for _ in range(2))
    allowance = Allowance(60, 1_000)
    taken = 0
    for number in range(1_200):
        clock.now = 1_000 + number * 0.1
        taken += isinstance((limits, other)[number % 2].admit("acme", allowance), str)
    assert 120 <= taken <= 120 + burst_of(60)
    assert isinstance(limits.admit("other", allowance), str)
    limits.close()
    other.close()


def test_a_tenant_gets_its_concurrency_and_no_more(folder: Path) -> None:
    clock = Clock()
    limits, other = (SQLiteLimits(folder, lease_s=60, clock=clock) for _ in range(2))
    allowance = Allowance(100_000, 2)
    first, second = limits.admit("acme", allowance), other.admit("acme", allowance)
    assert isinstance(first, str)
    assert isinstance(second, str)
    refused = limits.admit("acme", allowance)
    assert refused == Refusal("2 requests at a time", 1)
    other.release(first)
    assert isinstance(limits.admit("acme", allowance), str)
    clock.now += 61  # the process that held the leases was killed
    assert isinstance(limits.admit("acme", allowance), str)
    limits.close()
    other.close()


def test_a_clock_that_jumps_back_gives_nothing_away_and_locks_nobody_out(folder: Path) -> None:
    clock = Clock()
    limits = SQLiteLimits(folder, lease_s=60, clock=clock)
    allowance = Allowance(6, 1)
    assert isinstance(limits.admit("acme", allowance), str)
    clock.now -= 900
    assert isinstance(limits.admit("acme", allowance), Refusal)
    clock.now += 11
    assert isinstance(limits.admit("acme", allowance), str)
    limits.close()


@given(st.floats(0, 1_000), st.floats(0, 1e9), st.floats(0, 1e9), st.integers(1, 1_000_000))
def test_a_bucket_never_overflows_nor_shrinks(tokens: float, seen: float, now: float, rate: int) -> None:
    tokens = min(tokens, burst_of(rate))
    assert tokens <= refill((tokens, seen), now, rate) <= burst_of(rate)


def test_a_tenant_over_its_rate_is_told_when_to_come_back(keyed: Running) -> None:
    key = keyed.key("slow", requests_per_minute=6)
    assert keyed.post("/v1/verify", EXAMPLES["verify"], key).status_code == 200
    answer = keyed.post("/v1/verify", EXAMPLES["verify"], key)
    problem(answer, 429, "limit-reached")
    assert 1 <= int(answer.headers["retry-after"]) <= 10
