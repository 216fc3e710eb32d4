"""The covariance of estimates, Wald tests and odds ratios, beside formulas for whole tables."""

import pickle

import numpy as np
import pytest
from latent_classes import TRUE, TWO, drawn
from oracles import logs, places
from tiers import slow

import fgnwidgets as fg

TABLE = drawn(TWO, TRUE, 500, 3, "ABCD")
RUN = fg.fit(TWO, TABLE, theta=TRUE, restarts=1, n_epochs=20000, tol=1e-13)
FOUND = fg.standard_errors(RUN)

COUNTS = np.array([[30, 50, 20], [10, 25, 45]])
"""How many women and men said no, perhaps and yes."""
ANSWERS = fg.BayesGraph(
    {"sex": ("woman", "man"), "answer": ("no", "perhaps", "yes")}, {"answer": "sex"}
)
SEEN = fg.fit(
    ANSWERS,
    {"sex": np.repeat(["woman", "man"], COUNTS.sum(axis=1)),
     "answer": np.concatenate([np.repeat(["no", "perhaps", "yes"], row) for row in COUNTS])},
)  # fmt: skip
WHOLE = fg.standard_errors(SEEN)
P = COUNTS / COUNTS.sum(axis=1, keepdims=True)


def information_by_differences(run, table):
    """Minus the second differences of the enumerated ``loglik`` in the numbers of ``places``."""
    at, e = places(run), 1e-4
    found = np.empty((len(at), len(at)))
    for i, a in enumerate(at):
        for j, b in enumerate(at[: i + 1]):
            corners = (
                s * t * logs(run, table, (a, s * e), (b, t * e)).sum()
                for s in (1, -1)
                for t in (1, -1)
            )
            found[i, j] = found[j, i] = -sum(corners) / (4 * e**2)
    return found


def test_the_covariance_is_the_inverse_of_minus_the_second_differences():
    right = np.linalg.inv(information_by_differences(RUN, TABLE))
    first = [k for k, (_, _, y) in enumerate(FOUND.entries) if y == 0]
    whole = FOUND.cov_params()
    np.testing.assert_allclose(whole[np.ix_(first, first)], right, rtol=2e-3, atol=1e-8)
    np.testing.assert_allclose(whole, whole.T)
    for at, (name, x, y) in enumerate(FOUND.entries):
        row = 0 if x == "" else x
        assert np.sqrt(whole[at, at]) == pytest.approx(FOUND.se[name][row, y])
    a, b = FOUND.cov_params("A|S"), FOUND.cov_params("S", "A|S")
    assert a.shape == (2, 2, 2, 2)
    assert b.shape == (1, 2, 2, 2)
    np.testing.assert_allclose(a.sum(axis=1), 0, atol=1e-15)  # the numbers of a row sum to one
    at = {entry: k for k, entry in enumerate(FOUND.entries)}
    assert a[0, 0, 1, 0] == whole[at["A|S", 0, 0], at["A|S", 1, 0]]
    assert b[0, 1, 1, 0] == whole[at["S", "", 1], at["A|S", 1, 0]]


def test_the_covariance_of_a_row_that_is_seen_is_the_multinomial_one():
    found = WHOLE.cov_params("answer|sex")
    for x, n in enumerate(COUNTS.sum(axis=1)):
        np.testing.assert_allclose(found[x, :, x], (np.diag(P[x]) - np.outer(P[x], P[x])) / n)
    np.testing.assert_allclose(found[0, :, 1], 0, atol=1e-18)


def test_two_shares_are_compared_as_by_the_textbooks_formula():
    yes = ("answer|sex", "woman", "yes"), ("answer|sex", "man", "yes")
    p, q = P[:, 2]
    n, m = COUNTS.sum(axis=1)
    plain = WHOLE.wald_test(yes, scale="probability")
    expected = (p - q) ** 2 / (p * (1 - p) / n + q * (1 - q) / m)
    assert plain.statistic == pytest.approx(expected)
    odds = WHOLE.wald_test([yes])
    apart = np.log(p / (1 - p) / (q / (1 - q)))
    error = 1 / (n * p) + 1 / (n * (1 - p)) + 1 / (m * q) + 1 / (m * (1 - q))
    assert odds.statistic == pytest.approx(apart**2 / error)
    assert (plain.df, odds.df) == (1, 1)
    special = pytest.importorskip("scipy.special")
    assert odds.p == pytest.approx(special.chdtrc(1, odds.statistic), rel=1e-9)
    assert "chi-square" in repr(odds)
    assert pickle.loads(pickle.dumps(odds)) == odds


def test_the_log_odds_of_two_shares_of_one_row_are_compared_with_their_covariance():
    """The delta method by hand: shares of one row have the covariance -pq/n."""
    n, p, q = COUNTS[1].sum(), P[1, 0], P[1, 2]
    found = WHOLE.wald_test([(("answer|sex", "man", "no"), ("answer|sex", "man", "yes"))])
    apart = np.log(p / (1 - p)) - np.log(q / (1 - q))
    spread = 1 / (n * p * (1 - p)) + 1 / (n * q * (1 - q)) + 2 / (n * (1 - p) * (1 - q))
    assert found.statistic == pytest.approx(apart**2 / spread)


def test_a_whole_row_is_compared_at_once_and_what_follows_from_the_rest_does_not_count():
    each = [
        (("answer|sex", "woman", k), ("answer|sex", "man", k)) for k in ("no", "perhaps", "yes")
    ]
    two = WHOLE.wald_test(each[:2], scale="probability")
    three = WHOLE.wald_test(each, scale="probability")
    d = P[0, :2] - P[1, :2]
    v = sum(
        (np.diag(p[:2]) - np.outer(p[:2], p[:2])) / n
        for p, n in zip(P, COUNTS.sum(axis=1), strict=True)
    )
    assert two.statistic == pytest.approx(d @ np.linalg.inv(v) @ d)
    assert three.statistic == pytest.approx(two.statistic)
    assert (two.df, three.df) == (2, 2)
    special = pytest.importorskip("scipy.special")
    assert two.p == pytest.approx(special.chdtrc(2, two.statistic), rel=1e-9)


def test_a_value_a_linear_equation_and_an_array_of_coefficients_say_the_same():
    n, p = 180, 100 / 180
    pair = WHOLE.wald_test((("sex", "woman"), 0.5), scale="probability")
    assert pair.statistic == pytest.approx((p - 0.5) ** 2 / (p * (1 - p) / n))
    equation = {("sex", "", "woman"): 1.0, ("sex", "", "man"): -1.0}
    assert WHOLE.wald_test((equation, 0.0), scale="probability").statistic == pytest.approx(
        pair.statistic
    )
    row = np.zeros((1, len(WHOLE.entries)))
    row[0, 0], row[0, 1] = 1, -1
    assert WHOLE.wald_test(row, scale="probability").statistic == pytest.approx(pair.statistic)
    third = {("answer|sex", "man", "yes"): 2.0, ("answer|sex", "woman", "no"): -1.0}
    variance = 4 * P[1, 2] * (1 - P[1, 2]) / 80 + P[0, 0] * (1 - P[0, 0]) / 100
    found = WHOLE.wald_test([(third, 0.7)], scale="probability")
    assert found.statistic == pytest.approx((2 * P[1, 2] - P[0, 0] - 0.7) ** 2 / variance)


def test_states_that_are_numbers_are_not_those_that_are_words():
    with pytest.raises(ValueError, match=r"hypotheses\[0\]: the entry .* is none of the run's"):
        FOUND.wald_test([(("A|S", 0, "0"), 0.5)])
    FOUND.wald_test([(("A|S", np.int64(0), np.int64(0)), 0.5)])


def test_what_has_no_error_cannot_be_tested_nor_what_contradicts_itself():
    run = fg.fit(ANSWERS, {"sex": ["woman"] * 9 + ["man"] * 9, "answer": ["no", "yes", "no"] * 6})
    found = fg.standard_errors(run)
    with pytest.raises(ValueError, match="'man', 'perhaps'.* has no error .on its bound."):
        found.wald_test((("answer|sex", "man", "perhaps"), 0.5))
    with pytest.raises(ValueError, match="contradict each other"):
        WHOLE.wald_test([(("sex", "man"), 0.3), (("sex", "woman"), 0.3)])


@pytest.mark.parametrize(
    ("count", "few", "half"),
    [(60, (0, 0.13), (0.35, 0.65)), pytest.param(200, (0.01, 0.1), (0.4, 0.6), marks=slow)],
)
def test_under_the_hypothesis_p_is_uniform(count, few, half):
    """Two items of two classes that are equally often answered "yes" in the first class."""
    theta = {**TRUE, "B|S": [[0.9, 0.1], [0.3, 0.7]]}
    p = []
    for seed in range(count):
        run = fg.fit(TWO, drawn(TWO, theta, 600, seed, "ABCD"), theta=theta, restarts=1, tol=1e-7)
        p.append(fg.standard_errors(run).wald_test((("A|S", 0, 1), ("B|S", 0, 1))).p)
    assert few[0] <= np.mean(np.array(p) < 0.05) < few[1]
    assert half[0] < np.mean(np.array(p) < 0.5) < half[1]


def test_odds_ratios_are_the_cross_products_with_the_error_of_woolf():
    found = WHOLE.odds_ratios("answer|sex", reference="man", reference_state="no")
    for y, word in ((1, "perhaps"), (2, "yes")):
        a, b, c, d = COUNTS[0, y], COUNTS[0, 0], COUNTS[1, y], COUNTS[1, 0]
        ratio, error = a * d / (b * c), np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        assert found.values[0, y] == pytest.approx(ratio)
        assert found.se[0, y] == pytest.approx(error)
        assert found.low[0, y] == pytest.approx(ratio * np.exp(-1.959964 * error), rel=1e-6)
        assert found.high[0, y] == pytest.approx(ratio * np.exp(1.959964 * error), rel=1e-6)
        special = pytest.importorskip("scipy.special")
        assert found.p[0, y] == pytest.approx(2 * special.ndtr(-abs(np.log(ratio)) / error))
        assert ("woman", word) in [row[:2] for row in found.rows()]
    assert len(found.rows()) == 2
    assert found.values[1].tolist() == [1, 1, 1]
    assert np.isnan(found.se[1]).all()
    turned = WHOLE.odds_ratios("answer|sex", reference_state="no")  # against the first, women
    np.testing.assert_allclose(turned.values[1], 1 / found.values[0])
    narrow = WHOLE.odds_ratios("answer|sex", reference="man", level=0.5)
    assert narrow.high[0, 2] < found.high[0, 2]
    assert "against man and state no" in repr(found)


def test_the_odds_ratio_of_two_classes_takes_their_covariance():
    """By the delta method, with the derivatives of its logarithm from differences."""
    found = FOUND.odds_ratios("A|S")
    first = FOUND.cov_params("A|S")[:, 0, :, 0]
    p = RUN.best_theta["A|S"][:, 1]
    slope = np.array([1 / (p[0] * (1 - p[0])), -1 / (p[1] * (1 - p[1]))])
    assert found.se[1, 1] == pytest.approx(np.sqrt(slope @ first @ slope))
    assert found.values[1, 1] == pytest.approx(p[1] / (1 - p[1]) / (p[0] / (1 - p[0])))


def test_a_ratio_with_a_number_on_its_bound_is_left_open():
    answers = ["no", "yes", "perhaps"] * 3 + ["no", "yes", "no"] * 3
    run = fg.fit(ANSWERS, {"sex": ["woman"] * 9 + ["man"] * 9, "answer": answers})
    found = fg.standard_errors(run).odds_ratios("answer|sex")
    assert np.isnan(found.values[1, 1])
    assert found.values[1, 2] == pytest.approx(0.5)
    assert "-" in repr(found)


def test_after_a_bootstrap_the_covariance_is_that_of_the_replicates():
    drawn_ones = fg.bootstrap(RUN, n=300)
    each = np.concatenate([m.reshape(300, -1) for m in drawn_ones.replicates.values()], axis=1)
    np.testing.assert_allclose(drawn_ones.cov_params(), np.cov(each.T), atol=1e-12)
    one = FOUND.wald_test((("A|S", 0, 0), ("B|S", 0, 0)))
    two = drawn_ones.wald_test((("A|S", 0, 0), ("B|S", 0, 0)))
    assert two.statistic == pytest.approx(one.statistic, rel=0.4)
