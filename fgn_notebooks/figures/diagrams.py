"""The paper's eight diagrams, figures 1 to 8: ``figure_k(fig=None) -> Figure``.

Vocabulary
    panel   one drawing of a figure, with its size in grid steps and a title
    rest    the rest of a graph, drawn as a dashed box

All panels of a figure have the same scale. Without ``fig`` a new figure of the right size is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from fgnwidgets import BayesGraph, Block, Branch, Diverter, NormalGraph
from fgnwidgets.draw import (
    BLOCK,
    BORDER,
    DIVERTER,
    GAP,
    LIGHT,
    STEP,
    TERMINAL,
    Pen,
    draw_bayes,
    draw_normal,
    layout_bayes,
    layout_flows,
    layout_normal,
    pen,
)

from .. import paper

TITLE, BETWEEN = 0.45, 0.6
"""Height of a title and distance between panels, in grid steps."""


class Panel(NamedTuple):
    """A drawing, with its size in grid steps."""

    width: float
    height: float
    draw: Callable[[Axes], object]
    title: str


def figure_1(fig: Figure | None = None) -> Figure:
    """(a) A branch, (b) a diverter, (c) a block, each with its messages (section 2)."""
    replicas = [Branch(f"X({k})", 2, variable="X") for k in range(4)]
    diverter = NormalGraph([Diverter("X=", replicas[:1], replicas[1:])])
    return _row(
        fig,
        [
            Panel(1.4, 2.0, _draw_branch, "(a) branch"),
            _with_flows(diverter, "(b) diverter"),
            _with_flows(paper.one_block(2, 3), "(c) block"),
        ],
    )


def figure_2(fig: Figure | None = None) -> Figure:
    """One variable with three children: its Bayesian graph and its normal form."""
    return _both(fig, paper.one_hidden_graph())


def figure_3(fig: Figure | None = None) -> Figure:
    """Three parents of one child: the Bayesian graph, the normal form with the product space, and
    the simplified one."""
    bayes = paper.three_parents_graph()
    return _row(
        fig,
        [
            _bayes(bayes),
            _normal(bayes.normal_form(), "with the product space"),
            _normal(bayes.normal_form("separate"), "simplified"),
        ],
    )


def figure_4(fig: Figure | None = None) -> Figure:
    """A hierarchy of two levels."""
    return _both(fig, paper.hierarchy_graph())


def figure_5(fig: Figure | None = None) -> Figure:
    """The forest with eight variables."""
    return _both(fig, paper.forest_graph())


def figure_6(fig: Figure | None = None) -> Figure:
    """A variable before and after it is split by a diverter, as a pipe by a T-junction."""
    a, x, c = (Branch(name, 2) for name in "AXC")
    graph = NormalGraph([Block("X|A", a, x), Block("C|X", x, c)])
    return _row(fig, [_normal(graph, "before"), _normal(graph.split("X"), "after the split of X")])


def figure_7(fig: Figure | None = None) -> Figure:
    """A block in its graph, and the messages at it."""
    return _row(fig, [Panel(2.6, 5.6, _draw_embedded, "")])


def figure_8(fig: Figure | None = None) -> Figure:
    """The unfolded graph of Bayesian learning: N copies of a block share one matrix Θ."""
    return _row(fig, [Panel(9.0, 5.2, _draw_unfolded, "")])


def _both(fig: Figure | None, bayes: BayesGraph) -> Figure:
    return _row(fig, [_bayes(bayes), _normal(bayes.normal_form(), "normal form")])


def _bayes(bayes: BayesGraph) -> Panel:
    layout = layout_bayes(bayes)
    return Panel(layout.width, layout.height, lambda ax: draw_bayes(bayes, ax), "Bayesian graph")


def _normal(graph: NormalGraph, title: str) -> Panel:
    layout = layout_normal(graph)
    return Panel(layout.width, layout.height, lambda ax: draw_normal(graph, ax), title)


def _with_flows(graph: NormalGraph, title: str) -> Panel:
    layout = layout_flows(graph)
    return Panel(layout.width, layout.height, lambda ax: draw_normal(graph, ax, flows=True), title)


def _row(fig: Figure | None, panels: Sequence[Panel]) -> Figure:
    """A figure of panels side by side, with titles above, their upper edges at one height."""
    wide = sum(p.width + 2 * BORDER for p in panels) + BETWEEN * (len(panels) - 1)
    head = TITLE if any(p.title for p in panels) else 0.0
    high = max(p.height for p in panels) + 2 * BORDER + head
    if fig is None:
        fig = Figure(figsize=(wide * STEP, high * STEP))
    fig.set_facecolor(LIGHT.ground)
    left = 0.0
    for panel in panels:
        width, height = panel.width + 2 * BORDER, panel.height + 2 * BORDER
        bottom = 1 - (head + height) / high
        ax = fig.add_axes((left / wide, bottom, width / wide, height / high))
        panel.draw(ax)
        if panel.title:
            x = (left + width / 2) / wide
            fig.text(x, 1 - head / 2 / high, panel.title, color=LIGHT.ink, ha="center", va="center")
        left += width + BETWEEN
    return fig


def _draw_branch(ax: Axes) -> None:
    tool = pen(ax, 1.4, 2.0, LIGHT)
    _branch(tool, (0.7, 0.2 + TERMINAL), (0.7, 1.8 - TERMINAL), "$X$")
    tool.terminal((0.7, 0.2))
    tool.terminal((0.7, 1.8))
    tool.flows((0.7, 0.95), "X")


def _draw_embedded(ax: Axes) -> None:
    tool = pen(ax, 2.6, 5.6, LIGHT)
    x, middle = 1.2, 2.8
    _rest(tool, (x, 0.4), "$A_1, \\ldots, A_U$", 0.8)
    _rest(tool, (x, 5.2), "$C_1, \\ldots, C_V$", 0.8)
    _branch(tool, (x, 0.7), (x, middle - BLOCK), "$X$")
    _branch(tool, (x, middle + BLOCK), (x, 4.9), "$Y$")
    tool.block((x, middle))
    tool.text((x + BLOCK + GAP, middle), "$P(Y\\,|\\,X)$", align="left")
    tool.flows((x, 1.55), "X")
    tool.flows((x, 3.85), "Y")


def _draw_unfolded(ax: Axes) -> None:
    tool = pen(ax, 9.0, 5.2, LIGHT)
    chain, middle = 0.4, 2.9
    columns = {"1": 1.4, "2": 3.6, "N": 6.9}
    for n, x in columns.items():
        _rest(tool, (x, 1.3), f"$A[{n}]$", 0.45)
        _rest(tool, (x, 4.5), f"$C[{n}]$", 0.45)
        _branch(tool, (x, 1.6), (x, middle - BLOCK), f"$X[{n}]$")
        _branch(tool, (x, middle + BLOCK), (x, 4.2), f"$Y[{n}]$")
        tool.block((x, middle))
        tool.text((x + BLOCK + GAP, middle), "$P(Y\\,|\\,X\\,\\Theta)$", align="left")
        port = x - 0.95
        top = chain if n == "1" else chain + DIVERTER
        tool.arrow([(port, top), (port, middle), (x - BLOCK, middle)])
        tool.text((port - GAP, 2.6), f"$\\Theta[{n}]$", align="right")
    first, second, last = (x - 0.95 for x in columns.values())
    prior = 8.4
    tool.lines([((second - DIVERTER, chain), (first, chain))])
    tool.arrow([(4.4, chain), (second + DIVERTER, chain)])
    tool.arrow([(last - DIVERTER, chain), (5.5, chain)])
    tool.arrow([(prior - BLOCK, chain), (last + DIVERTER, chain)])
    for port, end, n in ((second, 4.4, "2"), (last, prior, "N")):
        tool.diverter((port, chain), port, port)
        tool.text(((port + end) / 2, chain - 0.2), f"$\\Theta\\,'[{n}]$")
        _along(tool, (port + end) / 2, chain, f"\\Theta'[{n}]")
    for port, n in ((first, "1"), (second, "2"), (last, "N")):
        _beside(tool, port, 1.72, f"\\Theta[{n}]")
    tool.block((prior, chain))
    tool.text((prior, chain + 0.4), r"$\pi_\Theta$")
    for y in (chain, middle):
        tool.text((4.95, y), r"$\cdots$", 0.3)


def _along(tool: Pen, x: float, y: float, name: str) -> None:
    """The messages of a branch that runs to the left, below it: f to the left, b to the right."""
    for side, letter, mark in ((-1, "f", LIGHT.forward), (1, "b", LIGHT.backward)):
        ends = [(x + side * 0.1, y + 0.16), (x + side * 0.55, y + 0.16)]
        tool.arrow(ends, mark)
        tool.text((x + side * 0.36, y + 0.38), f"${letter}_{{{name}}}$", 0.16)


def _beside(tool: Pen, x: float, y: float, name: str) -> None:
    """The messages of a branch that runs down: f at its left, b at its right."""
    for side, letter, mark in ((-1, "f", LIGHT.forward), (1, "b", LIGHT.backward)):
        ends = [(x + side * 0.12, y), (x + side * 0.12, y + 0.45)]
        tool.arrow(ends[::-side], mark)
        align = "right" if side < 0 else "left"
        tool.text((x + side * 0.19, y + 0.22), f"${letter}_{{{name}}}$", 0.16, align)


def _branch(tool: Pen, tail: tuple[float, float], head: tuple[float, float], label: str) -> None:
    tool.lines([(tail, head)])
    tool.heads([head])
    tool.text((tail[0] + GAP, tail[1] + 0.35 * (head[1] - tail[1])), label, align="left")


def _rest(tool: Pen, at: tuple[float, float], label: str, half: float) -> None:
    corner = (at[0] - half, at[1] - 0.3)
    box = FancyBboxPatch(corner, 2 * half, 0.6, boxstyle="round,pad=0,rounding_size=0.12")
    box.set(facecolor=LIGHT.frame, edgecolor=LIGHT.muted, linestyle="--", linewidth=tool.thin)
    tool.ax.add_patch(box)
    tool.text(at, label)
