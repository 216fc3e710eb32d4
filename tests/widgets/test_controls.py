"""The controls of a lab: limits, exact values, and names for screen readers."""

import math

import ipywidgets
import pytest

from fgnwidgets.widgets import Choice, Exponent, Integer, Many, Real, Toggle
from fgnwidgets.widgets.lab.rows import spoken, symbol_html

SHARPNESS = Exponent("EX", 0.1, 100, 1.0, "how sharp")
SHIFT = Real("shift", -1, 1, 0.0, step=0.05)
SIZE = Integer("M_X", 2, 9, 4, "how many values X takes")
RULES = Many("rules", ("ml", "kl", "vit"), ("ml", "vit"), labels=("ML", "KL", "VIT"))
START = Choice("start", ("messages", "matrices"), "messages")
SPLIT = Toggle("split", False)


def parts(row, kind):
    return [widget for widget in leaves(row.view) if isinstance(widget, kind)]


def leaves(widget):
    if not hasattr(widget, "children"):
        return [widget]
    return [leaf for child in widget.children for leaf in (
        leaves(child) if hasattr(child, "children") else [child]
    )]  # fmt: skip


def slider(row):
    (found,) = parts(row, ipywidgets.IntSlider)
    return found


def box(row):
    (found,) = parts(row, ipywidgets.FloatText)
    return found


@pytest.mark.parametrize("control", [SIZE, SHIFT, SHARPNESS, RULES, START, SPLIT])
def test_a_new_row_says_the_first_value_exactly(control):
    assert control.row().value == control.value


@pytest.mark.parametrize(
    ("control", "value", "words"),
    [
        (SIZE, 10, "from 2 to 9"),
        (SIZE, 2.5, "a whole number from 2 to 9"),
        (SIZE, True, "a whole number"),
        (SIZE, "3", "a whole number"),
        (SIZE, math.nan, "a whole number"),
        (SHIFT, 1.01, "a number from -1 to 1"),
        (SHARPNESS, 0.0, "a number from 0.1 to 100"),
        (SHARPNESS, None, "a number from 0.1 to 100"),
        (SHARPNESS, math.inf, "a number from 0.1 to 100"),
        (START, "random", "one of 'messages', 'matrices'"),
        (SPLIT, 2, "True or False"),
        (RULES, (), "some of 'ml', 'kl', 'vit'"),
        (RULES, ("ml", "var"), "some of 'ml', 'kl', 'vit'"),
        (RULES, 7, "some of 'ml', 'kl', 'vit'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_was_expected(control, value, words):
    with pytest.raises(ValueError, match="expected") as caught:
        control.check(value)
    assert words in str(caught.value)


def test_some_of_several_keep_their_order_and_may_be_one():
    assert RULES.check(["vit", "ml"]) == ("ml", "vit")
    assert RULES.check("kl") == ("kl",)


@pytest.mark.parametrize("control", [SIZE, SHIFT, SHARPNESS])
def test_every_position_of_a_slider_is_a_value_in_range_and_stays_where_it_is(control):
    row = control.row()
    handle = slider(row)
    seen = []
    for position in range(handle.min, handle.max + 1):
        handle.value = position
        assert handle.value == position  # a slider that moves by itself would fight the hand
        seen.append(control.check(row.value))
    assert seen == sorted(set(seen))
    assert (seen[0], seen[-1]) == (control.min, control.max)


@pytest.mark.parametrize(("control", "typed"), [(SHARPNESS, 3.14159), (SHIFT, 0.123)])
def test_a_typed_value_between_two_positions_stays_exact(control, typed):
    row = control.row()
    box(row).value = typed
    assert row.value == typed
    near = slider(row).value
    slider(row).value = near + 1
    slider(row).value = near
    assert row.value == pytest.approx(typed, rel=0.2, abs=0.03)


def test_a_move_is_told_once():
    for control, move in (
        (SIZE, lambda row: setattr(slider(row), "value", 7)),
        (SHARPNESS, lambda row: setattr(slider(row), "value", 7)),
        (SHARPNESS, lambda row: setattr(box(row), "value", 2.0)),
        (RULES, lambda row: setattr(row, "value", ("kl",))),
        (SPLIT, lambda row: setattr(row, "value", True)),
    ):
        row, told = control.row(), []
        row.on_change(lambda told=told: told.append(1))
        move(row)
        assert len(told) == 1


def test_the_last_of_several_boxes_cannot_be_cleared():
    row = Many("rules", ("ml", "kl"), ("ml",)).row()
    told = []
    row.on_change(lambda: told.append(row.value))
    ticked = parts(row, ipywidgets.Checkbox)
    ticked[0].value = False
    assert row.value == ("ml",)
    ticked[1].value = True
    ticked[0].value = False
    assert row.value == ("kl",)
    assert told[-2:] == [("ml", "kl"), ("kl",)]


def test_all_boxes_can_be_cleared_where_none_is_an_answer():
    days = Many("days", ("1", "2"), ("1",), empty=True)
    assert days.check(()) == ()
    row, told = days.row(), []
    row.on_change(lambda: told.append(row.value))
    parts(row, ipywidgets.Checkbox)[0].value = False
    assert told == [()]
    for wrong in (None, 3, ("1", "9"), "9"):
        with pytest.raises(ValueError, match="expected some of '1', '2'"):
            days.check(wrong)


def test_the_page_shows_labels_and_the_value_keeps_the_names():
    row = RULES.row()
    assert [w.description for w in parts(row, ipywidgets.Checkbox)] == ["ML", "KL", "VIT"]
    assert row.value == ("ml", "vit")
    row = Choice("start", ("a", "b"), "b", labels=("one", "two")).row()
    (menu,) = parts(row, ipywidgets.Dropdown)
    assert (menu.label, row.value) == ("two", "b")


def test_symbols_are_set_with_an_index_and_harmless():
    assert symbol_html("M_X1") == "<i>M</i><sub>X1</sub>"
    assert symbol_html("<b>") == "&lt;b&gt;"


def test_a_control_is_named_by_its_symbol_and_what_it_means():
    assert spoken(SIZE.symbol, SIZE.help) == "M_X: how many values X takes"
    assert spoken("seed", "") == "seed"


def test_a_row_without_meaning_is_greyed():
    for control in (SIZE, RULES, START):
        row = control.row()
        row.enable(False)
        widgets = [w for w in leaves(row.view) if hasattr(w, "disabled")]
        assert widgets
        assert all(w.disabled for w in widgets)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        (2.7, "is 2.7: expected a whole number from 1 to 8; it stays at 3"),
        (27, "is 27: expected from 1 to 8; it stays at 3"),
    ],
)
def test_a_typed_value_that_is_refused_is_taken_back_and_told_in_words(typed, why):
    row, told = Integer("M_X", 1, 8, 3).row(), []
    row.on_refused(told.append)
    box(row).value = typed
    assert (row.value, box(row).value, slider(row).value) == (3, 3, 3)
    assert told == [why]


def test_the_last_box_stays_ticked_and_says_so():
    row, told = Many("rules", ("ml", "kl"), ("ml",), labels=("ML", "KL")).row(), []
    row.on_refused(told.append)
    ticked = next(w for w in leaves(row.view) if getattr(w, "description", "") == "ML")
    ticked.value = False
    assert row.value == ("ml",) and ticked.value
    assert told == ["cannot be empty: ML stays"]


def test_a_step_moves_a_slider_by_one_position_and_not_beyond_its_ends():
    row = Exponent("EX", 0.1, 100, 1.0).row()
    row.step(1)
    assert row.value == pytest.approx(1.12, abs=0.01)  # an equal ratio, wherever it is
    row.step(-100)
    assert row.value == 0.1
    row.step(-1)
    assert row.value == 0.1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Integer("n", 1, 500, 1000), "Integer('n'): value is 1000: expected from 1 to 500"),
        (lambda: Integer("n", 1, 2.5, 1), "Integer('n'): max is 2.5: expected a whole number"),
        (lambda: Integer("n", 9, 1, 3), "Integer('n'): min is 9 and max 1: expected min < max"),
        (lambda: Integer(1, 500, 10, 100), "symbol is 1: expected a text"),
        (lambda: Real("x", 0, 1, 2.0), "Real('x'): value is 2.0: expected a number from 0 to 1"),
        (lambda: Real("x", 0, 1, 0.5, step=0), "step is 0: expected at most max - min"),
        (lambda: Real("x", 0, 1, 0.5, step=3), "step is 3: expected at most max - min"),
        (lambda: Exponent("e", 0, 10, 1.0), "min is 0: expected more than 0"),
        (lambda: Choice("c", ("a", "b"), "z"), "value is 'z': expected one of 'a', 'b'"),
        (lambda: Choice("c", "ab", "a"), "options is 'ab': expected texts"),
        (lambda: Choice("c", ("a", "a"), "a"), "expected each once"),
        (lambda: Choice("c", ("a", "b"), "a", labels=("one",)), "1 labels for 2 options"),
        (lambda: Toggle("t", "yes"), "value is 'yes': expected True or False"),
        (lambda: Many("m", ("a", "b"), ()), "value is (): expected some of 'a', 'b'"),
    ],
)
def test_a_control_that_cannot_be_says_so_when_it_is_made(make, words):
    with pytest.raises(ValueError, match="expected") as caught:
        make()
    assert words in str(caught.value)


def test_lists_of_options_and_numbers_of_another_type_become_those_of_the_control():
    assert Choice("c", ["a", "b"], "a").options == ("a", "b")
    assert Many("m", ["a", "b"], ["b"]).value == ("b",)
    assert type(Real("x", 0, 2, 1).value) is float


def test_a_row_has_no_layouts_and_styles_of_its_own():
    """107 to 225 models in a lab were mostly those; each costs a message and room in a file."""
    rows = [SIZE.row(), SHARPNESS.row(), RULES.row(), START.row(), SPLIT.row()]
    widgets = [w for row in rows for w in (row.view, *leaves(row.view))]
    assert len({id(w.layout) for w in widgets}) == 1
    boxes = [w for w in widgets if isinstance(w, ipywidgets.Checkbox)]
    assert len({id(w.style) for w in boxes}) == 1
