"""Standard errors beside second differences of enumerated tables, replicates, and known truth."""

import numpy as np
import pytest
from latent_classes import TRUE, TWO, classes, drawn, slides
from oracles import joint

import fgnwidgets as fg


def enumerated_loglik(run, theta):
    """``sum w log P(row)`` from the whole joint table, blanks summed out."""
    whole, names = joint(run.graph, theta), list(run.graph.variables)
    total = 0.0
    for n, weight in enumerate(run.weight):
        at = tuple(
            int(run.rows.codes[v][n]) if v in run.rows.codes and run.rows.codes[v][n] >= 0
            else slice(None)
            for v in names
        )  # fmt: skip
        total += weight * np.log(np.sum(whole[at]))
    return total


def errors_by_differences(run):
    """The inverse of minus the second differences in the first K - 1 numbers of every row."""
    theta = {name: np.array(m) for name, m in run.best_theta.items()}
    places = [
        (name, x, y) for name, m in theta.items() for x, y in np.ndindex(len(m), m.shape[1] - 1)
    ]

    def at(*steps):
        moved = {name: m.copy() for name, m in theta.items()}
        for k, step in steps:
            name, x, y = places[k]
            moved[name][x, y] += step
            moved[name][x, -1] -= step
        return enumerated_loglik(run, moved)

    e, size = 1e-4, len(places)
    second = np.empty((size, size))
    for i in range(size):
        for j in range(i + 1):
            corners = (at((i, a), (j, b)) * a * b for a in (e, -e) for b in (e, -e))
            second[i, j] = second[j, i] = sum(corners) / (4 * e**4)
    return dict(zip(places, np.sqrt(np.diag(np.linalg.inv(-second))), strict=True))


def blanked(table, part, seed=1):
    rng = np.random.default_rng(seed)
    return {k: np.where(rng.random(len(v)) < part, -1, v) for k, v in table.items()}


def equal_differences(run):
    found = fg.standard_errors(run)
    for (name, x, y), expected in errors_by_differences(run).items():
        assert found.se[name][x, y] == pytest.approx(expected, rel=2e-4), (name, x, y)


SEEN = fg.BayesGraph({"X": 2}, {})
SETTLED = {"n_epochs": 20000, "tol": 1e-13}


def test_errors_of_two_classes_with_blanks_equal_second_differences():
    table = blanked(drawn(TWO, TRUE, 400, 3, "ABCD"), 0.1)
    equal_differences(fg.fit(TWO, table, restarts=3, **SETTLED))


def test_errors_of_tied_blocks_and_of_a_product_space_equal_second_differences():
    sizes = {"R0": 2, "R1": 2, "R2": 2, "U0": 3, "U1": 3, "U2": 3}
    parents = {"R1": "R0", "R2": "R1", "U0": "R0", "U1": "R1", "U2": "R2"}
    tied = {"R1": "move", "R2": "move", "U0": "see", "U1": "see", "U2": "see"}
    chain = fg.BayesGraph(sizes, parents, theta=tied)
    theta = {
        "R0": [[0.6, 0.4]],
        "move": [[0.8, 0.2], [0.3, 0.7]],
        "see": [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]],
    }
    table = drawn(chain, theta, 1500, 0, ["U0", "U1", "U2"])
    equal_differences(fg.fit(chain, table, theta=theta, restarts=1, **SETTLED))
    both = fg.BayesGraph({"X": 2, "Y": 2, "Z": 2, "V": 2}, {"Z": ["X", "Y"], "V": "Z"})
    rng = np.random.default_rng(0)
    table = {"X": rng.integers(0, 2, 300), "Y": rng.integers(0, 2, 300)}
    table["Z"] = (rng.random(300) < 0.2 + 0.3 * table["X"] + 0.2 * table["Y"]).astype(int)
    table["V"] = (rng.random(300) < 0.3 + 0.4 * table["Z"]).astype(int)
    equal_differences(fg.fit(both, blanked(table, 0.05), restarts=1, **SETTLED))


def test_a_table_that_is_seen_whole_has_the_binomials_errors():
    graph = fg.BayesGraph({"X": 2, "Y": 3}, {"Y": "X"})
    table = {"X": [0] * 40 + [1] * 60, "Y": [0] * 10 + [1] * 30 + [2] * 20 + [0] * 30 + [1] * 10}
    found = fg.standard_errors(fg.fit(graph, table))
    counts = np.array([[10, 30, 0], [30, 10, 20]])
    p = counts / counts.sum(axis=1, keepdims=True)
    expected = np.sqrt(p * (1 - p) / counts.sum(axis=1, keepdims=True))
    assert found.se["X"][0, 0] == pytest.approx(np.sqrt(0.4 * 0.6 / 100))
    np.testing.assert_allclose(found.se["Y|X"][1], expected[1], rtol=1e-8)
    np.testing.assert_allclose(found.se["Y|X"][0, :2], expected[0, :2], rtol=1e-8)
    assert np.isnan(found.se["Y|X"][0, 2])
    assert found.why["Y|X"][0].tolist() == ["", "", "on its bound"]


def test_numbers_on_their_bounds_have_no_error_and_say_so():
    run = slides(3, tol=1e-12)
    found = fg.standard_errors(run)
    for name, theta in run.best_theta.items():
        on = (theta < 1e-4) | (theta > 1 - 1e-4)
        assert np.array_equal(np.isnan(found.se[name]), on), name
        assert set(found.why[name][on].tolist()) <= {"on its bound"}
    assert "on its bound" in repr(found)


def test_near_its_bound_a_number_has_no_interval_over_nearly_everything_but_is_marked():
    """Of the error by second differences; the replicates then say how far the number reaches."""
    truth = {**TRUE, "A|S": [[0.99, 0.01], [0.1, 0.9]], "B|S": [[0.9, 0.1], [0.02, 0.98]]}
    table = drawn(TWO, truth, 200, 142, "ABCD")
    run = fg.fit(TWO, table, theta=truth, restarts=1, **SETTLED)
    found, marked = fg.standard_errors(run), []
    for (name, x, y), error in errors_by_differences(run).items():
        p = run.best_theta[name][x, y]
        if error / (p * (1 - p)) > 2:  # of log(p / (1 - p)), which says too little
            marked.append((name, x))
            assert found.why[name][x].tolist() == ["near its bound: bootstrap"] * 2
            assert np.isnan(found.interval()[name][:, x]).all()
            low, high = fg.bootstrap(run, n=200).interval()[name][:, x, y]
            assert low <= p <= high < low + 0.1
        else:
            assert found.why[name][x].tolist() == ["", ""]
            low, high = found.interval()[name][:, x, y]
            assert high - low < 0.25
    assert marked == [("A|S", 0)]
    assert "near its bound: bootstrap" in repr(found)


def test_one_sample_of_many_is_enough_for_an_interval_near_the_bound():
    found = fg.standard_errors(fg.fit(SEEN, {"X": [0] * 999 + [1]}))
    assert found.se["X"][0, 1] == pytest.approx(np.sqrt(0.001 * 0.999 / 1000))
    low, high = found.interval()["X"][:, 0, 1]
    assert low < 0.001 < high < 0.01


def test_the_prior_of_pseudo_counts_counts_so_nothing_is_on_a_bound():
    run = slides(3, alpha=0.5, **SETTLED)
    found = fg.standard_errors(run)
    assert not any(np.isnan(se).any() for se in found.se.values())
    loose = fg.standard_errors(slides(3, alpha=5.0, **SETTLED))
    assert loose.se["S"].max() < found.se["S"].max()


def test_what_the_data_cannot_fix_has_no_error():
    sizes = {"A": 2, "B": 2}
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 300)
    table = {"A": a, "B": np.where(rng.random(300) < 0.8, a, 1 - a)}
    run = fg.fit(classes(2, sizes), table)
    for found in (fg.standard_errors(run), fg.bootstrap(run, table, n=20)):
        assert all(np.isnan(se).all() for se in found.se.values())
        assert "the data cannot fix it" in set(found.why["S"].ravel().tolist())
        assert any("only 3" in w for w in found.warnings)


def test_held_and_fixed_numbers_are_said_not_to_be_learned():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    hold = {"A|S": [True, False]}
    run = fg.fit(TWO, table, theta=TRUE, hold=hold, restarts=1, **SETTLED)
    for found in (fg.standard_errors(run), fg.bootstrap(run, n=20)):
        assert found.why["A|S"].tolist() == [["not learned"] * 2, ["", ""]]
        assert np.isnan(found.se["A|S"][0]).all()
    assert (fg.bootstrap(run, n=20).replicates["A|S"][:, 0] == TRUE["A|S"][0]).all()


def test_a_run_that_is_not_settled_says_what_it_could_still_gain():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    early = fg.standard_errors(fg.fit(TWO, table, n_epochs=3, restarts=1))
    assert any("could still rise" in w for w in early.warnings)
    late = fg.standard_errors(fg.fit(TWO, table, **SETTLED))
    assert late.warnings == ()


SURVEY = [[0] * 250 + [1] * 150, np.random.default_rng(5).uniform(0.3, 2.5, 400)]


def test_weights_that_are_no_counts_are_said_in_the_errors_and_in_the_summary():
    (x, w), says = SURVEY, "weights are no counts of equal rows"
    halves = {"X": [0, 0, 1, 1], "w": [0.5, 0.5, 1.5, 1.5]}  # whole once equal rows are folded
    for run in (
        fg.fit(SEEN, {"X": x}, weight=w),
        fg.fit(SEEN, {"X": x, "w": w}, columns=["X"], weight="w"),
        fg.fit(SEEN, halves, columns=["X"], weight="w"),
        fg.fit(SEEN, {"X": x}, weight=w, starts=4, keep=2),
    ):
        for told in (fg.standard_errors(run), run.summary()):
            assert [
                says in note and "bootstrap(run, table" in note for note in told.warnings
            ].count(True) == 1
            assert says in repr(told)
    for weight in (None, np.arange(400) % 3, np.full(400, 100.0)):
        run = fg.fit(SEEN, {"X": x}, weight=weight)
        assert says not in repr(fg.standard_errors(run)) + repr(run.summary())


def test_replicates_of_a_survey_are_of_its_rows_with_their_weights():
    """Beside the error of a weighted share: sqrt(sum w^2 (x - p)^2) / sum w."""
    x, w = np.array(SURVEY[0]), SURVEY[1]
    p = w @ x / w.sum()
    expected = np.sqrt((w**2 * (x - p) ** 2).sum()) / w.sum()
    for scale in (1.0, 37.7):  # of the errors no part
        run = fg.fit(SEEN, {"X": x}, weight=scale * w)
        found = fg.bootstrap(run, {"X": x, "w": scale * w}, columns=["X"], weight="w", n=1000)
        assert found.se["X"][0, 0] == pytest.approx(expected, rel=0.08)
        assert found.warnings == ()
        gone = fg.bootstrap(run, n=20)
        assert any("rows that they were summed over are gone" in note for note in gone.warnings)


def test_a_survey_that_lies_elsewhere_is_summed_there_and_its_replicates_say_so():
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame({"X": SURVEY[0], "w": SURVEY[1]})
    run = fg.fit(SEEN, lazy, weight="w")
    assert any("whole" in note for note in fg.standard_errors(run).warnings)
    found = fg.bootstrap(run, lazy, weight="w", n=20)
    assert any("in memory" in note for note in found.warnings)


def test_other_rules_have_no_information_and_are_sent_to_the_bootstrap():
    run = fg.fit(TWO, drawn(TWO, TRUE, 300, 0, "ABCD"), "vit")
    with pytest.raises(ValueError, match="bootstrap"):
        fg.standard_errors(run)
    assert fg.bootstrap(run, n=10).replicates["S"].shape == (10, 1, 2)


def test_intervals_cover_the_truth_as_often_as_they_say_and_halves_do_not():
    theta = {name: np.array(m) for name, m in TRUE.items()}
    hits, half = [], []
    for seed in range(120):
        table = drawn(TWO, TRUE, 500, seed, "ABCD")
        run = fg.fit(TWO, table, theta=theta, restarts=1, n_epochs=3000, record=["loglik"])
        errors = fg.standard_errors(run)
        for name, truth in theta.items():
            for level, into in ((0.95, hits), (0.67, half)):
                low, high = errors.interval(level)[name]
                into += ((low <= truth) & (truth <= high))[:, 0].tolist()
    assert 0.92 < np.mean(hits) < 0.97
    assert not 0.92 < np.mean(half) < 0.97


def test_replicates_agree_with_the_information_where_the_model_is_right():
    run = fg.fit(TWO, drawn(TWO, TRUE, 1000, 1, "ABCD"), **SETTLED)
    one, two = fg.standard_errors(run), fg.bootstrap(run, n=300)
    for name in run.free:
        np.testing.assert_allclose(two.se[name], one.se[name], rtol=0.2)
        assert two.interval()[name].shape == (2, *run.free[name].shape)
        inside = two.interval()[name]
        assert ((inside[0] < run.best_theta[name]) & (run.best_theta[name] < inside[1])).all()


def test_each_replicate_is_what_fit_finds_on_its_own_drawn_table():
    table = drawn(TWO, TRUE, 500, 1, "ABCD")
    run = fg.fit(TWO, table, **SETTLED)
    found = fg.bootstrap(run, table, n=3, seed=4, tol=1e-10, n_epochs=3000)
    rng = np.random.default_rng(np.random.SeedSequence(4).spawn(1)[0])
    weight = rng.multinomial(500, run.weight / 500, size=3)
    for r in range(3):
        own = fg.fit(TWO, run.rows, theta=run.best_theta, weight=weight[r], restarts=1, **SETTLED)
        for name, m in own.best_theta.items():
            np.testing.assert_allclose(found.replicates[name][r], m, atol=1e-4)


def test_a_table_given_anew_is_the_table_of_the_run():
    table = drawn(TWO, TRUE, 200, 1, "ABCD")
    run = fg.fit(TWO, table)
    one, two = fg.bootstrap(run, table, n=5), fg.bootstrap(run, n=5)
    np.testing.assert_allclose(one.replicates["S"], two.replicates["S"])


def test_replicates_of_another_table_or_of_other_weights_are_refused():
    table = drawn(TWO, TRUE, 200, 1, "ABCD")
    rng = np.random.default_rng(0)
    weight, others = rng.choice([0.5, 1.5], 200), rng.permutation(200)
    run = fg.fit(TWO, table, weight=weight)
    shuffled = {name: column[others] for name, column in table.items()}
    fg.bootstrap(run, shuffled, n=2, weight=weight[others])  # the same rows in another order
    with pytest.raises(ValueError, match="a sum of weights of 200, and the run's had .*: expected"):
        fg.bootstrap(run, table, n=5)
    with pytest.raises(ValueError, match="a loglik of .*the table that the run learned from"):
        fg.bootstrap(run, shuffled, n=5, weight=weight)


def test_states_that_a_replicate_numbers_otherwise_are_numbered_back():
    from fgnwidgets.analysis.replicates import _matched

    run = fg.fit(TWO, drawn(TWO, TRUE, 500, 1, "ABCD"))
    swapped = fg.relabel(TWO, run.best_theta, "S", [1, 0])
    final = {k: np.stack([m, swapped[k], m]) for k, m in run.best_theta.items()}
    matched, confused = _matched(run, final)
    for name, m in run.best_theta.items():
        np.testing.assert_array_equal(matched[name], np.stack([m, m, m]))
    assert confused == {}


def test_states_that_cannot_be_told_apart_have_no_errors_and_are_named():
    rng = np.random.default_rng(1)
    sizes = dict.fromkeys("ABCDE", 2)
    noise = {name: rng.integers(0, 2, 500) for name in sizes}  # no classes are in it
    run = fg.fit(classes(2, sizes), noise, n_epochs=3000)
    found = fg.bootstrap(run, n=100)
    assert "states 0 and 1 of S cannot be told apart" in found.warnings[0]
    assert all(np.isnan(se).all() for se in found.se.values())
    true = {**TRUE, "E|S": [[0.6, 0.4], [0.2, 0.8]]}
    graph = classes(2, sizes)
    clear = fg.bootstrap(fg.fit(graph, drawn(graph, true, 500, 0, sizes)), n=100)
    assert clear.warnings == ()


@pytest.mark.parametrize("order", [[1, 2, 0], [2, 0, 1], [0, 2, 1]])
def test_of_three_states_turned_round_in_a_replicate_none_is_said_to_be_confused(order):
    """A cycle is not its own inverse, as a swap of two states is."""
    from fgnwidgets.analysis.replicates import _matched

    graph = fg.BayesGraph({"S": 3, **dict.fromkeys("ABC", 3)}, dict.fromkeys("ABC", "S"))
    theta = {name: 0.9 * np.eye(3) + 0.1 / 3 for name in ("A|S", "B|S", "C|S")}
    theta["S"] = np.array([[0.5, 0.3, 0.2]])
    table = fg.sample(graph, theta, 600, np.random.default_rng(0))
    run = fg.fit(graph, {name: table[name] for name in "ABC"}, theta=theta, restarts=1)
    turned = fg.relabel(graph, run.best_theta, "S", order)
    matched, confused = _matched(
        run, {k: np.stack([turned[k], m]) for k, m in run.best_theta.items()}
    )
    assert confused == {}
    for name, m in run.best_theta.items():
        np.testing.assert_allclose(matched[name], np.stack([m, m]))
