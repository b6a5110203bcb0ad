"""Is the host of this URL on the list? Read strictly: what two parsers could read differently is refused."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.types import HookFinding

MAX_URL = 8_192
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
# Browsers drop tabs and line ends, read \ as / and map many letters onto ASCII: one of two readings would be wrong.
_ODD = re.compile(r"[\x00-\x20\x7f\\<>\"^`{|}]")
_FORM = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(?:[/?#].*)?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class HostRule:
    """One entry of the list: a host, or every host below one, on one port or the scheme's own."""

    host: str
    below: bool = False
    port: int | None = None


def read_host_rule(text: str) -> HostRule | None:
    """Read an entry such as docs.example.com, *.example.org, [2001:db8::1] or api.example.com:8443."""
    below = text.startswith("*.")
    host, port = _split_port(text.removeprefix("*."))
    if port is not None and not 0 < port < 65_536:
        return None
    name = canonical_host(host)
    if name is None or (below and _is_address(name)):
        return None
    return HostRule(name, below, port)


def check_url(url: str, rules: Sequence[HostRule], schemes: Sequence[str]) -> HookFinding | None:
    """Return what is wrong with a URL, or None when its host is listed."""
    if not url or len(url) > MAX_URL or _ODD.search(url):
        return HookFinding(
            "url_malformed", "url", "It is empty, too long, or holds a character that parsers disagree on."
        )
    match = _FORM.fullmatch(url)
    if match is None or not match[2]:
        return HookFinding("url_malformed", "url", "It is not of the form scheme://host/…")
    scheme = match[1].lower()
    if scheme not in schemes:
        return HookFinding("scheme_not_allowed", "url", f"The scheme {scheme!r} is not allowed.")
    if "@" in match[2]:
        return HookFinding("url_userinfo", "url", "It carries a user name before the host.")
    host, port = _split_port(match[2])
    name = canonical_host(host)
    if name is None or (port is not None and not 0 < port < 65_536):
        return HookFinding(
            "host_malformed", "url", "The host is not in plain ASCII form; write xn-- names and dotted addresses."
        )
    own_port = _DEFAULT_PORTS.get(scheme)
    if any(_fits(name, port if port is not None else own_port, own_port, rule) for rule in rules):
        return None
    return HookFinding("host_not_allowed", "url", f"The host {name!r} is not on the list.")


def canonical_host(host: str) -> str | None:
    """Return the one spelling of a host, or None when it could be read in two ways."""
    if host.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(host[1:-1])}]" if host.endswith("]") and "%" not in host else None
        except ValueError:
            return None
    name = host.lower().removesuffix(".")
    if not name.isascii() or len(name) > 253:
        return None
    labels = name.split(".")
    if not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if _NUMERIC.fullmatch(labels[-1]):
        # A host that ends in a number is an address: 127.1, 2130706433 and 0x7f.1 are all loopback.
        try:
            return str(ipaddress.IPv4Address(name))
        except ValueError:
            return None
    return name


def _fits(name: str, port: int | None, own_port: int | None, rule: HostRule) -> bool:
    right_port = port == (own_port if rule.port is None else rule.port)
    return right_port and (name.endswith(f".{rule.host}") if rule.below else name == rule.host)


def _is_address(name: str) -> bool:
    return name.startswith("[") or _NUMERIC.fullmatch(name.rpartition(".")[2]) is not None


def _split_port(authority: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(\[[^\]]*\]|[^:]*):([0-9]{1,5})", authority)
    return (match[1], int(match[2])) if match else (authority, None)
