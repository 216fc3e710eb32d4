"""Hidden states have no order of their own: number those of one model as in another (section 7.1).

Vocabulary
    agreement   ``A[i, j]``: samples on which one model expects state ``i`` and the other ``j``
    match       the pairs of states, one to one, with the largest total agreement
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, Index


def agreement(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """``sum_n w[n] p_i[n] q_j[n]``, ``(..., M_p, M_q)``, for two posteriors of the same samples.

    ``p`` is ``(..., M_p, N)`` and ``q`` ``(..., M_q, N)``. The sum over all pairs is the weight of
    the samples.
    """
    one, two = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if one.ndim < 2 or two.ndim < 2 or one.shape[-1] != two.shape[-1]:
        raise ValueError(
            f"p has shape {one.shape} and q {two.shape}: expected (..., M, N) on the same samples"
        )
    if weight is not None:
        two = two * np.asarray(weight, dtype=np.float64)
    total: Array = one @ two.swapaxes(-1, -2)
    return total


def match_states(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> Index:
    """The order in which the states of ``q`` agree best with those of ``p``.

    State ``k`` of ``p`` is state ``order[k]`` of ``q``, the order that ``relabel`` takes to
    number a learned model as the reference is. ``p`` is ``(M_p, N)`` and ``q`` ``(M_q, N)``,
    posteriors of the same samples. If the sizes differ, states of ``q`` without a partner come
    last, the largest first; states of ``p`` without one are left out.
    """
    gain = agreement(p, q, weight)
    if gain.ndim != 2:
        raise ValueError(f"p and q have batch axes, {gain.shape[:-2]}: expected one pair of models")
    partner = _assign(gain) if gain.shape[0] <= gain.shape[1] else _inverse(_assign(gain.T))
    matched = [int(j) for j in partner if j >= 0]
    rest = [j for j in np.argsort(-gain.sum(axis=0), kind="stable") if j not in matched]
    return np.array([*matched, *rest], dtype=np.intp)


def _assign(gain: Array) -> Index:
    """The column of each row, one to one, with the largest total gain (rows <= columns).

    The Hungarian method: each row enters by a shortest augmenting path, and prices of rows and
    columns keep every reduced cost non-negative.
    """
    rows, columns = gain.shape
    cost = gain.max() - gain
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1, dtype=np.intp)
    for entering in range(rows):
        distance = np.full(columns, np.inf)
        came_from = np.full(columns, -1, dtype=np.intp)
        done = np.zeros(columns, dtype=bool)
        row, at, reached = entering, -1, 0.0
        while True:
            through = reached + cost[row] - row_price[row] - column_price
            shorter = ~done & (through < distance)
            distance[shorter], came_from[shorter] = through[shorter], at
            at = int(np.argmin(np.where(done, np.inf, distance)))
            reached, row = float(distance[at]), int(row_of[at])
            if row < 0:
                break
            done[at] = True
        row_price[entering] += reached
        row_price[row_of[done]] += reached - distance[done]
        column_price[done] -= reached - distance[done]
        while at >= 0:  # the path turns round: each of its columns takes the row before it
            before = int(came_from[at])
            row_of[at] = row_of[before] if before >= 0 else entering
            at = before
    column_of = np.full(rows, -1, dtype=np.intp)
    column_of[row_of[row_of >= 0]] = np.flatnonzero(row_of >= 0)
    return column_of


def _inverse(column_of: Index) -> Index:
    """From the row of each column to the column of each row, -1 where there is none."""
    size = int(column_of.max()) + 1
    inverse = np.full(size, -1, dtype=np.intp)
    inverse[column_of] = np.arange(len(column_of))
    return inverse
