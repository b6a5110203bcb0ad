"""Further clashes: roles, comparisons, order, quantifiers, modality, conditions."""

from functools import cache
from typing import NamedTuple

from groundwire.evidence import Evidence
from groundwire.signals.claim import ClaimView
from groundwire.signals.finding import Finding
from groundwire.signals.reading import read
from groundwire.text.analysis import Analysis
from groundwire.text.coverage import covered, share
from groundwire.text.lexicon import load_words
from groundwire.text.meaning import opposites, synonyms
from groundwire.text.relations import Marked, Pair, are_converse, modal_clash, quantifier_clash
from groundwire.text.tokens import stem
from groundwire.types import Reason


class Relations(NamedTuple):
    """Clashes, and the stems whose opposition they have explained."""

    findings: tuple[Finding, ...]
    settled: frozenset[str]


def compare_relations(view: ClaimView, item: Evidence) -> Relations:
    """Compare how claim and evidence relate the same words."""
    findings: list[Finding] = []
    settled: set[str] = set()
    mine, theirs = read(view.analysis), read(item.analysis)
    for reason, my_pairs, their_pairs in (
        (Reason.COMPARATIVE, mine.comparisons, theirs.comparisons),
        (Reason.ORDER, mine.orders, theirs.orders),
    ):
        for one in my_pairs:
            for two in their_pairs:
                clash = _compare_pairs(one, two)
                if clash is None:
                    continue
                settled.update(_stems_between(view.analysis, one), _stems_between(item.analysis, two))
                if clash:
                    findings.append(Finding(reason, one.start, one.end, item, two.start, two.end))
                break
    settled.update(_told_the_other_way(view, item))
    if not findings:
        swap = _role_swap(view, item)
        if swap is not None:
            findings.append(swap)
    findings.extend(_quantifiers(view, item))
    findings.extend(_modality(view, item))
    findings.extend(_conditions(view, item))
    return Relations(tuple(findings), frozenset(settled))


def _stems_between(sentence: Analysis, pair: Pair) -> set[str]:
    return {word.stem for word in sentence.words if pair.start <= word.start < pair.end}


def _compare_pairs(mine: Pair, theirs: Pair) -> bool | None:
    """Tell whether two comparisons clash; None when they compare other things."""
    straight = bool(mine.left & theirs.left) + bool(mine.right & theirs.right)
    crossed = bool(mine.left & theirs.right) + bool(mine.right & theirs.left)
    if max(straight, crossed) == 0 or straight == crossed:
        return None
    if mine.word == theirs.word or mine.word in synonyms(theirs.word):
        same = mine.sign == theirs.sign
    elif mine.word in opposites(theirs.word):
        same = mine.sign != theirs.sign
    else:
        return None
    return same if crossed > straight else not same


def _told_the_other_way(view: ClaimView, item: Evidence) -> set[str]:
    """Collect the verbs of a relation that the evidence tells from its other side."""
    verbs: set[str] = set()
    for mine in read(view.analysis).relations:
        for theirs in read(item.analysis).relations:
            if are_converse(mine, theirs) and mine.agent & theirs.patient and mine.patient & theirs.agent:
                verbs.update((mine.stem, theirs.stem))
    return verbs


@cache
def _symmetric_verbs() -> frozenset[str]:
    return frozenset(stem(word) for word in load_words("symmetric_verbs"))


def _role_swap(view: ClaimView, item: Evidence) -> Finding | None:
    claim, source = view.analysis, item.analysis
    symmetric = _symmetric_verbs()
    for mine in read(claim).relations:
        if mine.stem in symmetric:
            continue
        for theirs in read(source).relations:
            converse = are_converse(mine, theirs)
            if not converse and theirs.stem != mine.stem and theirs.stem not in synonyms(mine.stem):
                continue
            agent, patient = (theirs.patient, theirs.agent) if converse else (theirs.agent, theirs.patient)
            crossed = (mine.agent & patient) and (mine.patient & agent)
            straight = (mine.agent & agent) or (mine.patient & patient)
            if crossed and not straight:
                one, two = claim.words[mine.verb], source.words[theirs.verb]
                return Finding(Reason.ROLE_SWAP, one.start, one.end, item, two.start, two.end)
            same_object = mine.patient & patient
            other_agent = mine.agent and agent and not mine.agent & agent
            if same_object and other_agent and agent <= claim.stems and mine.agent <= source.stems:
                # Both agents are named on both sides, but they have changed jobs.
                one, two = claim.words[mine.verb], source.words[theirs.verb]
                return Finding(Reason.ROLE_SWAP, one.start, one.end, item, two.start, two.end)
    return _exchanged(claim, item, source)


def _exchanged(claim: Analysis, item: Evidence, source: Analysis) -> Finding | None:
    """Find two words that changed places in an otherwise equal sentence."""
    if len(claim.words) != len(source.words) or claim.stems != source.stems:
        return None
    changed = [
        place for place, (one, two) in enumerate(zip(claim.words, source.words, strict=True)) if one.stem != two.stem
    ]
    if not 2 <= len(changed) <= 8 or len(changed) > len(claim.words) // 2 + 1:
        return None
    if not all(claim.words[place].content and source.words[place].content for place in changed):
        return None
    if sorted(claim.words[p].stem for p in changed) != sorted(source.words[p].stem for p in changed):
        return None
    if (
        any(claim.words[p].lower in ("and", "or") for p in range(changed[0], changed[-1]))
        and len(changed) == 2
        and changed[1] - changed[0] == 2
    ):
        return None  # "Anna and Bruno" is "Bruno and Anna"
    first, last = changed[0], changed[-1]
    return Finding(
        Reason.ROLE_SWAP, claim.words[first].start, claim.words[last].end,
        item, source.words[first].start, source.words[last].end,
    )  # fmt: skip


def _quantifiers(view: ClaimView, item: Evidence) -> list[Finding]:
    mine, theirs = read(view.analysis).quantifiers, read(item.analysis).quantifiers
    findings: list[Finding] = []
    for other in theirs:
        if not other.head:
            continue
        if not covered(other.head, view.analysis.stems):
            if other.value == "only" and share(view.stems, item.stems) >= 0.6:
                # "Only members may enter" restricted what the claim leaves open.
                findings.append(
                    Finding(Reason.QUANTIFIER, 0, len(view.claim.text), item, other.start, other.end, hard=False)
                )
            continue
        partner = _same_head(other, mine)
        if partner is None:
            if (
                other.value in ("some", "few", "half")
                and not any(one.value == other.value for one in mine)
                and share(view.stems, item.stems) >= 0.8
                and other.head in view.stems
            ):
                place = next(
                    p
                    for p in view.analysis.content
                    if covered(other.head, frozenset((view.analysis.words[p].stem,)))
                    or view.analysis.words[p].stem in synonyms(other.head)
                )
                word = view.analysis.words[place]
                findings.append(
                    Finding(Reason.QUANTIFIER, word.start, word.end, item, other.start, other.end, hard=False)
                )
            continue
        clash = quantifier_clash(partner.value, other.value)
        if clash is not None:
            findings.append(
                Finding(Reason.QUANTIFIER, partner.start, partner.end, item, other.start, other.end, hard=clash)
            )
    for one in mine:
        if (
            one.value == "only"
            and one.head
            and covered(one.head, item.stems)
            and not any(o.value == "only" for o in theirs)
        ):
            start, end = _word_span(item.analysis, one.head)
            findings.append(Finding(Reason.QUANTIFIER, one.start, one.end, item, start, end, hard=False))
    return findings


def _same_head(other: Marked, mine: list[Marked]) -> Marked | None:
    for one in mine:
        if one.head == other.head or one.head in synonyms(other.head):
            return one
    return None


def _modality(view: ClaimView, item: Evidence) -> list[Finding]:
    mine, theirs = read(view.analysis).modals, read(item.analysis).modals
    if not mine and not theirs:
        return []
    findings = _stated_modality(view, item, mine, theirs)
    for one in mine:
        # "was supposed to" makes a plan of what the evidence states as done.
        alone = not any(other.head == one.head or other.head in synonyms(one.head) for other in theirs)
        if one.value == "expected" and one.head and alone and covered(one.head, item.analysis.stems):
            start, end = _word_span(item.analysis, one.head)
            findings.append(Finding(Reason.MODALITY, one.start, one.end, item, start, end, hard=False))
    for other in theirs:
        if not other.head or not covered(other.head, view.analysis.stems):
            continue
        partner = next((one for one in mine if one.head == other.head or one.head in synonyms(other.head)), None)
        value = partner.value if partner else ""
        if modal_clash(value, other.value) and share(view.stems, item.stems) >= 0.5:
            start, end = (partner.start, partner.end) if partner else _word_span(view.analysis, other.head)
            findings.append(Finding(Reason.MODALITY, start, end, item, other.start, other.end, hard=False))
    return findings


def _stated_modality(view: ClaimView, item: Evidence, mine: list[Marked], theirs: list[Marked]) -> list[Finding]:
    """Compare "is optional" with a modal verb of the evidence, and the other way round."""
    for one in mine:
        for other in theirs:
            if bool(one.head) == bool(other.head) or not modal_clash(one.value, other.value):
                continue
            rest = [key for key in view.stems if key != view.analysis.words[one.place].stem]
            if rest and share(rest, item.stems) >= 0.5:
                return [Finding(Reason.MODALITY, one.start, one.end, item, other.start, other.end, hard=False)]
    return []


def _word_span(sentence: Analysis, key: str) -> tuple[int, int]:
    for place in sentence.content:
        word = sentence.words[place]
        if word.stem == key or word.stem in synonyms(key):
            return word.start, word.end
    return 0, len(sentence.text)


def _conditions(view: ClaimView, item: Evidence) -> list[Finding]:
    theirs = read(item.analysis).conditions
    mine = read(view.analysis).conditions
    findings: list[Finding] = []
    without = [cue for cue in read(view.analysis).negations if not cue.verbal and cue.head >= 0]
    for other in theirs:
        dropped = next((cue for cue in without if covered(view.analysis.words[cue.head].stem, other.stems)), None)
        if dropped is not None and other.opener != "unless" and not read(item.analysis).negations:
            # "if the manager agrees" against "without the manager's agreement"
            findings.append(Finding(Reason.CONDITION, dropped.start, dropped.end, item, other.start, other.end))
            continue
        partner = next((one for one in mine if one.stems & other.stems), None)
        if partner is not None:
            if (
                ("unless" in partner.opener) != ("unless" in other.opener)
                and partner.opener in ("if", "unless")
                and other.opener in ("if", "unless")
            ):
                findings.append(Finding(Reason.CONDITION, partner.start, partner.end, item, other.start, other.end))
            continue
        kept = share(sorted(other.stems), view.analysis.stems)
        main = item.analysis.stems - other.stems
        if kept < 0.67 and view.stems and share(view.stems, main) >= 0.6:
            findings.append(
                Finding(Reason.CONDITION, 0, len(view.claim.text), item, other.start, other.end, hard=False)
            )
    return findings
