"""A graph with its evidence in place, ready to be propagated many times (section 2.2).

Vocabulary
    setting    the graph, split where evidence asks for it, its plan, and the messages that enter
    carrier    the place of a message that is evidence
    start      the messages before the first round
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, column_sums, random_messages, uniform
from .evidence import Evidence
from .graph import NormalGraph
from .messages import Messages
from .nodes import Block, Source
from .schedule import Plan, two_sweep_plan

TINY = np.finfo(float).tiny
"""Nothing smaller is divided by."""

MANY = 100
"""So many pieces of evidence, or nats of room that diverters need, and products may underflow."""


Reach = Callable[[str], tuple[Array, Array]]
"""From the name of a source or block to the messages ``(f, b)`` that reach it."""


@dataclass(frozen=True)
class Setting:
    """A graph with evidence at its open branches, ready to be propagated many times."""

    graph: NormalGraph
    evidence: Evidence
    plan: Plan
    slots: tuple[Array, ...]  # evidence at open ends, uniform elsewhere
    carriers: tuple[tuple[int, NDArray[np.bool_] | None], ...]  # slot; where a cell is not missing
    log_scale: Array | float  # what normalising the evidence took out, ``(..., N)``

    def reach(self, slots: Sequence[Array]) -> Reach:
        """By name, what reaches a source or block: ``f`` at its input and ``b`` at its output.

        A source has no input: its forward message is one (section 3).
        """

        def reaching(node: str) -> tuple[Array, Array]:
            f, b = self.ports[node]
            return self._one if f < 0 else self.normal(f, slots), self.normal(b, slots)

        return reaching

    def normal(self, slot: int, slots: Sequence[Array]) -> Array:
        """The message in a slot, normalised; that of an impossible sample may be all zero."""
        v = slots[slot]
        if slot not in self.plan.raw:
            return v
        sums = np.maximum(column_sums(v), TINY)  # zeros stay zeros: impossible samples
        return np.asarray(v / sums)

    @cached_property
    def _one(self) -> Array:
        return np.ones((1, self.evidence.n))

    @cached_property
    def careful(self) -> bool:
        """Whether so much is multiplied that products must be watched for underflow."""
        return len(self.carriers) > MANY or self.plan.headroom > MANY

    @cached_property
    def ports(self) -> dict[str, tuple[int, int]]:
        """The slots of what reaches each source or block; -1 where a source has no input."""
        return {
            node.name: (
                2 * self.at[node.x.name] if isinstance(node, Block) else -1,
                2 * self.at[node.y.name] + 1,
            )
            for node in self.graph.nodes
            if isinstance(node, Source | Block)
        }

    @cached_property
    def at(self) -> dict[str, int]:
        """The number of each branch: its slots are twice that, and the next."""
        return {name: i for i, name in enumerate(self.graph.branches)}


def opened(graph: NormalGraph, evidence: Evidence) -> NormalGraph:
    """The graph with a T-junction on every variable that has evidence but no open branch."""
    return graph.split(*(v for v in evidence.variables if _open_branch(graph, v) is None))


def prepare(graph: NormalGraph, evidence: Evidence) -> Setting:
    """Put evidence on open branches, splitting the graph where a variable has none."""
    split = opened(graph, evidence)
    names = list(split.branches)
    at = {name: i for i, name in enumerate(names)}
    slots = [uniform(branch.size) for branch in split.branches.values() for _ in "fb"]
    carriers: list[tuple[int, NDArray[np.bool_] | None]] = []
    log_scale: Array | float = 0.0
    for branch in split.branches.values():
        for ends in (split.tails, split.heads):
            if branch.name not in ends:  # nothing enters here: the all-ones vector
                log_scale = log_scale + np.log(branch.size)
    for variable in evidence.variables:
        name = _open_branch(split, variable)
        assert name is not None
        vectors = evidence.likelihood(variable, split.branches[name].size)
        sums = vectors.sum(axis=-2, keepdims=True)
        slot = 2 * at[name] + (1 if name not in split.heads else 0)
        slots[slot] = vectors / sums
        said = (vectors != 1.0).any(axis=-2)  # a missing cell is the all-ones vector
        carriers.append((slot, None if said.all() else said))
        log_scale = log_scale + np.log(sums[..., 0, :]) - np.log(split.branches[name].size)
    return Setting(split, evidence, two_sweep_plan(split), tuple(slots), tuple(carriers), log_scale)


def _open_branch(graph: NormalGraph, variable: str) -> str | None:
    """Where evidence on a variable enters: an open head, else an open tail, else nowhere."""
    branches = graph.variables[graph.variable_of[graph.branch(variable).name]]
    for ends in (graph.heads, graph.tails):
        for name in branches:
            if name not in ends:
                return name
    return None


def started(setting: Setting, start: np.random.Generator | Messages | None) -> list[Array]:
    """The messages before the first round: evidence where it enters, and a start elsewhere."""
    slots = list(setting.slots)
    if start is None:
        return slots
    if isinstance(start, Messages) and (start.graph, start.n) != (
        setting.graph,
        setting.evidence.n,
    ):
        raise ValueError(
            f"start holds messages of {start.graph} on {start.n} samples: expected those of "
            f"{setting.graph}, with evidence on the same variables, on {setting.evidence.n}"
        )
    for i, branch in enumerate(setting.graph.branches.values()):
        for slot, key, ends in (
            (2 * i, "f", setting.graph.tails),
            (2 * i + 1, "b", setting.graph.heads),
        ):
            if branch.name not in ends:
                continue  # evidence, or nothing, enters there: not the start's to choose
            if isinstance(start, Messages):
                slots[slot] = (start.f if key == "f" else start.b)[branch.name]
            else:
                slots[slot] = random_messages(start, (branch.size, setting.evidence.n))
    return slots
