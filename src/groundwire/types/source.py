"""The source a response is checked against."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One text that a response may rest on."""

    id: str
    text: str
    title: str = ""
    url: str = ""
