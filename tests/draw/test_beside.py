"""In the drawing of a graph with loops no name lies on a line, a node or another name."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.collections import LineCollection

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


@pytest.mark.parametrize("bayes", [ASIA, DIAMOND])
def test_names_in_a_graph_with_loops_keep_clear_of_lines_and_of_each_other(bayes):
    ax = draw_normal(bayes.normal_form(loops=True))
    figure = ax.figure
    figure.canvas.draw()
    boxes = {t.get_text(): t.get_window_extent() for t in ax.texts if len(t.get_text()) > 1}
    assert len(boxes) > len(bayes.variables)
    points = []
    for lines in ax.findobj(LineCollection):
        for path in lines.get_segments():
            for (x0, y0), (x1, y1) in pairwise(path):
                share = np.linspace(0, 1, 200)[:, None]
                piece = np.array([[x0, y0]]) * (1 - share) + np.array([[x1, y1]]) * share
                points.append(ax.transData.transform(piece))
    points = np.concatenate(points)
    for name, box in boxes.items():
        inside = (points[:, 0] > box.x0) & (points[:, 0] < box.x1)
        inside &= (points[:, 1] > box.y0 + 1) & (points[:, 1] < box.y1 - 1)
        assert not inside.any(), name
        assert box.x0 >= 0 and box.x1 <= figure.bbox.x1, name
    for (one, a), (two, b) in combinations(boxes.items(), 2):
        assert not a.overlaps(b), (one, two)
