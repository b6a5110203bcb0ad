"""Which language or script a text is written in, as far as a few words tell."""

import re
from functools import cache

from groundwire.text.lexicon import load_rows, load_words
from groundwire.text.tokens import fold

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# A long text is looked at in three places; more of it tells nothing new.
_SAMPLE = 800
_LEAST_WORDS = 2
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
)


@cache
def _language_words() -> dict[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = dict.fromkeys(load_words("function_words"), ("en",))
    for word, language in load_rows("language_words"):
        words[word] = (*words.get(word, ()), language)
    return words


def tell_languages(text: str) -> frozenset[str]:
    """Collect the languages or scripts a text is clearly written in; empty when nothing tells."""
    sample = text
    if len(text) > 3 * _SAMPLE:
        middle = len(text) // 2
        sample = " ".join((text[:_SAMPLE], text[middle : middle + _SAMPLE], text[-_SAMPLE:]))
    found = {name for name, script in _SCRIPTS if not sample.isascii() and len(script.findall(sample)) >= _LEAST_WORDS}
    if "ja" in found:
        found.discard("zh")  # Japanese is written with Chinese characters too
    counts: dict[str, int] = {}
    words = _language_words()
    for word in filter(words.__contains__, _WORD.findall(fold(sample))):
        for language in words[word]:
            counts[language] = counts.get(language, 0) + 1
    if counts:
        most = max(counts.values())
        found |= {name for name, count in counts.items() if count >= _LEAST_WORDS and count >= 0.6 * most}
    return frozenset(found)
