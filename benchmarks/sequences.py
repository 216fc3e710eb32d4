"""Sequences beside hmmlearn: the seconds of one epoch of Baum-Welch, measured in one run.

    python benchmarks/sequences.py

Both learn a chain of three states and four symbols from the same matrices and have to reach the
same ones, or the run stops. An epoch is what ten epochs take more than five.

One long sequence is a chain of small products, each of which waits for the one before, which
hmmlearn's C does in some nanoseconds. Here a hundred stretches of it go side by side in NumPy; what
is left is that each of 10,000 blocks has messages of its own, small arrays that Python hands round.
Many sequences go through the same calls together, and hmmlearn calls its C once for each.

Measured: many sequences thirty times as fast as hmmlearn; the long one ten to twenty times as slow,
more where other programs keep the processor's cache busy.
"""

from __future__ import annotations

import sys
from functools import partial

import timing  # isort: split

import numpy as np
from numpy.typing import NDArray
from timing import Goal, interleave

import fgnwidgets as fgn

STATES, SYMBOLS = 3, 4
Theta = dict[str, NDArray[np.float64]]


def main() -> int:
    """All goals; 1 if one is missed."""
    try:
        from hmmlearn.hmm import CategoricalHMM
    except ImportError:
        print("hmmlearn is not installed: there is nothing to measure against")
        return 0
    print(timing.machine(("numpy", "hmmlearn")))
    rng = np.random.default_rng(0)
    theta = fgn.random_theta(fgn.hmm(STATES, SYMBOLS, 2), rng)
    many = [rng.integers(0, SYMBOLS, 30) for _ in range(1000)]
    long = [rng.integers(0, SYMBOLS, 10_000)]

    def theirs(data: list[NDArray[np.int64]], n_epochs: int) -> Theta:
        model = CategoricalHMM(
            STATES, n_features=SYMBOLS, n_iter=n_epochs, tol=-np.inf, init_params=""
        )
        model.startprob_, model.transmat_ = theta["start"][0], theta["transition"]
        model.emissionprob_ = theta["emission"]
        model.fit(np.concatenate(data)[:, None], [len(x) for x in data])
        return {
            "start": model.startprob_[None],
            "transition": model.transmat_,
            "emission": model.emissionprob_,
        }

    def ours(graph: fgn.BayesGraph, table: object, n_epochs: int) -> Theta:
        run = fgn.fit(
            graph, table, theta=theta, n_epochs=n_epochs, restarts=1, tol=0, record=("loglik",)
        )
        return run.best_theta

    goals = []
    for what, data, sign, limit in (
        ("1,000 sequences of 30 steps: hmmlearn / fgnwidgets", many, ">=", 1.0),
        ("one sequence of 10,000 steps: fgnwidgets / hmmlearn", long, "<=", 20.0),
    ):
        graph = fgn.hmm(STATES, SYMBOLS, len(data[0]))
        table = fgn.sequences(data)
        print(what)
        work = {}
        for n in (5, 10):
            work[f"fgnwidgets, {n} epochs"] = partial(ours, graph, table, n)
            work[f"hmmlearn, {n} epochs"] = partial(theirs, data, n)
        seconds, found = interleave(work, rounds=5)
        for name, matrix in found["hmmlearn, 10 epochs"].items():
            np.testing.assert_allclose(found["fgnwidgets, 10 epochs"][name], matrix, atol=1e-9)
        each = {
            who: (seconds[f"{who}, 10 epochs"] - seconds[f"{who}, 5 epochs"]) / 5
            for who in ("fgnwidgets", "hmmlearn")
        }
        ratio = each["hmmlearn"] / each["fgnwidgets"]
        goals.append(Goal(what, ratio if sign == ">=" else 1 / ratio, sign, limit))
    for goal in goals:
        print(goal)
    return int(not all(goal.met for goal in goals))


if __name__ == "__main__":
    sys.exit(main())
