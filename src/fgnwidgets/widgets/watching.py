"""Learning that is watched: epochs as they are computed, then the run that ``fit`` gives.

Vocabulary
    watch    an iterator of epochs of a document's model and table, drunk in slices
    settled  no restart's likelihood moves any more
    curve    the likelihoods of every restart, thinned for a small picture

``fit`` says nothing on its way, so the epochs are walked through first, for the eye; the run is
then what ``fit`` returns for as many of them. That is twice the work, and the same numbers.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from fgnwidgets.border.fit import fit
from fgnwidgets.border.posing import epochs
from fgnwidgets.border.run import Run
from fgnwidgets.engine.arrays import Array

from .document import Document, Learning

STILL = 1e-8
"""A likelihood that moves by no more than this per row has settled."""

POINTS = 150
"""Points of a curve, at most."""

STEEP = 0.02
"""The share of the first epochs that may leave the picture: they climb from far below."""


class Watch:
    """The epochs of a document's learning so far.

    Raises ``ValueError`` where there is nothing to learn from, and what ``epochs`` raises.
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
            doc.graph.normal_form()  # the engine refuses the loop, and says what to do
        assert doc.model is not None
        self.doc, self.model = doc, doc.model
        how = doc.learning
        self._epochs = epochs(
            self.model, doc.data.given, how.rule, n_epochs=how.n_epochs, **_settings(doc)
        )
        self.loglik: list[Array] = []
        self.over = False

    def drink(self, seconds: float | None) -> None:
        """Epochs for so long, at least one; all of them with None."""
        assert self.doc.data is not None
        begun = time.monotonic()
        while not self.over:
            epoch = next(self._epochs, None)
            if epoch is None:
                self.over = True
                break
            self.loglik.append(np.where(epoch.dropped, -np.inf, epoch.loglik))
            self.over = len(self.loglik) > 1 and self._settled()
            if seconds is not None and time.monotonic() - begun >= seconds:
                break

    def _settled(self) -> bool:
        assert self.doc.data is not None
        new, old = self.loglik[-1], self.loglik[-2]
        live = np.isfinite(new) & np.isfinite(old)
        return bool((np.abs(new - old)[live] <= STILL * max(self.doc.data.rows, 1)).all())

    def run(self) -> tuple[Run, Learning]:
        """The run of as many epochs as were seen, and how it was learned."""
        assert self.doc.data is not None
        how = replace(self.doc.learning, n_epochs=len(self.loglik) - 1)
        run = fit(
            self.model,
            self.doc.data.given,
            how.rule,
            n_epochs=how.n_epochs,
            tol=0,
            progress=False,
            **_settings(self.doc),
        )
        return run, how


def _settings(doc: Document) -> dict[str, Any]:
    """The arguments that ``epochs`` and ``fit`` share."""
    assert doc.graph is not None
    fixed = {doc.graph.theta[name] for name in doc.graph.fixed}
    theta = {name: matrix for name, matrix in doc.theta.items() if name in fixed}
    return {
        "restarts": doc.learning.restarts,
        "seed": doc.learning.seed,
        "columns": list(doc.observed),
        "theta": theta or None,
    }


def curve(loglik: Array, total: int, *, running: bool) -> dict[str, Any]:
    """Likelihoods ``(n_epochs + 1, restarts)`` as lines of few points, for the page to draw."""
    last = len(loglik) - 1
    at = np.unique(np.linspace(0, last, min(POINTS, last + 1)).round().astype(int))
    ends = loglik[-1]
    finite = loglik[min(last, max(1, round(STEEP * last))) :]
    finite = finite[np.isfinite(finite)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
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
