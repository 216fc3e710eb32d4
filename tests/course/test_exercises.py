"""Exercises say right to a right answer, and what to look at again to another."""

import re

import pytest

from fgn_notebooks import chapters, exercises
from fgn_notebooks.exercises import Exercise, array, check, choice, hint, number


@pytest.fixture
def one(monkeypatch):
    monkeypatch.setattr(exercises, "find", lambda name: Exercise(number(0.5, "the prior"), "halve"))


def test_a_right_answer_is_called_right(one, capsys):
    check("05.1", 0.5002)
    assert capsys.readouterr().out == "05.1: right.\n"


def test_a_wrong_answer_is_told_what_to_look_at(one, capsys):
    check("05.1", 0.7)
    assert capsys.readouterr().out == "05.1: look again: the prior\n"


def test_an_answer_of_the_wrong_kind_is_not_a_traceback(one, capsys):
    check("05.1", "half")
    assert "cannot be read" in capsys.readouterr().out


def test_no_answer_yet_points_to_the_hint(one, capsys):
    check("05.1", None)
    hint("05.1")
    assert capsys.readouterr().out == "05.1: no answer yet. hint('05.1') helps.\n05.1: halve\n"


def test_an_array_of_another_shape_is_told_so():
    assert "shape" in array([1.0, 2.0], "values")([1.0])
    assert array([1.0, 2.0], "values")([1.0, 2.5]) == "values"
    assert array([1.0, 2.0], "values")([1.0, 2.0]) is None


def test_a_number_may_come_in_an_array_of_one_and_not_of_two():
    test = number(0.5, "the prior")
    assert test([0.5]) is None
    assert test([0.5, 0.5]) == "expected one number, and this is 2 of them"


def test_a_wrong_word_gets_the_remark_that_is_meant_for_it():
    test = choice("ml", {"kl": "which one climbs?"})
    assert test("ML") is None
    assert test("kl") == "which one climbs?"
    assert "expected one of" in test("nothing")


def test_an_unknown_exercise_names_those_that_there_are():
    with pytest.raises(ValueError, match="no exercise '77.1'"):
        exercises.find("77.1")


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda c: c.path.stem)
def test_every_chapter_checks_three_exercises_that_exist(chapter):
    text = "\n".join(chapters.source(cell) for cell in chapters.read(chapter.path)["cells"])
    prefix = chapter.path.stem.partition("_")[0]
    asked = re.findall(r'check\("([0-9A-B]+\.[0-9])"', text)
    assert sorted(asked) == [f"{prefix}.{k}" for k in (1, 2, 3)]
    for name in asked:
        assert exercises.find(name).hint


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda c: c.path.stem)
def test_no_plain_copy_calls_an_answer_right_that_nobody_gave(chapter):
    stored = chapters.read(chapter.path)
    assert chapters.dumps(stored).count(": right.\\n") == 3
    assert ": right.\\n" not in chapters.dumps(chapters.without_solutions(stored))
