"""Graphs with loops are drawn: in layers, parents above, the loop lit up, names apart."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest

import fgnwidgets as fg
from fgnwidgets import BayesGraph
from fgnwidgets.draw import draw_bayes, draw_normal, layout_bayes

ASIA = BayesGraph(
    dict.fromkeys(["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"], 2),
    {
        "tub": "asia",
        "lung": "smoke",
        "bronc": "smoke",
        "either": ("tub", "lung"),
        "xray": "either",
        "dysp": ("either", "bronc"),
    },
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("bars", [False, True])
def test_parents_stand_above_their_children_and_no_two_variables_meet(bars):
    layout = layout_bayes(ASIA, bars=bars)
    for child, parents in ASIA.parents.items():
        for parent in parents:
            assert layout.positions[parent][1] < layout.positions[child][1]
            path = layout.paths[f"{parent}->{child}"]
            assert path[0][1] < path[-1][1]
    for one, two in itertools.combinations(layout.positions.values(), 2):
        assert one[1] != two[1] or abs(one[0] - two[0]) > 0.5
    for x, y in layout.positions.values():
        assert 0 < x < layout.width and 0 < y < layout.height


def test_the_arrows_of_the_loop_are_lit_up():
    def lit(graph):
        collections = draw_bayes(graph).collections
        return [len(c.get_paths()) for c in collections if max(c.get_linewidths(), default=0) > 4]

    assert lit(ASIA) == [5]  # smoke, lung, either, dysp, bronc
    assert lit(BayesGraph({"A": 2, "B": 2}, {"B": "A"})) == []


def test_a_merged_graph_shows_its_families_by_name_and_beliefs():
    merged = ASIA.merged()
    theta = fg.random_theta(merged, np.random.default_rng(0))
    shown = [text.get_text() for text in draw_normal(merged, theta=theta).texts]
    assert "lung|smoke" in shown
    messages = fg.propagate(merged, theta, {"dysp": [1]})
    draw_normal(merged, messages=messages)
    draw_bayes(ASIA, messages=messages)


def test_a_normal_graph_with_a_loop_is_drawn_with_its_messages():
    form = ASIA.normal_form(loops=True)
    theta = fg.random_theta(form, np.random.default_rng(0))
    *_, last = fg.trace(form, theta, {"dysp": [1]}, schedule=fg.flooding(form, 20))
    draw_normal(form)
    draw_normal(form, messages=last)
