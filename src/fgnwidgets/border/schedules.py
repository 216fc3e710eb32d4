"""Schedules as users write and see them, and messages round by round (sections 2.2 and 3).

Vocabulary
    step       a node sends a message on one branch, from what entered its other branches
    round      steps that are sent at once, from the messages of the round before
    schedule   a tuple of rounds, a value
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, starmap
from typing import Any, NamedTuple

import numpy as np

from ..engine.arrays import Array, Arrays, uniform
from ..engine.branches import Port
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.messages import LOGS, Evidence, Messages
from ..engine.nodes import SUMS
from ..engine.propagate import Clamped, Plan, Sending, clamp, sending, two_sweeps
from ..readers import read_count, read_kind, wrong
from ..tables import Table
from .evidence import read_evidence
from .queries import propagate
from .starts import random_start
from .theta import Theta, read_theta


class Step(NamedTuple):
    """One message: ``node`` sends on ``branch``, forward ("f") or backward ("b")."""

    node: str
    branch: str
    direction: str


Schedule = tuple[tuple[Step, ...], ...]
Sides = Sequence[dict[str, Array]]
"""All forward messages, and all backward ones."""


def two_sweep(graph: Graph) -> Schedule:
    """Collect towards the first source's branch, then distribute: exact (section 2.2)."""
    plan = two_sweeps(as_normal(graph))
    return tuple(tuple(s for node, to, *_ in r for s in _steps(node.name, to)) for r in plan.rounds)


def flooding(graph: Graph, rounds: int | None = None) -> Schedule:
    """Every node sends on all of its branches in every round, ``graph.diameter`` rounds by default.

    This is the parallel propagation of section 3: exact after ``diameter`` rounds from any start.
    """
    form = as_normal(graph)
    if rounds is None and form.loop:
        raise ValueError("rounds is None: on a graph with a loop no number is exact, say one")
    times = form.diameter if rounds is None else read_count(rounds, "rounds")
    return (tuple(s for node in form.nodes for s in _steps(node.name, node.ports)),) * times


def _steps(node: str, ports: tuple[Port, ...]) -> tuple[Step, ...]:
    return tuple(Step(node, branch, "f" if forward else "b") for branch, forward in ports)


def read_schedule(graph: NormalGraph, schedule: Any) -> Schedule:
    """Rounds of steps; None stands for two sweeps."""

    def listed(given: Any) -> tuple[Any, ...]:
        return tuple(given) if isinstance(given, tuple | list) else (None,)

    rounds = two_sweep(graph) if schedule is None else tuple(map(listed, listed(schedule)))
    if not all(isinstance(step, Step) for steps in rounds for step in steps):
        said = "rounds of steps, as two_sweep(graph) and flooding(graph) give"
        raise wrong("schedule", schedule, said)
    return rounds


def planned(graph: NormalGraph, schedule: Schedule) -> tuple[tuple[Sending, ...], ...]:
    """A schedule with its nodes; ``ValueError`` for a step that no node can send."""
    known = {node.name: node for node in graph.nodes}
    rounds = []
    for steps in schedule:
        sends: dict[str, set[Port]] = {}
        for name, branch, direction in steps:
            if name not in known:
                raise ValueError(f"the schedule names the node {name!r}, which the graph has not")
            port = (branch, direction == "f")
            if port not in known[name].ports or direction not in ("f", "b"):
                raise ValueError(
                    f"the schedule's step {(name, branch, direction)} is not one that {name!r} can "
                    "send"
                )
            sends.setdefault(name, set()).add(port)
        rounds.append(tuple(sending(known[name], ports) for name, ports in sends.items()))
    return tuple(rounds)


def trace(
    graph: Graph,
    theta: Theta,
    evidence: Table | Evidence = None,
    *,
    schedule: Schedule | None = None,
    start: np.random.Generator | Messages | None = None,
) -> Iterator[Messages]:
    """The messages before the first round, and after each round of a schedule (section 3).

    A schedule for a graph that evidence splits is made from the split one: ``flooding(graph.split(
    "S"))``; one with a loop needs flooding. ``start`` is None for uniform messages, a random
    generator, or other messages. The last messages carry ``loglik`` where the schedule is exact.
    """
    form = as_normal(graph)
    known = read_evidence(form, evidence)
    clamped = clamp(form, known, Plan(()))
    split = clamped.graph
    if split.loop:
        final = Messages(split, read_theta(form, theta), {}, {}, known.n)
    else:
        final = propagate(form, theta, known)
    own = read_schedule(split, schedule)  # two sweeps refuse a loop, with the way out
    exact = not split.loop and own in (
        two_sweep(split), flooding(split, max(len(own), split.diameter))
    )  # fmt: skip
    rounds = planned(split, own)
    ring = SUMS if final.p is None else LOGS
    matrices = {name: ring.encode(m) for name, m in final.theta.items()}
    begin: Sides = [{k: ring.encode(v) for k, v in m.items()} for m in _started(clamped, start)]

    def after(sides: Sides, sendings: Iterable[Sending]) -> Sides:
        new = [dict(side) for side in sides]
        for _, to, keeps, send in sendings:
            sent = send(to, *sides, matrices, ring)
            for (name, forward), kept, v in zip(to, keeps, sent, strict=True):
                new[0 if forward else 1][name] = v if kept else ring.normalized(v)[0]
        return new

    def seen(n: int, sides: Sides) -> Messages:
        f, b = ({name: ring.decode(v) for name, v in side.items()} for side in sides)
        loglik = final.loglik if exact and n == len(rounds) > 0 else None
        return Messages(split, final.theta, f, b, known.n, loglik)

    return starmap(seen, enumerate(accumulate(rounds, after, initial=begin)))


def _started(
    clamped: Clamped, start: np.random.Generator | Messages | None
) -> tuple[Arrays, Arrays]:
    """The messages before the first round: evidence where it enters, and a start elsewhere."""
    graph, n = clamped.graph, clamped.evidence.n
    f, b, _ = clamped.messages(slice(0, n))
    if isinstance(start, np.random.Generator):
        return random_start(clamped, start)
    if start is None:
        blank = {name: uniform(branch.size) for name, branch in graph.branches.items()}
        return {**blank, **f}, {**blank, **b}
    said = read_kind(start, "start", Messages, "None, a generator, or messages of this graph")
    if (said.graph, said.n) != (graph, n):
        raise ValueError(
            f"start holds messages of {said.graph} on {said.n} samples: expected those of "
            f"{graph}, with evidence on the same variables, on {n}"
        )
    return {**said.f, **f}, {**said.b, **b}
