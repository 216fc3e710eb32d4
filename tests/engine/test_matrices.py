"""``theta``: what is accepted, what is refused, and another numbering of the states."""

import numpy as np
import pytest
from checks import close
from hypothesis import given
from strategies import as_evidence, cases, seeds

import fgnwidgets as fg
from fgnwidgets import (
    BayesGraph,
    Block,
    Branch,
    Diverter,
    NormalGraph,
    Project,
    Source,
    fit,
    hmm,
    loglik,
    random_theta,
    relabel,
    row_normalize,
    uniform_theta,
)
from fgnwidgets.graphs.theta import read_theta

GRAPH = BayesGraph({"A": 2, "B": 3, "C": 2}, {"C": ("A", "B")})


def test_a_prior_may_be_a_vector_and_several_parents_an_axis_each(rng):
    theta = random_theta(GRAPH, rng)
    given_ = {"A": theta["A"][0], "B": theta["B"], "C|A,B": theta["C|A,B"].reshape(2, 3, 2)}
    for name, matrix in read_theta(GRAPH, given_).items():
        close(matrix, theta[name])


def test_batch_axes_come_first(rng):
    theta = random_theta(GRAPH, rng, batch=(4, 5))
    assert theta["C|A,B"].shape == (4, 5, 6, 2)
    close(
        read_theta(GRAPH, {**theta, "C|A,B": theta["C|A,B"].reshape(4, 5, 2, 3, 2)})["C|A,B"],
        theta["C|A,B"],
    )


def test_the_axes_of_two_parents_are_not_taken_for_a_batch():
    graph = BayesGraph({"A": 2, "B": 2, "C": 2}, {"C": ("A", "B")})
    cube = row_normalize(np.arange(1.0, 9).reshape(2, 2, 2))
    close(read_theta(graph, {"A": [1, 0], "B": [1, 0], "C|A,B": cube})["C|A,B"], cube.reshape(4, 2))


def test_uniform_rows():
    close(uniform_theta(GRAPH)["C|A,B"], np.full((6, 2), 0.5))


GOOD = {"A": [0.5, 0.5], "B": [1, 0, 0], "C|A,B": np.full((6, 2), 0.5)}
BAD = {
    "missing": ({"A": [1, 0]}, r"theta has no matrix 'B': the graph has A, B, C\|A,B"),
    "unknown": ({**GOOD, "Q": [1]}, r"theta\['Q'\] is no matrix of the graph: it has A, B, C\|A,B"),
    "shape of a prior": (
        {**GOOD, "A": [1, 0, 0]},
        r"theta\['A'\] has shape \(1, 3\): A has 2 values",
    ),
    "shape of a block": (
        {**GOOD, "C|A,B": np.full((2, 6), 1 / 6)},
        r"theta\['C\|A,B'\] has shape \(2, 6\): .*6, 2\) or \(\.\.\., 2, 3, 2\) was expected",
    ),
    "rows": (
        {**GOOD, "A": [0.5, 0.6]},
        r"theta\['A'\]: row 0 sums to 1.1, expected 1: row_normalize",
    ),
    "negative": (
        {**GOOD, "A": [2, -1]},
        r"theta\['A'\]\[1\] is -1.0: expected finite",
    ),
    "not finite": ({**GOOD, "A": [np.nan, 1]}, r"theta\['A'\]\[0\] is nan"),
    "words": ({**GOOD, "A": ["a", "b"]}, r"theta\['A'\] is not an array of numbers"),
    "ragged": ({**GOOD, "C|A,B": [[1, 0], [1]]}, r"theta\['C\|A,B'\] is not an array of numbers"),
}


@pytest.mark.parametrize(("theta", "said"), BAD.values(), ids=BAD)
def test_bad_matrices_are_refused_by_name(theta, said):
    with pytest.raises(ValueError, match=said):
        fg.propagate(GRAPH, theta)


@given(cases(), seeds)
def test_relabelling_a_variable_changes_nothing_else(case, seed):
    rng = np.random.default_rng(seed)
    name = list(case.graph.variables)[rng.integers(len(case.graph.variables))]
    order = rng.permutation(case.graph.variables[name].size)
    theta = relabel(case.graph, case.theta, name, order)
    evidence = as_evidence(case)
    moved = fg.Evidence(
        case.n,
        {
            k: np.where(v < 0, -1, np.argsort(order)[v]) if k == name else v
            for k, v in evidence.codes.items()
        },
        {k: v[order] if k == name else v for k, v in evidence.vectors.items()},
    )
    close(fg.loglik(case.graph, theta, moved), fg.loglik(case.graph, case.theta, evidence))
    before, after = (
        fg.propagate(case.graph, *pair) for pair in ((case.theta, evidence), (theta, moved))
    )
    for other in case.graph.variables:
        p = before[other].p
        close(after[other].p, p[order] if other == name else p)


def test_relabelling_reaches_through_shaded_blocks(rng):
    whole, a, b = Branch("P", 6), Branch("A", 2), Branch("B", 3)
    first, second = whole.replica(1), whole.replica(2)
    graph = NormalGraph(
        [
            Source("P", whole.replica(0)),
            Diverter("P=", [whole.replica(0)], [first, second]),
            Project("to A", first, a, (2, 3), 0),
            Project("to B", second, b, (2, 3), 1),
            Block("C|B", b, Branch("C", 2)),
        ]
    )
    theta = random_theta(graph, rng)
    moved = relabel(graph, theta, "B", [2, 0, 1])
    for evidence in ({"A": [0, 1], "C": [1, 1]}, None):
        close(fg.loglik(graph, moved, evidence), fg.loglik(graph, theta, evidence))
    close(fg.propagate(graph, moved)["B"].p, fg.propagate(graph, theta)["B"].p[[2, 0, 1]])
    with pytest.raises(ValueError, match="'P' is a product space, numbered by its variables"):
        relabel(graph, theta, "P", range(6))


def test_relabelling_keeps_batch_axes(rng):
    theta = random_theta(GRAPH, rng, batch=(3,))
    new = relabel(GRAPH, theta, "B", [2, 0, 1])
    for k in range(3):
        one = relabel(GRAPH, {name: m[k] for name, m in theta.items()}, "B", [2, 0, 1])
        close(new["C|A,B"][k], one["C|A,B"])


def test_an_order_that_is_no_permutation_is_refused():
    with pytest.raises(ValueError, match=r"order is \[0, 0\]: expected a permutation of 0 to 1"):
        relabel(GRAPH, uniform_theta(GRAPH), "A", [0, 0])


def test_tied_matrices_cannot_be_relabelled_alone(rng):
    chain = BayesGraph({"A": 2, "B": 2, "C": 2}, {"B": "A", "C": "B"}, theta={"B": "T", "C": "T"})
    with pytest.raises(ValueError, match=r"theta\['T'\] is tied: 'A' cannot be relabelled"):
        relabel(chain, random_theta(chain, rng), "A", [1, 0])


def test_named_hidden_states_are_relabelled_by_numbers_or_names_and_keep_their_names():
    rng = np.random.default_rng(0)
    states = {"Kind": ["ill", "healthy"], "A": ["no", "yes"], "B": ["no", "yes"]}
    graph = BayesGraph(states, {"A": "Kind", "B": "Kind"})
    table = {name: rng.choice(["no", "yes"], 50).tolist() for name in "AB"}
    run = fit(graph, table, restarts=2)
    said = [w for w in run.warnings if "only labels" in w]
    assert len(said) == 1 and "relabel(graph, run, 'Kind', order)" in said[0]
    by_name = relabel(graph, run, "Kind", ["healthy", "ill"])
    for name, matrix in relabel(graph, run, "Kind", [1, 0]).items():
        close(by_name[name], matrix, 0)
    close(by_name["Kind"], run.best_theta["Kind"][:, ::-1], 0)
    close(by_name["A|Kind"], run.best_theta["A|Kind"][::-1], 0)
    same = relabel(graph, run.best_theta, "Kind", [1, 0], hidden=True)
    close(same["B|Kind"], by_name["B|Kind"], 0)
    with pytest.raises(ValueError, match="hidden=True, or give the run"):
        relabel(graph, run.best_theta, "Kind", [1, 0])
    with pytest.raises(ValueError, match="'A' was observed: its states are those of the table"):
        relabel(graph, run, "A", [1, 0])
    with pytest.raises(ValueError, match="permutation of 0 to 1, or of the states"):
        relabel(graph, run, "Kind", ["ill", "well"])
    anchored = fit(graph, table, theta={"A|Kind": [[0.1, 0.9], [0.8, 0.2]]}, restarts=2)
    assert not any("only labels" in w for w in anchored.warnings)


def test_the_states_of_a_chain_are_relabelled_together():
    rng = np.random.default_rng(0)
    graph = hmm(["ill", "healthy"], 3, 5)
    run = fit(graph, {f"X{t}": rng.integers(0, 3, 30) for t in range(1, 6)}, restarts=2, n_epochs=9)
    moved = relabel(graph, run, "S", ["healthy", "ill"])
    close(moved["transition"], run.best_theta["transition"][::-1, ::-1], 0)
    close(moved["emission"], run.best_theta["emission"][::-1], 0)
    table = {f"X{t}": [0, 1, 2] for t in range(1, 6)}
    close(loglik(graph, moved, table), loglik(graph, run, table), 1e-12)
