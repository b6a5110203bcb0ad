"""The terms under which a text is filed and sought."""

from collections import Counter

from groundwire.evidence.index import list_numbers
from groundwire.text.tokens import content_stems


def terms_of(text: str) -> list[str]:
    """List the stems of the content words, and the numbers under a mark of their own."""
    return [*content_stems(text), *("#" + number for number in list_numbers(text))]


def term_counts(text: str) -> Counter[str]:
    """Count the terms of a text."""
    return Counter(terms_of(text))
