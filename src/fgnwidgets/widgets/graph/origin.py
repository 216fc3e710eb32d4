"""The origin of a learned number: the rows of the table behind one cell of a matrix (section 3).

Vocabulary
    cell      (matrix, row, column): an entry of a matrix, by indices
    learned   the run, the restart and the epoch whose matrices a view shows
    adds      what all rows that are equal to one add to the count of the cell

What is computed is :func:`~fgnwidgets.analysis.contributions.contributions`; here it is put into
words and rounded, so that the numbers on a page add up to the sum below them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fgnwidgets.algebra.arrays import Array
from fgnwidgets.analysis.contributions import Contributions, contributions
from fgnwidgets.analysis.families import row_states
from fgnwidgets.data.evidence import Evidence
from fgnwidgets.draw.names import number
from fgnwidgets.graphs.normal_graph import as_normal
from fgnwidgets.learning.run import Run

from .scene import said

Cell = tuple[str, int, int]

LISTED = 8
"""Rows that a page lists by themselves; the others are one line."""

DIGITS = 3
"""Digits that a sum has at least."""

BY_HAND = 5e-4
"""A cell that differs by more from what was learned was changed since."""


@dataclass(frozen=True, eq=False)
class LearnedBy:
    """The learning behind the matrices of a view; ``epoch`` None: the final ones of the run."""

    run: Run
    restart: int
    epoch: int | None = None

    @classmethod
    def best(cls, run: Run) -> LearnedBy:
        """The best restart of a run at its end: by its last two epochs, if it kept matrices."""
        return cls(run, run.best, run.n_epochs if run.theta and run.n_epochs else None)

    @property
    def matrices(self) -> list[str]:
        """The matrices that have learned numbers."""
        return list(as_normal(self.run.graph).learnable)

    def made(self, cell: Cell) -> Contributions:
        """The rows that made a number; raises what ``contributions`` refuses."""
        matrix, row, column = cell
        form = as_normal(self.run.graph)
        node = form.users[matrix][0]
        x = row_states(form, node)[row]
        y = form.states(form.family(node)[1])[column]
        if self.epoch == 0:
            raise ValueError("Epoch 0 is the start: no row of the table has made this number.")
        restart, epoch = self.restart, self.epoch
        return contributions(self.run, matrix, x, y, restart=restart, epoch=epoch)


def origin(learned: LearnedBy, theta: Array, cell: Cell) -> dict[str, Any]:
    """The origin of a cell of a matrix ``theta`` for a page, ``DrawnOrigin`` of the contract."""
    matrix, row, column = cell
    now = float(theta[row, column])
    drawn: dict[str, Any] = {"matrix": matrix, "row": row, "column": column}
    empty = {"lines": [], "rows": [], "more": "", "adds": "", "of": "", "rule": _rule(learned)}
    drawn |= {"title": f"Where {number(now)} came from", **empty}
    try:
        made = learned.made(cell)
    except ValueError as error:
        return {**drawn, "lines": [str(error)]}
    name = made.name
    drawn["title"] = f"Where {name}{equal(now)} came from"
    listed = made.order[: LISTED + (len(made.order) == LISTED + 1)]
    rest = made.order[len(listed) :]
    adds, digits = _together([*made.contribution[listed], float(made.contribution[rest].sum())])
    largest = float(made.given[listed].max(initial=0.0)) or 1.0
    drawn["rows"] = [
        {
            "id": str(n),
            "text": row_words(made.run, int(n)),
            "count": f"{made.count[n]:.6g}",
            "share": number(float(made.responsibility[n])),
            "adds": text,
            "bar": round(float(made.contribution[n]) / largest, 4),
            "whole": round(float(made.given[n]) / largest, 4),
        }
        for n, text in zip(listed, adds, strict=False)
    ]
    if rest.size:
        drawn["more"] = f"and {rest.size} more row{'s' * (rest.size > 1)}: {adds[-1]}"
    total = f"{math.fsum(float(text) for text in adds):.{digits}f}"
    drawn["adds"], drawn["of"] = total, f"{made.row_total:.{digits}f}"
    drawn["lines"] = _lines(made, learned, now, total, drawn["of"])
    return drawn


def _lines(made: Contributions, learned: LearnedBy, now: float, total: str, of: str) -> list[str]:
    """The sum, in words, and whether the cell still is what it made."""
    rule = _rule(learned)
    lines = []
    if not made.row_total + made.pseudo_row > 0:
        lines.append(f"Nothing was counted here: the row of the matrix stays as it was, {now:.4g}.")
    else:
        top, foot = total, of
        if f"{made.pseudo_row:.2f}" != "0.00":
            top, foot = f"({total} + {made.pseudo:.4g})", f"({of} + {made.pseudo_row:.4g})"
        lines.append(f"{top} / {foot}{equal(made.number)}")
    when = "the final matrices" if made.epoch is None else f"the matrices of epoch {made.epoch - 1}"
    what = "Expected counts" if rule == "ML" else f"Counts of {rule}"
    cell = f"{made.condition} and {made.event}" if made.condition else made.event
    whole = f"with {made.condition}" if made.condition else "in all"
    plus = f"; {made.pseudo:.4g} is added as a pseudo-count" if made.pseudo_row else ""
    lines.append(f"{what}: {total} with {cell}, {of} {whole}, by {when}{plus}.")
    if made.epoch is None:
        kept = float(made.run.final[made.matrix][made.restart][_place(made)])
        if abs(kept - now) > BY_HAND:
            lines.append(f"The cell was changed by hand: it was {number(kept)}.")
        elif number(kept) != number(made.number):
            lines.append(f"One more epoch would make {number(made.number)} of {number(kept)}.")
    elif abs(made.number - now) > BY_HAND:
        lines.append(f"The cell was changed by hand: it was {number(made.number)}.")
    return lines


def equal(value: float) -> str:
    """The end of an equation after a name: `` = 0.250``, `` < 0.001``."""
    text = number(value)
    return f" {text[0]} {text[1:]}" if text[0] in "<>" else f" = {text}"


def _place(made: Contributions) -> tuple[int, int]:
    """The indices of a cell."""
    form = as_normal(made.run.graph)
    node = form.users[made.matrix][0]
    states = form.states(form.family(node)[1])
    return row_states(form, node).index(made.x), states.index(made.y)


def _rule(learned: LearnedBy) -> str:
    """The name of the rule, as a page has it."""
    rules = learned.run.rules
    return rules[learned.restart].name.upper() if rules else ""


def _together(values: Sequence[float]) -> tuple[list[str], int]:
    """Numbers rounded so that they add up to their rounded sum, and the digits behind the point.

    By the largest remainders: each differs from itself by less than one in its last digit.
    """
    sums = math.fsum(values)
    digits = 2 if sums <= 0 else max(2, DIGITS - 1 - math.floor(math.log10(sums)))
    digits = min(digits, 12)
    scaled = np.asarray(values, dtype=float) * 10.0**digits
    low = np.floor(scaled + 1e-9)
    missing = round(sums * 10.0**digits) - int(low.sum())
    for k in np.argsort(-(scaled - low), kind="stable")[: max(missing, 0)]:
        low[k] += 1
    return [f"{v / 10.0**digits:.{digits}f}" for v in low], digits


def row_words(run: Run, row: int) -> str:
    """One of a run's different rows in words: ``A = yes, B = no``."""
    words = said(as_normal(run.graph), row_codes(run.rows, row))
    return ", ".join(words) or "an empty row"


def row_codes(rows: Evidence, row: int) -> dict[str, Any]:
    """A row as codes (``observed``), without missing cells."""
    codes: dict[str, Any] = {k: int(v[row]) for k, v in rows.codes.items() if v[row] >= 0}
    known = {name: v for name, v in rows.vectors.items() if rows.known(name)[row]}
    return codes | {name: v[..., row].tolist() for name, v in known.items()}
