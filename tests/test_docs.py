"""Every example of the pages runs and shows its true output; generated pages are up to date."""

import re
from pathlib import Path

import pytest

from docs import generate_cli, generate_http, generate_measured, generate_types
from docs.run_blocks import ROOT, blocks, pages, run_page

PAGES = [path for path in pages() if re.search(r"^```(python|console)", path.read_text(encoding="utf-8"), re.M)]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_the_code_of_a_page_runs_and_its_output_is_true(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert run_page(text, name_of(path)) == text, "refresh it with: python docs/run_blocks.py"


def test_the_readme_is_among_the_pages_that_run() -> None:
    assert ROOT / "README.md" in PAGES
    assert {block.language for block in blocks((ROOT / "README.md").read_text(encoding="utf-8"))} >= {
        "python",
        "console",
    }


def test_a_wrong_output_is_found() -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```console\n$ groundwire --version\nwrong\n```\n"
    ran = run_page(page, "page")
    assert "```text\n2\n```" in ran
    assert "wrong" not in ran


def test_a_command_that_cannot_be_checked_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be checked"):
        run_page("```console\n$ ls\n```\n", "page")


def test_the_command_line_reference_is_up_to_date() -> None:
    assert generate_cli.PAGE.read_text(encoding="utf-8") == generate_cli.page(), "run: python docs/generate_cli.py"


@pytest.mark.parametrize("path", generate_types.pages(), ids=name_of)
def test_the_type_reference_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generate_types.pages()[path], "run: python docs/generate_types.py"


def test_the_http_reference_is_up_to_date() -> None:
    assert generate_http.PAGE.read_text(encoding="utf-8") == generate_http.page(), "run: python docs/generate_http.py"


def test_the_measured_figures_are_those_of_the_result_files() -> None:
    hint = "run: python -m docs.generate_measured"
    assert generate_measured.PAGE.read_text(encoding="utf-8") == generate_measured.page(), hint
    assert generate_measured.README.read_text(encoding="utf-8") == generate_measured.readme(), hint
    assert generate_measured.SIZING.read_text(encoding="utf-8") == generate_measured.sizing(), hint


def test_every_type_has_its_place_in_the_reference() -> None:
    from groundwire import types

    page = generate_types.pages()[generate_types.HERE / "types.md"]
    missing = [name for name in types.__all__ if name != "SAFETY_EVENT_SCHEMA" and f"### {name}\n" not in page]
    assert not missing


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").rglob("*.md")):
        assert str(path.relative_to(ROOT / "docs")) in navigation


def test_links_between_pages_lead_somewhere() -> None:
    for path in [*pages(), ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", target):
                assert (path.parent / target).exists(), f"{name_of(path)} links to {target}"


def test_pages_name_no_private_place() -> None:
    for path in [*pages(), ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        text = path.read_text(encoding="utf-8")
        assert "/work/" not in text
        assert "../shared" not in text
