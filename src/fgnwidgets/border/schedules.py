"""Schedules as users write and see them: rounds of single messages (sections 2.2 and 3).

Vocabulary
    step       ``(node, branch, direction)``: the node sends the branch's forward ("f") or
               backward ("b") message, from what entered its other branches
    round      steps that are sent at once, from the messages of the round before
    schedule   a tuple of rounds, a value

On a graph without loops two sweeps are exact, and so is flooding after ``diameter`` rounds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..engine.branches import Port
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.propagate import Sending, sending, two_sweeps
from ..readers import read_count, shown


class Step(NamedTuple):
    """One message: ``node`` sends on ``branch``, forward ("f") or backward ("b")."""

    node: str
    branch: str
    direction: str


Schedule = tuple[tuple[Step, ...], ...]


def two_sweep(graph: Graph) -> Schedule:
    """Collect towards the first source's branch, then distribute: exact (section 2.2).

    A round holds all the messages whose own inputs are ready, so few rounds are needed.
    """
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
    if schedule is None:
        return two_sweep(graph)
    rounds = schedule if isinstance(schedule, tuple | list) else (None,)
    for steps in rounds:
        for step in steps if isinstance(steps, tuple | list) else (None,):
            if not isinstance(step, Step):
                raise ValueError(
                    f"schedule is {shown(schedule)}: expected rounds of steps, as two_sweep(graph) "
                    "and flooding(graph) give"
                )
    return tuple(tuple(steps) for steps in rounds)


def planned(graph: NormalGraph, schedule: Schedule) -> tuple[tuple[Sending, ...], ...]:
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
        rounds.append(tuple(sending(known[name], ports) for name, ports in sends.items()))
    return tuple(rounds)
