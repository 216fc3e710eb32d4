"""The same learning again, against one run at a time and against sums written out."""

import itertools
import warnings

import numpy as np
import pytest

from fgn_notebooks import data, examples
from fgn_notebooks.experiments.ability import ability_loglik
from fgn_notebooks.experiments.repeated import best_ends, by_rule, heights
from fgn_notebooks.experiments.tables import permuted
from fgn_notebooks.experiments.words import heard
from fgnwidgets import BayesGraph, fit

COLUMNS = {"A": np.array([0, 0, 1, 1, 1]), "B": np.array([0, 1, 0, 1, 1])}
STAR = BayesGraph({"S": 2, "A": 2, "B": 2}, {"A": "S", "B": "S"})
HOW = {"n_epochs": 20, "tol": 0, "progress": False}


def test_each_rule_has_the_run_that_fit_gives_it():
    runs = by_rule(STAR, COLUMNS, restarts=3, n_epochs=20, tol=0)
    assert list(runs) == ["ML", "KL", "VIT", "VAR"]
    for rule, run in runs.items():
        alone = fit(STAR, COLUMNS, rule.lower(), restarts=3, **HOW)
        np.testing.assert_array_equal(run.final_loglik, alone.final_loglik)


def test_the_best_end_of_each_table_is_that_of_its_own_starts():
    """Every restart of the common run has the matrices of its start, and one table's counts."""
    patterns = {"A": np.array([0, 0, 1, 1]), "B": np.array([0, 1, 0, 1])}
    tables = np.array([[9, 1, 2, 8], [1, 9, 9, 1], [5, 5, 5, 5]])
    found = best_ends(STAR, patterns, tables, starts=4, n_epochs=400, tol=0)
    for table, end in zip(tables, found, strict=True):
        share = table / table.sum()
        assert end == pytest.approx(table @ np.log(share), abs=0.05)  # two states fit 2 x 2 tables


def test_heights_count_the_starts_at_the_highest_ends_and_all_that_are_lower():
    run = fit(STAR, COLUMNS, restarts=6, **HOW)
    ends = np.array([-1.04, -1.0, -2.0, -3.0, -4.0, -4.01])
    object.__setattr__(run, "loglik", np.vstack([run.loglik[:-1], ends]))
    assert heights(run) == {"best": "2 x -1.0", "second": "1 x -2.0", "third": "1 x -3.0",
                            "lower": 2}  # fmt: skip
    assert heights(run, 5)["fifth"] == "-" and heights(run, 5)["lower"] == 0


def test_permuted_columns_keep_their_values_and_lose_their_neighbours():
    table = {"A": np.arange(50), "B": np.arange(50)}
    found = permuted(table, np.random.default_rng(0))
    assert all(sorted(found[name]) == list(range(50)) for name in table)
    assert (found["A"] == found["B"]).mean() < 0.2


def test_a_warning_is_heard_and_does_not_reach_the_reader():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert heard(lambda: warnings.warn("careful", stacklevel=1) or 3) == (3, "careful")
        assert heard(lambda: 4) == (4, "")


def test_the_ability_model_agrees_with_an_integral_by_hermite_points():
    slope, shift = [0.988, 1.081, 1.706, 0.765, 0.736], [1.856, 0.808, 1.804, 0.486, 1.855]
    answers, counts = data.exam()
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    total = 0.0
    for k, count in enumerate(counts):
        product = weights / weights.sum()
        for a, d, column in zip(slope, shift, answers.values(), strict=True):
            right = 1 / (1 + np.exp(-(a * points + d)))
            product = product * (right if column[k] else 1 - right)
        total += count * np.log(product.sum())
    assert ability_loglik(answers, counts, slope, shift) == pytest.approx(total, abs=1e-3)


def test_the_lines_of_the_examination_are_its_patterns_in_words():
    answers, counts = data.exam()
    lines = data.exam_lines()
    assert len(lines) == 32 and sum(line["Count"] for line in lines) == 1000
    for k, line in enumerate(lines):
        assert line["Count"] == counts[k]
        assert [line[name] == "right" for name in answers] == [bool(v[k]) for v in answers.values()]


def test_enumeration_gives_the_posteriors_of_the_sprinkler_by_four_loops():
    graph, theta = examples.sprinkler()
    total, rain = 0.0, 0.0
    for c, s, r in itertools.product(range(2), repeat=3):
        p = (theta["Cloudy"][0, c] * theta["Sprinkler|Cloudy"][c, s] * theta["Rain|Cloudy"][c, r]
             * theta["Wet|Sprinkler,Rain"][2 * s + r, 0])  # fmt: skip
        total, rain = total + p, rain + p * (r == 0)
    found = examples.enumerated(graph, theta, {"Wet": "yes"})
    assert found["Rain"] == pytest.approx([rain / total, 1 - rain / total])
    assert found["Wet"] == pytest.approx([1, 0])
