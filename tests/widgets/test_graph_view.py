"""The living graph, driven from Python, and as a page drives it."""

import base64
import threading
import time

import numpy as np
import pytest
import traitlets
from pages_say import asked
from student import QUERIES, STATES, THETA, student

from fgnwidgets import BayesGraph, ImpossibleEvidence, propagate, random_theta
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.graph.scene import scene


@pytest.fixture
def view():
    return GraphView(student(), THETA)


def belief(view, variable):
    part = next(p for p in view.scene["parts"] if p["id"] == f"variable:{variable}")
    return [row["p"] for row in part["rows"]]


@pytest.mark.parametrize(("variable", "state", "given", "p"), QUERIES)
def test_evidence_set_from_python_moves_messages_and_scene(view, variable, state, given, p):
    view.evidence = given
    assert view.messages[variable].p[state, 0] == pytest.approx(p, abs=1e-6)
    assert belief(view, variable)[state] == pytest.approx(p, abs=1e-5)


@pytest.mark.parametrize(("variable", "state", "given", "p"), QUERIES)
def test_evidence_set_by_the_page_does_the_same(view, variable, state, given, p):
    asked(view, "set", evidence=given)
    assert view.messages[variable].p[state, 0] == pytest.approx(p, abs=1e-6)
    assert view.evidence == {name: STATES[name][code] for name, code in given.items()}


def test_the_page_is_sent_indices_and_python_reads_labels(view):
    view.evidence = {"S": "high", "G": [0.1, 0.2, 1]}
    assert view.evidence == {"S": "high", "G": [0.1, 0.2, 1.0]}
    seen = {p["variable"]: p["seen"] for p in view.scene["parts"] if p["kind"] == "variable"}
    assert seen == {"D": None, "I": None, "G": [0.1, 0.2, 1.0], "S": 1, "L": None}


def test_evidence_messages_selection_and_round_can_be_observed(view):
    seen = []
    view.observe(
        lambda change: seen.append(change["name"]), ["evidence", "messages", "selected", "round"]
    )
    for name, value, told in (
        ("evidence", {"S": "high"}, {"messages", "evidence"}),
        ("selected", "I(1)", {"selected"}),
        ("round", 3, {"messages", "round"}),
    ):
        setattr(view, name, value)
        assert sorted(seen) == sorted(told)  # each once
        seen.clear()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("evidence", {"S": "no"}, "'no'"),
        ("evidence", {"Z": 1}, "'Z'"),
        ("evidence", {"S": [0, 0]}, "all zero"),
        ("selected", "Z", "selected is 'Z'"),
        ("round", 99, "expected 0 to 10"),
        ("messages", 3, "messages are 3"),
        ("theta", {**THETA, "D": [[0.6, 0.6]]}, "sums to 1.2"),
    ],
)
def test_a_value_that_does_not_fit_raises_and_changes_nothing(view, name, value, says):
    view.evidence = {"S": "high"}
    before, scene = getattr(view, name), view.scene
    with pytest.raises(ValueError, match=says):
        setattr(view, name, value)
    assert getattr(view, name) is before
    assert view.scene is scene


def test_an_unknown_form_or_schedule_is_refused_with_the_known_ones(view):
    with pytest.raises(traitlets.TraitError, match="two sweeps"):
        view.schedule = "gossip"
    with pytest.raises(ValueError, match="NormalGraph"):
        GraphView(student().normal_form(), THETA).form = "bayes"


def impossible():
    theta = {"A": [[1.0, 0.0]], "B|A": [[0.5, 0.5], [0.5, 0.5]]}
    return GraphView(BayesGraph({"A": 2, "B": 2}, {"B": "A"}), theta, {"B": 1})


def test_impossible_evidence_raises_when_it_is_set_from_python():
    view = impossible()
    with pytest.raises(ImpossibleEvidence):
        view.evidence = {"A": 1}
    assert view.evidence == {"B": 1}
    assert view.status == ""


def test_impossible_evidence_of_the_page_is_said_and_the_beliefs_stay():
    view = impossible()
    before = view.messages
    asked(view, "set", evidence={"B": 1, "A": 1})
    assert view.status.startswith("A = 1 is impossible here")
    assert view.scene["status"] == view.status
    assert view.messages is before
    assert view.scene["summary"] == "Observed: B = 1, A = 1. P(evidence) = 0"
    asked(view, "set", selected="A")
    assert view.status.startswith("A = 1 is impossible here")  # still true, so still said
    asked(view, "set", evidence={"A": 0})
    assert view.status == ""
    assert belief(view, "A") == [1, 0]


def test_undo_takes_back_one_change_of_the_evidence_after_the_other_and_redo_makes_it_again(view):
    steps = [{}, {"S": "low"}, {"S": "low", "G": "C"}, {"G": "C"}]
    for cells in steps[1:3]:
        view.evidence = cells
    asked(view, "set", evidence={"G": 2})
    for cells in (*steps[2::-1], {}):
        view.undo()
        assert view.evidence == cells
    assert (view.scene["undo"], view.scene["redo"]) == (False, True)
    for cells in (*steps[1:], steps[3]):
        view.redo()
        assert view.evidence == cells
    exact = propagate(student(), THETA, {"G": "C"})["I"].p[:, 0]
    assert belief(view, "I") == pytest.approx(exact, abs=1e-5)
    view.undo()
    view.evidence = {"D": "hard"}
    view.redo()
    assert view.evidence == {"D": "hard"}  # a new change forgets what was undone


def test_undo_leads_out_of_impossible_evidence():
    view = impossible()
    asked(view, "set", evidence={"A": 1})
    asked(view, "set", evidence={"A": 1, "B": 0})
    view.undo()
    assert view.status.startswith("A = 1 is impossible here")
    view.undo()
    assert (view.status, view.evidence) == ("", {"B": 1})
    assert belief(view, "B") == [0, 1]


@pytest.mark.parametrize(
    "nonsense",
    [
        *({"evidence": {"S": 9}}, {"evidence": {"Z": 0}}, {"evidence": 3}, {"round": -4}),
        *({"selected": 3}, {"form": "x"}, {"schedule": "x"}, {"start": "x"}, {"theta": {}}),
        *({"scene": {}}, {"dance": 1}),
    ],
)
def test_nonsense_of_the_page_never_raises_and_is_answered(view, nonsense):
    assert asked(view, "set", **nonsense)
    assert view.status == view.scene["status"] != ""


def test_the_film_goes_from_the_start_to_the_exact_messages(view):
    view.evidence = {"S": "high"}
    exact = view.messages
    view.round = 0
    assert view.messages["D"].f[:, 0].tolist() == [0.5, 0.5]
    view.schedule, view.start = "flooding", 7
    assert view.rounds == view.graph.diameter
    assert view.messages["D"].f[:, 0].tolist() != [0.5, 0.5]
    for number in range(1, view.rounds + 1):
        view.round = number
    assert view.scene["rounds"]["text"].startswith("round 6 of 6, exact")
    for name in exact.graph.branches:
        assert view.messages[name].f == pytest.approx(exact[name].f)
        assert view.messages[name].b == pytest.approx(exact[name].b)


def test_new_evidence_keeps_the_round_but_follows_the_end(view):
    view.schedule = "flooding"
    assert view.round == view.rounds == 6
    view.evidence = {"I": "low", "G": "C"}  # two T-junctions make the graph longer
    assert view.round == view.rounds == view.messages.graph.diameter == 7
    view.evidence = {}
    assert view.round == view.rounds == 6
    view.round = 4
    view.evidence = {"G": "C"}
    assert view.round == 4


def test_other_matrices_move_the_beliefs_and_the_ghosts(view):
    theta = random_theta(view.graph, np.random.default_rng(0))
    view.theta = theta
    assert belief(view, "S") == pytest.approx(propagate(view.graph, theta)["S"].p[:, 0], abs=1e-5)
    row = next(p for p in view.scene["parts"] if p["id"] == "variable:S")["rows"][0]
    assert row["prior"] == row["p"]


def test_messages_of_ones_own_can_be_shown(view):
    own = propagate(view.graph, THETA, {"S": "high"})
    view.messages = own
    assert view.messages is own
    assert belief(view, "S") == [0, 1]
    view.evidence = {"L": "weak"}
    assert belief(view, "L") == [1, 0]


def test_both_forms_show_the_same_beliefs(view):
    view.evidence = {"S": "high"}
    normal = [belief(view, v) for v in "DIGSL"]
    view.form = "bayes"
    assert [belief(view, v) for v in "DIGSL"] == normal
    assert "Bayesian" in view.scene["name"]


def test_threads_that_ask_at_once_leave_one_consistent_state(view, monkeypatch):
    inside = []

    def slow_scene(*args, **kwargs):
        inside.append(threading.get_ident())
        time.sleep(0.002)  # lets every other thread in, were there no lock
        assert set(inside) == {threading.get_ident()}
        drawn = scene(*args, **kwargs)
        inside.clear()
        return drawn

    monkeypatch.setattr("fgnwidgets.widgets.graph.graph_view.scene", slow_scene)

    def ask(variable, codes):
        for number, code in enumerate(codes * 8, 1):
            request = {"request": number, "from": variable, "do": "set"}
            view._handle_custom_msg({**request, "with": {"evidence": {variable: code}}}, [])

    threads = [
        threading.Thread(target=ask, args=("S", (0, 1))),
        threading.Thread(target=ask, args=("G", (2, 0, 1))),
    ]
    for thread in threads:
        thread.start()
    for i in range(30):
        view.evidence = {"L": i % 2}
        assert view.status == ""
    for thread in threads:
        thread.join()
    assert not inside
    exact = propagate(view.graph, THETA, view.evidence)
    for variable in "DIGSL":
        assert belief(view, variable) == pytest.approx(exact[variable].p[:, 0], abs=1e-5)


def test_it_shows_a_picture_and_a_stable_text_where_no_kernel_runs(view):
    view.evidence = {"S": "high"}
    data, _ = view._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == (
        f"GraphView({view.bayes!r})\nObserved: S = high. log P(evidence) = -1.2910"
    )
    assert "application/vnd.jupyter.widget-view+json" in data
    assert repr(view) == f"GraphView({view.bayes!r})"


def test_two_views_of_one_model_keep_their_own_evidence():
    one, two = GraphView(student(), THETA), GraphView(student(), THETA)
    one.evidence = {"S": "high"}
    assert two.evidence == {}
    assert belief(two, "S") == pytest.approx([0.725, 0.275])
