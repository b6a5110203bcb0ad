"""A cheap tier decides the clear pairs, a model the rest."""

import threading
from collections.abc import Sequence
from typing import NamedTuple

from groundwire.errors import InputError
from groundwire.nli.base import NLI, Entailment, checked_pairs
from groundwire.types import ModelInfo


class TierCounts(NamedTuple):
    """How many pairs each tier decided."""

    cheap: int
    model: int


class Cascade:
    """Ask the cheap scorer first; what lies strictly between the two limits goes to the model in one call."""

    def __init__(
        self, model: NLI, cheap: NLI, *, entailed_below: float = 0.05, contradicted_above: float = 0.95
    ) -> None:
        if not 0.0 <= entailed_below <= contradicted_above <= 1.0:
            raise InputError(
                f"The limits are {entailed_below!r} and {contradicted_above!r}.",
                fix="give 0 <= entailed_below <= contradicted_above <= 1",
            )
        self.model = model
        self.cheap = cheap
        self.entailed_below = entailed_below
        self.contradicted_above = contradicted_above
        self._counts = TierCounts(0, 0)
        self._lock = threading.Lock()
