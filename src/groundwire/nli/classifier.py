"""How a pair is put before a sequence classifier of any size: labels, template, source chunks, batches."""

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire.errors import InputError, ModelError
from groundwire.ledger import hash_file, hash_json
from groundwire.nli.base import UNKNOWN, Entailment, checked_pairs, says_nothing
from groundwire.nli.runtime import batches, checked_logits, encodable, softmax
from groundwire.text.sentences import split_sentences

if TYPE_CHECKING:
    import numpy as np

# ids, mask and segments of a batch to its logits
Forward = Callable[["np.ndarray[Any, Any]", "np.ndarray[Any, Any]", "np.ndarray[Any, Any]"], "np.ndarray[Any, Any]"]

THREE_WAY = ("entailment", "neutral", "contradiction")
TWO_WAY = ("supported", "unsupported")
# A tokenizer may cut a text in its place a little differently than alone.
_SLACK = 8
_MOST_CHUNKS = 256
_FIELDS = ("{premise}", "{hypothesis}")
# Other people's names for our classes; numbered labels say nothing and are no part of this.
_NAMES = {"entail": "entailment", "neutral": "neutral", "contradict": "contradiction", "not_entail": "unsupported"}


@dataclass(frozen=True, slots=True)
class Layout:
    """What a classifier wants to see, and what its outputs mean."""

    labels: tuple[str, ...]
    max_tokens: int = 512
    batch_size: int = 8
    template: str | None = None
    padding: int = 0
    temperature: float = 1.0


@dataclass(frozen=True, slots=True)
class _Row:
    pair: int
    ids: list[int]
    segments: list[int]


def score_pairs(
    pairs: Sequence[tuple[str, str]], tokenizer: Any, forward: Forward, layout: Layout, name: str
) -> list[Entailment]:
    """Score pairs; of a premise that needs several chunks the one that supports most counts."""
    pairs = checked_pairs(pairs)
    found = [UNKNOWN] * len(pairs)
    rows: list[_Row] = []
    cut: set[int] = set()
    for number, pair in enumerate(pairs):
        if not says_nothing(pair):
            own, short = _rows(number, pair, tokenizer, layout)
            rows.extend(own)
            cut.update([number] if short else [])
    best: dict[int, Entailment] = {}
    for row, entailment in zip(rows, _run(rows, forward, layout, name), strict=True):
        before = best.get(row.pair)
        if before is None or entailment.divergence < before.divergence:
            best[row.pair] = entailment
    for number, entailment in best.items():
        # What was not read of a hypothesis is not entailed.
        unread = Entailment(0.0, entailment.entailment + entailment.neutral, entailment.contradiction)
        found[number] = unread if number in cut else entailment
    return found


def find_labels(given: Sequence[str] | None, folder: Path, fallback: tuple[str, ...] | None) -> tuple[str, ...]:
    """Settle what each output of a classifier means: as given, as its config names them, or as its kind has them."""
    if given is not None:
        labels = tuple(map(str, given)) if isinstance(given, Sequence) else (str(given),)
        if sorted(labels) not in (sorted(THREE_WAY), sorted(TWO_WAY)):
            raise InputError(
                f"labels are {', '.join(map(repr, labels))}.",
                fix=f"name the outputs in order: {', '.join(THREE_WAY)}, or {', '.join(TWO_WAY)}",
            )
        return labels
    names = _config_names(folder)
    if names is not None:
        known = tuple(_class_of(name) for name in names)
        if sorted(known) in (sorted(THREE_WAY), sorted(TWO_WAY)):
            return known
        if known == ("entailment", "unsupported") or known == ("unsupported", "entailment"):
            return tuple("supported" if name == "entailment" else name for name in known)
        if fallback is not None and len(names) != len(fallback):
            fallback = None
    if fallback is not None:
        return fallback
    raise ModelError(
        f"{folder} does not say what its outputs mean.",
        why=f"config.json names them {', '.join(names) if names else 'not at all'}",
        fix='pass labels in order, such as labels=["entailment", "neutral", "contradiction"]',
    )


def check_template(template: str | None) -> None:
    """Refuse a template that does not hold the premise and then the hypothesis, once each."""
    if template is None:
        return
    places = [template.find(field) for field in _FIELDS]
    if any(template.count(field) != 1 for field in _FIELDS) or places[0] > places[1]:
        raise InputError(
            "The template does not hold {premise} and then {hypothesis} once each.",
            fix='write, for example, template="{premise}\\n\\nQuestion: does it follow that {hypothesis}?"',
        )


def local_folder(model_path: str | Path | None, backend: str, needed: Sequence[str]) -> Path:
    """Check that a model was given as a local folder with the files a backend needs."""
    if model_path is None:
        raise InputError(
            f"The backend {backend!r} needs a model.",
            why="Groundwire downloads nothing by itself",
            fix=f"pass model_path, a local folder with {', '.join(needed)}",
        )
    folder = Path(model_path)
    if not folder.is_dir():
        raise ModelError(
            f"There is no model folder {folder}.", fix="give the path of a local folder; nothing is downloaded"
        )
    lacking = [name for name in needed if not (folder / name).is_file()]
    if lacking:
        raise ModelError(
            f"{folder} is not a model folder.", why=f"it holds no {', '.join(lacking)}", fix="check the path"
        )
    return folder


def folder_hash(folder: Path) -> str:
    """Hash the names and contents of all files directly in a model folder."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    return hash_json({path.name: hash_file(path) for path in files})


def read_config(folder: Path, name: str = "config.json") -> dict[str, Any]:
    """Read a JSON file of a model folder, empty when there is none."""
    try:
        data = json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{folder / name} cannot be read.", why=str(error)[:200], fix="copy the folder again"
        ) from error
    if not isinstance(data, dict):
        raise ModelError(f"{folder / name} holds no object.", fix="copy the folder again")
    return data


def _config_names(folder: Path) -> list[str] | None:
    names = read_config(folder).get("id2label")
    if not isinstance(names, Mapping) or not all(str(key).isdigit() for key in names):
        return None
    return [str(names[key]) for key in sorted(names, key=int)]


def _class_of(label: str) -> str:
    lower = label.lower().replace(" ", "_").replace("-", "_")
    if lower in (*THREE_WAY, *TWO_WAY):
        return lower
    return next((ours for theirs, ours in sorted(_NAMES.items(), reverse=True) if lower.startswith(theirs)), lower)


def _rows(number: int, pair: tuple[str, str], tokenizer: Any, layout: Layout) -> tuple[list[_Row], bool]:
    """Encode a pair, chunk by chunk of the premise, and tell whether the hypothesis had to be cut."""
    premise, hypothesis = map(encodable, pair)
    whole = _encode(tokenizer, layout.template, "", hypothesis)
    room = layout.max_tokens - len(whole.ids)
    short = room < layout.max_tokens // 4
    if short:
        hypothesis = _cut(tokenizer, hypothesis, max(1, layout.max_tokens // 4))
        room = layout.max_tokens - len(_encode(tokenizer, layout.template, "", hypothesis).ids)
    rows = []
    for start, end in _chunks(premise, tokenizer, room - _SLACK):
        encoding = _encode(tokenizer, layout.template, premise[start:end], hypothesis)
        rows.append(_Row(number, encoding.ids[: layout.max_tokens], encoding.type_ids[: layout.max_tokens]))
    return rows, short


def _encode(tokenizer: Any, template: str | None, premise: str, hypothesis: str) -> Any:
    if template is None:
        return tokenizer.encode(premise, hypothesis)
    # Not str.format: a premise may hold braces of its own.
    before, _, rest = template.partition(_FIELDS[0])
    between, _, after = rest.partition(_FIELDS[1])
    return tokenizer.encode(f"{before}{premise}{between}{hypothesis}{after}")


def _cut(tokenizer: Any, text: str, tokens: int) -> str:
    offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    return text[: offsets[tokens - 1][1]] if len(offsets) > tokens else text


def _chunks(premise: str, tokenizer: Any, room: int) -> list[tuple[int, int]]:
    """Pack whole sentences into chunks of at most `room` tokens; a longer sentence is cut."""
    if room < 1:
        raise ModelError(
            "The template leaves no room for a premise.", fix="use a shorter template or a larger max_tokens"
        )
    starts = [start for start, _ in tokenizer.encode(premise, add_special_tokens=False).offsets]
    if len(starts) <= room:
        return [(0, len(premise))]
    borders = [bisect_left(starts, unit.start) for unit in split_sentences(premise)][1:]
    chunks: list[tuple[int, int]] = []
    first = 0
    while first < len(starts):
        limit = first + room
        fitting = [border for border in borders if first < border <= limit] if limit < len(starts) else []
        last = min(fitting[-1] if fitting else limit, len(starts))
        chunks.append((starts[first], starts[last] if last < len(starts) else len(premise)))
        first = last
        if len(chunks) > _MOST_CHUNKS:
            raise InputError(
                f"The premise needs more than {_MOST_CHUNKS} chunks.",
                why="every chunk is a pass through the model",
                fix="use VerifiedScorer, which picks the sentences that matter, or pass a shorter premise",
            )
    return chunks


def _run(rows: Sequence[_Row], forward: Forward, layout: Layout, name: str) -> list[Entailment]:
    import numpy as np

    answers: dict[int, Entailment] = {}
    for group in batches([len(row.ids) for row in rows], layout.batch_size):
        shape = (len(group), max(len(rows[place].ids) for place in group))
        ids = np.full(shape, layout.padding, np.int64)
        mask, segments = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for line, place in enumerate(group):
            row = rows[place]
            ids[line, : len(row.ids)] = row.ids
            segments[line, : len(row.ids)] = row.segments
            mask[line, : len(row.ids)] = 1
        logits = checked_logits(np.asarray(forward(ids, mask, segments)), len(group), len(layout.labels), name)
        for place, values in zip(group, softmax(logits / layout.temperature), strict=True):
            answers[place] = _entailment(dict(zip(layout.labels, map(float, values), strict=True)))
    return [answers[place] for place in range(len(rows))]


def _entailment(classes: Mapping[str, float]) -> Entailment:
    if "supported" in classes:
        # A checker of two classes does not tell "denied" from "not said": both are its no.
        return Entailment(classes["supported"], 0.0, classes["unsupported"])
    return Entailment(*(classes[label] for label in THREE_WAY))
