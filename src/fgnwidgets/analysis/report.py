"""Reports that print as text in a terminal and as a table in a notebook.

Vocabulary
    report   a title, a table with or without heads, and notes below it
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Report:
    """A value that is shown as a report, which a subclass writes by ``_table`` and ``_notes``."""

    def _table(self) -> tuple[str, Sequence[str], Sequence[Sequence[Any]]]:
        """The title, the heads of the columns, and the rows."""
        raise NotImplementedError

    def _notes(self) -> Sequence[str]:
        return ()

    def __repr__(self) -> str:
        title, heads, rows = self._table()
        cells = [list(heads), *([cell_text(v) for v in row] for row in rows)]
        if not any(heads):
            cells = cells[1:]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                c.ljust(w) if k == 0 else c.rjust(w)
                for k, (c, w) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in cells
        ]
        return "\n".join([title, *lines, *(f"- {note}" for note in self._notes())])

    def _repr_html_(self) -> str:
        from html import escape  # slow to import, and a terminal does not need it

        title, heads, rows = self._table()

        def line(tag: str, cells: Sequence[Any]) -> str:
            first, *rest = (escape(cell_text(v)) for v in cells)
            right = "".join(
                f'<{tag} style="text-align:right;padding:2px 0.7em">{c}</{tag}>' for c in rest
            )
            return f'<tr><th style="text-align:left">{first}</th>{right}</tr>'

        head = f"<thead>{line('th', heads)}</thead>" if any(heads) else ""
        body = "".join(line("td", row) for row in rows)
        notes = "".join(f"<li>{escape(note)}</li>" for note in self._notes())
        caption = f'<caption style="text-align:left">{escape(title)}</caption>'
        return (
            f"<table>{caption}{head}<tbody>{body}</tbody></table>"
            f"{f'<ul>{notes}</ul>' if notes else ''}"
        )


def cell_text(value: Any) -> str:
    """A value in a cell: a number with four digits behind the point, from 10 on with two."""
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return "-"
    if number.is_integer():
        return f"{int(number)}"
    return f"{number:.4f}" if abs(number) < 10 else f"{number:.2f}"
