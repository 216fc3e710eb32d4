"""Read comma-separated values, from a file on disk or from one dropped on the graph editor.

A column of whole numbers becomes a column of ``int``, any other one stays text, and blank cells
become None. For anything more, read the file with a data frame library.
"""

from __future__ import annotations

import io
import os
import re

SEPARATORS = ",;\t|"

WHOLE = re.compile(r"-?(0|[1-9]\d*)")
"""A whole number; what begins with another zero, such as a postcode, is text."""


def read_csv(path: str | os.PathLike[str]) -> dict[str, list[int | str | None]]:
    """The columns by name; the first line of the file holds their names. See :func:`parse_csv`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return parse_csv(file.read(), os.fspath(path))


def parse_csv(text: str, name: str = "the text") -> dict[str, list[int | str | None]]:
    """The columns of such a text by name; ``name`` is what error messages call the text.

    The separator is a comma, a semicolon, a tab or a vertical bar, whichever the first line has
    most of. Raises ``ValueError`` for a text without rows, a column whose name is empty or taken,
    and a line that is longer or shorter than the first.
    """
    import csv  # slow to import, for what few need

    text = text.lstrip("\ufeff")
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    rows = [row for row in lines if any(cell.strip() for cell in row) or len(row) > 1]
    if len(rows) < 2:
        raise ValueError(
            f"{name} has {len(rows)} lines: expected one with the names of the columns, and one "
            "for every sample"
        )
    head = [cell.strip() for cell in rows[0]]
    for place, column in enumerate(head):
        if not column or column in head[:place]:
            raise ValueError(
                f"{name}: column {place + 1} is called {column!r}: every column needs a name of "
                "its own, in the first line"
            )
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(head):
            raise ValueError(
                f"{name}: line {number} has {len(row)} cells: expected {len(head)}, as many as the "
                "first line has names"
            )
    columns = zip(*rows[1:], strict=True)
    return {column: _cells(cells) for column, cells in zip(head, columns, strict=True)}


def _cells(cells: tuple[str, ...]) -> list[int | str | None]:
    found = [cell.strip() for cell in cells]
    whole = all(WHOLE.fullmatch(cell) for cell in found if cell)
    return [(int(cell) if whole else cell) if cell else None for cell in found]
