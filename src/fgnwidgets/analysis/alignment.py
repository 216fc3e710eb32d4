"""State alignment: number the hidden states of one model as those of another (section 7.1).

Learning may find the states of a hidden variable in any order, so two models can only be compared
after their states were paired.

Vocabulary
    agreement   ``A[i, j]``, the expected number of samples that are in state ``i`` by one model and
                in state ``j`` by the other
    match       the pairs of states, one to one, with the largest total agreement
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Index
from ..arguments import read_array, read_weight


def agreement(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> Array:
    """The agreement of two posteriors, ``sum_n w[n] p_i[n] q_j[n]``, of shape ``(..., M_p, M_q)``.

    ``p`` is ``(..., M_p, N)`` and ``q`` ``(..., M_q, N)``, of the same samples. All entries sum to
    the weight of the samples. Raises ``ValueError`` for other shapes.
    """
    one, two = read_array(p, "p"), read_array(q, "q")
    if one.ndim < 2 or two.ndim < 2 or one.shape[-1] != two.shape[-1]:
        raise ValueError(
            f"p has shape {one.shape} and q {two.shape}: expected (..., M, N) on the same samples"
        )
    weights = read_weight(weight, two.shape[-1])
    total: Array = one @ (two if weights is None else two * weights).swapaxes(-1, -2)
    return total


def match_states(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> Index:
    """The order in which the states of ``q`` agree best with those of ``p``, ``(M_q,)``.

    State ``k`` of ``p`` is matched with state ``order[k]`` of ``q``. With this order ``relabel``
    numbers the states of the model of ``q`` as those of ``p``. ``p`` is ``(M_p, N)`` and ``q``
    ``(M_q, N)``, posteriors of the same samples. If the sizes differ, states of ``q`` without a
    partner come last, the largest first; states of ``p`` without one are left out.
    """
    gain = agreement(p, q, weight)
    if gain.ndim != 2:
        raise ValueError(f"p and q have batch axes, {gain.shape[:-2]}: expected one pair of models")
    more, fewer = max(gain.shape), min(gain.shape)
    pairs = _best_of_all(gain) if math.perm(more, fewer) <= FEW else _matching(gain)
    matched = [pairs[i] for i in range(len(gain)) if i in pairs]
    rest = [j for j in np.argsort(-gain.sum(axis=0), kind="stable") if j not in matched]
    return np.array([*matched, *rest], dtype=np.intp)


FEW = 120
"""Of at most so many ways to pair the states all are tried, in a tenth of the time of a search."""


def _best_of_all(gain: Array) -> dict[int, int]:
    """The pairs ``{i: j}`` with the largest sum of ``gain[i, j]``, by trying all."""
    if len(gain) > gain.shape[1]:
        return {i: j for j, i in _best_of_all(gain.T).items()}
    ways = _ways(*gain.shape)
    best = ways[gain[np.arange(len(gain)), ways].sum(axis=1).argmax()]
    return dict(enumerate(best.tolist()))


@lru_cache(maxsize=32)
def _ways(n: int, m: int) -> Index:
    """All ways to give each of ``n`` states one of ``m`` others for itself, ``(ways, n)``."""
    return np.array([*permutations(range(m), n)], dtype=np.intp)


def _matching(gain: Array) -> dict[int, int]:
    """The same by networkx's search for a matching of largest weight."""
    import networkx as nx  # slow to import, and nothing else here needs it

    graph = nx.Graph()
    for i, j in np.ndindex(gain.shape):
        graph.add_edge(("p", i), ("q", j), weight=gain[i, j])
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    return {dict(pair)["p"]: dict(pair)["q"] for pair in matching}
