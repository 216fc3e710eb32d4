"""Starts of learning: matrices, or messages and what the first M-step makes of them (section 7).

Vocabulary
    start   random matrices; or the paper's, random messages with uniform matrices; or given ones
    hold    rows that stay as they start
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Arrays, Index, Mask
from ..algebra.distributions import normalize
from ..arguments import read_count, read_kind, shown, wrong
from ..data import has_names, row_order
from ..graphs.normal_graph import NormalGraph
from ..graphs.theta import family_of

OwnMessages = Mapping[str, tuple[ArrayLike, ArrayLike]]
"""By block, the messages ``(f, b)`` to begin with."""

SHORT = 10
"""Epochs of a short start: enough to see which will be good. Of twelve surveys of twelve questions
fifty such starts, three of which go on, found what twenty full ones do in a quarter of the time."""


def first_theta(
    form: NormalGraph, given: Arrays, rngs: list[np.random.Generator], *, random: bool
) -> dict[str, Array]:
    """The matrices of all restarts, ``(restarts, M_X, M_Y)``: given, or else random or uniform."""
    theta: dict[str, Array] = {}
    sizes = [rows * size for rows, size in form.matrices.values()]
    # A child draws for every matrix, so what is given moves no other number.
    drawn = np.stack([rng.random(sum(sizes)) for rng in rngs]) if random else None
    ends = np.cumsum(sizes)
    for k, (name, shape) in enumerate(form.matrices.items()):
        full = (len(rngs), *shape)
        if name in given:
            if given[name].ndim > 3 or given[name].shape[:-2] not in ((), (1,), (len(rngs),)):
                raise ValueError(
                    f"theta[{name!r}] has shape {given[name].shape}: expected {shape}, or "
                    f"{full} with a matrix for each restart"
                )
            theta[name] = np.broadcast_to(given[name], full)
        elif name not in form.learnable:
            raise ValueError(f"theta[{name!r}] is fixed (learn=False): give its matrix in theta=")
        else:
            theta[name] = np.full(full, 1 / shape[1])
            if drawn is not None:
                rows = drawn[:, ends[k] - sizes[k] : ends[k]].reshape(full)
                theta[name] = rows / rows.sum(axis=-1, keepdims=True)
    return theta


def read_hold(form: NormalGraph, hold: Any) -> dict[str, Mask]:
    """The rows that keep their value, ``(M_X, 1)`` for each matrix that has any."""
    said = "a mapping from matrices to the rows that stay, such as {'X|S': [True, False]}"
    read_kind(hold, "hold", Mapping, said)
    return {name: _held_rows(form, name, rows) for name, rows in hold.items()}


def _held_rows(form: NormalGraph, name: str, rows: Any) -> Mask:
    what = f"hold[{name!r}]"
    if name not in form.learnable:
        raise ValueError(f"{what} is no learned matrix: these are {', '.join(form.learnable)}")
    if has_names(rows):
        order = row_order(getattr(rows, "index", None), family_of(form, name)[0], what)
        rows = np.asarray(rows)[order]
    try:
        kept = np.asarray(rows)
    except ValueError:
        kept = np.empty(0)
    size = form.matrices[name][0]
    if kept.shape != (size,) or kept.dtype != bool:
        raise wrong(what, rows, f"True or False for each of its {size} rows")
    return np.asarray(kept[:, None])


def read_messages(
    form: NormalGraph, start: OwnMessages, n: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    f: dict[str, Array] = {}
    b: dict[str, Array] = {}
    for node in (node for users in form.learnable.values() for node in users):
        try:
            f_x, b_y = start[node.name]
        except (KeyError, TypeError, ValueError):
            raise ValueError(
                f"start has no messages for {node.name!r}: expected {{block: (f, b)}} for all"
            ) from None
        # A source has no input: its forward message is one.
        sides = (f, node.inputs, f_x), (b, node.outputs, b_y)
        for (side, ends, given), size in zip(sides, node.shape, strict=True):
            v = normalize(given)
            if v.shape[-2:] != (size, n):
                said = f"messages of shape {v.shape}, expected (..., {size}, {n})"
                raise ValueError(f"start[{node.name!r}]: {said}")
            side.update((end.name, v) for end in ends)
    return f, b


def read_starts(
    starts: int | None, keep: int | None, restarts: int | None, total: int
) -> tuple[int, int]:
    """The epochs of the short starts, and the number of them that go on."""
    if starts is None:
        raise ValueError(f"keep is {shown(keep)} without starts: starts=50, keep=3 is meant")
    if restarts is not None:
        raise ValueError("restarts and starts are both given: starts=50, keep=3 says it all")
    number = read_count(starts, "starts", 1)
    kept = min(3, number) if keep is None else read_count(keep, "keep", 1)
    if kept > number:
        raise ValueError(f"keep is {kept} of {starts} starts: expected at most as many")
    return min(total, SHORT), kept


def best_starts(ends: Array, keep: int, tables: int = 1) -> Index:
    """The starts with the largest ``loglik``, the best first; ``keep`` of them for each table.

    ``ends`` ``(starts * tables,)`` has a start of every table after another. The result
    ``(keep * tables,)`` has the best start of every table, then the second best, and so on.
    """
    order = np.argsort(-ends.reshape(-1, tables), axis=0, kind="stable")[:keep]
    return np.asarray((order * tables + np.arange(tables)).ravel())
