"""A claim as the signals see it."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from groundwire.evidence.index import plain_digits
from groundwire.text.analysis import Analysis, analyse
from groundwire.text.claims import Claim
from groundwire.text.entities import Name, find_names
from groundwire.text.meaning import against, alike
from groundwire.text.tokens import content_stems, stem

_DIGITS = re.compile(r"\d[\d.,'’]*\d|\d")


@dataclass(frozen=True)
class ClaimView:
    """One claim with its analysis, names and what its surroundings add."""

    claim: Claim
    known: frozenset[str]  # words seen capitalised inside sentences

    @cached_property
    def analysis(self) -> Analysis:
        """Take the claim apart."""
        return analyse(self.claim.text)

    @cached_property
    def memo(self) -> dict[int, Any]:
        """Keep what was compared with each sentence while this claim is measured."""
        return {}

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """List the content stems, each once, in order."""
        return tuple(dict.fromkeys(self.analysis.words[place].stem for place in self.analysis.content))

    @cached_property
    def reach(self) -> list[frozenset[str]]:
        """List for each stem all stems by which a sentence may speak of it: its like and its opposites."""
        return [alike(key) | against(key) for key in self.stems]

    @cached_property
    def digits(self) -> frozenset[str]:
        """Collect the written numbers as bare digit strings; spelled ones too."""
        found: set[str] = set()
        for quantity in self.analysis.quantities:
            written = [plain_digits(number) for number in _DIGITS.findall(quantity.text)]
            found.update(written or ([f"{quantity.raw:g}"] if quantity.raw is not None else ()))
        return frozenset(found)

    @cached_property
    def lead(self) -> frozenset[str]:
        """Collect the stems of the subject or question the claim leans on."""
        return frozenset(content_stems(self.claim.lead)) if self.claim.lead else frozenset()

    @cached_property
    def name_stems(self) -> frozenset[str]:
        """Collect the stems that belong to names."""
        return frozenset(stem(part) for name in self.names for part in name.key)

    @cached_property
    def names(self) -> list[Name]:
        """List the names in the claim."""
        return find_names(self.analysis, self.known)
