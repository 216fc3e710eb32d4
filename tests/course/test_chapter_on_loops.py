"""The examples of the chapter on loops have the numbers of their sources."""

import numpy as np
import pytest

from fgn_notebooks.examples import asia, sprinkler
from fgn_notebooks.figures.data import rounds
from fgnwidgets import posterior


def test_the_sprinkler_has_the_posteriors_that_murphy_prints():
    graph, theta = sprinkler()
    merged = graph.merged()
    wet = {"Wet": "yes"}
    assert posterior(merged, theta, wet, "Sprinkler")[0, 0] == pytest.approx(0.4298, abs=5e-5)
    assert posterior(merged, theta, wet, "Rain")[0, 0] == pytest.approx(0.7079, abs=5e-5)
    wet |= {"Rain": "yes"}
    assert posterior(merged, theta, wet, "Sprinkler")[0, 0] == pytest.approx(0.1945, abs=5e-5)


def test_the_clinic_has_the_shares_of_its_matrices():
    graph, theta = asia()
    merged = graph.merged()
    found = [posterior(merged, theta, None, v)[0, 0] for v in ("tub", "lung", "bronc", "either")]
    assert found == pytest.approx([0.0104, 0.055, 0.45, 1 - (1 - 0.0104) * (1 - 0.055)])


def test_the_picture_of_flooding_has_an_exact_line_for_each_variable():
    fig = rounds({"A": np.array([0.5, 0.6]), "B": np.array([0.2, 0.1])}, {"A": 0.7, "B": 0.3})
    level = [v.get_ydata() for v in fig.axes[0].lines if v.get_linestyle() == "--"]
    assert [v[0] for v in level if len(v)] == [0.7, 0.3]
