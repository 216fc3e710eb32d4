"""A living graph copied as Python: run in an empty space, the lines give the same beliefs."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from pages_say import heard
from student import THETA, student

from fgnwidgets import (
    BayesGraph,
    Block,
    Branch,
    Diverter,
    NormalGraph,
    Source,
    hmm,
    random_theta,
)
from fgnwidgets.widgets import GraphView


def copied(view):
    space = {}
    with redirect_stdout(io.StringIO()) as said:
        exec(view.code(), space)
    for name in view.graph.variables:
        assert np.array_equal(space["messages"][name].p, view.messages[name].p), name
    return space, said.getvalue()


def view_of(graph, evidence=None, seed=0):
    return GraphView(graph, random_theta(graph, np.random.default_rng(seed)), evidence)


def test_graph_matrices_and_evidence_come_back_to_the_last_bit():
    view = GraphView(student(), THETA, {"S": "high", "G": [0.1, 0.7, 1 / 3]})
    view.edit("S|I", 0, 0, 1 / 3)
    view.soften("L", 1, 0.123)
    space, said = copied(view)
    assert space["graph"].variables == student().variables
    assert said.splitlines()[0] == f"D {view.messages['D'].p[:, 0].round(4)}"


def loopy():
    states = dict.fromkeys("ABCD", 2)
    return BayesGraph(states, {"B": "A", "C": "A", "D": ("B", "C")}).merged()


def own():
    s, x = Branch("S", (True, False)), Branch("X", 3)
    copies = [Branch(f"S({i})", s.states, variable="S") for i in range(3)]
    y = Branch("Y", ("it's", 'so "so"'))
    return NormalGraph(
        [
            Source("S", copies[0]),
            Diverter("S=", (copies[0],), (copies[1], copies[2])),
            Block("X|S", copies[1], x),
            Block("Y|S", copies[2], y, learn=False),
        ]
    )


@pytest.mark.parametrize(
    ("graph", "evidence"),
    [
        (BayesGraph({"A": 2, "B": 2}, {"B": "A"}), {}),
        (BayesGraph({"A": 2, "B": 3, "C": 3}, {"B": "A", "C": "A"}, fixed=["B"]), {"B": 2}),
        (BayesGraph({"A": 2, "B": 2, "C": 2}, {"C": ("A", "B")}, given=["A"]), {"A": 1, "C": 0}),
        (loopy(), {"D": 1}),
        (own(), {"Y": "it's"}),
        (hmm(3, 2, 2), {}),
    ],
)
def test_any_graph_of_the_library_comes_back(graph, evidence):
    copied(view_of(graph, evidence))


def test_tied_matrices_stay_tied():
    graph = BayesGraph(
        {"A": 2, "B": 2, "C": 2}, {"B": "A", "C": "B"}, theta={"B": "step", "C": "step"}
    )
    space, _ = copied(view_of(graph))
    assert set(space["theta"]) == {"A", "step"}


def test_the_page_gets_the_lines_when_it_asks_for_them():
    view = GraphView(student(), THETA, {"S": "high"})
    said = heard(view, [{"request": 1, "from": "a page", "do": "code", "with": {}}])
    assert said[0] == {"event": "code", "from": "a page", "text": view.code()}


def test_the_largest_product_that_was_asked_for_comes_back():
    graph = BayesGraph({"A": 2, "B": 2, "C": 2}, {"C": ("A", "B")}, largest=4)
    space, _ = copied(view_of(graph, {}))
    assert space["graph"] == graph  # which looks at ``largest``, too
