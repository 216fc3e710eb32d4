"""Nodes of a reader's own: what they send is checked, since nobody else has."""

from __future__ import annotations

import numpy as np

from ..algebra.arrays import Array, Arrays
from ..algebra.semirings import SumProduct
from ..arguments import shown
from .nodes import Node, Ports


def checked_send(
    node: Node, to: Ports, f: Arrays, b: Arrays, theta: Arrays, semiring: SumProduct
) -> list[Array]:
    """The messages that a reader's own node sends; ``ValueError`` by its name where one is none."""
    call = f"node {node.name!r}: {type(node).__name__}.send"
    try:
        sent = [np.asarray(v) for v in node.send(to, f, b, theta, semiring)]
        if len(sent) != len(to):
            raise ValueError(f"it gave {len(sent)} messages for {len(to)} ports")
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise ValueError(
            f"{call} failed ({type(error).__name__}: {error}); expected a list with a message "
            "(..., M, N) for each port that it is asked for"
        ) from error
    sizes = {branch.name: branch.size for branch in (*node.inputs, *node.outputs)}
    entered = [(b if forward else f).get(name) for name, forward in node.ports]
    entering = [v for v in entered if v is not None]
    widths = {1, *(v.shape[-1] for v in entering)}
    for (name, forward), v in zip(to, sent, strict=True):
        shaped = v.ndim > 1 and v.shape[-2] == sizes[name] and v.shape[-1] in widths
        what = f"{v.dtype} of shape {v.shape}"
        if shaped and v.dtype.kind in "buif":
            # Where what entered holds NaN, its sample is impossible.
            if semiring.holds(v) or not all(map(semiring.holds, entering)):
                continue
            what = f"numbers that are negative or not finite, {shown(v)}"
        raise ValueError(
            f"{call} gave as the {'forward' if forward else 'backward'} message on {name!r} "
            f"{what}: expected (..., {sizes[name]}, N), proportional to distributions, with N "
            f"one of {sorted(widths)}"
        )
    return [v.astype(np.float64, copy=False) for v in sent]
