"""Appendix A: the matrices of the product space."""

import json
from pathlib import Path

import numpy as np
import pytest
from checks import close

from fgnwidgets import product_to_variable, variable_to_product

PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "published.json").read_text())


@pytest.mark.parametrize(("axis", "name"), [(0, "to_first"), (1, "to_second"), (2, "to_third")])
def test_the_matrices_of_the_papers_example(axis, name):
    expected = np.array(PUBLISHED["product_space_2_3_2"][name])
    close(product_to_variable((2, 3, 2), axis), expected)
    close(variable_to_product((2, 3, 2), axis), expected.T / expected.T.sum(axis=1, keepdims=True))


def test_there_and_back_is_the_identity():
    for axis, size in enumerate((3, 1, 4)):
        there = variable_to_product((3, 1, 4), axis)
        close(there @ product_to_variable((3, 1, 4), axis), np.eye(size))


@pytest.mark.parametrize("axis", [-1, 3])
def test_an_axis_outside_the_product_is_refused(axis):
    with pytest.raises(ValueError, match=rf"axis is {axis}: expected (0 to 2|at least 0)"):
        product_to_variable((2, 3, 2), axis)
