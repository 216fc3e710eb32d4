"""Exercises say right to a right answer, and what to look at again to another."""

import importlib
import itertools
import json
import re
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from fgn_notebooks import chapters, exercises
from fgn_notebooks.exercises import (
    Exercise,
    array,
    arrows,
    assess,
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
from fgnwidgets import BayesGraph, GraphEditor, normalize

PROOF = """Every step multiplies by a factor that depends on samples alone, so zero remains where
it was, and nothing above it can vanish unless each product in that sum disappears as well."""


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


@pytest.mark.parametrize("answer", ["half", "1/0", "1/2/3", "", "4/x", "50 percent", 10**400])
def test_what_is_no_number_is_told_how_a_number_is_written(one, answer):
    said = str(check("05.1", answer))
    assert said.startswith("05.1: look again: ") and "Error" not in said
    assert "'4/7' or '57.14 %'" in said or "too large" in said


@pytest.mark.parametrize("answer", [{"a": 1}, {0.5}, print, None, float("nan"), [[1], [1, 2]], 1j])
def test_an_answer_of_the_wrong_kind_is_not_a_traceback(one, answer):
    said = str(check("05.1", answer))
    assert "Error" not in said and "right" not in said


@pytest.mark.parametrize(
    "answer",
    [
        *("1/2", " 1 / 2 ", "50 %", "50%", "0.5", ".5", "0,5", "5e-1", "+0.5", "2/4", "0.25/0.5"),
        *("50,0 %", "1\N{FRACTION SLASH}2", ["1/2"], np.array(["0.5"]), np.array([[0.5]])),
        *(Fraction(1, 2), Decimal("0.5"), np.float32(0.5), ("50 %",)),
    ],
)
def test_a_fraction_a_percentage_and_a_decimal_comma_are_numbers(one, answer):
    assert check("05.1", answer)


@pytest.mark.parametrize("answer", ["1e9999999", "-1e-9999999", "1/1e9999999", "9" * 10**6])
def test_a_number_of_millions_of_digits_is_refused_and_not_worked_out(one, answer):
    began = time.perf_counter()
    assert not check("05.1", answer) and "is no number" in check("05.1", answer).says
    assert time.perf_counter() - began < 5
    assert (
        check("05.1", "0.5" + "0" * 500) and check("05.1", "0.5e0") and not check("05.1", "0e999")
    )


def test_a_minus_sign_of_any_kind_is_read_as_one():
    assert number(-0.5, "the sign")("\N{MINUS SIGN}1/2") is None
    assert number(-0.5, "the sign")("1/2") == "the sign"


def test_entries_of_an_array_may_be_fractions():
    test = array([[1 / 3, 2 / 3], [1, 0]], "values")
    assert test([["1/3", "2/3"], [1, 0]]) is None
    assert test(np.array([["33.33 %", "66.67 %"], ["1", "0"]])) is None
    assert test([["1/3", "1/3"], [1, 0]]) == "values"


@pytest.mark.parametrize("answer", [-317.3, "-317.3", "-317,3", np.float64(-317.3), [-317.3]])
def test_a_number_that_is_rounded_too_much_is_told_how_many_decimals_are_needed(answer):
    said = number(-317.2568, "with two states", 1e-2)(answer)
    assert said == "as far as it goes this agrees; give at least 2 decimals"
    assert number(-317.2568, "with two states", 1e-2)(-317.26) is None


@pytest.mark.parametrize("answer", [-317.4, -317, 0.0, -317.2, "-1e2"])
def test_a_number_that_is_not_ours_rounded_is_told_nothing_of_decimals(answer):
    assert number(-317.2568, "with two states", 1e-2)(answer) == "with two states"


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


@pytest.mark.parametrize(
    "text", ["X1, S", "{'S', 'X1'}", '{"s","x1"}', "S and X1", "S; X1.", "['X1' 'S']", "(S, X1)"]
)
def test_a_set_of_names_may_be_given_as_a_text(text):
    test = names({"X1", "S"}, "which are joined?")
    assert test(text) is None
    assert test(text.replace("1", "2")) == "which are joined?"


def test_what_holds_no_names_is_told_how_to_write_a_set(monkeypatch):
    exercise = Exercise(names({"S"}, "look"), "think")
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)
    assert "write a set such as {'A', 'B'}" in str(check("05.3", 0.5))


@pytest.mark.parametrize("answer", ["ml", "'ML'", '"ml".', {"ml"}, ["ML"]])
def test_a_word_may_come_in_quotes_or_alone_in_a_set(answer):
    assert choice("ml", {"kl": "which one climbs?"})(answer) is None


def test_a_function_must_give_what_ours_gives_in_every_case():
    test = function(np.cumsum, [([1, 2],), ([3, 4, 5],)], "add from the left")
    assert test(np.cumsum) is None
    assert test(lambda values: np.cumsum(values)[::-1]) == "add from the left"
    assert "shape" in test(np.sum)
    assert "expected a function" in test(3.0)


def test_a_message_may_have_any_scale_and_a_distribution_is_told_that_only_its_scale_is_wrong():
    def right(m):
        return m / m.sum(axis=0)

    case = (np.array([[1.0, 2.0], [3.0, 1.0]]),)
    message, belief = (
        function(right, [case], "rows", any_scale=True),
        function(right, [case], "rows"),
    )
    for scaled in (lambda m: 7 * right(m), lambda m: m):
        assert message(scaled) is None
        assert belief(scaled) == "it is right up to a factor: what must the result sum to?"
    for wrong in (lambda m: -right(m), lambda m: right(m)[::-1], lambda m: 0 * m, lambda m: m / 0):
        with np.errstate(divide="ignore", invalid="ignore"):
            assert message(wrong) not in (None, belief(right)), wrong


def test_exercise_01_5_takes_a_message_of_any_scale():
    assert check("01.5", lambda theta, b_y: theta @ b_y)
    assert check("01.5", lambda theta, b_y: 3 * normalize(theta @ b_y))
    assert not check("01.5", lambda theta, b_y: normalize(theta.T @ theta @ b_y)[: len(theta)])


def test_a_proof_is_not_judged_but_compared_once_it_was_written(monkeypatch):
    exercise = derive("start at the end", "our argument")
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)
    assert "too few" in str(check("05.4", "because"))
    assert "as a text" in str(check("05.4", 0.5))
    assert "repeats the same 1 words" in str(check("05.4", "word " * 20))
    judged = check("05.4", PROOF)
    assert judged.right is None and not judged
    assert "right" not in str(judged) and "our argument" in str(judged)
    assert outline("05.4") == "our argument"


def test_the_question_is_no_answer_to_itself():
    for name in ("00.4", "05.3", "13.6", "C.3"):
        asks = judging.question(name)
        assert len(asks.split()) > 15
        for copied in (asks, asks.upper(), f"{asks} {asks}", f"I think that {asks}"):
            said = str(check(name, copied))
            assert said.endswith("in your own what you found, and why"), name
        assert "written" in str(check(name, f"{asks} {PROOF}"))


def test_a_text_is_assessed_by_the_points_of_our_outline(monkeypatch, capsys):
    exercise = derive("start", "our argument", points=("zero stays", "the sum", "so it ends"))
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)
    assert str(check("05.3", PROOF)).splitlines()[-3:] == [
        "  1. zero stays",
        "  2. the sum",
        "  3. so it ends",
    ]
    assess("05.3", 1, 3)
    assert capsys.readouterr().out == (
        "05.3: your text makes 2 of 3 points.\nLeft to add:\n  2. the sum\n"
    )
    assess("05.3", 3, 2, 1)
    assert capsys.readouterr().out == "05.3: your text makes 3 of 3 points.\n"
    with pytest.raises(ValueError, match="05.3 has the points 1 to 3; got 4"):
        assess("05.3", 4)


def test_only_texts_have_points_to_assess():
    with pytest.raises(ValueError, match=r"05\.1 has no points to assess"):
        assess("05.1", 1)


def test_a_hint_asked_for_again_goes_a_step_further(monkeypatch, capsys):
    exercise = Exercise(number(0.5, "the prior"), "halve", further="divide one by two")
    monkeypatch.setattr(judging, "find", lambda name, student=None: exercise)
    monkeypatch.setattr(judging, "_asked", {})
    said = []
    for _ in range(3):
        hint("05.1")
        said.append(capsys.readouterr().out)
    assert said[0] == "05.1: halve (hint('05.1') once more goes a step further.)\n"
    assert said[1:] == ["05.1: divide one by two\n"] * 2
    hint("05.1", 1)
    assert capsys.readouterr().out == said[0]
    with pytest.raises(ValueError, match="05.1 has 2 hints"):
        hint("05.1", 3)


WITH_EXERCISES = [c for c in chapters.chapters() if c.number not in ("D", "E")]
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
    assert all(exercise.hint and exercise.further for exercise in found.values())
    assert all(len(e.points) > 1 for e in found.values() if e.outline)


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


def emptied(value):
    """Overwrite the numbers in an argument of an exercise, and those of its parts."""
    if isinstance(value, np.ndarray):
        value[...] = 0
    elif isinstance(value, list):
        for each in value:
            emptied(each)
        value.clear()


@pytest.mark.parametrize("chapter", WITH_EXERCISES, ids=lambda c: c.path.stem)
def test_an_answer_that_works_in_place_is_right_and_one_that_spoils_its_arguments_is_no_way_out(
    chapter,
):
    """Our answer is the chapter's own solution, and ours again with its arguments overwritten."""
    (name,) = [n for n in asked(chapter) if exercises.find(n).kind == "fault"]
    cells = chapters.read(chapter.path)["cells"]
    (place,) = [k for k, c in enumerate(cells) if f'check("{name}"' in chapters.source(c)]
    space = {"np": np, "normalize": normalize, "pairwise": itertools.pairwise}
    space["unit"] = lambda message: message / message.sum(axis=0)
    exec(chapters.source(cells[place - 1]), space)  # our own chapter
    (wrong,) = [c for c in cells if "planted-fault" in c["metadata"].get("tags", ())]
    exec(chapters.source(wrong), space)

    def afterwards(*given):
        result = np.array(space["mended"](*given), dtype=float)
        emptied(list(given))
        return result

    def spoiled(*given):
        result = np.array(space["wrong"](*given), dtype=float)
        emptied(list(given))
        return result

    for _ in range(2):  # the second check gets what the first has left
        assert check(name, space["mended"]) and check(name, afterwards), name
        assert not check(name, spoiled), name


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
