"""A cell that is missing teaches nothing: the learning mask L[n], for each block by itself.

A block is barren in a sample that knows nothing of its output and of what descends from it; such a
sample counts zero there, under every rule. The oracle walks down the children and then sums by the
paper's loops, on messages from the whole table.
"""

import numpy as np
import oracles
import pytest
from checks import close
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Case, as_evidence, forests, matrices, seeds
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets import (
    BayesGraph,
    Block,
    Branch,
    Diverter,
    Evidence,
    NormalGraph,
    Project,
    Source,
    epochs,
    fit,
)

pytestmark = pytest.mark.usefixtures("every_way")

RULES = ("ml", "kl", "vit", "var")
N_EPOCHS = 3

some = settings(max_examples=settings.default.max_examples // 2)
"""Half of the examples, for tests of each rule, with one step and with several, in every way."""


# Random graphs, random gaps


@st.composite
def tied_forests(draw):
    """A forest in which some blocks of the same shape, and some sources, share a matrix."""
    graph = draw(forests(5))
    rows = {
        name: int(np.prod([graph.variables[p].size for p in parents], dtype=int))
        for name, parents in graph.parents.items()
    }
    shared = {}
    for name, branch in graph.variables.items():
        if draw(st.booleans(), label=f"{name} is tied"):
            shared[name] = f"T{rows[name]},{branch.size}"
    parents = {name: ps for name, ps in graph.parents.items() if ps}
    states = {name: branch.size for name, branch in graph.variables.items()}
    return BayesGraph(states, parents, theta=shared)


@st.composite
def cases_with_gaps(draw, graphs):
    """Cells that are hard, soft, blank, or vectors that say nothing; matrices without zeros.

    Variables of one value carry no evidence here: see the test that is about them.
    """
    graph = draw(graphs)
    theta = matrices(graph, draw(seeds), zeros=0.0)
    n = draw(st.integers(1, 5), label="samples")
    rng = np.random.default_rng(draw(seeds))
    table, likelihoods = {}, {}
    for name, branch in graph.variables.items():
        kind = rng.choice(["hard", "soft", "none"], p=[0.5, 0.25, 0.25])
        if kind == "none" or branch.size == 1:
            continue
        blank = rng.random(n) < 0.5
        if kind == "soft":
            vectors = rng.random((branch.size, n)) * (rng.random((branch.size, n)) > 0.2)
            vectors[:, ~vectors.any(axis=0)] = 0.7
            vectors[:, blank] = rng.choice([1.0, 0.25, 3.0], blank.sum())
            table[name], likelihoods[name] = vectors.T, vectors
        else:
            codes = np.where(blank, -1, rng.integers(0, branch.size, n))
            hot = np.where(codes < 0, 1.0, np.arange(branch.size)[:, None] == codes)
            table[name], likelihoods[name] = codes, hot
    assume(table)
    return Case(graph, theta, table, likelihoods, n)


def every_epoch_is_the_oracles(case, rule, n_it, weight, tolerance=1e-9, **constants):
    """Each epoch is judged from the engine's own matrices of the epoch before."""
    found = epochs(
        case.graph,
        as_evidence(case),
        rule,
        theta=case.theta,
        weight=weight,
        n_it=n_it,
        n_epochs=N_EPOCHS,
        **constants,
    )
    before = dict(case.theta)
    counts = np.ones(case.n) if weight is None else weight
    for epoch in found:
        after = {name: matrix[0] for name, matrix in epoch.theta.items()}
        if epoch.n:
            asked = (case.graph, before, case.likelihoods, counts, rule, n_it)
            for name, expected in oracles.epoch(*asked, **constants).items():
                close(after[name], expected, tolerance)
        logs = oracles.evidence_probability(case.graph, after, case.likelihoods, case.n)
        close(epoch.loglik[0], counts @ np.log(logs), tolerance)
        before = after


@pytest.mark.parametrize("n_it", mostly_slow([1, 3], 1))
@pytest.mark.parametrize("rule", RULES)
@some
@given(case=cases_with_gaps(forests(5)), seed=seeds, weighted=st.booleans())
def test_every_epoch_drops_the_blocks_that_are_barren(rule, n_it, case, seed, weighted):
    weight = np.random.default_rng(seed).integers(0, 3, case.n) + 0.25 if weighted else None
    every_epoch_is_the_oracles(case, rule, n_it, weight)


@pytest.mark.parametrize("n_it", mostly_slow([1, 3], 3))
@pytest.mark.parametrize("rule", RULES)
@given(case=cases_with_gaps(tied_forests()), seed=seeds)
def test_tied_blocks_drop_each_its_own_barren_samples(rule, n_it, case, seed):
    weight = np.random.default_rng(seed).random(case.n) + 0.1
    every_epoch_is_the_oracles(case, rule, n_it, weight)


@pytest.mark.parametrize(
    ("rule", "constants"),
    [("vit", {"delta": 0.05}), ("var", {"delta": 0.3}), ("var", {"delta": 0.3, "alpha": 0.4})],
)
@given(case=cases_with_gaps(forests(5)), seed=seeds)
def test_constants_are_added_once_and_only_where_something_was_seen(rule, constants, case, seed):
    weight = np.random.default_rng(seed).random(case.n) + 0.1
    seen = [oracles.taught(case.graph, case.likelihoods, case.n, v) for v in case.graph.variables]
    assume("alpha" not in constants or all(found.any() for found in seen))
    every_epoch_is_the_oracles(case, rule, 1, weight, **constants)


@given(case=cases_with_gaps(tied_forests()), seed=seeds)
def test_pseudo_counts_of_ml_are_added_to_the_counts_of_what_was_seen(case, seed):
    seen = [oracles.taught(case.graph, case.likelihoods, case.n, v) for v in case.graph.variables]
    assume(all(found.any() for found in seen))
    weight = np.random.default_rng(seed).random(case.n) + 0.1
    every_epoch_is_the_oracles(case, "ml", 1, weight, alpha=0.75)
    every_epoch_is_the_oracles(case, "ml", 3, weight, alpha=0.75)


@given(case=cases_with_gaps(tied_forests()), seed=seeds)
def test_ml_never_lowers_loglik_where_cells_are_missing(case, seed):
    weight = np.random.default_rng(seed).random(case.n) + 0.1
    found = epochs(case.graph, as_evidence(case), theta=case.theta, weight=weight, n_epochs=8)
    values = [epoch.loglik[0] for epoch in found]
    assert np.all(np.diff(values) >= -1e-10 * (1 + np.abs(values[:-1])))


@pytest.mark.parametrize("rule", RULES)
@given(case=cases_with_gaps(forests(5)))
def test_what_no_sample_reaches_keeps_its_value(rule, case):
    constants = {"delta": 0.1} if rule in ("vit", "var") else {}
    *_, last = epochs(
        case.graph, as_evidence(case), rule, theta=case.theta, n_epochs=3, **constants
    )
    for child, name in case.graph.theta.items():
        if not oracles.taught(case.graph, case.likelihoods, case.n, child).any():
            close(last.theta[name][0], case.theta[name], 0)


# One sentence of the rule each, by hand


CHAIN = BayesGraph({"A": 2, "B": 2, "C": 3}, {"B": "A", "C": "B"})
FAMILY = BayesGraph({"A": 2, "B": 3, "C": 2}, {"C": ("A", "B")})


def moved(graph, table, rule, rng, **options):
    """The matrices that one epoch changes."""
    theta = fg.random_theta(graph, rng)
    constants = {"delta": 0.1} if rule in ("vit", "var") else {}
    _, after = epochs(graph, table, rule, theta=theta, n_epochs=1, **constants, **options)
    return {name for name in theta if np.abs(after.theta[name][0] - theta[name]).max() > 1e-12}


@pytest.mark.parametrize("rule", RULES)
def test_evidence_on_a_parent_does_not_reach_the_block_below_it(rule, rng):
    assert moved(CHAIN, {"A": [0, 1, 1]}, rule, rng) == {"A"}
    assert moved(CHAIN, {"B": [0, 1, 1]}, rule, rng) == {"A", "B|A"}
    assert moved(CHAIN, {"C": [0, 2, 1]}, rule, rng) == {"A", "B|A", "C|B"}


@pytest.mark.parametrize("rule", RULES)
def test_a_co_parent_does_not_count_as_a_descendant(rule, rng):
    assert moved(FAMILY, {"A": [0, 1, 1]}, rule, rng) == {"A"}
    assert moved(FAMILY, {"A": [0, 1, 1], "B": [2, 0, 2]}, rule, rng) == {"A", "B"}
    assert moved(FAMILY, {"C": [0, 1, 1]}, rule, rng) == {"A", "B", "C|A,B"}


@pytest.mark.parametrize("rule", RULES)
def test_a_weight_of_zero_reaches_nothing(rule, rng):
    table = {"A": [0, 1, 1], "B": [1, 0, None]}
    assert moved(CHAIN, table, rule, rng, weight=[0, 0, 3]) == {"A"}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("blank", [None, np.nan, "", [1, 1], [0.2, 0.2], [7, 7]])
def test_whatever_says_nothing_counts_as_missing(rule, blank, rng):
    theta = fg.random_theta(CHAIN, rng)
    cells = np.empty(4, dtype=object)
    cells[:] = [0, blank, 1, blank]
    *_, one = epochs(CHAIN, {"A": [0, 0, 1, 1], "B": cells}, rule, theta=theta, n_epochs=2)
    codes = {"A": np.array([0, 0, 1, 1]), "B": np.array([0, -1, 1, -1])}
    *_, two = epochs(CHAIN, Evidence(4, codes), rule, theta=theta, n_epochs=2)
    for name in theta:
        close(one.theta[name], two.theta[name], 1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_a_variable_of_one_value_says_nothing_when_it_is_seen(rule, rng):
    graph = BayesGraph({"A": 2, "B": 2, "C": 1}, {"B": "A", "C": "B"})
    assert moved(graph, {"A": [0, 1], "C": [0, 0]}, rule, rng) == {"A"}


@pytest.mark.parametrize("rule", RULES)
def test_what_is_seen_below_a_block_that_tells_nothing_apart_still_counts(rule):
    """Barren is said of the evidence: a message that happens to be uniform is data."""
    theta = {"A": [[0.4, 0.6]], "B|A": [[0.5, 0.5], [0.9, 0.1]], "C|B": np.full((2, 3), 1 / 3)}
    codes = np.array([0, 2])
    hot = (np.arange(3)[:, None] == codes).astype(float)
    case = Case(CHAIN, {n: np.array(m) for n, m in theta.items()}, {"C": codes}, {"C": hot}, 2)
    every_epoch_is_the_oracles(case, rule, 1, np.ones(2))


@pytest.mark.parametrize("start", ["messages", "own"])
@pytest.mark.parametrize("rule", RULES)
def test_the_first_m_step_of_a_start_by_messages_drops_barren_blocks_too(rule, start, rng):
    codes = {"A": np.array([0, 1, -1]), "B": np.array([1, -1, -1]), "C": np.array([-1, -1, -1])}
    options = {"n_epochs": 1, "start": start}
    if start == "own":
        shapes = CHAIN.normal_form().matrices
        options["start"] = {
            name: (rng.random((rows, 3)), rng.random((size, 3)))
            for name, (rows, size) in shapes.items()
        }
    before, after = epochs(CHAIN, Evidence(3, codes), rule, **options)
    close(after.theta["C|B"], before.theta["C|B"], 0)
    if start == "own":
        lessons = {}
        for name, reached in {"A": [1, 1, 0], "B|A": [1, 0, 0], "C|B": [0, 0, 0]}.items():
            f, b = (v / v.sum(axis=0) for v in options["start"][name])
            lessons[name] = [(f, b, np.array(reached, dtype=float))]
        first = {name: matrix[0] for name, matrix in before.theta.items()}
        for name, expected in oracles.learned(first, lessons, rule).items():
            close(after.theta[name][0], expected, 1e-9)


# Normal graphs that no Bayesian graph gives


def seen(codes, size):
    codes = np.asarray(codes)
    return np.where(codes < 0, 1.0, np.arange(size)[:, None] == codes)


def nodes_equal_the_oracle(form, theta, codes, rule, weight):
    """``codes`` by variable; the oracle wants them on one branch of it."""
    n = len(weight)
    likelihoods = {
        form.variables[name][0]: seen(v, form.branch(name).size) for name, v in codes.items()
    }
    evidence = Evidence(n, {name: np.array(v) for name, v in codes.items()})
    found = epochs(form, evidence, rule, theta=theta, weight=weight, n_epochs=2)
    before = theta
    for epoch in found:
        after = {name: matrix[0] for name, matrix in epoch.theta.items()}
        if epoch.n:
            asked = (form, before, likelihoods, np.asarray(weight, dtype=float), rule)
            for name, expected in oracles.epoch_of_nodes(*asked).items():
                close(after[name], expected, 1e-9)
        before = after


@pytest.mark.parametrize("rule", RULES)
def test_a_block_for_each_parent_learns_from_its_own_descendants_alone(rule, rng):
    graph = BayesGraph({"A": 2, "B": 3, "C": 2, "D": 2}, {"C": ("A", "B"), "D": "C"})
    form = graph.normal_form("separate")
    codes = {"A": [0, 1, -1, 1, 0], "B": [2, -1, 0, 1, 1], "C": [1, -1, -1, 0, -1]}
    codes["D"] = [-1, -1, 1, -1, -1]
    theta = fg.random_theta(form, rng)
    nodes_equal_the_oracle(form, theta, codes, rule, [1, 2, 1, 0.5, 1])


@pytest.mark.parametrize("rule", RULES)
def test_a_product_space_is_reached_by_evidence_on_one_of_its_variables(rule, rng):
    s, whole = Branch("S", 3), [Branch(f"(A,B)({k})", 6, (), "(A,B)") for k in range(3)]
    a, b = Branch("A", 2), Branch("B", 3)
    form = NormalGraph(
        [
            Source("S", s),
            Block("(A,B)|S", s, whole[0]),
            Diverter("(A,B)=", [whole[0]], whole[1:]),
            Project("A|(A,B)", whole[1], a, (2, 3), 0),
            Project("B|(A,B)", whole[2], b, (2, 3), 1),
        ]
    )
    codes = {"S": [0, 1, 2, -1, 1], "A": [0, -1, -1, 1, 1], "B": [-1, 2, -1, -1, 0]}
    theta = fg.random_theta(form, rng)
    nodes_equal_the_oracle(form, theta, codes, rule, [1, 1, 1, 2, 0.25])


@pytest.mark.parametrize("rule", RULES)
def test_the_oracle_of_nodes_is_that_of_bayesian_graphs(rule, rng):
    """Two oracles that share the rules' loops only."""
    theta = fg.random_theta(FAMILY, rng)
    codes = {"A": [0, -1, 1], "B": [2, 1, -1], "C": [-1, 0, 1]}
    sizes = {"A": 2, "B": 3, "C": 2}
    hot = {name: seen(v, sizes[name]) for name, v in codes.items()}
    form = FAMILY.normal_form()
    on_branches = {form.variables[name][0]: v for name, v in hot.items()}
    one = oracles.epoch(FAMILY, theta, hot, np.ones(3), rule)
    two = oracles.epoch_of_nodes(form, theta, on_branches, np.ones(3), rule)
    for name in theta:
        close(one[name], two[name], 1e-12)


# Numbers


@pytest.mark.parametrize("rule", RULES)
def test_blank_cells_move_no_share(rule):
    """100 rows seen and 300 blank per state: .8 and .3, after one epoch of any rule."""
    states, cells = [], []
    for state, ones in ((0, 80), (1, 30)):
        states += [state] * 400
        cells += [1] * ones + [0] * (100 - ones) + [None] * 300
    graph = BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    constants = {"delta": 0.0} if rule in ("vit", "var") else {}
    run = fit(graph, {"S": states, "X": cells}, rule, n_epochs=1, restarts=2, **constants)
    for matrix in run.final["X|S"]:
        close(matrix, [[0.2, 0.8], [0.7, 0.3]], 1e-12)
    close(run.final["S"], np.full((2, 1, 2), 0.5), 1e-12)
    default = fit(graph, {"S": states, "X": cells}, rule, n_epochs=1, restarts=1)
    close(default.best_theta["X|S"], [[0.2, 0.8], [0.7, 0.3]], 1e-5)


@pytest.mark.parametrize("rule", RULES)
def test_labels_with_blanks_are_learned_from_the_complete_cases(rule, rng):
    x = np.where(rng.random(5000) < 0.2, "a", "b").astype(object)
    x[rng.random(5000) < 0.4] = None
    shares = [np.mean([cell == label for cell in x if cell is not None]) for label in "ab"]
    graph = BayesGraph({"S": 1, "x": ("a", "b")}, {"x": "S"})
    run = fit(graph, {"x": x}, rule, restarts=1)
    close(run.best_theta["x|S"], [shares], 1e-5)
    assert abs(shares[0] - 0.2) < 0.03


# Sequences of unequal length


START = np.array([0.6, 0.4])
MOVE = np.array([[0.7, 0.3], [0.2, 0.8]])
EMIT = np.array([[0.9, 0.1], [0.3, 0.7]])
SEQUENCES = ("001110", "1101", "01001")


def chain(length):
    """A hidden chain of two states; all moves share a matrix, and so do all emissions."""
    hidden, shown = [f"Z{k}" for k in range(length)], [f"X{k}" for k in range(length)]
    parents = dict(zip(hidden[1:], hidden, strict=False)) | dict(zip(shown, hidden, strict=True))
    names = dict.fromkeys(hidden[1:], "move") | dict.fromkeys(shown, "emit")
    return BayesGraph(dict.fromkeys(hidden + shown, 2), parents, theta={**names, "Z0": "start"})


def padded(sequences, length):
    rows = [list(map(int, s)) + [None] * (length - len(s)) for s in sequences]
    return {f"X{k}": [row[k] for row in rows] for k in range(length)}


def baum_welch(sequences, start, move, emit):
    """One EM step as in the textbooks: forward and backward loops over each sequence's length.

    Where no state follows another, nothing is known of the moves: they keep their value.
    """
    states = range(len(start))
    new_start, new_move, new_emit = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
    logs = []
    for text in sequences:
        x = list(map(int, text))
        forward = [[start[i] * emit[i, x[0]] for i in states]]
        for symbol in x[1:]:
            last = forward[-1]
            forward.append(
                [sum(last[i] * move[i, j] for i in states) * emit[j, symbol] for j in states]
            )
        backward = [[1.0, 1.0]]
        for symbol in reversed(x[1:]):
            nxt = backward[0]
            backward.insert(
                0, [sum(move[i, j] * emit[j, symbol] * nxt[j] for j in states) for i in states]
            )
        whole = sum(forward[-1])
        logs.append(np.log(whole))
        for t, symbol in enumerate(x):
            for i in states:
                share = forward[t][i] * backward[t][i] / whole
                new_emit[i, symbol] += share
                if t == 0:
                    new_start[i] += share
                if t + 1 < len(x):
                    for j in states:
                        step = move[i, j] * emit[j, x[t + 1]] * backward[t + 1][j]
                        new_move[i, j] += forward[t][i] * step / whole
    return (
        np.array(logs),
        new_start / new_start.sum(),
        new_move / new_move.sum(axis=1, keepdims=True) if new_move.any() else move,
        new_emit / new_emit.sum(axis=1, keepdims=True),
    )


HMM = {"start": START[None], "move": MOVE, "emit": EMIT}


def test_sequences_padded_with_blanks_have_their_own_likelihoods():
    found = fg.loglik(chain(6), HMM, padded(SEQUENCES, 6))
    close(found, [-3.98038, -3.37091, -3.81105], 2e-6)
    close(found, baum_welch(SEQUENCES, START, MOVE, EMIT)[0], 1e-12)


def test_the_three_oracles_agree_on_padded_sequences():
    """Textbook loops, the whole table without barren blocks, and chains of each own length."""
    _, start, move, emit = baum_welch(SEQUENCES, START, MOVE, EMIT)
    close(move, [[0.4821, 0.5179], [0.1698, 0.8302]], 1.5e-4)
    hot = {
        name: np.hstack([seen([-1 if cell is None else cell], 2) for cell in column])
        for name, column in padded(SEQUENCES, 6).items()
    }
    whole = oracles.epoch(chain(6), HMM, hot, np.ones(3), "ml")
    for name, expected in {"start": start, "move": move, "emit": emit}.items():
        close(whole[name].squeeze(), expected, 1e-12)
        close(by_own_lengths(HMM, "ml", 1)[name].squeeze(), expected, 1e-12)


def by_own_lengths(theta, rule, n_it):
    """An epoch on chains of each sequence's own length, in which no block is barren."""
    lessons = {name: [] for name in theta}
    for text in SEQUENCES:
        own = chain(len(text))
        hot = {f"X{k}": seen([int(cell)], 2) for k, cell in enumerate(text)}
        for child, name in own.theta.items():
            pair = oracles.at_block(own, theta, hot, 1, child)
            lessons[name].append((*pair, np.ones(1)))
    return oracles.learned(theta, lessons, rule, n_it)


def test_one_epoch_on_padded_sequences_gives_the_published_transitions():
    _, after = epochs(chain(6), padded(SEQUENCES, 6), theta=HMM, n_epochs=1)
    np.testing.assert_allclose(
        after.theta["move"][0], [[0.4821, 0.5179], [0.1698, 0.8302]], rtol=0, atol=5e-5
    )


@pytest.mark.parametrize("length", [6, 9])
def test_every_epoch_on_padded_sequences_is_one_of_baum_welch(length):
    parts = START, MOVE, EMIT
    for epoch in epochs(chain(length), padded(SEQUENCES, length), theta=HMM, n_epochs=12):
        logs, *following = baum_welch(SEQUENCES, *parts)
        close(epoch.loglik[0], logs.sum(), 1e-10)
        for name, expected in zip(("start", "move", "emit"), parts, strict=True):
            close(epoch.theta[name][0].squeeze(), expected, 1e-9)
        parts = tuple(following)


@given(seed=seeds, lengths=st.lists(st.integers(1, 8), min_size=1, max_size=6))
def test_random_sequences_of_any_lengths_learn_as_baum_welch_does(seed, lengths):
    rng = np.random.default_rng(seed)
    sequences = ["".join(rng.choice(["0", "1"], size)) for size in lengths]
    start, move, emit = (fg.row_normalize(rng.random((k, 2)) + 0.05) for k in (1, 2, 2))
    theta = {"start": start, "move": move, "emit": emit}
    graph, parts = chain(8), (start[0], move, emit)
    for epoch in epochs(graph, padded(sequences, 8), theta=theta, n_epochs=4):
        if epoch.n:
            _, *parts = baum_welch(sequences, *parts)
        for name, expected in zip(("start", "move", "emit"), parts, strict=True):
            close(epoch.theta[name][0].reshape(expected.shape), expected, 1e-9)


@pytest.mark.parametrize("n_it", [1, 3])
@pytest.mark.parametrize("rule", RULES)
def test_padded_sequences_learn_under_every_rule_as_chains_of_their_own_lengths(rule, n_it):
    """This oracle needs no word of what barren means."""
    theta = dict(HMM)
    for epoch in epochs(chain(6), padded(SEQUENCES, 6), rule, theta=theta, n_it=n_it, n_epochs=3):
        if epoch.n:
            for name, expected in by_own_lengths(theta, rule, n_it).items():
                close(epoch.theta[name][0], expected, 1e-9)
        theta = {name: matrix[0] for name, matrix in epoch.theta.items()}
