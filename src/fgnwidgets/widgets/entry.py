"""Change one entry of a matrix so that its row remains a distribution."""

from __future__ import annotations

import numpy as np

from fgnwidgets.engine.arrays import Array


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
