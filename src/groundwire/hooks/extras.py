"""The door to the optional libraries of the hooks."""

from importlib import import_module
from typing import Any

from groundwire.errors import MissingExtraError


def load(module: str, feature: str) -> Any:
    """Import an optional library, or name the extra that brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(feature, "hooks") from error
