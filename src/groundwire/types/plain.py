"""Read result types back from the JSON that their dictionaries become."""

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from groundwire.errors import InputError
from groundwire.types.verification import VerificationResult

T = TypeVar("T")
_COUNTS = ("supported", "contradicted", "fabricated", "unverifiable")


def result_from_dict(values: Mapping[str, Any]) -> VerificationResult:
    """Read a verification back from what its `to_dict` gave."""
    renamed = {f"{name}_count" if name in _COUNTS else name: value for name, value in values.items()}
    return from_plain(VerificationResult, renamed)


def from_plain(kind: type[T], values: Any) -> T:
    """Build a dataclass from plain values; keys that a newer version may have added are passed over."""
    if not isinstance(values, Mapping):
        raise InputError(f"There is no {kind.__name__} here.", fix="pass the dictionary that was written")
    hints = get_type_hints(kind)
    shape: Any = kind
    known = {item.name for item in fields(shape)}
    try:
        return kind(**{name: _value(hints[name], value) for name, value in values.items() if name in known})
    except TypeError as error:
        raise InputError(
            f"The values make no {kind.__name__}.", why=str(error), fix="pass the dictionary that was written"
        ) from error


def _value(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _value(next(item for item in arguments if item is not type(None)), value)
    if is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, value)
    if origin is list:
        return [_value(arguments[0], item) for item in value]
    if origin is tuple:
        inner = arguments[0] if arguments[-1] is Ellipsis else None
        return tuple(_value(inner or arguments[place], item) for place, item in enumerate(value))
    return value
