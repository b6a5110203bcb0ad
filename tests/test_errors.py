import inspect
import re

import pytest

from groundwire import errors
from groundwire.errors import GroundwireError, InputError, MissingExtraError


def all_errors() -> list[type[GroundwireError]]:
    return [item for _, item in inspect.getmembers(errors, inspect.isclass) if issubclass(item, GroundwireError)]


def test_every_error_stands_under_one_root_and_is_drawn_in_the_tree() -> None:
    drawn = set(re.findall(r"\b[A-Z]\w+Error\b", errors.__doc__ or ""))
    assert {item.__name__ for item in all_errors()} <= drawn


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("InputError", ValueError),
        ("PolicyError", ValueError),
        ("InputTypeError", TypeError),
        ("MissingExtraError", ImportError),
    ],
)
def test_errors_are_caught_as_the_builtin_a_caller_expects(name: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(errors, name), builtin)


def test_an_error_says_what_why_and_what_to_do() -> None:
    error = InputError("It broke.", why="it is old", fix="buy a new one", retry=True)
    assert str(error) == "It broke. Cause: it is old. Do this: buy a new one."
    assert (error.what, error.why, error.fix, error.retry) == ("It broke.", "it is old", "buy a new one", True)
    assert str(InputError("It broke.")) == "It broke."
    assert InputError("It broke.").retry is False


def test_a_missing_extra_prints_the_pip_command() -> None:
    error = MissingExtraError("The HTTP service", "server")
    assert error.extra == "server"
    assert "pip install 'groundwire[server]'" in str(error)
