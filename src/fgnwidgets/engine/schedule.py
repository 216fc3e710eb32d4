"""Schedules of message passing, and their compiled form (sections 2.2 and 3).

Vocabulary
    step       ``(node, branch, direction)``: the node sends the branch's forward ("f") or
               backward ("b") message, from what entered its other branches
    round      steps that are sent at once, from the messages of the round before
    schedule   a tuple of rounds, a value
    slot       the place of one message in a list; a plan is a schedule in slots, worked out once

On a graph without loops two sweeps are exact, and so is flooding after ``diameter`` rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from .bayes import BayesGraph, as_normal
from .graph import NormalGraph
from .nodes import Block, Branch, Diverter, Node, Project, Source


class Step(NamedTuple):
    """One message: ``node`` sends on ``branch``, forward ("f") or backward ("b")."""

    node: str
    branch: str
    direction: str


Schedule = tuple[tuple[Step, ...], ...]


def two_sweep(graph: NormalGraph | BayesGraph) -> Schedule:
    """Collect towards the first source's branch, then distribute: exact (section 2.2).

    A round holds all the messages whose own inputs are ready, so few rounds are needed.
    """
    return _two_sweep(as_normal(graph))


def flooding(graph: NormalGraph | BayesGraph, rounds: int | None = None) -> Schedule:
    """Every node sends on all of its branches in every round, ``graph.diameter`` rounds by default.

    This is the parallel propagation of section 3: exact after ``diameter`` rounds from any start.
    """
    form = as_normal(graph)
    count = form.diameter if rounds is None else rounds
    if count < 0:
        raise ValueError(f"rounds is {rounds}: expected a number >= 0")
    every = tuple(Step(n.name, b.name, d) for n in form.nodes for b, d in ports(n))
    return (every,) * count


class Op(NamedTuple):
    """What one node sends in one round: from the slots ``enter``, to the slots ``leave``."""

    node: Node
    enter: tuple[int, ...]
    leave: tuple[int, ...]
    wanted: tuple[int, ...]  # the ports, counted over inputs then outputs, that are sent on


@dataclass(frozen=True, eq=False)
class Plan:
    """A schedule compiled to slots: forward of branch ``i`` at ``2i``, backward at ``2i + 1``.

    Plans are told apart by identity: :func:`~fgnwidgets.engine.program.program` remembers them.
    """

    schedule: Schedule
    rounds: tuple[tuple[Op, ...], ...]
    collecting: int  # the first so many rounds collect: their scales make up the likelihood
    roots: tuple[tuple[int, int], ...]  # forward and backward slot of each root branch
    raw: frozenset[int]  # slots whose messages need not sum to one: blocks backward, expansions
    headroom: float  # log of the largest scale that all diverters can take out together

    @property
    def safe(self) -> float:
        """Where the log of the total mass is larger, no product of messages underflowed.

        A product of all ports is at most a product of the others, and the total mass is the first
        one times the scales taken out elsewhere, each at most the size of its diverter.
        """
        return self.headroom - 600.0


@lru_cache(maxsize=256)
def _two_sweep(graph: NormalGraph) -> Schedule:
    return _sweeps(graph)[0]


@lru_cache(maxsize=256)
def two_sweep_plan(graph: NormalGraph) -> Plan:
    schedule, roots = _sweeps(graph)
    at = {name: i for i, name in enumerate(graph.branches)}
    slots = tuple((2 * at[root], 2 * at[root] + 1) for root in roots)
    plan = compile_schedule(graph, schedule)
    return replace(plan, collecting=len(plan.rounds) // 2, roots=slots)


@lru_cache(maxsize=256)
def prune(plan: Plan, wanted: frozenset[int]) -> Plan:
    """The part of a two-sweep plan that the messages in ``wanted`` and the likelihood need.

    Every message is sent once, so the rounds are walked backwards from what is needed.
    """
    needed = set(wanted).union(*plan.roots)
    rounds: list[tuple[Op, ...]] = []
    for ops in reversed(plan.rounds):
        kept = []
        for op in ops:
            sent = [
                (slot, port)
                for slot, port in zip(op.leave, op.wanted, strict=True)
                if slot in needed
            ]
            if sent:
                leave, ports_ = zip(*sent, strict=True)
                kept.append(op._replace(leave=leave, wanted=ports_))
        for op in kept:
            own = op.wanted[0] if len(op.wanted) == 1 else -1  # nothing returns where it came from
            needed.update(slot for k, slot in enumerate(op.enter) if k != own)
        rounds.append(tuple(kept))
    return replace(plan, rounds=tuple(reversed(rounds)))


def _sweeps(graph: NormalGraph) -> tuple[Schedule, tuple[str, ...]]:
    """The rounds of both sweeps, as many of each, and the root branch of each component."""
    roots: list[str] = []
    up: dict[str, Branch] = {}  # node -> its branch towards the root
    order: list[Node] = []  # from the roots outwards
    first = sorted(graph.nodes, key=lambda node: not isinstance(node, Source))
    for node in first:
        if node.name in up:
            continue
        branch = (*node.outputs, *node.inputs)[0]
        roots.append(branch.name)
        stack = [ends[branch.name] for ends in (graph.tails, graph.heads) if branch.name in ends]
        for end in stack:
            up[end.name] = branch
        while stack:
            here = stack.pop()
            order.append(here)
            for link, other in graph.neighbours(here):
                if other.name not in up:
                    up[other.name] = link
                    stack.append(other)
    height: dict[str, int] = {}
    depth: dict[str, int] = {}
    for node in reversed(order):
        outer = (other for link, other in graph.neighbours(node) if link != up[node.name])
        height[node.name] = 1 + max((height[other.name] for other in outer), default=-1)
    for node in order:
        inner = [other for link, other in graph.neighbours(node) if link == up[node.name]]
        at_root = up[node.name].name in roots
        depth[node.name] = 0 if at_root else 1 + max(depth[other.name] for other in inner)
    tallest = max(height.values())
    collect: list[list[Step]] = [[] for _ in range(tallest + 1)]
    distribute: list[list[Step]] = [[] for _ in range(tallest + 1)]
    for node in graph.nodes:
        for branch, direction in ports(node):
            step = Step(node.name, branch.name, direction)
            if branch == up[node.name]:
                collect[height[node.name]].append(step)
            else:
                distribute[depth[node.name]].append(step)
    return tuple(map(tuple, (*collect, *distribute))), tuple(roots)


def compile_schedule(graph: NormalGraph, schedule: Schedule) -> Plan:
    """A schedule in slots: the steps of a node in one round become one operation."""
    at = {name: i for i, name in enumerate(graph.branches)}
    nodes = {node.name: node for node in graph.nodes}
    rounds = []
    for steps in schedule:
        sends: dict[str, list[Step]] = {}
        for step in steps:
            if step.node not in nodes:
                raise ValueError(
                    f"the schedule names the node {step.node!r}, which the graph has not"
                )
            sends.setdefault(step.node, []).append(step)
        ops = []
        for name, sent in sends.items():
            sides = ports(nodes[name])
            order = {(branch.name, direction): k for k, (branch, direction) in enumerate(sides)}
            wrong = [step for step in sent if (step.branch, step.direction) not in order]
            if wrong:
                raise ValueError(
                    f"the schedule's step {tuple(wrong[0])} is not one that {name!r} can send"
                )
            wanted = tuple(sorted(order[step.branch, step.direction] for step in sent))
            enter = tuple(2 * at[b.name] + (d == "f") for b, d in sides)
            leave = tuple(2 * at[sides[k][0].name] + (sides[k][1] == "b") for k in wanted)
            if isinstance(nodes[name], Diverter):
                ops.append(Op(nodes[name], enter, leave, wanted))
            else:
                ops.extend(
                    Op(nodes[name], enter, (slot,), (k,))
                    for k, slot in zip(wanted, leave, strict=True)
                )
        rounds.append(tuple(ops))
    raw: set[int] = set()
    known = -1
    while known < len(raw):  # what follows from a raw message is raw, in whatever round
        known = len(raw)
        for op in (op for ops in rounds for op in ops):
            if isinstance(op.node, Diverter | Source):
                continue  # these normalise, or are normalised
            if not _keeps_sums(op) or op.enter[1 - op.wanted[0]] in raw:
                raw.add(op.leave[0])
    sizes = [
        (*node.inputs, *node.outputs)[0].size for node in graph.nodes if isinstance(node, Diverter)
    ]
    return Plan(schedule, tuple(rounds), 0, (), frozenset(raw), sum(map(math.log, sizes)))


def _keeps_sums(op: Op) -> bool:
    """Whether what a block sends sums to one if what enters does."""
    forward = op.wanted[0] == 1
    return forward if isinstance(op.node, Block) else isinstance(op.node, Project) == forward


def ports(node: Node) -> list[tuple[Branch, str]]:
    """The branches of a node, each with the direction of what leaves the node on it."""
    return [*((b, "b") for b in node.inputs), *((b, "f") for b in node.outputs)]
