"""Learning, epoch by epoch: what an epoch is, where it starts, and what it never does."""

import numpy as np
import pytest
from checks import close, epoch_equals_enumeration
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import as_evidence, cases, matrices, seeds

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Block, Branch, Evidence, ImpossibleEvidence, NormalGraph, Source

GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
TABLE = {"X": [0, 1, 1, 0, 1, 0], "Y": [2, 0, 1, 2, 1, 0]}
RULES = ("ml", "kl", "vit", "var")


@pytest.mark.parametrize("rule", RULES)
@given(case=cases(max_variables=5), seed=seeds)
def test_an_epoch_is_exact_messages_and_then_the_papers_rule_in_every_block(rule, case, seed):
    assume(case.table)
    weight = np.random.default_rng(seed).integers(0, 3, case.n) + 0.5
    epoch_equals_enumeration(case, rule, weight)


@given(case=cases(), seed=seeds, weighted=st.booleans())
def test_ml_never_lowers_loglik(case, seed, weighted):
    assume(case.table)
    theta = matrices(case.graph, seed, zeros=0)
    weight = np.random.default_rng(seed).random(case.n) + 0.1 if weighted else None
    found = fg.epochs(case.graph, as_evidence(case), theta=theta, weight=weight, n_epochs=8)
    values = [epoch.loglik[0] for epoch in found]
    assert np.all(np.diff(values) >= -1e-10 * (1 + np.abs(values[:-1])))


@given(case=cases(), seed=seeds)
def test_ml_with_pseudo_counts_never_lowers_the_penalised_loglik(case, seed):
    assume(case.table)
    rng = np.random.default_rng(seed)
    alpha = {name: rng.random(shape) for name, shape in case.graph.normal_form().matrices.items()}
    theta = matrices(case.graph, seed, zeros=0)
    found = fg.epochs(case.graph, as_evidence(case), theta=theta, alpha=alpha, n_epochs=8)
    values = [
        e.loglik[0] + sum((alpha[name] * np.log(m[0])).sum() for name, m in e.theta.items())
        for e in found
    ]
    assert np.all(np.diff(values) >= -1e-10 * (1 + np.abs(values[:-1])))


def chain(n):
    """A hidden chain that is seen at every step, its blocks tied."""
    hidden, seen = [f"Z{k}" for k in range(n)], [f"X{k}" for k in range(n)]
    parents = dict(zip(hidden[1:], hidden, strict=False)) | dict(zip(seen, hidden, strict=True))
    names = dict.fromkeys(hidden[1:], "T") | dict.fromkeys(seen, "E")
    return BayesGraph(dict.fromkeys(hidden, 2) | dict.fromkeys(seen, 3), parents, theta=names)


@given(seed=seeds)
def test_ml_never_lowers_loglik_of_tied_blocks(seed):
    rng = np.random.default_rng(seed)
    table = {f"X{k}": rng.integers(-1, 3, 5) for k in range(6)}
    found = fg.epochs(chain(6), table, seed=seed, n_epochs=10, restarts=2)
    assert np.diff([epoch.loglik for epoch in found], axis=0).min() >= -1e-10


def test_tied_blocks_learn_from_their_messages_side_by_side(rng):
    graph = chain(4)
    table = {f"X{k}": rng.integers(0, 3, 5) for k in range(4)}
    theta = fg.random_theta(graph, rng)
    messages = fg.propagate(graph, theta, table)
    weight = np.array([1, 2, 4, 0, 0.5])
    for rule in RULES:
        _, after = fg.epochs(graph, table, rule, theta=theta, n_epochs=1, weight=weight)
        for name, blocks in graph.normal_form().learnable.items():
            pairs = [messages.at_block(block.name) for block in blocks]
            f, b = (np.concatenate([pair[k] for pair in pairs], axis=1) for k in (0, 1))
            expected = getattr(fg, rule)(theta[name], f, b, np.tile(weight, len(blocks)))
            close(after.theta[name][0], expected, 1e-10)


def test_fixed_blocks_keep_their_matrix(rng):
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"}, fixed=["X"])
    fixed = np.array([[0.9, 0.1], [0.2, 0.8]])
    *_, last = fg.epochs(graph, {"X": [0, 1, 1]}, theta={"X|S": fixed}, n_epochs=5)
    close(last.theta["X|S"][0], fixed, 0)
    with pytest.raises(ValueError, match=r"theta\['X\|S'\] is fixed .*: give its matrix in theta="):
        fg.epochs(graph, {"X": [0, 1]})


def test_n_epochs_are_n_updates_and_one_more_likelihood():
    found = list(fg.epochs(GRAPH, TABLE, n_epochs=3))
    assert [epoch.n for epoch in found] == [0, 1, 2, 3]
    assert len(list(fg.epochs(GRAPH, TABLE, n_epochs=0))) == 1


def test_the_likelihoods_are_those_of_the_matrices_beside_them():
    weight = np.array([1, 2, 0, 1, 3, 1])
    for epoch in fg.epochs(
        GRAPH, TABLE, n_epochs=3, restarts=2, weight=weight, test_weight=3 - weight
    ):
        logs = fg.loglik(GRAPH, epoch.theta, TABLE)
        local = fg.aggregated(GRAPH, epoch.theta, TABLE)
        close(epoch.loglik, logs @ weight)
        close(epoch.test_loglik, logs @ (3 - weight))
        close(epoch.aggregated, local @ weight)
        close(epoch.test_aggregated, local @ (3 - weight))


def test_test_samples_move_no_matrix():
    weight = np.array([1, 1, 1, 1, 0, 0])
    alone = {name: column[:4] for name, column in TABLE.items()}
    *_, one = fg.epochs(GRAPH, TABLE, n_epochs=5, weight=weight, test_weight=1 - weight)
    *_, two = fg.epochs(GRAPH, alone, n_epochs=5)
    for name in one.theta:
        close(one.theta[name], two.theta[name])


# What evidence may be


def test_a_graph_learns_with_evidence_on_its_hidden_variable(rng):
    soft = rng.random((6, 2))
    *_, last = fg.epochs(GRAPH, {**TABLE, "S": soft}, n_epochs=3, restarts=2)
    assert set(last.theta) == {"S", "X|S", "Y|S"}
    hard = {**TABLE, "S": [0, 1, 1, 0, 1, 1]}
    _, counted = fg.epochs(GRAPH, hard, n_epochs=1)
    close(counted.theta["S"][0], [[2 / 6, 4 / 6]])
    close(counted.theta["X|S"][0], [[1, 0], [1 / 4, 3 / 4]])


@pytest.mark.parametrize("rule", RULES)
def test_variables_that_no_evidence_reaches_do_not_disturb(rule, rng):
    graph = BayesGraph({"S": 2, "X": 2, "Y": 3, "A": 2, "B": 3}, {"X": "S", "Y": "S", "B": "A"})
    theta, mask = fg.random_theta(GRAPH, rng), {"weight": [1, 2, 0, 1, 1, 4]}
    *_, alone = fg.epochs(GRAPH, TABLE, rule, theta=theta, n_epochs=3, **mask)
    *_, beside = fg.epochs(graph, TABLE, rule, theta=theta, n_epochs=3, **mask)
    for name in theta:
        close(beside.theta[name], alone.theta[name])
    *_, messages = fg.epochs(graph, TABLE, rule, start="messages", restarts=2, n_epochs=3)
    for last in (beside, messages):
        close(last.theta["B|A"].sum(axis=-1), np.ones_like(last.theta["B|A"][..., 0]))


def test_a_column_of_missing_cells_teaches_nothing(rng):
    theta = fg.random_theta(GRAPH, rng)
    without = list(fg.epochs(GRAPH, {"X": TABLE["X"]}, theta=theta, n_epochs=3))[-1]
    beside = list(fg.epochs(GRAPH, {"X": TABLE["X"], "Y": [None] * 6}, theta=theta, n_epochs=3))[-1]
    for name in without.theta:
        close(without.theta[name], beside.theta[name])


def test_handmade_graphs_learn(rng):
    s, x = Branch("S", 2), Branch("X", 3)
    graph = NormalGraph([Source("S", s), Block("X|S", s, x)])
    values = [e.loglik[0] for e in fg.epochs(graph, {"X": [0, 1, 2, 2]}, n_epochs=10)]
    assert np.diff(values).min() >= -1e-12
    assert abs(values[-1] - fg.saturated(graph, {"X": [0, 1, 2, 2]})) < 1e-9


def test_the_simplified_model_learns(rng):
    form = BayesGraph({"A": 2, "B": 2, "C": 2}, {"C": ("A", "B")}).normal_form("separate")
    table = {"A": [0, 1, 1, 0], "B": [0, 0, 1, 1], "C": [0, 1, 1, 0]}
    *_, last = fg.epochs(form, table, n_epochs=5)
    assert np.isfinite(last.loglik).all()


# What it refuses

BAD = {
    "no evidence": ((None,), {}, "the table has no columns: there is nothing to learn from"),
    "no columns": (({},), {}, "the table has no columns"),
    "no rows": (({"X": []},), {}, "the table is empty"),
    "batches of evidence": (
        (Evidence(1, {}, {"X": np.ones((3, 2, 1))}),),
        {},
        r"X: vectors have shape \(3, 2, 1\), expected \(M, N\) to learn from",
    ),
    "unknown rule": ((TABLE, "em"), {}, "rule is 'em': expected one of 'ml'"),
    "negative epochs": ((TABLE,), {"n_epochs": -1}, "n_epochs is -1: expected at least 0"),
    "no steps": ((TABLE,), {"n_it": 0}, "n_it is 0: expected at least 1"),
    "no restarts": ((TABLE,), {"restarts": 0}, "restarts is 0: expected at least 1"),
    "unknown start": (
        (TABLE,),
        {"start": "zeros"},
        "start is 'zeros': expected 'matrices', 'messages'",
    ),
    "half a start": ((TABLE,), {"start": {}}, "start has no messages for 'S'"),
    "messages of another shape": (
        (TABLE,),
        {"start": {name: (np.ones((2, 6)), np.ones((2, 6))) for name in ("S", "X|S", "Y|S")}},
        r"start\['S'\]: messages of shape \(2, 6\), expected \(\.\.\., 1, 6\)",
    ),
    "unknown matrix": ((TABLE,), {"theta": {"Q": [1]}}, r"theta\['Q'\] is no matrix of the graph"),
    "matrices for other restarts": (
        (TABLE,),
        {"theta": {"S": np.full((3, 1, 2), 0.5)}, "restarts": 2},
        r"theta\['S'\] has shape \(3, 1, 2\): expected \(1, 2\), or \(2, 1, 2\)",
    ),
    "alpha of no matrix": ((TABLE,), {"alpha": {"Q": 1}}, r"alpha\['Q'\] is no learned matrix"),
    "alpha of another shape": ((TABLE,), {"alpha": {"S": [1, 1]}}, r"alpha has shape \(2,\)"),
    "weights of another number": (
        (TABLE,),
        {"weight": [1, 1]},
        r"weight has shape \(2,\): expected \(6,\)",
    ),
    "negative weight": ((TABLE,), {"weight": [1, 1, 1, 1, 1, -1]}, r"weight\[5\] is -1.0"),
    "no weight": ((TABLE,), {"weight": [0] * 6}, "weight is zero for every sample"),
    "no test weight": ((TABLE,), {"test_weight": [0] * 6}, "test_weight is zero for every sample"),
}


@pytest.mark.parametrize(("arguments", "options", "said"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_at_once_and_not_at_the_first_epoch(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        fg.epochs(GRAPH, *arguments, **options)


def test_impossible_training_data_is_named_as_the_table_numbers_it():
    theta = {"S": [[0.5, 0.5]], "X|S": np.eye(2), "Y|S": [[0.5, 0.5, 0], [0, 0.5, 0.5]]}
    table = {"X": [1, 1, 0, 0], "Y": [2, 1, 0, 2]}
    with pytest.raises(ImpossibleEvidence, match="sample 3 .*X = 0, Y = 2") as error:
        list(fg.epochs(GRAPH, table, theta=theta))
    assert error.value.sample == 3
    list(fg.epochs(GRAPH, table, theta=theta, weight=[1, 1, 1, 0], n_epochs=2))  # it does not count


@pytest.mark.parametrize("rule", RULES)
def test_an_impossible_sample_that_does_not_count_spoils_nothing(rule):
    graph = BayesGraph({"S": 2, "M": 2, "X": 2}, {"M": "S", "X": "M"})
    theta = {"S": [0.5, 0.5], "M|S": [[0.3, 0.7], [0.6, 0.4]], "X|M": [[1, 0], [1, 0]]}
    mask = {"weight": [1, 0], "test_weight": [0, 1]}
    beside = list(fg.epochs(graph, {"X": [0, 1]}, rule, theta=theta, n_epochs=2, **mask))
    alone = list(fg.epochs(graph, {"X": [0]}, rule, theta=theta, n_epochs=2))
    for name in theta:
        close(beside[-1].theta[name], alone[-1].theta[name])
    assert beside[0].test_loglik[0] == -np.inf
    assert not beside[-1].dropped.any()


def test_one_bad_restart_is_dropped_and_the_others_go_on():
    """Under the first start Y = 0 cannot happen; the second one knows no such thing."""
    y = np.array([[[0, 1, 0], [0, 0, 1]], [[0.2, 0.5, 0.3], [0.6, 0.2, 0.2]]])
    found = list(fg.epochs(GRAPH, TABLE, theta={"Y|S": y}, restarts=2, n_epochs=5))
    assert found[-1].dropped.tolist() == [True, False]
    for name, matrix in found[0].theta.items():
        close(found[-1].theta[name][0], matrix[0], 0)  # it stays as it was
    assert found[-1].loglik[0] == -np.inf
    *_, alone = fg.epochs(
        GRAPH, TABLE, theta={name: m[1] for name, m in found[0].theta.items()}, n_epochs=5
    )
    for name in alone.theta:
        close(found[-1].theta[name][1], alone.theta[name][0])


@pytest.mark.parametrize(
    ("rule", "n_it"), [("ml", 1), ("ml", 3), ("kl", 3), ("vit", 1), ("var", 1)]
)
def test_what_is_learned_in_many_pieces_of_samples_is_what_is_learned_in_one(rule, n_it):
    """Sixty-four restarts share the columns of a chunk, so a thousand rows come in four pieces."""
    names = [f"x{k}" for k in range(10)]
    graph = BayesGraph({"S": 3, **dict.fromkeys(names, 2)}, dict.fromkeys(names, "S"))
    table = dict(zip(names, np.indices((2,) * 10).reshape(10, -1), strict=True))
    weight = np.random.default_rng(0).integers(1, 5, 1024)
    theta = fg.random_theta(graph, np.random.default_rng(1), (64,))
    options = {"n_it": n_it, "n_epochs": 2, "weight": weight}
    *_, many = fg.epochs(graph, table, rule, theta=theta, restarts=64, **options)
    for r in (0, 40):
        own = {name: m[r] for name, m in theta.items()}
        *_, one = fg.epochs(graph, table, rule, theta=own, **options)
        close(many.loglik[r], one.loglik[0], 1e-9)
        for name, m in one.theta.items():
            close(many.theta[name][r], m[0], 1e-11)
