"""The house rules as tests: layers, no mixins, no shims, one home for word lists, files of one noun."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import groundwire

PACKAGE = Path(groundwire.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# A part imports from lower numbers only; parts on one line do not import one another.
LAYERS = [
    ("errors",),
    ("ledger",),
    ("types",),
    ("text",),
    ("evidence",),
    ("nli", "events"),
    ("retrieval", "signals"),
    ("verify", "injection", "render"),
    ("audit", "coherence", "hooks"),
    ("stream",),
    ("guard",),
    ("evals",),
    ("batch", "testing"),
    ("server", "client"),
    ("cli",),
]
LAYER_OF = {part: number for number, parts in enumerate(LAYERS) for part in parts}
# Data and the two doors of the package stand outside the layers.
OUTSIDE = {"__init__", "__main__", "models"}

LONGEST_FILE = 400
LONGEST_WORD_LIST = 12


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported_parts(path: Path) -> Iterator[tuple[str, int]]:
    """Yield every part of the package that a module imports, with the line."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno} imports relatively"
            if node.module == "groundwire":
                names = [f"groundwire.{alias.name}" for alias in node.names]
            else:
                names = [node.module or ""]
        else:
            continue
        for name in names:
            steps = name.split(".")
            if steps[0] == "groundwire" and len(steps) > 1:
                yield steps[1], node.lineno


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_part_imports_lower_layers_only(path: Path) -> None:
    part = part_of(path)
    if part in OUTSIDE:
        return
    assert part in LAYER_OF, f"{part} has no layer: add it to LAYERS and to ARCHITECTURE.md"
    for other, line in imported_parts(path):
        if other == part or other == "__version__":
            continue
        assert other in LAYER_OF, f"{name_of(path)}:{line} imports {other}, which is no part"
        assert LAYER_OF[other] < LAYER_OF[part], f"{name_of(path)}:{line}: {part} must not import {other}"


def test_the_architecture_page_shows_the_same_layers() -> None:
    page = (PACKAGE.parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = page.split("```")[1].strip().splitlines()
    for number, parts in enumerate(LAYERS):
        line = next(line for line in drawn if line.split()[0] == str(number))
        assert set(parts) <= set(line.split()), line


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_there_are_no_mixins(path: Path) -> None:
    mixins = [
        node.name for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef) and "mixin" in node.name.lower()
    ]
    assert not mixins


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "__init__.py"], ids=name_of)
def test_no_module_only_re_exports(path: Path) -> None:
    body = tree_of(path).body
    own = [
        node
        for node in body
        if not isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not (isinstance(node, ast.Assign) and [getattr(t, "id", "") for t in node.targets] == ["__all__"])
    ]
    assert own, f"{name_of(path)} holds nothing of its own"


def word_lists(path: Path) -> Iterator[tuple[int, int]]:
    """Yield line and length of every literal collection of lower-case words."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            words = [
                item.value
                for item in node.elts
                if isinstance(item, ast.Constant) and isinstance(item.value, str)
                if item.value.isalpha() and item.value.islower()
            ]
            yield node.lineno, len(words)
        # "a b c …".split() is a list in disguise.
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
            value = node.func.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield node.lineno, sum(word.isalpha() and word.islower() for word in value.value.split())


@pytest.mark.parametrize(
    "path", [path for path in MODULES if "lexicon" not in path.relative_to(PACKAGE).parts], ids=name_of
)
def test_word_lists_live_in_the_lexicon_alone(path: Path) -> None:
    long = [(line, size) for line, size in word_lists(path) if size > LONGEST_WORD_LIST]
    assert not long, f"{name_of(path)} holds word lists (line, words): {long}; move them to text/lexicon"


def test_a_word_list_is_recognised_when_there_is_one(tmp_path: Path) -> None:
    words = [f"w{chr(97 + n)}" for n in range(13)]
    for code in (
        repr(words),
        repr(tuple(words)),
        repr(set(words)),
        f"frozenset({words!r})",
        f"{' '.join(words)!r}.split()",
    ):
        path = tmp_path / "module.py"
        path.write_text(f"x = {code}\n", encoding="utf-8")
        assert max(size for _, size in word_lists(path)) == 13


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_long_file_says_why(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > LONGEST_FILE:
        docstring = ast.get_docstring(tree_of(path)) or ""
        assert "long because" in docstring.lower(), (
            f"{name_of(path)} has {lines} lines; split it or say 'Long because …'"
        )


def test_heavy_imports_stop_at_their_doors() -> None:
    doors = {"typer": {"cli"}, "rich": {"cli", "render"}}
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                allowed = doors.get(name.split(".")[0])
                assert allowed is None or part_of(path) in allowed, f"{name_of(path)} imports {name}"
