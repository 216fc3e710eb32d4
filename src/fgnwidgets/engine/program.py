"""A plan as functions: what a node does is chosen once, and called in every epoch (section 2).

Vocabulary
    algebra   how blocks and product spaces carry messages: as sums here, as maxima in ``decoding``
    sender    works out what one node sends in one round, and puts it into the slots
    program   the senders of every round
    careful   on: products that would underflow are worked out again with exponents of their own
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .arrays import Array, column_sums
from .messages import (
    SMALL,
    back_through,
    expand,
    multiply_others,
    multiply_others_safely,
    project,
    through,
)
from .nodes import Block, Diverter, Expand, Source
from .schedule import Op, Plan

Theta = Mapping[str, Array]

Sender = Callable[[Sequence[Array], list[Array], Theta, "list[Array] | None", bool], None]
"""``(slots, out, theta, logs, careful)``: from ``slots`` to ``out``, logs of scales to ``logs``."""

Program = tuple[tuple[Sender, ...], ...]


class Algebra(NamedTuple):
    """The messages through a block, both ways, and from a product space to one variable."""

    through: Callable[[Array, Array], Array]
    back_through: Callable[[Array, Array], Array]
    project: Callable[[Array, tuple[int, ...], int], Array]


SUMS = Algebra(through, back_through, project)


@lru_cache(maxsize=256)
def program(plan: Plan, algebra: Algebra = SUMS) -> Program:
    """The senders of a plan, round by round."""
    return tuple(tuple(_sender(op, algebra) for op in ops) for ops in plan.rounds)


def _sender(op: Op, algebra: Algebra) -> Sender:
    if isinstance(op.node, Diverter):
        return _diverter(op)
    value, leave = _value(op, algebra), op.leave[0]

    def send(
        slots: Sequence[Array],
        out: list[Array],
        theta: Theta,
        logs: list[Array] | None,
        careful: bool,
    ) -> None:
        out[leave] = value(slots, theta)

    return send


def _value(op: Op, algebra: Algebra) -> Callable[[Sequence[Array], Theta], Array]:
    """What a node with one input at most sends; blocks keep the scale that they are given."""
    node, forward = op.node, op.wanted[0] == 1
    if isinstance(node, Source):
        name = node.theta
        return lambda slots, theta: theta[name].swapaxes(-1, -2)
    enter = op.enter[1 - op.wanted[0]]
    if isinstance(node, Block):
        name, carry = node.theta, algebra.through if forward else algebra.back_through
        return lambda slots, theta: carry(theta[name], slots[enter])
    assert not isinstance(node, Diverter)
    turn = expand if isinstance(node, Expand) == forward else algebra.project
    sizes, axis = node.sizes, node.axis
    return lambda slots, theta: turn(slots[enter], sizes, axis)


def _diverter(op: Op) -> Sender:
    """A diverter normalises what it sends, and hands on the scale that it takes out."""
    enter, leave, wanted = op.enter, op.leave, op.wanted

    def send(
        slots: Sequence[Array],
        out: list[Array],
        theta: Theta,
        logs: list[Array] | None,
        careful: bool,
    ) -> None:
        entering = [slots[slot] for slot in enter]
        products = multiply_others(entering, wanted)
        scales = [column_sums(product) for product in products]
        if careful and not all(np.minimum.reduce(scale, axis=None) > SMALL for scale in scales):
            for slot, (product, taken) in zip(
                leave, multiply_others_safely(entering, wanted), strict=True
            ):
                scale = column_sums(product)
                out[slot] = product / scale
                if logs is not None:
                    logs.append(np.log(scale) + taken)
            return
        for slot, product, scale in zip(leave, products, scales):  # noqa: B905, for speed
            out[slot] = product / scale
        if logs is not None:
            logs += [np.log(scale) for scale in scales]

    return send
