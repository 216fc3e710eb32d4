"""In the drawing of a graph with loops no name lies on a line, a node or another name."""

import random

import matplotlib.pyplot as plt
import pytest
from drawn import crossed_texts, drawn, outside, overlapping_texts
from tiers import mostly_slow

from fgnwidgets import BayesGraph
from fgnwidgets.draw import draw_normal

ASIA = BayesGraph(
    dict.fromkeys(("Asia", "Tub", "Smoke", "Lung", "Bronc", "Either", "Xray", "Dysp"), 2),
    {
        "Tub": "Asia",
        "Lung": "Smoke",
        "Bronc": "Smoke",
        "Either": ("Tub", "Lung"),
        "Xray": "Either",
        "Dysp": ("Either", "Bronc"),
    },
)
DIAMOND = BayesGraph(dict.fromkeys("ABCD", 2), {"B": "A", "C": "A", "D": ("B", "C")})
TANGLED = BayesGraph(
    dict.fromkeys("ABCDEF", 2),
    {"B": "A", "C": ("A", "B"), "D": ("B", "C"), "E": "A", "F": ("A", "C")},
)
"""Here some names would lie on each other, were each put beside its own line alone."""


@pytest.mark.parametrize("bayes", [ASIA, DIAMOND, TANGLED])
def test_names_in_a_graph_with_loops_keep_clear_of_lines_and_of_each_other(bayes):
    found = drawn(draw_normal(bayes.normal_form(loops=True)))
    assert len(found.texts) > len(bayes.variables)
    for check in (overlapping_texts, crossed_texts, outside):
        assert check(found) == []


LONG = ["Smoke", "Asia", "Either", "X1", "S", "Rain today", "Bronchitis", "W", "Lung"]


def looped(seed):
    """A random graph of three to eight variables with a loop; every other one has long names."""
    rng = random.Random(seed)
    while True:
        n = rng.randint(3, 8)
        names = rng.sample(LONG, n) if seed % 2 else [f"V{k}" for k in range(n)]
        parents = {
            names[k]: sorted(rng.sample(names[:k], min(k, rng.choice([0, 1, 1, 2, 2, 3]))))
            for k in range(1, n)
        }
        bayes = BayesGraph(dict.fromkeys(names, 2), parents)
        if bayes.loop:
            return bayes


@pytest.mark.parametrize("seed", mostly_slow([*range(23), 33], *range(0, 23, 3)))
def test_names_in_random_graphs_with_loops_touch_no_line_and_no_other_name(seed):
    found = drawn(draw_normal(looped(seed).normal_form(loops=True)))
    plt.close("all")
    for check in (overlapping_texts, crossed_texts, outside):
        assert check(found) == []
