"""Three-step analyses: beside StepMix, beside plain likelihoods, and where the truth is known."""

import math

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tiers import mostly_slow, slow

import fgnwidgets as fg
from fgnwidgets.algebra.chi2 import chi2_sf
from fgnwidgets.analysis import three_step as steps

ITEMS = list("ABCDEF")
P = np.array([[0.8] * 6, [0.2] * 6, [0.8, 0.8, 0.8, 0.2, 0.2, 0.2]])
"""P(1 | class) of six items; about one slide in five is assigned to a wrong class."""

MEANS, SPREAD = np.array([0.0, 1.0, 3.0]), np.array([0.5, 1.0, 1.5])
LEVELS = np.array([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4], [0.1, 0.2, 0.7]])
SLOPES = np.array([[0, 0, 0], [-0.5, 0.05, 0.0], [0.3, 0.0, -0.8]])
"""log-odds of the class against class 0: intercept, age - 40, man."""


def drawn(n, seed, *, related=True):
    rng = np.random.default_rng(seed)
    age, man = rng.normal(40, 10, n), rng.integers(0, 2, n)
    eta = np.column_stack([np.ones(n), age - 40, man]) @ (SLOPES * (1 if related else [1, 0, 0])).T
    p = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    x = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    answers = (rng.random((n, 6)) < P[x]).astype(int)
    of = x if related else rng.integers(0, 3, n)
    levels = (LEVELS[of].cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return pd.DataFrame(answers, columns=ITEMS).assign(
        income=rng.normal(MEANS[of], SPREAD[of]),
        grade=pd.Categorical.from_codes(levels, ["low", "middle", "high"]),
        age=age,
        sex=np.array(["f", "m"])[man],
        truth=x,
    )


GRAPH = fg.BayesGraph({"S": 3, **dict.fromkeys(ITEMS, 2)}, dict.fromkeys(ITEMS, "S"))
THETA = {"S": np.array([[0.4, 0.3, 0.3]]), **{
    f"{v}|S": np.column_stack([1 - P[:, k], P[:, k]]) for k, v in enumerate(ITEMS)}}  # fmt: skip


def learned(table, **options):
    options = {"n_epochs": 5000, "tol": 1e-11, **options}
    return fg.fit(GRAPH, table, columns=ITEMS, theta=THETA, restarts=1, **options)


TABLE = drawn(2000, 3)
RUN = learned(TABLE)
GRADES = TABLE["grade"].cat.codes.to_numpy()[:, None]


KINDS = {
    "list of dicts": lambda frame: frame.to_dict("records"),
    "nullable pandas": lambda frame: frame.convert_dtypes(),
    "Arrow pandas": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas,
    "lazy polars": lambda frame: pl.from_pandas(frame).lazy(),
    "Arrow": lambda frame: pl.from_pandas(frame).to_arrow(),
    "DuckDB": lambda frame: pytest.importorskip("duckdb").from_arrow(
        pl.from_pandas(frame).to_arrow()
    ),
    "Dask": lambda frame: dd.from_pandas(frame, npartitions=3),
}


# Beside StepMix


@pytest.fixture(scope="module")
def stepmix():
    pytest.importorskip("stepmix")
    from stepmix.stepmix import StepMix

    def asked(structural, correction, outside, assignment, **options):
        model = StepMix(
            n_components=3, n_steps=3, measurement="binary", structural=structural,
            correction=correction, assignment=assignment, random_state=0, n_init=4,
            max_iter=20_000, abs_tol=1e-12, rel_tol=0, progress_bar=0,
            structural_params=options,
        )  # fmt: skip
        model.fit(TABLE[ITEMS].to_numpy(), outside)
        pis = model._mm.parameters["pis"]
        order = [int(np.abs(pis - row).sum(axis=1).argmin()) for row in P]
        return model._sm.parameters, order

    return asked


@pytest.mark.parametrize("assignment", mostly_slow(["modal", "soft"], "modal"))
def test_bch_means_and_proportions_are_those_of_stepmix(stepmix, assignment):
    ours = {"assignment": "proportional" if assignment == "soft" else "modal", "correction": "bch"}
    theirs, order = stepmix("gaussian_unit", "BCH", TABLE[["income"]].to_numpy(), assignment)
    found = fg.three_step(RUN, TABLE, "income", **ours)
    np.testing.assert_allclose(found.estimate, theirs["means"][order], atol=2e-4)
    theirs, order = stepmix("categorical", "BCH", GRADES, assignment)
    found = fg.three_step(RUN, TABLE, "grade", **ours)
    np.testing.assert_allclose(found.estimate, theirs["pis"][order], atol=2e-4)


def test_ml_proportions_are_those_of_stepmix(stepmix):
    theirs, order = stepmix("categorical", "ML", GRADES, "modal")
    found = fg.three_step(RUN, TABLE, "grade")
    np.testing.assert_allclose(found.estimate, theirs["pis"][order], atol=2e-4)


def test_ml_means_are_near_those_of_stepmix_which_holds_the_shares_of_the_first_step(stepmix):
    theirs, order = stepmix("gaussian_diag", "ML", TABLE[["income"]].to_numpy(), "modal")
    found = fg.three_step(RUN, TABLE, "income")
    np.testing.assert_allclose(found.estimate, theirs["means"][order], atol=0.1)


@pytest.mark.parametrize("correction", ["ML", "BCH"])
def test_logits_are_those_of_stepmix(stepmix, correction):
    outside = np.column_stack([TABLE["age"], TABLE["sex"] == "m"]).astype(float)
    theirs, order = stepmix("covariate", correction, outside, "modal", max_iter=100, tol=1e-10)
    beta = theirs["beta"][order] - theirs["beta"][order[0]]
    found = fg.three_step(RUN, TABLE, covariates=["age", "sex"], correction=correction.lower())
    assert found.terms == ("intercept", "age", "sex=m")
    np.testing.assert_allclose(found.estimate, beta, atol=2e-3)


# Beside plain likelihoods


def assignment_of(run, table, how):
    p = fg.posterior(GRAPH, run.best_theta, table[ITEMS], "S")
    a = np.eye(3)[p.argmax(axis=1)] if how == "modal" else p
    return a, (p.T @ a) / p.sum(axis=0)[:, None]


def derivatives(each, at):
    """The first derivatives of every term of a sum, and the second ones of the sum."""
    steps = 1e-4 * np.eye(len(at)) * np.maximum(np.abs(at), 0.1)
    slope = [(each(at + s) - each(at - s)) / (2 * s.sum()) for s in steps]
    bent = np.zeros((len(at), len(at)))
    for j, one in enumerate(steps):
        for k, two in enumerate(steps):
            ends = [sum(each(at + i * one + m * two)) * i * m for i in (1, -1) for m in (1, -1)]
            bent[j, k] = sum(ends) / (4 * one.sum() * two.sum())
    return np.stack(slope, axis=-1), bent


def plain(table, run, how, density):
    """The log-likelihood of each sample from the definition, of ``density(phi) (N, K)``."""
    a, errors = assignment_of(run, table, how)

    def each(phi):
        return (a * np.log(density(phi) @ errors)).sum(axis=1)

    return each


def shares(logits):
    eta = np.array([0.0, *logits])
    return np.exp(eta) / np.exp(eta).sum()


def of_income(table):
    z = table["income"].to_numpy()

    def density(phi):
        m, v = phi[2:5], np.exp(phi[5:])
        return shares(phi[:2]) * np.exp(-((z[:, None] - m) ** 2) / (2 * v)) / np.sqrt(2 * np.pi * v)

    return density


def of_grade(table):
    codes = table["grade"].cat.codes.to_numpy()

    def density(phi):
        rows = phi[2:].reshape(3, 2)
        theta = np.column_stack([rows, 1 - rows.sum(axis=1)])
        return shares(phi[:2]) * theta[:, codes].T

    return density


def of_class(table):
    x = np.column_stack([np.ones(len(table)), table["age"] - 40, table["sex"] == "m"]).astype(float)

    def density(phi):
        eta = x @ np.vstack([np.zeros(3), phi.reshape(2, 3)]).T
        p = np.exp(eta)
        return p / p.sum(axis=1, keepdims=True)

    return density


@pytest.mark.parametrize("how", ["modal", "proportional"])
@pytest.mark.parametrize("what", ["income", "grade", "class"])
def test_ml_is_a_maximum_and_its_errors_are_the_sandwich_of_the_plain_likelihood(
    what, how, monkeypatch
):
    monkeypatch.setattr(steps, "errors_spread", lambda *_: np.zeros((9, 9)))  # see below
    table = TABLE[:600]
    run = learned(table)
    if what == "class":
        shifted = table.assign(age=table["age"] - 40)
        found = fg.three_step(run, shifted, covariates=["age", "sex"], assignment=how)
        at, inside, density = found.estimate[1:].ravel(), slice(0, 6), of_class(table)
    else:
        found = fg.three_step(run, table, what, assignment=how)
        first = np.log(found.shares[1:] / found.shares[0])
        if what == "income":
            at = np.concatenate([first, found.estimate[:, 0], 2 * np.log(found.sd)])
            inside, density = slice(2, 5), of_income(table)
        else:
            at = np.concatenate([first, found.estimate[:, :2].ravel()])
            inside, density = slice(2, 8), of_grade(table)
    slope, bent = derivatives(plain(table, run, how, density), at)
    assert np.abs(slope.sum(axis=0) * np.sqrt(np.diag(np.linalg.inv(-bent)))).max() < 1e-2
    inverse = np.linalg.inv(bent)
    whole = (inverse @ slope.T @ slope @ inverse)[inside, inside]
    kept = found.covariance
    if what == "grade":
        kept = kept.reshape(3, 3, 3, 3)[:, :2, :, :2].reshape(6, 6)
    np.testing.assert_allclose(kept, whole, rtol=2e-3, atol=1e-3 * np.diag(whole).min())


def test_bch_errors_are_those_of_weighted_means(monkeypatch):
    monkeypatch.setattr(steps, "errors_spread", lambda *_: np.zeros((9, 9)))
    found = fg.three_step(RUN, TABLE, "income", correction="bch")
    a, errors = assignment_of(RUN, TABLE, "modal")
    w = a @ np.linalg.inv(errors)
    z = TABLE["income"].to_numpy()
    for k in range(3):
        m = (w[:, k] @ z) / w[:, k].sum()
        assert found.estimate[k, 0] == pytest.approx(m)
        error = math.sqrt(((w[:, k] * (z - m)) ** 2).sum()) / w[:, k].sum()
        assert found.error[k, 0] == pytest.approx(error)
    away = found.estimate[1:, 0] - found.estimate[0, 0]
    c = np.array([[-1, 1, 0], [-1, 0, 1]])
    wald = away @ np.linalg.solve(c @ found.covariance @ c.T, away)
    assert found.equal.statistic == pytest.approx(wald) and found.equal.df == 2
    assert found.equal.p == chi2_sf(found.equal.statistic, 2)


def first_step(run):
    """The covariance of the run's parameters from numerical scores, and their directions."""
    theta, moves = run.best_theta, []
    for name, m in theta.items():
        for x, y in np.ndindex(m.shape):
            if y != m[x].argmax():
                step = {k: np.zeros_like(v) for k, v in theta.items()}
                step[name][x, y], step[name][x, m[x].argmax()] = 1, -1
                moves.append(step)
    scores = [(logs(run, up) - logs(run, down)) / 2e-5 for up, down in ends(run, moves, 1e-5)]
    scores = np.array(scores)
    return moves, np.linalg.inv((scores * run.weight) @ scores.T)


def ends(run, moves, h):
    theta = run.best_theta
    for step in moves:
        yield tuple({k: v + s * h * step[k] for k, v in theta.items()} for s in (1, -1))


def logs(run, theta):
    return fg.loglik(GRAPH, theta, run.rows)


@pytest.mark.parametrize(
    ("what", "how"),
    [
        *(("income", "bch"), ("grade", "ml")),
        *(
            pytest.param(what, how, marks=slow)
            for what, how in (("income", "ml"), ("grade", "bch"), ("class", "ml"), ("class", "bch"))
        ),
    ],
)
def test_what_the_first_step_adds_is_the_delta_method_by_small_changes(what, how, monkeypatch):
    """The matrices are moved, the classification errors follow, and the third step is repeated."""
    table = TABLE[:600].assign(age=(TABLE["age"] - 40) / 10)
    run = learned(table)
    asked = {"covariates": ["age", "sex"]} if what == "class" else {"outcome": what}
    found = fg.three_step(run, table, correction=how, **asked)
    monkeypatch.setattr(steps, "errors_spread", lambda *_: np.zeros((9, 9)))
    bare = fg.three_step(run, table, correction=how, **asked)
    moves, spread = first_step(run)
    a, _ = assignment_of(run, table, "modal")
    own = steps.Assigned

    def after(theta):
        p = fg.posterior(GRAPH, theta, table[ITEMS], "S")
        errors = (p.T @ a) / p.sum(axis=0)[:, None]
        monkeypatch.setattr(steps, "Assigned", lambda a, _, w, s: own(a, errors, w, s))
        moved = fg.three_step(run, table, correction=how, **asked)
        kept = moved.estimate[1:] if what == "class" else moved.estimate
        return kept.ravel()

    h = 1e-3
    slope = np.array([(after(up) - after(down)) / (2 * h) for up, down in ends(run, moves, h)]).T
    added = slope @ spread @ slope.T
    np.testing.assert_allclose(
        found.covariance - bare.covariance, added, rtol=0.02, atol=0.01 * np.diag(added).min()
    )


def test_a_run_by_another_rule_has_no_errors_of_the_first_step_and_it_is_said():
    run = fg.fit(GRAPH, TABLE, "vit", columns=ITEMS, theta=THETA, restarts=1, n_epochs=30)
    assert "not learned by ML" in fg.three_step(run, TABLE, "income").warnings[0]


def test_without_a_correction_it_is_the_table_of_the_assigned():
    guess = fg.posterior(GRAPH, RUN.best_theta, TABLE[ITEMS], "S").argmax(axis=1)
    found = fg.three_step(RUN, TABLE, "income", correction="none")
    by = TABLE.groupby(guess)["income"]
    np.testing.assert_allclose(found.estimate[:, 0], by.mean())
    np.testing.assert_allclose(found.error[:, 0], by.std(ddof=0) / np.sqrt(by.size()))
    np.testing.assert_allclose(found.sd, by.std(ddof=0))
    found = fg.three_step(RUN, TABLE, "grade", correction="none")
    np.testing.assert_allclose(
        found.estimate, pd.crosstab(guess, TABLE["grade"], normalize="index")
    )


# Where the truth is known


@pytest.mark.parametrize("count", [12, pytest.param(40, marks=slow)])
def test_the_naive_analysis_is_biased_and_intervals_of_the_corrected_ones_hold_the_truth(count):
    found = {how: [] for how in ("ml", "bch", "none")}
    covered = dict.fromkeys(found, 0)
    for seed in range(count):
        table = drawn(1000, seed)
        run = learned(table, tol=1e-8)
        for how in found:
            one = fg.three_step(run, table, "income", correction=how)
            found[how].append(one.estimate[:, 0])
            covered[how] += (np.abs(one.estimate - MEANS[:, None]) < 1.96 * one.error).sum()
    bias = {how: np.abs(np.mean(v, axis=0) - MEANS).max() for how, v in found.items()}
    assert bias["none"] > 0.3 and bias["ml"] < 0.05 and bias["bch"] < 0.1
    assert covered["none"] < 1.5 * count  # of 3 * count, of which 95 % are expected to be covered
    assert covered["ml"] >= 2.65 * count and covered["bch"] >= 2.65 * count


def test_slopes_are_those_that_made_the_classes_and_too_flat_without_a_correction():
    table = drawn(20_000, 0)
    run = learned(table, tol=1e-9)
    shifted = table.assign(age=table["age"] - 40)
    for how in ("ml", "bch"):
        found = fg.three_step(run, shifted, covariates=["age", "sex"], correction=how)
        assert (np.abs(found.estimate - SLOPES)[1:] < 4 * found.error[1:]).all()
    naive = fg.three_step(run, shifted, covariates=["age", "sex"], correction="none")
    assert naive.estimate[1, 1] < 0.045 and naive.estimate[2, 2] > -0.7


@pytest.mark.parametrize(
    ("count", "middle", "often"),
    [(10, (0.2, 0.8), 0.4), pytest.param(30, (0.3, 0.7), 0.25, marks=slow)],
)
def test_where_nothing_is_related_p_is_as_often_small_as_it_says(count, middle, often):
    p = {name: [] for name in ("income", "grade", "age", "sex")}
    for seed in range(count):
        table = drawn(600, seed, related=False)
        run = learned(table, tol=1e-7)
        for name in ("income", "grade"):
            p[name].append(fg.three_step(run, table, name, correction="bch").equal.p)
        tests = fg.three_step(run, table, covariates=["age", "sex"]).tests
        for name in ("age", "sex"):
            p[name].append(tests[name].p)
    for some in p.values():
        assert middle[0] < np.mean(some) < middle[1] and np.mean(np.array(some) < 0.1) < often


# Tables, blanks, weights


def test_the_reference_changes_nothing_but_what_is_compared():
    one = fg.three_step(RUN, TABLE, covariates=["age", "sex"])
    two = fg.three_step(RUN, TABLE, covariates=["age", "sex"], reference=2)
    np.testing.assert_allclose(one.estimate - one.estimate[2], two.estimate, atol=1e-6)
    for name in ("age", "sex"):
        assert one.tests[name].statistic == pytest.approx(two.tests[name].statistic, rel=1e-6)
    assert two.reference == 2 and np.isnan(two.error[2]).all()
    np.testing.assert_allclose(two.odds_ratios, np.exp(two.estimate))


def test_units_of_a_covariate_only_scale_its_coefficient():
    one = fg.three_step(RUN, TABLE, covariates=["age"])
    two = fg.three_step(RUN, TABLE.assign(age=1e6 + 1e3 * TABLE["age"]), covariates="age")
    np.testing.assert_allclose(one.estimate[:, 1], 1e3 * two.estimate[:, 1], rtol=1e-6)
    np.testing.assert_allclose(one.error[:, 1], 1e3 * two.error[:, 1], rtol=1e-6)


@pytest.mark.parametrize("correction", ["ml", "bch"])
def test_equal_rows_may_be_counted_and_the_table_may_be_of_any_kind(correction):
    small = TABLE[[*ITEMS, "grade"]]
    counts = small.groupby([*ITEMS, "grade"], observed=True).size().reset_index(name="w")
    one = fg.three_step(RUN, small, "grade", correction=correction)
    for table, options in (
        (counts, {"weight": "w"}),
        (counts.drop(columns="w"), {"weight": counts["w"].to_numpy()}),
        (pl.from_pandas(small), {}),
        (pl.from_pandas(small).lazy(), {}),
        ({name: small[name].tolist() for name in small}, {"kind": "categorical"}),
    ):
        two = fg.three_step(RUN, table, "grade", correction=correction, **options)
        order = [two.levels.index(level) for level in one.levels]
        np.testing.assert_allclose(two.estimate[:, order], one.estimate, atol=1e-6)
        np.testing.assert_allclose(two.error[:, order], one.error, atol=1e-6)
        assert two.n == 2000


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_has_the_same_outcomes_and_covariates(kind):
    table = KINDS[kind](TABLE[[*ITEMS, "income", "sex", "age"]])
    for asked in ({"outcome": "income"}, {"outcome": "sex"}, {"covariates": ["sex", "age"]}):
        one, two = (fg.three_step(RUN, t, **asked) for t in (TABLE, table))
        np.testing.assert_allclose(two.estimate, one.estimate, atol=1e-8)
        np.testing.assert_allclose(two.error, one.error, atol=1e-8)


def test_weights_of_a_survey_are_of_any_scale_and_make_errors_larger():
    w = np.random.default_rng(0).gamma(2, 0.5, len(TABLE))
    one = fg.three_step(RUN, TABLE, "income", weight=w)
    two = fg.three_step(RUN, TABLE, "income", weight=w * 100.5)
    np.testing.assert_allclose(one.error, two.error, rtol=1e-4)
    assert (one.error > fg.three_step(RUN, TABLE, "income").error).all()


def test_blanks_are_left_out_of_the_third_step_and_it_is_said():
    rng = np.random.default_rng(0)
    income = TABLE["income"].mask(rng.random(2000) < 0.3)
    found = fg.three_step(RUN, TABLE.assign(income=income), "income")
    assert found.n == income.notna().sum()
    assert found.warnings == (
        f"{income.isna().sum()} samples without income are left out of the third step",
    )
    assert found.warnings[0] in repr(found)
    empty = pd.concat([TABLE, pd.DataFrame({"income": [5.0, 6.0]})], ignore_index=True)
    found = fg.three_step(RUN, empty, "income")
    assert found.n == 2000 and "2 samples observe nothing of the model" in found.warnings[0]
    whole = fg.three_step(RUN, TABLE, "income")
    np.testing.assert_allclose(found.estimate, whole.estimate)


def test_a_column_of_numbers_has_means_and_one_with_levels_proportions():
    number = TABLE.assign(code=np.arange(2000) % 3)
    assert fg.three_step(RUN, number, "code").levels == ()
    assert fg.three_step(RUN, number, "code", kind="categorical").levels == (0, 1, 2)
    levels = number.assign(code=pd.Categorical(number["code"], [2, 1, 0]))
    assert fg.three_step(RUN, levels, "code").levels == (2, 1, 0)
    minus = TABLE.assign(code=np.arange(2000) % 3 - 1)  # -1, 0, 1 is a number here, and no blank
    assert fg.three_step(RUN, minus, "code").n == 2000


def test_a_proportion_on_its_bound_has_no_error():
    table = TABLE.assign(
        grade=np.where(TABLE["truth"] == 0, "a", np.where(TABLE["age"] > 40, "b", "a"))
    )
    guess = fg.posterior(GRAPH, RUN.best_theta, TABLE[ITEMS], "S").argmax(axis=1)
    table["grade"] = np.where(guess == 0, "a", table["grade"])
    found = fg.three_step(RUN, table, "grade")
    assert found.estimate[0, 1] < 1e-6 and np.isnan(found.error[0, 1])
    assert np.isfinite(found.error[1:]).all() and np.isfinite(found.equal.statistic)


def test_bch_says_where_proportions_leave_0_to_1():
    guess = fg.posterior(GRAPH, RUN.best_theta, TABLE[ITEMS], "S").argmax(axis=1)
    table = TABLE.assign(grade=np.where(guess == 0, "a", "b"))
    found = fg.three_step(RUN, table, "grade", correction="bch")
    assert found.estimate.min() < 0 and "outside 0 to 1" in found.warnings[0]


def test_covariates_that_separate_classes_are_told():
    guess = fg.posterior(GRAPH, RUN.best_theta, TABLE[ITEMS], "S").argmax(axis=1)
    found = fg.three_step(RUN, TABLE.assign(age=guess == 1), covariates="age", correction="none")
    assert "separates the classes" in found.warnings[0]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({}, "outcome and covariates are both missing: expected one of them"),
        ({"outcome": "income", "covariates": "age"}, "are both given"),
        ({"outcome": "A"}, "outcome names 'A', a variable of the model: expected a column"),
        ({"outcome": "S"}, "outcome names 'S', a variable of the model"),
        ({"outcome": "incom"}, "outcome names 'incom': the columns of the table are A, B"),
        ({"outcome": "income", "correction": "BCH"}, "correction is 'BCH': expected 'ml' or 'bch'"),
        ({"outcome": "income", "assignment": "soft"}, "assignment is 'soft'"),
        ({"outcome": "income", "variable": "A"}, "variable is 'A': expected a hidden variable"),
        ({"outcome": "income", "kind": "number"}, "kind is 'number'"),
        ({"outcome": "income", "reference": 1}, "only covariates need one"),
        ({"covariates": "age", "reference": 7}, "reference is 7: expected a state of S, '0'"),
        ({"covariates": []}, r"covariates is \[\]: expected the names of columns"),
        ({"covariates": ["age", "double"]}, "say the same in other words"),
        ({"outcome": "one"}, "column 'one' has one value at most"),
        ({"outcome": "endless"}, "holds an infinite number"),
        ({"outcome": "sex", "kind": "numeric"}, "column 'sex' holds .* expected numbers"),
    ],
)  # fmt: skip
def test_mistakes_are_named(asked, says):
    table = TABLE.assign(double=2 * TABLE["age"] + 1, one=1, endless=np.inf)
    with pytest.raises(ValueError, match=says):
        fg.three_step(RUN, table, **asked)


def test_classes_that_nobody_is_assigned_to_cannot_be_corrected_for():
    graph = fg.BayesGraph({"S": 2, "A": 2}, {"A": "S"})
    theta = {"S": np.array([[0.9, 0.1]]), "A|S": np.array([[0.5, 0.5], [0.4, 0.6]])}
    table = {"A": [0, 1] * 10, "z": list(range(20))}
    run = fg.fit(graph, table, columns=["A"], theta=theta, restarts=1, n_epochs=0)
    with pytest.raises(ValueError, match="cannot tell the states of S apart"):
        fg.three_step(run, table, "z")
