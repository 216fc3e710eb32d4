"""Axes that take back what they had show what new axes would show."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from tiers import mostly_slow

from fgn_notebooks.figures.kept_axes import again
from fgn_notebooks.figures.sheets import axes, sheet
from fgnwidgets.draw import DARK, LIGHT

BOX = (0.6, 0.5, 2.8, 2.0)
UP = np.array([0.2, 0.5, 0.3])


def plain(ax, theme):
    ax.plot([1, 2, 3], UP, color=theme.ink, marker="o", markevery=(0, 2))
    ax.text(1.5, 0.3, "one", color=theme.ink)


def other_numbers(ax, theme):
    ax.plot([3, 5], [7, 11], color=theme.ink, marker="o", markevery=(0, 2))
    ax.text(4, 8, "two\nlines", color=theme.ink)


def columns(ax, theme):
    ax.plot(np.outer(np.arange(5), UP), color="C1", label="three")
    ax.plot(np.outer(np.arange(5), UP[:2] + 1), color="C1", label="three")
    ax.plot(2.0, 1.0, "s", color="C1")


def in_another_order(ax, theme):
    ax.plot(2.0, 0.5, "s", color="C1", markersize=14)
    ax.plot(2.0, 1.0, "s", color="C1")
    ax.plot(np.outer(np.arange(5), UP), color="C1", label="three", linewidth=9)
    ax.text(0.5, 0.5, "there", transform=ax.transAxes, color=theme.ink)
    ax.text(0.5, 0.5, "here", transform=ax.transData, color=theme.ink)


def upright(ax, theme):
    ax.bar(np.arange(3), UP * 10, 0.8, color=theme.ink)
    ax.barh(np.arange(3), UP, 0.8, color="C2")


def fewer_bars(ax, theme):
    ax.bar(np.arange(2), UP[:2] - 1, 0.8, color=theme.ink)
    ax.bar(np.arange(3), UP, 0.8, bottom=[1, 2, 3], color=theme.ink)
    ax.set(xlim=(-1, 3))


def ticks(ax, theme):
    ax.tick_params(colors=theme.ink, length=9)
    ax.plot(np.ma.masked_less([1.0, 0.0, 2.0], 0.5), color="C3")
    ax.plot([1, 2], color=np.array([1.0, 0.0, 0.0]))


def named(ax, theme):
    ends = 1 + len(ax.get_title(loc="left"))
    lines = again(ax, "walls", lambda: LineCollection([[(0, 0), (0, 1)]], colors="C4"))
    lines.set_segments([[(x, 0), (x, 1)] for x in range(ends)])
    ax.set(xlim=(0, 9), ylim=(0, 1))


DRAWINGS = [plain, other_numbers, columns, in_another_order, upright, fewer_bars, ticks, named]


def picture(fig):
    surface = FigureCanvasAgg(fig)
    surface.draw()
    return np.array(surface.buffer_rgba())


def drawn_on(fig, draw, theme, title):
    fig = sheet(fig, 4.0, 3.0, theme=theme)
    ax = axes(fig, BOX, title, theme=theme)
    if draw is not ticks:
        ax.tick_params(colors=theme.muted, length=4)
    draw(ax, theme)
    return fig


@pytest.mark.parametrize("seed", mostly_slow(range(4), 3))
def test_a_drawing_on_kept_axes_looks_as_on_new_ones_whatever_they_showed_before(seed):
    rng = np.random.default_rng(seed)
    fig = None
    for step in range(24):
        draw = DRAWINGS[rng.integers(len(DRAWINGS))]
        theme, title = (LIGHT, DARK)[rng.integers(2)], "now"[: rng.integers(4)]
        fig = drawn_on(fig, draw, theme, title)
        new = drawn_on(None, draw, theme, title)
        assert np.array_equal(picture(fig), picture(new)), f"step {step}: {draw.__name__}"
        assert len(fig.axes) == 1


def test_lines_texts_and_bars_that_come_again_are_the_same_with_other_numbers():
    fig = drawn_on(None, plain, LIGHT, "")
    (ax,) = fig.axes
    line, text = ax.lines[0], ax.texts[0]
    drawn_on(fig, other_numbers, LIGHT, "")
    assert ax.lines[0] is line
    assert ax.texts[0] is text
    assert line.get_ydata().tolist() == [7, 11]
    drawn_on(fig, upright, LIGHT, "")
    bars = [*ax.patches]
    assert not [*ax.lines, *ax.texts]
    drawn_on(fig, upright, LIGHT, "")
    assert all(one is two for one, two in zip(ax.patches, bars, strict=True))
    assert len(ax.containers) == 2


def test_what_one_drawing_does_not_take_back_is_gone():
    fig = drawn_on(None, plain, LIGHT, "")
    (line,) = fig.axes[0].lines
    drawn_on(fig, upright, LIGHT, "")
    drawn_on(fig, plain, LIGHT, "")
    assert fig.axes[0].lines[0] is not line
