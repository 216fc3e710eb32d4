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
