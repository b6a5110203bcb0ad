"""One exception tree for the whole package.

GroundwireError
├── InputError          (ValueError)   a value the caller gave cannot be used
│   └── PolicyError                    a policy field or policy file cannot be used
├── InputTypeError      (TypeError)    an argument has the wrong type
├── MissingExtraError   (ImportError)  an optional dependency is not installed
├── ModelError                         a model file or backend cannot be used
├── ServiceError                       a running service refused a request or could not be reached
├── AnswerRejectedError                an answer was refused; `result` says which claims and why
└── IntegrityError                     a recorded hash does not match its content
"""


class GroundwireError(Exception):
    """Say what happened, why, what to do, and whether a retry helps."""

    def __init__(self, what: str, *, why: str = "", fix: str = "", retry: bool = False) -> None:
        self.what = what
        self.why = why
        self.fix = fix
        self.retry = retry
        parts = [what, f"Cause: {why}" if why else "", f"Do this: {fix}" if fix else ""]
        # A command that ends in a quote is left as it is, so that it can be copied.
        super().__init__(
            " ".join(part if part.endswith((".", "!", "?", "'")) else f"{part}." for part in parts if part)
        )


class InputError(GroundwireError, ValueError):
    """A value the caller gave cannot be used."""


class PolicyError(InputError):
    """A policy field or policy file cannot be used."""


class InputTypeError(GroundwireError, TypeError):
    """An argument has the wrong type."""


class MissingExtraError(GroundwireError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{feature} needs the optional extra '{extra}'.",
            fix=f"pip install 'groundwire[{extra}]'",
        )


class ModelError(GroundwireError):
    """A model file or backend cannot be used."""


class ServiceError(GroundwireError):
    """A running service refused a request or could not be reached; `status` is what it answered."""

    def __init__(
        self, what: str, *, why: str = "", fix: str = "", retry: bool = False, status: int | None = None
    ) -> None:
        super().__init__(what, why=why, fix=fix, retry=retry)
        self.status = status


class AnswerRejectedError(GroundwireError):
    """An answer was refused; `result` says which claims and why."""

    def __init__(self, what: str, result: object = None, *, fix: str = "") -> None:
        super().__init__(what, fix=fix, retry=True)
        self.result = result


class IntegrityError(GroundwireError):
    """A recorded hash does not match its content."""
