"""The matrices of the product space, and messages to it and from it (Appendix A)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from fgnwidgets.draw import LIGHT, Theme, figure_of, name_parts

from ..experiments.products import ProductSpace
from .kept_axes import again, ruled
from .sheets import SMALL, Part, axes, keeping, sheet

LINE = 0.15
"""Height of a line of text in inches."""


@keeping
def draw_product_space(
    result: ProductSpace,
    fig: Figure | None = None,
    *,
    theme: Theme = LIGHT,
    width: float | None = None,
) -> Figure:
    """Left the way up and the product, right the way down (``experiments.products``)."""
    parts = [
        Part((0.95, 2.35, 5.15, 2.6), margins=(0.62, 0.6, 0.1, 0.4)),
        Part((2.2, 0.45, 3.9, 1.35), margins=(0.62, 0.3, 0.1, 0.6)),
        Part((7.0, 2.35, 2.7, 2.6), margins=(0.62, 0.2, 0.1, 0.4)),
        Part((7.0, 0.45, 2.7, 1.35), margins=(0.62, 0.4, 0.1, 0.4)),
    ]
    fig = sheet(fig, 10.0, 5.6, theme=theme, room=width, parts=parts)
    states = [(k, j) for k, m in enumerate(result.sizes) for j in range(m)]
    names = [f"$X_{k + 1}$={j + 1}" for k, j in states]
    spoken = [f"X{k + 1}={j + 1}" for k, j in states]
    cells = result.configurations
    within = [
        [f"({cell})", *(f"X{k + 1}={j + 1}" for k, j in enumerate(at))]
        for cell, at in zip(cells, np.ndindex(*result.sizes), strict=True)
    ]  # the name of every configuration, then those of its states
    pairs = [[name, cell[0]] for name in spoken for cell in within]
    ax = axes(fig, (2.2, 2.35, 3.9, 2.6), "up: P(configuration | variable)", theme=theme)
    mesh = _matrix(ax, np.concatenate(result.to_product), cells, names, result.sizes, theme=theme)
    _name_rows(mesh, pairs, len(cells))
    sent = axes(fig, (0.95, 2.35, 0.55, 2.6), "sends", theme=theme)
    bars = _bars(
        sent, np.concatenate(result.messages), theme.forward.color, upright=False, theme=theme
    )
    name_parts(bars, spoken)
    met = axes(
        fig,
        (2.2, 0.45, 3.9, 1.35),
        "they meet: the product of what came up (thin lines)",
        theme=theme,
    )
    for message in result.up:
        met.step(np.arange(len(cells) + 1), np.append(message, message[-1]), where="post",
                 color=theme.forward.color, linewidth=0.8, alpha=0.6)  # fmt: skip
    name_parts(_bars(met, result.met, theme.belief.color, upright=True, theme=theme), within)
    ax = axes(fig, (7.0, 2.35, 2.7, 2.6), "down: P(variable | configuration)", theme=theme)
    mesh = _matrix(
        ax,
        np.concatenate(result.to_variable, axis=1),
        [""] * len(names),
        cells,
        result.sizes,
        theme=theme,
    )
    _name_rows(mesh, [[name, cell[0]] for cell in within for name in spoken], len(names))
    back = axes(fig, (7.0, 0.45, 2.7, 1.35), "comes down", theme=theme)
    bars = _bars(
        back,
        np.concatenate(result.down),
        theme.belief.color,
        upright=True,
        names=names,
        theme=theme,
    )
    name_parts(bars, spoken)
    back.tick_params(axis="x", length=0)
    return fig


def _matrix(
    ax: Axes,
    matrix: np.ndarray,
    columns: Sequence[str],
    rows: Sequence[str],
    sizes: Sequence[int],
    *,
    theme: Theme = LIGHT,
) -> QuadMesh:
    height, width = matrix.shape
    # Limits that are set first are not searched for.
    ax.set_xlim(0, width)
    ax.set_ylim(0, height)
    corners = np.stack(np.meshgrid(np.arange(width + 1.0), np.arange(height + 1.0)), axis=-1)
    mesh = again(
        ax, ("matrix", matrix.shape, theme.matrix, theme.shade),
        lambda: QuadMesh(
            corners, antialiased=False, cmap=theme.matrix, edgecolors=theme.shade, linewidth=0.4,
            snap=True,  # as pcolormesh makes it
        ),
    )  # fmt: skip
    mesh.set_array(matrix[::-1])
    mesh.set_clim(0, max(matrix.max(), 0.4))
    cuts = np.cumsum(sizes)[:-1]
    place = {"y": height - cuts} if height == sum(sizes) else {"x": cuts}
    ruled(ax, ("cuts", theme.ink), **place, colors=theme.ink, linewidths=1.4)
    _named_ticks(ax, columns, list(rows)[::-1])
    ax.tick_params(length=0, colors=theme.ink, pad=2)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return mesh


NAMED = "named_by"
"""The attribute of axes that holds the names at their ticks."""

SIGNS = str.maketrans("", "", "$_")
"""The signs that are not drawn of a formula such as ``$X_1$``."""


def _named_ticks(ax: Axes, columns: Sequence[str], rows: Sequence[str] = ()) -> None:
    """Names below columns and beside rows, turned or left out where they would meet.

    Axes that are drawn on again keep the names that they have.
    """
    told = tuple(columns), tuple(rows)
    if getattr(ax, NAMED, None) == told:
        return
    setattr(ax, NAMED, told)
    wide, high = ax.get_position().size * figure_of(ax).get_size_inches()
    step = wide / len(columns)
    letters = max(len(name.translate(SIGNS)) for name in columns)
    turned = step < 0.075 * letters + 0.06
    every = max(1, math.ceil(LINE / step)) if turned else 1
    at = np.arange(len(columns)) + 0.5
    ax.set_xticks(at[::every], columns[::every], rotation=90 if turned else 0, fontsize=SMALL)
    if rows:
        every = max(1, math.ceil(LINE * len(rows) / high))
        at = np.arange(len(rows)) + 0.5
        ax.set_yticks(at[::every], rows[::every], fontsize=SMALL)


def _name_rows(mesh: QuadMesh, names: Sequence[Sequence[str]], width: int) -> None:
    """Name the cells of a drawn matrix; the names are in its order, but its first row is on top."""
    rows = [names[at : at + width] for at in range(0, len(names), width)]
    name_parts(mesh, [name for row in rows[::-1] for name in row])


def _bars(
    ax: Axes,
    values: np.ndarray,
    color: str,
    *,
    upright: bool,
    names: Sequence[str] = (),
    theme: Theme = LIGHT,
) -> BarContainer:
    """Bars, with ``names`` below those that stand."""
    at = np.arange(len(values)) + 0.5
    # Limits that are set first are not searched for, which takes longer than to draw the bars.
    if upright:
        ax.set_xlim(0, len(values))
        ax.set_ylim(0, max(1.15 * values.max(), 0.3))
        if names:
            _named_ticks(ax, names)
        else:
            ax.set_xticks([])
        bars = ax.bar(at, values, 0.8, color=color)
    else:
        ax.set_ylim(0, len(values))
        ax.set_xlim(1, 0)
        ax.set_yticks([])
        ax.set_xticks([])
        bars = ax.barh(at[::-1], values, 0.8, color=color)
    ax.tick_params(labelsize=SMALL, colors=theme.ink)
    ax.set_axisbelow(True)
    for side, spine in ax.spines.items():
        spine.set_visible(side == ("bottom" if upright else "right"))
        spine.set_color(theme.muted)
    return bars
