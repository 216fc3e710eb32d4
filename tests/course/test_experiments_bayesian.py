"""Densities of a matrix in closed form, and the product space (section 4, Appendix A)."""

import math
from itertools import product

import numpy as np
import pytest

from fgn_notebooks.experiments import (
    bayesian_block,
    bayesian_sharpening,
    product_space,
)
from fgn_notebooks.experiments.bayesian import divergence
from fgn_notebooks.experiments.bayesian_chain import bayesian_chain
from fgn_notebooks.experiments.coverage import coverage


def test_the_exact_density_is_the_product_of_the_messages_over_the_grid():
    found = bayesian_block(n=7, exponent=3, grid=9, seed=4)
    density = np.zeros((9, 9))
    for i, j in np.ndindex(9, 9):
        p, q = found.grid[i], found.grid[j]
        theta = np.array([[p, 1 - p], [q, 1 - q]])
        density[i, j] = math.prod(f @ theta @ b for f, b in zip(found.f.T, found.b.T, strict=True))
    np.testing.assert_allclose(found.exact, density / density.sum(), rtol=1e-9)


def beta(x, one, two):
    """The density of a Dirichlet with two numbers."""
    log = math.lgamma(one + two) - math.lgamma(one) - math.lgamma(two)
    return np.exp(log + (one - 1) * np.log(x) + (two - 1) * np.log(1 - x))


@pytest.mark.parametrize("alpha", [0.0, 2.5])
def test_the_variational_density_is_a_product_of_dirichlets(alpha):
    found = bayesian_block(n=30, exponent=4, alpha=alpha, grid=401)
    for row in (0, 1):
        one, two = found.counts[row] + alpha + 1
        np.testing.assert_allclose(
            found.marginal(found.variational, row), beta(found.grid, one, two), atol=2e-3
        )
        mean = found.mean(found.variational)[row]
        np.testing.assert_allclose(mean, np.array([one, two]) / (one + two), atol=1e-4)
    assert found.correlation(found.variational) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(
        found.var, (found.counts + alpha) / (found.counts + alpha).sum(axis=1, keepdims=True)
    )


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_both_densities_are_one_when_the_messages_are_deltas(alpha):
    found = bayesian_block(exponent=math.inf, alpha=alpha)
    np.testing.assert_allclose(found.exact, found.variational, atol=1e-12)
    assert found.apart == pytest.approx(0, abs=1e-9)
    np.testing.assert_array_equal(found.counts, found.counts.round())
    np.testing.assert_allclose(found.ml, found.var, atol=1e-9)


def test_the_ml_rule_climbs_to_the_maximum_of_the_exact_density():
    found = bayesian_block(exponent=5, grid=201, n=60)
    i, j = np.unravel_index(found.exact.argmax(), found.exact.shape)
    assert found.ml[:, 0] == pytest.approx((found.grid[i], found.grid[j]), abs=0.006)


def test_the_sensors_are_right_as_often_as_they_say():
    """A matrix learned by ML from many pairs is the one that made them, however soft they are."""
    found = bayesian_block(n=20000, exponent=3, grid=11)
    np.testing.assert_allclose(found.ml, found.truth, atol=0.03)
    assert abs(found.var - found.truth).max() > 0.1


def test_sharper_messages_bring_the_densities_together():
    apart = np.median(bayesian_sharpening(n_seeds=8).apart, axis=1)
    assert (np.diff(apart) < 0).all() and apart[-1] < 1e-9


def test_the_messages_of_the_product_space_are_those_of_index_loops():
    messages = {0: [0.9, 0.1], 1: [0.2, 0.5, 0.3], 2: [0.4, 0.6]}
    found = product_space(message=messages)
    cells = list(product(range(2), range(3), range(2)))
    for k, size in enumerate((2, 3, 2)):
        up = [messages[k][cell[k]] * size / 12 for cell in cells]
        np.testing.assert_allclose(found.up[k], up)
    met = np.array([math.prod(messages[k][cell[k]] for k in range(3)) for cell in cells])
    np.testing.assert_allclose(found.met, met / met.sum())
    for k, size in enumerate((2, 3, 2)):
        back = [sum(met[i] for i, cell in enumerate(cells) if cell[k] == v) for v in range(size)]
        np.testing.assert_allclose(found.down[k], np.array(back) / met.sum())


def test_a_message_that_meets_no_other_comes_back_as_it_was():
    found = product_space(sizes=(3, 2, 4), message={1: [0.7, 0.3]})
    np.testing.assert_allclose(found.down[1], [0.7, 0.3])
    np.testing.assert_allclose(found.down[0], [1 / 3] * 3)
    np.testing.assert_allclose(found.down[2], [1 / 4] * 4)


def test_the_configurations_are_numbered_with_the_first_variable_slowest():
    assert product_space(sizes=(2, 2)).configurations == ("11", "12", "21", "22")


def test_the_matrices_of_the_grid_stand_where_the_density_has_their_cells():
    found = bayesian_block(n=7, exponent=3, grid=9, seed=4)
    for i, j in np.ndindex(9, 9):
        p, q = found.grid[i], found.grid[j]
        assert found.matrices[i, j].tolist() == [[p, 1 - p], [q, 1 - q]]
    i, j = max(np.ndindex(9, 9), key=lambda cell: found.exact[cell])
    assert found.highest(found.exact)[:, 0].tolist() == [found.grid[i], found.grid[j]]


def test_the_spread_is_that_of_a_beta_distribution():
    found = bayesian_block(n=30, exponent=4, grid=401)
    for row in (0, 1):
        one, two = found.counts[row] + 1
        variance = one * two / ((one + two) ** 2 * (one + two + 1))
        assert found.spread(found.variational, row) == pytest.approx(math.sqrt(variance), abs=1e-4)


def test_what_differs_from_zero_by_rounding_is_zero():
    found = bayesian_block(n=100, exponent=3, seed=2)
    assert found.correlation(found.variational) == 0 != found.correlation(found.exact)
    assert divergence(found.exact, found.exact * (1 + 1e-15)) == 0


def test_all_of_the_mass_holds_every_matrix_and_two_equal_densities_hold_the_same():
    truths = np.random.default_rng(3).random((20, 2))
    whole = coverage(truths, 5, mass=1.0)
    assert whole["exact"] == whole["variational"] == 1 > whole["size of the exact region"] - 1e-9
    half, most = (coverage(truths, 5, mass=mass)["size of the exact region"] for mass in (0.5, 0.9))
    assert half < most < 1
    sharp = coverage(truths, math.inf)
    assert sharp["exact"] == sharp["variational"] > sharp["size of the exact region"]


def test_a_true_matrix_is_found_in_its_own_cell_of_the_region():
    (p, q), grid = (0.83, 0.27), 21
    found = bayesian_block(exponent=5, seed=0, truth=((p, 1 - p), (q, 1 - q)), grid=grid)
    nearest = tuple(int(np.abs(found.grid - v).argmin()) for v in (p, q))
    above = found.exact[found.exact > found.exact[nearest]].sum()
    held = coverage([(p, q)], 5, grid=grid)["exact"] == 1
    assert held == (above < 0.9)


def test_the_means_of_the_chain_are_those_of_its_messages():
    found = bayesian_chain([[0.9, 0.2], [0.1, 0.8]], [[1.0, 0.3], [0.0, 0.7]], grid=31)
    says = [
        np.array([[x @ [[p, 1 - p], [q, 1 - q]] @ y for q in found.grid] for p in found.grid])
        for x, y in zip(found.f.T, found.b.T, strict=True)
    ]
    for name, density in (
        ("block 1 is told", says[1]),
        ("block 2 is told", says[0]),
        ("all together", says[0] * says[1]),
    ):
        weights = density / density.sum()
        mean = (found.grid @ weights.sum(axis=1), found.grid @ weights.sum(axis=0))
        assert tuple(found.means[name].values()) == pytest.approx(mean)
