"""Learning in a graph editor, epoch by epoch.

Vocabulary
    watch    learning of a document's model from its table, done in slices
    curve    the likelihoods of every restart, thinned for a small picture

The run is the one that ``fit`` returns, since both use :class:`~fgnwidgets.learning.fit.Learner`.
Callers hold the widgets' lock.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.data.frames import weighted_columns
from fgnwidgets.learning.fit import Learner
from fgnwidgets.learning.run import SAME_END, Run
from fgnwidgets.learning.task import LearningTask

from .document import Document, Learning

STILL = 1e-8
"""Learning stops when the likelihood changes by no more than this per row."""

POINTS = 150
"""Most points of a curve."""

STEEP = 0.02
"""The share of epochs at the start that may be cut off, since they climb from far below."""

FLAT = 10 * SAME_END
"""Least height of the picture in log-likelihood per sample, so that equal ends look equal."""


MOST_RESTARTS = 1000
"""Most random starts that a page learns at once."""

MOST_NUMBERS = 1e8
"""Most numbers of an epoch that a page learns: it takes about a second, and cannot be stopped."""


def refuse_slow(doc: Document) -> None:
    """Raise ``ValueError`` where an epoch would take so long that nobody could stop learning."""
    how, model = doc.learning, doc.form
    if doc.data is None or model is None:
        return
    cells, sums = weighted_columns(doc.data.given, list(doc.observed))
    rows = len(sums) if sums is not None else len(next(iter(cells.values()), ()))
    possible = math.prod(len(doc.data.columns[name]) + 1 for name in doc.observed)
    numbers = min(rows, possible) * sum(branch.size for branch in model.branches.values())
    most = min(MOST_RESTARTS, int(MOST_NUMBERS // max(numbers, 1)))
    if how.restarts > max(most, 1):
        raise ValueError(
            f"{how.restarts:,} starts on {min(rows, possible):,} different rows: an epoch would "
            f"take so long that it could not be stopped. Expected at most {max(most, 1):,} here; "
            "from Python, editor.learn() takes any number"
        )


class Watch:
    """Learning of a document in progress; ``loglik`` has a row for each epoch so far.

    Raises ``ValueError`` if there is nothing to learn from, and what ``epochs`` raises.
    """

    def __init__(self, doc: Document) -> None:
        if doc.data is None:
            raise ValueError(
                "there is no table to learn from: drop a CSV file, or set editor.table"
            )
        if not doc.observed:
            raise ValueError(
                "every variable is hidden: there is nothing to learn from; set one that has a "
                "column to observed"
            )
        if doc.form is None:
            assert doc.graph is not None
            doc.graph.normal_form()  # raises because of the loop, with what to do
        assert doc.model is not None
        self.doc, self.model = doc, doc.model
        how = doc.learning
        fixed = {doc.graph.theta[name] for name in doc.graph.fixed} if doc.graph else set()
        theta = {name: matrix for name, matrix in doc.theta.items() if name in fixed}
        task = LearningTask(
            graph=self.model,
            table=doc.data.given,
            rule=how.rule,
            restarts=how.restarts,
            seed=how.seed,
            theta=theta or None,
            weight=doc.data.weight,
            columns=list(doc.observed),
        )
        problem = task.problem(how.restarts)
        self.n = float(problem.weight.sum())
        self._learner = Learner(problem, how.n_epochs, tol=STILL)
        self._run: Run | None = None
        self.loglik: list[Array] = []

    @property
    def over(self) -> bool:
        """True if the run is at its end."""
        return self._run is not None

    def take(self, seconds: float | None) -> None:
        """Compute epochs for this time, but at least one; with None, all."""
        begun = time.monotonic()
        while not self.over:
            self._take(stop=False)
            if seconds is not None and time.monotonic() - begun >= seconds:
                break

    def _take(self, *, stop: bool) -> None:
        """Compute one epoch, or with ``stop`` end the run."""
        if stop:
            self._learner.stop()
        epoch = next(self._learner, None)
        if epoch is None:
            self._run = self._learner.run()
        else:
            self.loglik.append(np.where(epoch.dropped, -np.inf, epoch.loglik))

    def run(self) -> tuple[Run, Learning]:
        """The run of the epochs so far, and the settings that give it."""
        if not self.loglik:
            self._take(stop=False)
        while self._run is None:
            self._take(stop=True)
        return self._run, replace(self.doc.learning, n_epochs=self._run.n_epochs)


def curve(loglik: Array, total: int, n: float, *, running: bool) -> dict[str, Any]:
    """Likelihoods ``(n_epochs + 1, restarts)`` of ``n`` samples as lines of few points.

    ``total`` is the number of epochs at most. ``low`` and ``high`` are the ends of the page's axis.
    """
    last = len(loglik) - 1
    at = np.unique(np.linspace(0, last, min(POINTS, last + 1)).round().astype(int))
    ends = loglik[-1]
    finite = loglik[min(last, max(1, round(STEEP * last))) :]
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    missing = max(FLAT * n - (high - low), 0.0)
    low, high = low - missing / 2, high + missing / 2
    return {
        "epochs": at.tolist(),
        "lines": [[float(v) if np.isfinite(v) else None for v in line] for line in loglik[at].T],
        "best": int(np.argmax(ends)),
        "last": last,
        "of": total,
        "low": low,
        "high": high,
        "running": running,
    }
