"""Schedules: which messages are sent, and in which order (sections 2.2 and 3).

Vocabulary
    step       ``(node, branch, direction)``: the node sends the branch's forward ("f") or
               backward ("b") message, from what entered its other branches
    round      steps that are sent at once, from the messages of the round before
    schedule   a tuple of rounds, a value
    plan       a schedule with its nodes looked up, once per graph

On a graph without loops two sweeps are exact, and so is flooding after ``diameter`` rounds.
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


class Step(NamedTuple):
    """One message: ``node`` sends on ``branch``, forward ("f") or backward ("b")."""

    node: str
    branch: str
    direction: str


Schedule = tuple[tuple[Step, ...], ...]


class Sending(NamedTuple):
    """What one node sends in one round, and which of it sums to one as it comes."""

    node: Node
    to: tuple[Port, ...]
    keeps: tuple[bool, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """A schedule with its nodes; ``roots`` has a branch of each component, where masses are read.

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


def planned(graph: NormalGraph, schedule: Schedule) -> Plan:
    """A schedule with its nodes; ``ValueError`` for a step that no node can send."""
    rounds = []
    known = {node.name: node for node in graph.nodes}
    for steps in schedule:
        sends: dict[str, set[Port]] = {}
        for step in steps:
            if step.node not in known:
                raise ValueError(
                    f"the schedule names the node {step.node!r}, which the graph has not"
                )
            port = (step.branch, step.direction == "f")
            if port not in known[step.node].ports or step.direction not in ("f", "b"):
                raise ValueError(
                    f"the schedule's step {tuple(step)} is not one that {step.node!r} can send"
                )
            sends.setdefault(step.node, set()).add(port)
        rounds.append(tuple(_sending(known[name], ports) for name, ports in sends.items()))
    return Plan(tuple(rounds))


def _sending(node: Node, ports: Iterable[Port]) -> Sending:
    to = tuple(port for port in node.ports if port in ports)
    return Sending(node, to, tuple(node.keeps(forward) for _, forward in to))


@lru_cache(maxsize=256)
def two_sweeps(graph: NormalGraph) -> tuple[Schedule, Plan]:
    """Collect towards the roots, then distribute: as a schedule, and as a plan.

    A round holds all the messages whose own inputs are ready.
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
    rounds: list[list[Step]] = [[] for _ in range(2 * half)]
    for node in graph.nodes:
        for name, forward in node.ports:
            upwards = name == graph.tree[node.name].up.name
            at = height[node.name] if upwards else half + depth[node.name]
            rounds[at].append(Step(node.name, name, "f" if forward else "b"))
    schedule = tuple(map(tuple, rounds))
    return schedule, replace(planned(graph, schedule), roots=tuple(roots), collecting=half)


@lru_cache(maxsize=256)
def pruned(plan: Plan, wanted: frozenset[Port]) -> Plan:
    """The part of two sweeps that the messages ``wanted`` and the likelihood need.

    Every message is sent once, so the rounds are walked backwards from what is needed.
    """
    needed = {*wanted, *((root, forward) for root in plan.roots for forward in (True, False))}
    rounds: list[tuple[Sending, ...]] = []
    for sendings in reversed(plan.rounds):
        kept = tuple(_sending(s.node, needed & {*s.to}) for s in sendings if needed & {*s.to})
        for node, to, _ in kept:
            needed.update((b, not fwd) for b, fwd in node.ports if to != ((b, fwd),))
        rounds.append(kept)
    return replace(plan, rounds=tuple(reversed(rounds)))


def flood(graph: NormalGraph, rounds: int) -> Schedule:
    """Every node sends on all of its branches in every round (section 3)."""
    every = tuple(
        Step(node.name, b, "f" if fwd else "b") for node in graph.nodes for b, fwd in node.ports
    )
    return (every,) * rounds
