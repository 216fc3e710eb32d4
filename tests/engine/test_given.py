"""Given variables: always observed, an open tail at each child, no part of a loop."""

import pickle

import numpy as np
import pytest
from checks import close
from oracles import epoch as oracle_epoch

import fgnwidgets as fg
from fgnwidgets import BayesGraph, GraphError

pytestmark = pytest.mark.usefixtures("every_way")

# Country moves the classes and one of the answers directly: a loop, were it not given.
SIZES = {"C": 3, "S": 2, "X": 2, "Y": 3, "Z": 2}
PARENTS = {"S": "C", "X": "S", "Y": ("S", "C"), "Z": ("S", "C")}


@pytest.fixture
def graph():
    return BayesGraph(SIZES, PARENTS, given=["C"])


@pytest.fixture
def theta(graph, rng):
    return fg.random_theta(graph, rng)


TABLE = {"C": [0, 1, 2, 2, 1], "X": [0, 1, -1, 1, 0], "Y": [2, -1, 0, 1, 1], "Z": [0, 1, 1, -1, -1]}


def enumerated(theta, table):
    """P(S, X, Y, Z | C) of every sample, an axis each."""
    s = theta["S|C"]
    y, z = theta["Y|S,C"].reshape(2, 3, 3), theta["Z|S,C"].reshape(2, 3, 2)
    for n, c in enumerate(table["C"]):
        joint = np.einsum("s,sx,sy,sz->sxyz", s[c], theta["X|S"], y[:, c], z[:, c])
        for axis, name in enumerate("XYZ", 1):
            if table[name][n] >= 0:
                keep = np.arange(joint.shape[axis]) == table[name][n]
                joint = joint * keep.reshape([-1 if k == axis else 1 for k in range(4)])
        yield joint


def test_a_given_variable_is_an_open_tail_at_each_use_and_closes_no_loop(graph):
    form = graph.normal_form()
    assert form.given == {"C": ("C(1)", "C(2)")}  # S, and the product space that Y and Z share
    assert form.variables["C"] == ("C(1)", "C(2)")
    assert all(name not in form.tails for name in form.given["C"])
    assert set(form.matrices) == {"S|C", "X|S", "Y|S,C", "Z|S,C"}
    with pytest.raises(GraphError, match="form a loop"):
        BayesGraph(SIZES, PARENTS).normal_form()


def test_loglik_and_posteriors_are_of_the_rest_given_it(graph, theta):
    tables = list(enumerated(theta, TABLE))
    close(fg.loglik(graph, theta, TABLE), [np.log(t.sum()) for t in tables])
    close(
        fg.posterior(graph, theta, TABLE, "S"),
        [t.sum(axis=(1, 2, 3)) / t.sum() for t in tables],
    )
    close(fg.posterior(graph, theta, TABLE, "C"), np.eye(3)[TABLE["C"]])
    found = fg.most_probable(graph, theta, TABLE, variables=graph.variables)
    close(found.logp, [np.log(t.max()) for t in tables])
    assert found.table["C"].tolist() == TABLE["C"]
    tops = [np.unravel_index(t.argmax(), t.shape) for t in tables]
    assert found.table["Y"].tolist() == [top[2] for top in tops]


def test_scales_of_soft_evidence_count_and_uniform_messages_do_not(graph, theta):
    soft = {**TABLE, "X": np.array([[0.2, 0.4]] * 5)}
    expected = []
    for joint in enumerated(theta, {**TABLE, "X": [-1] * 5}):
        expected.append(np.log((joint * np.array([0.2, 0.4])[None, :, None, None]).sum()))
    close(fg.loglik(graph, theta, soft), expected)
    close(fg.loglik(graph, theta, {"C": [0, 1, 2]}), np.zeros(3), 1e-14)


# The same model with a source for C, where it may have one


ONCE = {"S": "C", "X": "S", "Y": "S", "Z": "S"}


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
def test_a_free_prior_gives_the_same_posterior_and_learns_the_same_matrices(rule, rng):
    free, given = BayesGraph(SIZES, ONCE), BayesGraph(SIZES, ONCE, given=["C"])
    theta = fg.random_theta(free, rng)
    rest = {name: m for name, m in theta.items() if name != "C"}
    close(fg.posterior(free, theta, TABLE, "S"), fg.posterior(given, rest, TABLE, "S"))
    log_prior = np.log(theta["C"][0, TABLE["C"]])
    close(fg.loglik(free, theta, TABLE) - log_prior, fg.loglik(given, rest, TABLE))
    one = fg.fit(free, TABLE, rule, theta=theta, restarts=1, n_epochs=7, tol=0)
    two = fg.fit(given, TABLE, rule, theta=rest, restarts=1, n_epochs=7, tol=0)
    for name in rest:
        close(one.best_theta[name], two.best_theta[name], 1e-12)


def test_evidence_on_a_given_variable_is_not_below_anything(graph, theta):
    only = {"C": [0, 1, 2], "X": [-1, -1, -1]}
    after = list(fg.epochs(graph, only, theta=theta, n_epochs=1))[-1]
    for name in theta:
        close(after.theta[name][0], theta[name], 0)


def test_learning_is_exact_em_given_the_covariate(graph, theta):
    count_s, count_y = np.zeros((3, 2)), np.zeros((2, 3, 3))
    for c, y, joint in zip(TABLE["C"], TABLE["Y"], enumerated(theta, TABLE), strict=True):
        p = joint / joint.sum()
        count_s[c] += p.sum(axis=(1, 2, 3))
        if y >= 0:  # else barren
            count_y[:, c] += p.sum(axis=(1, 3))
    after = list(fg.epochs(graph, TABLE, theta=theta, n_epochs=1))[-1]
    close(after.theta["S|C"][0], count_s / count_s.sum(axis=1, keepdims=True))
    flat = count_y.reshape(6, 3)
    sums = flat.sum(axis=1, keepdims=True)
    expected = np.where(sums > 0, flat / np.where(sums > 0, sums, 1), theta["Y|S,C"])
    close(after.theta["Y|S,C"][0], expected)


def test_aggregated_has_no_term_for_what_is_given(graph, theta):
    alone = {"C": [1], "X": [0]}
    close(fg.aggregated(graph, theta, alone), fg.loglik(graph, theta, alone))


def test_the_ceiling_and_the_floor_are_given_it_too(graph):
    table = {"C": [0, 0, 1, 1, 2], "X": [0, 1, 0, 0, 1], "Y": [0, 0, 2, 1, 1], "Z": [0, 1, 1, 1, 0]}
    close(fg.saturated(graph, table), 4 * np.log(1 / 2))
    both = BayesGraph({"C": 3, "X": 2}, {"X": "C"}, given="C")
    few = {name: table[name] for name in "CX"}
    run = fg.fit(both, few, restarts=1, n_epochs=3)
    close(run.final_loglik, [fg.saturated(both, few)])
    close(fg.independent(both, few), 3 * np.log(3 / 5) + 2 * np.log(2 / 5))


def test_a_chain_whose_loop_is_closed_by_what_was_observed_before(rng):
    """X2 depends on S2 and on X1, which is observed: the copy of X1 is given."""
    sizes = {"S1": 2, "X1": 2, "S2": 2, "given X1": 2, "X2": 2}
    parents = {"X1": "S1", "S2": "S1", "X2": ("S2", "given X1")}
    chain = BayesGraph(sizes, parents, given=["given X1"])
    theta = fg.random_theta(chain, rng)
    for x1 in range(2):
        for x2 in range(2):
            found = fg.loglik(chain, theta, {"X1": [x1], "given X1": [x1], "X2": [x2]})
            emitted = theta["X2|S2,given X1"].reshape(2, 2, 2)[:, x1, x2]
            total = np.einsum(
                "i,i,ij,j", theta["S1"][0], theta["X1|S1"][:, x1], theta["S2|S1"], emitted
            )
            close(found, [np.log(total)])


def test_samples_are_drawn_given_it(graph, theta):
    drawn = fg.sample(graph, theta, 20000, np.random.default_rng(0), given={"C": 2})
    assert set(drawn["C"].tolist()) == {2}
    close(np.bincount(drawn["S"]) / 20000, theta["S|C"][2], 0.015)


BAD = {
    "no column": ({"X": [0]}, "column 'C' is missing: 'C' is a given variable"),
    "a blank": ({"C": [0, -1], "X": [0, 1]}, "C: sample 1 is missing: 'C' is a given variable"),
    "soft": ({"C": np.full((1, 3), 1 / 3)}, "column 'C' holds likelihood vectors"),
    "nothing": (None, "column 'C' is missing"),
}


@pytest.mark.parametrize(("table", "said"), BAD.values(), ids=BAD)
def test_a_given_variable_without_a_value_is_refused_with_the_row(graph, theta, table, said):
    with pytest.raises(ValueError, match=said):
        fg.propagate(graph, theta, table)
    if table is not None:
        with pytest.raises(ValueError, match=said):
            fg.fit(graph, table)


REFUSED = {
    "parents": (
        ({"A": 2, "B": 2, "D": 2}, {"B": "A", "D": "B"}),
        {"given": "B"},
        "has the parents A",
    ),
    "childless": (({"A": 2, "B": 2},), {"given": "B"}, "has no children"),
    "unknown": (({"A": 2},), {"given": ["Q"]}, "no variable 'Q'"),
    "fixed": (({"A": 2, "B": 2}, {"B": "A"}), {"given": "A", "fixed": "A"}, "no matrix to name"),
}


@pytest.mark.parametrize(("arguments", "options", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_given_is_refused(arguments, options, said):
    with pytest.raises(GraphError, match=said):
        BayesGraph(*arguments, **options)


def test_a_given_branch_has_an_open_tail():
    c = fg.Branch("C", 2, given=True)
    with pytest.raises(GraphError, match="branch 'C' is given and leaves 'C'"):
        fg.NormalGraph([fg.Source("C", c)])


def test_graphs_with_given_variables_are_saved_pickled_and_compared(graph, theta, tmp_path):
    for model in (graph, graph.normal_form()):
        fg.save(tmp_path / "model.json", model, theta)
        again, matrices = fg.load(tmp_path / "model.json")
        assert again == model
        close(fg.loglik(again, matrices, TABLE), fg.loglik(graph, theta, TABLE), 0)
        assert pickle.loads(pickle.dumps(model)) == model
    assert BayesGraph(SIZES, ONCE) != BayesGraph(SIZES, ONCE, given="C")
    assert repr(BayesGraph({"C": 2, "X": 2}, {"X": "C"}, given="C")) == "BayesGraph(given C, X|C)"


def test_the_oracle_of_the_free_model_agrees(rng):
    free = BayesGraph(SIZES, ONCE)
    theta = fg.random_theta(free, rng)
    given = BayesGraph(SIZES, ONCE, given="C")
    likelihoods = {
        name: np.where(np.array(v) < 0, 1.0, np.arange(SIZES[name])[:, None] == np.array(v))
        for name, v in TABLE.items()
    }
    expected = oracle_epoch(free, theta, likelihoods, np.ones(5), "ml")
    rest = {name: m for name, m in theta.items() if name != "C"}
    after = list(fg.epochs(given, TABLE, theta=rest, n_epochs=1))[-1]
    for name in rest:
        close(after.theta[name][0], expected[name])
