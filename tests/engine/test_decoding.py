"""The most probable configuration, and random ones."""

from collections import Counter

import numpy as np
import oracles
import pytest
from checks import close
from hypothesis import given
from strategies import as_evidence, cases

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Block, Branch, Evidence, NormalGraph, Project, Source

GRAPH = BayesGraph({"S": 3, "T": 2, "X": ("no", "yes"), "Y": 2}, {"X": "S", "Y": ("S", "T")})


@given(cases())
def test_the_most_probable_configuration_is_the_argmax_of_the_joint_table(case):
    table, logp = fg.most_probable(case.graph, case.theta, as_evidence(case))
    whole = oracles.joint(case.graph, case.theta)
    for n in range(case.n):
        top, at = oracles.most_probable(case.graph, case.theta, case.likelihoods, n)
        found = {name: int(column[n]) for name, column in table.items()}
        known = oracles.with_evidence(case.graph, whole, case.likelihoods, n)
        close(np.exp(logp[n]), top, 1e-9)
        close(known[tuple(found[name] for name in case.graph.variables)], top, 1e-9)
        if np.sort(known.ravel())[-2:-1].sum() < top * (1 - 1e-6):  # no ties
            assert found == at


def test_it_decodes_long_chains_without_underflow(rng):
    n = 2000
    names = [f"X{k}" for k in range(n)]
    parents = dict(zip(names[1:], names, strict=False))
    graph = BayesGraph(dict.fromkeys(names, 2), parents, theta=dict.fromkeys(parents, "T"))
    theta = {"X0": np.array([[0.4, 0.6]]), "T": np.array([[0.7, 0.3], [0.2, 0.8]])}
    seen = rng.random((n, 2))
    table, logp = fg.most_probable(
        graph, theta, {v: s[None] for v, s in zip(names, seen, strict=True)}
    )
    best = np.log(theta["X0"][0]) + np.log(seen[0])  # Viterbi, in the log domain
    for k in range(1, n):
        best = (best[:, None] + np.log(theta["T"])).max(axis=0) + np.log(seen[k])
    close(logp, [best.max()], 1e-11)
    path = [int(table[name][0]) for name in names]
    score = np.log(theta["X0"][0, path[0]]) + np.log(seen[np.arange(n), path]).sum()
    close(score + np.log(theta["T"][path[:-1], path[1:]]).sum(), best.max(), 1e-11)


def test_decoded_states_are_labels_where_there_are_any(rng):
    table, _ = fg.most_probable(GRAPH, fg.random_theta(GRAPH, rng), {"X": ["yes", "no"]})
    assert table["X"].tolist() == ["yes", "no"]
    assert table["S"].dtype.kind == "i"
    assert set(table) == {"S", "T", "X", "Y"}  # and no product space


def frequencies_agree(table, expected, names, n):
    """Every cell within five standard deviations of its probability."""
    rows = np.stack([table[name] for name in names], axis=-1)
    found = Counter(map(tuple, rows.tolist()))
    for at, p in np.ndenumerate(expected):
        if p == 0:
            assert found[at] == 0
        else:
            assert abs(found[at] - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 1


@given(cases(max_variables=4, kinds="h"))
def test_samples_follow_the_joint_distribution(case):
    n = 4000
    table = fg.sample(case.graph, case.theta, n, np.random.default_rng(7))
    frequencies_agree(table, oracles.joint(case.graph, case.theta), case.graph.variables, n)


@given(cases(max_variables=4))
def test_conditional_samples_follow_the_posterior(case):
    n = 4000
    given_ = as_evidence(case).take(np.array([0]))
    table = fg.sample(case.graph, case.theta, n, np.random.default_rng(8), given_)
    known = oracles.with_evidence(
        case.graph, oracles.joint(case.graph, case.theta), case.likelihoods, 0
    )
    frequencies_agree(table, known / known.sum(), case.graph.variables, n)


def test_the_same_generator_gives_the_same_samples(rng):
    theta = fg.random_theta(GRAPH, rng)
    one, two = (fg.sample(GRAPH, theta, 50, np.random.default_rng(3)) for _ in range(2))
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])


def test_samples_are_a_table_that_can_be_learned_from(rng):
    theta = fg.random_theta(GRAPH, rng)
    table = fg.sample(GRAPH, theta, 20_000, rng)
    _, after = fg.epochs(GRAPH, table, n_epochs=1)
    for name, matrix in theta.items():
        close(after.theta[name][0], matrix, 0.05)


@pytest.mark.parametrize("states", [(1, "a"), (True, "a"), ((0, 1), (1, 0)), (None, 2.5), (1, 2.5)])
def test_sampled_labels_keep_their_type(states, rng):
    graph = BayesGraph({"X": states})
    found = fg.sample(graph, {"X": [0.5, 0.5]}, 40, rng)["X"].tolist()
    assert {(type(label), label) for label in found} == {(type(s), s) for s in states}


def test_handmade_graphs_are_sampled_and_decoded(rng):
    product = Branch("P", 6)
    graph = NormalGraph(
        [
            Source("P", product),
            Project("down", product, Branch("A", 3), (2, 3), 1),
            Block("B|A", Branch("A", 3), Branch("B", 2)),
        ]
    )
    theta = fg.random_theta(graph, rng)
    table = fg.sample(graph, theta, 500, rng)
    np.testing.assert_array_equal(table["P"] % 3, table["A"])
    best, logp = fg.most_probable(graph, theta, {"B": [1]})
    scores = theta["P"][0] * theta["B|A"][np.arange(6) % 3, 1]
    assert best["P"][0] == scores.argmax()
    close(logp, [np.log(scores.max())])


def test_what_cannot_be_sampled_or_decoded_is_refused(rng):
    theta = fg.random_theta(GRAPH, rng)
    with pytest.raises(ValueError, match="n is 0: expected at least 1"):
        fg.sample(GRAPH, theta, 0, rng)
    with pytest.raises(ValueError, match="given holds 2 samples: expected one"):
        fg.sample(GRAPH, theta, 5, rng, {"X": [0, 1]})
    batch = fg.random_theta(GRAPH, rng, batch=(2,))
    soft = Evidence(1, {}, {"S": np.ones((4, 3, 1))})
    for arguments in ((batch,), (theta, soft)):
        with pytest.raises(ValueError, match="one model, without batch axes"):
            fg.most_probable(GRAPH, *arguments)
