"""Read a shell command strictly: words, pipes, chains and redirections, and nothing that expands to something else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_COMMAND = 8_192
_PLAIN_TARGETS = frozenset({"/dev/null"})
_WORDS_OF_SHELL = re.compile(
    r"(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|function|select|time|coproc|!|\[\[)"
)
_OPERATORS = ("&&", "||", ";", "|", "\n")


class ShellError(ValueError):
    """A command that cannot be read without guessing what a shell would do."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word after quotes were taken off; `glob` when an unquoted * ? or [ is in it."""

    text: str
    glob: bool = False


@dataclass(slots=True)
class Simple:
    """One simple command: its words and the files it is redirected to."""

    words: list[Word] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)


def parse_command(text: str) -> list[Simple]:
    """Split a command line into simple commands, or say why it cannot be judged."""
    if len(text) > MAX_COMMAND:
        raise ShellError("it is too long")
    commands, current = [], Simple()
    pieces = list(_pieces(text))
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        if isinstance(piece, Word):
            current.words.append(piece)
        elif piece in _OPERATORS:
            if not current.words and piece != "\n":
                raise ShellError("an operator has no command before it")
            if current.words:
                commands.append(current)
            current = Simple()
        else:
            place += 1
            target = pieces[place] if place < len(pieces) else None
            if not isinstance(target, Word) or target.glob:
                raise ShellError("a redirection has no plain file")
            if target.text not in _PLAIN_TARGETS:
                (current.reads if piece == "<" else current.writes).append(target.text)
        place += 1
    if current.words:
        commands.append(current)
    elif current.reads or current.writes:
        raise ShellError("a redirection has no command")
    if not commands:
        raise ShellError("it holds no command")
    for command in commands:
        _refuse_syntax(command.words[0])
    return commands


def _refuse_syntax(first: Word) -> None:
    if _WORDS_OF_SHELL.fullmatch(first.text):
        raise ShellError("it uses the shell's own grammar")
    if re.match(r"[A-Za-z_][A-Za-z0-9_]*(\[.*\])?\+?=", first.text):
        raise ShellError("it sets a variable before the command")
    if first.glob:
        raise ShellError("the name of the command is a pattern")


def _pieces(text: str) -> Iterator[Word | str]:
    place = 0
    while place < len(text):
        char = text[place]
        if char in " \t":
            place += 1
        elif char == "#":
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif char in ";|&\n<>" or re.match(r"\d?[<>]", text[place : place + 2]):
            piece, place = _operator(text, place)
            if piece:
                yield piece
        else:
            word, place = _word(text, place)
            yield word


def _operator(text: str, place: int) -> tuple[str, int]:
    """Read an operator; the empty string for one file descriptor sent to another."""
    match = re.compile(
        r"&&|\|\||;(?!;)|\|(?!&)|\n|[12]?>&[12](?![0-9A-Za-z/.])|&?>>?(?![&(|])|[012]?>>?(?![&(|])|0?<(?![<(&>])"
    ).match(text, place)
    if match is None:
        raise ShellError("it uses a background job, here-document, process substitution or another operator")
    found = match[0]
    if "&" in found and found[-1] in "12":
        return "", match.end()
    if found in _OPERATORS:
        return found, match.end()
    return ("<" if "<" in found else ">"), match.end()


def _word(text: str, place: int) -> tuple[Word, int]:
    letters: list[str] = []
    glob, start = False, place
    while place < len(text):
        char = text[place]
        if char in " \t\n;|&<>":
            break
        if char == "'":
            end = text.find("'", place + 1)
            if end < 0:
                raise ShellError("a quotation mark is not closed")
            letters.append(text[place + 1 : end])
            place = end
        elif char == '"':
            quoted, place = _double_quoted(text, place + 1)
            letters.append(quoted)
        elif char == "\\":
            place += 1
            if place >= len(text) or text[place] == "\n":
                raise ShellError("a backslash stands at the end of a line")
            letters.append(text[place])
        else:
            _refuse_expansion(char, at_start=place == start)
            glob = glob or char in "*?["
            letters.append(char)
        place += 1
    return Word("".join(letters), glob), place


def _double_quoted(text: str, place: int) -> tuple[str, int]:
    letters: list[str] = []
    while place < len(text):
        char = text[place]
        if char == '"':
            return "".join(letters), place
        if char in "$`":
            raise ShellError("it substitutes a command or variable")
        if char == "\\" and text[place + 1 : place + 2] in ("$", "`", '"', "\\"):
            place += 1
            char = text[place]
        letters.append(char)
        place += 1
    raise ShellError("a quotation mark is not closed")


def _refuse_expansion(char: str, *, at_start: bool) -> None:
    if char in "$`":
        raise ShellError("it substitutes a command or variable")
    if char in "(){}":
        raise ShellError("it uses brackets or braces that a shell would expand")
    if char == "~" and at_start:
        raise ShellError("it uses ~, which a shell would expand")
    if ord(char) < 32 or ord(char) == 127:
        raise ShellError("it holds a control character")
