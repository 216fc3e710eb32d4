"""Goodness of fit: published statistics, enumerated cells, blanks, given values, and bootstraps."""

import itertools
import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from latent_classes import ITEMS, TRUE, TWO, classes, drawn, slides
from oracles import joint
from tiers import slow

import fgnwidgets as fg
from fgnwidgets.algebra.chi2 import chi2_sf
from fgnwidgets.analysis.goodness import _tail

ROLES = [42, 23, 6, 25, 6, 24, 7, 38, 1, 4, 1, 6, 2, 9, 2, 20]
"""Stouffer and Toby (1951): 216 answers to four questions on role conflict, all 16 combinations in
order. Goodman (1974) gives the fit of one and two classes, the manual of poLCA that of three."""


@cache
def roles(count):
    table = dict(zip("ABCD", np.indices((2,) * 4).reshape(4, -1), strict=True))
    graph = classes(count, ITEMS)
    return fg.fit(graph, table, weight=ROLES, restarts=20, n_epochs=5000, tol=1e-11)


# The distribution


@pytest.mark.parametrize(
    ("df", "x", "p"),
    [  # quantiles that every table prints
        (1, 3.841459, 0.05),
        (2, 5.991465, 0.05),
        (3, 11.344867, 0.01),
        (10, 18.307038, 0.05),
        (10, 3.940299, 0.95),
        (30, 50.892181, 0.01),
        (100, 124.342113, 0.05),
        (100, 149.449253, 0.001),
    ],
)
def test_the_tail_of_chi_square_is_that_of_the_printed_tables(df, x, p):
    assert chi2_sf(x, df) == pytest.approx(p, rel=2e-6)


@pytest.mark.parametrize("df", [2, 4, 20, 200, 2000])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99, 1.0, 1.01, 2, 3])
def test_for_an_even_number_of_degrees_the_tail_is_a_sum_of_poisson_probabilities(df, share):
    half = share * df / 2
    logs = [k * math.log(half) - half - math.lgamma(k + 1) for k in range(df // 2)]
    assert chi2_sf(2 * half, df) == pytest.approx(sum(map(math.exp, logs)), rel=1e-9)


@pytest.mark.parametrize("df", [1, 3, 7, 99])
def test_two_degrees_more_add_one_term_to_the_tail(df):
    for x in (0.1, 1.0, df, 2.0 * df, 60.0):
        term = math.exp(df / 2 * math.log(x / 2) - x / 2 - math.lgamma(df / 2 + 1))
        assert chi2_sf(x, df + 2) == pytest.approx(chi2_sf(x, df) + term, rel=1e-11)


def test_the_tail_at_its_ends():
    assert chi2_sf(0, 3) == 1 and chi2_sf(-1, 3) == 1 and chi2_sf(math.inf, 3) == 0
    assert (
        math.isnan(chi2_sf(1, 0))
        and math.isnan(chi2_sf(1, -2))
        and math.isnan(chi2_sf(math.nan, 1))
    )
    assert chi2_sf(1e6, 2**3000) == 1
    assert chi2_sf(1e5, 99_999) == pytest.approx(chi2_sf(1e5, 99_999 + 2), abs=2e-3)
    assert chi2_sf(250_000 + 1.0, 250_000) == pytest.approx(chi2_sf(250_001, 250_001), abs=2e-3)


# Published fits


@pytest.mark.parametrize(("count", "g2", "x2", "df"), [(1, 81.08, 104.11, 11), (2, 2.72, 2.72, 6)])
def test_one_and_two_classes_fit_as_goodman_has_it(count, g2, x2, df):
    found = fg.goodness(roles(count))
    assert (round(found.g2, 2), round(found.x2, 2), found.df) == (g2, x2, df)


def test_three_classes_fit_as_polca_has_it_and_leave_two_degrees_and_not_one():
    """14 numbers are free, but Goodman (1974) found that the table fixes only 13 of them."""
    found = fg.goodness(roles(3))
    assert found.g2 == pytest.approx(0.3868563, abs=1e-5)
    assert found.x2 == pytest.approx(0.4225484, abs=1e-3)
    assert (roles(3).n_free, found.n_free, found.df) == (14, 13, 2)
    assert found.p_g2 == pytest.approx(math.exp(-found.g2 / 2))
    assert not found.warnings


def test_the_slides_have_too_many_cells_for_chi_square_and_the_bootstrap_tells_two_classes_off():
    two, three = (fg.goodness(slides(k), bootstrap=99) for k in (2, 3))
    assert three.g2 == pytest.approx(15.26171, abs=1e-4)  # as poLCA prints it
    assert three.x2 == pytest.approx(20.50335, abs=2e-2)
    assert (two.df, three.df) == (112, 104)
    assert two.p_g2 > 0.99  # chi-square sees nothing
    assert two.p_boot_g2 == 0.01 and two.p_boot_x2 <= 0.05 and three.p_boot_g2 > 0.1
    assert "too many for chi-square" in fg.goodness(slides(3)).warnings[0]
    assert "bootstrap p" in repr(three)


# Enumerated


def by_hand(graph, theta, table, weight, given=()):
    """G2, X2 and the cells of every pattern of blanks and of given values, cell by cell."""
    whole, names = joint(graph, theta), list(graph.variables)
    free = [name for name in table if name not in given]
    rows = list(zip(*(table[name] for name in (*given, *free)), strict=True))
    groups = {}
    for row, w in zip(rows, weight, strict=True):
        said, answers = row[: len(given)], row[len(given) :]
        seen = tuple(a >= 0 for a in answers)
        if any(seen):
            cell = tuple(a for a in answers if a >= 0)
            tally = groups.setdefault((said, seen), {})
            tally[cell] = tally.get(cell, 0) + w
    g2 = x2 = cells = 0
    for (said, seen), tally in groups.items():
        asked = [name for name, s in zip(free, seen, strict=True) if s]
        n = sum(tally.values())
        for cell in itertools.product(*(range(graph.variables[v].size) for v in asked)):
            known = dict(zip(asked, cell, strict=True)) | dict(zip(given, said, strict=True))
            at = tuple(known.get(v, slice(None)) for v in names)
            under = tuple(dict(zip(given, said, strict=True)).get(v, slice(None)) for v in names)
            m = n * whole[at].sum() / whole[under].sum()
            o = tally.get(cell, 0)
            g2 += 2 * o * math.log(o / m) if o else 0
            x2 += (o - m) ** 2 / m
            cells += 1
    return g2, x2, cells - len(groups)


def blanked(table, share, seed=0):
    rng = np.random.default_rng(seed)
    return {k: np.where(rng.random(len(v)) < share, -1, v) for k, v in table.items()}


def test_with_blanks_every_pattern_has_cells_of_its_own():
    table = blanked(drawn(TWO, TRUE, 400, 0, "ABCD"), 0.15)
    table = {k: np.append(v, [-1, -1]) for k, v in table.items()}  # rows that observe nothing
    weight = np.random.default_rng(1).integers(1, 4, 402)
    run = fg.fit(TWO, table, weight=weight)
    found = fg.goodness(run)
    g2, x2, free = by_hand(TWO, run.best_theta, table, weight)
    assert (found.g2, found.x2) == (pytest.approx(g2), pytest.approx(x2))
    assert found.df == free - 9
    assert found.n == weight[:400][(np.stack([table[v][:400] for v in "ABCD"]) >= 0).any(0)].sum()
    parts = found.at_random, found.mcar
    assert sum(part.statistic for part in parts) == pytest.approx(found.g2)
    assert [part.df for part in parts] == [15 - 9, free - 15]


def test_the_part_at_random_is_against_the_saturated_model_that_fit_finds():
    table = blanked(drawn(TWO, TRUE, 300, 3, "ABCD"), 0.2)
    run = fg.fit(TWO, table, n_epochs=5000, tol=1e-11)
    above = {"B": "A", "C": ("A", "B"), "D": ("A", "B", "C")}  # every table
    full = fg.BayesGraph(ITEMS, above).merged()
    ceiling = fg.fit(full, table, n_epochs=2000, tol=1e-10, restarts=1, progress=False)
    g2 = 2 * float(ceiling.final_loglik.max() - run.final_loglik.max())
    assert g2 > 1
    assert fg.goodness(run).at_random.statistic == pytest.approx(g2, abs=1e-3)


def test_given_values_have_tables_of_their_own():
    graph = fg.BayesGraph(
        {"G": 3, "S": 2, **ITEMS}, {"S": "G", **dict.fromkeys(ITEMS, "S")}, given=["G"]
    )
    parts = [
        drawn(TWO, {**TRUE, "S": [[p, 1 - p]]}, n, n, "ABCD")
        for p, n in ((0.9, 150), (0.5, 200), (0.2, 150))
    ]
    g = np.repeat([0, 1, 2], [150, 200, 150])
    table = {"G": g, **{v: np.concatenate([part[v] for part in parts]) for v in ITEMS}}
    run = fg.fit(graph, table, n_epochs=2000)
    found = fg.goodness(run)
    whole = fg.BayesGraph({"G": 3, "S": 2, **ITEMS}, {"S": "G", **dict.fromkeys(ITEMS, "S")})
    g2, x2, free = by_hand(whole, {**run.best_theta, "G": [[1 / 3] * 3]}, table, np.ones(500), "G")
    assert (found.g2, found.x2) == (pytest.approx(g2), pytest.approx(x2))
    assert found.g2 == pytest.approx(run.summary().g2)
    assert found.df == free - run.n_free == 45 - 11
    some = {"G": g, **blanked({v: table[v] for v in ITEMS}, 0.1)}
    run = fg.fit(graph, some, n_epochs=2000)
    g2, x2, free = by_hand(whole, {**run.best_theta, "G": [[1 / 3] * 3]}, some, np.ones(500), "G")
    found = fg.goodness(run)
    assert (found.g2, found.x2, found.df) == (pytest.approx(g2), pytest.approx(x2), free - 11)
    assert found.at_random.df == 45 - 11


def test_a_value_that_no_row_has_makes_no_cells():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    three = fg.goodness(fg.fit(classes(2, {**ITEMS, "A": 3}), table, n_epochs=2000))
    assert three.cells == fg.goodness(fg.fit(TWO, table)).cells == 16


# How often


@pytest.mark.parametrize(
    ("count", "middle"), [(20, (0.3, 0.7)), pytest.param(60, (0.35, 0.65), marks=slow)]
)
def test_where_the_model_made_the_tables_p_is_as_often_small_as_it_says(count, middle):
    p, boot, at_random, mcar = [], [], [], []
    for seed in range(count):
        table = drawn(TWO, TRUE, 800, seed, "ABCD")
        blank = np.random.default_rng(1000 + seed).random(800) < 0.3
        table["A"] = np.where(blank, -1, table["A"])
        run = fg.fit(TWO, table, restarts=3, n_epochs=2000)
        found = fg.goodness(run, bootstrap=19 if seed < count // 3 else 0, restarts=1)
        p.append(found.p_g2)
        at_random.append(found.at_random.p)
        mcar.append(found.mcar.p)
        if seed < count // 3:
            boot.append(found.p_boot_g2)
    for some in (p, at_random, mcar, boot):
        assert middle[0] < np.mean(some) < middle[1]
        assert np.mean(np.array(some) < 0.1) < 0.25


def test_blanks_that_depend_on_another_answer_are_no_fault_of_the_model():
    table = drawn(TWO, TRUE, 3000, 0, "ABCD")
    gone = np.random.default_rng(1).random(3000) < np.where(table["B"] == 1, 0.7, 0.05)
    table["A"] = np.where(gone, -1, table["A"])
    found = fg.goodness(fg.fit(TWO, table, n_epochs=3000))
    assert found.p_g2 < 1e-6 and found.mcar.p < 1e-6
    assert found.at_random.p > 0.01


def test_null_tables_have_the_same_blanks_and_statistics_of_models_that_learned_them():
    table = blanked(drawn(TWO, TRUE, 200, 0, "ABCD"), 0.1)
    run = fg.fit(TWO, table, n_epochs=2000)
    found = fg.goodness(run, bootstrap=3, seed=5, tol=1e-10, n_epochs=3000)
    from fgnwidgets.analysis.simulating import simulated

    rng = np.random.default_rng(np.random.SeedSequence(5).spawn(1)[0])
    rows, weight = simulated(run, 3, rng)
    for k in range(3):
        one = fg.fit(TWO, rows, weight=weight[k], tol=1e-10, n_epochs=3000, progress=False)
        live = weight[k] > 0
        cells = {name: codes[live] for name, codes in rows.codes.items()}
        g2, x2, _ = by_hand(TWO, one.best_theta, cells, weight[k][live])
        assert found.null_g2[k] == pytest.approx(g2, abs=0.02)
        assert found.null_x2[k] == pytest.approx(x2, abs=0.1)
    assert found.p_boot_g2 == (1 + (found.null_g2 >= found.g2).sum()) / 4


# What is no count


def test_weights_of_a_survey_have_no_p_and_it_is_said():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    run = fg.fit(TWO, table, weight=np.random.default_rng(0).gamma(20, 1 / 20, 300))
    found = fg.goodness(run)
    assert math.isnan(found.p_g2) and math.isnan(found.p_x2)
    assert "no counts of samples" in found.warnings[0]
    with pytest.raises(ValueError, match="bootstrap draws as many samples .* not whole"):
        fg.goodness(run, bootstrap=5)


def test_soft_evidence_is_in_no_cell():
    soft = np.tile([0.4, 0.6], (6, 1))
    run = fg.fit(TWO, {"A": soft, "B": [0, 1] * 3, "C": [0, 1] * 3, "D": [0, 1] * 3})
    with pytest.raises(ValueError, match="A has soft evidence"):
        fg.goodness(run)


def test_a_model_that_fits_every_table_leaves_nothing_to_test():
    run = fg.fit(fg.BayesGraph({"A": 2, "B": 2}, {"B": "A"}), {"A": [0, 1, 1], "B": [0, 1, 0]})
    found = fg.goodness(run)
    assert found.df == 0 and math.isnan(found.p_g2) and found.g2 == pytest.approx(0, abs=1e-9)
    assert "nothing is left to test" in found.warnings[0]


def test_other_rules_and_pseudo_counts_are_told():
    table = drawn(TWO, TRUE, 500, 0, "ABCD")
    for options in ({"rule": "vit"}, {"alpha": 1.0}):
        said = fg.goodness(fg.fit(TWO, table, **options)).warnings
        assert any("loglik is no maximum" in one for one in said)


def test_a_table_of_two_hundred_questions_has_its_cells_counted_and_its_line_kept_short():
    items = {f"Q{k}": 2 for k in range(200)}
    rng = np.random.default_rng(0)
    table = {name: rng.integers(0, 2, 30) for name in items}
    table["Q0"][0] = -1
    found = fg.goodness(fg.fit(classes(1, items), table, restarts=1, n_epochs=5))
    assert found.cells == 2**200 + 2**199 and found.at_random is None
    assert max(map(len, repr(found).split("\n")[:3])) < 80
    assert "tests the model and the blanks together" in found.warnings[-1]


def test_the_rows_are_there_with_what_was_observed_and_expected():
    run = roles(2)
    found = fg.goodness(run)
    whole = joint(run.graph, run.best_theta).sum(axis=0)
    at = tuple(found.rows.codes[v] for v in "ABCD")
    np.testing.assert_allclose(found.expected, 216 * whole[at])
    np.testing.assert_array_equal(found.observed, np.array(ROLES).reshape((2,) * 4)[at])
    frame = found.to_frame()
    assert list(frame["df"]) == [6, 6] and isinstance(frame, pd.DataFrame)


def test_a_null_statistic_that_equals_the_observed_one_counts_as_extreme_up_to_rounding():
    null = np.array([2.0, 2.0 - 1e-13, 2.5, 1.9, 0.0])
    assert _tail(2.0, null) == pytest.approx((1 + 3) / (5 + 1))
    assert math.isnan(_tail(2.0, null[:0]))
