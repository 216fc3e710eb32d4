"""Learning in a graph editor, epoch by epoch.

Vocabulary
    watch    learning of a document's model from its table, done in slices
    curve    the likelihoods of every restart, thinned for a small picture

The run is the one that ``fit`` returns, since both use :func:`~fgnwidgets.border.fit.walk`. Callers
hold the widgets' lock.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from fgnwidgets.border.advice import SAME_END
from fgnwidgets.border.fit import walk
from fgnwidgets.border.options import Options
from fgnwidgets.border.posing import pose
from fgnwidgets.border.run import Run
from fgnwidgets.engine.arrays import Array

from .document import Document, Learning

STILL = 1e-8
"""Learning stops when the likelihood changes by no more than this per row."""

POINTS = 150
"""Most points of a curve."""

STEEP = 0.02
"""The share of epochs at the start that may be cut off, since they climb from far below."""

FLAT = 10 * SAME_END
"""Least height of the picture in log-likelihood per sample, so that equal ends look equal."""


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
        options = Options(
            n_it=1,
            restarts=how.restarts,
            seed=how.seed,
            start="matrices",
            theta=theta or None,
            weight=doc.data.weight,
            test_weight=None,
            hold=None,
            constants={},
            columns=list(doc.observed),
        )
        problem = pose(self.model, doc.data.given, how.rule, options, restarts=how.restarts)
        self.n = float(problem.weight.sum())
        self._going = walk(self.model, problem.needing(True), how.n_epochs, bound=STILL)
        self._run: Run | None = None
        self.loglik: list[Array] = []

    @property
    def over(self) -> bool:
        """Whether the run is at its end."""
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
        try:
            epoch = self._going.send(stop) if self.loglik else next(self._going)
            self.loglik.append(np.where(epoch.dropped, -np.inf, epoch.loglik))
        except StopIteration as end:
            self._run = end.value

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
