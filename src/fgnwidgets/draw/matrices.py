"""Conditional probability matrices as heat maps and as tables (section 2.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..algebra.arrays import Array
from ..arguments import read_levels, shown, wrong
from ..graphs.normal_graph import Graph, as_normal
from .names import maths, plain, state_labels
from .style import LIGHT, Theme, canvas, ink_on

MOST_VALUES = 200
"""With more cells than this, their values are not written in them."""


def draw_matrix(
    theta: ArrayLike,
    ax: Axes | None = None,
    *,
    rows: Sequence[object] = (),
    columns: Sequence[object] = (),
    title: str = "",
    theme: Theme = LIGHT,
) -> Axes:
    """A matrix ``(M_X, M_Y)`` as a heat map from 0 to 1, with the value of each cell.

    ``rows`` and ``columns`` are the labels of the states of X and of Y, by default their indices.
    Raises ``ValueError`` for anything but a matrix, or labels that do not fit it.
    """
    matrix = np.atleast_2d(read_levels(theta, "theta"))
    if matrix.ndim != 2:
        raise ValueError(
            f"theta has shape {matrix.shape}: pick one matrix of the batch, (M_X, M_Y)"
        )
    for labels, count, what in (
        (rows, matrix.shape[0], "rows"),
        (columns, matrix.shape[1], "columns"),
    ):
        if len(labels) not in (0, count):
            raise ValueError(f"{len(labels)} labels of {what} were given, theta has {count}")
    height, width = matrix.shape
    ax = canvas(ax, 1.2 + min(0.55 * width, 9), 0.8 + min(0.4 * height, 9), theme)
    image = ax.imshow(matrix, cmap=theme.matrix, vmin=0, vmax=1, aspect="auto")
    if matrix.size <= MOST_VALUES:
        for (i, j), value in np.ndenumerate(matrix):
            ink = ink_on(colormaps[theme.matrix](image.norm(np.asarray(value))))
            ax.text(j, i, f"{value:.2f}", color=ink, ha="center", va="center", fontsize=9)
    ax.set_xticks(range(width), [plain(label) for label in columns or range(width)])
    ax.set_yticks(range(height), [plain(label) for label in rows or range(height)])
    ax.tick_params(
        length=0, colors=theme.ink, top=True, labeltop=True, bottom=False, labelbottom=False
    )
    for spine in ax.spines.values():
        spine.set_visible(False)
    if title:
        ax.set_title(maths(title), color=theme.ink)
    return ax


@dataclass(frozen=True, eq=False, repr=False)
class MatrixTable:
    """A matrix with the labels of its rows and columns, shown as a table."""

    name: str
    matrix: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    def __repr__(self) -> str:
        cells = [["", *self.columns]]
        for label, row in zip(self.rows, self.matrix, strict=True):
            cells.append([label, *(f"{value:.4f}" for value in row)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(c.rjust(w) for c, w in zip(line, widths, strict=True)) for line in cells]
        return "\n".join([f"P({self.name})", *lines])

    def _repr_html_(self) -> str:
        def cell(tag: str, text: str) -> str:
            return f"<{tag}>{escape(text)}</{tag}>"

        head = "".join(cell("th", label) for label in ("", *self.columns))
        body = "".join(
            "<tr>" + cell("th", label) + "".join(cell("td", f"{v:.4f}") for v in row) + "</tr>"
            for label, row in zip(self.rows, self.matrix, strict=True)
        )
        caption = cell("caption", f"P({self.name})")
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def read_matrices(theta: Any) -> Mapping[str, Any]:
    """Matrices by name; of a run, those of its best restart."""
    theta = getattr(theta, "best_theta", theta)
    if not isinstance(theta, Mapping):
        raise wrong("theta", theta, "a mapping from the names of matrices to arrays, or a Run")
    return theta


def matrix_table(graph: Graph, theta: Mapping[str, ArrayLike], name: str) -> MatrixTable:
    """The matrix ``theta[name]`` with the labels of its states, or their indices without labels.

    A row with several parents is labelled ``"a, b"``. Raises ``ValueError`` for a name that is no
    matrix, and for a matrix of another size.
    """
    form = as_normal(graph)
    theta = read_matrices(theta)
    if not isinstance(name, str) or name not in form.matrices or name not in theta:
        raise ValueError(f"no matrix {shown(name)}: the graph has {', '.join(form.matrices)}")
    node = form.users[name][0]
    rows = state_labels(form, node.inputs[0]) if node.inputs else ("",)
    columns = state_labels(form, node.outputs[0])
    matrix = read_levels(theta[name], f"theta[{name!r}]")
    if matrix.size != len(rows) * len(columns):
        raise ValueError(f"theta[{name!r}] has shape {matrix.shape}: expected {node.shape}")
    return MatrixTable(name, matrix.reshape(node.shape), rows, columns)


def draw_theta(
    graph: Graph,
    theta: Mapping[str, ArrayLike],
    name: str,
    ax: Axes | None = None,
    *,
    theme: Theme = LIGHT,
) -> Axes:
    """:func:`draw_matrix` of ``theta[name]``, with the labels of its states."""
    table = matrix_table(graph, theta, name)
    return draw_matrix(
        table.matrix, ax, rows=table.rows, columns=table.columns, title=f"P({name})", theme=theme
    )
