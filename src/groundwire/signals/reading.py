"""What the signals read off one sentence, each thing once."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from groundwire.text.analysis import Analysis
from groundwire.text.polarity import Negation, find_negations
from groundwire.text.relations import (
    Condition,
    Marked,
    Pair,
    Relation,
    find_comparisons,
    find_conditions,
    find_modals,
    find_orders,
    find_quantifiers,
    find_relations,
)


@dataclass(frozen=True)
class Reading:
    """A sentence with its denials, relations, comparisons and limits, found on first use."""

    analysis: Analysis

    @cached_property
    def negations(self) -> list[Negation]:
        """List the denials."""
        return find_negations(self.analysis)

    @cached_property
    def relations(self) -> list[Relation]:
        """List the verbs with their two sides."""
        return find_relations(self.analysis)

    @cached_property
    def comparisons(self) -> list[Pair]:
        """List the comparisons."""
        return find_comparisons(self.analysis)

    @cached_property
    def orders(self) -> list[Pair]:
        """List the orders of events."""
        return find_orders(self.analysis)

    @cached_property
    def quantifiers(self) -> list[Marked]:
        """List the quantifiers."""
        return find_quantifiers(self.analysis)

    @cached_property
    def modals(self) -> list[Marked]:
        """List the modal words."""
        return find_modals(self.analysis)

    @cached_property
    def conditions(self) -> list[Condition]:
        """List the conditions."""
        return find_conditions(self.analysis)


@lru_cache(maxsize=2_048)
def read(analysis: Analysis) -> Reading:
    """Return the reading of a sentence; equal sentences share it, as they share their analysis."""
    return Reading(analysis)
