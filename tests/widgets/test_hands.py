"""What a hand does to a living graph: dragged beliefs, edited matrices, undo of all of it."""

import numpy as np
import pytest
from student import THETA, student

from fgnwidgets import propagate
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.entry import edited
from fgnwidgets.widgets.hands import softened


@pytest.fixture
def view():
    return GraphView(student(), THETA)


def wish(view, **asked):
    wish.number += 1
    view.set_state({"wish": {**asked, "number": wish.number}})


wish.number = 0


@pytest.mark.parametrize("to", [0.03, 0.5, 0.97])
@pytest.mark.parametrize("given", [{}, {"I": "high"}, {"G": [0.2, 1, 0.7]}, {"G": "B"}])
def test_a_dragged_belief_is_where_the_hand_is_and_the_others_keep_their_ratio(view, to, given):
    view.evidence = given
    free = propagate(student(), THETA, {k: v for k, v in {"I": "high"}.items() if k in given})
    before = free["G"].p[:, 0]
    view.soften("G", 1, to)
    after = view.messages["G"].p[:, 0]
    assert after[1] == pytest.approx(to, abs=1e-5)
    known = given["G"] if isinstance(given.get("G"), list) else [1, 1, 1]
    assert after[0] / after[2] == pytest.approx(
        before[0] * known[0] / (before[2] * known[2]), rel=1e-4
    )
    exact = propagate(student(), THETA, {**view.evidence, "G": [view.evidence["G"]]})
    for variable in "DIGSL":
        assert view.messages[variable].p == pytest.approx(exact[variable].p)


def test_a_bar_that_is_dragged_to_its_end_can_be_dragged_back(view):
    view.soften("S", 1, 1)
    assert view.messages["S"].p[1, 0] == pytest.approx(0.999, abs=1e-5)
    view.soften("S", 1, 0)
    view.soften("S", 1, 0.4)
    assert view.messages["S"].p[1, 0] == pytest.approx(0.4, abs=1e-5)


def test_what_no_likelihood_can_do_is_said():
    p, one = np.array([0.0, 0.4, 0.6]), np.ones(3)
    with pytest.raises(ValueError, match="impossible here"):
        softened(p, one, 0, 0.5)
    with pytest.raises(ValueError, match="certain here"):
        softened(np.array([1.0, 0.0]), np.ones(2), 0, 0.5)
    assert softened(p, np.array([0.0, 1, 0]), 1, 0.5) == pytest.approx([2 / 3, 1, 2 / 3], abs=1e-5)


@pytest.mark.parametrize("value", [0, 0.25, 0.5, 1])
def test_an_edited_row_stays_a_distribution_and_the_others_keep_their_ratio(value):
    matrix = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
    made = edited(matrix, 0, 2, value)
    assert made[0] == pytest.approx([0.4 * (1 - value), 0.6 * (1 - value), value])
    assert made[1].tolist() == matrix[1].tolist()
    assert matrix[0].tolist() == [0.2, 0.3, 0.5]  # what was given stays


def test_entries_that_had_nothing_share_what_comes_back():
    assert edited(np.array([[0.0, 1.0, 0.0]]), 0, 1, 0.4)[0] == pytest.approx([0.3, 0.4, 0.3])


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ((0, 3), 0.5, "outside the matrix"),
        ((0, 0), 1.5, "expected a number from 0 to 1"),
        ((0, 0), "a half", "'a half' is no probability"),
        ((0, 0), float("nan"), "nan is no probability"),
    ],
)
def test_what_is_no_entry_is_refused(view, place, value, says):
    with pytest.raises(ValueError, match=says):
        edited(np.full((2, 2), 0.5), *place, value)
    before = view.theta
    wish(view, ask="edit", matrix="S|I", row=place[0], column=place[1], value=value)
    assert says.strip("'") in view.status
    assert view.theta is before
    with pytest.raises(ValueError, match="expected one of D"):
        view.edit("Z", 0, 0, 1)


def test_an_edited_matrix_moves_messages_and_beliefs(view):
    view.evidence = {"S": "high"}
    wish(view, ask="edit", matrix="S|I", row=1, column=0, value=0.9)
    theta = {**THETA, "S|I": [THETA["S|I"][0], [0.9, 0.1]]}
    exact = propagate(student(), theta, {"S": "high"})
    for variable in "DIGSL":
        assert view.messages[variable].p == pytest.approx(exact[variable].p)
    wish(view, ask="edit", matrix="I", row=0, column=0, value=0.1)
    assert view.theta["I"][0] == pytest.approx([0.1, 0.9])


def test_evidence_and_matrices_are_undone_in_the_order_in_which_they_changed(view):
    first = view.theta
    view.evidence = {"S": "high"}
    view.edit("S|I", 0, 0, 0.5)
    second = view.theta
    view.soften("L", 0, 0.3)
    view.edit("D", 0, 0, 0.9)
    for evidence, theta in (
        (view.evidence, second),
        ({"S": "high"}, second),
        ({"S": "high"}, first),
        ({}, first),
    ):
        view.undo()
        assert view.evidence == evidence
        for name, matrix in theta.items():
            assert np.array_equal(view.theta[name], matrix)
    for _ in range(4):
        view.redo()
    assert view.theta["D"][0] == pytest.approx([0.9, 0.1])
    assert set(view.evidence) == {"S", "L"}
    assert (view.scene["undo"], view.scene["redo"]) == (True, False)


def test_a_drag_is_undone_as_one_and_the_next_drag_as_another(view):
    for hand, values in (("drag 1", (0.3, 0.5, 0.7)), ("drag 2", (0.6, 0.2))):
        for value in values:
            wish(view, ask="soften", variable="S", state=1, belief=value, hand=hand)
    view.undo()
    assert view.messages["S"].p[1, 0] == pytest.approx(0.7, abs=1e-5)
    view.undo()
    assert view.evidence == {}


def test_a_change_from_python_is_no_part_of_a_drag(view):
    wish(view, ask="soften", variable="S", state=1, belief=0.6, hand="drag 1")
    dragged = view.evidence
    view.evidence = {"S": "low"}
    view.undo()
    assert view.evidence == dragged


def test_a_wish_that_nobody_knows_is_said(view):
    wish(view, ask="dance")
    assert "'dance'" in view.status
    wish(view, ask="soften", variable="Z", state=0, belief=1)
    assert "'Z'" in view.status
    wish(view, ask="observe", variable="S", cell=1)
    assert view.status == ""
    assert view.evidence == {"S": "high"}


def test_wishes_that_come_together_are_granted_in_their_order_and_each_once(view):
    one = {"ask": "observe", "variable": "S", "cell": 1, "number": "one"}
    two = {"ask": "soften", "variable": "Z", "state": 0, "belief": 1, "number": "two"}
    three = {"ask": "observe", "variable": "D", "cell": 0, "number": "three"}
    view.set_state({"wish": {"all": [one]}})
    assert view.scene["wish"] == "one"
    view.undo()
    view.set_state({"wish": {"all": [one, two, three]}})  # the page has no answer to the first yet
    assert "'Z'" in view.status
    assert (view.evidence, view.scene["wish"]) == ({"D": "easy"}, "three")


def test_what_is_chosen_stays_chosen_when_it_arrives_together_with_older_evidence(view):
    wanted = {"ask": "observe", "variable": "S", "cell": 1, "number": "one"}
    view.set_state({"wish": wanted, "selected": "node:I="})  # as a quick hand's messages are joined
    assert view.evidence == {"S": "high"}
    assert view.selected == "node:I="


def test_what_is_refused_leaves_no_trace(view):
    for asked in ({"round": -4}, {"evidence": {"S": [0, 0]}}, {"selected": "Z"}):
        before = {name: getattr(view, name) for name in ("round", "evidence", "selected")}
        view.set_state(asked)
        assert view.status
        assert {name: getattr(view, name) for name in before} == before


def test_offered_values_are_taken_all_at_once_or_said(view):
    theta = {**THETA, "S|I": [[1, 0], [1, 0]]}
    view.offer(theta=theta, evidence={"S": "high"})
    assert "S = high is impossible here" in view.status
    view.offer(theta=THETA, evidence={"S": "high"})
    assert view.status == ""
    assert view.messages["S"].p[1, 0] == 1


def test_a_branch_that_evidence_splits_is_selected_no_more(view):
    view.selected = "branch:D"
    view.set_state({"evidence": {"D": 0}})
    assert view.selected is None
    assert view.scene["panel"]["title"] == "The living graph"
    view.selected = "branch:D(1)"
    view.undo()
    assert view.selected is None
