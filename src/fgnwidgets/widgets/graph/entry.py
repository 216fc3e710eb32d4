"""Change entries of a matrix so that its rows remain distributions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from fgnwidgets.algebra.arrays import Array

ROUNDING = 1e-9
"""So far from 1 the sum of typed numbers may be: 0.1 + 0.2 + 0.7 is not exactly 1."""

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)


def edited(matrix: Array, row: int, column: int, value: float) -> Array:
    """The matrix with one entry set to ``value``, and the others of its row scaled to sum to one.

    If the others are all 0, they become equal. Raises ``ValueError`` for a value that is no number
    from 0 to 1, and for a place outside the matrix.
    """
    rows, columns = matrix.shape
    if not (0 <= row < rows and 0 <= column < columns):
        raise ValueError(f"({row}, {column}) lies outside the matrix, which is {rows} by {columns}")
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is no probability: expected a number from 0 to 1")
    if columns == 1 and value != 1:
        raise ValueError("a row with one entry is always 1")
    made = np.array(matrix, dtype=float)
    others = np.arange(columns) != column
    left = made[row, others].sum()
    share = made[row, others] / left if left > 0 else np.full(columns - 1, 1 / max(columns - 1, 1))
    made[row, others] = np.round(share * (1 - value), 12)  # 0.3, not 0.30000000000000004
    made[row, column] = value
    return made


def typed_row(matrix: Array, row: int, typed: Mapping[int, str | float]) -> Array:
    """The matrix with a row in which the cells ``typed`` (column -> text or number) stay as typed.

    The others share what is left in their old proportions; if they were all 0, equally. Raises
    ``ValueError`` for an empty cell, for what is no number from 0 to 1, and for numbers that leave
    less than nothing, or something that no cell is left to take.
    """
    rows, columns = matrix.shape
    if not 0 <= row < rows or not all(0 <= column < columns for column in typed):
        raise ValueError(
            f"row {row} with columns {sorted(typed)}: the matrix is {rows} by {columns}"
        )
    values = {column: probability(text) for column, text in typed.items()}
    total = math.fsum(values.values())
    sum_of = " + ".join(f"{value:g}" for _, value in sorted(values.items()))
    if total > 1 + ROUNDING:
        raise ValueError(f"{sum_of} = {total:.6g}: a row sums to 1, so expected at most 1")
    others = [column for column in range(columns) if column not in values]
    if not others and total < 1 - ROUNDING:
        raise ValueError(
            f"{sum_of} = {total:.6g}: a row sums to 1, and no cell is left to take the rest"
        )
    made = np.array(matrix, dtype=float)
    left = made[row, others].sum()
    share = made[row, others] / left if left > 0 else np.full(len(others), 1 / max(len(others), 1))
    made[row, others] = np.round(share * max(1 - total, 0.0), 12)
    for column, value in values.items():
        made[row, column] = value if others else value / total
    return made


def probability(text: str | float) -> float:
    """A probability as it was typed, with a point or a comma."""
    said = str(text).strip()
    if not said:
        raise ValueError("the cell is empty: expected a number from 0 to 1")
    try:
        value = float(said.replace(",", ".")) if NUMBER.fullmatch(said) else math.nan
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ValueError(f"{said!r} is no probability: expected a number from 0 to 1")
    return value
