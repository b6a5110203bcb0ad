import re
import time
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.render.html import WHOLE_SOURCE_CHARS, render_html
from groundwire.types import Conflict, ModelInfo, Reason, Source, SourceSpan, Status, Verdict, VerificationResult
from tests.render.sample import claim, result_of, sample

PAYLOADS = [
    line
    for line in (Path(__file__).parent / "xss_payloads.txt").read_text(encoding="utf-8").splitlines()
    if line.strip()
]


class Page(HTMLParser):
    """The elements, ids, links and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.inside: dict[str, str] = {}
        self._open = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open in ("style", "script"):
            self.inside[self._open] = self.inside.get(self._open, "") + data
        else:
            self.text += data


def page_with(text: str) -> str:
    """Put a text into every place a user's text can reach."""
    response = f"{text} A."
    source = Source(text, f"{text} B.", title=text, url=text)
    item = claim(response, response, Verdict.CONTRADICTED)
    end = len(source.text)
    item.evidence_spans.append(SourceSpan(source.text, 0, 0.5, start=0, end=end, source_id=text))
    item.conflicts.append(Conflict(Reason.ANTONYM, 0, len(text), text, 0, len(text), text, text))
    item.reasons.extend([Reason.ANTONYM, text])
    lost = claim(response, text, Verdict.UNVERIFIABLE)
    lost = type(lost)(**{name: getattr(lost, name) for name in lost.__dataclass_fields__} | {"start": -1, "end": -1})
    lost.evidence_spans.append(SourceSpan(text, 0, 0.5, source_id="elsewhere"))
    odd = type(lost)(**{name: getattr(lost, name) for name in lost.__dataclass_fields__} | {"verdict": text})
    base = result_of([item, lost, odd])
    values = {name: getattr(base, name) for name in base.__dataclass_fields__}
    values |= {"confidence": text, "status": text, "model": ModelInfo(text, text), "checks": [text]}
    values |= {"version": text, "policy_hash": text}
    return render_html(VerificationResult(**values), response, [source, Source("two", "C.")], question=text)


def test_there_are_a_hundred_payloads() -> None:
    assert len(set(PAYLOADS)) >= 100


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_changes_no_element_and_stays_readable(payload: str) -> None:
    html = page_with(payload)
    page, harmless = Page(html), Page(page_with("harmless words"))
    assert page.elements == harmless.elements
    assert page.ids == harmless.ids
    assert page.links == harmless.links
    assert payload in page.text
    assert page.inside == harmless.inside


# The text also stands where a verdict, a reason and a status stand; as one of them it would mean something.
KNOWN = {*Verdict, *Reason, *Status}


@given(st.text(min_size=1, max_size=60).filter(lambda text: text not in KNOWN))
def test_no_text_at_all_changes_an_element(text: str) -> None:
    html = page_with(text)
    html.encode("utf-8")
    assert Page(html).elements == Page(page_with("harmless words")).elements


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    result, response, sources = sample()
    html = render_html(result, response, sources)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    style = re.search(r"<style>(.*?)</style>", html, re.S)
    script = re.search(r"<script>(.*?)</script>", html, re.S)
    assert style is not None
    assert script is not None
    for found, name in ((style[1], "style-src"), (script[1], "script-src")):
        digest = b64encode(sha256(found.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'")


def test_the_page_asks_for_nothing_outside_itself() -> None:
    result, response, sources = sample()
    html = render_html(result, response, sources)
    page = Page(html)
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"https?://|//[a-z]|@import|url\((?!#)", html)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]


def test_every_link_has_its_target_and_every_id_is_unique() -> None:
    result, response, sources = sample()
    page = Page(render_html(result, response, sources))
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)


def test_the_page_reads_without_script_and_without_colour() -> None:
    result, response, sources = sample()
    html = render_html(result, response, sources)
    page = Page(re.sub(r"<script>.*?</script>|<style>.*?</style>", "", html, flags=re.S))
    for item in result.claims:
        assert item.claim in page.text
    for words in ("✗ Contradicted", "✓ Supported", "! Fabricated", "? Unverifiable", "Not approved"):
        assert words in page.text
    assert "The response says “15 years”, the source says “10 years”." in page.text
    assert response.strip()[:40] in page.text


def test_the_clash_is_marked_in_response_card_evidence_and_source() -> None:
    result, response, sources = sample()
    html = render_html(result, response, sources)
    assert html.count('<mark class="clash">15 years</mark>') == 2
    assert html.count('<mark class="clash">10 years</mark>') == 1
    assert '<mark class="ev clash" data-for="3" data-clash="3">10 years</mark>' in html


def test_response_and_sources_are_shown_whole_and_in_order() -> None:
    result, response, sources = sample()
    html = render_html(result, response, sources)
    for text, part in ((response, html.split('id="response"')[1]), (sources[0].text, html.split('class="source"')[1])):
        part = re.sub(r'<a class="ref.*?</a>|<span class="tag">.*?</span></a>|<h3.*?</h3>', "", part, flags=re.S)
        assert " ".join(text.split()) in " ".join(Page("<p " + part).text.replace("\u2060", "").split())


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.CHECKED])
def test_the_status_is_never_silent(status: Status) -> None:
    html = render_html(result_of([], status=status), "", [])
    assert '<p class="note">' in html


def test_two_claims_on_one_sentence_share_its_mark() -> None:
    source = Source("s", "Refunds take 30 days.")
    response = "Refunds take 30 days. They take 30 days."
    claims = [
        claim(response, "Refunds take 30 days.", Verdict.SUPPORTED, source, source.text),
        claim(response, "They take 30 days.", Verdict.SUPPORTED, source, source.text),
    ]
    html = render_html(result_of(claims), response, [source])
    assert 'data-for="1 2"' in html
    assert {"e1", "e2"} <= set(Page(html).ids)


def test_the_same_sentence_twice_keeps_its_two_places() -> None:
    source = Source("s", "It is red. It is red.")
    item = claim("It is red.", "It is red.", Verdict.SUPPORTED)
    item.evidence_spans.append(SourceSpan("It is red.", 1, 0.0, start=11, end=21, source_id="s"))
    html = render_html(result_of([item]), "It is red.", [source])
    assert "It is red. <span" in html.split('class="source"')[1]


def test_a_huge_source_is_shown_around_its_evidence_and_says_so() -> None:
    filler = "Nothing to see here. " * 60_000
    source = Source("s", filler + "Refunds take 30 days. " + filler)
    item = claim("Refunds take 30 days.", "Refunds take 30 days.", Verdict.SUPPORTED, source, "Refunds take 30 days.")
    assert len(source.text) > WHOLE_SOURCE_CHARS
    html = render_html(result_of([item]), "Refunds take 30 days.", [source])
    assert html.count("characters not shown") == 2
    assert len(html) < 60_000


def test_a_source_of_100_000_characters_is_shown_whole_and_made_quickly() -> None:
    sentences = [f"Room {number} has {number % 7 + 1} windows." for number in range(4200)]
    source = Source("s", " ".join(sentences))
    assert 100_000 < len(source.text) <= WHOLE_SOURCE_CHARS
    response = " ".join(sentences[::40])
    claims = [claim(response, text, Verdict.SUPPORTED, source, text) for text in sentences[::40]]
    started = time.perf_counter()
    html = render_html(result_of(claims), response, [source])
    assert time.perf_counter() - started < 2
    assert "characters not shown" not in html
    assert html.count('<mark class="ev"') == len(claims)
