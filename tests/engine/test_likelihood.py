"""The three likelihoods, and the bounds they lie between."""

import numpy as np
import oracles
import pytest
from checks import close
from hypothesis import given
from strategies import as_evidence, cases, seeds

import fgnwidgets as fg
from fgnwidgets import BayesGraph

pytestmark = pytest.mark.usefixtures("every_way")

GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
TABLE = {"X": [0, 1, 1, 0, 1], "Y": [2, 0, 0, 2, 1]}


@given(cases())
def test_the_aggregated_likelihood_equals_enumeration(case):
    expected = oracles.aggregated(case.graph, case.theta, case.likelihoods, case.n)
    close(fg.aggregated(case.graph, case.theta, as_evidence(case)), expected)


def test_the_likelihood_of_a_block_is_its_sum_of_logs(rng):
    theta, f, b = fg.row_normalize(rng.random((2, 3))), rng.random((2, 4)), rng.random((3, 4))
    weight = np.array([1, 0, 2, 0.5])
    expected = sum(weight[n] * np.log(f[:, n] @ theta @ b[:, n]) for n in range(4))
    close(fg.block_loglik(theta, f, b, weight), expected)
    close(fg.block_loglik(np.stack([theta, theta]), f, b, weight), [expected, expected])
    close(fg.block_loglik(theta, f, b), np.log(((theta.T @ f) * b).sum(axis=0)).sum())


def test_the_scale_of_soft_evidence_counts_in_loglik_and_not_in_the_aggregated_one(rng):
    theta = fg.random_theta(GRAPH, rng)
    soft = rng.random((3, 2))
    scale = np.array([[2.0], [0.1], [1e-200]])
    one, two = {"X": soft}, {"X": soft * scale}
    close(fg.loglik(GRAPH, theta, two) - fg.loglik(GRAPH, theta, one), np.log(scale[:, 0]), 1e-11)
    close(fg.aggregated(GRAPH, theta, two), fg.aggregated(GRAPH, theta, one))


def test_likelihoods_whose_sum_no_float_holds_keep_their_scale(rng):
    theta = fg.random_theta(GRAPH, rng)
    soft, y = rng.uniform(0.6, 1, (3, 2)), rng.uniform(0.6, 1, (3, 3))
    one, two = {"X": soft, "Y": y}, {"X": soft * 1.7e308, "Y": y * 1.5e308}
    expected = np.full(3, np.log(1.7e308) + np.log(1.5e308))
    close(fg.loglik(GRAPH, theta, two) - fg.loglik(GRAPH, theta, one), expected, 1e-9)


def test_a_missing_cell_adds_nothing_to_either_likelihood(rng):
    theta = fg.random_theta(GRAPH, rng)
    for likelihood in (fg.loglik, fg.aggregated):
        without = likelihood(GRAPH, theta, {"X": [0, 1]})
        close(likelihood(GRAPH, theta, {"X": [0, 1], "Y": [-1, -1], "S": [None, None]}), without)
        close(likelihood(GRAPH, theta, {"X": [0, 1], "Y": np.ones((2, 3))}), without)
        close(likelihood(GRAPH, theta, {"X": [-1, -1]}), [0, 0])


def test_no_evidence_has_probability_one(rng):
    close(fg.loglik(GRAPH, fg.random_theta(GRAPH, rng), None), [0])


def test_the_saturated_likelihood_is_that_of_counting_whole_rows():
    close(fg.saturated(GRAPH, TABLE), 2 * 2 * np.log(2 / 5) + np.log(1 / 5))
    close(fg.saturated(GRAPH, TABLE, [1, 1, 1, 1, 0]), 4 * np.log(1 / 2))


def test_the_independent_likelihood_is_that_of_counting_each_column():
    x = 2 * np.log(2 / 5) + 3 * np.log(3 / 5)
    y = 2 * 2 * np.log(2 / 5) + np.log(1 / 5)
    close(fg.independent(GRAPH, TABLE), x + y)


@given(seeds)
def test_no_model_of_complete_data_beats_the_saturated_likelihood(seed):
    rng = np.random.default_rng(seed)
    table = {"X": rng.integers(0, 2, 30), "Y": rng.integers(0, 3, 30)}
    run = fg.fit(GRAPH, table, restarts=3, n_epochs=40)
    ceiling, floor = fg.saturated(GRAPH, table), fg.independent(GRAPH, table)
    assert floor <= ceiling + 1e-9
    assert run.loglik.max() <= ceiling + 1e-9


@pytest.mark.parametrize("bound", [fg.saturated, fg.independent])
@pytest.mark.parametrize("column", [[0, -1], [[0.2, 0.8], [1, 0]]])
def test_the_bounds_are_for_complete_rows(bound, column):
    with pytest.raises(ValueError, match="X has soft or missing evidence"):
        bound(GRAPH, {"X": column})
