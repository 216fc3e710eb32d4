"""What chapters 05 and 06 say of the rules in other people's words, checked with other tools."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.decomposition import non_negative_factorization

from fgnwidgets import block_loglik, iterate, kl, ml, row_normalize, var

RNG = np.random.default_rng(3)
F, B = RNG.dirichlet(np.ones(3), 60).T, RNG.dirichlet(np.ones(4), 60).T
UNIFORM = np.full((3, 4), 1 / 4)


def factorised(n_iter):
    """W of B = W F by scikit-learn, with F held, as a matrix theta = W^T."""
    w, *_ = non_negative_factorization(
        B, H=F, n_components=3, init="custom", update_H=False, solver="mu", tol=0,
        beta_loss="kullback-leibler", max_iter=n_iter,
    )  # fmt: skip
    return w.T


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_a_step_of_kl_is_one_of_scikit_learns_factorisation_with_rows_normalised():
    """scikit-learn starts from a constant matrix, whose scale the first step removes."""
    once = factorised(1)
    np.testing.assert_allclose(row_normalize(once), kl(UNIFORM, F, B), rtol=1e-6)
    step_1 = UNIFORM * (F @ (B / (UNIFORM.T @ F)).T) / F.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(once, step_1, rtol=1e-6)


def divergence(theta):
    return (B * np.log(B / (theta.T @ F))).sum()


@pytest.mark.filterwarnings("ignore:Maximum number of iterations")
def test_the_factorisation_ends_nearer_than_kl_and_not_on_row_stochastic_matrices():
    free = factorised(4000)
    *_, bound = iterate("kl", UNIFORM, F, B, n_it=4000)
    extra = (free.T @ F).sum() - F.shape[1]  # the generalised divergence counts the total too
    assert divergence(free) + extra < divergence(bound) - 1e-6
    assert np.abs(free.sum(axis=1) - 1).max() > 1e-3


def highest(height):
    """The row-stochastic matrix with the largest ``height``, by a general optimiser."""

    def theta_of(x):
        e = np.exp(x.reshape(3, 4))
        return e / e.sum(axis=1, keepdims=True)

    found = minimize(lambda x: -height(theta_of(x)), np.zeros(12), method="BFGS", tol=1e-9)
    return theta_of(found.x)


def test_each_rule_ends_at_the_maximum_of_its_own_bound():
    ends = {name: list(iterate(name, UNIFORM, F, B, n_it=4000))[-1] for name in ("ml", "kl")}
    heights = {
        "ml": lambda theta: block_loglik(theta, F, B),
        "kl": lambda theta: (B * np.log(theta.T @ F)).sum(),
        "var": lambda theta: (F @ B.T * np.log(theta)).sum(),
    }
    ends["var"] = var(UNIFORM, F, B, delta=0)
    for name, height in heights.items():
        assert height(ends[name]) == pytest.approx(height(highest(height)), abs=1e-4), name
        assert heights["ml"](ends[name]) >= heights["kl"](ends[name]) >= heights["var"](ends[name])
    assert heights["kl"](ends["ml"]) < heights["kl"](ends["kl"]) - 0.1


def test_of_a_source_with_uniform_input_the_mean_row_is_the_prior():
    above = B[:, :40]
    *_, prior = iterate("ml", np.full((1, 4), 1 / 4), np.ones((1, 40)), above, n_it=20_000)
    for start in (np.full((5, 4), 1 / 4), RNG.dirichlet(np.ones(4), 5)):
        *_, rows = iterate("ml", start, np.full((5, 40), 1 / 5), above, n_it=20_000)
        np.testing.assert_allclose(rows.mean(axis=0), prior[0], atol=1e-4)


def test_ml_without_its_denominator_ends_in_a_corner():
    theta = UNIFORM
    for _ in range(3000):
        theta = row_normalize(theta * (F @ B.T))
    np.testing.assert_allclose(theta, np.eye(4)[(F @ B.T).argmax(axis=1)], atol=1e-6)
    assert block_loglik(theta, F, B) < block_loglik(ml(UNIFORM, F, B), F, B)
