"""Read the policy of a hook, and say line and column of a mistake."""

import os
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from groundwire.errors import PolicyError
from groundwire.hooks.schema import KINDS, Path, find_mistake, schema_of
from groundwire.ledger import hash_json

MAX_BYTES = 1_000_000
_MAX_DEPTH = 30

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class HookPolicy:
    """A policy that fits its schema; `places` knows the line and column of every part."""

    kind: str
    values: Mapping[str, Any]
    name: str = ""
    places: Mapping[Path, Place] = field(default_factory=dict, compare=False, repr=False)
    keys: Mapping[Path, Place] = field(default_factory=dict, compare=False, repr=False)

    @property
    def hash(self) -> str:
        """Hash the values, so that an event can name the policy it was made under."""
        return hash_json(self.values)

    def fault(self, path: Path, what: str, fix: str, *, on_key: bool = False) -> PolicyError:
        """Return the error for a mistake at a place of this policy."""
        where = ".".join(str(part) for part in path) or "the policy"
        found = (self.keys if on_key else self.places).get(path) or self.places.get(path)
        place = f" at line {found[0]}, column {found[1]}" if found else ""
        named = " ".join(filter(None, ("The", self.kind, "policy", repr(self.name) if self.name else "")))
        return PolicyError(f"{named} has a mistake{place}: {where} {what}.", fix=fix)


def load_policy(source: "HookPolicy | Mapping[str, Any] | str | FilePath", kind: str | None = None) -> HookPolicy:
    """Read a policy from a YAML file or a mapping and check it against its schema."""
    if isinstance(source, HookPolicy):
        policy = source
    elif isinstance(source, Mapping):
        # A copy: rules must not change under a guard because their giver still holds them.
        policy = HookPolicy(str(source.get("kind", "")), deepcopy(dict(source)))
    else:
        policy = read_policy(source)
    if policy.kind not in KINDS:
        raise policy.fault(("kind",), f"is {policy.values.get('kind')!r}", f"choose from {', '.join(KINDS)}")
    if kind is not None and policy.kind != kind:
        raise policy.fault(("kind",), f"is {policy.kind!r}, but a {kind} policy is needed", f"write 'kind: {kind}'")
    schema = schema_of(policy.kind)
    mistake = find_mistake(policy.values, schema, schema)
    if mistake:
        raise policy.fault(mistake.path, mistake.what, mistake.fix, on_key=mistake.on_key)
    return policy


def read_policy(path: str | FilePath) -> HookPolicy:
    """Read a YAML file with the place of every part; its schema is not looked at."""
    return _from_yaml(_read(path), str(path))


def _read(path: str | FilePath) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise PolicyError(
                f"The policy file {os.fspath(path)!r} is larger than {MAX_BYTES:,} bytes.", fix="split it"
            )
        return data.decode("utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise PolicyError(
            f"The policy file {os.fspath(path)!r} cannot be read.", why=why, fix="check the path"
        ) from error
    except UnicodeDecodeError as error:
        why = f"byte {error.start} does not fit"
        raise PolicyError(
            f"The policy file {os.fspath(path)!r} is not UTF-8.", why=why, fix="save it as UTF-8"
        ) from error


def _from_yaml(text: str, name: str) -> HookPolicy:
    import yaml  # loaded here: most users never read a policy file

    bare = HookPolicy("", {}, name)
    places: dict[Path, Place] = {}
    keys: dict[Path, Place] = {}
    try:
        # An alias could make a small file explode, and a policy needs none.
        for token in yaml.scan(text):
            if isinstance(token, yaml.AliasToken | yaml.AnchorToken):
                raise _at(bare, token.start_mark, "uses a YAML anchor or alias", "write the value out")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        loader = yaml.SafeLoader("")
        values = _value(bare, loader, node, (), places, keys)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _at(bare, mark, f"is not valid YAML ({error.problem})", "correct it") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, PolicyError):
            raise
        why = " ".join(str(error).split())[:200]
        raise PolicyError(f"The policy {name!r} is not valid YAML.", why=why, fix="correct it") from error
    if not isinstance(values, dict):
        raise PolicyError(f"The policy {name!r} holds no mapping.", fix="write one 'field: value' per line")
    return HookPolicy(str(values.get("kind", "")), values, name, places, keys)


def _value(
    policy: HookPolicy, loader: Any, node: Any, path: Path, places: dict[Path, Place], keys: dict[Path, Place]
) -> Any:
    import yaml

    if node is None:
        return None
    if len(path) > _MAX_DEPTH:
        raise _at(policy, node.start_mark, "is nested too deeply", f"use at most {_MAX_DEPTH} levels")
    places[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode):
        found: dict[Any, Any] = {}
        for key, item in node.value:
            name = loader.construct_object(key) if isinstance(key, yaml.ScalarNode) else None
            if not isinstance(name, str | int):
                raise _at(policy, key.start_mark, "has a name that is no text", "use plain names")
            if name in found:
                raise _at(policy, key.start_mark, f"names {name!r} twice", "keep one of them")
            inner = (*path, name)
            keys[inner] = (key.start_mark.line + 1, key.start_mark.column + 1)
            found[name] = _value(policy, loader, item, inner, places, keys)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(policy, loader, item, (*path, n), places, keys) for n, item in enumerate(node.value)]
    value = loader.construct_object(node)
    # A date in YAML is a date in Python, which no field wants.
    return value if isinstance(value, str | int | float | bool | None) else node.value


def _at(policy: HookPolicy, mark: Any, what: str, fix: str) -> PolicyError:
    place: dict[Path, Place] = {(): (mark.line + 1, mark.column + 1)} if mark else {}
    return HookPolicy("", {}, policy.name, place).fault((), what, fix)
