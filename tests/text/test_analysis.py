"""A sentence taken apart."""

from groundwire.text.analysis import analyse


def test_a_clause_without_a_subject_takes_that_of_the_clause_before() -> None:
    sentence = analyse("Anna runs the shop and sells bread.")
    assert sentence.inherited_subject(0) == frozenset()
    assert sentence.inherited_subject(sentence.clauses[-1]) == {"anna"}


def test_a_subject_holds_through_more_clauses_than_the_stack_has_room_for() -> None:
    sentence = analyse("Anna is here " + "and is there " * 3_000)
    assert sentence.clauses[-1] == 3_000
    assert sentence.inherited_subject(3_000) == {"anna"}
