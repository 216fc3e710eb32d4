"""Learning seen on the graph: what is on show is what exact propagation says at that epoch."""

import base64
from dataclasses import replace

import numpy as np
import pytest
from pages_say import asked, heard
from student import student

from fgnwidgets import BayesGraph, fit, independent, loglik, propagate, random_theta, sample
from fgnwidgets.widgets import LearningView
from fgnwidgets.widgets.graph.contract import DrawnRun, LearningScene, faults

GRAPH = BayesGraph(
    {"S": 2, "A": ("no", "yes"), "B": ("no", "yes"), "C": ("low", "mid", "high")},
    dict.fromkeys("ABC", "S"),
)
LEARN = {"n_epochs": 12, "tol": 0, "progress": False, "record": ("loglik", "theta")}


@pytest.fixture(scope="module")
def table():
    drawn = sample(
        GRAPH, random_theta(GRAPH, np.random.default_rng(4)), 90, np.random.default_rng(1)
    )
    return {name: drawn[name] for name in "ABC"}


@pytest.fixture(scope="module")
def run(table):
    return fit(GRAPH, table, ("ml", "var"), seed=[3, 3], **LEARN)


@pytest.fixture
def view(run):
    return LearningView(run, right=1)


def cells(part, graph_view):
    return next(p for p in graph_view.scene["parts"] if p["id"] == f"node:{part}")["cells"]


def belief(graph_view, variable):
    part = next(p for p in graph_view.scene["parts"] if p["id"] == f"variable:{variable}")
    return [row["p"] for row in part["rows"]]


@pytest.mark.parametrize("epoch", [0, 1, 7, 12])
def test_an_epoch_brings_its_matrices_and_the_messages_of_the_row_to_both_graphs(view, run, epoch):
    view.row = 4
    view.epoch = epoch
    row = run.rows.take(np.array([4]))
    for side, restart in ((0, 0), (1, 1)):
        theta = {name: m[epoch, restart] for name, m in run.theta.items()}
        exact = propagate(GRAPH, theta, row)
        shown = view.views[side]
        for variable in "SABC":
            assert belief(shown, variable) == pytest.approx(exact[variable].p[:, 0], abs=1e-5)
        for name in ("A|S", "C|S"):
            assert cells(name, shown) == pytest.approx(theta[name], abs=1e-3)
    assert view.chart.scene["epoch"] == epoch


def test_the_first_row_of_the_list_is_the_most_frequent(view, run, table):
    words = view.chart.drawn["rows"]
    assert len(words) == run.rows.n
    counts = [int(text.rpartition(": ")[2].split()[0]) for text in words]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == 90
    asked(view.chart, "set", row=0)
    seen = view.views[0].evidence
    same = np.all([table[name] == seen[name] for name in "ABC"], 0)
    assert same.sum() == counts[0]
    assert view.row == int(np.argmax(run.weight))
    order = np.argsort(-run.weight, kind="stable")
    assert order.tolist() != sorted(order)  # the list has an order of its own
    for place in range(run.rows.n):
        asked(view.chart, "set", row=place)
        assert view.row == order[place]
        assert view.chart.scene["row"] == place


def test_the_levels_are_the_floor_and_the_ceiling_of_the_table(view, table):
    drawn = {level["name"]: level["value"] for level in view.chart.drawn["levels"]}
    assert drawn["floor"] == pytest.approx(independent(GRAPH, table))
    n = np.array(list(np.unique(np.stack(list(table.values())), axis=1, return_counts=True)[1]))
    assert drawn["ceiling"] == pytest.approx(float(n @ np.log(n / 90)))


def test_the_curves_are_the_exact_likelihoods_of_the_recorded_matrices(view, run, table):
    for restart, curve in enumerate(view.chart.drawn["curves"]):
        for epoch in (0, 5, 12):
            theta = {name: m[epoch, restart] for name, m in run.theta.items()}
            assert curve["values"][epoch] == pytest.approx(
                loglik(GRAPH, theta, table).sum(), abs=1e-3
            )


def test_evidence_of_ones_own_that_is_taken_back_is_none_any_more(view):
    view.views[0].evidence = {"A": 1}
    assert view.chart.scene["own"]
    view.views[0].evidence = {}
    assert not view.chart.scene["own"]
    view.epoch = 3
    assert view.views[0].evidence == {}


def test_evidence_of_ones_own_is_no_row_any_more_and_goes_to_both_graphs(view):
    view.row = 2
    asked(view.views[0], "set", evidence={"S": 1})
    assert view.row is None
    assert view.chart.scene["own"]
    assert view.views[1].evidence == {"S": 1}
    view.epoch = 3  # it stays while epochs pass
    assert view.views[0].evidence == view.views[1].evidence == {"S": 1}
    asked(view.chart, "set", row=None)
    assert view.views[0].evidence == view.views[1].evidence == {}
    asked(view.views[0], "set", evidence={"S": 1})
    asked(view.chart, "set", row=0)
    assert set(view.views[1].evidence) == {"A", "B", "C"}


def test_what_is_selected_is_selected_in_both_graphs(view):
    asked(view.views[1], "set", selected="node:B|S")
    assert view.views[0].selected == "node:B|S"
    assert view.views[0].scene["panel"]["title"] == "Block B|S"


def test_every_wish_of_the_page_is_carried_out_once_and_answered(view):
    requests = [
        {"epoch": 3},
        {"epoch": 3},
        {"left": 1, "right": 0},
        {"row": 1},
    ]
    said = heard(
        view.chart,
        [
            {"request": n, "from": "page", "do": "set", "with": values}
            for n, values in enumerate(requests, 1)
        ],
    )
    assert [(m["answer"], m["fault"]) for m in said] == [(n, "") for n in (1, 2, 3, 4)]
    assert (view.epoch, view.left, view.right) == (3, 1, 0)
    assert list(faults(view.chart.scene, LearningScene)) == []
    assert list(faults(view.chart.drawn, DrawnRun)) == []


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"epoch": 13}, "epoch is 13: expected 0 to 12"),
        ({"epoch": None}, "epoch is None: expected 0 to 12"),
        ({"left": True}, "left is True: expected 0 to 1"),
        ({"row": 400}, "row is 400: expected 0 to"),
        ({"speed": 2}, "the page sets 'speed': expected epoch, left, own, right, row"),
    ],
)
def test_what_a_page_cannot_have_changes_nothing(view, wanted, says):
    before = view.chart.look
    assert says in asked(view.chart, "set", **wanted)
    assert says in view.chart.scene["status"]
    assert view.chart.look is before
    assert view.epoch == 12
    assert asked(view.chart, "go", by=-3) == ""
    assert (view.epoch, view.chart.scene["status"]) == (9, "")
    asked(view.chart, "go", by=100)
    assert view.epoch == 12


def test_a_graph_that_comes_back_beside_another_has_what_was_clicked_meanwhile(view):
    view.right = None
    view.views[0].evidence = {"A": "yes"}
    view.views[0].selected = "node:A|S"
    view.right = 1
    assert view.views[1].evidence == {"A": "yes"} and view.views[1].selected == "node:A|S"
    view.row = 2  # and a row replaces both
    assert view.views[0].evidence == view.views[1].evidence != {"A": "yes"}


def test_one_graph_is_shown_until_a_curve_is_put_beside_it(run):
    view = LearningView(run)
    graphs = view.children[1]
    assert graphs.children == view.views[:1]
    view.right = 1
    assert graphs.children == view.views
    view.right = None
    assert graphs.children == view.views[:1]


def test_runs_of_several_restarts_have_a_curve_for_each(table):
    several = [fit(GRAPH, table, rule, restarts=2, **LEARN) for rule in ("ml", "vit")]
    view = LearningView(several)
    names = [curve.name for curve in view.curves]
    assert names == ["ML, start 1", "ML, start 2", "VIT, start 1", "VIT, start 2"]
    view = LearningView({"one": several[0], "other": several[1]})
    assert view.curves[3].name == "other, start 2"
    with pytest.raises(ValueError, match="left is 4: expected 0 to 3"):
        view.left = 4
    with pytest.raises(ValueError, match="epoch is 13: expected 0 to 12"):
        view.epoch = 13


def test_a_shorter_run_stays_at_its_end(table):
    long, short = (fit(GRAPH, table, "ml", restarts=1, **LEARN | {"n_epochs": n}) for n in (9, 4))
    view = LearningView({"long": long, "short": short}, left=1, epoch=8)
    end = propagate(GRAPH, {name: m[-1, 0] for name, m in short.theta.items()})
    assert belief(view.views[0], "C") == pytest.approx(end["C"].p[:, 0], abs=1e-5)


def test_a_given_variable_has_the_state_of_the_most_frequent_row_where_none_is_chosen():
    graph = BayesGraph({"X": 2, "S": 2, "A": 2}, {"S": "X", "A": "S"}, given=["X"])
    data = {"X": [0, 1, 1, 1, 0, 1], "A": [0, 1, 1, 1, 1, 0]}
    run = fit(graph, data, restarts=2, **LEARN)
    view = LearningView(run, epoch=3, right=1)
    for side in (0, 1):
        theta = {name: m[3, side] for name, m in run.theta.items()}
        exact = propagate(graph, theta, {"X": 1})["S"].p[:, 0]
        assert belief(view.views[side], "S") == pytest.approx(exact, abs=1e-4)
    view.row = next(r for r in range(run.rows.n) if run.rows.codes["X"][r] == 0)
    known = {name: int(codes[view.row]) for name, codes in run.rows.codes.items()}
    theta = {name: m[3, 0] for name, m in run.theta.items()}
    exact = propagate(graph, theta, known)["S"].p[:, 0]
    assert belief(view.views[0], "S") == pytest.approx(exact, abs=1e-4)
    view.row = None
    assert view.views[0].evidence == {"X": 1}
    assert view.views[0].status == ""
    assert view._repr_mimebundle_()[0]["text/plain"].startswith("LearningView(")


def test_a_run_that_kept_no_matrices_says_how_to_keep_them(table):
    with pytest.raises(ValueError, match=r"record=\('loglik', 'theta'\)"):
        LearningView(fit(GRAPH, table, n_epochs=2, progress=False))
    with pytest.raises(ValueError, match="different graphs"):
        drawn = sample(
            student(),
            random_theta(student(), np.random.default_rng(0)),
            20,
            np.random.default_rng(1),
        )
        LearningView([fit(GRAPH, table, **LEARN), fit(student(), drawn, **LEARN)])
    with pytest.raises(ValueError, match="expected runs"):
        LearningView([3])
    with pytest.raises(ValueError, match="runs are empty"):
        LearningView([])


def test_it_shows_a_picture_and_a_stable_text_where_no_kernel_runs(view):
    view.row, view.epoch = 0, 5
    data, _ = view._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"].startswith(
        "LearningView(ML, VAR; 2 curves, 12 epochs)\nepoch 5 of 12"
    )
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize(
    ("name", "value", "side"), [("epoch", 7, 0), ("epoch", 7, 1), ("left", 1, 0), ("right", 0, 1)]
)
def test_undo_brings_back_nothing_of_another_epoch_or_run(view, name, value, side):
    """What was done to a graph is forgotten when its matrices change under it."""
    own = view.views[side]
    asked(own, "set", evidence={"S": 1})
    asked(own, "undo")
    asked(own, "redo")
    assert own.scene["undo"] and own.evidence == {"S": 1}
    setattr(view, name, value)
    theta = {k: m.copy() for k, m in own.theta.items()}
    assert not own.scene["undo"] and not own.scene["redo"]
    own.undo()
    assert own.evidence == {"S": 1}
    for k, m in theta.items():
        np.testing.assert_array_equal(own.theta[k], m)


def test_a_second_graph_that_comes_back_has_what_is_looked_at_in_the_first(view):
    """Where evidence is a row of the table, too, of which it is told in any case."""
    view.chart.look = replace(view.chart.look, right=None)
    view.views[0].selected = "node:A|S"
    view.views[0].form = "bayes"
    view.views[0].origin = ("A|S", 0, 1)
    view.chart.look = replace(view.chart.look, right=1)
    second = view.views[1]
    assert (second.selected, second.form, second.origin) == ("node:A|S", "bayes", ("A|S", 0, 1))
    assert second.learned.restart == 1  # its own rows made its number


@pytest.mark.parametrize("seed", [3, 4])
def test_random_requests_leave_what_a_view_of_the_same_run_shows(run, seed):
    rng = np.random.default_rng(seed)
    view, number, compared = LearningView(run, epoch=0, right=1), 0, 0
    graph = view.graph
    parts = [*(f"variable:{v}" for v in "SABC"), *(f"node:{n.name}" for n in graph.nodes)]
    for move in range(90):
        first, name = view.views[0], str(rng.choice(list("SABC")))
        matrix = str(rng.choice(list(graph.matrices)))
        rows, columns = graph.matrices[matrix]
        cell = {
            "matrix": matrix,
            "row": int(rng.integers(rows)),
            "column": int(rng.integers(columns)),
        }
        of_graph = [
            ("observe", {"variable": name, "cell": int(rng.integers(2))}),
            ("observe", {"variable": name, "cell": None}),
            ("edit", {**cell, "value": float(rng.choice([0, 1, 0.3]))}),
            ("select", {"part": str(rng.choice(parts))}),
            ("origin", cell),
            ("set", {"form": str(rng.choice(["normal", "bayes"]))}),
            ("undo", {}),
            ("cancel", {}),
        ]
        of_chart = [
            ("go", {"by": int(rng.choice([-1, 1, 10]))}),
            ("set", {"left": int(rng.integers(2))}),
            ("set", {"right": [None, 0, 1][rng.integers(3)]}),
            ("set", {"row": [None, 0, 1][rng.integers(3)]}),
        ]
        widget, asks = (view.chart, of_chart) if rng.random() < 0.4 else (first, of_graph)
        if widget is first and view.right is not None and rng.random() < 0.4:
            widget = view.views[1]
        ask, given = asks[rng.integers(len(asks))]
        number += 1
        message = {"request": number, "from": "p", "do": ask, "with": given}
        widget._hear(None, {**message, "gesture": str(rng.integers(3))})
        shown = view.views[: 1 if view.right is None else 2]
        if move % 5 or any("undo (Ctrl+Z)" in each.status for each in shown):
            continue
        how = {name: getattr(view, name) for name in ("epoch", "left", "right", "row")}
        anew = LearningView(run, **how)
        for mine, other in zip(anew.views, shown, strict=False):
            if view.chart.look.own:
                mine.evidence = other.evidence
            mine.theta, mine.form, mine.selected = other.theta, other.form, other.selected
            mine.origin = other.origin
        passing = ("undo", "redo", "status")
        for mine, other in zip((anew.chart, *anew.views), (view.chart, *shown), strict=False):
            expected, found = (
                {k: v for k, v in widget.scene.items() if k not in passing}
                for widget in (mine, other)
            )
            assert found == expected
        compared += 1
    assert compared > 8
