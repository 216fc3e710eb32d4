"""Pictures of what to observe next, and of which cells a posterior depends on (a tornado)."""

from __future__ import annotations

import textwrap

import numpy as np
from matplotlib.axes import Axes

from ..analysis.informative import Informative
from ..analysis.sensitivity import Sensitivity
from ..arguments import read_count, read_kind
from .names import plain
from .profiles import state_mark
from .style import LIGHT, Theme, canvas, plot_frame

WIDE = 34
"""Characters on a line of a label."""


def draw_informative(
    informative: Informative,
    ax: Axes | None = None,
    *,
    count: int = 10,
    theme: Theme = LIGHT,
) -> Axes:
    """The most informative variables as bars, in bits, with the share of the target's entropy."""
    expected = "Informative, as informative(graph, theta, evidence, target) gives it"
    read_kind(informative, "informative", Informative, expected)
    names = [*informative.bits][: read_count(count, "count", 1)]
    ax = canvas(ax, 6.0, 1.2 + 0.34 * max(len(names), 1), theme)
    bits = [informative.bits[name] for name in names]
    ax.barh(range(len(names)), bits, 0.62, color=state_mark(0, theme).color)
    most = max([*bits, 1e-9])
    for k, name in enumerate(names):
        share = informative.share[name]
        if not np.isnan(share):
            ax.text(
                *(bits[k] + 0.015 * most, k, f"{100 * share:.1f} %"),
                va="center",
                fontsize=9,
                color=theme.ink,
            )
    target = plain(informative.target)
    given = f" given {plain(informative.given)}" if informative.given else ""
    title = f"what would tell of {target}{given}: {informative.entropy:.3f} bits are unknown"
    _labels(ax, [_variable(name) for name in names], title, theme)
    ax.set(xlim=(0, 1.18 * most), xlabel=f"information about {target}, bits")
    return ax


def draw_sensitivity(
    sensitivity: Sensitivity,
    ax: Axes | None = None,
    *,
    count: int = 10,
    change: float = 0.1,
    theme: Theme = LIGHT,
) -> Axes:
    """A tornado: how far the posterior goes when each cell is smaller or larger by ``change``.

    The cells with the largest derivatives, the longest bar first; the line is the posterior as it
    is. The other cells of a row move in proportion.
    """
    expected = "a Sensitivity, as sensitivity(graph, theta, evidence, query) gives it"
    read_kind(sensitivity, "sensitivity", Sensitivity, expected)
    cells = sensitivity.cells(read_count(count, "count", 1), change)
    cells.sort(key=lambda cell: -np.nan_to_num(abs(cell[6] - cell[5])))
    ax = canvas(ax, 6.8, 1.3 + 0.36 * max(len(cells), 1), theme)
    at, now = np.arange(len(cells)), sensitivity.value
    for k, (end, sign, hatch) in enumerate(((5, "−", "////"), (6, "+", ""))):
        far = np.array([cell[end] for cell in cells], dtype=float)
        ax.barh(
            *(at, far - now, 0.62, now),
            color=state_mark(k, theme).color,
            hatch=hatch,
            edgecolor=theme.ground,
            label=f"cell {sign}{100 * change:g} %",
        )
    ax.axvline(now, color=theme.ink, linewidth=1)
    labels = [_cell(name, given, state) for name, given, state, *_ in cells]
    _labels(ax, labels, plain(f"{sensitivity.says} = {now:.4f}"), theme)
    ax.set_xlabel("the posterior when one cell is smaller or larger")
    if cells:
        ax.legend(frameon=False, labelcolor=theme.ink, fontsize=9, loc="best")
    return ax


def _cell(matrix: str, given: object, state: object) -> str:
    """A cell by its matrix, its state and what that is given; on two lines where it is long."""
    parents = ", ".join(map(str, given)) if isinstance(given, tuple) else str(given)
    cell = f"{state} | {parents}" if parents else str(state)
    one = plain(f"{matrix}: {cell}")
    return one if len(one) <= WIDE else f"{_short(matrix)}:\n{_short(cell)}"


def _variable(name: str) -> str:
    """A name on at most two lines."""
    return "\n".join(textwrap.wrap(plain(name), WIDE, max_lines=2, placeholder=" …"))


def _short(text: str) -> str:
    """A text on one line; of a long one the middle is left out."""
    text = " ".join(text.split())
    if len(text) > WIDE:
        text = f"{text[: WIDE // 2]} … {text[-(WIDE // 2 - 3) :]}"
    return plain(text)


def _labels(ax: Axes, names: list[str], title: str, theme: Theme) -> None:
    """A row for each name, the first at the top."""
    ax.set_yticks(range(len(names)), names, fontsize=9)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.set_title("\n".join(textwrap.wrap(title, 52)), color=theme.ink, fontsize=10)
    plot_frame(ax, theme)
    ax.grid(False, axis="y")
