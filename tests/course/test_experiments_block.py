"""The single block learns what the paper's loops learn (section 6)."""

import math
from itertools import product

import numpy as np
import pytest

from fgn_notebooks.experiments import (
    one_block,
    one_block_ranking,
    sharpening,
)
from fgn_notebooks.experiments.halves import on_halves
from fgn_notebooks.experiments.single_block import draw_messages, each_rule
from fgnwidgets import RULES, sharpen


def loops(rule, f, b, steps):
    """The paper's algorithms, index by index."""
    m_x, m_y, n = len(f), len(b), f.shape[1]
    theta = [[1 / m_y] * m_y for _ in range(m_x)]
    for _ in range(steps if rule in ("ml", "kl") else 1):
        new = [[0.0] * m_y for _ in range(m_x)]
        for r, c, k in product(range(m_x), range(m_y), range(n)):
            if rule == "ml":
                q = sum(f[i, k] * theta[i][j] * b[j, k] for i in range(m_x) for j in range(m_y))
                new[r][c] += theta[r][c] * f[r, k] * b[c, k] / q
            elif rule == "kl":
                q = sum(theta[i][c] * f[i, k] for i in range(m_x))
                new[r][c] += theta[r][c] * f[r, k] * b[c, k] / q
            elif rule == "var":
                new[r][c] += f[r, k] * b[c, k]
            else:
                one = (f[r, k] == max(f[:, k])) + 1e-6
                new[r][c] += one * ((b[c, k] == max(b[:, k])) + 1e-6)
        theta = [[v / sum(row) for v in row] for row in new]
    return np.array(theta)


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
def test_one_block_learns_what_the_papers_loops_learn(rule):
    found = one_block(m_x=2, m_y=3, n=12, ex=2, ey=3, n_iterations=4, seed=5)
    np.testing.assert_allclose(found.theta[rule][-1], loops(rule, found.f, found.b, 4), atol=1e-6)


def test_the_likelihoods_of_one_block_are_sums_of_logs():
    found = one_block(m_x=2, m_y=3, n=10, n_iterations=3, split=True)
    for name, theta in found.theta.items():
        for one, curve, cut in (
            (theta[-1], found.loglik, slice(0, 5)),
            (theta[-1], found.test_loglik, slice(5, 10)),
        ):
            samples = zip(found.f.T[cut], found.b.T[cut], strict=True)
            by_hand = sum(math.log(f @ one @ b) for f, b in samples)
            assert curve[name][-1] == pytest.approx(by_hand)


def test_the_messages_are_uniform_numbers_raised_to_the_exponent():
    smooth, sharp = one_block(ex=1, ey=1, n_iterations=1), one_block(ex=7, ey=3, n_iterations=1)
    np.testing.assert_allclose(sharp.f, sharpen(smooth.f, 7))
    np.testing.assert_allclose(sharp.b, sharpen(smooth.b, 3))


def test_more_samples_keep_those_that_were_there():
    few, many = one_block(n=20, n_iterations=1), one_block(n=50, n_iterations=1)
    np.testing.assert_array_equal(many.f[:, :20], few.f)
    np.testing.assert_array_equal(many.b[:, :20], few.b)


def test_var_is_the_first_step_of_ml_and_of_kl():
    found = one_block()
    np.testing.assert_allclose(found.theta["ml"][1], found.theta["var"][0], atol=1e-6)
    np.testing.assert_allclose(found.theta["kl"][1], found.theta["var"][0], atol=1e-6)


def test_a_split_hides_the_second_half_from_learning():
    whole, half = one_block(n=60, split=True), one_block(n=30)
    np.testing.assert_allclose(whole.theta["ml"], half.theta["ml"], rtol=1e-12)


@pytest.mark.parametrize("split", [False, True])
def test_a_ranking_is_many_single_blocks(split):
    ranking = one_block_ranking(seed=3, n_seeds=4, n_iterations=20, split=split)
    for k in range(4):
        single = one_block(seed=3 + k, n_iterations=20, split=split)
        for name, finals in ranking.loglik.items():
            assert finals[k] == pytest.approx(single.loglik[name][-1], rel=1e-12)
            last = single.theta[name][-1]
            assert ranking.spread[name][k] == pytest.approx(np.ptp(last))
        np.testing.assert_allclose(ranking.curves["kl"][:, k], single.loglik["kl"])
        if split:
            assert ranking.test_loglik["ml"][k] == pytest.approx(single.test_loglik["ml"][-1])


def test_every_place_is_taken_once_in_each_seed():
    places = one_block_ranking(n_seeds=30, n_iterations=40, ex=5, ey=5).places
    contenders = len(RULES) + 1  # and a random matrix
    assert places.sum(axis=0).tolist() == places.sum(axis=1).tolist() == [30] * contenders
    assert places[0, 0] == 30  # ML first
    assert places[-1, -1] > 15  # the random matrix last


def test_sharper_messages_bring_all_rules_to_counting():
    found = sharpening(exponents=(1, 10, 1000, 1e6), n_seeds=5)
    for rule in ("kl", "vit", "var"):
        apart = found.apart[rule].mean(axis=1)
        assert (np.diff(apart) < 0).all()
        assert apart[-1] < 1e-3 < apart[0]


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
def test_each_rule_ends_where_the_papers_loops_end_and_weights_are_copies(rule):
    f, b, _ = (drawn[0] for drawn in draw_messages(2, 3, 8, 2, 2, [4]))
    copies = [1, 2, 3, 1, 1, 1, 2, 1]
    ends = each_rule(f, b, n_it=4, weight=copies)
    many_f, many_b = (np.repeat(messages, copies, axis=1) for messages in (f, b))
    np.testing.assert_allclose(ends[rule.upper()], loops(rule, many_f, many_b, 4), atol=1e-5)


def test_each_half_is_judged_by_the_matrices_of_the_first_half():
    f, b, _ = draw_messages(2, 3, 20, 2, 2, [0, 1, 2])
    found = on_halves(f, b, n_it=3)
    best = []
    for k in range(3):
        tests = {}
        for rule in ("ml", "kl", "vit", "var"):
            theta = loops(rule, f[k, :, :10], b[k, :, :10], 3)
            for gains, cut in ((found.training, slice(10)), (found.test, slice(10, 20))):
                q = [x @ theta @ y for x, y in zip(f[k].T[cut], b[k].T[cut], strict=True)]
                gain = 1000 * (np.mean(np.log(q)) + math.log(3))
                assert gains[rule.upper()][k] == pytest.approx(gain, abs=0.05)
                tests[rule] = gain
        best.append(max(tests, key=tests.get) == "ml")
    assert found.ml_best == pytest.approx(np.mean(best))
    means = found.means["KL"]
    assert means == pytest.approx((found.training["KL"].mean(), found.test["KL"].mean()))


def test_a_pseudo_count_is_for_ml_alone_and_pulls_it_to_the_uniform_matrix():
    f, b, _ = draw_messages(2, 3, 20, 5, 5, [0])
    plain, pulled = on_halves(f, b), on_halves(f, b, alpha=1e6)
    assert pulled.test["ML"] == pytest.approx(0, abs=0.1) != pytest.approx(plain.test["ML"])
    assert all((pulled.test[k] == plain.test[k]).all() for k in ("KL", "VIT", "VAR"))


def test_what_is_said_of_pairs_and_of_ranges_is_counted_by_hand():
    found = one_block_ranking(n=30, n_seeds=12)
    wins = sum(a > b for a, b in zip(found.loglik["vit"], found.loglik["var"], strict=True))
    (words,) = found.above(("vit", "var")).values()
    assert words.startswith(f"{wins / 12:.0%} (") and list(found.above(("ml", "reference"))) == [
        "ML above random"
    ]
    ranges = found.spread
    widest = [all(ranges["ml"][k] > ranges[r][k] for r in ("kl", "vit", "var")) for k in range(12)]
    assert found.spreads["ML has the largest"] == f"{np.mean(widest):.0%}"
    assert found.spreads["KL"] == pytest.approx(np.median(ranges["kl"]))
