"""What can be said in two ways means one thing, or is refused with both sides shown."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import fgnwidgets as fg

SIZES = dict.fromkeys("ABC", 2)


def test_edges_without_an_order_are_refused():
    with pytest.raises(fg.GraphError, match=r"in an order, which is that of a matrix's rows"):
        fg.BayesGraph(SIZES, edges={("A", "C"), ("B", "C")})
    assert fg.BayesGraph(SIZES, edges=[("B", "C"), ("A", "C")]).parents["C"] == ("B", "A")


@pytest.mark.parametrize("arrow", [{"parents": {"x": "S"}}, {"parents": {"S": "x"}}])
def test_a_missing_hidden_variable_is_named_whichever_end_it_is(arrow):
    with pytest.raises(fg.GraphError, match=r"'S' is a \w+ but no column.*hidden=\{'S': 3\}"):
        fg.BayesGraph.from_table({"x": [0, 1]}, **arrow)
    edges = [(parent, child) for child, parent in arrow["parents"].items()]
    with pytest.raises(fg.GraphError, match=r"hidden=\{'S': 3\}"):
        fg.BayesGraph.from_table({"x": [0, 1]}, edges=edges)


def test_a_loop_names_all_its_variables():
    rng = np.random.default_rng(0)
    loops = 0
    for _ in range(300):
        names = rng.permutation(list("ABCDEF"[: rng.integers(3, 7)])).tolist()
        parents = {
            v: ps
            for k, v in enumerate(names)
            if (ps := [p for p in names[:k] if rng.random() < 0.45])
        }
        around = fg.BayesGraph(dict.fromkeys(names, 2), parents).loop
        arrows = nx.Graph((p, child) for child, ps in parents.items() for p in ps)
        if around:
            loops += 1
            assert nx.cycle_basis(arrows.subgraph(around)), (parents, around)
    assert loops > 100
    parents = {"C": ["A", "B"], "D": ["A", "B"], "E": ["C", "D"]}
    assert {*"CDE"} < {*fg.BayesGraph(dict.fromkeys("ABCDE", 2), parents).loop}


def test_labels_of_numpy_are_labels():
    days = [np.datetime64("2020-01-01"), np.datetime64("2020-01-02")]
    graph = fg.BayesGraph({"day": days})
    assert fg.read_evidence(graph, {"day": [days[1], days[0]]}).codes["day"].tolist() == [1, 0]


def test_weights_whose_rows_stand_in_another_order_are_refused():
    table = pd.DataFrame({"A": [0, 1, 1]}, index=[2, 1, 0])
    graph = fg.BayesGraph({"A": 2})
    for name in ("weight", "test_weight"):
        with pytest.raises(ValueError, match=f"the table and {name} have different row labels"):
            fg.fit(graph, table, **{name: pd.Series([1.0, 0, 0])})
        with pytest.raises(ValueError, match=f"A and {name} have different row labels"):
            fg.fit(graph, {"A": table["A"]}, **{name: pd.Series([1.0, 0, 0])})
    run = fg.fit(graph, table, weight=pd.Series([1.0, 0, 0], index=[2, 1, 0]))
    assert run.best_theta["A"].tolist() == [[1, 0]]


def test_a_masked_number_is_no_number():
    masked = np.ma.array([1.0, 5.0], mask=[False, True])
    graph = fg.BayesGraph({"A": 2})
    with pytest.raises(ValueError, match="weight has masked cells"):
        fg.fit(graph, {"A": [0, 1]}, weight=masked)
    with pytest.raises(ValueError, match=r"theta\['A'\] has masked cells"):
        fg.loglik(graph, {"A": np.ma.array([0.5, 0.5], mask=[False, True])}, {"A": [0]})
    f = np.ma.array([[1.0, 1.0]], mask=[[False, True]])
    with pytest.raises(ValueError, match="f has masked cells"):
        fg.ml([[0.5, 0.5]], f, [[0.5, 0.2], [0.5, 0.8]])
    whole = np.ma.array([0.5, 0.5], mask=False)
    assert type(fg.normalize(whole[:, None])) is np.ndarray
