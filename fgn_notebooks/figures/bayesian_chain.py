"""Figure 8 with its messages: what travels along the chain of a shared matrix (section 4)."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from fgnwidgets.draw import BLOCK, BORDER, DIVERTER, GAP, LIGHT, STEP, Mark, Pen, pen

from ..experiments.bayesian_chain import BayesianChain

SIDE = 1.0
"""Side of the square of a message, in grid steps."""

FIRST, APART, CHAIN, MIDDLE = 1.45, 3.3, 1.75, 5.35
"""Place of the first column, distance of columns, heights of the chain and of the blocks."""

NAME = 0.19
"""Size of the letters of a message's name, in grid steps."""


def draw_bayesian_chain(result: BayesianChain, fig: Figure | None = None) -> Figure:
    """The chain of figure 8 with a square of all matrices for each message.

    Forward messages, which come from the prior, are blue; backward ones orange. Each is darkest at
    its largest value; theta_11 grows to the right, and theta_21 upwards.
    """
    n = len(result.told)
    ports = [FIRST + APART * k for k in range(n)]
    prior = ports[-1] + APART
    width, height = prior + 0.9, MIDDLE + 0.8
    if fig is None:
        fig = Figure(figsize=((width + 2 * BORDER) * STEP, (height + 2 * BORDER) * STEP))
    fig.set_facecolor(LIGHT.ground)
    tool = pen(fig.add_axes((0, 0, 1, 1)), width, height, LIGHT)
    tool.ax.set_autoscale_on(False)
    for k, (port, end) in enumerate(zip(ports, [*ports[1:], prior], strict=True)):
        _chain(tool, port, end, first=k == 0, last=k == n - 1)
        _column(tool, port, result, k)
        if k:
            middle = (port + end) / 2 - SIDE / 2
            above, below = CHAIN - 0.25 - SIDE, CHAIN + 0.25
            piece = f"\\Theta'[{k + 1}]"
            _message(tool, (middle, above), result.right[k], LIGHT.forward, f"f_{{{piece}}}", -0.19)
            _message(tool, (middle, below), result.left[k], LIGHT.backward, f"b_{{{piece}}}")
    tool.block((prior, CHAIN))
    tool.text((prior, CHAIN + BLOCK + 0.22), r"$\pi_\Theta$")
    _key(tool, (prior - SIDE / 2, 3.9))
    return fig


def _key(tool: Pen, corner: tuple[float, float]) -> None:
    """A square that says what the two directions of all squares are."""
    _frame(tool, corner)
    x, y = corner
    tool.text((x + SIDE / 2, y + SIDE + 0.2), r"$\theta_{11}\rightarrow$", NAME)
    tool.text((x - 0.1, y + SIDE / 2), r"$\theta_{21}\uparrow$", NAME, "right")


def _chain(tool: Pen, port: float, end: float, *, first: bool, last: bool) -> None:
    """The piece of the chain at the right of a port, and the branch from there to the block."""
    start = port if first else port + DIVERTER
    stop = end - BLOCK if last else end - DIVERTER
    if first:
        tool.lines([[(stop, CHAIN), (start, CHAIN)]])
    else:
        tool.arrow([(stop, CHAIN), (start, CHAIN)])
        tool.diverter((port, CHAIN), port, port)
    top = CHAIN if first else CHAIN + DIVERTER
    tool.arrow([(port, top), (port, MIDDLE - BLOCK)])


def _column(tool: Pen, port: float, result: BayesianChain, k: int) -> None:
    """Block ``k``, the messages about its matrix, and those of X and Y."""
    y = 3.25
    name = f"\\Theta[{k + 1}]"
    left, right = (port - 0.18 - SIDE, y), (port + 0.18, y)
    _message(tool, left, result.told[k], LIGHT.forward, f"f_{{{name}}}")
    _message(tool, right, result.says[k], LIGHT.backward, f"b_{{{name}}}")
    tool.block((port, MIDDLE))
    for row, letter, side, mark in (
        (result.f[:, k], f"f_{{X[{k + 1}]}}", -0.14, LIGHT.forward),
        (result.b[:, k], f"b_{{Y[{k + 1}]}}", 0.14, LIGHT.backward),
    ):
        values = ", ".join(f"{v:.2g}" for v in row)
        at = (port + BLOCK + GAP, MIDDLE + side)
        tool.text(at, f"${letter}$ = ({values})", NAME, "left")
        tool.ax.texts[-1].set_color(mark.word)
    tool.text((port, MIDDLE + BLOCK + 0.25), f"sample {k + 1}", NAME)


def _message(
    tool: Pen,
    corner: tuple[float, float],
    values: np.ndarray,
    mark: Mark,
    name: str,
    beside: float = SIDE + 0.2,
) -> None:
    """The square of a message, its upper left corner at ``corner``; its name is below it, or
    ``beside`` the corner by so much."""
    x, y = corner
    colors = LinearSegmentedColormap.from_list("message", [LIGHT.ground, mark.color])
    tool.ax.imshow(
        values.T / values.max(), extent=(x, x + SIDE, y + SIDE, y), origin="lower",
        cmap=colors, vmin=0, vmax=1, interpolation="bilinear",
    )  # fmt: skip
    _frame(tool, corner)
    tool.text((x + SIDE / 2, y + beside), f"${name}$", NAME)
    tool.ax.texts[-1].set_color(mark.word)


def _frame(tool: Pen, corner: tuple[float, float]) -> None:
    x, y = corner
    edge = Rectangle((x, y), SIDE, SIDE, fill=False, edgecolor=LIGHT.muted, linewidth=1.2)
    edge.set_zorder(4)
    tool.ax.add_patch(edge)
