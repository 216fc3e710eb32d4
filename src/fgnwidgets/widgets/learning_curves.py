"""The chart of likelihoods above a living graph, on which one drags the epoch and chooses curves.

Vocabulary
    curve   the log-likelihood of one restart of a run, epoch by epoch
    level   a height to compare with: the floor of independent variables, the ceiling of the
            saturated model
    shown   the number of answers so far: the page waits for one before it asks for another epoch
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anywidget
import numpy as np
import traitlets

from fgnwidgets.border.queries import independent, saturated
from fgnwidgets.border.run import Run
from fgnwidgets.engine.arrays import Array

from .lock import LOCK
from .scripts import STATIC, script


@dataclass(frozen=True, eq=False)
class Curve:
    """A restart of a run, with its name on the page and the name of its rule."""

    run: Run
    restart: int
    name: str
    rule: str

    @property
    def history(self) -> Array:
        """The exact log-likelihood of all samples, ``(n_epochs + 1,)``."""
        values: Array = self.run.loglik[:, self.restart]
        return values

    def theta(self, epoch: int) -> dict[str, Array]:
        """The matrices at an epoch, or at the last epoch of a run that ended before."""
        at = min(epoch, self.run.n_epochs)
        return {name: matrices[at, self.restart] for name, matrices in self.run.theta.items()}


class Curves(anywidget.AnyWidget):
    """The chart with its player and lists, which reports what a reader asks for.

    ``drawn`` holds what :func:`drawn` returns. ``own`` says that the evidence shown was clicked,
    and is none of the rows; the other traits are as those of :class:`LearningView`.
    """

    _esm = script("learning.js")
    _css = "\n".join((STATIC / f).read_text("utf-8") for f in ("graph_view.css", "learning.css"))

    drawn = traitlets.Dict().tag(sync=True)
    epoch = traitlets.Int().tag(sync=True)
    left = traitlets.Int().tag(sync=True)
    right = traitlets.Int(None, allow_none=True).tag(sync=True)
    row = traitlets.Int(None, allow_none=True).tag(sync=True)
    own = traitlets.Bool().tag(sync=True)
    shown = traitlets.Int().tag(sync=True)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        with LOCK:
            super().set_state(sync_data)
            self.shown += 1

    def __repr__(self) -> str:
        return "Curves()"


def curves_of(runs: Run | Sequence[Run] | Mapping[str, Run]) -> tuple[Curve, ...]:
    """A curve for every restart of the runs.

    Curves are called by the name of their run in a mapping, else by their rule, with a number where
    that is not enough. Raises ``ValueError`` for no runs, for what is none, and for a run that has
    not recorded its matrices.
    """
    given: Iterable[tuple[str, Run]]
    if isinstance(runs, Run):
        given = [("", runs)]
    elif isinstance(runs, Mapping):
        given = list(runs.items())
    else:
        given = [(str(i + 1) if _same_rules(runs) else "", run) for i, run in enumerate(runs)]
    curves: list[Curve] = []
    for label, run in given:
        if not isinstance(run, Run):
            raise ValueError(f"runs hold {run!r}: expected runs, which fit gives")
        if not run.theta:
            raise ValueError(
                f"{run!r} kept no matrices: learn with record=('loglik', 'theta') to see them"
            )
        rules = (run.rule,) * run.loglik.shape[1] if isinstance(run.rule, str) else run.rule
        for restart, rule in enumerate(rules):
            words = [label or rule.upper()]
            if rules.count(rule) > 1 or (label and len(rules) > 1):
                words.append(f"start {restart + 1}")
            curves.append(Curve(run, restart, ", ".join(words), rule))
    if not curves:
        raise ValueError("runs are empty: expected a run, or several of one graph")
    return tuple(curves)


def levels(run: Run) -> dict[str, float]:
    """Floor and ceiling of the table that a run learned from; none if cells are missing."""
    try:
        return {
            "ceiling": saturated(run.graph, run.rows, run.weight),
            "floor": independent(run.graph, run.rows, run.weight),
        }
    except ValueError:
        return {}


def drawn(curves: Sequence[Curve], rows: Sequence[str]) -> dict[str, Any]:
    """What the chart draws, as plain values; a likelihood that is not finite becomes None."""
    return {
        "curves": [
            {
                "name": curve.name,
                "rule": curve.rule.lower(),
                "values": [round(v, 3) if np.isfinite(v) else None for v in curve.history.tolist()],
            }
            for curve in curves
        ],
        "levels": levels(curves[0].run),
        "last": max(curve.run.n_epochs for curve in curves),
        "rows": list(rows),
    }


def _same_rules(runs: Sequence[Run]) -> bool:
    """Whether two of the runs have the same rule."""
    return len({str(getattr(run, "rule", run)) for run in runs}) < len(runs)
