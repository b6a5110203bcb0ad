from benchmarks import texts


def test_texts_are_the_same_on_every_run() -> None:
    assert texts.make(5, 50) == texts.make(5, 50)


def test_a_shape_has_the_sentences_it_names() -> None:
    response, source = texts.make(5, 50)
    assert response.count(".") == 5
    assert source.count(".") == 50


def test_half_of_the_claims_stand_in_the_source() -> None:
    response, source = texts.make(10, 50)
    claims = [claim.rstrip(".") for claim in response.split(". ")]
    assert sum(claim in source for claim in claims) == 5


def test_a_source_of_so_many_words_is_within_one_sentence_of_it() -> None:
    _, source = texts.make_words(5, 1000)
    assert 1000 <= len(source.split()) < 1030
