"""Distributions and row-stochastic matrices as plain arrays."""

import numpy as np
import pytest
from checks import close

from fgnwidgets import normalize, row_normalize, sharpen
from fgnwidgets.algebra.arrays import i_max


def test_normalize_makes_every_column_a_distribution():
    close(normalize([[1, 0], [3, 2]]), [[0.25, 0], [0.75, 1]])


def test_row_normalize_makes_every_row_a_distribution():
    close(row_normalize([[1, 3], [0, 2]]), [[0.25, 0.75], [0, 1]])


def test_both_work_on_batch_axes(rng):
    batch = rng.random((2, 3, 4, 5))
    close(normalize(batch).sum(axis=-2), np.ones((2, 3, 5)))
    close(row_normalize(batch).sum(axis=-1), np.ones((2, 3, 4)))


@pytest.mark.parametrize("function", [normalize, row_normalize])
@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1, -2], [1, 1]], "holds -2.0: expected finite numbers >= 0"),
        ([[1, np.nan], [1, 1]], "holds nan"),
        ([[1, np.inf], [1, 1]], "holds inf"),
        ([[0, 0], [0, 0]], "is all zero"),
        ([["a", "b"]], "is not an array of numbers"),
        ([[1, 2], [3]], "is not an array of numbers"),
    ],
)
def test_what_is_no_distribution_is_refused(function, values, said):
    with pytest.raises(ValueError, match=said):
        function(values)


def test_a_message_without_a_sample_axis_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"shape \(2,\).*v\[:, None\]"):
        normalize([1, 2])


def test_sharpen_is_the_power_of_each_column_normalised():
    u = normalize([[1, 2], [3, 2]])
    close(sharpen(u, 3), [[1 / 28, 0.5], [27 / 28, 0.5]])
    close(sharpen(u, 1), u)
    close(sharpen(u, 0), np.full((2, 2), 0.5))


def test_sharpen_comes_close_to_a_delta_without_underflow():
    close(sharpen([[0.01, 0.4], [0.02, 0.6]], 5000), [[0, 0], [1, 1]])


@pytest.mark.parametrize("exponent", [-1, np.nan, np.inf])
def test_sharpen_refuses_what_is_no_exponent(exponent):
    with pytest.raises(ValueError, match="exponent is"):
        sharpen([[1], [2]], exponent)


def test_the_first_of_values_that_differ_by_rounding_is_the_maximum():
    v = np.array([[0.3, 0.3, 0.3], [0.3 * (1 + 1e-10), 0.3 * (1 + 1e-8), 0.2]])
    assert i_max(v).argmax(axis=0).tolist() == [0, 1, 0]
    close(i_max(v), [[1, 0, 1], [0, 1, 0]])
