"""Rate and concurrency of each tenant in Redis, for a service on several machines."""

import secrets
from typing import Any, Final

from groundwire.errors import InputError, MissingExtraError
from groundwire.server.limits import Allowance, Refusal, burst_of, refusal

_TIMEOUT_S: Final = 2.0
# One script, so that no other process counts in between; the clock is Redis's own, the same for all machines.
_ADMIT: Final = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local burst, per_second = tonumber(ARGV[1]), tonumber(ARGV[2])
local concurrency, lease_s, lease = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local kept = redis.call('HMGET', KEYS[1], 'tokens', 'seen')
local tokens = burst
if kept[1] then
  tokens = math.min(burst, tonumber(kept[1]) + math.max(0, now - tonumber(kept[2])) * per_second)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - lease_s)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. now, '+inf')
local held = redis.call('ZCARD', KEYS[2])
local taken = 0
if tokens >= 1 and held < concurrency then
  taken = 1
  redis.call('ZADD', KEYS[2], now, lease)
  redis.call('EXPIRE', KEYS[2], math.ceil(lease_s) + 60)
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens - taken), 'seen', tostring(now))
redis.call('EXPIRE', KEYS[1], 3600)
return {taken, tostring(tokens), held}
"""


class RedisLimits:
    """Counts in Redis; when it cannot be reached every call fails, and nobody is let in."""

    def __init__(self, url: str, *, lease_s: float, prefix: str = "groundwire") -> None:
        try:
            import redis
        except ImportError as error:
            raise MissingExtraError("Limits in Redis", "redis") from error
        try:
            self._redis: Any = redis.Redis.from_url(
                url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S, retry_on_timeout=False
            )
            self._redis.ping()
        except (ValueError, redis.RedisError) as error:
            # The address may carry a password.
            raise InputError(
                "Redis cannot be reached.", why=type(error).__name__, fix="check --redis and that it runs"
            ) from error
        self._admit = self._redis.register_script(_ADMIT)
        self._prefix, self._lease_s = prefix, lease_s

    def admit(self, tenant: str, allowance: Allowance) -> str | Refusal:
        """Take one request of a tenant in and return its lease, or say why not."""
        lease = secrets.token_hex(16)
        per_minute = allowance.requests_per_minute
        values = [burst_of(per_minute), per_minute / 60.0, allowance.concurrency, self._lease_s, lease]
        # The braces keep both keys on one node of a cluster.
        keys = [f"{self._prefix}:{{{tenant}}}:bucket", f"{self._prefix}:{{{tenant}}}:leases"]
        taken, tokens, held = self._admit(keys=keys, args=values)
        if taken:
            return f"{tenant}:{lease}"
        return refusal(float(tokens), int(held), allowance) or Refusal("requests", 1)

    def release(self, lease: str) -> None:
        """Give a lease back."""
        tenant, _, name = lease.rpartition(":")
        self._redis.zrem(f"{self._prefix}:{{{tenant}}}:leases", name)

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()
