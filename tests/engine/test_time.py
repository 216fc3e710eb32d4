"""Time: unfolded graphs against forward-backward, Viterbi and Baum-Welch as plain loops."""

import itertools

import numpy as np
import pytest
from checks import close
from tiers import slow

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


@pytest.mark.parametrize("name", ["start", "transition", "emission"])
def test_a_long_chain_takes_several_models_that_differ_in_one_matrix(name):
    graph, rng = fg.hmm(2, 3, 150), np.random.default_rng(1)
    theta, several = fg.random_theta(graph, rng), fg.random_theta(graph, rng, (4,))
    table = {f"X{t}": rng.integers(0, 3, 2) for t in range(1, 151)}
    batch = fg.propagate(graph, {**theta, name: several[name]}, table)
    for k in range(4):
        one = fg.propagate(graph, {**theta, name: several[name][k]}, table)
        close(batch.loglik[k], one.loglik)
        for step in ("S1", "S75", "S150", "X150"):
            close(np.broadcast_to(batch[step].p, (4, *one[step].p.shape))[k], one[step].p)


@pytest.mark.parametrize("steps", [1000, pytest.param(10_000, marks=slow)])
def test_a_chain_of_ten_thousand_steps_is_exact(steps):
    theta = random_theta(5)
    x = np.random.default_rng(5).integers(0, 4, steps)
    alpha, total = theta["start"][0] * theta["emission"][:, x[0]], 0.0
    for c in x[1:]:
        total += np.log(alpha.sum())
        alpha = (alpha / alpha.sum() @ theta["transition"]) * theta["emission"][:, c]
    total += np.log(alpha.sum())
    found = fg.loglik(fg.hmm(3, 4, steps), theta, one_row(x.tolist()))
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


def test_an_autoregressive_chain_has_no_loop_since_what_it_lags_is_given():
    graph = fg.unfold({"S": 2, "X": 3}, {"X": "S"}, {"S": "S", "X": "X"}, n=4, lagged="X")
    assert graph.given == ("given X1", "given X2", "given X3")
    assert not graph.loop
    theta = fg.random_theta(graph, np.random.default_rng(0))
    several = [[0, 2, 1, 1], [2, 2], [1, 0, 0]]
    table = fg.sequences(several, lagged="X")
    expected = []
    emit = theta["X|S,X before"].reshape(2, 3, 3)
    for x in several:
        alpha = theta["S first"][0] * theta["X first"][:, x[0]]
        for before, now in itertools.pairwise(x):
            alpha = (alpha @ theta["S|S before"]) * emit[:, before, now]
        expected.append(np.log(alpha.sum()))
    close(fg.loglik(graph, theta, table), expected)
    rng = np.random.default_rng(1)
    run = fg.fit(graph, fg.sequences([rng.integers(0, 3, 4) for _ in range(40)], lagged="X"))
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
    wide = fg.sequences(frame, id="patient", time="visit", step="visit", n=4)
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
    "a gap": (LONG, {"lagged": "X"}, "X of 'b' is blank at step 2, and the sequence goes on"),
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


# Whose each row is, and the way back to the long table

PEOPLE = {  # rows in no order: neither of people nor of time
    "who": ["b", "a", "c", "a", "b", "a", "b"],
    "day": [12, 3, 7, 1, 10, 2, 13],
    "X": ["p", "q", "r", "r", "q", None, "p"],
    "note": [0, 1, 2, 3, 4, 5, 6],
}
SEEN = {"a": ["r", None, "q"], "b": ["q", None, "p", "p"], "c": ["r"]}
PLACE = [("b", 3), ("a", 3), ("c", 1), ("a", 1), ("b", 1), ("a", 2), ("b", 4)]
WEATHER = fg.hmm(("cold", "hot"), ("p", "q", "r"), 4)


def of_weather():
    return fg.random_theta(WEATHER, np.random.default_rng(8))


def smoothed():
    """P(hot) and log P(sequence) at every row of the long table, by forward and backward."""
    found = {}
    for who, x in SEEN.items():
        codes = [None if c is None else "pqr".index(c) for c in x]
        gamma, _, total = forward_backward(of_weather(), codes)
        found[who] = ([g[1] for g in gamma], total)
    return [found[who][0][t - 1] for who, t in PLACE], [found[who][1] for who, _ in PLACE]


def long_tables():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    rows = [dict(zip(PEOPLE, row, strict=True)) for row in zip(*PEOPLE.values(), strict=True)]
    fields = [("who", "U1"), ("day", "i8"), ("X", "O"), ("note", "i8")]
    return {
        "dict": PEOPLE,
        "list of dicts": rows,
        "structured": np.array([tuple(row.values()) for row in rows], dtype=fields),
        "array of objects": (
            np.array([tuple(row.values()) for row in rows], dtype=object),
            list(PEOPLE),
        ),
        "pandas": pandas.DataFrame(PEOPLE, index=list("tuvwxyz")),
        "pandas, nullable": pandas.DataFrame(PEOPLE).convert_dtypes(),
        "pandas of Arrow": pandas.DataFrame(PEOPLE).convert_dtypes(dtype_backend="pyarrow"),
        "polars": polars.DataFrame(PEOPLE),
        "polars lazy": polars.LazyFrame(PEOPLE),
        "pyarrow": pyarrow.table(PEOPLE),
        "DuckDB": pytest.importorskip("duckdb").from_arrow(pyarrow.table(PEOPLE)),
        "Dask": pytest.importorskip("dask.dataframe").from_pandas(
            pandas.DataFrame(PEOPLE), npartitions=2
        ),
    }


KINDS = [
    "dict",
    "list of dicts",
    "structured",
    "array of objects",
    "pandas",
    "pandas, nullable",
    "pandas of Arrow",
    "polars",
    "polars lazy",
    "pyarrow",
    "DuckDB",
    "Dask",
]


def listed(table, name):
    column = table[name]
    if hasattr(column, "combine_chunks"):
        return column.to_pylist()
    return column.to_list() if hasattr(column, "to_list") else list(column)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_come_back_to_the_long_table_in_its_own_order(kind):
    wide = fg.sequences(long_tables()[kind], id="who", time="day")
    assert wide.ids == ["b", "a", "c"]  # as they first occur
    assert [(wide.ids[k], int(t)) for k, t in zip(wide.sequence, wide.place, strict=True)] == PLACE
    theta = of_weather()
    scored = fg.score(WEATHER, theta, wide, "S")
    hot, total = smoothed()
    for name in ("who", "day", "note"):
        assert listed(scored, name) == PEOPLE[name]
    close(np.array(listed(scored, "S=hot"), float), hot)
    close(np.array(listed(scored, "S=cold"), float), 1 - np.array(hot))
    close(np.array(listed(scored, "loglik"), float), total)
    assert listed(scored, "S") == ["hot" if p > 0.5 else "cold" for p in hot]
    wide = fg.sequences(long_tables()[kind], id="who", time="day", columns="X")
    path = fg.most_probable(WEATHER, theta, wide).table
    back = wide.to_long(path, "S")
    expected = [path[f"S{t}"][wide.ids.index(who)] for who, t in PLACE]
    assert listed(back, "S") == expected
    assert list(listed(back, "note")) == PEOPLE["note"]


def test_columns_of_the_long_table_are_chosen():
    wide = fg.sequences(PEOPLE, id="who", time="day", columns=["X"])
    assert list(wide) == ["X1", "X2", "X3", "X4"] and wide.variables == ["X"]
    for columns, said in (
        ("Q", "columns names 'Q': the"),
        ("day", "columns names 'day', which is"),
    ):
        with pytest.raises(ValueError, match=said):
            fg.sequences(PEOPLE, id="who", time="day", columns=columns)
    with pytest.raises(ValueError, match="columns is 'X', and there is no id"):
        fg.sequences([["a"]], columns="X")


def test_the_index_and_the_kind_of_a_frame_stay():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    tables = long_tables()
    for kind, type_ in (("pandas", pandas.DataFrame), ("polars", polars.DataFrame)):
        wide = fg.sequences(tables[kind], id="who", time="day")
        assert isinstance(fg.score(WEATHER, of_weather(), wide, "S"), type_)
    wide = fg.sequences(tables["pandas"], id="who", time="day")
    scored = fg.score(WEATHER, of_weather(), wide, "S")
    assert list(scored.index) == list("tuvwxyz")
    assert list(scored.columns) == [*PEOPLE, "S=cold", "S=hot", "S", "loglik"]


def test_what_is_said_of_a_whole_sequence_is_repeated_at_its_visits():
    wide = fg.sequences(PEOPLE, id="who", time="day")
    back = wide.to_long({"class": ["one", "two", "three"], "p": [0.1, 0.2, 0.3]})
    at = [wide.ids.index(who) for who, _ in PLACE]
    assert list(back["class"]) == [["one", "two", "three"][k] for k in at]
    close(back["p"], np.array([0.1, 0.2, 0.3])[at])
    steps = np.arange(12).reshape(3, 4)
    assert list(wide.to_long({"k": steps})["k"]) == [
        steps[k, t - 1] for k, (_, t) in zip(at, PLACE, strict=True)
    ]
    scored = fg.score(WEATHER, of_weather(), wide, "S1")  # a variable of the graph itself
    first = fg.posterior(WEATHER, of_weather(), {k: wide[k] for k in wide if k[0] == "X"}, "S1")
    close(scored["S1=hot"], first[at, 1])


def test_a_class_of_whole_sequences_and_a_state_at_each_step_are_scored_together():
    graph = fg.BayesGraph({"C": 2, "X1": 2, "X2": 2, "X3": 2}, {f"X{t}": "C" for t in (1, 2, 3)})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    long = {"who": [1, 1, 2, 2], "X": [0, 1, 1, None], "when": [1, 3, 5, 6]}
    wide = fg.sequences(long, id="who", time="when")
    prior = theta["C"][0]
    for row, seen in ((0, [(1, 0), (3, 1)]), (2, [(1, 1)])):
        joint = [prior[k] * np.prod([theta[f"X{t}|C"][k, x] for t, x in seen]) for k in (0, 1)]
        scored = fg.score(graph, theta, wide, "C")
        close(scored["C=1"][row], joint[1] / sum(joint))
        close(scored["loglik"][row], np.log(sum(joint)))


def test_sequences_in_a_list_have_a_long_table_too():
    several = [["p", "q"], ["r"], ["q", None, "r"]]
    wide = fg.sequences(several)
    assert wide.ids == [0, 1, 2]
    scored = fg.score(WEATHER, of_weather(), wide, "S")
    assert scored["sequence"] == [0, 0, 1, 2, 2, 2] and scored["step"] == [1, 2, 1, 1, 2, 3]
    assert scored["X"] == ["p", "q", "r", "q", None, "r"]
    gammas = [
        forward_backward(of_weather(), [None if c is None else "pqr".index(c) for c in x])[0]
        for x in several
    ]
    close(scored["S=hot"], [g[1] for gamma in gammas for g in gamma])


def test_what_cannot_come_back_is_refused():
    wide = fg.sequences(PEOPLE, id="who", time="day")
    theta = of_weather()
    short = fg.hmm(("cold", "hot"), ("p", "q", "r"), 3)
    for call, said in (
        (
            lambda: fg.score(short, theta, wide, "S"),
            "the sequences have 4 steps.*unfold it with n=4",
        ),
        (lambda: fg.score(WEATHER, theta, wide, "Q"), "variables has 'Q': the graph has neither"),
        (lambda: fg.score(WEATHER, theta, wide, "X"), "the long table has a column 'X' already"),
        (lambda: fg.score(WEATHER, theta, wide, "S", columns="Q"), "columns names 'Q'"),
        (lambda: fg.score(WEATHER, theta, wide, "S", columns="note"), "no column of the sequences"),
        (lambda: wide.to_long({"Q": [1, 2, 3]}, "S"), "neither that column nor 'S1' to 'S4'"),
        (lambda: wide.to_long({"Q": [1, 2]}), "'Q' of the answers has 2 rows: expected 3"),
        (lambda: wide.to_long({"X": [1, 2, 3]}, "X"), "a column 'X' already"),
        (lambda: wide.to_long({"X": [1, 2, 3]}), "hold nothing that the long table has not"),
        (lambda: wide.to_long({"S": np.eye(3)}), "have shape (3, 3): expected one for each of 3"),
    ):
        with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)")):
            call()


def test_columns_of_a_slice_can_be_chosen_for_a_score():
    wide = fg.sequences(PEOPLE | {"Y": [0, 1, 0, 1, 0, 1, 0]}, id="who", time="day")
    graph = fg.unfold({"S": 2, "X": ("p", "q", "r"), "Y": 2}, {"X": "S", "Y": "S"}, {"S": "S"}, n=4)
    theta = fg.random_theta(graph, np.random.default_rng(0))
    both, one = fg.score(graph, theta, wide, "S"), fg.score(graph, theta, wide, "S", columns="X")
    alone = {k: wide[k] for k in wide if k[0] == "X"}
    close(one["loglik"], fg.loglik(graph, theta, alone)[wide.sequence])
    assert abs(both["loglik"] - one["loglik"]).min() > 1e-6


# Panels: covariates over time


PANEL = {
    "who": [1, 1, 1, 2, 3, 3],
    "wave": [1, 2, 3, 2, 1, 2],
    "work": ["yes", "no", "no", "yes", "no", "yes"],
    "X": ["a", "b", "b", "a", None, "b"],
}


def panel_graph(n):
    return fg.unfold(
        {"work": ("no", "yes"), "S": 2, "X": ("a", "b")},
        {"S": "work", "X": "S"},
        {"S": "S"},
        n=n,
        given="work",
    )


def panel_logliks(theta):
    """By all paths of hidden states, each sequence as long as it is."""
    found = []
    for work, x in ((("yes", "no", "no"), "abb"), (("yes",), "a"), (("no", "yes"), (None, "b"))):
        w, total = [("no", "yes").index(v) for v in work], 0.0
        move = theta["S|work,S before"].reshape(2, 2, 2)
        for path in itertools.product(range(2), repeat=len(w)):
            p = theta["S first"][w[0], path[0]]
            for t in range(1, len(w)):
                p *= move[w[t], path[t - 1], path[t]]
            for s, c in zip(path, x, strict=True):
                p *= 1 if c is None else theta["X|S"][s, "ab".index(c)]
            total += p
        found.append(np.log(total))
    return found


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "pyarrow"])
def test_given_covariates_need_no_filler_after_the_end_and_it_has_no_effect(kind):
    table = {
        "dict": lambda: PANEL,
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(PANEL),
        "polars": lambda: pytest.importorskip("polars").DataFrame(PANEL),
        "pyarrow": lambda: pytest.importorskip("pyarrow").table(PANEL),
    }[kind]()
    wide = fg.sequences(table, id="who", time="wave", given="work")
    graph = panel_graph(3)
    theta = fg.random_theta(graph, np.random.default_rng(1))
    close(fg.loglik(graph, theta, wide), panel_logliks(theta))
    other = dict(wide)
    swap = {"yes": "no", "no": "yes"}
    for t, ends in ((2, [1]), (3, [1, 2])):
        column = list(other[f"work{t}"])
        for k in ends:
            column[k] = swap[column[k]]
        other[f"work{t}"] = column
    assert other != dict(wide)
    runs = [fg.fit(graph, t, theta=theta, restarts=1, n_epochs=5, tol=0) for t in (wide, other)]
    for name in theta:
        close(runs[0].best_theta[name], runs[1].best_theta[name])
    scored = fg.score(graph, theta, wide, "S")
    close(np.array(listed(scored, "loglik")), np.array(panel_logliks(theta))[[0, 0, 0, 1, 2, 2]])


def test_a_given_covariate_is_known_at_every_step_before_the_end():
    gap = {**PANEL, "wave": [1, 2, 4, 2, 1, 2]}
    with pytest.raises(
        ValueError, match="work of 1 is blank at step 3, at which there is no visit"
    ):
        fg.sequences(gap, id="who", time="wave", given="work")
    assert fg.sequences(gap, id="who", time="wave", step="visit", given="work")["work3"][0] == "no"
    late = {"id": "who", "time": "wave", "align": "calendar", "given": "work"}
    with pytest.raises(
        ValueError, match="work of 2 is blank at step 1, at which there is no visit"
    ):
        fg.sequences(PANEL, **late)
    blank = {**PANEL, "work": ["yes", None, "no", "yes", "no", "yes"]}
    with pytest.raises(ValueError, match="work of 1 is blank at step 2: what is given must be"):
        fg.sequences(blank, id="who", time="wave", given="work")
    with pytest.raises(ValueError, match="given has 'Q': the columns are work, X"):
        fg.sequences(PANEL, id="who", time="wave", given="Q")


def test_time_and_steps_belong_to_a_long_table():
    for options, said in (
        ({"time": "day"}, "time is 'day', and there is no id"),
        ({"step": "day"}, "step is 'day', and there is no time"),
    ):
        with pytest.raises(ValueError, match=said):
            fg.sequences([["a"]], **options)
    with pytest.raises(ValueError, match="id and time are both 'who'"):
        fg.sequences(PANEL, id="who", time="who")


# The fast path of long chains gives what the two sweeps give


def ordinary(monkeypatch):
    monkeypatch.setattr("fgnwidgets.inference.chains.chain_of", lambda graph: None)


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
    from fgnwidgets.inference.chains import FEW, _along

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
    from fgnwidgets.inference.chains import chain_of

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
    from fgnwidgets.inference.chains import chain_of

    sizes = {f"{v}{t}": 2 for t in range(80) for v in "SX"}
    steps = {f"S{t}": f"S{t - 1}" for t in range(1, 80)}
    parents = steps | {f"X{t}": f"S{t}" for t in range(80)}
    for between, taken in (("TT", True), ("TU", False), ("TE", False), ("EE", False)):
        theta = {f"X{t}": "E" for t in range(80)} | {s: between[int(s[1:]) % 2] for s in steps}
        graph = fg.BayesGraph(sizes, parents, theta=theta)
        assert (chain_of(graph.normal_form()) is not None) == taken, between


def test_a_long_chain_takes_the_fast_path_and_a_short_one_does_not(monkeypatch):
    from fgnwidgets.inference.chains import Chain

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
