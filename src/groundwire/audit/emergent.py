"""What answers keep saying that no source supports: a hint at what the corpus lacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groundwire.text.normal_form import normal_form


@dataclass(frozen=True, slots=True)
class Emergent:
    """An unsupported statement and the runs that made it."""

    text: str
    count: int
    methods: tuple[str, ...]
    run_ids: tuple[str, ...]


def mine_emergent(
    results: Iterable[Mapping[str, Any] | tuple[str, Mapping[str, Any]]], min_count: int = 1
) -> list[Emergent]:
    """Group the unverified texts of many runs, most frequent first.

    A result may come with its run id as a pair; without one its place in the input stands for it.
    """
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for place, item in enumerate(results):
        run_id, result = item if isinstance(item, tuple) else (str(item.get("run_id", place)), item)
        for text in result["unverified_quotes"]:
            groups.setdefault(normal_form(text), []).append((text, str(result["verifier_method"]), run_id))
    found = [
        Emergent(
            text=mentions[0][0],
            count=len(mentions),
            methods=tuple(sorted({method for _, method, _ in mentions})),
            run_ids=tuple(dict.fromkeys(run_id for _, _, run_id in mentions)),
        )
        for mentions in groups.values()
        if len(mentions) >= min_count
    ]
    return sorted(found, key=lambda record: -record.count)
