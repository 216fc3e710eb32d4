"""One hidden variable: levels by enumeration, matched states, scatter (section 7.1)."""

import math
from itertools import product

import numpy as np
import pytest

from fgn_notebooks import paper
from fgn_notebooks.experiments import (
    hidden_variable,
    n_it_scatter,
    one_hidden,
)
from fgn_notebooks.experiments.levels import (
    aggregated_ceiling,
    falls,
    held_out_floor,
    settled,
)
from fgnwidgets import loglik


def joint(theta):
    """P(X1, X2, X3) as a table, by enumeration."""
    table = np.zeros((2, 2, 3))
    for s, a, b, c in product(range(4), range(2), range(2), range(3)):
        table[a, b, c] += (
            theta["S"][0, s] * theta["X1|S"][s, a] * theta["X2|S"][s, b] * theta["X3|S"][s, c]
        )
    return table


def counted(rows):
    table = np.zeros((2, 2, 3))
    for a, b, c in zip(rows["X1"], rows["X2"], rows["X3"], strict=True):
        table[a, b, c] += 1
    return table


def aggregated_of(counts, model):
    """The sum over cells of the log of each variable given the two others, by enumeration."""
    total = 0.0
    for cell in product(range(2), range(2), range(3)):
        for axis in range(3):
            given = list(cell)
            given[axis] = slice(None)
            if counts[cell]:
                total += counts[cell] * math.log(model[cell] / model[tuple(given)].sum())
    return total


def test_the_levels_are_those_of_enumeration():
    found = one_hidden(n=200, split=True, n_epochs=1)
    half = {name: column[:100] for name, column in found.samples.items()}
    counts, truth = counted(half), joint(paper.ONE_HIDDEN_THETA)
    seen = counts[counts > 0]
    levels = found.levels
    assert levels.ceiling == pytest.approx((seen * np.log(seen / 100)).sum())
    assert levels.truth == pytest.approx((counts * np.log(truth)).sum())
    assert levels.aggregated_truth == pytest.approx(aggregated_of(counts, truth))
    assert levels.aggregated_ceiling == pytest.approx(aggregated_of(counts, counts))
    margins = [counts.sum(axis=other) for other in ((1, 2), (0, 2), (0, 1))]
    independent = sum((m * np.log(m / 100)).sum() for m in margins)
    assert levels.floor == pytest.approx(independent)


def test_no_model_has_a_larger_aggregated_likelihood_than_the_ceiling():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 30, (2, 2, 3)).astype(float)
    codes = dict(zip("abc", np.indices(counts.shape).reshape(3, -1), strict=True))
    ceiling = aggregated_ceiling(codes, counts.ravel())
    for _ in range(200):
        model = counts * np.exp(rng.normal(0, rng.choice([0.01, 1.0]), counts.shape))
        assert aggregated_of(counts, model) <= ceiling + 1e-9


def test_independence_on_a_test_half_has_the_shares_of_the_other_half():
    table = {"A": np.array([0, 0, 1, 1, 0]), "B": np.array([0, 1, 2, 0, 1])}
    train, test = np.array([1, 1, 2, 0, 0.0]), np.array([0, 0, 0, 1, 3.0])
    by_hand = np.log(2 / 4) + np.log(1 / 4) + 3 * (np.log(2 / 4) + np.log(1 / 4))
    assert held_out_floor(table, train, test) == pytest.approx(by_hand)
    assert held_out_floor(table, 1 - np.eye(5)[2], np.eye(5)[2]) == -np.inf  # B=2 is new there


def test_ml_reaches_both_ceilings_when_the_states_are_enough():
    found = one_hidden(m_s=12, rules="ml", n_epochs=300, n_it=1, start="matrices")
    assert found.curve("ml")[-1] == pytest.approx(found.levels.ceiling, abs=0.01)
    assert found.curve("ml", "aggregated")[-1] == pytest.approx(
        found.levels.aggregated_ceiling, abs=0.01
    )


@pytest.mark.parametrize("m_s", [2, 4, 7])
def test_matching_the_states_changes_no_likelihood(m_s):
    found = one_hidden(m_s=m_s, restarts=3, split=True)
    half = {name: column[:200] for name, column in found.samples.items()}
    graph = paper.one_hidden_graph(m_s)
    for rule in found.rules:
        last = {name: v[-1] for name, v in found.theta[rule].items()}
        assert loglik(graph, last, half).sum() == pytest.approx(found.curve(rule)[-1])


def test_a_shuffled_generative_model_is_recognized():
    shuffled = {
        name: (v[:, [2, 0, 3, 1]] if name == "S" else v[[2, 0, 3, 1]])
        for name, v in paper.ONE_HIDDEN_THETA.items()
    }
    rows = hidden_variable.samples(400, 0)
    theta, agreed = hidden_variable.matched(paper.one_hidden_graph(), rows, {"ml": shuffled})
    for name, matrix in paper.ONE_HIDDEN_THETA.items():
        np.testing.assert_array_equal(theta["ml"][name], matrix)
    expected = joint_agreement(rows)
    assert agreed["ml"] == pytest.approx(expected)


def test_each_rule_is_matched_by_its_own_states():
    rows = hidden_variable.samples(400, 0)
    orders = {"ml": [2, 0, 3, 1], "kl": [1, 3, 0, 2], "vit": [0, 1, 2, 3]}
    learned = {
        rule: {
            name: (v[:, order] if name == "S" else v[order])
            for name, v in paper.ONE_HIDDEN_THETA.items()
        }
        for rule, order in orders.items()
    }
    theta, _ = hidden_variable.matched(paper.one_hidden_graph(), rows, learned)
    for rule in orders:
        for name, matrix in paper.ONE_HIDDEN_THETA.items():
            np.testing.assert_array_equal(theta[rule][name], matrix)


def joint_agreement(rows):
    """How often two draws of S given the row agree under the generative model, by enumeration."""
    theta, total = paper.ONE_HIDDEN_THETA, 0.0
    for a, b, c in zip(rows["X1"], rows["X2"], rows["X3"], strict=True):
        p = theta["S"][0] * theta["X1|S"][:, a] * theta["X2|S"][:, b] * theta["X3|S"][:, c]
        total += ((p / p.sum()) ** 2).sum()
    return total / len(rows["X1"])


def test_the_best_restart_is_the_one_with_the_largest_likelihood():
    found = one_hidden(restarts=6, n_epochs=8, start="matrices")
    for rule in found.rules:
        assert found.curve(rule)[-1] == found.loglik[rule][-1].max()


def test_the_scatter_is_where_the_runs_of_one_hidden_end():
    scatter = n_it_scatter(n_its=(1, 5), runs=3, n_epochs=10, seed=4)
    for k, n_it in enumerate((1, 5)):
        runs = one_hidden(rules="ml", n_it=n_it, restarts=3, n_epochs=10, seed=4)
        np.testing.assert_allclose(scatter.loglik[k], runs.loglik["ml"][-1])
        np.testing.assert_allclose(scatter.aggregated[k], runs.aggregated["ml"][-1])


def test_a_curve_has_settled_once_it_stays_near_its_end():
    assert settled(np.array([-900.0, -10.0, 0.0, -5.0, 0.0, 0.01, 0.0])) == 4
    assert settled(np.array([-900.0, 1.0, 1.0, 1.0])) == 1
    assert settled(np.array([3.0])) == 0


def test_falls_are_counted_for_each_curve_and_rounding_is_none():
    curves = np.array([[0.0, -5.0], [-1.0, -4.0], [2.0, -4.0 - 1e-13], [1.9, -3.0]])
    assert falls(curves).tolist() == [2, 0]
    assert falls(1e6 + np.array([[0.0], [-1e-8], [-1e-3]])).tolist() == [1]


def test_coefficients_are_those_of_the_matched_blocks_in_their_order():
    found = one_hidden(n_epochs=3, rules=("ml", "vit"))
    rows = found.coefficients("vit")
    one, two, three = (found.theta["vit"][f"X{k}|S"] for k in (1, 2, 3))
    assert rows.shape == (4, 4 * (2 + 2 + 3))
    for epoch in range(4):
        parts = (one[epoch].ravel(), two[epoch].ravel(), three[epoch].ravel())
        assert rows[epoch].tolist() == np.concatenate(parts).tolist()
