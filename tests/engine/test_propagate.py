"""Exact messages: against enumeration, in batches, on chains and stars without end."""

import numpy as np
import pytest
from checks import (
    block_messages_equal_enumeration,
    close,
    loglik_equals_enumeration,
    posteriors_equal_enumeration,
)
from hypothesis import given
from oracles import branch_table
from strategies import as_evidence, cases, seeds
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Block, Branch, Diverter, Expand, NormalGraph, Project, Source


@given(cases())
def test_posteriors_equal_enumeration(case):
    posteriors_equal_enumeration(case)


@given(cases())
def test_messages_at_every_block_equal_enumeration(case):
    block_messages_equal_enumeration(case)


@given(cases(possible=False))
def test_loglik_equals_enumeration(case):
    loglik_equals_enumeration(case)


@given(cases(kinds="s"))
def test_soft_evidence_on_every_variable_equals_enumeration(case):
    posteriors_equal_enumeration(case)
    loglik_equals_enumeration(case)


@given(cases(), seeds)
def test_a_batch_is_the_loop_over_it(case, seed):
    rng = np.random.default_rng(seed)
    evidence = as_evidence(case)
    theta = {name: np.stack([m, m]) for name, m in case.theta.items()}
    for name in list(theta)[::2]:
        theta[name] = np.stack(
            [case.theta[name], 0.5 * case.theta[name] + 0.5 / theta[name].shape[-1]]
        )
    vectors = {
        k: np.stack([v, v * rng.uniform(0.5, 1, v.shape)])[:, None]
        for k, v in evidence.vectors.items()
    }
    messages = fg.propagate(case.graph, theta, fg.Evidence(case.n, evidence.codes, vectors))
    for i in range(2 if vectors else 1):
        for j in range(2):
            one = fg.propagate(
                case.graph,
                {name: m[j] for name, m in theta.items()},
                fg.Evidence(case.n, evidence.codes, {k: v[i, 0] for k, v in vectors.items()}),
            )
            at = (i, j) if vectors else (j,)
            for name in case.graph.variables:
                p = messages[name].p
                close(
                    np.broadcast_to(p, (*messages.loglik.shape[:-1], *p.shape[-2:]))[at],
                    one[name].p,
                )
            close(messages.loglik[at], one.loglik)


@given(cases())
def test_samples_do_not_touch_each_other(case):
    together = fg.propagate(case.graph, case.theta, as_evidence(case))
    for n in range(case.n):
        alone = fg.propagate(case.graph, case.theta, as_evidence(case).take(np.array([n])))
        close(alone.loglik[0], together.loglik[n])
        for name in case.graph.variables:
            close(alone[name].p[:, 0], together[name].p[:, n])


def test_long_data_is_propagated_in_pieces_with_the_same_result(rng):
    graph = BayesGraph({"S": 2, "X": 3, "Y": 2}, {"X": "S", "Y": "S"})
    theta = fg.random_theta(graph, rng)
    x = rng.integers(-1, 3, 40_000)
    messages = fg.propagate(graph, theta, {"X": x})
    each = fg.propagate(graph, theta, {"X": [-1, 0, 1, 2]})
    close(messages.loglik, each.loglik[x + 1])
    close(messages["S"].p, each["S"].p[:, x + 1])
    close(messages["Y"].p, each["Y"].p[:, x + 1])


def test_posterior_is_samples_first(rng):
    graph = BayesGraph({"S": 3, "X": 2}, {"X": "S"})
    theta = fg.random_theta(graph, rng, batch=(4,))
    found = fg.posterior(graph, theta, {"X": [0, 1]}, "S")
    assert found.shape == (4, 2, 3)
    close(found, fg.propagate(graph, theta, {"X": [0, 1]})["S"].p.swapaxes(-1, -2))


# Normal graphs that no Bayesian graph gives


def A(name, size=2):
    return Branch(name, size)


HANDMADE = {
    "an open tail": [Block("X|S", A("S", 3), A("X"))],
    "diverter with several inputs": [
        Source("a", A("a")),
        Block("b", A("b", 3), A("c")),
        Diverter("D", [A("a"), A("c")], [A("x"), A("y")]),
        Block("y|z", A("y"), A("z", 3)),
    ],
    "down from a product space": [
        Source("P", A("P(0)", 6)),
        Diverter("P=", [A("P(0)", 6)], [A("P(1)", 6), A("P(2)", 6)]),
        Project("to A", A("P(1)", 6), A("A", 2), (2, 3), 0),
        Project("to B", A("P(2)", 6), A("B", 3), (2, 3), 1),
        Block("C|B", A("B", 3), A("C")),
    ],
    "up, and on through a block": [
        Source("A", A("A")),
        Expand("up", A("A"), A("P", 6), (2, 3), 0),
        Block("C|P", A("P", 6), A("C", 3)),
    ],
    "up and down": [
        Source("A", A("A")),
        Expand("up", A("A"), A("P", 6), (2, 3), 0),
        Project("down", A("P", 6), A("B", 3), (2, 3), 1),
    ],
    "a diverter with one port": [Source("S", A("S")), Diverter("end", [A("S")], [])],
    "two parts, one of them a single block": [
        Source("S", A("S")),
        Block("alone", A("X", 3), A("Y")),
    ],
    "two diverters in a row": [
        Source("S", A("S")),
        Diverter("D", [A("S")], [A("s1"), A("s2")]),
        Diverter("E", [A("s1")], [A("s3"), A("s4")]),
    ],
}


@pytest.mark.parametrize("nodes", HANDMADE.values(), ids=HANDMADE)
def test_handmade_graphs_equal_enumeration_with_evidence_anywhere(nodes, rng):
    graph = NormalGraph(nodes)
    theta = fg.random_theta(graph, rng)
    for variable in [None, *graph.variables]:
        likelihoods, table = {}, None
        if variable is not None:
            branch = graph.branch(variable)
            likelihoods = {branch.name: rng.random((branch.size, 1))}
            table = {variable: likelihoods[branch.name].T}
        messages = fg.propagate(graph, theta, table)
        expected = branch_table(graph, theta, likelihoods, 0)
        close(messages.loglik, [np.log(expected.sum())])
        for k, name in enumerate(graph.branches):
            marginal = expected.sum(axis=tuple(j for j in range(expected.ndim) if j != k))
            found = messages[graph.variable_of[name]].p[:, 0]
            close(found, marginal / marginal.sum())
        for name in messages:
            close(messages[name].f.sum(axis=0), [1])
            close(messages[name].b.sum(axis=0), [1])


def test_the_simplified_model_multiplies_what_its_parents_say(rng):
    graph = BayesGraph({"A": 2, "B": 3, "C": 4, "D": 2}, {"C": ("A", "B"), "D": "C"})
    form = graph.normal_form("separate")
    theta = fg.random_theta(form, rng)
    messages = fg.propagate(form, theta, {"D": [0, 1]})
    a, b = theta["A"][0] @ theta["C|A"], theta["B"][0] @ theta["C|B"]
    c = (a * b)[:, None] * theta["D|C"]
    close(messages["C"].p, c / c.sum(axis=0))
    close(messages.loglik, np.log(c.sum(axis=0)))


# Graphs without end


def log_sum(v, axis):
    top = v.max(axis=axis, keepdims=True)
    return (np.log(np.exp(v - top).sum(axis=axis, keepdims=True)) + top).squeeze(axis)


@pytest.mark.parametrize("tied", mostly_slow([True, False], True))
def test_a_chain_of_5000_variables_equals_the_log_domain(tied, rng):
    n = 5000
    names = [f"X{k}" for k in range(n)]
    parents = dict(zip(names[1:], names, strict=False))
    graph = BayesGraph(
        dict.fromkeys(names, 3), parents, theta=dict.fromkeys(parents, "T") if tied else None
    )
    theta = fg.random_theta(graph, rng)
    seen = rng.random((n, 3))  # soft evidence everywhere: the scale of a chain
    messages = fg.propagate(
        graph, theta, {name: v[None] for name, v in zip(names, seen, strict=True)}
    )
    logs = [np.log(theta[graph.theta[name]]) for name in names]
    forward = [logs[0][0]]
    for k in range(1, n):
        forward.append(log_sum((forward[-1] + np.log(seen[k - 1]))[:, None] + logs[k], 0))
    total = log_sum(forward[-1] + np.log(seen[-1]), 0)
    close(messages.loglik, [total], 1e-11)
    backward = np.zeros(3)
    for k in range(n - 1, 0, -1):
        if k in (4999, 2500, 1):
            p = np.exp(forward[k] + np.log(seen[k]) + backward - total)
            close(messages[names[k]].p[:, 0], p, 1e-10)
        backward = log_sum(logs[k] + np.log(seen[k]) + backward, 1)


@pytest.mark.parametrize("children", [100, 500])
def test_a_diverter_with_hundreds_of_ports_equals_the_log_domain(children, rng):
    names = [f"X{k}" for k in range(children)]
    graph = BayesGraph({"S": 3, **dict.fromkeys(names, 2)}, dict.fromkeys(names, "S"))
    theta = {
        name: 1e-3 * matrix + (1 - 1e-3) * (np.arange(matrix.shape[-1]) == 0)
        for name, matrix in fg.random_theta(graph, rng).items()
    }
    seen = np.ones((children, 4), dtype=int)  # unlikely: far below the smallest float
    seen[:, 1] = rng.integers(0, 2, children)
    seen[::2, 2] = -1
    seen[:, 3] = 0
    messages = fg.propagate(graph, theta, dict(zip(names, seen, strict=True)))
    logs = np.log(theta["S"][0])[:, None] + sum(
        np.where(x < 0, 0, np.log(theta[f"{name}|S"])[:, x])
        for name, x in zip(names, seen, strict=True)
    )
    assert logs.min() < -700
    close(messages.loglik, log_sum(logs, 0), 1e-11)
    close(messages["S"].p, np.exp(logs - log_sum(logs, 0)), 1e-10)
    for k in (0, children - 1):  # what one child hears of all the others
        others = logs - np.where(seen[k] < 0, 0, np.log(theta[f"X{k}|S"])[:, seen[k]])
        f = np.exp(others - log_sum(others, 0))
        close(messages[f"S({k + 1})"].f, f, 1e-10)


@pytest.mark.parametrize(("children", "digits"), [(2, 160), (3, 110), (20, 110), (90, 110)])
def test_a_few_pieces_of_very_unlikely_evidence_equal_the_log_domain(children, digits, rng):
    """Two of 1e-160 have a product that is not zero and has lost most of its digits."""
    names = [f"X{k}" for k in range(children)]
    graph = BayesGraph({"S": 2, **dict.fromkeys(names, 2)}, dict.fromkeys(names, "S"))
    small = 10.0 ** -rng.uniform(digits - 0.5, digits + 0.5, (children, 2))
    theta = {f"{n}|S": np.column_stack([1 - p, p]) for n, p in zip(names, small, strict=True)}
    theta["S"] = np.array([[0.3, 0.7]])
    messages = fg.propagate(graph, theta, dict.fromkeys(names, 1))
    logs = np.log(theta["S"][0]) + np.log(small).sum(axis=0)
    close(messages.loglik, [log_sum(logs, 0)], 1e-11)
    close(messages["S"].p[:, 0], np.exp(logs - log_sum(logs, 0)), 1e-10)


def test_variables_of_one_value_say_nothing(rng):
    graph = BayesGraph({"S": 1, "X": 1, "Y": 3}, {"X": "S", "Y": "S"})
    theta = fg.random_theta(graph, rng)
    messages = fg.propagate(graph, theta, {"S": [0, -1], "X": [0, 0], "Y": [2, -1]})
    close(messages.loglik, [np.log(theta["Y|S"][0, 2]), 0])
    close(messages["S"].p, np.ones((1, 2)))


def test_a_query_leaves_the_model_as_it_was(rng):
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    theta = fg.random_theta(graph, rng)
    before = fg.propagate(graph, theta)
    fg.propagate(graph, theta, {"S": [[0.1, 0.9]], "X": [1]})
    after = fg.propagate(graph, theta)
    assert list(graph.normal_form().branches) == ["S", "X"]
    np.testing.assert_array_equal(before["X"].p, after["X"].p)
