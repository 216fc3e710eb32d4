"""The chart of likelihoods above a living graph, on which one drags the epoch and chooses curves.

Vocabulary
    curve   the log-likelihood of one restart of a run, epoch by epoch
    level   a height to compare with: the floor of independent variables, the ceiling of the
            saturated model
    look    what of a run is looked at: epoch, curves, row of the table
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import traitlets

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.inference.queries import independent, saturated
from fgnwidgets.learning.run import Run

from ..page.protocol import DocumentWidget, Held


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


@dataclass(frozen=True)
class Look:
    """The part of a run that is looked at.

    ``left`` and ``right`` are indices of curves, ``row`` is the index of a row in the page's list.
    ``own`` says that the evidence shown was clicked, and is none of the rows.
    """

    epoch: int = 0
    left: int = 0
    right: int | None = None
    row: int | None = None
    own: bool = False


class Curves(DocumentWidget[Look]):
    """The chart with its player and lists, which reports what a reader asks for.

    ``drawn`` holds what :func:`drawn` returns, which stays. ``look`` is what is looked at now; it
    can be set and observed.
    """

    BUNDLE = "learning"

    drawn = traitlets.Dict().tag(sync=True)
    look = Held()

    def __init__(self, drawn: Mapping[str, Any], look: Look) -> None:
        self._begin(look)
        super().__init__(drawn=dict(drawn), look=look)
        self.on_msg(self._hear)
        self._draw()

    def __repr__(self) -> str:
        return "Curves()"

    def _words(self) -> Mapping[str, Callable[..., None]]:
        return {"set": self._set, "go": self._go}

    def _set(self, **values: Any) -> None:
        """Look at something else; a row of the list takes the place of evidence of one's own."""
        known = {field.name for field in fields(Look)}
        if odd := [name for name in values if name not in known]:
            raise ValueError(f"the page sets {odd[0]!r}: expected {', '.join(sorted(known))}")
        if "row" in values:
            values = {"own": False, **values}
        self._change(replace(self._document, **values))

    def _go(self, by: int) -> None:
        """To another epoch, by so many; it stops at both ends."""
        wanted = self._document.epoch + int(by)
        self._set(epoch=min(max(wanted, 0), int(self.drawn["last"])))

    def _settled(self, look: Look) -> Look:
        drawn = self.drawn
        ends = {
            "epoch": drawn["last"],
            "left": len(drawn["curves"]) - 1,
            "right": len(drawn["curves"]) - 1,
            "row": len(drawn["rows"]) - 1,
        }
        for name, most in ends.items():
            value = getattr(look, name)
            none = value is None and name in ("right", "row")
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not none and not (whole and 0 <= value <= most):
                raise ValueError(f"{name} is {value!r}: expected 0 to {most}")
        return look

    def _counts(self, before: Look, after: Look) -> bool:
        return False  # looking changes nothing that could be taken back

    def _shows(self, before: Look) -> None:
        if self.look is not self._document:
            self.look = self._document

    def _scene(self) -> dict[str, Any]:
        return asdict(self._document)

    @traitlets.observe("look")
    def _follow(self, change: Any) -> None:
        if change["new"] is not self._document:
            self._change(change["new"])


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
    """The chart as plain values; a likelihood that is not finite becomes None."""
    return {
        "curves": [
            {
                "name": curve.name,
                "rule": curve.rule.lower(),
                "values": [round(v, 3) if np.isfinite(v) else None for v in curve.history.tolist()],
            }
            for curve in curves
        ],
        "levels": [{"name": k, "value": v} for k, v in levels(curves[0].run).items()],
        "last": max(curve.run.n_epochs for curve in curves),
        "rows": list(rows),
    }


def _same_rules(runs: Sequence[Run]) -> bool:
    """True if two of the runs have the same rule."""
    return len({str(getattr(run, "rule", run)) for run in runs}) < len(runs)
