"""Read a policy as its guard would, so that a mistake is found before the guard is needed."""

from collections.abc import Mapping
from typing import NamedTuple

from groundwire.errors import InputError, PolicyError
from groundwire.hooks.containment.guard import compile_policy as compile_containment
from groundwire.hooks.ontology import OntologyChecker
from groundwire.hooks.physical.guard import compile_policy as compile_physical
from groundwire.hooks.policy import HookPolicy, load_policy, read_policy
from groundwire.hooks.signing import read_issuers
from groundwire.hooks.trajectory import compile_policy as compile_trajectory
from groundwire.types import Policy


class Inspected(NamedTuple):
    """What a sound policy file is, and the hash that events and results name."""

    kind: str
    hash: str


def inspect_policy(path: str) -> Inspected:
    """Check a policy file of any kind, or say line and column of its first mistake."""
    read = read_policy(path)
    if "kind" not in read.values:
        return _verification(read)
    policy = load_policy(read)
    match policy.kind:
        case "containment":
            compile_containment(policy)
        case "physical":
            compile_physical(policy)
        case "trajectory":
            compile_trajectory(policy)
        case "ontology":
            _ontology(policy)
    if policy.values.get("issuers"):
        _issuers(policy)
    return Inspected(policy.kind, policy.hash)


def _verification(read: HookPolicy) -> Inspected:
    try:
        return Inspected("verification", Policy.from_dict(read.values).hash)
    except PolicyError as error:
        # The older errors name their field in the first words.
        field = next((name for name in read.values if str(name) in error.what), None)
        if field is None:
            raise
        raise read.fault((field,), f"is wrong: {error.what.rstrip('.')}", error.fix, on_key=True) from error


def _ontology(policy: HookPolicy) -> None:
    if not policy.values.get("shapes"):
        raise policy.fault((), "names no Turtle file", "list them under 'shapes'")
    OntologyChecker(policy)


def _issuers(policy: HookPolicy) -> None:
    issuers: Mapping[str, str] = policy.values["issuers"]
    for name, key in issuers.items():
        try:
            read_issuers({name: key})
        except InputError as error:
            raise policy.fault(("issuers", name), f"is no key ({error.why})", error.fix) from error
