"""In the drawing of a graph with loops no name lies on a line, a node or another name."""

import pytest
from drawn import crossed_texts, drawn, outside, overlapping_texts

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
