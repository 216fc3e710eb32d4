"""Chapter 15: its parts against plain sums, its stored numbers against new ones."""

import math

import numpy as np
import pytest

from fgn_notebooks import judgements
from fgn_notebooks.experiments import which_rule
from fgn_notebooks.experiments.contenders import VB, digamma, vb_step
from fgn_notebooks.experiments.which_rule import NAMES, judged, real_case
from fgn_notebooks.figures.which_rule import draw_judgements


def test_digamma_is_that_of_whole_and_half_numbers():
    """Harmonic sums, and twice the logarithm of two."""
    gamma = 0.57721566490153286
    assert digamma(np.array(1.0)) == pytest.approx(-gamma, abs=1e-12)
    assert digamma(np.array(0.5)) == pytest.approx(-gamma - 2 * math.log(2), abs=1e-12)
    assert digamma(np.array(7.0)) == pytest.approx(-gamma + sum(1 / k for k in range(1, 7)))
    assert digamma(np.array([1e-3, 40.0])) == pytest.approx(
        [-1000.5755719318103, 3.676327374013353], abs=1e-9
    )


def plain_variational_bayes(x, counts, sizes, pi, blocks, a, epochs):
    """Sub-normalised rows and responsibilities by index loops, with no column for the rest."""
    k = len(pi)
    for _ in range(epochs):
        n_pi, n = np.zeros(k), [np.zeros((k, m)) for m in sizes]
        for row, count in zip(x, counts, strict=True):
            r = pi.copy()
            for j, value in enumerate(row):
                r = r * blocks[j][:, value]
            r = count * r / r.sum()
            n_pi += r
            for j, value in enumerate(row):
                n[j][:, value] += r
        pi = np.exp(digamma(n_pi + a) - digamma(np.array((n_pi + a).sum())))
        blocks = [np.exp(digamma(m + a) - digamma((m + a).sum(axis=1, keepdims=True))) for m in n]
    return pi / pi.sum(), blocks


def test_the_rule_of_variational_bayes_is_the_textbook_algorithm():
    from fgnwidgets import fit, random_theta

    rng = np.random.default_rng(1)
    sizes = {"A": 2, "B": 3, "C": 2}
    graph = which_rule.with_rest(sizes, 3)
    start = random_theta(graph, rng)
    x = np.array([[0, 0, 1], [1, 2, 0], [0, 1, 1], [1, 1, 0]])
    counts = np.array([4.0, 7.0, 2.0, 5.0])
    table = {name: x[:, j] for j, name in enumerate(sizes)}
    run = fit(graph, table, VB, theta=start, restarts=1, n_epochs=9, tol=0,
              weight=counts, a=0.5, progress=False)  # fmt: skip
    blocks = [start[f"{name}|S"][:, :m] for name, m in sizes.items()]
    pi, blocks = plain_variational_bayes(x, counts, [2, 3, 2], start["S"][0], blocks, 0.5, 9)
    np.testing.assert_allclose(run.best_theta["S"][0], pi, atol=1e-12)
    for name, block in zip(sizes, blocks, strict=True):
        np.testing.assert_allclose(run.best_theta[f"{name}|S"][:, :-1], block, atol=1e-12)


def test_a_step_of_variational_bayes_gives_a_distribution():
    rng = np.random.default_rng(0)
    theta, f, b = rng.dirichlet(np.ones(3), 2), rng.random((2, 5)), rng.random((3, 5))
    b[-1] = 0
    new = vb_step(theta, f, b, np.ones((1, 5)), a=0.5)
    np.testing.assert_allclose(new.sum(axis=1), 1)
    assert (new[:, -1] > 0).all()


def test_the_smoothed_table_leaves_one_row_out_to_choose_its_constant():
    table = {"A": np.array([0, 0, 1, 1]), "B": np.array([0, 1, 0, 1])}
    case = real_case("x", table, np.array([30, 4, 1, 25]), 20, splits=3)
    p = which_rule._smoothed(case)

    def left_out(learn, a):
        total = 0.0
        for kind in np.repeat(np.arange(4), learn.astype(int)):
            others = learn - np.eye(4)[kind]
            total += math.log((others[kind] + a) / (others.sum() + 4 * a))
        return total

    for learn, found in zip(case.learn, p, strict=True):
        a = max(np.geomspace(0.001, 30, 60), key=lambda a: left_out(learn, a))
        np.testing.assert_allclose(found, (learn + a) / (20 + 4 * a))
        assert found.sum() == pytest.approx(1)


def test_what_is_learned_from_does_not_judge():
    table, counts = which_rule.real_tables()["role_conflict"]
    case = real_case("x", table, counts, 50, splits=4)
    assert (case.learn.sum(axis=1) == 50).all()
    left = counts - case.learn
    np.testing.assert_allclose(case.judge * left.sum(axis=1, keepdims=True), left)


def test_a_contender_that_knew_the_truth_would_lose_nothing():
    case = which_rule.papers_case(1000, splits=3)
    divergence = (case.judge * np.log(case.judge)).sum(axis=1) + case.entropy
    np.testing.assert_allclose(divergence, 0, atol=1e-12)
    result = judged(case, starts=2, n_epochs=40)
    assert (result.loss > 0).all()
    assert result.loss[NAMES.index("independence")].mean() == pytest.approx(0.15, abs=0.02)


def test_a_stored_case_is_measured_again():
    table, counts = which_rule.real_tables()["role_conflict"]
    result = judged(real_case("role_conflict, half", table, counts, 108))
    stored = judgements.grid(judgements.stored())["role_conflict, half"]
    np.testing.assert_allclose(result.mean, [stored[name] for name in NAMES], atol=0.2)


def test_every_case_is_stored_with_every_contender():
    found = judgements.stored()
    wanted = [make().name for _, make in judgements.cases()]
    assert list(judgements.grid(found)) == wanted
    assert all(set(v) == set(NAMES) for v in judgements.grid(found).values())


def test_the_picture_frames_what_may_be_the_best():
    found = judgements.stored()
    ax = draw_judgements(found, ("paper's model",)).axes[0]
    losses = [int(t.get_text()) for t in ax.texts]
    framed = [int(t.get_text()) for t in ax.texts if t.get_bbox_patch().get_edgecolor()[3] > 0]
    assert 0 in framed and max(framed) < max(losses) / 2
    assert [t.get_text() for t in ax.get_yticklabels()] == list(NAMES)
