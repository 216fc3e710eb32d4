"""Rules in lockstep learn what ``fit`` learns from each alone, on one table or on many."""

import numpy as np
import pytest

from fgn_notebooks import paper
from fgn_notebooks.experiments.lockstep import growing, lockstep, many_tables
from fgn_notebooks.experiments.tables import union
from fgnwidgets import BayesGraph, fit, sample

LANES = (("ml", 3), ("kl", 3), ("vit", 1), ("var", 1), ("ml", 10))


def one_hidden_table(seed: int, n: int = 300) -> dict[str, np.ndarray]:
    table = sample(paper.one_hidden_graph(), paper.ONE_HIDDEN_THETA, n, np.random.default_rng(seed))
    return {name: table[name] for name in ("X1", "X2", "X3")}


def history(states, n_epochs):
    (found,) = growing(states, len(LANES), n_epochs, lambda _: False)
    return found


@pytest.mark.parametrize("start", ["messages", "matrices"])
def test_every_lane_and_restart_is_a_run_of_fit(start):
    graph, table = paper.one_hidden_graph(), one_hidden_table(3)
    train = (np.arange(300) < 150).astype(float)
    together = history(
        lockstep(graph, table, LANES, restarts=4, seed=7, n_epochs=25, start=start, weight=train,
                 test_weight=1 - train), 25,
    )  # fmt: skip
    for k, (rule, n_it) in enumerate(LANES):
        run = fit(graph, table, rule, n_epochs=25, n_it=n_it, restarts=4, seed=7, tol=0,
                  start=start, weight=train, test_weight=1 - train,
                  record=("aggregated", "loglik", "theta"))  # fmt: skip
        np.testing.assert_allclose(together.loglik[:, k], run.loglik, rtol=1e-8)
        np.testing.assert_allclose(together.aggregated[:, k], run.aggregated, rtol=1e-8)
        np.testing.assert_allclose(together.test_loglik[:, k], run.test_loglik, rtol=1e-8)
        np.testing.assert_allclose(together.test_aggregated[:, k], run.test_aggregated, rtol=1e-8)
        for name in run.theta:
            np.testing.assert_allclose(together.theta[name][:, k], run.theta[name], atol=1e-7)


@pytest.mark.parametrize("start", ["messages", "matrices"])
@pytest.mark.parametrize("split", [False, True])
def test_a_table_for_each_seed_gives_the_runs_of_these_tables(start, split):
    graph, sizes = paper.one_hidden_graph(), (60, 61, 90)
    tables = [one_hidden_table(seed, n) for seed, n in enumerate(sizes)]
    train = [(np.arange(n) < n // 2).astype(float) for n in sizes] if split else None
    test = [1 - mask for mask in train] if split else None
    states = many_tables(graph, tables, LANES, seeds=range(3), n_epochs=20, start=start,
                         train=train, test=test)  # fmt: skip
    together = history(states, 20)
    for k, (rule, n_it) in enumerate(LANES):
        for seed, table in enumerate(tables):
            run = fit(graph, table, rule, n_epochs=20, n_it=n_it, restarts=1, seed=seed, tol=0,
                      start=start, weight=train and train[seed],
                      test_weight=test and test[seed])  # fmt: skip
            np.testing.assert_allclose(together.loglik[:, k, seed], run.loglik[:, 0], rtol=1e-8)
            np.testing.assert_allclose(
                together.aggregated[:, k, seed], run.aggregated[:, 0], rtol=1e-8
            )
            if split:
                np.testing.assert_allclose(
                    together.test_loglik[:, k, seed], run.test_loglik[:, 0], rtol=1e-8
                )
            for name, matrices in run.final.items():
                np.testing.assert_allclose(
                    together.theta[name][-1, k, seed], matrices[0], atol=1e-7
                )


@pytest.mark.parametrize("n_epochs", [0, 1])
def test_the_first_epochs_of_many_tables_are_there_too(n_epochs):
    tables = [one_hidden_table(seed, 40) for seed in range(2)]
    states = list(many_tables(paper.one_hidden_graph(), tables, LANES, seeds=[4, 5],
                              n_epochs=n_epochs))  # fmt: skip
    assert [state.n for state in states] == [*range(n_epochs + 1)]
    run = fit(paper.one_hidden_graph(), tables[1], "kl", n_epochs=n_epochs, n_it=3, restarts=1,
              seed=5, tol=0, start="messages")  # fmt: skip
    for state in states:
        assert state.loglik[3] == pytest.approx(run.loglik[state.n, 0])  # lane 1, table 1 of 2


def test_the_union_of_tables_holds_every_row_once_and_counts_it_for_each():
    one = {"a": np.array([0, 1, 1]), "b": np.array([2, 0, 0])}
    two = {"a": np.array([1, 0]), "b": np.array([0, 0])}
    rows, weight = union([one, two])
    assert [*zip(rows["a"], rows["b"], strict=True)] == [(0, 0), (0, 2), (1, 0)]
    assert weight.tolist() == [[0, 1, 2], [1, 0, 1]]
    _, masked = union([one, two], [np.array([1.0, 0.5, 0.0]), np.array([0.0, 3.0])])
    assert masked.tolist() == [[0, 1, 0.5], [3, 0, 0]]
    with pytest.raises(ValueError, match=r"table 1 has the columns b, a: expected .* a, b"):
        union([one, {"b": two["b"], "a": two["a"]}])


def test_the_deep_graph_learns_in_lockstep_too():
    graph = paper.forest_graph()
    table = sample(graph, paper.forest_theta(), 100, np.random.default_rng(0))
    seen = {name: table[name] for name in ("X1", "X2", "X3")}
    states = lockstep(graph, seen, LANES, restarts=2, seed=2, n_epochs=15, start="messages")
    together = history(states, 15)
    for k, (rule, n_it) in enumerate(LANES):
        run = fit(graph, seen, rule, n_epochs=15, n_it=n_it, restarts=2, seed=2, tol=0,
                  start="messages")  # fmt: skip
        np.testing.assert_allclose(together.loglik[:, k], run.loglik, rtol=1e-8)


def test_tied_matrices_learn_in_lockstep_too():
    graph = BayesGraph({"A": 2, "B": 2, "C": 2}, {"B": "A", "C": "B"}, theta={"B": "T", "C": "T"})
    table = {"C": np.array([0, 1, 1, 0, 1, 1]), "B": np.array([0, 1, 0, 0, 1, 1])}
    states = lockstep(graph, table, LANES, restarts=2, seed=1, n_epochs=9, start="messages")
    run = fit(graph, table, "kl", n_epochs=9, n_it=3, restarts=2, seed=1, tol=0, start="messages")
    np.testing.assert_allclose(history(states, 9).loglik[:, 1], run.loglik, rtol=1e-8)
