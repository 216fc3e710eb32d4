"""The checks of drawings are tested: each finds the faults that it is for, planted by hand."""

import numpy as np
import pytest
from drawn import (
    CHECKS,
    covered_bars,
    crossed_nodes,
    crossed_texts,
    crossing_lines,
    drawn,
    loose_ends,
    outside,
    overlapping_texts,
    random_forest,
)
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Circle, Rectangle
from matplotlib.text import Annotation

from fgnwidgets import propagate, random_theta
from fgnwidgets.draw import LIGHT, draw_bayes, draw_normal


def drawn_messages():
    """A normal graph with all that can be on it: names, bars, blocks, diverters, terminals."""
    graph = random_forest(6, 2)
    theta = random_theta(graph, np.random.default_rng(0))
    return draw_normal(graph, messages=propagate(graph, theta))


def drawn_variables():
    return draw_bayes(random_forest(6, 2))


def a_name_on_another(ax):
    ax.texts[0].set_position(ax.texts[1].get_position())


def a_name_over_the_border_of_a_block(ax):
    ax.texts[0].set_position(first(ax, Rectangle).get_xy())


def a_name_over_a_bar(ax):
    corner = bars(ax)[0].get_paths()[0].vertices[0]
    ax.texts[0].set_position(corner)


def a_name_on_a_line(ax):
    (x, y), (u, v) = lines(ax)[0].get_segments()[0][:2]
    ax.texts[0].set_position(((x + u) / 2 - 0.05, (y + v) / 2))


def a_block_on_a_line(ax):
    (x, y), (u, v) = lines(ax)[0].get_segments()[0][:2]
    first(ax, Rectangle).set_xy(((x + u) / 2 - 0.1, (y + v) / 2 - 0.1))


def an_arrow_into_an_ellipse(ax):
    arrow = arrows(ax)[0]
    arrow.xy = np.add(arrow.xy, np.subtract(arrow.xy, arrow.xyann) / np.hypot(*arrow.xy) / 4)


def a_block_on_another(ax):
    one, two = [p for p in ax.patches if type(p) is Rectangle][:2]
    one.set_xy(np.add(two.get_xy(), 0.05))


def a_line_across_another(ax):
    (x, y), (_, v) = lines(ax)[0].get_segments()[0][:2]
    ends = [(x - 1, (y + v) / 2), (x + 1, (y + v) / 2)]
    ax.annotate("", *ends, arrowprops={"arrowstyle": "-", "color": LIGHT.ink})


def an_arrow_that_stops_before_its_variable(ax):
    arrow = arrows(ax)[0]
    arrow.xy = np.add(arrow.xy, np.subtract(arrow.xyann, arrow.xy) / 4)


def a_terminal_beside_its_branch(ax):
    end = first(ax, Circle)
    end.center = np.add(end.center, (0.15, 0))


def bars_on_their_line(ax):
    shift(bars(ax)[0], 0.6)


def bars_over_the_border_of_a_block(ax):
    corner = bars(ax)[0].get_paths()[0].vertices[0]
    first(ax, Rectangle).set_xy(np.add(corner, 0.1))


def bars_on_those_of_another_message(ax):
    shift(bars(ax)[0], 0.1)


def a_name_at_the_edge(ax):
    ax.texts[0].set_position((ax.get_xlim()[1] - 0.01, ax.texts[0].get_position()[1]))


def an_axes_that_is_too_short(ax):
    ax.set_ylim(ax.get_ylim()[0] - 1, ax.get_ylim()[1])


def first(ax, kind):
    return next(p for p in ax.patches if type(p) is kind)


def lines(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection)]


def arrows(ax):
    return [t for t in ax.texts if isinstance(t, Annotation)]


def bars(ax):
    """The collections of bars, and not those of arrow heads."""
    found = [c for c in ax.collections if isinstance(c, PolyCollection)]
    return [c for c in found if len(c.get_paths()[0].vertices) == 5]


def shift(bars, by):
    for path in bars.get_paths():
        path.vertices[:, 0] += by


PLANTED = [
    (overlapping_texts, drawn_messages, a_name_on_another),
    (overlapping_texts, drawn_messages, a_name_over_the_border_of_a_block),
    (overlapping_texts, drawn_messages, a_name_over_a_bar),
    (crossed_texts, drawn_messages, a_name_on_a_line),
    (crossed_nodes, drawn_messages, a_block_on_a_line),
    (crossed_nodes, drawn_variables, an_arrow_into_an_ellipse),
    (crossed_nodes, drawn_messages, a_block_on_another),
    (crossing_lines, drawn_messages, a_line_across_another),
    (loose_ends, drawn_variables, an_arrow_that_stops_before_its_variable),
    (loose_ends, drawn_messages, a_terminal_beside_its_branch),
    (covered_bars, drawn_messages, bars_on_their_line),
    (covered_bars, drawn_messages, bars_over_the_border_of_a_block),
    (covered_bars, drawn_messages, bars_on_those_of_another_message),
    (outside, drawn_messages, a_name_at_the_edge),
    (outside, drawn_messages, an_axes_that_is_too_short),
]


@pytest.mark.parametrize(
    ("check", "draw", "fault"), PLANTED, ids=[fault.__name__ for *_, fault in PLANTED]
)
def test_a_planted_fault_is_found(check, draw, fault):
    ax = draw()
    assert check(drawn(ax)) == []
    fault(ax)
    found = check(drawn(ax))
    assert found


@pytest.mark.quick
def test_every_check_has_a_planted_fault():
    assert {check for check, *_ in PLANTED} == set(CHECKS)
