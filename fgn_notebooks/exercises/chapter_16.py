"""Exercises of chapter 16."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fgn_notebooks.exercises import Exercise, derive, fault, number, task


def _transitions(sequences: Sequence[Sequence[int]], m: int) -> np.ndarray:
    counts = np.zeros((m, m))
    for own in sequences:
        for before, after in pairwise(own):
            counts[before, after] += 1
    return counts


EXERCISES = {
    "16.1": Exercise(
        number(
            0.96377,
            "predict day 3 from 0.875 with the transition first, then weigh it by the emission of "
            "three ice creams",
            1e-3,
        ),
        "The prediction is 0.875 * 8/9 + 0.125 * 1/9 = 0.7917; three ice creams have 0.7 and 0.1.",
        further="Predict: p = 0.875 * stay + 0.125 * change. Then weigh p with the emission "
        "of day 3, and normalise.",
    ),
    "16.2": Exercise(
        number(20, "a row of M entries has M - 1 parameters; count the rows of each matrix", 0.5),
        "One row of 3 for the start, three rows of 3 for the transition, three of 5 for emission.",
        further="(M - 1) for the start, M (M - 1) for the transition, M (K - 1) for the emission.",
    ),
    "16.3": derive(
        "Which messages reach the last S, and which of the evidence lies behind them?",
        "Filtering asks for the last day given all days up to it, and these are all days. So both "
        "ask for the same probability. In messages: the belief is the product of what comes from "
        "the day before and what comes up from the day's own observation. No message comes back "
        "from later days, because there are none. On a day before, a third message arrives from "
        "the day after, and it is what tells smoothing from filtering.",
        further="List the messages that meet at the last S. Which of them could bring news of"
        " later days?",
        points=(
            "filtering and smoothing ask for the same evidence on the last day",
            "no message arrives there from a later day",
            "on an earlier day a third message makes the difference",
        ),
    ),
    "16.4": fault(
        _transitions,
        [([[0, 1, 1], [0, 0]], 2), ([[2, 0], [1], [1, 2, 2, 0]], 3)],
        "does the last step of one sequence lead to the first step of the next one?",
        "Count the pairs of each sequence by itself, and add the counts.",
        further="Loop over the sequences, and over the neighbours inside each: "
        "itertools.pairwise(own).",
    ),
    "16.5": task(
        "sequences(table, id=..., time=...) makes a table of rows of a long one.",
        "There is no single answer. Compare at least three models: no memory, memory of what was "
        "observed (lagged), and a hidden chain. Report how many parameters each has and how "
        "often the best maximum was found. Keep whole sequences aside for a test, and never single "
        "steps.",
        further="Fit a chain and an ordinary star to the same sequences, with whole sequences"
        " kept aside.",
        points=(
            "the number of parameters of at least three models",
            "how they do on sequences that were kept aside",
            "how often the best maximum was found",
        ),
    ),
}
