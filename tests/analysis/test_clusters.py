"""Errors of rows that belong together, beside differences of enumerated tables and by hand."""

import numpy as np
import pandas as pd
import pytest
from latent_classes import TRUE, TWO, drawn
from oracles import logs, places

import fgnwidgets as fg

SEEN = fg.BayesGraph({"X": 2}, {})
SETTLED = {"n_epochs": 20000, "tol": 1e-13, "restarts": 1}


def sandwich(run, table, weight, cluster):
    """``G / (G - 1) A^-1 B A^-1`` in the numbers of ``places``, by differences and loops."""
    at, e = places(run), 1e-4
    ups = [logs(run, table, (k, e)) for k in at]
    downs = [logs(run, table, (k, -e)) for k in at]
    score = np.stack([(u - d) / (2 * e) for u, d in zip(ups, downs, strict=True)], axis=1)
    bread = np.empty((len(at), len(at)))
    for i, a in enumerate(at):
        for j, b in enumerate(at[: i + 1]):
            corners = sum(
                s * t * (weight @ logs(run, table, (a, s * e), (b, t * e)))
                for s in (1, -1)
                for t in (1, -1)
            )
            bread[i, j] = bread[j, i] = -corners / (4 * e**2)
    groups = sorted(set(cluster[weight > 0]))  # who has no weight was not asked
    sums = [sum(weight[n] * score[n] for n in range(len(score)) if cluster[n] == g) for g in groups]
    mean = sum(sums) / len(groups)
    meat = sum(np.outer(u - mean, u - mean) for u in sums)
    inverse = np.linalg.inv(bread)
    return len(groups) / (len(groups) - 1) * inverse @ meat @ inverse


def household_table(seed=0, houses=60):
    """Answers of people who share their class with their household; some cells are blank."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, houses)
    house = rng.permutation(np.repeat(np.arange(houses), size))
    kind = (rng.random(houses) < 0.4).astype(int)[house]
    table = {
        v: (rng.random(len(house)) < np.array(TRUE[f"{v}|S"])[kind, 1]).astype(int) for v in "ABCD"
    }
    table = {v: np.where(rng.random(len(house)) < 0.1, -1, x) for v, x in table.items()}
    return table, house, rng.choice([0.0, 0.5, 1.5, 2.0], len(house))


TABLE, HOUSE, WEIGHT = household_table()
RUN = fg.fit(TWO, TABLE, theta=TRUE, weight=WEIGHT, **SETTLED)
RIGHT = sandwich(RUN, TABLE, WEIGHT, HOUSE)


def named(table, house, weight):
    """The table with a blank for -1, and words for the households."""
    columns = {v: [None if k < 0 else int(k) for k in x] for v, x in table.items()}
    return {**columns, "house": [f"no. {k}" for k in house], "w": weight.tolist()}


def forms():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    columns = named(TABLE, HOUSE, WEIGHT)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    frame = pd.DataFrame(columns).convert_dtypes()
    table = arrow.table(columns)
    connection = duckdb.connect()
    connection.register("people", table)
    yield "mapping", columns
    yield "rows", rows
    yield "pandas", frame
    yield "pandas with categories", frame.astype({"house": "category"})
    yield "pandas of Arrow", frame.convert_dtypes(dtype_backend="pyarrow")
    yield "polars", polars.DataFrame(columns)
    yield "Arrow", table
    yield "lazy polars", polars.LazyFrame(columns)
    yield "DuckDB", connection.table("people")


def test_cluster_errors_equal_those_from_differences_of_enumerated_tables_in_every_form():
    """With blanks, weights that are no counts, weights of zero and households in any order."""
    for form, table in forms():
        for columns in (None, [*"ABCD"]):
            found = fg.standard_errors(RUN, table, cluster="house", weight="w", columns=columns)
            for k, (name, x, y) in enumerate(places(RUN)):
                expected = np.sqrt(RIGHT[k, k])
                assert found.se[name][x, y] == pytest.approx(expected, rel=1e-4), form
                assert found.se[name][x, 1 - y] == pytest.approx(expected, rel=1e-4)
    arrays = fg.standard_errors(RUN, TABLE, cluster=HOUSE, weight=WEIGHT)
    flat = [k for k, (_, _, y) in enumerate(arrays.entries) if y == 0]
    np.testing.assert_allclose(arrays.cov_params()[np.ix_(flat, flat)], RIGHT, rtol=1e-3, atol=1e-7)
    assert f"{len(set(HOUSE[WEIGHT > 0]))} clusters" in arrays.how


def test_without_clusters_every_row_is_one_and_counts_are_as_many():
    each = np.arange(len(HOUSE))
    found = fg.standard_errors(RUN, TABLE, weight=WEIGHT)
    live = WEIGHT > 0
    kept = {v: x[live] for v, x in TABLE.items()}
    expected = sandwich(RUN, kept, WEIGHT[live], each[live])
    for k, (name, x, y) in enumerate(places(RUN)):
        assert found.se[name][x, y] == pytest.approx(np.sqrt(expected[k, k]), rel=1e-4)
    times = np.random.default_rng(1).integers(0, 4, len(HOUSE))
    short = fg.fit(TWO, TABLE, theta=TRUE, weight=times, **SETTLED)
    long = {v: np.repeat(x, times) for v, x in TABLE.items()}
    one = fg.standard_errors(short, TABLE, weight=times)
    two = fg.standard_errors(fg.fit(TWO, long, theta=TRUE, **SETTLED), long)
    np.testing.assert_allclose(one.cov_params(), two.cov_params(), rtol=1e-6)


def test_households_that_say_all_twice_have_the_errors_of_those_that_say_it_once():
    """And without clusters the errors of a table of twice the size, smaller by the root of two."""
    once = {v: x[:150] for v, x in TABLE.items()}
    one = fg.fit(TWO, once, theta=TRUE, **SETTLED)
    right = fg.standard_errors(one, once)
    for times in (2, 5):
        again = {v: np.tile(x, times) for v, x in once.items()}
        more = fg.fit(TWO, again, theta=TRUE, **SETTLED)
        found = fg.standard_errors(more, again, cluster=np.tile(np.arange(150), times))
        np.testing.assert_allclose(found.cov_params(), right.cov_params(), rtol=1e-5)
        alone, small = fg.standard_errors(one), fg.standard_errors(more)
        for name, se in small.se.items():
            np.testing.assert_allclose(np.sqrt(times) * se, alone.se[name], rtol=1e-5)


def share_error(x, w, house):
    """The error of a weighted share by hand, ``sqrt(G / (G - 1) sum_g (sum w (x - p))^2)``."""
    p = w @ x / w.sum()
    sums = pd.Series(w * (x - p)).groupby(house).sum().to_numpy()
    return np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum()) / w.sum()


def test_the_error_of_a_share_is_that_of_the_hand_formula_and_of_drawn_clusters():
    rng = np.random.default_rng(2)
    house = np.repeat(np.arange(200), 3)
    x = (rng.random(600) < rng.beta(1, 2, 200)[house]).astype(int)
    run = fg.fit(SEEN, {"X": x})
    expected = share_error(x, np.ones(600), house)
    assert fg.standard_errors(run, {"X": x}, cluster=house).se["X"][0, 1] == pytest.approx(expected)
    assert fg.standard_errors(run).se["X"][0, 1] < 0.9 * expected
    drawn_ones = fg.bootstrap(run, {"X": x, "h": house}, cluster="h", n=2000)
    assert drawn_ones.se["X"][0, 1] == pytest.approx(expected, rel=0.06)
    assert "200 clusters" in drawn_ones.how
    polars = pytest.importorskip("polars")
    lazy = fg.bootstrap(run, polars.LazyFrame({"X": x, "h": house}), cluster="h", n=2000)
    assert lazy.se["X"][0, 1] == pytest.approx(expected, rel=0.06)


def test_a_survey_has_the_errors_of_its_rows_whatever_the_scale_of_its_weights():
    rng = np.random.default_rng(5)
    x, w = (rng.random(300) < 0.3).astype(int), rng.gamma(1, 20, 300)
    expected = share_error(x, w, np.arange(300))
    for scale in (1.0, 0.05):
        run = fg.fit(SEEN, {"X": x}, weight=scale * w)
        found = fg.standard_errors(run, {"X": x}, weight=scale * w)
        assert found.se["X"][0, 1] == pytest.approx(expected)
        assert found.warnings == ()
        summed = fg.standard_errors(run)
        p = run.best_theta["X"][0, 1]
        assert summed.se["X"][0, 1] == pytest.approx(np.sqrt(p * (1 - p) / 300))
        assert "sum to the 300 rows" in summed.warnings[0]
        loose = fg.bootstrap(run, n=1000)
        assert loose.se["X"][0, 1] == pytest.approx(np.sqrt(p * (1 - p) / 300), rel=0.1)
        assert "the replicates have 300 samples" in loose.warnings[0]


def test_every_replicate_holds_whole_clusters():
    """Households whose members all agree: what is drawn of one is drawn of all."""
    house = np.repeat(np.arange(30), 4)
    x = (house % 3 == 0).astype(int)
    run = fg.fit(SEEN, {"X": x})
    found = fg.bootstrap(run, {"X": x}, cluster=house, n=50)
    times = found.replicates["X"][:, 0, 1] * 30  # of 30 households
    np.testing.assert_allclose(times, np.rint(times), atol=1e-6)
    assert len(set(np.rint(times))) > 4


def test_intervals_by_clusters_cover_the_truth_as_often_as_they_say_and_others_do_not():
    """Two classes; four people of a household share their class, which the model does not know."""
    truth = np.array(TRUE["S"])[0, 1]
    by_house, by_row, by_bend = [], [], []
    for seed in range(70):
        rng = np.random.default_rng(seed)
        house = np.repeat(np.arange(100), 4)
        kind = (rng.random(100) < truth).astype(int)[house]
        table = {
            v: (rng.random(400) < np.array(TRUE[f"{v}|S"])[kind, 1]).astype(int) for v in "ABCD"
        }
        run = fg.fit(TWO, table, theta=TRUE, restarts=1, n_epochs=3000, record=["loglik"])
        for found, into in (
            (fg.standard_errors(run, table, cluster=house), by_house),
            (fg.standard_errors(run, table), by_row),
            (fg.standard_errors(run), by_bend),
        ):
            low, high = found.interval()["S"][:, 0, 1]
            into.append(low <= truth <= high)
    assert 0.89 < np.mean(by_house) < 0.99
    assert np.mean(by_row) < 0.87
    assert np.mean(by_bend) < 0.87


def test_with_pseudo_counts_the_derivatives_are_taken_about_their_mean():
    """By hand: p is (k + a) / (n + 2 a), and only k varies from table to table."""
    x = np.array([1] * 10 + [0] * 90)
    found = fg.standard_errors(fg.fit(SEEN, {"X": x}, alpha=50.0), {"X": x})
    expected = np.sqrt(100 / 99 * 100 * 0.1 * 0.9) / (100 + 2 * 50)
    assert found.se["X"][0, 1] == pytest.approx(expected)


def test_few_clusters_are_told_and_what_cannot_be_mapped_is_refused():
    found = fg.standard_errors(RUN, TABLE, weight=WEIGHT, cluster=HOUSE % 7)
    assert "only 7 clusters" in found.warnings[0]
    with pytest.raises(ValueError, match="a loglik of .* the table that the run learned from"):
        fg.standard_errors(RUN, {**TABLE, "A": TABLE["A"][::-1]}, weight=WEIGHT, cluster=HOUSE)
    with pytest.raises(ValueError, match="cluster has 3 cells: expected"):
        fg.standard_errors(RUN, TABLE, weight=WEIGHT, cluster=[1, 2, 3])
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame(named(TABLE, HOUSE, WEIGHT))
    with pytest.raises(ValueError, match="lazy, and its engine sums .*collect the table first"):
        fg.standard_errors(RUN, lazy, weight="w", columns=[*"ABCD"])
    with pytest.raises(ValueError, match="no places, so clusters are a column of it"):
        fg.standard_errors(RUN, lazy, weight="w", columns=[*"ABCD"], cluster=HOUSE)
    with pytest.raises(ValueError, match="evidence that was read already"):
        fg.standard_errors(RUN, fg.read_evidence(TWO, TABLE), weight=WEIGHT, cluster="house")
    read = fg.standard_errors(RUN, fg.read_evidence(TWO, TABLE), weight=WEIGHT, cluster=HOUSE)
    np.testing.assert_allclose(
        read.cov_params(), fg.standard_errors(RUN, TABLE, weight=WEIGHT, cluster=HOUSE).cov_params()
    )


def test_the_cluster_may_be_a_variable_of_the_graph():
    """A region that the model is given, in which rows also belong together."""
    graph = fg.BayesGraph({"region": ("a", "b", "c"), "X": 2}, {"X": "region"}, given=["region"])
    rng = np.random.default_rng(0)
    region = np.repeat(["a", "b", "c"], 40)
    table = {"region": region.tolist(), "X": rng.integers(0, 2, 120)}
    run = fg.fit(graph, table)
    one = fg.standard_errors(run, table, cluster="region")
    two = fg.standard_errors(run, table, cluster=region)
    np.testing.assert_allclose(one.cov_params(), two.cov_params())
    assert one.se["X|region"].max() < 1e-6  # every region is fitted by numbers of its own


def test_sequences_of_a_person_belong_together():
    """A long chain by rows of persons: errors as of persons who each said one thing five times."""
    graph = fg.hmm(2, 2, 4)
    theta = {
        "start": np.array([[0.6, 0.4]]),
        "transition": np.array([[0.8, 0.2], [0.3, 0.7]]),
        "emission": np.array([[0.9, 0.1], [0.2, 0.8]]),
    }
    once = drawn(graph, theta, 150, 0, [f"X{t}" for t in range(1, 5)])
    again = {v: np.repeat(x, 3) for v, x in once.items()}
    one = fg.fit(graph, once, theta=theta, **SETTLED)
    more = fg.fit(graph, again, theta=theta, **SETTLED)
    right = fg.standard_errors(one, once)
    found = fg.standard_errors(more, again, cluster=np.repeat(np.arange(150), 3))
    for name, se in right.se.items():
        np.testing.assert_allclose(found.se[name], se, rtol=1e-4)
        assert not np.isnan(se).any()
