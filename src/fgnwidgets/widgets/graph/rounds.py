"""Message passing round by round: the messages after each round of a schedule (section 2.2).

Vocabulary
    rounds      all rounds of a schedule; round 0 is the start
    sent      the messages that a round sends, in the order of the schedule
    waiting   the messages that no round has sent so far; evidence is never among them
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fgnwidgets.algebra.arrays import Arrays
from fgnwidgets.data import Table
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.inference.evidence import read_evidence
from fgnwidgets.inference.messages import Messages
from fgnwidgets.inference.propagation import clamp
from fgnwidgets.inference.queries import exact_messages
from fgnwidgets.inference.schedules import Step, flooding, messages_by_round, started, two_sweep

SCHEDULES = {"two sweeps": two_sweep, "flooding": flooding}


@dataclass(frozen=True, eq=False)
class Round:
    """The messages after round ``number`` of ``last``, and what was sent in it.

    ``before`` are the messages after the round before, from which the sent ones were computed.
    """

    messages: Messages
    number: int = 0
    last: int = 0
    sent: tuple[Step, ...] = ()
    waiting: frozenset[tuple[str, str]] = frozenset()
    before: Messages | None = None

    @property
    def exact(self) -> bool:
        """True if the schedule is at its end, where messages no longer change."""
        return self.messages.loglik is not None

    @property
    def text(self) -> str:
        """The round in words: ``round 3 of 10, diameter 6, sent now: 1-4``."""
        where = f"round {self.number} of {self.last}" if self.number else "start"
        state = "exact" if self.exact else f"diameter {self.messages.graph.diameter}"
        numbers = "1" if len(self.sent) == 1 else f"1-{len(self.sent)}"
        return f"{where}, {state}, sent now: {numbers}" if self.sent else f"{where}, {state}"


def rounds_of(
    graph: NormalGraph,
    theta: Arrays,
    evidence: Table,
    *,
    schedule: str = "two sweeps",
    seed: int | None = None,
) -> tuple[Round, ...]:
    """All rounds of a schedule, ``"two sweeps"`` or ``"flooding"``; ``theta`` was read already.

    Messages start uniform, or random with a ``seed``. Raises what
    :func:`~fgnwidgets.inference.queries.propagate` raises.
    """
    clamped = clamp(graph, read_evidence(graph, evidence))
    rounds = SCHEDULES[schedule](clamped.graph)
    start = started(clamped, None if seed is None else np.random.default_rng(seed))
    waiting = frozenset((step.branch, step.direction) for steps in rounds for step in steps)
    shots: list[Round] = []
    final = exact_messages(clamped, theta)
    for number, messages in enumerate(messages_by_round(clamped, final, rounds, start)):
        sent = rounds[number - 1] if number else ()
        waiting -= {(step.branch, step.direction) for step in sent}
        before = shots[-1].messages if shots else None
        shots.append(Round(messages, number, len(rounds), sent, waiting, before))
    return tuple(shots)
