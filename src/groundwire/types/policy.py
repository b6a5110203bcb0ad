"""Thresholds and switches that every part reads."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from groundwire.errors import PolicyError
from groundwire.ledger import hash_json

_VERDICTS = ("supported", "contradicted", "fabricated", "unverifiable")


@dataclass(frozen=True, slots=True)
class Policy:
    """Thresholds and switches in one place; equal policies share one `hash`."""

    nli_threshold: float = 0.65
    support_threshold: float = 0.35
    min_confidence: float = 0.4
    block_confidence: float = 0.6
    fail_on: tuple[str, ...] = ("contradicted", "fabricated")
    approve_on: str = "ladder"
    grounded_threshold: float = 0.5
    candidates: int = 8
    window_tokens: int = 128
    near_tokens: int = 56
    max_response_chars: int = 200_000
    max_source_chars: int = 5_000_000
    approximate_within: float = 0.05
    approximate_beyond: float = 0.10
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (
            "nli_threshold",
            "support_threshold",
            "min_confidence",
            "block_confidence",
            "grounded_threshold",
            "approximate_within",
            "approximate_beyond",
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise PolicyError(
                    f"{name} is {value!r}.", why="it must be a number from 0 to 1", fix=f"set {name} within 0..1"
                )
        _refuse_crossing(self, "support_threshold", "nli_threshold")
        _refuse_crossing(self, "approximate_within", "approximate_beyond")
        for name, low, high in (
            ("candidates", 1, 1_000),
            ("window_tokens", 16, 384),
            ("near_tokens", 0, 384),
            ("max_response_chars", 1, 10_000_000),
            ("max_source_chars", 1, 1_000_000_000),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise PolicyError(
                    f"{name} is {value!r}.", why="it must be a whole number", fix=f"set {name} from {low} to {high}"
                )
        if self.approve_on not in ("ladder", "probability"):
            raise PolicyError(f"approve_on is {self.approve_on!r}.", fix="use 'ladder' or 'probability'")
        given: Any = self.fail_on
        if isinstance(given, str):
            raise PolicyError("fail_on is a single string.", fix=f"give a list out of {', '.join(_VERDICTS)}")
        object.__setattr__(self, "fail_on", tuple(given))
        unknown = [name for name in self.fail_on if name not in _VERDICTS]
        if unknown:
            raise PolicyError(f"fail_on names {unknown[0]!r}.", fix=f"choose from {', '.join(_VERDICTS)}")
        object.__setattr__(self, "aliases", _frozen_aliases(self.aliases))

    @property
    def hash(self) -> str:
        """Hash all fields, so that a result can name the policy it was made under."""
        return hash_json(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON types."""
        plain = asdict(self)
        plain["fail_on"] = list(self.fail_on)
        plain["aliases"] = {name: list(others) for name, others in sorted(self.aliases.items())}
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build a policy from a mapping and refuse fields it does not know."""
        refuse_unknown_fields(values, [item.name for item in fields(cls)])
        return cls(**values)

    @classmethod
    def from_yaml(cls, path: str | Path) -> Self:
        """Load a policy from a YAML file."""
        return cls.from_dict(read_policy_file(path))


def refuse_unknown_fields(values: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse a field that no policy of this kind has."""
    unknown = [str(name) for name in values if name not in known]
    if unknown:
        raise PolicyError(f"The policy has an unknown field {unknown[0]!r}.", fix=f"known fields: {', '.join(known)}")


def read_policy_file(path: str | Path) -> dict[str, Any]:
    """Read the fields of a policy from a YAML file."""
    import yaml  # loaded here: most users never read a policy file

    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise PolicyError(
            f"The policy file {str(path)!r} cannot be read.", why=error.strerror or str(error), fix="check the path"
        ) from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise PolicyError(f"The policy file {str(path)!r} is not valid YAML.", why=why, fix="correct it") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise PolicyError(f"The policy file {str(path)!r} holds no mapping.", fix="write one 'field: value' per line")
    return values


def _refuse_crossing(policy: Policy, low: str, high: str) -> None:
    if getattr(policy, low) > getattr(policy, high):
        raise PolicyError(
            f"{low} {getattr(policy, low)} is above {high} {getattr(policy, high)}.",
            fix=f"keep {low} at or below {high}",
        )


def _frozen_aliases(aliases: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(aliases, Mapping):
        raise PolicyError("aliases is not a mapping.", fix="write the name and a list of its other names")
    frozen: dict[str, tuple[str, ...]] = {}
    for name, others in aliases.items():
        names = (others,) if isinstance(others, str) else tuple(others) if isinstance(others, list | tuple) else None
        if (
            not isinstance(name, str)
            or names is None
            or not all(isinstance(other, str) and other.strip() for other in names)
        ):
            raise PolicyError(f"The alias entry {name!r} cannot be used.", fix="map one name to a list of other names")
        frozen[name] = names
    return frozen
