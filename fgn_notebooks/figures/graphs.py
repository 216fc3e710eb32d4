"""Many Bayesian graphs on one sheet, each with its name (section 7.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from fgnwidgets import BayesGraph
from fgnwidgets.draw import LIGHT, layout_bayes

from .sheets import LETTER

STEP = 0.3
"""A grid step of a graph in inches."""

HEAD, RADIUS, MARGIN = 0.9, 0.26, 0.4
"""Room for the name above a graph, radius of a node, and margin, in grid steps."""

NAMED = 9.5
"""Font size of a name."""


def draw_graphs(
    graphs: Mapping[str, BayesGraph],
    notes: Mapping[str, str] | None = None,
    fig: Figure | None = None,
    *,
    width: float = 7.6,
) -> Figure:
    """Each graph under its name, all on one scale, those of many levels first.

    A node is filled if the variable is observed, which means here that its name begins with X.
    ``notes`` has a few words for the line below a name; ``width`` is that of the sheet in inches.
    """
    across = width / STEP
    sizes = {name: _size(graph, name) for name, graph in graphs.items()}
    rows: list[list[str]] = [[]]
    for name in sorted(graphs, key=lambda name: -sizes[name][1]):
        if rows[-1] and sum(sizes[n][0] for n in (*rows[-1], name)) > across:
            rows.append([])
        rows[-1].append(name)
    heights = [HEAD + max(sizes[name][1] for name in row) for row in rows]
    high = sum(heights)
    if fig is None:
        fig = Figure(figsize=(width, high * STEP))
    fig.set_facecolor(LIGHT.ground)
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, across), ylim=(high, 0), aspect="equal")
    ax.axis("off")
    top = 0.0
    for row, height in zip(rows, heights, strict=True):
        spare = (across - sum(sizes[name][0] for name in row)) / len(row)
        left = spare / 2
        for name in row:
            words = "\n".join(word for word in (name, (notes or {}).get(name)) if word)
            middle = left + sizes[name][0] / 2
            ax.text(middle, top + HEAD, words, ha="center", va="bottom", fontsize=NAMED,
                    color=LIGHT.ink)  # fmt: skip
            own = middle - layout_bayes(graphs[name]).width / 2
            _draw(ax, graphs[name], _points(own), _points(top + HEAD + MARGIN / 2))
            left += sizes[name][0] + spare
        top += height
    return fig


def _draw(ax: Axes, graph: BayesGraph, left: float, top: float) -> None:
    places = {
        name: np.array([x + left, y + top])
        for name, (x, y) in layout_bayes(graph).positions.items()
    }
    for child, parents in graph.parents.items():
        for parent in parents:
            way = places[child] - places[parent]
            edge = way / np.hypot(*way) * RADIUS
            ax.annotate(
                "", tuple(places[child] - edge), tuple(places[parent] + edge),
                arrowprops={"arrowstyle": "-|>", "color": LIGHT.ink, "shrinkA": 0, "shrinkB": 0,
                            "linewidth": 1, "mutation_scale": 8},
            )  # fmt: skip
    for name, place in places.items():
        fill = LIGHT.observed.color if name.startswith("X") else LIGHT.ground
        ax.add_patch(Circle(tuple(place), RADIUS, facecolor=fill, edgecolor=LIGHT.ink))


def _points(steps: float) -> float:
    """A distance in whole points, so that equal nodes have equal pixels and the file is small."""
    return round(steps * STEP * 72) / (STEP * 72)


def _size(graph: BayesGraph, name: str) -> tuple[float, float]:
    """The room of a graph: what it needs itself, and at least the length of its name."""
    layout = layout_bayes(graph)
    named = (len(name) + 2) * NAMED * LETTER / 72 / STEP
    return max(layout.width + 2 * MARGIN, named), layout.height + 2 * MARGIN
