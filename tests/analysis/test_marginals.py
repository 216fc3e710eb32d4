"""Marginals that are given: Jeffrey's rule, against sums over whole tables."""

import itertools

import numpy as np
import pytest

import fgnwidgets as fg
from fgnwidgets import BayesGraph, fix_marginals, posterior, propagate, random_theta

GRAPH = BayesGraph({"S": 3, "X": ("no", "yes"), "Y": 2, "Z": 3}, {"X": "S", "Y": "S", "Z": "Y"})
THETA = random_theta(GRAPH, np.random.default_rng(5))
ORDER = tuple(GRAPH.variables)


def whole_table(graph, theta):
    """P of every configuration, by multiplication."""
    sizes = [graph.variables[name].size for name in graph.variables]
    table = np.empty(sizes)
    for at in itertools.product(*map(range, sizes)):
        value = dict(zip(graph.variables, at, strict=True))
        table[at] = 1.0
        for name, parents in graph.parents.items():
            row = 0
            for parent in parents:
                row = row * graph.variables[parent].size + value[parent]
            table[at] *= theta[graph.theta[name]][row, value[name]]
    return table


def marginal(table, name):
    return table.sum(axis=tuple(k for k, other in enumerate(ORDER) if other != name))


def scaled(table, wanted, rounds=3000):
    """Iterative proportional fitting of the whole table."""
    for _ in range(rounds):
        for name, q in wanted.items():
            axis = ORDER.index(name)
            ratio = np.asarray(q) / marginal(table, name)
            table = table * ratio.reshape([-1 if k == axis else 1 for k in range(table.ndim)])
    return table


@pytest.mark.quick
@pytest.mark.parametrize("name", ORDER)
def test_one_variable_gets_its_distribution_and_the_others_follow_jeffreys_rule(name):
    table = whole_table(GRAPH, THETA)
    q = np.random.default_rng(ORDER.index(name)).dirichlet(np.ones(GRAPH.variables[name].size))
    evidence = fix_marginals(GRAPH, THETA, {name: q})
    for other in ORDER:
        expected = marginal(scaled(table, {name: q}, 1), other)
        np.testing.assert_allclose(posterior(GRAPH, THETA, evidence, other)[0], expected, atol=1e-9)


@pytest.mark.quick
def test_a_likelihood_vector_is_not_a_marginal():
    said = posterior(GRAPH, THETA, {"X": np.array([[0.2, 0.8]])}, "X")[0]
    assert abs(said[1] - 0.8) > 0.02


def test_several_variables_get_theirs_as_by_proportional_fitting_of_the_whole_table():
    wanted = {"X": [0.35, 0.65], "Z": [0.5, 0.2, 0.3], "S": [0.1, 0.3, 0.6]}
    evidence = fix_marginals(GRAPH, THETA, wanted)
    table = scaled(whole_table(GRAPH, THETA), wanted)
    found = propagate(GRAPH, THETA, evidence)
    for name in ORDER:
        np.testing.assert_allclose(found[name].p[:, 0], marginal(table, name), atol=1e-8)


def test_what_is_observed_besides_stays_observed_row_by_row():
    rows = {"Y": np.array([0, 1, 1])}
    q = np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]])
    evidence = fix_marginals(GRAPH, THETA, {"X": q}, rows)
    table = whole_table(GRAPH, THETA)
    np.testing.assert_allclose(posterior(GRAPH, THETA, evidence, "X"), q, atol=1e-9)
    for n, y in enumerate(rows["Y"]):
        part = table[:, :, y].sum(axis=-1)  # S, X
        expected = (part / part.sum(axis=0) * q[n]).sum(axis=1)
        np.testing.assert_allclose(posterior(GRAPH, THETA, evidence, "S")[n], expected, atol=1e-9)


def test_it_works_on_merged_loops_and_with_a_batch_of_models():
    loop = BayesGraph({"A": 2, "B": 2, "C": 2, "D": 2}, {"B": "A", "C": "A", "D": ("B", "C")})
    form = loop.merged()
    batch = random_theta(form, np.random.default_rng(0), (4,))
    found = posterior(form, batch, fix_marginals(form, batch, {"D": [0.3, 0.7]}), "D")
    np.testing.assert_allclose(found, np.broadcast_to([0.3, 0.7], (4, 1, 2)), atol=1e-9)


def test_a_distribution_for_each_sample_needs_no_other_evidence():
    q = np.array([[0.9, 0.1], [0.25, 0.75]])
    found = posterior(GRAPH, THETA, fix_marginals(GRAPH, THETA, {"X": q, "Y": [0.5, 0.5]}), "X")
    np.testing.assert_allclose(found, q, atol=1e-9)


CERTAIN = {**THETA, "X|S": np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])}
COPIED = BayesGraph({"A": 2, "B": 2}, {"B": "A"})
COPY = {"A": np.array([[0.5, 0.5]]), "B|A": np.eye(2)}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((GRAPH, THETA, {}), r"marginals is \{\}: expected a mapping"),
        ((GRAPH, THETA, [0.2, 0.8]), "marginals is .* expected a mapping from variables"),
        ((GRAPH, THETA, {"Q": [0.2, 0.8]}), "no variable or branch 'Q'"),
        ((GRAPH, THETA, {"X": [0.2, 0.7]}), r"marginals\['X'\]: row 0 sums to 0.9, expected 1"),
        (
            (GRAPH, THETA, {"X": [0.2, 0.3, 0.5]}),
            r"marginals\['X'\] has shape .* expected \(\.\.\., 1, 2\)",
        ),
        ((GRAPH, THETA, {"X": "yes"}), r"marginals\['X'\] is not an array of numbers"),
        ((GRAPH, THETA, {"X": [[0.2, 0.8]] * 3}, {"Y": [0, 1]}), r"expected \(2,\), or \(2, 2\)"),
        ((GRAPH, THETA, {"X": [0.2, 0.8]}, {"X": [0, 1]}), "beside evidence on 'X': expected one"),
        ((GRAPH, CERTAIN, {"X": [0.2, 0.8]}), "sample 0 gives 'yes' the probability 0.8, which"),
        ((COPIED, COPY, {"A": [0.2, 0.8], "B": [0.4, 0.6]}), "marginals of A, B are not reached"),
    ],
)
def test_what_cannot_be_fixed_is_refused_in_words(arguments, said):
    with pytest.raises(ValueError, match=said):
        fix_marginals(*arguments)


def test_it_is_offered_where_it_is_looked_for():
    assert "fix_marginals" in fg.__all__
    assert "fix_marginals" in fg.read_evidence.__doc__
