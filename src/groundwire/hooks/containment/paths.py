"""Does this path stay inside the listed folders, under every reading a tool could give it?"""

import os
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from groundwire.types import HookFinding

MAX_PATH = 4_096
_DECODINGS = 3
_SLASHES = dict.fromkeys(map(ord, "⁄∕⧸╱"), "/")  # signs that some systems take for a slash


@dataclass(frozen=True, slots=True)
class Folders:
    """Where a scope may read and write; the folders are resolved when the guard is made."""

    workdir: str
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()


def check_path(path: str, folders: Folders, *, write: bool, literal: bool = False) -> HookFinding | None:
    """Return what is wrong with a path, or None when it stays inside; `literal` when no shell reads it again."""
    problem = odd_path(path.replace("$", "").replace("\\", "") if literal else path)
    if problem:
        return HookFinding("path_malformed", "path", problem)
    allowed = folders.write if write else (*folders.read, *folders.write)
    if all(_inside(resolve(reading, folders.workdir), allowed) for reading in readings(path)):
        return None
    if write and all(_inside(resolve(reading, folders.workdir), folders.read) for reading in readings(path)):
        return HookFinding("path_read_only", "path", "The path may be read but not written.")
    return HookFinding("path_outside", "path", "The path leads outside the listed folders.")


def odd_path(path: str) -> str:
    """Say why a path cannot be judged, or return the empty string."""
    if not path or len(path) > MAX_PATH:
        return "It is empty or too long."
    if any(ord(char) < 32 or ord(char) == 127 for char in path):
        return "It holds a control character."
    if "\\" in path or "://" in path:
        return "It holds a backslash or a URL: another system could read it otherwise."
    if "\ufffd" in unquote(path, errors="replace"):
        return "It is encoded in a way that only a careless reader would decode."
    if path[0] == "~" or "$" in path:
        return "It begins with ~ or holds $: a shell would put another path there."
    return ""


def readings(path: str) -> Iterator[str]:
    """Yield the path as it stands and as tools that decode or normalise names would read it."""
    yield path
    seen = {path}
    for _ in range(_DECODINGS):
        for form in (unquote(path, errors="replace"), unicodedata.normalize("NFKC", path), path.translate(_SLASHES)):
            if form not in seen:
                seen.add(form)
                yield form.replace("\x00", "/")
        path = unicodedata.normalize("NFKC", unquote(path, errors="replace"))


def resolve(path: str, workdir: str) -> str:
    """Return where a path leads once every link on the way is followed."""
    return os.path.realpath(os.path.join(workdir, path))


def _inside(place: str, folders: Sequence[str]) -> bool:
    return any(place == folder or place.startswith(folder.rstrip("/") + "/") for folder in folders)
