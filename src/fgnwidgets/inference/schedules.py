"""Schedules as users write and see them, and messages round by round (sections 2.2 and 3).

Vocabulary
    step       a node sends a message on one branch, from what entered its other branches
    round      steps that are sent at once, from the messages of the round before
    schedule   a tuple of rounds, a value
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, starmap
from typing import Any, NamedTuple

import numpy as np

from ..algebra.arrays import Array, Arrays, uniform
from ..algebra.semirings import LOG_SUM_PRODUCT, SUM_PRODUCT
from ..arguments import read_count, read_kind, wrong
from ..data import Table
from ..data.evidence import Evidence
from ..graphs.branches import Port
from ..graphs.normal_graph import Graph, NormalGraph, as_normal
from ..graphs.theta import Theta, read_theta
from .evidence import read_evidence
from .messages import Messages
from .propagation import (
    Clamped,
    Plan,
    Sending,
    clamp,
    deliver,
    random_messages,
    sending,
    two_sweeps,
)
from .queries import exact_messages


class Step(NamedTuple):
    """One message: ``node`` sends on ``branch``, forward ("f") or backward ("b")."""

    node: str
    branch: str
    direction: str

    @property
    def port(self) -> Port:
        """Its port, as nodes and plans say it; :func:`_steps` is the way back."""
        return self.branch, self.direction == "f"


Schedule = tuple[tuple[Step, ...], ...]
Sides = Sequence[dict[str, Array]]
"""All forward messages, and all backward ones."""


def two_sweep(graph: Graph) -> Schedule:
    """Collect towards the first source's branch, then distribute: exact (section 2.2)."""
    return _steps_of(two_sweeps(as_normal(graph)))


@lru_cache(maxsize=256)
def _steps_of(plan: Plan) -> Schedule:
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


@lru_cache(maxsize=256)
def planned(graph: NormalGraph, schedule: Schedule) -> tuple[tuple[Sending, ...], ...]:
    """A schedule with its nodes; ``ValueError`` for a step that no node can send."""
    nodes = {node.name: node for node in graph.nodes}
    rounds = []
    for steps in schedule:
        sends: dict[str, set[Port]] = {}
        for step in steps:
            name = step.node
            if name not in nodes:
                raise ValueError(f"the schedule names the node {name!r}, which the graph has not")
            if step.port not in nodes[name].ports or step.direction not in ("f", "b"):
                raise ValueError(
                    f"the schedule's step {tuple(step)} is not one that {name!r} can send"
                )
            sends.setdefault(name, set()).add(step.port)
        rounds.append(tuple(sending(nodes[k], ports) for k, ports in sends.items()))
    return tuple(rounds)


@lru_cache(maxsize=256)
def is_exact(graph: NormalGraph, schedule: Schedule) -> bool:
    """True if its last messages are those of :func:`~.queries.propagate`."""
    if graph.loop:
        return False
    floods = flooding(graph, max(len(schedule), graph.diameter))
    return schedule in (two_sweep(graph), floods)


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
    samples = read_evidence(form, evidence)
    clamped = clamp(form, samples, Plan(()) if form.loop else None)
    matrices = read_theta(form, theta)
    if form.loop:
        final = Messages(clamped.graph, matrices, {}, {}, samples.n)
    else:
        final = exact_messages(clamped, matrices)
    rounds = read_schedule(clamped.graph, schedule)  # two sweeps refuse a loop, with the way out
    return messages_by_round(clamped, final, rounds, started(clamped, start))


def messages_by_round(
    clamped: Clamped, final: Messages, schedule: Schedule, start: tuple[Arrays, Arrays]
) -> Iterator[Messages]:
    """The messages of :func:`trace` from those before the first round, and the exact ones."""
    graph, n = clamped.graph, clamped.evidence.n
    rounds, exact = planned(graph, schedule), is_exact(graph, schedule)
    semiring = SUM_PRODUCT if final.p is None else LOG_SUM_PRODUCT
    matrices = semiring.encode_all(final.theta)

    def after(sides: Sides, sendings: Iterable[Sending]) -> Sides:
        new = [dict(side) for side in sides]
        deliver(sendings, sides, new, matrices, semiring)
        return new

    def seen(number: int, sides: Sides) -> Messages:
        loglik = final.loglik if exact and number == len(rounds) else None
        f, b = map(semiring.decode_all, sides)
        return Messages(graph, final.theta, f, b, n, loglik)

    begin: Sides = [dict(semiring.encode_all(side)) for side in start]
    return starmap(seen, enumerate(accumulate(rounds, after, initial=begin)))


def started(
    clamped: Clamped, start: np.random.Generator | Messages | None = None
) -> tuple[Arrays, Arrays]:
    """The messages before the first round: evidence where it enters, and a start elsewhere."""
    graph, n = clamped.graph, clamped.evidence.n
    f, b, _ = clamped.messages(slice(0, n))
    if isinstance(start, np.random.Generator):
        return random_messages(clamped, start)
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
