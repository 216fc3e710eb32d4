"""Lanes that learn together learn what ``fit`` learns from each alone."""

import numpy as np
import pytest

from fgn_notebooks import paper
from fgn_notebooks.experiments.histories import history
from fgn_notebooks.experiments.together import Lane, generators, learn
from fgnwidgets import BayesGraph, fit, sample

LANES = (Lane("ml", 3), Lane("kl", 3), Lane("vit"), Lane("var"), Lane("ml", 10))


def one_hidden_table(seed: int, n: int = 300) -> dict[str, np.ndarray]:
    table = sample(paper.one_hidden_graph(), paper.ONE_HIDDEN_THETA, n, np.random.default_rng(seed))
    return {name: table[name] for name in ("X1", "X2", "X3")}


@pytest.mark.parametrize("start", ["messages", "matrices"])
def test_every_lane_and_restart_is_a_run_of_fit(start):
    graph, table = paper.one_hidden_graph(), one_hidden_table(3)
    train = (np.arange(300) < 150).astype(float)
    together = history(
        learn(graph, [table], LANES, generators(7, 4), n_epochs=25, start=start, train=train,
              test=1 - train)
    )  # fmt: skip
    for k, lane in enumerate(LANES):
        run = fit(graph, table, lane.rule, n_epochs=25, n_it=lane.n_it, restarts=4, seed=7, tol=0,
                  start=start, weight=train, test_weight=1 - train,
                  record=("aggregated", "loglik", "theta"))  # fmt: skip
        np.testing.assert_allclose(together.loglik[:, k], run.loglik, rtol=1e-8)
        np.testing.assert_allclose(together.aggregated[:, k], run.aggregated, rtol=1e-8)
        np.testing.assert_allclose(together.test_loglik[:, k], run.test_loglik, rtol=1e-8)
        np.testing.assert_allclose(together.test_aggregated[:, k], run.test_aggregated, rtol=1e-8)
        for name in run.theta:
            np.testing.assert_allclose(together.theta[name][:, k], run.theta[name], atol=1e-7)


@pytest.mark.parametrize("start", ["messages", "matrices"])
def test_a_table_for_each_seed_gives_the_runs_of_these_tables(start):
    graph = paper.one_hidden_graph()
    tables = [one_hidden_table(seed, n=60) for seed in range(3)]
    rngs = [generators(seed, 1)[0] for seed in range(3)]
    together = history(learn(graph, tables, LANES, rngs, n_epochs=20, start=start), theta=False)
    for k, lane in enumerate(LANES):
        for seed, table in enumerate(tables):
            run = fit(graph, table, lane.rule, n_epochs=20, n_it=lane.n_it, restarts=1, seed=seed,
                      tol=0, start=start)  # fmt: skip
            np.testing.assert_allclose(together.loglik[:, k, seed], run.loglik[:, 0], rtol=1e-8)
            np.testing.assert_allclose(
                together.aggregated[:, k, seed], run.aggregated[:, 0], rtol=1e-8
            )
            for name, matrices in run.final.items():
                np.testing.assert_allclose(together.theta[name][0, k, seed], matrices[0], atol=1e-7)


def test_the_deep_graph_learns_together_too():
    graph = paper.forest_graph()
    table = sample(graph, paper.forest_theta(), 100, np.random.default_rng(0))
    seen = {name: table[name] for name in ("X1", "X2", "X3")}
    together = history(learn(graph, [seen], LANES, generators(2, 2), n_epochs=15), theta=False)
    for k, lane in enumerate(LANES):
        run = fit(graph, seen, lane.rule, n_epochs=15, n_it=lane.n_it, restarts=2, seed=2, tol=0,
                  start="messages")  # fmt: skip
        np.testing.assert_allclose(together.loglik[:, k], run.loglik, rtol=1e-8)


def test_tied_matrices_learn_together_too():
    graph = BayesGraph({"A": 2, "B": 2, "C": 2}, {"B": "A", "C": "B"}, theta={"B": "T", "C": "T"})
    table = {"C": np.array([0, 1, 1, 0, 1, 1]), "B": np.array([0, 1, 0, 0, 1, 1])}
    together = history(learn(graph, [table], LANES, generators(1, 2), n_epochs=9))
    run = fit(graph, table, "kl", n_epochs=9, n_it=3, restarts=2, seed=1, tol=0, start="messages")
    np.testing.assert_allclose(together.loglik[:, 1], run.loglik, rtol=1e-8)


def test_a_fixed_matrix_is_refused():
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"}, fixed="X")
    with pytest.raises(ValueError, match="fixed"):
        learn(graph, [{"X": np.array([0, 1])}], LANES, generators(0, 1), n_epochs=1)
