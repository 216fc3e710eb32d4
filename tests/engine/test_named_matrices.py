"""Matrices, pseudo-counts and held rows with names: what is said goes by the names, or is refused.

The oracle is the same matrix as a plain array, in the order of the states.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fgnwidgets as fg

GRAPH = fg.BayesGraph({"S": ("u", "v"), "x": ("a", "b", "c")}, {"x": "S"})
ROWS = pd.DataFrame([[0.2, 0.7, 0.1], [0.3, 0.4, 0.3]], index=["u", "v"], columns=["a", "b", "c"])
SHUFFLED = ROWS.loc[["v", "u"], ["c", "a", "b"]]
THETA = {"S": [0.25, 0.75], "x|S": ROWS.to_numpy()}
TABLE = {"S": ["u", "v", "v", "u"], "x": ["a", "c", "b", "b"]}


def test_a_shuffled_matrix_gives_the_likelihood_of_the_ordered_one():
    expected = fg.loglik(GRAPH, THETA, TABLE)
    np.testing.assert_allclose(fg.loglik(GRAPH, {**THETA, "x|S": SHUFFLED}, TABLE), expected)
    prior = pd.Series([0.75, 0.25], index=["v", "u"])
    np.testing.assert_allclose(fg.loglik(GRAPH, {**THETA, "S": prior}, TABLE), expected)


def test_learning_starts_from_and_keeps_what_was_named():
    start = {**THETA, "x|S": SHUFFLED}
    run = fg.fit(GRAPH, TABLE, theta=start, restarts=2, n_epochs=0)
    np.testing.assert_array_equal(run.final["x|S"], [ROWS, ROWS])
    held = pd.Series([True, False], index=["v", "u"])
    run = fg.fit(GRAPH, TABLE, theta=start, restarts=1, hold={"x|S": held})
    np.testing.assert_allclose(run.best_theta["x|S"], [[0.5, 0.5, 0], ROWS.loc["v"]])


def test_pseudo_counts_go_to_the_states_they_name():
    alpha = pd.DataFrame(np.zeros((2, 3)), ["v", "u"], ["c", "a", "b"])
    alpha.loc["u", "b"] = 6.0
    run = fg.fit(GRAPH, TABLE, restarts=1, alpha={"x|S": alpha})
    np.testing.assert_allclose(run.best_theta["x|S"], [[1 / 8, 7 / 8, 0], [0, 0.5, 0.5]])


@pytest.mark.parametrize("names", [["A", "B"], ["B", "A"], [None, None]])
def test_several_parents_are_levels_in_any_order_that_is_named(names):
    graph = fg.BayesGraph({"A": ("p", "q"), "B": ("p", "q", "r"), "C": 2}, {"C": ["A", "B"]})
    cells = {(a, b): (k + 1) / 10 for k, (a, b) in enumerate((a, b) for a in "pq" for b in "pqr")}
    pairs = [(a, b) for b in "rqp" for a in "qp"]
    turned = [(b, a) if names[0] == "B" else (a, b) for a, b in pairs]
    frame = pd.DataFrame(
        [[1 - cells[p], cells[p]] for p in pairs], pd.MultiIndex.from_tuples(turned, names=names)
    )
    theta = {"A": [0.5, 0.5], "B": [0.2, 0.3, 0.5], "C|A,B": frame}
    for form in (graph, graph.normal_form(), graph.merged()):
        given = {"A": ["p", "q"], "B": ["q", "r"]}
        p = fg.posterior(form, theta, given, "C")[:, 1]
        np.testing.assert_allclose(p, [cells["p", "q"], cells["q", "r"]])


def test_the_matrices_of_a_cluster_tree_go_by_their_families():
    sizes = {"A": 2, "B": ("x", "y"), "C": ("s", "t"), "D": 2}
    graph = fg.BayesGraph(sizes, {"B": "A", "C": "A", "D": ["B", "C"]})
    theta = fg.random_theta(graph.merged(), np.random.default_rng(1))
    index = pd.MultiIndex.from_product([["x", "y"], ["s", "t"]], names=["B", "C"])
    frame = pd.DataFrame(theta["D|B,C"], index).iloc[[3, 1, 0, 2], [1, 0]]
    table = {"D": [0, 1], "A": [1, 0]}
    np.testing.assert_allclose(
        fg.loglik(graph.merged(), {**theta, "D|B,C": frame}, table),
        fg.loglik(graph.merged(), theta, table),
    )


def test_a_series_without_names_is_an_array():
    plain = {**THETA, "S": pl.Series([0.25, 0.75])}
    np.testing.assert_allclose(fg.loglik(GRAPH, plain, TABLE), fg.loglik(GRAPH, THETA, TABLE))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"theta": {"x|S": ROWS.rename(index={"u": "w"})}}, "the rows are called 'w', 'v'"),
        ({"theta": {"x|S": ROWS.rename(columns={"c": "z"})}}, "the columns are called"),
        ({"theta": {"x|S": ROWS.T}}, "the columns are called 'u', 'v'"),
        ({"theta": {"x|S": pl.from_pandas(ROWS)}}, "the rows are called nothing"),
        ({"alpha": {"x|S": ROWS.rename(index={"u": "w"})}}, "alpha.*the rows are called"),
        ({"hold": {"x|S": pd.Series([True, False], ["u", "w"])}}, "hold.*the rows are called"),
    ],
)
def test_names_that_are_no_states_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        fg.fit(GRAPH, TABLE, n_epochs=1, **given)
