"""Time: unfolded graphs against forward-backward, Viterbi and Baum-Welch as plain loops."""

import itertools

import numpy as np
import pytest
from checks import close

import fgnwidgets as fg
from fgnwidgets import GraphError

# Eisner's diary (2002): ice creams eaten on 33 days, and his first guess of the weather.
DIARY = [
    2,
    3,
    3,
    2,
    3,
    2,
    3,
    2,
    2,
    3,
    1,
    3,
    3,
    1,
    1,
    1,
    2,
    1,
    1,
    1,
    3,
    1,
    2,
    1,
    1,
    1,
    2,
    3,
    3,
    2,
    3,
]
DIARY += [2, 2]
GUESS = {
    "start": np.array([[0.5, 0.5]]),
    "transition": np.array([[8 / 9, 1 / 9], [1 / 9, 8 / 9]]),
    "emission": np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]),
}


def forward_backward(theta, x):
    """P(states | x) of every step, of every pair of steps, and log P(x); None is a blank."""
    start, move, emit = theta["start"][0], theta["transition"], theta["emission"]
    weights = [np.ones(len(move)) if c is None else emit[:, c] for c in x]
    alpha = [start * weights[0]]
    for w in weights[1:]:
        alpha.append((alpha[-1] @ move) * w)
    beta = [np.ones(len(move))]
    for w in reversed(weights[1:]):
        beta.insert(0, move @ (w * beta[0]))
    total = alpha[-1].sum()
    gamma = [a * b / total for a, b in zip(alpha, beta, strict=True)]
    pairs = [
        alpha[t][:, None] * move * (weights[t + 1] * beta[t + 1])[None] / total
        for t in range(len(x) - 1)
    ]
    return gamma, pairs, np.log(total)


def viterbi(theta, x):
    best, ways = theta["start"][0] * theta["emission"][:, x[0]], []
    for c in x[1:]:
        steps = best[:, None] * theta["transition"]
        ways.append(steps.argmax(axis=0))
        best = steps.max(axis=0) * theta["emission"][:, c]
    way = [int(best.argmax())]
    for back in reversed(ways):
        way.insert(0, int(back[way[0]]))
    return way, np.log(best.max())


def baum_welch(theta, several):
    """One epoch; a step after the last thing observed teaches nothing."""
    counts = {name: np.zeros(m.shape) for name, m in theta.items()}
    for x in several:
        gamma, pairs, _ = forward_backward(theta, x)
        counts["start"] += gamma[0]
        counts["transition"] += sum(pairs)
        for c, p in zip(x, gamma, strict=True):
            if c is not None:
                counts["emission"][:, c] += p
    return {name: c / c.sum(axis=1, keepdims=True) for name, c in counts.items()}


def one_row(x, name="X"):
    return {f"{name}{t + 1}": [-1 if c is None else c] for t, c in enumerate(x)}


def random_theta(seed, states=3, symbols=4):
    graph = fg.hmm(states, symbols, 2)
    return fg.random_theta(graph, np.random.default_rng(seed))


def test_a_hidden_markov_chain_has_the_names_of_the_field():
    graph = fg.hmm(2, ("a", "b"), 3)
    assert list(graph.variables) == ["S1", "X1", "S2", "X2", "S3", "X3"]
    assert dict(graph.normal_form().matrices) == {
        "start": (1, 2),
        "emission": (2, 2),
        "transition": (2, 2),
    }


def test_smoothing_filtering_and_prediction_are_those_of_forward_backward():
    theta = random_theta(1)
    x = [0, 3, None, 1, 2, None, 0]
    graph = fg.hmm(3, 4, len(x))
    gamma, pairs, total = forward_backward(theta, x)
    messages = fg.propagate(graph, theta, one_row(x))
    close(messages.loglik, [total])
    for t in range(len(x)):
        close(messages[f"S{t + 1}"].p[:, 0], gamma[t])
        filtered, *_ = forward_backward(theta, x[: t + 1])
        known = one_row([*x[: t + 1], *[None] * (len(x) - t - 1)])
        close(fg.posterior(graph, theta, known, f"S{t + 1}")[0], filtered[-1])
        if t + 1 < len(x):
            close(messages.pair(f"S{t + 2}|S{t + 1}")[..., 0], pairs[t])
            ahead = filtered[-1] @ theta["transition"] @ theta["emission"]
            close(fg.posterior(graph, theta, known, f"X{t + 2}")[0], ahead)


@pytest.mark.parametrize("seed", range(5))
def test_decoding_is_viterbi(seed):
    theta = random_theta(seed)
    x = np.random.default_rng(seed).integers(0, 4, 12).tolist()
    found = fg.most_probable(fg.hmm(3, 4, 12), theta, one_row(x))
    way, logp = viterbi(theta, x)
    assert [int(found.table[f"S{t + 1}"][0]) for t in range(12)] == way
    close(found.logp, [logp])


def test_learning_from_sequences_of_unequal_length_is_baum_welch_epoch_by_epoch():
    rng = np.random.default_rng(0)
    several = [rng.integers(0, 4, n).tolist() for n in (5, 2, 9, 1, 7)]
    several[2][3] = None
    theta = random_theta(2)
    table = fg.sequences(several)
    expected = theta
    for epoch in fg.epochs(fg.hmm(3, 4, 9), table, theta=theta, n_epochs=6):
        for name in theta:
            close(epoch.theta[name][0], expected[name], 1e-9)
        close(epoch.loglik[0], sum(forward_backward(expected, x)[2] for x in several), 1e-9)
        expected = baum_welch(expected, several)


def test_learning_is_that_of_hmmlearn_epoch_by_epoch():
    hmm = pytest.importorskip("hmmlearn.hmm", reason="hmmlearn is not installed: it is the oracle")
    rng = np.random.default_rng(4)
    several = [rng.integers(0, 4, n) for n in (12, 30, 7, 21)]
    theta = random_theta(3)
    theirs = hmm.CategoricalHMM(3, n_features=4, n_iter=1, tol=-np.inf, init_params="")
    theirs.startprob_, theirs.transmat_ = theta["start"][0], theta["transition"]
    theirs.emissionprob_ = theta["emission"]
    for epoch in fg.epochs(fg.hmm(3, 4, 30), fg.sequences(several), theta=theta, n_epochs=8):
        close(epoch.theta["start"][0, 0], theirs.startprob_, 1e-9)
        close(epoch.theta["transition"][0], theirs.transmat_, 1e-9)
        close(epoch.theta["emission"][0], theirs.emissionprob_, 1e-9)
        data, lengths = np.concatenate(several)[:, None], list(map(len, several))
        close(epoch.loglik[0], theirs.score(data, lengths), 1e-9)
        theirs.fit(data, lengths)


def test_the_weather_of_eisners_diary():
    graph = fg.hmm(("cold", "hot"), (1, 2, 3), 33)
    table = fg.sequences([DIARY])
    x = [c - 1 for c in DIARY]
    gamma, *_ = forward_backward(GUESS, x)
    hot = [fg.posterior(graph, GUESS, table, f"S{t + 1}")[0, 1] for t in (0, 1, 32)]
    close(hot, [gamma[t][1] for t in (0, 1, 32)])
    close(hot[0], 0.871, 5e-4)  # as his spreadsheet shows
    expected = GUESS
    for _ in range(10):
        expected = baum_welch(expected, [x])
    run = fg.fit(graph, table, theta=GUESS, restarts=1, n_epochs=10, tol=0)
    for name in GUESS:
        close(run.best_theta[name], expected[name], 1e-9)


def test_a_chain_of_ten_thousand_steps_is_exact():
    theta = random_theta(5)
    x = np.random.default_rng(5).integers(0, 4, 10_000)
    alpha, total = theta["start"][0] * theta["emission"][:, x[0]], 0.0
    for c in x[1:]:
        total += np.log(alpha.sum())
        alpha = (alpha / alpha.sum() @ theta["transition"]) * theta["emission"][:, c]
    total += np.log(alpha.sum())
    found = fg.loglik(fg.hmm(3, 4, 10_000), theta, one_row(x.tolist()))
    close(found, [total], 1e-11)


# Unfolded graphs in general


def test_inputs_and_two_chains_that_meet_in_an_observation():
    graph = fg.unfold(
        {"U": 2, "A": 2, "B": 3, "X": 2},
        {"A": "U", "X": ("A", "B")},
        {"A": "A", "B": "B"},
        n=3,
        given="U",
        theta={"A": "move"},
    )
    assert graph.given == ("U1", "U2", "U3")
    assert graph.parents["A2"] == ("U2", "A1")
    names = {"A first", "move", "B first", "B|B before", "X|A,B"}
    assert set(graph.theta.values()) == names
    merged = graph.merged()  # a factorial chain has loops
    theta = fg.random_theta(merged, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    u, x = rng.integers(0, 2, 3), rng.integers(0, 2, 3)
    a1, move = theta["A first"], theta["move"].reshape(2, 2, 2)
    emit = theta["X|A,B"].reshape(2, 3, 2)
    alpha = np.einsum("a,b->ab", a1[u[0]], theta["B first"][0]) * emit[..., x[0]]
    for t in (1, 2):
        alpha = np.einsum("ab,ac,bd->cd", alpha, move[u[t]], theta["B|B before"]) * emit[..., x[t]]
    table = {f"U{t + 1}": [u[t]] for t in range(3)} | {f"X{t + 1}": [x[t]] for t in range(3)}
    close(fg.loglik(merged, theta, table), [np.log(alpha.sum())])


def test_an_autoregressive_chain_has_no_loop_since_what_it_recalls_is_given():
    graph = fg.unfold({"S": 2, "X": 3}, {"X": "S"}, {"S": "S", "X": "X"}, n=4, recalled="X")
    assert graph.given == ("given X1", "given X2", "given X3")
    assert not graph.loop
    theta = fg.random_theta(graph, np.random.default_rng(0))
    several = [[0, 2, 1, 1], [2, 2], [1, 0, 0]]
    table = fg.sequences(several, recalled="X")
    expected = []
    emit = theta["X|S,X before"].reshape(2, 3, 3)
    for x in several:
        alpha = theta["S first"][0] * theta["X first"][:, x[0]]
        for before, now in itertools.pairwise(x):
            alpha = (alpha @ theta["S|S before"]) * emit[:, before, now]
        expected.append(np.log(alpha.sum()))
    close(fg.loglik(graph, theta, table), expected)
    rng = np.random.default_rng(1)
    run = fg.fit(graph, fg.sequences([rng.integers(0, 3, 4) for _ in range(40)], recalled="X"))
    assert (np.diff(run.loglik, axis=0) > -1e-9).all()


def test_what_is_no_slice_is_refused():
    for arguments, options, said in (
        (({"S": 2}, {"X": "S"}), {"n": 2}, "parents has 'X': the variables of a slice are S"),
        (({"S": 2}, None, {"S": "Q"}), {"n": 2}, "previous has 'Q'"),
        (({"S": 2},), {"n": 2, "given": "U"}, "given has 'U': the variables are S"),
        (({"S": 2},), {"n": 2, "theta": {"Q": "T"}}, "theta has 'Q'"),
        ((3,), {"n": 2}, "states is 3"),
    ):
        with pytest.raises(GraphError, match=said):
            fg.unfold(*arguments, **options)
    with pytest.raises(ValueError, match="n is 0: expected at least 1"):
        fg.hmm(2, 2, 0)


# Tables of sequences

LONG = {
    "patient": ["b", "a", "a", "b", "a"],
    "visit": [4, 2, 1, 6, 3],
    "X": ["p", "q", "r", "p", None],
    "Y": [1, 0, 1, 1, 0],
}


def test_a_long_table_becomes_a_row_for_each_id_in_the_order_of_time():
    wide = fg.sequences(LONG, id="patient", time="visit")
    assert wide == {
        "X1": ["p", "r"],
        "Y1": [1, 1],
        "X2": [None, "q"],  # b was not there at visit 5
        "Y2": [None, 0],
        "X3": ["p", None],
        "Y3": [1, 0],
    }
    in_order = {name: column for name, column in LONG.items() if name != "visit"}
    wide = fg.sequences(in_order, id="patient")
    assert wide["X1"] == ["p", "q"] and wide["X3"] == [None, None]


def test_dates_are_sorted_and_frames_are_read():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {**LONG, "visit": ["2020-02", "2020-03", "2020-01", "2021-01", "2024"]}
    )
    wide = fg.sequences(frame, id="patient", time="visit", n=4)
    assert wide["X1"] == ["p", "r"] and wide["X2"] == ["p", "q"] and wide["X4"] == [None, None]


REFUSED = {
    "twice": (
        {**LONG, "visit": [4, 2, 1, 4, 3]},
        {},
        "patient 'b' has visit 4 twice, in rows 0 and 3",
    ),
    "no time": ({**LONG, "visit": [4, None, 1, 6, 3]}, {}, "row 1 has no visit"),
    "no column": (LONG, {"time": "day"}, "time is 'day': the columns are patient, visit, X, Y"),
    "too long": (LONG, {"n": 2}, "the sequence of 'b' has more than n=2 steps"),
    "a gap": (LONG, {"recalled": "X"}, "X of 'b' is blank at step 2, and the sequence goes on"),
}


@pytest.mark.parametrize(("table", "options", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_of_sequences_is_refused(table, options, said):
    with pytest.raises(ValueError, match=said):
        fg.sequences(table, **{"id": "patient", "time": "visit", **options})


def test_lists_that_are_no_sequences_are_refused():
    for table, said in ((3, "expected a list of sequences"), ([[[1]]], "sequence 0 has shape")):
        with pytest.raises(ValueError, match=said):
            fg.sequences(table)
    with pytest.raises(ValueError, match="the table is empty"):
        fg.sequences([])


# The fast path of long chains gives what the two sweeps give


def ordinary(monkeypatch):
    monkeypatch.setattr("fgnwidgets.border.chains.chain_of", lambda graph: None)


@pytest.mark.parametrize("symbols", [("X",), ("X", "Y")])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_long_chain_sends_the_same_messages_either_way(symbols, batch, monkeypatch):
    sizes, steps = {"S": 3, "X": 4, "Y": 2}, 100
    states = {name: sizes[name] for name in ("S", *symbols)}
    graph = fg.unfold(states, dict.fromkeys(symbols, "S"), {"S": "S"}, n=steps)
    rng = np.random.default_rng(0)
    theta = fg.random_theta(graph, rng, batch)
    table = {}
    for t in range(1, steps + 1):
        table[f"X{t}"] = np.where(rng.random(5) < 0.3, -1, rng.integers(0, 4, 5))
        if t % 3:
            table[f"Y{t}"] = rng.random((5, 2))
    table = {name: column for name, column in table.items() if name[0] in symbols}
    fast = fg.propagate(graph, theta, table)
    learned = [fg.fit(graph, table, restarts=3, n_epochs=4, tol=0, seed=1)]
    ordinary(monkeypatch)
    slow = fg.propagate(graph, theta, table)
    learned.append(fg.fit(graph, table, restarts=3, n_epochs=4, tol=0, seed=1))
    close(fast.loglik, slow.loglik)
    for name in graph.normal_form().branches:
        close(fast[name].f, slow[name].f, 1e-10)
        close(fast[name].b, slow[name].b, 1e-10)
    close(learned[0].loglik, learned[1].loglik)
    close(learned[0].aggregated, learned[1].aggregated)
    for name in learned[0].final:
        close(learned[0].final[name], learned[1].final[name], 1e-10)


@pytest.mark.parametrize("steps", [3, 4, 9, 63, 64, 65, 250])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_stretches_of_a_chain_side_by_side_end_where_steps_in_turn_end(steps, batch):
    from fgnwidgets.border.chains import FEW, _along

    rng = np.random.default_rng(steps)
    matrix = rng.dirichlet([1, 1, 1], (*batch, 3)).swapaxes(-1, -2)
    first, weights = rng.random((*batch, 3, 2)), 1e-3 * rng.random((steps, *batch, 3, 2))
    assert first.size * 3 <= FEW
    found, log_scale = _along(matrix, first, weights)
    v, total = first, 0.0
    for n, w in enumerate(weights, 1):
        v = (matrix @ v) * w
        scale = v.sum(axis=-2, keepdims=True)
        v, total = v / scale, total + np.log(scale[..., 0, :])
        close(found[n] / found[n].sum(axis=-2, keepdims=True), v)
    assert len(found) == steps + 1
    close(np.log(found[-1].sum(axis=-2)) + log_scale, total)


def test_a_long_chain_with_zeros_goes_the_ordinary_way():
    theta = random_theta(0) | {"transition": np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1.0]])}
    theta["start"] = np.array([[1.0, 0, 0]])
    x = np.random.default_rng(0).integers(0, 4, 100)
    alpha, total = theta["start"][0] * theta["emission"][:, x[0]], 0.0
    for c in x[1:]:
        total += np.log(alpha.sum())
        alpha = (alpha / alpha.sum() @ theta["transition"]) * theta["emission"][:, c]
    total += np.log(alpha.sum())
    close(fg.loglik(fg.hmm(3, 4, 100), theta, one_row(x.tolist())), [total], 1e-11)


def test_only_a_plain_chain_is_taken_for_one():
    from fgnwidgets.border.chains import chain_of

    def chain(graph):
        return chain_of(graph.normal_form())

    assert chain(fg.hmm(2, 2, 80)) is not None
    assert chain(fg.hmm(2, 2, 20)) is None
    assert chain_of(fg.hmm(2, 2, 80).normal_form().split("S3")) is None
    two = {"X": "S", "Y": "X"}
    assert chain(fg.unfold({"S": 2, "X": 2, "Y": 2}, two, {"S": "S"}, n=80)) is None
    assert chain(fg.unfold({"S": 2}, None, {"S": "S"}, n=200)) is None
    inputs = fg.unfold({"U": 2, "S": 2, "X": 2}, {"X": "S", "S": "U"}, {"S": "S"}, n=80, given="U")
    assert chain(inputs) is None


def test_a_chain_has_one_matrix_between_steps_and_others_at_its_leaves():
    from fgnwidgets.border.chains import chain_of

    sizes = {f"{v}{t}": 2 for t in range(80) for v in "SX"}
    steps = {f"S{t}": f"S{t - 1}" for t in range(1, 80)}
    parents = steps | {f"X{t}": f"S{t}" for t in range(80)}
    for between, taken in (("TT", True), ("TU", False), ("TE", False), ("EE", False)):
        theta = {f"X{t}": "E" for t in range(80)} | {s: between[int(s[1:]) % 2] for s in steps}
        graph = fg.BayesGraph(sizes, parents, theta=theta)
        assert (chain_of(graph.normal_form()) is not None) == taken, between


def test_a_long_chain_takes_the_fast_path_and_a_short_one_does_not(monkeypatch):
    from fgnwidgets.border.chains import Chain

    swept, sweep = [], Chain.sweep

    def counted(self, *arguments):
        swept.append(len(self.entering))
        return sweep(self, *arguments)

    monkeypatch.setattr(Chain, "sweep", counted)
    for steps in (80, 20):
        graph = fg.hmm(2, 2, steps)
        theta = fg.random_theta(graph, np.random.default_rng(0))
        fg.loglik(graph, theta, {name: [0] for name in graph.variables if name.startswith("X")})
    assert swept == [80]
