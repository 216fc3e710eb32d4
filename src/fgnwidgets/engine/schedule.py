"""Plans: which messages are sent, and in which order (sections 2.2 and 3).

Vocabulary
    sending    what one node sends at once, from what entered its other branches
    round      sendings from the messages of the round before
    plan       rounds that make every message exact; on a graph without loops two sweeps are enough

The schedules that users write and see are in ``border.schedules``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from .branches import GraphError, Port
from .graph import NormalGraph
from .nodes import Node


class Sending(NamedTuple):
    """What one node sends in one round, and which of it sums to one as it comes."""

    node: Node
    to: tuple[Port, ...]
    keeps: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """Rounds of sendings; ``roots`` has a branch of each component, where masses are read.

    The scales of the first ``collecting`` rounds make up the likelihood.
    """

    rounds: tuple[tuple[Sending, ...], ...]
    roots: tuple[str, ...] = ()
    collecting: int = 0

    @cached_property
    def steps(self) -> tuple[tuple[Sending, bool], ...]:
        """All rounds in a row, each step with whether it collects."""
        return tuple((s, k < self.collecting) for k, r in enumerate(self.rounds) for s in r)

    @cached_property
    def slack(self) -> float:
        """The log of the largest scale that can be taken out on the way to the roots.

        What a node sends is at most one for each value of a branch: no factor is larger than one.
        """
        total = 0.0
        for (node, to, keeps), collecting in self.steps:
            sizes = {branch.name: branch.size for branch in (*node.inputs, *node.outputs)}
            for (name, _), kept in zip(to, keeps, strict=True):
                if collecting and not kept and not node.copies:
                    total += math.log(sizes[name])
        return total


def sending(node: Node, ports: Iterable[Port]) -> Sending:
    """A node with those of its ports that it sends on, in its own order."""
    to = tuple(port for port in node.ports if port in ports)
    return Sending(node, to, tuple(node.keeps(forward) for _, forward in to))


@lru_cache(maxsize=256)
def two_sweeps(graph: NormalGraph) -> Plan:
    """Collect towards the roots, then distribute.

    A round holds all the messages whose own inputs are ready. Raises :class:`GraphError` on a
    graph with a loop.
    """
    if graph.loop:
        raise GraphError(
            f"the branches {', '.join(graph.loop)} form a loop, which loops=True let pass: exact "
            "messages, likelihoods and learning need a forest, BayesGraph(...).merged(). "
            "trace(graph, theta, evidence, schedule=flooding(graph, 20)) shows approximate messages"
        )
    places = list(graph.tree.values())
    roots = {place.up.name: None for place in places if place.before is None}
    height = dict.fromkeys(graph.tree, 0)  # of the nodes that hang on each, away from the root
    depth = dict.fromkeys(graph.tree, 0)
    for node, up, before in reversed(places):
        if before is not None and up.name not in roots:
            height[before.name] = max(height[before.name], height[node.name] + 1)
    for node, up, before in places:
        if before is not None and up.name not in roots:
            depth[node.name] = depth[before.name] + 1
    half = max(height.values()) + 1
    rounds: list[list[Sending]] = [[] for _ in range(2 * half)]
    for node in graph.nodes:
        up = graph.tree[node.name].up
        upwards = {port for port in node.ports if port[0] == up.name}
        rounds[height[node.name]].append(sending(node, upwards))
        if len(node.ports) > 1:
            rounds[half + depth[node.name]].append(sending(node, {*node.ports} - upwards))
    return Plan(tuple(map(tuple, rounds)), tuple(roots), half)


@lru_cache(maxsize=256)
def pruned(plan: Plan, wanted: frozenset[Port]) -> Plan:
    """The part of two sweeps that the messages ``wanted`` and the likelihood need.

    Every message is sent once, so the rounds are walked backwards from what is needed.
    """
    needed = {*wanted, *((root, forward) for root in plan.roots for forward in (True, False))}
    rounds: list[tuple[Sending, ...]] = []
    for sendings in reversed(plan.rounds):
        kept = tuple(sending(s.node, needed & {*s.to}) for s in sendings if needed & {*s.to})
        for node, to, _ in kept:
            needed.update((b, not fwd) for b, fwd in node.ports if to != ((b, fwd),))
        rounds.append(kept)
    return replace(plan, rounds=tuple(reversed(rounds)))
