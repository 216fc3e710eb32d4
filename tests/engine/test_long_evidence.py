"""Much evidence on one variable, and long chains: what is possible is never called impossible.

A message may hold ratios far below 1e-308, and two sides of a branch may contradict each other by
any factor. The oracles count in fractions, which lose nothing, or add logarithms in plain loops.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import oracles
import pytest
from checks import close
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets import (
    BayesGraph,
    ImpossibleEvidence,
    aggregated,
    epochs,
    fit,
    loglik,
    most_probable,
    posterior,
    propagate,
)

RULES = ("ml", "kl", "vit", "var")
YES, NO = Fraction(99, 100), Fraction(1, 100)
LEAF = [[0.99, 0.01], [0.01, 0.99]]
EXACT = 1e-10


def log_of(x):
    """The logarithm of a positive fraction of any size."""
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    return math.log(x / Fraction(2) ** shift) + shift * math.log(2)


def share_of(part, whole):
    """``part / whole`` as a float, from fractions that no float can hold."""
    return float(part / whole)


# A star: A copied to H by an identity block, and many leaves of H


def star(leaves, more=()):
    names = [f"X{k}" for k in range(leaves)]
    graph = BayesGraph(
        dict.fromkeys(["A", "H", *names, *more], 2),
        {"H": "A", **dict.fromkeys([*names, *more], "H")},
    )
    theta = {name: np.array(LEAF) for name in graph.theta.values()}
    theta["A"], theta["H|A"] = np.full((1, 2), 0.5), np.eye(2)
    return graph, theta


def told(rows):
    """A table of the leaves: rows of zeros, ones and None."""
    return {f"X{k}": list(column) for k, column in enumerate(zip(*rows, strict=True))}


def weights_of(row, prior):
    """P(h, what the leaves say) for both values of H, from P(h and whatever is said of A)."""
    weights = list(prior)
    for cell in row:
        for h in (0, 1):
            if cell is not None:
                weights[h] *= YES if cell == h else NO
    return weights


@pytest.mark.parametrize("leaves", [170, 1000])
def test_leaves_that_all_contradict_a_copied_value_are_possible(leaves):
    graph, theta = star(leaves)
    table = {"A": [0], **told([[1] * leaves])}
    expected = math.log(0.5) + leaves * math.log(0.01)
    if leaves == 170:
        assert round(expected, 2) == -783.57
    close(loglik(graph, theta, table), [expected], EXACT)
    messages = propagate(graph, theta, table)
    close(messages.loglik, [expected], EXACT)
    for name in ("A", "H"):
        close(posterior(graph, theta, table, name), [[1, 0]], EXACT)
    for name in graph.variables:
        assert np.isfinite(messages[name].p).all()
        close(messages[name].p.sum(axis=-2), [1], EXACT)


@pytest.mark.parametrize("leaves", [170, 1000])
def test_without_a_contradiction_the_same_star_is_as_exact(leaves):
    graph, theta = star(leaves)
    weights = weights_of([1] * leaves, [Fraction(1, 2)] * 2)
    table = told([[1] * leaves])
    close(loglik(graph, theta, table), [log_of(sum(weights))], EXACT)
    found = posterior(graph, theta, table, "H")
    close(found[0, 1], 1.0, EXACT)
    if leaves == 170:  # 1e-340 is no float; zero is the nearest one
        assert share_of(weights[0], sum(weights)) == 0 == found[0, 0]


@pytest.mark.parametrize("leaves", [170, 1000])
@pytest.mark.parametrize("ahead", mostly_slow([-2, -1, 0, 1, 3], 0, 3))
def test_two_halves_of_the_leaves_weigh_against_each_other(leaves, ahead):
    """Products of either half alone are no floats; their ratio is 99 to the number ahead."""
    row = [1] * (leaves // 2 + ahead) + [0] * (leaves - leaves // 2)
    graph, theta = star(len(row))
    weights = weights_of(row, [Fraction(1, 2)] * 2)
    close(loglik(graph, theta, told([row])), [log_of(sum(weights))], EXACT)
    for name in ("A", "H"):
        found = posterior(graph, theta, told([row]), name)
        expected = [[share_of(w, sum(weights)) for w in weights]]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("leaves", [170, 1000])
@pytest.mark.parametrize("doubt", [1e-200, 1e-300])
def test_a_nearly_certain_prior_and_the_leaves_are_weighed_exactly(leaves, doubt):
    """The prior of A says 0 by 1e200 or 1e300; each leaf says 1 by 99."""
    graph, theta = star(leaves)
    theta["A"] = np.array([[1 - doubt, doubt]])
    prior = [Fraction(1), Fraction(doubt)]
    weights = weights_of([1] * leaves, prior)
    table = told([[1] * leaves])
    close(loglik(graph, theta, table), [log_of(sum(weights))], EXACT)
    expected = [[share_of(w, sum(weights)) for w in weights]]
    for name in ("A", "H"):
        np.testing.assert_allclose(
            posterior(graph, theta, table, name), expected, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("leaves", [170, 1000])
@pytest.mark.parametrize("ahead", mostly_slow([-1, 0, 2], 0))
def test_two_stars_joined_by_a_copy_may_contradict_each_other(leaves, ahead):
    """Neither side of the branch between them fits into a float beside the other."""
    left, right = [f"L{k}" for k in range(leaves)], [f"R{k}" for k in range(leaves + ahead)]
    graph = BayesGraph(
        dict.fromkeys(["A", "H", *left, *right], 2),
        {"H": "A", **dict.fromkeys(left, "A"), **dict.fromkeys(right, "H")},
    )
    theta = {name: np.array(LEAF) for name in graph.theta.values()}
    theta["A"], theta["H|A"] = np.full((1, 2), 0.5), np.eye(2)
    table = {name: [int(name in right)] for name in (*left, *right)}
    weights = weights_of([0] * leaves + [1] * len(right), [Fraction(1, 2)] * 2)
    close(loglik(graph, theta, table), [log_of(sum(weights))], EXACT)
    expected = [[share_of(w, sum(weights)) for w in weights]]
    for name in ("A", "H"):
        np.testing.assert_allclose(
            posterior(graph, theta, table, name), expected, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("copies", [1, 5, 40])
def test_a_chain_of_copies_between_the_value_and_its_leaves_changes_nothing(copies):
    leaves = 400
    links = [f"C{k}" for k in range(copies)]
    names = [f"X{k}" for k in range(leaves)]
    parents = dict(zip([*links, "H"], ["A", *links], strict=True))
    graph = BayesGraph(
        dict.fromkeys(["A", *links, "H", *names], 2), {**parents, **dict.fromkeys(names, "H")}
    )
    theta = {name: np.array(LEAF) for name in graph.theta.values()}
    theta |= {graph.theta[name]: np.eye(2) for name in parents}
    theta["A"] = np.array([[0.25, 0.75]])
    table = {"A": [0, 1, None], **told([[1] * leaves] * 3)}
    expected = [
        math.log(0.25) + leaves * math.log(0.01),
        math.log(0.75) + leaves * math.log(0.99),
        log_of(sum(weights_of([1] * leaves, [Fraction(1, 4), Fraction(3, 4)]))),
    ]
    close(loglik(graph, theta, table), expected, EXACT)
    for name in ("A", "H", *links):
        close(posterior(graph, theta, table, name), [[1, 0], [0, 1], [0, 1]], EXACT)


@pytest.mark.parametrize("leaves", [170, 1000])
def test_what_is_not_seen_is_predicted_exactly_beside_contradictions(leaves):
    graph, theta = star(leaves, more=("Y",))
    found = posterior(graph, theta, {"A": [0], **told([[1] * leaves])}, "Y")
    close(found, [[0.99, 0.01]], EXACT)


def some_rows(leaves):
    """Extreme samples and ordinary ones, and what is said of A in each."""
    rng = np.random.default_rng(3)
    mixed = (rng.random((4, leaves)) < 0.5).astype(int).tolist()
    few = [[1, 0, 1] + [None] * (leaves - 3)] * 2
    rows = [[1] * leaves, [0] * leaves, *mixed, [1] * leaves, *few, [None] * leaves]
    return rows, [0, 0, 0, 1, None, None, None, 0, None, 1]


@pytest.mark.parametrize("leaves", mostly_slow([170, 1000], 170))
def test_a_batch_holds_extreme_samples_and_ordinary_ones(leaves):
    graph, theta = star(leaves)
    theta["A"] = np.array([[0.3, 0.7]])
    rows, said = some_rows(leaves)
    table = {"A": said, **told(rows)}
    each = []
    for row, a in zip(rows, said, strict=True):
        prior = [Fraction(3, 10) * (a != 1), Fraction(7, 10) * (a != 0)]
        each.append(weights_of(row, prior))
    close(loglik(graph, theta, table), [log_of(sum(w)) for w in each], EXACT)
    expected = [[share_of(part, sum(w)) for part in w] for w in each]
    for name in ("A", "H"):
        close(posterior(graph, theta, table, name), expected, EXACT)
    alone = [
        loglik(graph, theta, {name: [column[n]] for name, column in table.items()})[0]
        for n in range(len(rows))
    ]
    close(loglik(graph, theta, table), alone, EXACT)


@pytest.mark.parametrize("leaves", [170, 1000])
def test_the_most_probable_configuration_of_extreme_samples_has_its_exact_probability(leaves):
    graph, theta = star(leaves)
    theta["A"] = np.array([[0.3, 0.7]])
    rows, said = some_rows(leaves)
    table = {"A": said, **told(rows)}
    found = most_probable(graph, theta, table, variables=graph.variables)
    for n, (row, a) in enumerate(zip(rows, said, strict=True)):
        unseen = sum(cell is None for cell in row)  # each takes its parent's value
        prior = [Fraction(3, 10) * (a != 1), Fraction(7, 10) * (a != 0)]
        weights = [w * YES**unseen for w in weights_of(row, prior)]
        h = int(weights[1] > weights[0])
        close(found.logp[n], log_of(weights[h]), EXACT)
        assert found.table["A"][n] == found.table["H"][n] == h
        for k, cell in enumerate(row):
            assert found.table[f"X{k}"][n] == (h if cell is None else cell)


def test_the_most_probable_configuration_of_the_contradicted_value():
    graph, theta = star(170)
    found = most_probable(graph, theta, {"A": [0], **told([[1] * 170])})
    assert round(float(found.logp[0]), 2) == -783.57


def test_the_aggregated_likelihood_of_a_contradicted_star_is_the_sum_of_its_terms():
    """Every leaf is predicted with .01 by the value of A; A itself by the leaves, 99**-170."""
    graph, theta = star(170)
    found = aggregated(graph, theta, {"A": [0], **told([[1] * 170])})
    odds = Fraction(99) ** 170
    close(found, [170 * math.log(0.01) + log_of(1 / (1 + odds))], EXACT)


@pytest.mark.parametrize("leaves", [170, 1000])
def test_what_is_truly_impossible_is_still_refused(leaves):
    graph, theta = star(leaves)
    theta["X3|H"] = np.eye(2)
    rows = [[0] * leaves, [0, 0, 0, 1] + [0] * (leaves - 4)]
    table = {"A": [0, 0], **told(rows)}
    found = loglik(graph, theta, table)
    assert np.isfinite(found[0])
    assert found[1] == -np.inf
    with pytest.raises(ImpossibleEvidence, match="sample 1") as error:
        propagate(graph, theta, table)
    assert error.value.sample == 1
    with pytest.raises(ImpossibleEvidence, match="sample 1"):
        most_probable(graph, theta, table)


# Learning


def counts_of_leaf(rows, said, prior, leaf):
    """P(h | all but this leaf) and what the leaf says, of the samples that see it."""
    f, b = [], []
    for row, a in zip(rows, said, strict=True):
        if row[leaf] is None:
            continue
        rest = [None if k == leaf else cell for k, cell in enumerate(row)]
        weights = weights_of(rest, [prior[0] * (a != 1), prior[1] * (a != 0)])
        f.append([share_of(w, sum(weights)) for w in weights])
        b.append([1.0 - row[leaf], float(row[leaf])])
    return np.array(f).T, np.array(b).T


@pytest.mark.parametrize("leaves", [170, 1000])
@pytest.mark.parametrize("rule", RULES)
def test_an_epoch_on_extreme_samples_is_the_rule_on_exact_messages(rule, leaves):
    graph, theta = star(leaves)
    rows, said = some_rows(leaves)
    table = {"A": said, **told(rows)}
    before, after = epochs(graph, table, rule, theta=theta, n_epochs=1)
    assert np.isfinite(before.loglik).all()
    half = [Fraction(1, 2)] * 2
    for leaf in (0, 2, leaves - 1):
        f, b = counts_of_leaf(rows, said, half, leaf)
        expected = oracles.RULES[rule](np.array(LEAF), f, b, np.ones(f.shape[1]))
        close(after.theta[f"X{leaf}|H"][0], expected, 1e-9)


@pytest.mark.parametrize("leaves", mostly_slow([170, 1000], 170))
@pytest.mark.parametrize("rule", RULES)
def test_learning_from_extreme_samples_stays_finite(rule, leaves):
    graph, theta = star(leaves)
    rows, said = some_rows(leaves)
    table = {"A": said, **told(rows)}
    values = []
    for epoch in epochs(graph, table, rule, theta=theta, n_it=2, n_epochs=4):
        values.append(epoch.loglik[0])
        assert np.isfinite(epoch.loglik).all()
        assert not epoch.dropped.any()
        for matrix in epoch.theta.values():
            close(matrix.sum(axis=-1), np.ones(matrix.shape[:-1]), 1e-9)
    if rule == "ml":
        assert np.all(np.diff(values) >= -1e-9 * np.abs(values[0]))


def test_a_fit_from_random_matrices_copes_with_many_leaves():
    graph, theta = star(1000)
    rows, said = some_rows(1000)
    table = {"A": said, **told(rows)}
    run = fit(graph, table, theta={"H|A": theta["H|A"]}, n_epochs=5, restarts=3)
    assert np.isfinite(run.loglik).all()
    assert np.diff(run.loglik, axis=0).min() >= -1e-9 * np.abs(run.loglik).max()


# Deep chains, by loops that add logarithms


STEPS = 2000


def chain(length):
    hidden, shown = [f"Z{k}" for k in range(length)], [f"X{k}" for k in range(length)]
    parents = dict(zip(hidden[1:], hidden, strict=False)) | dict(zip(shown, hidden, strict=True))
    names = dict.fromkeys(hidden[1:], "move") | dict.fromkeys(shown, "emit")
    sizes = dict.fromkeys(hidden, 3) | dict.fromkeys(shown, 2)
    return BayesGraph(sizes, parents, theta={**names, "Z0": "start"})


def log_add(values):
    top = max(values)
    return top if top == -math.inf else top + math.log(sum(math.exp(v - top) for v in values))


def in_logs(theta, x, join=log_add):
    """Log forward and backward values of every step: sums of paths, or the best path (``max``)."""
    with np.errstate(divide="ignore"):
        start, move, emit = (np.log(theta[k]).tolist() for k in ("start", "move", "emit"))
    states = range(len(move))

    def said(i, cell):
        return 0.0 if cell is None else emit[i][cell]

    forward = [[start[0][i] + said(i, x[0]) for i in states]]
    for cell in x[1:]:
        last = forward[-1]
        forward.append(
            [join([last[i] + move[i][j] for i in states]) + said(j, cell) for j in states]
        )
    backward = [[0.0 for _ in states]]
    for cell in reversed(x[1:]):
        nxt = backward[-1]
        backward.append(
            [join([move[i][j] + said(j, cell) + nxt[j] for j in states]) for i in states]
        )
    return forward, backward[::-1]


def smoothed(forward, backward):
    """P(state | all cells) of every step."""
    whole = log_add(forward[-1])
    return np.exp(
        [
            [a + b - whole for a, b in zip(*pair, strict=True)]
            for pair in zip(forward, backward, strict=True)
        ]
    )


def chain_cases():
    rng = np.random.default_rng(11)
    move = fg.row_normalize(rng.random((3, 3)) + 0.05)
    emit = fg.row_normalize(rng.random((3, 2)) + 0.05)
    ordinary = {"start": fg.row_normalize(rng.random((1, 3))), "move": move, "emit": emit}
    still = {
        "start": np.array([[0.5, 0.3, 0.2]]),
        "move": np.eye(3),  # the state never changes: 2,000 cells judge one choice
        "emit": np.array([[0.9, 0.1], [0.1, 0.9], [0.4, 0.6]]),
    }
    sticky = {
        **still,
        "move": np.array([[1 - 2e-15, 1e-15, 1e-15], [1e-12, 1 - 1e-12, 0], [0, 1e-200, 1]]),
    }
    coin = rng.integers(0, 2, STEPS).tolist()
    half = [0] * (STEPS // 2) + [1] * (STEPS // 2)
    gaps = [cell if rng.random() < 0.3 else None for cell in coin]
    return {
        "ordinary": (ordinary, [coin, half, gaps]),
        "a state that never changes": (still, [coin, half, [0] * STEPS]),
        "a state that hardly changes": (sticky, [half, half[::-1], coin]),
    }


CHAINS = chain_cases()
GRAPH = chain(STEPS)


def as_table(rows):
    return {f"X{k}": list(column) for k, column in enumerate(zip(*rows, strict=True))}


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_of_two_thousand_steps_is_exact(name):
    theta, rows = CHAINS[name]
    messages = propagate(GRAPH, theta, as_table(rows))
    swept = [in_logs(theta, row) for row in rows]
    close(messages.loglik, [log_add(forward[-1]) for forward, _ in swept], EXACT)
    for n, (forward, backward) in enumerate(swept):
        expected = smoothed(forward, backward)
        found = np.array([messages[f"Z{k}"].p[:, n] for k in range(STEPS)])
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", CHAINS)
def test_the_best_path_of_a_chain_of_two_thousand_steps_has_its_exact_probability(name):
    theta, rows = CHAINS[name]
    seen = [row for row in rows if None not in row]
    found = most_probable(GRAPH, theta, as_table(seen))
    with np.errstate(divide="ignore"):
        logs = {key: np.log(matrix) for key, matrix in theta.items()}
    for n, row in enumerate(seen):
        forward, _ = in_logs(theta, row, join=max)
        close(found.logp[n], max(forward[-1]), EXACT)
        path = [int(found.table[f"Z{k}"][n]) for k in range(STEPS)]
        own = logs["start"][0, path[0]] + sum(
            logs["emit"][z, x] for z, x in zip(path, row, strict=True)
        )
        own += sum(logs["move"][a, b] for a, b in itertools.pairwise(path))
        close(own, max(forward[-1]), EXACT)  # and the path is one that has it


def test_an_epoch_on_a_chain_of_two_thousand_steps_is_one_of_baum_welch():
    theta, rows = CHAINS["ordinary"]
    found = list(epochs(GRAPH, as_table(rows[:2]), theta=theta, n_epochs=2))
    new = {key: np.zeros_like(matrix) for key, matrix in theta.items()}
    logs = {key: np.log(matrix) for key, matrix in theta.items()}
    for row in rows[:2]:
        forward, backward = in_logs(theta, row)
        share = smoothed(forward, backward)
        whole = log_add(forward[-1])
        new["start"][0] += share[0]
        for k, cell in enumerate(row):
            new["emit"][:, cell] += share[k]
            if k + 1 < STEPS:
                after = logs["emit"][:, row[k + 1]] + backward[k + 1]
                new["move"] += np.exp(np.array(forward[k])[:, None] + logs["move"] + after - whole)
    for key, counts in new.items():
        close(found[1].theta[key][0], counts / counts.sum(axis=1, keepdims=True), 1e-9)
    assert found[0].loglik[0] < found[1].loglik[0] < found[2].loglik[0]


def test_leaves_that_nearly_agree_lose_no_digits():
    """Each message is near (1/2, 1/2): their product leaves the range of floats."""
    n, says = 1060, np.array([0.63, 0.629])
    leaves = [f"X{k}" for k in range(n)]
    graph = BayesGraph({"S": 2, **dict.fromkeys(leaves, 2)}, dict.fromkeys(leaves, "S"))
    leaf = np.stack([says, 1 - says], axis=1)
    theta = {"S": np.array([[0.5, 0.5]]), **{f"{name}|S": leaf for name in leaves}}
    messages = fg.propagate(graph, theta, {name: [0] for name in leaves})
    logs = n * np.log(says)
    close(messages["S"].p[:, 0], np.exp(logs - np.logaddexp(*logs)), 1e-10)
    close(messages.loglik, [np.logaddexp(*logs) + np.log(0.5)], 1e-12)


@pytest.mark.parametrize("leaves", [5, 6, 8, 9, 20])
def test_a_few_leaves_that_hardly_ever_say_what_they_do_are_weighed_exactly(leaves):
    """Each says what has a probability of 1e-60 or twice that: no float holds six of them."""
    rare = [Fraction(1, 10**60), Fraction(2, 10**60)]
    graph = BayesGraph(
        {"H": 2, **{f"X{k}": 2 for k in range(leaves)}}, {f"X{k}": "H" for k in range(leaves)}
    )
    block = [[float(p), 1 - float(p)] for p in rare]
    theta = {"H": [0.5, 0.5], **{f"X{k}|H": block for k in range(leaves)}}
    seen = {f"X{k}": [0] for k in range(leaves)}
    joint = [p**leaves / 2 for p in rare]
    close(loglik(graph, theta, seen), [log_of(sum(joint))], EXACT)
    close(posterior(graph, theta, seen, "H"), [[float(j / sum(joint)) for j in joint]], EXACT)
    run = fit(graph, seen, theta=theta, restarts=1, n_epochs=0)
    close(run.loglik[-1], [log_of(sum(joint))], EXACT)
