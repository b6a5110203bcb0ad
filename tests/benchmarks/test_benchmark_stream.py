import random

from benchmarks import plot, stream
from benchmarks.stream_data import Sentence, Stream, edited, edits, quoted

SOURCE = (
    "The bridge in Lisbon was opened in 1966 and is 2,277 metres long. Tolls are not charged on Sundays in August. "
    "It carries about 150,000 cars every day across the river."
)
RIGHT = Stream(SOURCE, (Sentence("It carries about 150,000 cars every day across the river.", 1, "ok"),))
WRONG = Stream(SOURCE, (Sentence("It carries about 90,000 cars every day across the river.", 0, "number"),))


def test_edits_change_one_respect_and_use_values_the_source_does_not_have() -> None:
    made = dict(edits(SOURCE.split(". ")[0] + ".", SOURCE, random.Random(0)))
    assert set(made) == {"date", "number", "name", "negation"}
    assert "1966" not in made["date"]
    assert "Lisbon" not in made["name"]
    assert "2,277" not in made["number"]
    assert " not " in made["negation"]


def test_streams_are_made_from_right_answers_and_from_the_source() -> None:
    assert all(not item.is_right for item in edited([RIGHT]))
    right, wrong = quoted([RIGHT])
    assert all(item.is_right for item in right)
    assert all(item.sentences[-1].label == 0 for item in wrong)


def test_the_threshold_keeps_false_halts_within_the_share() -> None:
    judged = [stream.judge(item) for item in [RIGHT] * 10 + [WRONG] * 5]
    figures = stream.figures_of(judged[:10], judged[10:])
    point = figures["at_3_percent_false_halts"]["certainty"]
    assert (point["false_halts"], point["stopped"]) == (0.0, 1.0)
    assert figures["default_policy"]["stopped"] == 1.0


def test_the_picture_holds_every_series() -> None:
    drawn = plot.line_chart("t", "x", "y", {"a < b": [(0.01, 0.5), (0.1, 0.9)]}, 0.2)
    assert drawn.count("<polyline") == 1
    assert "a &lt; b" in drawn
