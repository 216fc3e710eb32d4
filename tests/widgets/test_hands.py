"""What a hand does to a living graph: dragged beliefs, edited matrices, undo of all of it."""

import numpy as np
import pytest
from pages_say import asked, heard
from student import THETA, student
from tiers import mostly_slow

from fgnwidgets import propagate
from fgnwidgets.data.evidence import ImpossibleEvidence
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.graph.edits import softened
from fgnwidgets.widgets.graph.entry import edited
from fgnwidgets.widgets.graph.observed import as_table


@pytest.fixture
def view():
    return GraphView(student(), THETA)


def request(view, *, ask, gesture="", **given):
    return asked(view, ask, gesture=gesture, **given)


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
    request(view, ask="edit", matrix="S|I", row=place[0], column=place[1], value=value)
    assert says.strip("'") in view.status
    assert view.theta is before
    with pytest.raises(ValueError, match="expected one of D"):
        view.edit("Z", 0, 0, 1)


def test_an_edited_matrix_moves_messages_and_beliefs(view):
    view.evidence = {"S": "high"}
    request(view, ask="edit", matrix="S|I", row=1, column=0, value=0.9)
    theta = {**THETA, "S|I": [THETA["S|I"][0], [0.9, 0.1]]}
    exact = propagate(student(), theta, {"S": "high"})
    for variable in "DIGSL":
        assert view.messages[variable].p == pytest.approx(exact[variable].p)
    request(view, ask="edit", matrix="I", row=0, column=0, value=0.1)
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
    for gesture, values in (("drag 1", (0.3, 0.5, 0.7)), ("drag 2", (0.6, 0.2))):
        for value in values:
            request(view, ask="soften", variable="S", state=1, belief=value, gesture=gesture)
    view.undo()
    assert view.messages["S"].p[1, 0] == pytest.approx(0.7, abs=1e-5)
    view.undo()
    assert view.evidence == {}


def test_a_change_from_python_is_no_part_of_a_drag(view):
    request(view, ask="soften", variable="S", state=1, belief=0.6, gesture="drag 1")
    dragged = view.evidence
    view.evidence = {"S": "low"}
    view.undo()
    assert view.evidence == dragged


def test_a_wish_that_nobody_knows_is_said(view):
    request(view, ask="dance")
    assert "'dance'" in view.status
    request(view, ask="soften", variable="Z", state=0, belief=1)
    assert "'Z'" in view.status
    request(view, ask="observe", variable="S", cell=1)
    assert view.status == ""
    assert view.evidence == {"S": "high"}


def test_wishes_are_carried_out_in_their_order_and_each_once(view):
    one = {"do": "toggle", "with": {"variable": "S", "state": 1}}
    two = {"do": "soften", "with": {"variable": "Z", "state": 0, "belief": 1}}
    three = {"do": "observe", "with": {"variable": "D", "cell": 0}}
    said = heard(
        view, [{"request": n, "from": "a", **w} for n, w in enumerate([one, two, three], 1)]
    )
    assert [answer["answer"] for answer in said] == [1, 2, 3]
    assert [bool(answer["fault"]) for answer in said] == [False, True, False]
    assert view.evidence == {"S": "high", "D": "easy"}
    assert heard(view, [{"request": 1, "from": "a", **one}])[0]["answer"] == 1  # it came again
    assert view.evidence == {"S": "high", "D": "easy"}
    heard(view, [{"request": 1, "from": "b", **one}])  # another view's first
    assert view.evidence == {"D": "easy"}


def test_what_happens_once_reaches_the_view_that_asked_and_is_no_state(view):
    before = view.get_state()
    said = heard(view, [{"request": 1, "from": "a", "do": "code", "with": {}}])
    assert [message["from"] for message in said] == ["a", "a"]
    assert said[0]["event"] == "code" and "propagate(graph, theta, evidence)" in said[0]["text"]
    assert view.get_state() == before


def test_presses_that_follow_at_once_count_from_what_python_has(view):
    for expected in ({"S": "high"}, {}, {"S": "high"}):
        request(view, ask="toggle", variable="S", state=1)
        assert view.evidence == expected
    for expected in ("easy", "hard", None, "easy"):
        request(view, ask="cycle", variable="D")
        assert view.evidence.get("D") == expected
    for expected in ("node:S|I", None, "node:S|I"):
        request(view, ask="select", part="S|I")
        assert view.selected == expected
    last = view.rounds
    for by, expected in ((-2, last - 2), (-3, last - 5), (99, last), (-99, 0)):
        request(view, ask="go", by=by)
        assert view.round == expected


def test_steps_add_up_and_a_held_key_is_undone_as_one(view):
    for _ in range(3):
        request(view, ask="nudge", variable="S", state=1, by=0.05, gesture="key 1")
    assert view.messages["S"].p[1, 0] == pytest.approx(0.425, abs=1e-5)
    for _ in range(3):
        request(view, ask="step", matrix="S|I", row=0, column=0, by=-0.01, gesture="key 2")
    assert view.theta["S|I"][0, 0] == pytest.approx(0.92)
    view.undo()
    assert view.theta["S|I"][0, 0] == 0.95
    view.undo()
    assert view.evidence == {}
    request(view, ask="observe", variable="S", cell=1)
    request(view, ask="nudge", variable="S", state=1, by=-0.05)
    assert view.messages["S"].p[1, 0] == pytest.approx(0.95, abs=1e-5)


def test_a_gesture_that_is_broken_off_leaves_no_trace(view):
    view.evidence = {"D": "easy"}
    for value in (0.3, 0.8):
        request(view, ask="soften", variable="S", state=1, belief=value, gesture="drag 1")
    request(view, ask="cancel", gesture="drag 1")
    assert view.evidence == {"D": "easy"}
    request(view, ask="cancel", gesture="drag 1")  # a second one finds nothing
    assert view.evidence == {"D": "easy"}
    view.undo()
    assert view.evidence == {}


@pytest.mark.parametrize(
    ("typed", "row"),
    [
        ([{0: "0.5"}, {1: "0.2"}], [0.5, 0.2, 0.3]),
        ([{0: "0,5"}], [0.5, 0.5 * 0.4 / 0.7, 0.5 * 0.3 / 0.7]),
        ([{0: "1"}, {0: ".5"}], [0.5, 0.5 * 0.4 / 0.7, 0.5 * 0.3 / 0.7]),
        ([{0: ".1"}, {1: ".2"}, {2: ".7"}], [0.1, 0.2, 0.7]),
        ([{1: "1e-1"}, {0: "nonsense"}, {2: "0.6"}], [0.3, 0.1, 0.6]),
    ],
)
def test_what_is_typed_in_one_visit_to_a_row_stays_and_is_undone_as_one(view, typed, row):
    before = view.theta["G|I,D"][0].tolist()
    assert before == [0.3, 0.4, 0.3]
    for cells in typed:
        request(view, ask="row", matrix="G|I,D", row=0, typed=cells, gesture="row 1")
    assert view.theta["G|I,D"][0] == pytest.approx(row)
    view.undo()
    assert view.theta["G|I,D"][0].tolist() == before


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({0: ""}, "the cell is empty"),
        ({0: "  "}, "the cell is empty"),
        ({0: "020.25"}, "'020.25' is no probability"),
        ({0: "nan"}, "'nan' is no probability"),
        ({0: "-0.1"}, "'-0.1' is no probability"),
        ({0: "0.5.2"}, "'0.5.2' is no probability"),
        ({0: "0.8", 1: "0.3"}, "0.8 + 0.3 = 1.1: a row sums to 1"),
        ({0: "0.2", 1: "0.2", 2: "0.2"}, "no cell is left to take the rest"),
        ({7: "0.2"}, "the matrix is 4 by 3"),
    ],
)
def test_what_cannot_be_in_a_row_is_refused_in_words_and_nothing_changes(view, typed, says):
    before = view.theta
    assert says in request(view, ask="row", matrix="G|I,D", row=0, typed=typed)
    assert says in view.status
    assert view.theta is before


def test_what_is_refused_leaves_no_trace(view):
    for values in ({"round": -4}, {"evidence": {"S": [0, 0]}}, {"selected": "Z"}):
        before = {name: getattr(view, name) for name in ("round", "evidence", "selected")}
        asked(view, "set", **values)
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
    asked(view, "set", evidence={"D": 0})
    assert view.selected is None
    assert view.scene["panel"]["title"] == "Nothing is selected"
    view.selected = "branch:D(1)"
    view.undo()
    assert view.selected is None


def test_a_matrix_edited_in_a_conflict_is_the_prior_once_the_conflict_is_over(view):
    request(view, ask="edit", matrix="S|I", row=0, column=1, value=0)
    request(view, ask="edit", matrix="S|I", row=1, column=1, value=0)
    request(view, ask="observe", variable="S", cell=1)  # nobody scores high now
    assert view.status
    request(view, ask="edit", matrix="L|G", row=0, column=1, value=0.05)
    request(view, ask="observe", variable="S", cell=None)
    request(view, ask="select", part="variable:L")
    assert view.status == ""
    table = view.scene["panel"]["tables"][0]
    at = table["head"].index("prior")
    prior = propagate(student(), view.theta)["L"].p[:, 0]
    assert [row[at][1] for row in table["rows"]] == pytest.approx(prior, abs=1e-5)


def test_matrix_and_schedule_are_those_of_now_in_a_conflict_too(view):
    request(view, ask="observe", variable="G", cell=0)
    request(view, ask="edit", matrix="S|I", row=0, column=1, value=0)
    request(view, ask="edit", matrix="S|I", row=1, column=1, value=0)
    request(view, ask="observe", variable="S", cell=1)
    request(view, ask="select", part="node:L|G")
    request(view, ask="row", matrix="L|G", row=0, typed={"0": "0.7", "1": "0.3"})
    request(view, ask="set", schedule="flooding")
    assert "is impossible here" in view.status
    row = view.scene["panel"]["tables"][0]["rows"][0]
    assert [shown for _, shown in row[1:]] == [0.7, 0.3]
    assert view.rounds == GraphView(student(), view.theta, {"G": 0}, schedule="flooding").rounds
    prior = propagate(student(), view.theta)["L"].p[:, 0]
    request(view, ask="select", part="variable:L")
    column = [row[1][1] for row in view.scene["panel"]["tables"][0]["rows"]]
    assert column == pytest.approx(prior, abs=1e-5)


def test_a_step_on_a_bar_whose_evidence_is_impossible_begins_without_that_evidence(view):
    for row in (0, 1):
        request(view, ask="edit", matrix="S|I", row=row, column=1, value=0)
    request(view, ask="observe", variable="S", cell=1)
    assert "is impossible here" in view.status
    request(view, ask="nudge", variable="S", state=0, by=-0.1)
    assert "is certain here" in view.status  # S = low: in words, not as numbers that are none
    request(view, ask="edit", matrix="S|I", row=0, column=1, value=0.2)
    request(view, ask="edit", matrix="S|I", row=1, column=1, value=0.2)
    request(view, ask="nudge", variable="S", state=1, by=0.1)
    assert view.status == ""


@pytest.mark.parametrize("seed", mostly_slow([3, 6, 10], 3))
def test_random_requests_leave_what_a_view_made_anew_shows(seed):
    """Conflicts included: many of these entries are zero, so that evidence is often impossible."""
    rng = np.random.default_rng(seed)
    graph = student()
    sizes = {name: graph.variables[name].size for name in "DIGSL"}
    view, compared, possible = GraphView(graph, THETA), [], {}

    def anything():
        name = str(rng.choice(list(sizes)))
        matrix = str(rng.choice(list(THETA)))
        rows, columns = np.shape(THETA[matrix])
        place = {
            "matrix": matrix,
            "row": int(rng.integers(rows)),
            "column": int(rng.integers(columns)),
        }
        return [
            {"ask": "observe", "variable": name, "cell": int(rng.integers(sizes[name]))},
            {"ask": "observe", "variable": name, "cell": None},
            {"ask": "edit", **place, "value": float(rng.choice([0, 1, 0.3]))},
            {"ask": "nudge", "variable": name, "state": 0, "by": 0.1},
            {"ask": "set", "form": str(rng.choice(["normal", "bayes"]))},
            {"ask": "set", "schedule": str(rng.choice(["two sweeps", "flooding"]))},
            {"ask": "set", "target": name if rng.random() < 0.5 else None},
            {"ask": "go", "by": int(rng.choice([-1, 1]))},
            {"ask": "select", "part": f"variable:{name}"},
            {"ask": "undo"},
            {"ask": "redo"},
            {"ask": "cancel"},
        ]

    for number in range(150):
        asks = anything()
        wanted = asks[rng.integers(len(asks))]
        request(view, gesture=str(rng.integers(3)), **wanted)
        conflict = bool(view._clash[0])
        if not conflict:
            possible = view.evidence  # in a conflict, that before it
        else:
            try:
                propagate(graph, view.theta, as_table(view.graph, possible))
            except ImpossibleEvidence:  # by a matrix that was edited in the conflict
                possible = {}
        if number % 3:
            continue
        how = {name: getattr(view, name) for name in ("form", "schedule", "start")}
        anew = GraphView(graph, view.theta, possible, **how)
        anew.round, anew.selected, anew.target = view.round, view.selected, view.target
        told = ("evidence", "parts", "summary", "asked") if conflict else ()
        passing = ("undo", "redo", "status", *told)
        shown, expected = (
            {k: v for k, v in w.scene.items() if k not in passing} for w in (view, anew)
        )
        assert shown == expected
        compared.append(conflict)
    assert sum(compared) > 5
    assert len(compared) - sum(compared) > 20
