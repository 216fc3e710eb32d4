"""Filtering, smoothing and prediction in the umbrella world, day by day (sections 2.2 and 7.3).

Vocabulary
    filtered    P(rain on a day | what was seen up to that day)
    smoothed    P(rain on a day | all that was seen)
    predicted   either of them after the last day seen, on which they are equal
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fgnwidgets import hmm, posterior

from .words import number, text_table

DAYS = 7
START = np.array([[0.5, 0.5]])
EMISSION = np.array([[0.9, 0.1], [0.2, 0.8]])
SEEN = ("1", "2", "4", "5")


@dataclass(frozen=True, eq=False)
class Weather:
    """``seen`` is "yes", "no" or "?" for a day; ``filtered`` and ``smoothed`` are ``(days,)``."""

    seen: tuple[str, ...]
    filtered: np.ndarray
    smoothed: np.ndarray

    def table(self) -> dict[str, np.ndarray]:
        """Both probabilities, a row for each day."""
        return {
            "day": np.arange(1, len(self.seen) + 1),
            "umbrella": np.array(self.seen),
            "filtered": self.filtered,
            "smoothed": self.smoothed,
        }

    def facts(self) -> str:
        """The symbols seen and both probabilities, a line for each day."""
        rows = [
            (f"{day}", word, number(f, 3), number(s, 3))
            for day, (word, f, s) in enumerate(
                zip(self.seen, self.filtered, self.smoothed, strict=True), 1
            )
        ]
        return text_table(("day", "umbrella", "filtered", "smoothed"), rows)


def weather(
    *, umbrellas: Sequence[str] = SEEN, until: int = DAYS, stays: float = 0.7, days: int = DAYS
) -> Weather:
    """Russell and Norvig's umbrella world; ``umbrellas`` are the days on which there was one.

    Days after ``until`` are not seen. ``stays`` is the probability that the weather stays the same.
    """
    if unknown := [d for d in umbrellas if d not in map(str, range(1, days + 1))]:
        raise ValueError(f"umbrellas holds {unknown[0]!r}: expected days from '1' to '{days}'")
    if not 0 <= until <= days:
        raise ValueError(f"until = {until}: expected a day from 0 (nothing is seen) to {days}")
    graph = hmm(("rain", "dry"), ("yes", "no"), days)
    theta = {
        "start": START,
        "transition": np.array([[stays, 1 - stays], [1 - stays, stays]]),
        "emission": EMISSION,
    }
    words = ["yes" if str(day) in umbrellas else "no" for day in range(1, days + 1)]
    seen = {f"X{day}": words[day - 1] for day in range(1, until + 1)}
    filtered, smoothed = np.empty(days), np.empty(days)
    for day in range(1, days + 1):
        so_far = {f"X{d}": words[d - 1] for d in range(1, min(day, until) + 1)}
        filtered[day - 1] = posterior(graph, theta, so_far, f"S{day}")[0, 0]
        smoothed[day - 1] = posterior(graph, theta, seen, f"S{day}")[0, 0]
    shown = tuple(word if day <= until else "?" for day, word in enumerate(words, 1))
    return Weather(shown, filtered, smoothed)
