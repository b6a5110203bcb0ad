"""May this shell command run: are its programs listed, and do its arguments stay inside?"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from groundwire.hooks.containment.hosts import HostRule, check_url
from groundwire.hooks.containment.paths import Folders, check_path, resolve
from groundwire.hooks.containment.shell import ShellError, Simple, Word, parse_command
from groundwire.text.lexicon import load_rows
from groundwire.types import HookFinding

RUNNER = "runner"
_MAX_ENTRIES = 2_000
_SHORTEST_ABBREVIATION = 3
_LONGEST_CLUSTER = 64


@dataclass(frozen=True, slots=True)
class Manner:
    """What a program does with its arguments, and the options that change that."""

    kind: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandRules:
    """The commands of a scope, and what their arguments are held against."""

    commands: tuple[tuple[str, ...], ...]
    folders: Folders
    hosts: tuple[HostRule, ...]
    schemes: tuple[str, ...]


@cache
def manners() -> dict[str, Manner]:
    """Map each known program to its manner."""
    return {
        row[0]: Manner(row[1], tuple(row[2].split(",")) if len(row) > 2 else ())
        for row in load_rows("containment_commands")
    }


def check_command(text: str, rules: CommandRules) -> HookFinding | None:
    """Return what is wrong with a command line, or None when all of it is allowed."""
    try:
        commands = parse_command(text)
    except ShellError as problem:
        return HookFinding("command_unreadable", "command", f"The command cannot be judged: {problem}.")
    for number, command in enumerate(commands):
        found = _check_simple(command, rules)
        if found:
            return HookFinding(found.rule, f"command {number + 1}", found.detail)
    return None


def _check_simple(command: Simple, rules: CommandRules) -> HookFinding | None:
    words = [word.text for word in command.words]
    listed = [rule for rule in rules.commands if tuple(words[: len(rule)]) == rule]
    if not listed:
        return HookFinding("command_not_allowed", "command", f"The command {words[0][:80]!r} is not on the list.")
    # A program that no list describes is held to the strictest reading: all it is given may be written.
    manner = manners().get(words[0], Manner("writer"))
    arguments = command.words[max(len(rule) for rule in listed) :]
    for path in command.reads:
        found = check_path(path, rules.folders, write=False)
        if found:
            return found
    for path in command.writes:
        found = check_path(path, rules.folders, write=True)
        if found:
            return found
    if manner.kind == "network":
        return _check_network(arguments, manner, rules)
    return _check_options(arguments, manner) or _check_arguments(arguments, manner, rules)


def _check_network(arguments: Sequence[Word], manner: Manner, rules: CommandRules) -> HookFinding | None:
    for word in arguments:
        if word.text.startswith("-"):
            letters = [f"-{letter}" for letter in word.text[1:]] if not word.text.startswith("--") else [word.text]
            if len(word.text) < 2 or not all(letter in manner.options for letter in letters):
                return HookFinding(
                    "option_not_allowed", "command", f"The option {word.text[:80]!r} is not on the list."
                )
        elif word.glob or "://" not in word.text:
            return HookFinding("url_malformed", "command", "A network command takes whole URLs only, scheme included.")
        else:
            found = check_url(word.text, rules.hosts, rules.schemes)
            if found:
                return found
    return None


def _check_options(arguments: Sequence[Word], manner: Manner) -> HookFinding | None:
    for word in arguments:
        name = word.text.partition("=")[0]
        for refused in manner.options:
            if _is_option(name, refused):
                return HookFinding(
                    "option_not_allowed", "command", f"The option {refused!r} breaks out of the command."
                )
    return None


def _is_option(name: str, refused: str) -> bool:
    if refused.startswith("--"):
        # GNU programs take any clear beginning of a long option.
        return len(name) >= _SHORTEST_ABBREVIATION and refused.startswith(name)
    if len(refused) == 2:
        # Short options can stand together, the value glued behind: -no/etc/x.
        return name.startswith("-") and not name.startswith("--") and refused[1] in name[1:].partition("/")[0]
    return name == refused


def _check_arguments(arguments: Sequence[Word], manner: Manner, rules: CommandRules) -> HookFinding | None:
    plain = [word for word in arguments if not word.text.startswith("-")]
    for word in arguments:
        if "://" in word.text:
            found = check_url(word.text.partition("=")[2] or word.text, rules.hosts, rules.schemes)
            if found:
                return found
            continue
        if manner.kind == "plain" and not word.glob:
            continue  # a pattern is still read from the disk: echo /etc/* lists a folder
        write = manner.kind == "writer" or (manner.kind == "last" and bool(plain) and word is plain[-1])
        for path in _paths_in(word.text):
            found = (
                _check_glob(path, rules.folders, write)
                if word.glob
                else check_path(path, rules.folders, write=write, literal=True)
            )
            if found:
                return found
    return None


def _paths_in(text: str) -> Iterator[str]:
    """Yield the parts of an argument that a program could take for a path."""
    if not text:
        return
    if not text.startswith("-"):
        yield text
        if "=" in text and text.partition("=")[2]:
            yield text.partition("=")[2]
        return
    value = text.partition("=")[2]
    if value:
        yield value
    if not text.startswith("--"):
        # A value can be glued to any letter of a cluster: -rnfname. Each ending is a name it could be.
        yield from (text[place:] for place in range(2, min(len(text), _LONGEST_CLUSTER)))


def _check_glob(path: str, folders: Folders, write: bool) -> HookFinding | None:
    """Judge a pattern by its folder; no link that it stands for may lead outside."""
    folder, _, last = path.rpartition("/")
    if any(mark in folder for mark in "*?[") or last.startswith("."):
        return HookFinding("command_unreadable", "command", "A pattern may stand in the last part of a path only.")
    found = check_path(folder or ("/" if path.startswith("/") else "."), folders, write=write)
    if found:
        return found
    place = resolve(folder or ".", folders.workdir)
    try:
        with os.scandir(place) as entries:
            for number, entry in enumerate(entries):
                if number >= _MAX_ENTRIES:
                    return HookFinding(
                        "command_unreadable", "command", "The folder holds too many files for a pattern."
                    )
                # A class such as [[:alpha:]] reads differently in a shell: then every link counts.
                meant = "[" in last or fnmatchcase(entry.name, last)
                found = check_path(entry.path, folders, write=write) if meant and entry.is_symlink() else None
                if found:
                    return found
    except OSError:
        return None  # no such folder: the pattern stands for nothing
    return None
