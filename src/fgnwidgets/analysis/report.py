"""Tables for people: text in a terminal, a table as the last line of a cell.

Vocabulary
    report   a title, columns with their heads, and notes in words under them
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


class Report:
    """What can be read as a table; ``_table`` and ``_notes`` say what is in it."""

    def _table(self) -> tuple[str, Sequence[str], Sequence[Sequence[Any]]]:
        """The title, the heads of the columns, and the rows."""
        raise NotImplementedError

    def _notes(self) -> Sequence[str]:
        return ()

    def __repr__(self) -> str:
        title, heads, rows = self._table()
        cells = [list(heads), *([shown(v) for v in row] for row in rows)]
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
        from html import escape  # with a large table, for pages alone

        title, heads, rows = self._table()

        def line(tag: str, cells: Sequence[Any]) -> str:
            first, *rest = (escape(shown(v)) for v in cells)
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


def shown(value: Any) -> str:
    """A value in a cell: numbers to the digits that are read, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return "-"
    if number == int(number) if math.isfinite(number) else False:
        return f"{int(number)}"
    return f"{number:.4f}" if abs(number) < 10 else f"{number:.2f}"
