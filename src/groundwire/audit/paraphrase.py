"""The gate for spans that repeat the context in other words."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from groundwire.audit.context import ContextIndex
from groundwire.text.lexical import (
    is_prose_span,
    negated_words,
    negation_count,
    numbers,
    numeric_signature,
    same_word,
    sentence_borders,
    topical_tokens,
    word_set,
)
from groundwire.text.normal_form import normal_form

DEFAULT_PARAPHRASE_COVERAGE: Final = 0.85
DEFAULT_PARAPHRASE_MIN_TOKENS: Final = 4
LOCAL_WINDOW_SENTENCES: Final = 3
_WORD = re.compile(r"[^\W\d_]\w*")


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """The sentence of the context that a span comes closest to, as an index."""

    sentence: int
    order_changed: bool


def paraphrase_of(span: str, context: ContextIndex, *, local: bool = False) -> Paraphrase | None:
    """Return where the context says the same in other words, None when the gate stays shut."""
    tokens = topical_tokens(span)
    if len(tokens) < DEFAULT_PARAPHRASE_MIN_TOKENS or not is_prose_span(span):
        return None
    present = sum(context.has(token) for token in tokens)
    if present / len(tokens) < DEFAULT_PARAPHRASE_COVERAGE or not numeric_signature(span) <= context.numbers:
        return None
    best = _best_sentences(tokens, context)
    sentences = [_sentence(context, place) for place in best]
    if not any(_same_polarity(span, sentence) for sentence in sentences):
        return None
    if local and not (_keeps_meaning(span, tokens, sentences) and _window_holds(span, tokens, context)):
        return None
    return Paraphrase(best[0], _order_changed(tokens, sentences[0]))


def _best_sentences(tokens: list[str], context: ContextIndex) -> list[int]:
    """List the sentences that hold most of the tokens; a number's digits do not count as a word."""
    hits: Counter[int] = Counter()
    for token in dict.fromkeys(tokens):
        if not any(character.isdigit() for character in token):
            hits.update(context.sentences_with(token))
    most = max(hits.values(), default=0)
    return sorted(sentence for sentence, count in hits.items() if count == most)


def _same_polarity(span: str, sentence: str) -> bool:
    return negation_count(span) % 2 == negation_count(sentence) % 2


def _keeps_meaning(span: str, tokens: list[str], sentences: list[str]) -> bool:
    """Compare polarity, numbers and negations with every best sentence, whole and in its fullest part."""
    parts = [part for sentence in sentences for part in (sentence, *_fullest_parts(tokens, sentence))]
    return all(
        _same_polarity(span, part) and _keeps_numbers(span, part) and _keeps_negations(span, part) for part in parts
    )


def _fullest_parts(tokens: list[str], sentence: str) -> list[str]:
    """Cut a sentence at every full stop, for one that begins without a capital, and keep what holds most tokens."""
    parts = [sentence[start:end] for start, end in pairwise(sentence_borders(sentence))]
    hits = [sum(map(word_set(part).has, tokens)) for part in parts]
    return [part for part, count in zip(parts, hits, strict=True) if count == max(hits)]


def _keeps_numbers(span: str, sentence: str) -> bool:
    """Refuse a span that drops a number of its sentence and brings in another."""
    said, meant = Counter(numbers(span)), Counter(numbers(sentence))
    return not (said - meant and meant - said)


def _keeps_negations(span: str, sentence: str) -> bool:
    """Refuse a span that denies what its sentence does not deny, or says what it denies."""
    denied, meant = negated_words(span), negated_words(sentence)
    said = topical_tokens(span)
    about = [words for words in meant if all(any(same_word(word, token) for token in said) for word in words)]
    return _paired(denied, meant) and _paired(about, denied)


def _paired(left: list[frozenset[str]], right: list[frozenset[str]]) -> bool:
    """Tell whether each negation on the left has one of its own on the right that denies the same word."""
    free = list(right)
    for words in left:
        match = next((other for other in free if any(same_word(a, b) for a in words for b in other)), None)
        if match is None:
            return False
        free.remove(match)
    return True


def _window_holds(span: str, tokens: list[str], context: ContextIndex) -> bool:
    """Tell whether one window of neighbouring sentences holds the words, numbers and capitalised words."""
    unique = list(dict.fromkeys(tokens))
    homes = {token: context.sentences_with(token) for token in unique}
    misses = int(len(unique) * (1 - DEFAULT_PARAPHRASE_COVERAGE))
    # With so few misses allowed, one of the rarest tokens stands in every window that can hold.
    rarest = sorted(unique, key=lambda token: len(homes[token]))[: misses + 1]
    around = {
        sentence - shift
        for token in rarest
        for sentence in homes[token]
        for shift in range(LOCAL_WINDOW_SENTENCES)
        if sentence - shift >= 0 or shift == 0
    }
    stated = Counter(numbers(span))
    names = _names(span)
    return any(_holds(first, tokens, stated, names, context) for first in sorted(around))


def _holds(first: int, tokens: list[str], stated: Counter[str], names: list[str], context: ContextIndex) -> bool:
    last = min(first + LOCAL_WINDOW_SENTENCES, len(context.sentences)) - 1
    window = context.base[context.sentences[first][0] : context.sentences[last][1]]
    words = word_set(window)
    if sum(words.has(token) for token in tokens) / len(tokens) < DEFAULT_PARAPHRASE_COVERAGE:
        return False
    return not stated - Counter(numbers(window)) and all(words.has(name) for name in names)


def _names(span: str) -> list[str]:
    """List every capitalised word: at this gate even a sentence's first word must be in the window."""
    return [normal_form(word) for word in _WORD.findall(span) if word[0].isupper()]


def _order_changed(tokens: list[str], sentence: str) -> bool:
    """Tell whether the shared tokens follow one another differently in the sentence."""
    order = {token: place for place, token in reversed(list(enumerate(topical_tokens(sentence))))}
    places = [order[token] for token in tokens if token in order]
    return places != sorted(places)


def _sentence(context: ContextIndex, sentence: int) -> str:
    start, end = context.sentences[sentence]
    return context.base[start:end]
