"""Weights of a survey are no counts: no statistic may depend on their scale."""

import warnings

import numpy as np
import pytest
from latent_classes import ITEMS, TRUE, TWO, classes, drawn

import fgnwidgets as fg

TABLE = drawn(TWO, TRUE, 300, 5, "ABCD")
WEIGHT = np.random.default_rng(5).gamma(2, 0.5, 300)
WEIGHT = WEIGHT / WEIGHT.mean()
ONE, OPTIONS = classes(1, ITEMS), {"restarts": 4, "seed": 0, "tol": 1e-10, "n_epochs": 5000}


def both(weight, **more):
    return [fg.fit(graph, TABLE, weight=weight, **OPTIONS, **more) for graph in (ONE, TWO)]


def test_the_ratio_test_says_the_same_for_every_multiple_of_the_weights():
    how = {
        "n": 4,
        "restarts": 2,
        "tol": 1e-12,
        "n_epochs": 20_000,
    }  # else they settle at 1e-6 a row
    small, big = (
        fg.blrt(*both(WEIGHT), **how),
        fg.blrt(*both(20 * WEIGHT), **how),
    )
    assert big.ratio == pytest.approx(small.ratio, rel=1e-6)
    np.testing.assert_allclose(big.null, small.null, rtol=0, atol=1e-6)
    assert big.p == small.p
    assert "multiplied by 0.05, so that they sum to the 300 rows" in big.warnings[0]
    assert "sum to the 300 rows" in repr(big)
    plain = fg.blrt(*both(None), n=2, restarts=2)
    assert plain.warnings == ()


def test_a_table_without_classes_is_not_found_to_have_some_because_weights_are_large():
    rng = np.random.default_rng(0)
    noise = {v: rng.integers(0, 2, 200) for v in "ABCD"}
    w = 20 * rng.gamma(3, 1 / 3, 200)
    runs = [fg.fit(graph, noise, weight=w, restarts=5) for graph in (ONE, TWO)]
    assert fg.blrt(*runs, n=19, restarts=3).p > 0.05
    taken = [fg.fit(graph, noise, weight=np.rint(w), restarts=5) for graph in (ONE, TWO)]
    assert fg.blrt(*taken, n=19, restarts=3).p == pytest.approx(0.05)  # as counts they would be


def test_residuals_say_the_same_for_every_multiple_of_the_weights():
    one, twenty = (fg.residuals(both(s * WEIGHT)[0]) for s in (1.0, 20.0))
    np.testing.assert_allclose(twenty.values, one.values, rtol=1e-6)
    np.testing.assert_allclose(twenty.observed["A", "B"].sum(), 300)
    assert "sum to the 300 rows" in twenty.warnings[0]
    x, y = TABLE["A"], TABLE["B"]
    seen = np.array([[WEIGHT[(x == a) & (y == b)].sum() for b in (0, 1)] for a in (0, 1)])
    model = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / 300
    assert one.values[0, 1] == pytest.approx(((seen - model) ** 2 / model).sum(), rel=1e-6)
    assert fg.residuals(both(None)[0]).warnings == ()


def test_a_summary_says_how_to_scale_weights_and_scaled_ones_give_the_criteria_of_the_rows():
    twenty = both(20.0 * WEIGHT)[1].summary()
    note = next(note for note in twenty.warnings if "the model that they choose" in note)
    factor = float(note.split("multiply them by ")[1].split(" ")[0])
    assert factor == pytest.approx(0.05, rel=1e-3) and "the 300 rows" in note
    scaled = both(factor * 20.0 * WEIGHT)[1].summary()
    assert scaled.bic == pytest.approx(both(WEIGHT)[1].summary().bic, rel=1e-3)
    assert not any("the model that they choose" in note for note in scaled.warnings)


def test_whole_weights_can_be_said_to_be_a_surveys():
    """100 for everyone: with ``survey=True`` all is as without weights, but for a warning."""
    hundred, plain = both(np.full(300, 100.0), survey=True), both(None)
    one, two = fg.blrt(*hundred, n=4, restarts=2), fg.blrt(*plain, n=4, restarts=2)
    assert one.ratio == pytest.approx(two.ratio, rel=1e-6)
    assert one.p == two.p
    np.testing.assert_allclose(
        fg.residuals(hundred[0]).values, fg.residuals(plain[0]).values, rtol=1e-6
    )
    for name, se in fg.standard_errors(plain[1]).se.items():
        np.testing.assert_allclose(fg.standard_errors(hundred[1]).se[name], se, rtol=1e-4)
        drawn_ones = fg.bootstrap(hundred[1], n=50).se[name]
        np.testing.assert_allclose(fg.bootstrap(plain[1], n=50).se[name], drawn_ones, rtol=1e-4)
    assert any("no counts" in w for w in hundred[1].summary().warnings)
    with pytest.raises(ValueError, match="weights that are counts of equal rows and a survey's"):
        fg.blrt(both(np.full(300, 100.0))[0], hundred[1])
    with pytest.raises(ValueError, match="survey is True without weights"):
        fg.fit(TWO, TABLE, survey=True)


@pytest.mark.parametrize("form", ["mapping", "pandas", "polars", "lazy", "duckdb", "arrow"])
def test_the_rows_of_a_survey_are_counted_wherever_they_lie(form):
    """Those with a weight above zero, also where an engine has summed the weights of equal ones."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb, arrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    w = np.where(np.arange(300) % 10 == 0, 0.0, WEIGHT)
    columns = {**{v: x.tolist() for v, x in TABLE.items()}, "w": w.tolist()}
    connection = duckdb.connect()
    connection.register("people", arrow.table(columns))
    table = {
        "mapping": columns,
        "pandas": pandas.DataFrame(columns),
        "polars": polars.DataFrame(columns),
        "lazy": polars.LazyFrame(columns),
        "duckdb": connection.table("people"),
        "arrow": arrow.table(columns),
    }[form]
    run = fg.fit(ONE, table, weight="w")
    assert run.n_rows == 270
    assert not run.counted
    assert fg.residuals(run).observed["A", "B"].sum() == pytest.approx(270)
    compared = fg.compare({1: ONE}, table, weight="w", folds=0, restarts=1, survey=True)
    assert compared.runs[1].n_rows == 270


def test_the_criteria_of_the_estimator_take_weights():
    pytest.importorskip("sklearn")
    from fgnwidgets.sklearn import LatentClass

    X = np.stack([TABLE[v] for v in "ABCD"], axis=1)
    times = np.random.default_rng(0).integers(0, 4, 300)
    model = LatentClass(2, alpha=0.0, random_state=0).fit(X, sample_weight=times)
    logs = model.score_samples(X)
    loglik, n = times @ logs, times.sum()
    assert model.bic(X, times) == pytest.approx(-2 * loglik + model.run_.n_free * np.log(n))
    assert model.aic(X, sample_weight=times) == pytest.approx(-2 * loglik + 2 * model.run_.n_free)
    assert model.bic(X, times) == pytest.approx(model.bic(np.repeat(X, times, axis=0)))
    assert model.aic(X, times) == pytest.approx(model.run_.aic)
    with pytest.warns(UserWarning, match="no counts of equal rows: it was multiplied by 0.05"):
        large = model.bic(X, 20 * WEIGHT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.bic(X, WEIGHT) == pytest.approx(large)
        assert model.aic(X, WEIGHT) == pytest.approx(-2 * WEIGHT @ logs + 2 * model.run_.n_free)
    with pytest.raises(ValueError, match="at least one non-zero"):
        model.bic(X, np.zeros(300))
