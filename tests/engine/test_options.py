"""What decides between equal messages, and what becomes of a row that nothing reaches."""

import numpy as np
import pytest

from fgnwidgets import BayesGraph, fit, iterate, random_theta, var, vit

F = np.array([[0.5, 0.7, 0.2], [0.5, 0.3, 0.8], [0.0, 0.0, 0.0]])
B = np.array([[0.4, 0.1, 0.25], [0.4, 0.8, 0.25], [0.2, 0.1, 0.5]])
THETA = np.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3], [0.7, 0.2, 0.1]])


def counted(theta, choices, delta=0.0):
    """Rows of co-occurrences ``[(i, j), ...]``; a row without any keeps its value."""
    counts = np.zeros((3, 3))
    for i, j in choices:
        counts[i, j] += 1
    counts += delta
    sums = counts.sum(axis=1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1), theta)


def test_the_first_choice_of_each_option_is_what_the_rules_do_without_them():
    np.testing.assert_array_equal(vit(THETA, F, B, ties="first", empty="refill"), vit(THETA, F, B))
    np.testing.assert_array_equal(var(THETA, F, B, empty="refill"), var(THETA, F, B))


def test_a_row_that_no_sample_reaches_is_filled_or_kept():
    assert vit(THETA, F[:, :2], B[:, :2])[2] == pytest.approx([0.5, 0.5, 0], abs=1e-5)
    kept = vit(THETA, F, B, empty="keep", delta=0.0)
    np.testing.assert_allclose(kept, counted(THETA, [(0, 0), (0, 1), (1, 2)]))
    np.testing.assert_array_equal(vit(THETA, F, B, empty="keep")[2], THETA[2])
    assert var(THETA, F, B)[2] == pytest.approx([1 / 3] * 3)
    soft = var(THETA, F, B, empty="keep", delta=0.5)
    np.testing.assert_array_equal(soft[2], THETA[2])
    np.testing.assert_allclose(soft[:2], var(THETA, F, B, delta=0.5)[:2])
    # A prior is knowledge, not a filling: it is for every row.
    assert var(THETA, F, B, empty="keep", alpha=2.0)[2] == pytest.approx([1 / 3] * 3)


def test_random_ties_are_any_of_the_equal_values_and_never_another():
    possible = [counted(THETA, [(i, j), (0, 1), (1, 2)]) for i in (0, 1) for j in (0, 1)]
    seen = set()
    for seed in range(40):
        theta = np.random.default_rng(seed).dirichlet(np.ones(3), 3)
        new = vit(theta, F, B, ties="random", delta=0.0)
        found = [k for k, m in enumerate(possible) if np.allclose(new[:2], m[:2])]
        assert len(found) == 1
        seen.update(found)
    assert seen == {0, 1, 2, 3}


def test_random_ties_are_the_same_again_and_the_same_in_a_batch():
    thetas = np.random.default_rng(1).dirichlet(np.ones(3), (5, 3))
    batch = vit(thetas, F, B, ties="random")
    for theta, new in zip(thetas, batch, strict=True):
        np.testing.assert_array_equal(vit(theta, F, B, ties="random"), new)


@pytest.mark.parametrize("seed", range(5))
def test_random_ties_do_not_hang_on_the_last_bits_of_a_matrix(seed):
    theta = np.random.default_rng(seed).dirichlet(np.ones(3), 3)
    f, b = np.full((3, 50), 1 / 3), np.full((3, 50), 1 / 3)  # all samples are tied
    drawn = vit(theta, f, b, ties="random")
    for other in (np.nextafter(theta, 1), np.nextafter(theta, 0)):
        np.testing.assert_array_equal(vit(other, f, b, ties="random"), drawn)
    assert not np.array_equal(vit(theta[::-1], f, b, ties="random"), drawn)


def test_a_run_takes_the_options_and_refuses_others():
    graph = BayesGraph({"S": 3, "a": 2, "b": 2}, {"a": "S", "b": "S"})
    table = {"a": [0, 0, 1, 1, 0], "b": [0, 1, 1, 1, 0]}
    start = random_theta(graph, np.random.default_rng(3))
    assert start["S"][0, 2] > 0.7  # what a child hears from S is the third state, in all samples
    kept = fit(graph, table, "vit", theta=start, restarts=1, n_epochs=1, empty="keep", tol=0)
    filled = fit(graph, table, "vit", theta=start, restarts=1, n_epochs=1, tol=0)
    for name in ("a|S", "b|S"):
        share = np.mean(table[name[0]])
        assert filled.final[name][0][:, 1] == pytest.approx([share] * 3, abs=1e-5)
        np.testing.assert_array_equal(kept.final[name][0][:2], start[name][:2])
        np.testing.assert_allclose(kept.final[name][0][2], filled.final[name][0][2], atol=1e-5)
    # Rules side by side: each gets what it takes.
    both = fit(graph, table, ("ml", "vit"), theta=start, n_epochs=1, empty="keep", tol=0)
    np.testing.assert_allclose(both.final["a|S"][1], kept.final["a|S"][0])
    with pytest.raises(ValueError, match="ties is 'last': expected 'first' or 'random'"):
        fit(graph, table, "vit", ties="last")
    with pytest.raises(ValueError, match="ties is 'random' with rule 'var'"):
        list(iterate("var", THETA, F, B, ties="random"))
    with pytest.raises(ValueError, match="empty is True: expected 'refill' or 'keep'"):
        vit(THETA, F, B, empty=True)
