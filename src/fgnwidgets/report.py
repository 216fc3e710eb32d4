"""Reports that print as text in a terminal and as a table in a notebook, and go into papers.

Vocabulary
    report   a title, a table with or without heads, and notes below it
    data     the same table for other programs: every column has a head, and numbers are not rounded
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from .arguments import read_word

__all__ = ["Report"]

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\n": " ",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}
"""Characters that mean something else to LaTeX, and how they are written in any font encoding."""

NEEDS_PANDAS = (
    "to_frame needs pandas ({error}): pip install pandas, or take the same columns as lists by "
    "to_dict()"
)


class Report:
    """A value that is shown as a report, which a subclass writes by ``_table`` and ``_notes``.

    Where the report shows less than it holds, ``_data`` gives all.
    """

    def _table(self) -> tuple[str, Sequence[str], Sequence[Sequence[Any]]]:
        """The title, the heads of the columns, and the rows."""
        raise NotImplementedError

    def _notes(self) -> Sequence[str]:
        return ()

    def _more(self) -> str:
        """More questions to ask, for those who read it on a screen; no part of a paper."""
        return ""

    def _data(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """The heads of the columns, all of them different, and the rows, for other programs."""
        _, heads, rows = self._table()
        if any(heads):
            return [head or f"column {k}" for k, head in enumerate(heads, 1)], rows
        named = ("quantity", "value", *(f"column {k}" for k in range(3, len(heads) + 1)))
        return named[: len(heads)], rows

    def to_dict(self) -> dict[str, list[Any]]:
        """The report's table as columns by name: lists of numbers and text, nothing rounded.

        A report without heads, such as a summary, has the columns ``quantity`` and ``value``.
        """
        heads, rows = self._data()
        return {head: [row[k] for row in rows] for k, head in enumerate(heads)}

    def to_frame(self) -> Any:
        """The columns of :meth:`to_dict` as a ``pandas.DataFrame``.

        ``frame.attrs`` holds the report's ``title`` and ``notes``. Other libraries take the dict,
        as in ``polars.DataFrame(report.to_dict(), strict=False)``. Raises ``ImportError`` without
        pandas.
        """
        try:
            pandas: Any = import_module("pandas")
        except ImportError as error:
            raise ImportError(NEEDS_PANDAS.format(error=error)) from error
        frame = pandas.DataFrame(self.to_dict())
        frame.attrs.update(title=self._table()[0], notes=list(self._notes()))
        return frame

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        """The report as a LaTeX table, its numbers as it prints them.

        The document needs ``\\usepackage{booktabs}``. ``caption`` is the report's title if it is
        None; ``label`` is what ``\\ref`` calls the table. Both are text: what means something to
        LaTeX is escaped in them as in all cells. The notes stand below the table.
        """
        title, heads, rows = self._table()
        for name, text in (("caption", caption), ("label", label)):
            if text is not None:
                read_word(text, name)
        lines = [r"\begin{table}", r"\centering"]
        lines.append(rf"\caption{{{latex_text(title if caption is None else caption)}}}")
        if label is not None:
            if odd := sorted(set(label) & set("\\{}%#&~^$")):
                raise ValueError(
                    f"label is {label!r}: expected a name without {odd[0]!r}, such as 'tab:fit'"
                )
            lines.append(rf"\label{{{label}}}")
        lines += [rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}", r"\toprule"]
        if any(heads):
            lines += [_latex_row(heads), r"\midrule"]
        lines += [*map(_latex_row, rows), r"\bottomrule", r"\end{tabular}"]
        lines += [rf"\par\footnotesize {latex_text(note)}" for note in self._notes()]
        return "\n".join([*lines, r"\end{table}", ""])

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
        below = [*(f"- {note}" for note in self._notes()), *filter(None, [self._more()])]
        return "\n".join([title, *lines, *below])

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
        more = f"<p>{escape(self._more())}</p>" if self._more() else ""
        caption = f'<caption style="text-align:left">{escape(title)}</caption>'
        return (
            f"<table>{caption}{head}<tbody>{body}</tbody></table>"
            f"{f'<ul>{notes}</ul>' if notes else ''}{more}"
        )


def latex_text(text: str) -> str:
    """Text in which no character means anything to LaTeX but itself."""
    return "".join(LATEX.get(sign, sign) for sign in text)


def _latex_row(cells: Sequence[Any]) -> str:
    """A line of a tabular; leading spaces, which indent in the text, become a quad."""
    texts = [latex_text(cell_text(cell)) for cell in cells]
    first = texts[0].lstrip(" ")
    # A row that began with "[" would be taken for the argument of the \\ before it.
    guard = "{}" if first.startswith(("[", "*")) else ""
    indent = r"\quad " if len(first) < len(texts[0]) else ""
    return " & ".join([indent + guard + first, *texts[1:]]) + r" \\"


def cell_text(value: Any) -> str:
    """A value in a cell: a number with four digits behind the point, from 10 on with two.

    One of more than fifteen digits has a power of ten.
    """
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int) and abs(value) >= 10**15:  # it may be too large for a float
        digits = str(abs(value))
        return f"{'-' * (value < 0)}{digits[0]}.{digits[1:4]}e+{len(digits) - 1}"
    number = float(value)
    if math.isnan(number):
        return "-"
    if abs(number) >= 1e15:
        return f"{number:.3e}"
    if number.is_integer():
        return f"{int(number)}"
    return f"{number:.4f}" if abs(number) < 10 else f"{number:.2f}"
