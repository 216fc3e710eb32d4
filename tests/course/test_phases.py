"""The phase diagram of chapter 09: where VAR and VIT learn."""

import numpy as np
import pytest

from fgn_notebooks.experiments.phases import coin_star, phases, var_share
from fgn_notebooks.figures import counting

FEW = phases(children=(3, 8), correlations=(0.05, 0.3, 0.8), n=300, starts=3)


def test_var_learns_above_its_threshold_and_not_below():
    np.testing.assert_allclose(FEW.threshold, [1 / 2, 1 / 7])
    share = FEW.share["var"]
    above = np.array(FEW.correlations)[:, None] > FEW.threshold
    assert (np.abs(share[~above]) < 0.01).all() and (share[above] > 0.5).all()


def test_vit_needs_children_more_than_correlation():
    share = FEW.share["vit"]
    assert share[1, 1] > 0.8 > 0.1 > share[1, 0]


def test_the_table_and_the_facts_say_the_same():
    table = FEW.table()
    at = (table["children"] == 8) & (table["correlation"] == 0.3)
    assert table["var"][at] == FEW.share["var"][1, 1]
    assert FEW.facts().splitlines()[2].split()[:3] == ["8", "0.14", "0.30"]


def test_the_diagram_has_a_panel_for_each_rule_and_the_threshold_in_both():
    *panels, bar = counting.phase_diagram(FEW).axes
    assert [ax.get_title() for ax in panels] == ["VAR", "VIT"]
    for ax, share in zip(panels, FEW.share.values(), strict=True):
        np.testing.assert_allclose(ax.collections[0].get_array(), np.clip(share, 0, 1))
        assert ax.get_xlabel() == "number of children"
        heights = np.unique(ax.lines[0].get_ydata())
        assert len(heights) == 2 and heights[0] > 0
    assert bar.get_ylabel() == "share of the way to ML"


@pytest.mark.parametrize("count", [3, 8])
def test_two_children_have_the_correlation_that_was_asked_for(count):
    """Children that are right with probability (1 + sqrt(c)) / 2 about a coin agree by c."""
    right = (1 + np.sqrt(0.3)) / 2
    agree = right**2 + (1 - right) ** 2
    assert 2 * agree - 1 == pytest.approx(0.3)


def test_vit_learns_below_the_line_where_it_learns_nothing_from_independent_columns():
    """With many children it goes a part of the way of ML by chance alone, as ML does."""
    found = phases(children=(4, 5, 15), correlations=(0.0, 0.0, 0.0, 0.22), rules=("vit",), seed=1)
    share = found.share["vit"]
    assert (share[:3, :2] < 0.1).all() and (share[3, :2] > 0.4).all()
    assert (found.correlations[3] < found.threshold[:2]).all()
    assert share[:3, 2].max() > 0.2


def test_the_children_of_a_coin_are_right_as_often_as_is_asked():
    graph, table = coin_star(4, 0.9, 20_000, seed=1)
    assert [*graph.variables] == ["S", "X1", "X2", "X3", "X4"] and [*table] == [
        "X1",
        "X2",
        "X3",
        "X4",
    ]
    agree = np.mean(table["X1"] == table["X3"])
    assert agree == pytest.approx(0.9**2 + 0.1**2, abs=0.01)


def test_var_goes_nowhere_below_the_threshold_and_most_of_the_way_above_it():
    assert abs(var_share(*coin_star(3, 0.7, 1000))) < 0.01  # correlation .16, below 1/2
    assert var_share(*coin_star(3, 0.97, 1000)) > 0.9  # correlation .88
