"""Reports of merged graphs and of graphs with given variables, beside enumeration.

Both have families that no pair of messages leads to, or variables without a distribution; what is
said of a run must not depend on that.
"""

import numpy as np
import pytest
from latent_classes import TRUE, TWO, drawn
from oracles import joint

import fgnwidgets as fg
from fgnwidgets.draw import draw_profile

SETTLED = {"n_epochs": 20000, "tol": 1e-13, "restarts": 1}

LOOP = fg.BayesGraph(
    {"S": 2, "A": 2, "B": 3, "C": 2, "D": 2, "E": ("no", "yes")},
    {"A": "S", "B": "S", "C": ["A", "B"], "D": "S", "E": ["B", "S"]},
)
"""Two loops: through C, and through E, whose parents are joined already."""

GIVEN = {
    "sizes": {"G": ("east", "west", "north"), "S": 2, "A": 2, "B": 3, "C": 2, "D": 2},
    "parents": {"S": "G", "A": "S", "B": "S", "C": "S", "D": ["S", "G"]},
}
COUNTRY = fg.BayesGraph(*GIVEN.values(), given=["G"])
FREE = fg.BayesGraph(*GIVEN.values())
"""The same with a prior on what is given."""


def sharp(graph, most=0.7):
    """Matrices that tell the states apart: one state of each row is likely, none impossible."""
    found = {}
    for name, matrix in fg.uniform_theta(graph).items():
        rows, size = matrix.shape
        likely = (np.arange(rows) + np.arange(rows) // 2) % size
        tilt = np.linspace(0, 0.15, rows)[:, None]
        m = np.full((rows, size), (1 - most) / (size - 1)) + tilt
        m[np.arange(rows), likely] = most
        found[name] = m / m.sum(axis=1, keepdims=True)
    return found


def looped(n=1500, blanks=0.05):
    graph = LOOP.merged()
    theta = sharp(graph)
    table = drawn(graph, theta, n, 0, "ABCDE")
    rng = np.random.default_rng(1)
    blank = {name: rng.random(n) < blanks for name in table}
    table = {k: np.where(blank[k], None, v.astype(object)) for k, v in table.items()}
    return fg.fit(graph, table, theta=theta, **SETTLED)


def countries(n=1500):
    theta = sharp(COUNTRY)
    full = {**theta, "G": [[0.5, 0.3, 0.2]]}
    table = drawn(FREE.merged(), full, n, 0, "GABCD")
    blank = np.random.default_rng(1).random(n) < 0.05
    table["A"] = np.where(blank, None, table["A"].astype(object))
    return fg.fit(COUNTRY, table, theta=theta, **SETTLED)


RUNS = {"merged": (looped, LOOP), "given": (countries, FREE)}


@pytest.fixture(scope="module", params=RUNS)
def learned(request):
    """A run, and the graph whose joint table is enumerated."""
    make, whole = RUNS[request.param]
    return make(), whole


def whole_table(whole, theta):
    """P(all), what is given uniform: a constant beside every number that is learned."""
    prior = {name: np.full((1, 3), 1 / 3) for name in {*whole.theta} - {*theta}}
    return joint(whole, {**theta, **prior})


def at(run, whole, n):
    return tuple(
        int(run.rows.codes[v][n]) if v in run.rows.codes and run.rows.codes[v][n] >= 0
        else slice(None)
        for v in whole.variables
    )  # fmt: skip


def enumerated(run, whole, theta):
    table = whole_table(whole, theta)
    return sum(w * np.log(table[at(run, whole, n)].sum()) for n, w in enumerate(run.weight))


def places(theta):
    return [
        (name, x, y) for name, m in theta.items() for x, y in np.ndindex(len(m), m.shape[1] - 1)
    ]


def moved(theta, *steps):
    found = {name: np.array(m) for name, m in theta.items()}
    for (name, x, y), step in steps:
        found[name][x, y] += step
        found[name][x, -1] -= step
    return found


def test_standard_errors_equal_second_differences(learned):
    run, whole = learned
    theta, e = run.best_theta, 1e-4
    numbers = places(theta)
    second = np.empty((len(numbers), len(numbers)))
    for i, one in enumerate(numbers):
        for j, two in enumerate(numbers[: i + 1]):
            corners = (
                enumerated(run, whole, moved(theta, (one, a), (two, b))) * a * b
                for a in (e, -e)
                for b in (e, -e)
            )
            second[i, j] = second[j, i] = sum(corners) / (4 * e**4)
    expected = np.sqrt(np.diag(np.linalg.inv(-second)))
    found = fg.standard_errors(run)
    for (name, x, y), one in zip(numbers, expected, strict=True):
        assert found.se[name][x, y] == pytest.approx(one, rel=1e-3), (name, x, y)


def test_the_rank_is_that_of_differences_of_the_joint_table(learned):
    run, whole = learned
    theta = {k: 0.999 * m + 0.001 / m.shape[-1] for k, m in run.best_theta.items()}
    hidden = tuple(k for k, v in enumerate(whole.variables) if v not in run.rows.variables)
    columns = []
    for place in places(theta):
        ends = (whole_table(whole, moved(theta, (place, step))) for step in (1e-5, -1e-5))
        one, two = (table.sum(axis=hidden).ravel() for table in ends)
        columns.append((one - two) / 2e-5)
    s = np.linalg.svd(np.column_stack(columns), compute_uv=False)
    found = fg.identified(run)
    assert found.n_free == len(columns) == run.n_free
    assert found.rank == (s > 1e-7 * s[0]).sum()


def test_a_rank_below_the_count_is_found_on_a_merged_graph():
    graph = fg.BayesGraph({"S": 3, "A": 2, "B": 2, "C": 2}, {"A": "S", "B": "S", "C": ["A", "B"]})
    rng = np.random.default_rng(0)
    table = {name: rng.integers(0, 2, 200) for name in "ABC"}
    found = fg.identified(fg.fit(graph.merged(), table, n_epochs=20, restarts=1))
    assert (found.n_free, found.rank) == (2 + 6 + 4, 3 + 4)  # P(A, B) has three numbers
    assert found.loose["S"].all()
    assert not found.loose["C|A,B"].any()


def test_the_summary_is_that_of_enumeration(learned):
    run, whole = learned
    theta, summary = run.best_theta, run.summary()
    table = whole_table(whole, theta)
    total = enumerated(run, whole, theta) + ("G" in whole.variables) * run.n * np.log(3)
    assert summary.loglik == pytest.approx(total)
    assert run.bic == pytest.approx(-2 * total + len(places(theta)) * np.log(run.n))
    axis = list(whole.variables).index("S")
    posteriors = []
    for n in range(run.rows.n):
        where = list(at(run, whole, n))
        where.insert(0, where.pop(axis))
        known = np.moveaxis(table, axis, 0)[tuple(where)]
        p = known.reshape(2, -1).sum(axis=1)
        posteriors.append(p / p.sum())
    posteriors = np.array(posteriors)
    mean = run.weight @ posteriors / run.n
    np.testing.assert_allclose(summary.sizes["S"], mean)
    spread = -(posteriors * np.log(posteriors)).sum(axis=1)
    assert summary.entropy["S"] == pytest.approx(1 - run.weight @ spread / run.n / np.log(2))


def test_residuals_expect_what_the_joint_table_says(learned):
    run, whole = learned
    table = whole_table(whole, run.best_theta)
    names = list(whole.variables)
    found = fg.residuals(run)
    for (one, two), expected in found.expected.items():
        wanted = np.zeros_like(expected)
        seen = np.zeros_like(expected)
        for n, weight in enumerate(run.weight):
            codes = {v: int(run.rows.codes[v][n]) for v in (one, two)}
            if min(codes.values()) < 0:
                continue
            condition = [slice(None)] * len(names)
            if "G" in names:  # P(one, two | G)
                condition[0] = slice(run.rows.codes["G"][n], run.rows.codes["G"][n] + 1)
            part = table[tuple(condition)]
            pair = np.einsum(part / part.sum(), range(len(names)), [*map(names.index, (one, two))])
            if one == "G":
                own = np.zeros_like(expected)
                own[codes["G"]] = pair
                pair = own
            wanted += weight * pair
            seen[codes[one], codes[two]] += weight
        np.testing.assert_allclose(expected, wanted, atol=1e-9)
        np.testing.assert_allclose(found.observed[one, two], seen)


def test_two_given_variables_have_no_residual_and_are_not_among_the_worst():
    graph = fg.BayesGraph(
        {"G": 2, "H": 2, "A": 2, "B": 2}, {"A": ["G", "H"], "B": "G"}, given=["G", "H"]
    )
    rng = np.random.default_rng(0)
    run = fg.fit(graph, {name: rng.integers(0, 2, 100) for name in "GHAB"}, restarts=1)
    found = fg.residuals(run)
    at = [found.names.index(name) for name in "GH"]
    assert np.isnan(found.values[at[0], at[1]])
    assert len(found.worst(99)) == 5
    assert "nan" not in repr(found)


def test_rows_of_errors_have_the_states_of_parents_and_child(learned):
    run, whole = learned
    for name, given, state, estimate, *_ in fg.standard_errors(run).rows():
        child = next(v for v, matrix in whole.theta.items() if matrix == name)
        parents = whole.parents[child]
        states = {
            v: list(whole.variables[v].states or range(b.size)) for v, b in whole.variables.items()
        }
        row = 0
        for parent, value in zip(
            parents, (given,) if len(parents) == 1 else given, strict=bool(parents)
        ):
            row = row * len(states[parent]) + states[parent].index(value)
        assert run.best_theta[name][row, states[child].index(state)] == estimate


def test_replicates_agree_with_the_information(learned):
    run, _ = learned
    one, two = fg.standard_errors(run), fg.bootstrap(run, n=100)
    ratios = [two.se[name] / one.se[name] for name in run.free]
    assert np.median(np.concatenate([r.ravel() for r in ratios])) == pytest.approx(1, abs=0.15)


def test_confused_states_take_errors_from_the_matrices_of_their_own_families_alone():
    graph = fg.BayesGraph(
        {"S": ("one", "two"), "A": 2, "B": 2, "C": 2, "D": 2},
        {"A": "S", "B": "S", "C": ["A", "B"], "D": ["B", "C"]},
    ).merged()
    rng = np.random.default_rng(1)
    noise = {name: rng.integers(0, 2, 400) for name in "ABCD"}
    hold = {"A|S": [True, True]}
    start = {"A|S": [[0.6, 0.4], [0.4, 0.6]]}
    run = fg.fit(
        graph, noise, restarts=1, theta={**fg.random_theta(graph, rng), **start}, hold=hold
    )
    found = fg.bootstrap(run, n=50)
    assert any("states one and two of S cannot be told apart" in w for w in found.warnings)
    assert not np.isnan(found.se["D|B,C"]).any()
    assert np.isnan(found.se["S"]).all()


def test_models_are_compared_and_tables_drawn_under_the_same_conditions():
    table = {"G": ["east"] * 60 + ["west"] * 60, **{k: [0, 1] * 60 for k in "ABC"}}

    def build(k):
        sizes = {"G": ("east", "west"), "S": k, "A": 2, "B": 2, "C": 2}
        return fg.BayesGraph(sizes, {"S": "G", "A": "S", "B": "S", "C": "S"}, given=["G"])

    found = fg.compare(build, table, (1, 2), folds=3, alpha=0.1, restarts=2)
    assert found.best("bic") == found.best("held_out") == 2
    test = fg.blrt(found.runs[1], found.runs[2], n=9, restarts=1)
    assert test.p == 0.1
    assert test.ratio > test.null.max()


def test_models_of_which_some_are_given_what_others_explain_are_not_compared():
    table = {"G": [0, 1] * 20, "A": [0, 1, 1, 0] * 10}
    sizes, parents = {"G": 2, "A": 2}, {"A": "G"}
    graphs = {"free": fg.BayesGraph(sizes, parents)}
    assert fg.compare(graphs, table, folds=0).notes == ()
    graphs["given"] = fg.BayesGraph(sizes, parents, given=["G"])
    (note,) = fg.compare(graphs, table, folds=0).notes
    assert "free: nothing; given: G" in note


def test_null_tables_keep_blanks_and_what_is_given():
    from fgnwidgets.analysis.simulating import simulated

    run = countries(300)
    rows, weight = simulated(run, 4, np.random.default_rng(0))
    kept = {"G": 3, "A": 2}
    for name, size in kept.items():
        own = run.rows.codes[name] if name == "G" else np.minimum(run.rows.codes[name], 0)
        new = rows.codes[name] if name == "G" else np.minimum(rows.codes[name], 0)
        for k in range(-1, size):
            np.testing.assert_allclose(
                weight[:, new == k].sum(axis=1), run.weight[own == k].sum(), atol=1
            )
    east = rows.codes["G"] == 0
    share = (weight * (rows.codes["B"] == 0))[:, east].sum(axis=1) / weight[:, east].sum(axis=1)
    p = fg.posterior(COUNTRY, run, {"G": "east"}, "B")[0, 0]
    np.testing.assert_allclose(share, p, atol=4 * np.sqrt(p * (1 - p) / 150))


def test_a_forest_that_is_merged_says_what_it_said_before():
    table = drawn(TWO, TRUE, 400, 3, "ABCD")
    one, two = (fg.fit(g, table, theta=TRUE, **SETTLED) for g in (TWO, TWO.merged()))
    assert repr(one.summary()) == repr(two.summary())
    assert repr(fg.identified(one)) == repr(fg.identified(two))
    assert repr(fg.standard_errors(one)) == repr(fg.standard_errors(two))
    assert repr(fg.bootstrap(one, n=20)) == repr(fg.bootstrap(two, n=20))
    assert repr(fg.residuals(one)) == repr(fg.residuals(two))


def test_the_profile_averages_over_what_is_given(learned):
    import matplotlib.pyplot as plt

    run, whole = learned
    axes = draw_profile(fg.standard_errors(run))
    lines = [line for line in axes.get_lines() if len(line.get_xdata())]
    names = [name for name in run.rows.variables if name != "G"]
    table = whole_table(whole, run.best_theta)
    if "G" in whole.variables:
        often = np.bincount(run.rows.codes["G"], run.weight, 3)
        table = table * (3 * often / run.n)[:, None, None, None, None, None]
    axis = list(whole.variables).index
    shown = [line.get_xdata() for line in lines]
    for k in range(2):
        for name in names:
            pair = np.einsum(table, range(table.ndim), [axis("S"), axis(name)])[k]
            own = (pair / pair.sum())[1 if len(pair) == 2 else 0 :]  # of two states, the second
            assert any(len(x) == len(own) and np.allclose(x, own, atol=1e-9) for x in shown), name
    plt.close(axes.figure)


def test_scores_and_online_learning_go_by_the_original_names(learned):
    run, whole = learned
    free = {"G": [[0.5, 0.3, 0.2]]} if "G" in whole.variables else {}
    graph, observed = whole.merged(), [name for name in whole.variables if name != "S"]
    table = drawn(graph, {**run.best_theta, **free}, 200, 1, observed)
    found = fg.score(run.graph, run, table, "S")
    np.testing.assert_allclose(found["S=1"], fg.posterior(run.graph, run, table, "S")[:, 1])
    start = run.best_theta
    *_, online = fg.learn_online(run.graph, [table], theta=start, step=1.0)
    *_, epoch = fg.epochs(run.graph, table, theta=start, n_epochs=1)
    for name, matrix in epoch.theta.items():
        np.testing.assert_allclose(online.theta[name], matrix)
