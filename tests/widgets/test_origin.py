"""Where a number came from, as a page has it: the rows that made it, and sums that add up."""

import math

import numpy as np
import pytest
from pages_say import asked
from student import THETA, student

from fgnwidgets import BayesGraph, contributions, fit, random_theta, sample
from fgnwidgets.widgets import GraphView, LearningView
from fgnwidgets.widgets.graph.contract import Scene, faults

GRAPH = BayesGraph(
    {"S": 2, "A": ("no", "yes"), "B": ("no", "yes"), "C": ("low", "mid", "high")},
    dict.fromkeys("ABC", "S"),
)
HOW = {"n_epochs": 12, "tol": 0, "progress": False, "restarts": 2}
BOTH = ("loglik", "theta")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    drawn = sample(GRAPH, random_theta(GRAPH, np.random.default_rng(4)), 90, rng)
    return {name: drawn[name] for name in "ABC"}


@pytest.fixture(scope="module")
def run(table):
    return fit(GRAPH, table, **HOW, record=BOTH)


def rows_of(drawn):
    return [(row["text"], float(row["count"]), float(row["adds"])) for row in drawn["rows"]]


@pytest.mark.parametrize("graph_first", [True, False])
def test_a_view_of_a_run_shows_its_best_matrices_and_knows_their_rows(run, graph_first):
    view = GraphView(GRAPH, run) if graph_first else GraphView(run)
    for name, matrix in run.best_theta.items():
        assert view.theta[name] == pytest.approx(matrix)
    assert view.scene["learned"] == ["S", "A|S", "B|S", "C|S"]
    view.origin = ("A|S", 1, 1)
    made = contributions(run, "A|S", 1, "yes", epoch=12)
    drawn = view.scene["origin"]
    for row, n in zip(drawn["rows"], made.order, strict=False):
        assert float(row["count"]) == made.count[n]
        assert float(row["adds"]) == pytest.approx(made.contribution[n], abs=0.0101)
        assert row["bar"] <= row["whole"] <= 1
    assert f"= {run.best_theta['A|S'][1, 1]:.3f}" in drawn["title"]
    assert drawn["lines"][0].endswith(f"= {run.best_theta['A|S'][1, 1]:.3f}")
    assert view.selected == "node:A|S"
    assert list(faults(view.scene, Scene)) == []


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
def test_the_numbers_on_the_page_add_up_to_the_sum_below_them(table, rule):
    view = GraphView(fit(GRAPH, table, rule, **HOW, record=BOTH))
    for name, matrix in view.theta.items():
        for row, column in np.ndindex(matrix.shape):
            view.origin = (name, row, column)
            drawn = view.scene["origin"]
            more = float(drawn["more"].rpartition(": ")[2] or 0)
            listed = math.fsum(adds for *_, adds in rows_of(drawn))
            digits = len(drawn["adds"].partition(".")[2])
            assert round(listed + more, digits) == float(drawn["adds"])
            assert drawn["lines"][0].startswith(("(", drawn["adds"]))
            top, foot = float(drawn["adds"]), float(drawn["of"])
            if "+" not in drawn["lines"][0]:
                assert top / foot == pytest.approx(matrix[row, column], abs=2e-2 * (top + 1) / foot)


def test_more_rows_than_fit_are_one_line(run, monkeypatch):
    from fgnwidgets.widgets.graph import origin as module

    monkeypatch.setattr(module, "LISTED", 3)
    view = GraphView(run)
    view.origin = ("S", 0, 0)
    drawn = view.scene["origin"]
    assert len(drawn["rows"]) == 3
    assert drawn["more"].startswith(f"and {run.rows.n - 3} more rows: ")


def test_a_run_that_kept_no_matrices_is_explained_by_its_final_ones(table):
    run = fit(GRAPH, table, **HOW)
    view = GraphView(run)
    view.origin = ("S", 0, 1)
    assert "by the final matrices" in view.scene["origin"]["lines"][1]
    made = contributions(run, "S", None, 1)
    assert float(view.scene["origin"]["adds"]) == pytest.approx(made.total, abs=6e-3)


def test_a_cell_that_was_changed_by_hand_says_so(run):
    view = GraphView(run)
    view.origin = ("A|S", 0, 1)
    was = run.best_theta["A|S"][0, 1]
    asked(view, "edit", matrix="A|S", row=0, column=1, value=0.9)
    assert view.scene["origin"]["lines"][-1] == f"The cell was changed by hand: it was {was:.3f}."
    assert "= 0.900" in view.scene["origin"]["title"]
    view.undo()
    assert "by hand" not in " ".join(view.scene["origin"]["lines"])


def test_the_rows_are_listed_as_long_as_their_block_is_selected(run):
    view = GraphView(run)
    assert asked(view, "origin", matrix="C|S", row=1, column=2) == ""
    assert (view.origin, view.selected) == (("C|S", 1, 2), "node:C|S")
    asked(view, "set", selected="variable:A")
    assert (view.origin, view.scene["origin"]) == (None, None)
    asked(view, "select", part="node:C|S")
    assert view.scene["panel"]["below"][0].startswith("Click a number")
    view.origin = ("C|S", 1, 2)
    asked(view, "set", origin=None)
    assert (view.origin, view.selected) == (None, "node:C|S")
    assert not view.scene["undo"]  # looking is no change


@pytest.mark.parametrize(
    "cell",
    [("C|S", 2, 0), ("C|S", 0, 3), ("C|S", -1, 0), ("C", 0, 0), ("C|S", 0), 5, ("C|S", 0.5, 0)],
)
def test_a_cell_that_is_none_is_refused(run, cell):
    view = GraphView(run)
    with pytest.raises(ValueError, match=r"origin is .*: expected \(matrix, row, column\)"):
        view.origin = cell
    assert view.origin is None


def test_matrices_that_were_not_learned_have_no_rows(run):
    view = GraphView(student(), THETA)
    assert view.scene["learned"] == []
    with pytest.raises(ValueError, match=r"not learned; GraphView\(run\)"):
        view.origin = ("D", 0, 0)
    with pytest.raises(ValueError, match="the run is of another graph"):
        GraphView(student(), run)
    with pytest.raises(ValueError, match="theta is None"):
        GraphView(student())


def test_a_held_row_says_that_no_row_moved_it(table):
    run = fit(GRAPH, table, **HOW, record=BOTH, hold={"A|S": [True, False]})
    view = GraphView(run)
    view.origin = ("A|S", 0, 1)
    drawn = view.scene["origin"]
    assert drawn["rows"] == [] and "was held" in drawn["lines"][0]


def test_merged_graphs_and_tied_matrices_have_their_rows():
    from fgnwidgets import hmm

    loop = BayesGraph({"S": 2, "A": 2, "B": 2, "C": 2}, {"A": "S", "B": "S", "C": ["A", "B"]})
    for graph, name in ((loop.merged(), "A|S"), (hmm(2, ("x", "y"), 3), None)):
        rng = np.random.default_rng(0)
        drawn = sample(graph, random_theta(graph, rng), 50, rng)
        hidden = ("S",) if name else tuple(v for v in graph.variables if v.startswith("S"))
        seen = {v: drawn[v] for v in graph.variables if v not in hidden and v in drawn}
        view = GraphView(fit(graph, seen, **HOW, record=BOTH))
        name = name or next(m for m, users in view.graph.users.items() if len(users) > 1)
        view.origin = (name, 1, 0)
        assert view.scene["origin"]["rows"]
        assert list(faults(view.scene, Scene)) == []


def test_both_graphs_of_a_learning_view_list_the_rows_of_one_cell_at_their_epoch(table):
    run = fit(GRAPH, table, ("ml", "var"), seed=[3, 3], **HOW | {"restarts": None}, record=BOTH)
    view = LearningView(run, right=1, epoch=7)
    asked(view.views[0], "origin", matrix="A|S", row=1, column=1)
    for side in (0, 1):
        made = contributions(run, "A|S", 1, "yes", restart=side, epoch=7)
        assert float(view.views[side].scene["origin"]["adds"]) == pytest.approx(
            made.total, abs=6e-3
        )
    view.epoch = 3
    for side in (0, 1):
        made = contributions(run, "A|S", 1, "yes", restart=side, epoch=3)
        assert float(view.views[side].scene["origin"]["adds"]) == pytest.approx(
            made.total, abs=6e-3
        )
    assert view.views[1].scene["origin"]["lines"][1].startswith("Counts of VAR: ")
    view.epoch = 0
    assert "Epoch 0 is the start" in view.views[0].scene["origin"]["lines"][0]
