"""Tables of results in a chapter: text in a terminal, a table of its own in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fgnwidgets import BayesGraph
from fgnwidgets.report import Report


class Table(Report):
    """A title, and rows of cells that are formatted already."""

    def __init__(self, title: str, heads: list[str], rows: list[list[str]]) -> None:
        self.title, self.heads, self.rows = title, heads, rows

    def _repr_html_(self) -> str:
        """A table without styles for each cell, which a chapter would store hundreds of times."""
        from html import escape

        def line(cells: list[str], tag: str) -> str:
            first, *rest = map(escape, cells)
            return f"<tr><th>{first}</th>{''.join(f'<{tag}>{cell}</{tag}>' for cell in rest)}</tr>"

        body = "".join(line(row, "td") for row in self.rows)
        return (
            f'<table style="text-align:right"><caption>{escape(self.title)}</caption>'
            f"<thead>{line(self.heads, 'th')}</thead><tbody>{body}</tbody></table>"
        )

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        return self.title, self.heads, self.rows


def tabulate(
    title: str,
    rows: Mapping[Any, Mapping[str, Any] | Iterable[Any] | ArrayLike],
    form: str | Mapping[str, str] = ".2f",
    heads: Iterable[Any] | None = None,
) -> Table:
    """A table of results: a row for each name, a column for each head of the rows.

    A row holds its cells by head; or it is a sequence, whose heads are ``heads``; or, without
    these, a matrix, whose heads are the places of its entries, ``"1, 2"`` for row 1 and column 2.
    ``form`` is how numbers with decimals are written, such as ``".2f"`` or ``".0%"``, for all
    columns or by head. Text and whole numbers stand as they are, a matrix in a cell has all its
    numbers, and a missing cell is a dash. Raises ``ValueError`` for a sequence that is longer or
    shorter than its heads.
    """
    order = None if heads is None else [str(head) for head in heads]
    named = {name: _by_head(name, row, order) for name, row in rows.items()}
    known = list(dict.fromkeys(head for row in named.values() for head in row))
    forms = form if isinstance(form, Mapping) else dict.fromkeys(known, form)
    cells = [
        [str(name), *(_cell(row.get(head), forms.get(head, ".2f")) for head in known)]
        for name, row in named.items()
    ]
    return Table(title, ["", *known], cells)


def tied(graph: BayesGraph) -> Table:
    """The variables that share a matrix, a row for each matrix of the normal form."""
    users: dict[str, list[str]] = {matrix: [] for matrix in graph.normal_form().matrices}
    for name, matrix in graph.theta.items():
        users[matrix].append(name)
    rows = {matrix: {"is the matrix of": ", ".join(names)} for matrix, names in users.items()}
    return tabulate("Tied blocks", rows)


def _by_head(
    name: Any, row: Mapping[str, Any] | Iterable[Any] | ArrayLike, heads: list[str] | None
) -> Mapping[str, Any]:
    """The cells of a row by head."""
    if isinstance(row, Mapping):
        return row
    if heads is None and np.ndim(row) == 2:  # type: ignore[arg-type]
        return {f"{i + 1}, {j + 1}": value for (i, j), value in np.ndenumerate(np.asarray(row))}
    cells: Any = row
    if heads is None or len(cells) != len(heads):
        wanted = "heads for it" if heads is None else f"{len(heads)}, one for each of heads"
        raise ValueError(f"the row {name!r} is a sequence of {len(cells)} cells: expected {wanted}")
    return dict(zip(heads, cells, strict=True))


def _cell(value: Any, form: str) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    if isinstance(value, Integral):
        return str(value)
    if np.ndim(value) > 0:
        return f"[{', '.join(_cell(v, form) for v in value)}]"
    words = format(float(value), form)
    return words.removeprefix("-") if float(words.rstrip("%")) == 0 else words
