"""Cut a growing text into the claims of the whole one, each as soon as no further text can change it."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groundwire.text.claims import FENCE, Claim, claims_of
from groundwire.text.sentences import (
    END,
    HEADING,
    THAI_GAP,
    Unit,
    comma_count,
    cut_line,
    ends_sentence,
    first_border,
    first_cell_comma,
    marker_end,
    trimmed,
)

_BREAK = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_TRIGGER = re.compile(r"[.!?…。！？｡؟۔।॥።։\u0e00-\u0e7f\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Characters that can stand in a run of end marks: while the run grows nothing is decided.
_RUN = ".!?…؟۔।॥።։\"'”’»›)]*_"
_LOOK_BACK = 64  # more than the splitter ever looks back from a mark


class Settled(NamedTuple):
    """A stretch of text that ends at `end`, with the claims it makes."""

    end: int
    claims: list[Claim]


class _Line(NamedTuple):
    """A whole line that the next one may turn into the row of a table."""

    text: str
    offset: int
    number: int
    in_code: bool
    commas: int


class ClaimFeed:
    """Take text piece by piece and give back the claims of `split_claims`, however the text is cut.

    `length` counts the characters taken; nothing before `safe` can lie behind an end that is still open.
    """

    def __init__(self, atomic: bool = False, question: str | None = None) -> None:
        self.length = 0
        self.safe = 0
        self._atomic = atomic
        self._question = question
        self._number = 0  # of the current line, empty ones not counted
        self._in_fence = False
        self._previous_commas = 0
        self._waiting: _Line | None = None
        self._start_line(0)

    def _start_line(self, offset: int) -> None:
        self._tail = ""  # text of the line from a little before the open unit
        self._tail_at = offset
        self._parts: list[str] = []  # text behind the tail that decided nothing yet
        self._released: list[str] = []  # text of the line before the tail
        self._cut = 0  # all places below are places in the tail
        self._begin = 0
        self._scanned = 0
        self._is_prose = False  # a sentence of this line was let go
        self._to_line_end = False  # a heading, or perhaps a row: no unit ends before the line does
        self._may_be_row = False
        self._watch = False  # the next text may decide something
        self._blank = False  # an end is open because nothing visible follows yet

    def feed(self, text: str) -> list[Settled]:
        """Take the next piece of text and return what it settles."""
        base = self.length
        self.length += len(text)
        if not self._is_worth_reading(text):
            self._parts.append(text)
            if not self._watch and not self._may_be_row and self._waiting is None:
                self.safe = self.length
            return []
        settled: list[Settled] = []
        start = 0
        for gap in _BREAK.finditer(text):
            self._parts.append(text[start : gap.start()])
            settled.extend(self._finish_line())
            start = gap.end()
            self._start_line(base + start)
        self._parts.append(text[start:])
        settled.extend(self._read_open_line())
        return settled

    def close(self) -> list[Settled]:
        """End the text and return the rest."""
        settled = [*self._finish_line(), *self._release_waiting(0)]
        self._start_line(self.length)
        self.safe = self.length
        return settled

    def _is_worth_reading(self, text: str) -> bool:
        if self._to_line_end or self._waiting is not None:
            return _BREAK.search(text) is not None
        if not self._watch:
            return _TRIGGER.search(text) is not None
        # Long runs of marks or blanks are hostile: reading them anew each time would cost their square.
        if self._blank:
            return not text.isspace() or _BREAK.search(text) is not None
        return bool(text.strip(_RUN)) if self._tail[-1:] in _RUN else True

    def _join(self) -> None:
        self._tail += "".join(self._parts)
        self._parts.clear()

    def _read_open_line(self) -> Iterator[Settled]:
        self._watch = self._blank = False
        if self._waiting is not None or self._to_line_end:
            if self._waiting is None and not self._may_be_row:
                self.safe = self.length
            return
        self._join()
        tail = self._tail
        self.safe = self.length
        if not self._is_prose:
            if HEADING.match(tail):
                self._to_line_end = True
                return
            self._begin = self._cut = marker_end(tail)
        for match in _ends(tail, max(self._scanned, self._begin)):
            is_end = match.re is THAI_GAP or ends_sentence(tail, self._begin, match, is_open=True)
            if is_end is None:
                self._watch = True
                self._blank = match.end() < len(tail) and tail[match.end() :].isspace()
                self.safe = self._tail_at + match.end()
                self._scanned = match.start()
                break
            self._scanned = match.end()
            if not is_end:
                continue
            if not self._is_prose and self._divided_before(match.end()):
                self._to_line_end = self._may_be_row = True
                self.safe = self._tail_at + match.end()
                return
            self._is_prose = True
            yield self._release(match.end())
        else:
            # Only the run of marks at the very end may still become an end, or a blank that divides Thai.
            run = len(tail.rstrip(_RUN))
            self._scanned = max(self._scanned, min(run, len(tail.rstrip())))
            self._watch = run < len(tail)
        self._forget()

    def _divided_before(self, cut: int) -> bool:
        return 0 <= first_border(self._tail) < cut or 0 <= first_cell_comma(self._tail) < cut

    def _release(self, cut: int) -> Settled:
        unit = trimmed(self._tail, self._tail_at, self._cut, cut, self._number, False, False)
        self._cut = cut
        return self._settled(self._tail_at + cut, unit, self._line_in_code(self._line_head()))

    def _line_head(self) -> str:
        return self._released[0] if self._released else self._tail

    def _line_in_code(self, head: str) -> bool:
        return self._in_fence or FENCE.match(head) is not None

    def _forget(self) -> None:
        """Drop the text of the line that no decision needs any more."""
        spare = self._cut - _LOOK_BACK
        if not self._is_prose or spare <= 0:
            return
        self._released.append(self._tail[:spare])
        self._tail = self._tail[spare:]
        self._tail_at += spare
        self._cut -= spare
        self._scanned -= spare
        self._begin = max(0, self._begin - spare)

    def _finish_line(self) -> Iterator[Settled]:
        self._join()
        line = "".join([*self._released, self._tail])
        if not line:
            return
        commas = comma_count(line) if "," in line else 0
        yield from self._release_waiting(commas)
        in_code = self._line_in_code(line)
        if self._is_prose:
            yield from self._finish_prose()
        else:
            yield from self._finish_whole(_Line(line, self._tail_at, self._number, in_code, commas))
        if FENCE.match(line):
            self._in_fence = not self._in_fence
        self._previous_commas = commas
        self._number += 1

    def _finish_prose(self) -> Iterator[Settled]:
        for match in _ends(self._tail, max(self._scanned, self._begin)):
            if match.re is THAI_GAP or ends_sentence(self._tail, self._begin, match):
                yield self._release(match.end())
        yield self._release(len(self._tail))

    def _finish_whole(self, line: _Line) -> Iterator[Settled]:
        known = line.commas < 2 or line.commas == self._previous_commas
        as_row = self._cut_whole(line, comma_row=line.commas >= 2)
        as_prose = self._cut_whole(line, comma_row=False)
        if known or as_row == as_prose:
            yield from as_row if known else as_prose
            return
        self._waiting = line
        self.safe = min(as_row[0].end, as_prose[0].end)

    def _release_waiting(self, commas: int) -> Iterator[Settled]:
        line, self._waiting = self._waiting, None
        if line is not None:
            yield from self._cut_whole(line, comma_row=line.commas == commas)

    def _cut_whole(self, line: _Line, *, comma_row: bool) -> list[Settled]:
        pieces = cut_line(line.text, line.offset, line.number, comma_row=comma_row)
        return [self._settled(end, unit, line.in_code) for end, unit in pieces]

    def _settled(self, end: int, unit: Unit | None, in_code: bool) -> Settled:
        return Settled(end, [] if unit is None else claims_of(unit, in_code, self._atomic, self._question))


def _ends(line: str, begin: int) -> Iterable[re.Match[str]]:
    """List the places that may end a unit, in order."""
    marks = END.finditer(line, begin)
    if line.isascii() or not THAI_GAP.search(line, begin):
        return marks
    return sorted([*marks, *THAI_GAP.finditer(line, begin)], key=lambda match: match.end())
