"""The visible text of an HTML page."""

import re
from html.parser import HTMLParser

from groundwire.text.lexicon import load_map

_SPACE = re.compile(r"\s+")


def html_to_text(page: str) -> str:
    """Return what a reader of the page would see, a line for every block, cells divided by bars."""
    parser = _Reader()
    parser.feed(page)
    parser.close()
    lines = (_SPACE.sub(" ", line).strip(" |") for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._tags = load_map("html_tags")
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kind = self._tags.get(tag)
        if kind == "hidden":
            self._hidden.append(tag)
        elif kind == "block":
            self.parts.append("\n")
        elif kind == "cell":
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        kind = self._tags.get(tag)
        if self._hidden and tag == self._hidden[-1]:
            self._hidden.pop()
        elif kind == "block":
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            # Line breaks of the file are spaces to a reader.
            self.parts.append(_SPACE.sub(" ", data))
