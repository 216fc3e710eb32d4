"""Children that name the same parents in different orders share one product space.

Each matrix has its rows in the order in which its own child names the parents; nothing else of the
order can be seen. The oracle is enumeration, which looks every row up by itself.
"""

import pickle

import numpy as np
import oracles
import pandas as pd
import pytest
from checks import close

import fgnwidgets as fg
from fgnwidgets import BayesGraph

SIZES = {"A": 2, "B": ("u", "v", "w"), "C": 2, "X": 2, "Y": 3, "Z": 2}
SAME = BayesGraph(SIZES, dict.fromkeys("XYZ", ("A", "B", "C")))
MIXED = BayesGraph(SIZES, {"X": ("A", "B", "C"), "Y": ("C", "A", "B"), "Z": ("B", "C", "A")})
TABLE = {
    "X": [0, 1, -1, 1, 0],
    "Y": [2, 0, 1, -1, 0],
    "Z": [0, 1, 1, 0, -1],
    "B": [-1, -1, 2, -1, 0],
}
LIKELIHOODS = {
    name: np.where(np.array(codes) < 0, 1.0, np.arange(3 if name in "BY" else 2)[:, None] == codes)
    for name, codes in TABLE.items()
}


@pytest.fixture
def theta(rng):
    return fg.random_theta(MIXED, rng)


def as_named(theta):
    """The same model with every matrix in the order A, B, C."""
    own = {v: theta[v] for v in "ABC"}
    for name, parents in MIXED.parents.items():
        if parents:
            sizes = [MIXED.variables[p].size for p in parents]
            grid = theta[MIXED.theta[name]].reshape(*sizes, -1)
            grid = grid.transpose([*(parents.index(p) for p in "ABC"), 3])
            own[SAME.theta[name]] = grid.reshape(-1, grid.shape[-1])
    return own


def test_it_is_a_forest_whose_matrices_are_in_the_order_of_their_own_parents(theta):
    assert MIXED.loop == ()
    messages = fg.propagate(MIXED, theta, TABLE)
    close(messages.loglik, np.log(oracles.evidence_probability(MIXED, theta, LIKELIHOODS, 5)))
    for name in MIXED.variables:
        close(messages[name].p, oracles.posterior(MIXED, theta, LIKELIHOODS, 5, (name,)))
    for child in "XYZ":
        pair = messages.pair(MIXED.theta[child]).reshape(-1, 5)
        family = (*MIXED.parents[child], child)
        close(pair, oracles.posterior(MIXED, theta, LIKELIHOODS, 5, family))


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
def test_every_rule_learns_as_in_one_order(theta, rule):
    mixed = fg.fit(MIXED, TABLE, rule, theta=theta, restarts=1, n_epochs=4, tol=0)
    same = fg.fit(SAME, TABLE, rule, theta=as_named(theta), restarts=1, n_epochs=4, tol=0)
    close(mixed.loglik, same.loglik, 1e-9)
    for name, matrix in as_named(mixed.best_theta).items():
        close(matrix, same.best_theta[name], 1e-9)


def test_one_epoch_is_that_of_enumeration(theta):
    expected = oracles.epoch(MIXED, theta, LIKELIHOODS, np.ones(5), "ml")
    *_, after = fg.epochs(MIXED, TABLE, theta=theta, n_epochs=1)
    for name, matrix in expected.items():
        close(after.theta[name][0], matrix)


def test_tied_children_share_a_matrix_each_in_its_own_order(rng):
    parents = {"X": ("A", "C"), "Z": ("C", "A")}
    graph = BayesGraph({"A": 2, "C": 2, "X": 2, "Z": 2}, parents, theta={"X": "T", "Z": "T"})
    theta = fg.random_theta(graph, rng)
    table = {"X": [0, 1, 1], "Z": [1, 1, 0]}
    seen = {name: np.eye(2)[:, codes] for name, codes in table.items()}
    close(
        fg.loglik(graph, theta, table),
        np.log(oracles.evidence_probability(graph, theta, seen, 3)),
    )
    *_, after = fg.epochs(graph, table, theta=theta, n_epochs=1)
    for name, matrix in oracles.epoch(graph, theta, seen, np.ones(3), "ml").items():
        close(after.theta[name][0], matrix)


def test_it_is_saved_pickled_relabelled_and_read_by_names(tmp_path, theta):
    for graph in (MIXED, MIXED.merged(), MIXED.normal_form()):
        fg.save(tmp_path / "model.json", graph, theta)
        for again in (fg.load(tmp_path / "model.json")[0], pickle.loads(pickle.dumps(graph))):
            assert again == graph
            close(fg.loglik(again, theta, TABLE), fg.loglik(MIXED, theta, TABLE))
    turned = fg.relabel(MIXED, theta, "C", [1, 0])
    close(fg.loglik(MIXED, turned, TABLE), fg.loglik(MIXED, theta, TABLE))
    close(as_named(turned)["C"], as_named(theta)["C"][:, ::-1])
    close(
        fg.posterior(MIXED, turned, TABLE, "C"),
        fg.posterior(MIXED, theta, TABLE, "C")[:, ::-1],
    )
    rows = pd.MultiIndex.from_product([["u", "v", "w"], [0, 1], [0, 1]], names=["B", "C", "A"])
    frame = pd.DataFrame(theta["Z|B,C,A"], index=rows, columns=[0, 1]).sample(
        frac=1, random_state=0
    )
    found = fg.propagate(MIXED, {**theta, "Z|B,C,A": frame}).theta["Z|B,C,A"]
    np.testing.assert_array_equal(found, theta["Z|B,C,A"])
    grid = {**theta, "Z|B,C,A": theta["Z|B,C,A"].reshape(3, 2, 2, 2)}  # an axis for each parent
    np.testing.assert_array_equal(fg.propagate(MIXED, grid).theta["Z|B,C,A"], theta["Z|B,C,A"])


def test_it_is_decoded_sampled_traced_and_has_errors_as_in_one_order(theta, rng):
    for asked in (None, MIXED.variables):
        one = fg.most_probable(MIXED, theta, TABLE, variables=asked)
        two = fg.most_probable(SAME, as_named(theta), TABLE, variables=asked)
        close(one.logp, two.logp)
        assert {k: v.tolist() for k, v in one.table.items()} == {
            k: v.tolist() for k, v in two.table.items()
        }
    drawn = fg.sample(MIXED, theta, 3000, rng)
    again = fg.loglik(MIXED, theta, drawn)
    close(again, fg.loglik(SAME, as_named(theta), drawn))
    split = MIXED.normal_form().split("B")
    *_, last = fg.trace(MIXED, theta, TABLE, schedule=fg.flooding(split))
    close(last.loglik, fg.loglik(MIXED, theta, TABLE))
    run = fg.fit(MIXED, drawn, theta=theta, restarts=1, n_epochs=3)
    other = fg.fit(SAME, drawn, theta=as_named(theta), restarts=1, n_epochs=3)
    assert run.n_free == other.n_free
    close(run.bic, other.bic, 1e-9)
    ours, theirs = (fg.standard_errors(r) for r in (run, other))
    for child in "XYZ":
        one, two = ours.se[MIXED.theta[child]], theirs.se[SAME.theta[child]]
        close(np.sort(one.ravel()), np.sort(two.ravel()), 1e-6)


def test_a_loop_that_passes_through_two_orders_is_named_and_merged(rng):
    parents = {"X": ("A", "C"), "Y": ("C", "A"), "Z": ("X", "Y")}
    graph = BayesGraph({"A": 2, "C": 2, "X": 2, "Y": 2, "Z": 2}, parents)
    alike = BayesGraph(dict.fromkeys("ACXYZ", 2), {**parents, "Y": ("A", "C")})
    assert {*graph.loop} == {*alike.loop} == {"A", "C", "X", "Y", "Z"}
    merged = graph.merged()
    theta = fg.random_theta(merged, rng)
    seen = {"Z": np.eye(2)[:, [0, 1]]}
    close(
        fg.loglik(merged, theta, {"Z": [0, 1]}),
        np.log(oracles.evidence_probability(graph, theta, seen, 2)),
    )


def test_a_given_parent_may_stand_anywhere(rng):
    parents = {"X": ("G", "A"), "Y": ("A", "G")}
    graph = BayesGraph({"G": 2, "A": 2, "X": 2, "Y": 3}, parents, given="G")
    theta = fg.random_theta(graph.merged(), rng)
    table = {"G": [0, 1], "X": [1, 0], "Y": [2, 1]}
    whole = theta["A"][0] * theta["X|G,A"].reshape(2, 2, 2)[table["G"], :, table["X"]]
    whole = whole * theta["Y|A,G"].reshape(2, 2, 3)[:, table["G"], table["Y"]].T
    close(fg.loglik(graph.merged(), theta, table), np.log(whole.sum(axis=1)))
    close(fg.loglik(graph, theta, table), np.log(whole.sum(axis=1)))


def test_its_normal_form_is_drawn_and_shows_in_a_view(theta):
    from fgnwidgets.draw import draw_normal
    from fgnwidgets.widgets import GraphView

    draw_normal(MIXED, messages=fg.propagate(MIXED, theta, {"X": 1}))
    view = GraphView(MIXED, theta)
    assert view is not None
