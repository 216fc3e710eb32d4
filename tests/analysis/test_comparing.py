"""Which model: held-out sums beside a loop over folds, tests of one more class, residuals."""

import numpy as np
import pandas as pd
import pytest
from latent_classes import ITEMS, SLIDES, TRUE, TWO, classes, drawn, slides
from oracles import joint
from tiers import slow

import fgnwidgets as fg
from fgnwidgets.analysis.comparing import _parts

FIVE = {**ITEMS, "E": 2}
TRUE_FIVE = {**TRUE, "E|S": [[0.6, 0.4], [0.2, 0.8]]}


def kinds(count):
    return classes(count, dict.fromkeys(SLIDES, 2))


@pytest.fixture(scope="module")
def compared():
    return fg.compare(kinds, SLIDES, range(1, 5), alpha=0.1, n_epochs=1500)


def test_three_kinds_of_slides_are_best_by_bic_and_held_out(compared):
    assert compared.best("bic") == 3
    assert compared.best("held_out") == 3
    assert compared["n_free"] == [7, 15, 23, 31]
    assert compared["rank"] == [7, 15, 23, 31]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_slides_whose_columns_are_permuted_have_one_kind_by_bic(seed):
    """What finds three kinds in the slides must find one where there is nothing to find.

    The cheaper criteria do not: AIC and the adjusted BIC often take two or three there.
    """
    rng = np.random.default_rng(seed)
    permuted = {name: rng.permutation(column) for name, column in SLIDES.items()}
    found = fg.compare(kinds, permuted, range(1, 4), folds=0, restarts=5, n_epochs=300)
    assert [found.best(judge) for judge in ("bic", "caic")] == [1, 1]


def test_a_comparison_is_a_frame_and_a_text(compared):
    frame = pd.DataFrame(dict(compared))
    assert list(frame.model) == [1, 2, 3, 4]
    assert frame.bic[2] == compared.runs[3].bic
    assert "held_out" in repr(compared)
    assert compared._repr_html_().count("<tr>") == 5


def test_criteria_without_pseudo_counts_are_the_published_ones():
    found = fg.compare(kinds, SLIDES, range(1, 4), folds=0, restarts=20, n_epochs=2000)
    np.testing.assert_allclose(found["bic"], [1082.32, 706.07, 697.14], atol=0.005)
    assert np.isnan(found["held_out"]).all()


def test_without_pseudo_counts_a_row_can_be_impossible_and_the_way_out_is_named():
    found = fg.compare({"two": kinds(2)}, SLIDES, alpha=0)
    assert found["held_out"] == [-np.inf]
    assert any("alpha=0.5" in note for note in found.notes)


def test_unless_told_criteria_are_of_maximum_likelihood_and_held_out_rows_of_half_a_count():
    by_default, plain, half = (
        fg.compare({"two": kinds(2)}, SLIDES, **given)
        for given in ({}, {"alpha": 0}, {"alpha": 0.5})
    )
    assert by_default["bic"] == plain["bic"] < half["bic"]
    assert by_default["held_out"] == pytest.approx(half["held_out"], abs=1e-3)
    assert not any("alpha" in note for note in by_default.notes)


def test_a_rule_that_takes_no_pseudo_counts_is_compared_as_it_is():
    found = fg.compare({"two": kinds(2)}, SLIDES, rule="kl", folds=3, restarts=2)
    assert found["held_out"][0] < -2


def test_held_out_is_the_sum_over_folds_of_what_the_others_say():
    table = drawn(TWO, TRUE, 200, 0, "ABCD")
    weight = np.random.default_rng(0).integers(0, 3, 200)
    found = fg.compare({"two": TWO}, table, weight=weight, folds=4, alpha=0.5)
    evidence = fg.read_evidence(TWO, table)
    rng = np.random.default_rng(np.random.SeedSequence(0).spawn(1)[0])
    rows, learning, test = _parts(evidence, weight.astype(float), 4, rng)
    np.testing.assert_array_equal(learning + test, np.tile(learning[0] + test[0], (4, 1)))
    np.testing.assert_array_equal(test.sum(axis=0), fg.distinct(evidence, weight)[1])
    assert np.ptp(test.sum(axis=1)) <= 1
    total = 0.0
    for k in range(4):
        run = fg.fit(TWO, rows, weight=learning[k], alpha=0.5, tol=1e-10, n_epochs=2000)
        total += test[k] @ fg.loglik(TWO, run.best_theta, rows)
    assert found["held_out"][0] == pytest.approx(total / weight.sum(), abs=1e-4)


def test_weights_that_are_no_counts_are_left_out_row_by_row():
    rng = np.random.default_rng(0)
    evidence = fg.read_evidence(TWO, drawn(TWO, TRUE, 50, 0, "ABCD"))
    weight = rng.random(50)
    _, learning, test = _parts(evidence, weight, 5, rng)
    np.testing.assert_allclose((learning + test).sum(axis=1), weight.sum())
    assert test.sum() == pytest.approx(weight.sum())


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"graphs": kinds}, "over=range"),
        ({"graphs": {"two": TWO}, "over": [2]}, "names say it all"),
        ({"graphs": "two"}, "expected a mapping"),
        ({"graphs": kinds, "over": 3}, r"over is 3: expected .* range\(1, 6\)"),
        ({"graphs": {"two": TWO}, "folds": 1}, "at least 2"),
        ({"graphs": {"two": TWO}, "folds": 500}, "only 40 samples"),
    ],
)
def test_mistakes_are_named(asked, says):
    with pytest.raises(ValueError, match=says):
        fg.compare(table=drawn(TWO, TRUE, 40, 0, "ABCD"), **asked)


def test_nothing_is_best_by_what_was_not_computed():
    found = fg.compare(kinds, SLIDES, [1, 2], folds=0, restarts=2)
    assert found.best() == 2
    with pytest.raises(ValueError, match=r"held_out was not computed: compare\(\.\.\., folds=10\)"):
        found.best("held_out")


@pytest.mark.parametrize(
    "report",
    [fg.standard_errors, fg.identified, fg.residuals, fg.bootstrap, lambda one: fg.blrt(one, one)],
)
@pytest.mark.parametrize("one", [TRUE, TWO, None], ids=["matrices", "graph", "none"])
def test_what_reports_of_a_run_says_so_of_anything_else(report, one):
    with pytest.raises(ValueError, match="expected a Run, as fit gives it"):
        report(one)


def test_the_ratio_test_asks_for_the_second_class_and_not_for_the_third():
    graph = classes(2, FIVE)
    table = drawn(graph, TRUE_FIVE, 400, 0, FIVE)
    runs = [fg.fit(classes(k, FIVE), table, n_epochs=3000) for k in (1, 2, 3)]
    one = fg.blrt(runs[0], runs[1], n=39)
    two = fg.blrt(runs[1], runs[2], n=39)
    assert one.p == 1 / 40
    assert two.p > 0.1
    assert one.ratio == pytest.approx(2 * (runs[1].summary().loglik - runs[0].summary().loglik))
    assert "p" in repr(two)


@pytest.mark.parametrize("count", [4, pytest.param(10, marks=slow)])
def test_where_one_class_made_the_tables_the_ratio_test_seldom_asks_for_a_second(count):
    """Its p is small as often as it says, and not for whatever table it is asked about."""
    graph = fg.BayesGraph(FIVE)
    theta = {name: TRUE_FIVE[f"{name}|S"][:1] for name in FIVE}
    p = []
    for seed in range(count):
        table = drawn(graph, theta, 200, seed, FIVE)
        one, two = (fg.fit(classes(k, FIVE), table, restarts=5, n_epochs=300) for k in (1, 2))
        p.append(fg.blrt(one, two, n=9, restarts=3, n_epochs=300, seed=seed).p)
    assert 0.3 < np.mean(p) < 0.7 and np.mean(np.array(p) <= 0.1) <= 0.3


def test_null_ratios_are_those_that_fits_of_drawn_tables_have():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    blank = np.random.default_rng(0).random(300) < 0.3
    table["A"] = np.where(blank, -1, table["A"])
    one, two = (fg.fit(classes(k, ITEMS), table) for k in (1, 2))
    found = fg.blrt(one, two, n=1, seed=3, tol=1e-9, restarts=8, n_epochs=2000)
    from fgnwidgets.analysis.simulating import simulated

    rng = np.random.default_rng(np.random.SeedSequence(3).spawn(1)[0])
    rows, weight = simulated(one, 1, rng)
    assert weight.sum(axis=1).tolist() == [300]
    assert weight[0][rows.codes["A"] < 0].sum() == blank.sum()  # the same blanks
    for r in range(1):
        ends = [
            fg.fit(
                classes(k, ITEMS),
                rows,
                weight=weight[r],
                restarts=8,
                tol=1e-6,
                n_epochs=300,
                progress=False,
            )
            for k in (1, 2)
        ]
        gain = 2 * (ends[1].final_loglik.max() - ends[0].final_loglik.max())
        assert found.null[r] == pytest.approx(gain, abs=0.01)


def test_runs_of_different_tables_are_refused():
    one = fg.fit(classes(1, ITEMS), drawn(TWO, TRUE, 50, 0, "ABCD"))
    two = fg.fit(TWO, drawn(TWO, TRUE, 60, 0, "ABCD"))
    with pytest.raises(ValueError, match="the same table"):
        fg.blrt(one, two)
    with pytest.raises(ValueError, match="smaller model first"):
        fg.blrt(two, two)


def test_residuals_are_those_of_the_enumerated_pairs():
    table = drawn(TWO, TRUE, 300, 0, "ABCD")
    table["A"] = np.where(np.random.default_rng(0).random(300) < 0.2, -1, table["A"])
    run = fg.fit(TWO, table)
    found = fg.residuals(run)
    whole = joint(TWO, run.best_theta)
    p = np.einsum("sabcd->ab", whole)
    both = table["A"] >= 0
    seen = np.zeros((2, 2))
    np.add.at(seen, (table["A"][both], table["B"][both]), 1)
    expected = p * both.sum()
    np.testing.assert_array_equal(found.observed["A", "B"], seen)
    np.testing.assert_allclose(found.expected["A", "B"], expected)
    value = ((seen - expected) ** 2 / expected).sum()
    assert found.values[0, 1] == found.values[1, 0] == pytest.approx(value)


def test_a_pair_that_is_dependent_within_a_class_stands_out_and_no_other_does():
    items = dict.fromkeys("ABCDEFGH", 2)
    true = {"S": [[0.5, 0.5]], **{f"{v}|S": [[0.8, 0.2], [0.2, 0.8]] for v in items}}
    graph = classes(2, items)
    table = drawn(graph, true, 2000, 0, items)
    fine = fg.residuals(fg.fit(graph, table))
    copied = np.random.default_rng(0).random(2000) < 0.3
    table["B"] = np.where(copied, table["A"], table["B"])
    found = fg.residuals(fg.fit(graph, table))
    assert found.worst(1)[0][:2] == ("A", "B")
    assert found.worst(1)[0][2] > 10 * found.worst(2)[1][2]
    assert fine.worst(1)[0][2] < 4


def test_two_kinds_do_not_explain_the_slides_and_three_explain_all_but_one_pair():
    one, two, three = (fg.residuals(slides(k)) for k in (1, 2, 3))
    assert (one.values[~np.eye(7, dtype=bool)] > 3.84).all()
    assert [sum(v > 3.84 for *_, v in r.worst(21)) for r in (two, three)] == [3, 1]


def test_one_variable_has_no_pairs():
    run = fg.fit(fg.BayesGraph({"X": 2}), {"X": [0, 1, 1]})
    with pytest.raises(ValueError, match="expected two"):
        fg.residuals(run)


def test_a_null_table_whose_ratio_is_the_observed_one_counts_as_extreme(monkeypatch):
    """p is the share of tables, the observed one among them, whose ratio is at least as large."""
    from fgnwidgets.analysis import ratio

    one, two = (fg.fit(tied(m), TIED, restarts=5, n_epochs=200) for m in (1, 2))
    gain = float(two.final_loglik[two.best] - one.final_loglik[one.best])
    assert gain > 0.1
    ends = {1: np.zeros(4), 2: np.array([gain, gain, gain + 1, gain - 1])}
    monkeypatch.setattr(
        ratio, "best_refit", lambda run, *words, **more: (None, ends[run.graph.variables["S"].size])
    )
    assert fg.blrt(one, two, n=4).p == pytest.approx((1 + 3) / (4 + 1))


def tied(m):
    return fg.BayesGraph({"S": m, "A": 2, "B": 2}, {"A": "S", "B": "S"})


TIED = {"A": [0, 1, 1, 0, 1, 0], "B": [0, 1, 1, 0, 0, 1]}
