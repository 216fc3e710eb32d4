"""Tables for comparison: permuted columns, and several tables that one run learns.

Vocabulary
    permuted   a table whose columns have the same values in an order of their own, so that no
               column tells anything of another
    union      several tables as weights over the different rows of all of them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def union(
    tables: Sequence[Mapping[str, np.ndarray]],
    masks: Sequence[np.ndarray] | None = None,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The different rows of all tables, and how often each table has them, ``(tables, rows)``.

    The tables have the same columns of codes. ``masks`` are weights of the rows of each table.
    """
    names = tuple(tables[0])
    if odd := [k for k, table in enumerate(tables) if tuple(table) != names]:
        raise ValueError(
            f"table {odd[0]} has the columns {', '.join(tables[odd[0]])}: expected those of the "
            f"first, {', '.join(names)}"
        )
    sizes = [len(table[names[0]]) for table in tables]
    stacked = np.stack([np.concatenate([table[name] for table in tables]) for name in names])
    rows, which = np.unique(stacked, axis=1, return_inverse=True)
    counted = np.ones(sum(sizes)) if masks is None else np.concatenate(masks)
    cells = np.repeat(np.arange(len(tables)), sizes) * rows.shape[1] + which.ravel()
    weight = np.bincount(cells, counted, len(tables) * rows.shape[1])
    return dict(zip(names, rows, strict=True)), weight.reshape(len(tables), -1)


def permuted(table: Mapping[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The table with each column permuted by itself: the same margins, and independent columns."""
    return {name: rng.permutation(column) for name, column in table.items()}
