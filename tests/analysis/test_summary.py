"""A run's summary says the published numbers, counts what is free, and warns in words."""

import math

import numpy as np
import pytest
from latent_classes import SLIDES, TRUE, TWO, classes, drawn, slides
from oracles import joint

import fgnwidgets as fg

PUBLISHED = {1: 1082.32, 2: 706.07, 3: 697.14, 4: 726.46}


@pytest.mark.parametrize("kinds", PUBLISHED)
def test_bic_of_the_pathologists_is_the_published_one(kinds):
    run = slides(kinds)
    assert abs(run.bic - PUBLISHED[kinds]) < 0.005
    assert run.n_free == 8 * kinds - 1


def test_the_pathologists_summary_says_g2_floor_ceiling_and_how_often_the_end_was_found():
    run = slides(3)
    summary = run.summary()
    assert abs(summary.g2 - 15.26) < 0.005
    different = np.unique(np.column_stack(list(SLIDES.values())), axis=0, return_counts=True)[1]
    assert summary.ceiling == pytest.approx((different * np.log(different / 118)).sum())
    assert summary.floor < summary.loglik < summary.ceiling
    assert (summary.n_free, summary.rank, summary.n, summary.restarts) == (23, 23, 118, 20)
    assert summary.found == (run.final_loglik > run.final_loglik.max() - 0.0118).sum()
    assert "697.14" in repr(summary)
    assert "<td" in summary._repr_html_()
    assert "697.14" in summary._repr_html_()


def test_the_other_criteria_are_their_formulas():
    run = slides(2)
    deviance = -2 * run.final_loglik[run.best]
    assert run.aic == pytest.approx(deviance + 2 * 15)
    assert run.sabic == pytest.approx(deviance + 15 * math.log(120 / 24))
    assert run.caic == pytest.approx(deviance + 15 * (math.log(118) + 1))


def test_sizes_and_entropy_are_those_of_enumerated_posteriors():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    run = fg.fit(TWO, table)
    whole = joint(TWO, run.best_theta)
    rows = np.column_stack([table[name] for name in "ABCD"])
    p = np.array([whole[:, *row] / whole[:, *row].sum() for row in rows])
    summary = run.summary()
    np.testing.assert_allclose(summary.sizes["S"], p.mean(axis=0), atol=1e-12)
    mean = -(p * np.log(p)).sum(axis=1).mean()
    assert summary.entropy["S"] == pytest.approx(1 - mean / math.log(2))


def test_states_with_words_are_said_in_words():
    graph = fg.BayesGraph({"S": ("quiet", "loud"), "A": 2, "B": 2}, {"A": "S", "B": "S"})
    summary = fg.fit(graph, {"A": [0, 0, 1], "B": [0, 0, 1]}, restarts=1).summary()
    assert summary.states["S"] == ("quiet", "loud")
    assert "S = loud" in repr(summary)


def test_blank_cells_leave_no_floor_and_no_ceiling():
    table = drawn(TWO, TRUE, 100, 0, "ABCD")
    table["A"] = table["A"].copy()
    table["A"][0] = -1
    summary = fg.fit(TWO, table).summary()
    assert summary.floor is None
    assert summary.g2 is None
    assert "ceiling" not in repr(summary)


def test_weights_count_as_rows():
    once = fg.fit(TWO, drawn(TWO, TRUE, 100, 0, "ABCD"), weight=np.full(100, 3.0))
    assert once.n == 300
    thrice = {k: np.tile(v, 3) for k, v in drawn(TWO, TRUE, 100, 0, "ABCD").items()}
    assert once.bic == pytest.approx(fg.fit(TWO, thrice).bic)


def test_free_numbers_of_tied_fixed_and_held_matrices_and_of_zeros_that_stay():
    table = {"A": [0, 1, 2, 0], "B": [0, 1, 1, 0]}
    graph = classes(3, {"A": 3, "B": 2})
    assert fg.fit(graph, table).n_free == 2 + 6 + 3
    assert fg.fit(graph, table, hold={"A|S": [True, False, False]}).n_free == 2 + 4 + 3
    fixed = fg.BayesGraph({"S": 3, "A": 3, "B": 2}, {"A": "S", "B": "S"}, fixed=["A"])
    assert fg.fit(fixed, table, theta={"A|S": np.eye(3)}).n_free == 2 + 3
    names = {"A": "item", "B": "item"}
    tied = fg.BayesGraph({"S": 3, "A": 2, "B": 2}, {"A": "S", "B": "S"}, theta=names)
    assert fg.fit(tied, {"A": [0, 1], "B": [1, 1]}).n_free == 2 + 3
    zeros = {"A|S": [[0.5, 0.5, 0], [0.2, 0.3, 0.5], [0.2, 0.3, 0.5]]}
    assert fg.fit(graph, table, theta=zeros).n_free == 2 + 5 + 3
    assert fg.fit(graph, table, theta=zeros, alpha=0.1).n_free == 2 + 6 + 3  # they can leave


def test_a_rule_that_seeks_no_maximum_is_named_in_the_summary():
    table = drawn(TWO, TRUE, 100, 0, "ABCD")
    found = fg.fit(TWO, table, "var").summary().warnings
    assert any("'var'" in w and "criteria" in w for w in found)
    assert not any("criteria" in w for w in fg.fit(TWO, table).summary().warnings)


def test_tables_of_their_own_have_no_summary_in_common():
    table = drawn(TWO, TRUE, 50, 0, "ABCD")
    weight = np.random.default_rng(0).integers(0, 3, (4, 50))
    with pytest.raises(ValueError, match="choose one"):
        fg.fit(TWO, table, weight=weight, restarts=4).summary()


def test_the_summary_tests_the_fit_as_goodness_and_classification_do():
    for table, run in (
        (None, slides(3)),
        (drawn(TWO, TRUE, 300, 0, "ABCD"), fg.fit(TWO, drawn(TWO, TRUE, 300, 0, "ABCD"))),
    ):
        summary, fit = run.summary(), fg.goodness(run)
        g2, x2 = summary.fit
        assert (g2.statistic, g2.df, g2.p) == (
            pytest.approx(fit.g2),
            fit.df,
            pytest.approx(fit.p_g2),
        )
        assert (x2.statistic, x2.df, x2.p) == (
            pytest.approx(fit.x2),
            fit.df,
            pytest.approx(fit.p_x2),
        )
        assert summary.g2 == pytest.approx(g2.statistic)
        assert summary.error["S"] == pytest.approx(fg.classification(run).error)
        assert summary.sparse == (table is None)
        assert f"df {fit.df}" in repr(summary)
        asks = "goodness(run, bootstrap=200)" if table is None else "goodness(run),"
        assert f"More: {asks}" in repr(summary).splitlines()[-1]


def test_what_is_not_worked_out_unasked_is_named_with_the_call_that_does(monkeypatch):
    run = fg.fit(TWO, drawn(TWO, TRUE, 300, 0, "ABCD"))
    assert run.summary(rank=False).fit is None
    assert "df, p and X2: goodness(run)" in repr(run.summary(rank=False))
    monkeypatch.setattr("fgnwidgets.analysis.goodness.QUICK_CELLS", 15)
    assert run.summary().fit is None
    assert run.summary().g2 == pytest.approx(fg.goodness(run).g2)


def test_a_wide_table_has_its_g2_and_no_test_of_its_cells():
    items = {f"Q{k}": 2 for k in range(40)}
    rng = np.random.default_rng(0)
    run = fg.fit(classes(2, items), {q: rng.integers(0, 2, 50) for q in items}, n_epochs=5)
    assert run.summary().fit is None
    assert run.summary().g2 > 0


def test_g2_of_a_survey_does_not_grow_with_the_scale_of_its_weights():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    weight = np.random.default_rng(0).gamma(2, 0.5, 300)
    one, twenty = (fg.fit(TWO, table, weight=s * weight / weight.mean()) for s in (1.0, 20.0))
    for told in (lambda run: run.summary().g2, lambda run: run.summary().fit[1].statistic):
        assert told(one) == pytest.approx(told(twenty), rel=1e-3)
    assert fg.goodness(twenty).g2 == pytest.approx(twenty.summary().g2)
    assert fg.goodness(twenty).x2 == pytest.approx(fg.goodness(one).x2, rel=1e-3)
    assert math.isnan(twenty.summary().fit[0].p)
    assert "weights scaled" in repr(twenty.summary()) and "scaled" not in repr(slides(3).summary())


def test_the_data_of_a_summary_are_numbers_and_its_questions_are_no_part_of_a_paper():
    summary = slides(3).summary()
    found = dict(zip(*summary.to_dict().values(), strict=True))
    shares = [found[f"share of S = {k}"] for k in range(3)]
    assert shares == pytest.approx(summary.sizes["S"]) and sum(shares) == pytest.approx(1)
    assert all(isinstance(value, int | float) for value in found.values())
    assert found["df of G2"] == 104 and found["classification error of S"] == summary.error["S"]
    assert "More" in summary._repr_html_() and "More" not in summary.to_latex()


def test_a_model_with_as_many_numbers_as_cells_is_not_tested():
    run = fg.fit(fg.hmm(2, 2, 9), fg.sequences([[0, 1, 1, 0, 1, 0, 0, 0, 1]]), progress=False)
    assert "nothing is left to test" in repr(run.summary())
    assert "X2" not in repr(run.summary()) and "rough" not in repr(run.summary())
    assert math.isnan(run.summary().fit[0].p)
