"""Where learning starts: random matrices, the paper's messages, or the user's own."""

import numpy as np
import pytest
from checks import close
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import as_evidence, cases

import fgnwidgets as fg
from fgnwidgets import BayesGraph
from fgnwidgets.learning.fit import best_starts

GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
TABLE = {"X": [0, 1, 1, 0, 1, 0], "Y": [2, 0, 1, 2, 1, 0]}
RULES = ("ml", "kl", "vit", "var")


@pytest.mark.parametrize("start", ["matrices", "messages"])
def test_the_same_seed_gives_the_same_bytes(start):
    one, two, other = (
        list(fg.epochs(GRAPH, TABLE, seed=seed, start=start, restarts=3, n_epochs=4))
        for seed in (5, 5, 6)
    )
    for name in one[-1].theta:
        assert one[-1].theta[name].tobytes() == two[-1].theta[name].tobytes()
        assert one[-1].theta[name].tobytes() != other[-1].theta[name].tobytes()


@pytest.mark.parametrize("start", ["matrices", "messages"])
def test_a_restart_is_the_same_whatever_restarts_run_beside_it(start):
    *_, few = fg.epochs(GRAPH, TABLE, seed=5, restarts=2, start=start, n_epochs=4)
    *_, many = fg.epochs(GRAPH, TABLE, seed=5, restarts=7, start=start, n_epochs=4)
    for name in few.theta:
        close(many.theta[name][:2], few.theta[name])
        assert np.abs(many.theta[name][0] - many.theta[name][1]).max() > 1e-6


def test_given_matrices_move_no_other_draw():
    free = next(iter(fg.epochs(GRAPH, TABLE, seed=5))).theta
    prior = np.array([[0.3, 0.7]])
    bound = next(iter(fg.epochs(GRAPH, TABLE, seed=5, theta={"S": prior}))).theta
    close(bound["S"][0], prior)
    close(bound["X|S"], free["X|S"])


@pytest.mark.parametrize("rule", RULES)
def test_the_papers_start_learns_once_before_any_propagation(rule):
    """Uniform matrices at epoch 0; the first update sees random or instantiated messages."""
    first, second, *_ = fg.epochs(GRAPH, TABLE, rule, start="messages", n_epochs=2)
    for name, uniform in fg.uniform_theta(GRAPH).items():
        close(first.theta[name][0], uniform)
    assert np.abs(np.diff(second.theta["X|S"][0], axis=0)).max() > 1e-4  # symmetry is broken


def test_own_messages_are_what_the_first_update_sees(rng):
    start = {
        node.name: (
            fg.normalize(rng.random((node.shape[0], 6))),
            fg.normalize(rng.random((node.shape[1], 6))),
        )
        for node in map(GRAPH.normal_form().node, ("S", "X|S", "Y|S"))
    }
    for rule in RULES:
        _, second = fg.epochs(GRAPH, TABLE, rule, start=start, n_epochs=1, n_it=3)
        for name, (f, b) in start.items():
            uniform = np.full((f.shape[0], b.shape[0]), 1 / b.shape[0])
            *_, expected = fg.iterate(rule, uniform, f, b, n_it=3)
            close(second.theta[name][0], expected)


def test_own_messages_may_have_a_batch_of_restarts(rng):
    start = {
        node.name: tuple(fg.normalize(rng.random((4, size, 6))) for size in node.shape)
        for node in map(GRAPH.normal_form().node, ("S", "X|S", "Y|S"))
    }
    *_, together = fg.epochs(GRAPH, TABLE, start=start, restarts=4, n_epochs=3)
    for r in range(4):
        own = {name: (f[r], b[r]) for name, (f, b) in start.items()}
        *_, alone = fg.epochs(GRAPH, TABLE, start=own, n_epochs=3)
        for name in alone.theta:
            close(together.theta[name][r], alone.theta[name][0])


def test_learning_goes_on_from_the_matrices_it_reached():
    *_, whole = fg.epochs(GRAPH, TABLE, n_epochs=7, restarts=3)
    *_, half = fg.epochs(GRAPH, TABLE, n_epochs=3, restarts=3)
    *_, rest = fg.epochs(GRAPH, TABLE, n_epochs=4, restarts=3, theta=half.theta)
    for name in whole.theta:
        close(rest.theta[name], whole.theta[name])


@given(case=cases(max_variables=4, zeros=0), rule=st.sampled_from(RULES))
def test_restarts_together_are_restarts_one_by_one(case, rule):
    assume(case.table)
    starts = fg.random_theta(case.graph, np.random.default_rng(1), batch=(3,))
    *_, together = fg.epochs(
        case.graph, as_evidence(case), rule, theta=starts, restarts=3, n_epochs=4
    )
    for r in range(3):
        own = {name: matrix[r] for name, matrix in starts.items()}
        *_, alone = fg.epochs(case.graph, as_evidence(case), rule, theta=own, n_epochs=4)
        for name in own:
            close(together.theta[name][r], alone.theta[name][0], 1e-10)


@pytest.mark.parametrize("rule", ["ml", "kl", "var"])  # ties make VIT depend on the numbering
def test_another_numbering_of_the_hidden_states_learns_the_same_model(rule, rng):
    theta = fg.random_theta(GRAPH, rng)
    moved = fg.relabel(GRAPH, theta, "S", [1, 0])
    *_, one = fg.epochs(GRAPH, TABLE, rule, theta=theta, n_epochs=5)
    *_, two = fg.epochs(GRAPH, TABLE, rule, theta=moved, n_epochs=5)
    for name, matrix in fg.relabel(GRAPH, one.theta, "S", [1, 0]).items():
        close(two.theta[name], matrix)


def test_starts_are_drawn_by_the_generator_of_the_restart_alone():
    """The n-th child of a seed draws the n-th restart, so a restart can be run again by itself."""
    first = next(iter(fg.epochs(GRAPH, TABLE, seed=9, restarts=3)))
    children = np.random.SeedSequence(9).spawn(3)
    for r, child in enumerate(children):
        numbers = np.random.default_rng(child).random(2 + 4 + 6)
        close(first.theta["S"][r], fg.row_normalize(numbers[None, :2]))
        close(first.theta["X|S"][r], fg.row_normalize(numbers[2:6].reshape(2, 2)))


@pytest.mark.parametrize("n_epochs", [10, 15])  # with ten, none goes on
def test_a_short_start_that_lost_a_sample_leaves_no_mark_on_those_that_are_kept(n_epochs):
    """Whether a restart is dropped goes with its matrices, wherever the good ones stood."""
    graph = BayesGraph({"S": 2, "A": 2, "B": 2}, {"A": "S", "B": "S"})
    table = {"A": [0, 1, 1, 0, 1], "B": [0, 1, 0, 1, 1]}
    rng = np.random.default_rng(0)
    theta = {name: np.array([m] * 6) for name, m in fg.random_theta(graph, rng).items()}
    for r in range(6):
        theta["A|S"][r] = rng.dirichlet(np.ones(2), 2)
    theta["A|S"][[0, 1, 3]] = [[1.0, 0.0], [1.0, 0.0]]  # A is never 1: three starts lose samples
    run = fg.fit(graph, table, theta=theta, starts=6, keep=3, n_epochs=n_epochs)
    assert run.dropped.tolist() == [False] * 3
    assert np.isfinite(run.final_loglik).all()


def test_of_several_tables_the_best_starts_of_each_come_first():
    """A start of every table after another; so come the best, and then the second best."""
    ends = np.array([[3.0, 1.0], [5.0, 2.0], [4.0, 0.0]])  # starts, tables
    found = best_starts(ends.ravel(), 2, tables=2)
    assert found.tolist() == [1 * 2 + 0, 1 * 2 + 1, 2 * 2 + 0, 0 * 2 + 1]
    assert ends.ravel()[found].tolist() == [5, 2, 4, 1]
