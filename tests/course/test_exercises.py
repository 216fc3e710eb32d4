"""Exercises say right to a right answer, and what to look at again to another."""

import importlib
import json
import re

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from fgn_notebooks import chapters, exercises
from fgn_notebooks.exercises import (
    Exercise,
    array,
    arrows,
    check,
    choice,
    derive,
    function,
    hint,
    judging,
    names,
    number,
    outline,
)
from fgnwidgets import BayesGraph, GraphEditor


@pytest.fixture
def one(monkeypatch):
    exercise = Exercise(number(0.5, "the prior"), "halve")
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)


def test_a_right_answer_is_called_right(one):
    judged = check("05.1", 0.5002)
    assert judged and str(judged) == "05.1: right."


def test_a_wrong_answer_is_told_what_to_look_at(one):
    judged = check("05.1", 0.7)
    assert not judged and str(judged) == "05.1: look again: the prior"


def test_a_judgement_is_displayed_as_printed_text_and_nothing_is_said_twice(one, capsys):
    """As the last line of a cell it gives a stream of text, and no Out[ ] with an object."""
    judged = check("05.1", 0.5)
    assert capsys.readouterr().out == ""
    assert InteractiveShell.instance().display_formatter.format(judged) == ({}, {})
    assert capsys.readouterr().out == "05.1: right.\n"


def test_an_answer_of_the_wrong_kind_is_not_a_traceback(one):
    assert "cannot be read" in str(check("05.1", "half"))
    assert "cannot be read" in str(check("05.1", 10**400))  # no float is as large


def test_a_function_that_breaks_is_not_a_traceback(monkeypatch):
    exercise = Exercise(function(lambda x: x, [(1.0,)], "the sign"), "think")
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)
    said = str(check("05.2", lambda x: 1 / 0))
    assert (
        said == "05.2: look again: this answer cannot be read: ZeroDivisionError: division by zero"
    )


def test_no_answer_yet_points_to_the_hint(one, capsys):
    judged = check("05.1", None)
    assert judged.right is None and not judged
    assert str(judged) == "05.1: no answer yet. hint('05.1') helps."
    hint("05.1")
    assert capsys.readouterr().out == "05.1: halve\n"


def test_tries_are_counted_in_a_copy_of_the_course_and_nowhere_else(one, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check("05.1", 0.7)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / judging.RECORD).write_text("{}")
    for answer in (None, 0.7, 0.6, 0.5):
        check("05.1", answer)
    assert json.loads((tmp_path / judging.TRIES).read_text()) == {"05.1": 3}


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


def test_names_may_come_in_any_order_and_case():
    test = names({"X1", "S"}, "which are joined?")
    assert test(["s", "x1"]) is None
    assert test({"S"}) == "which are joined?"
    assert names({"S"}, "look")("s") is None


def test_a_function_must_give_what_ours_gives_in_every_case():
    test = function(np.cumsum, [([1, 2],), ([3, 4, 5],)], "add from the left")
    assert test(np.cumsum) is None
    assert test(lambda values: np.cumsum(values)[::-1]) == "add from the left"
    assert "shape" in test(np.sum)
    assert "expected a function" in test(3.0)


def test_a_proof_is_not_judged_but_compared_once_it_was_written(monkeypatch):
    exercise = derive("start at the end", "our argument")
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)
    assert "too few" in str(check("05.4", "because"))
    assert "as a text" in str(check("05.4", 0.5))
    judged = check("05.4", "word " * 20)
    assert judged.right is None and not judged
    assert "right" not in str(judged) and "our argument" in str(judged)
    assert outline("05.4") == "our argument"


WITH_EXERCISES = [c for c in chapters.chapters() if c.number != "D"]
KINDS = {"closed", "derive", "fault", "open"}
DEFAULTS = (0, 0.0, 1, 1.0, -1, 0.5, "", "answer", False, True, [], [0], np.zeros((2, 2)), print)


def asked(chapter):
    text = "\n".join(chapters.source(cell) for cell in chapters.read(chapter.path)["cells"])
    return re.findall(r'check\("([0-9A-Z]+\.[0-9]+)"', text)


@pytest.mark.parametrize("chapter", WITH_EXERCISES, ids=lambda c: c.path.stem)
def test_every_chapter_checks_its_exercises_and_has_one_of_each_kind(chapter):
    found = {name: exercises.find(name) for name in asked(chapter)}
    assert list(found) == [f"{chapter.number}.{k + 1}" for k in range(len(found))]
    kept = importlib.import_module(f"fgn_notebooks.exercises.chapter_{chapter.number}").EXERCISES
    assert list(found) == list(kept)  # none that no chapter asks
    assert {exercise.kind for exercise in found.values()} >= KINDS
    assert all(exercise.hint for exercise in found.values())


@pytest.mark.parametrize("chapter", WITH_EXERCISES, ids=lambda c: c.path.stem)
def test_no_answer_that_somebody_might_leave_standing_is_called_right(chapter):
    for name in asked(chapter):
        for default in DEFAULTS:
            said = str(check(name, default))
            assert "right" not in said and "written" not in said, (name, default)


@pytest.mark.parametrize("chapter", WITH_EXERCISES, ids=lambda c: c.path.stem)
def test_no_plain_copy_calls_an_answer_right_that_nobody_gave(chapter):
    stored = chapters.read(chapter.path)
    judged = [name for name in asked(chapter) if not exercises.find(name).outline]
    assert chapters.dumps(stored).count(": right.\\n") == len(judged)
    assert ": right.\\n" not in chapters.dumps(chapters.without_solutions(stored))


@pytest.mark.parametrize("chapter", WITH_EXERCISES, ids=lambda c: c.path.stem)
def test_every_planted_fault_is_a_fault(chapter):
    """The function that a chapter shows before the solution must not pass the check itself."""
    cells = chapters.read(chapter.path)["cells"]
    planted = [c for c in cells if "planted-fault" in c["metadata"].get("tags", ())]
    assert len(planted) == 1
    space = {"np": np}
    exec(chapters.source(planted[0]), space)  # our own chapter, which the tests run anyway
    (name,) = [n for n in asked(chapter) if exercises.find(n).kind == "fault"]
    assert "look again" in str(check(name, space["wrong"]))


@pytest.mark.parametrize(
    ("parents", "says"),
    [
        ({"Ice": "Winter", "Heat": "Winter"}, None),
        ({"Ice": "Winter"}, "what does the story say of Heat?"),
        ({"Winter": "Ice", "Heat": "Winter"}, "Ice and Winter: which of the two comes first"),
        ({"Ice": "Winter", "Heat": ["Winter", "Ice"]}, "they have one cause"),
        ({"Ice": ["Winter", "Sun"], "Heat": "Winter"}, "look at sun"),
    ],
)
def test_a_graph_is_compared_arrow_by_arrow(parents, says):
    names = dict.fromkeys(["Winter", "Ice", "Heat"], 2)
    names |= {"Sun": 2} if "Sun" in str(parents) else {}
    about = {("Ice", "Heat"): "they have one cause"}
    said = arrows({"Ice": ["Winter"], "Heat": ["Winter"]}, about)(BayesGraph(names, parents))
    assert said is None if says is None else says in said


def test_an_editor_is_an_answer_and_a_number_is_none():
    test = arrows({"Ice": ["Winter"]}, {})
    assert test(GraphEditor(BayesGraph({"winter": 2, "ICE": 2}, {"ICE": "winter"}))) is None
    assert "expected a graph" in test(0.5)
