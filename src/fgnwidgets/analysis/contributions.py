"""The rows of a table that made a learned number, and what each of them added (section 3).

Vocabulary
    cell             one entry of a matrix, P(Y = y | X = x)
    responsibility   of a row for a cell: the posterior probability that X = x and Y = y in it, by
                     the matrices from which the number was learned. In mixtures it is called so
    contribution     what all rows equal to this one add to the cell's count: how many they are,
                     times their responsibility
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Index, Label
from ..arguments import read_count, shown
from ..graphs.normal_graph import as_normal
from ..inference.propagation import propagate_chunks
from ..learning.em import Problem
from ..learning.rules import RULES, Learned, Update, any_maximum
from ..learning.run import Run, read_run
from ..learning.task import problem_of
from ..report import Report
from .families import row_states

MOST_ROWS = 12
"""Rows that a report lists; arrays hold all."""

AT_ONCE = 4_000_000
"""Numbers that are held at a time while every row is counted by itself."""

ALIKE = 1e-6
"""A number that the rows give again differs by no more than this."""


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(Report):
    """The rows that made one number of a matrix; arrays are over ``run.rows``, ``(N,)``.

    ``x``, ``y``         the labels of the cell's row and column

    ``count``            how often each different row is there: its weight
    ``responsibility``   of one such row; 0 where ``count`` is
    ``contribution``     ``count * responsibility``, which sum to ``total``
    ``given``            what each adds to the whole row of the matrix, which sum to ``row_total``
    ``pseudo``           the pseudo-counts of the cell, ``pseudo_row`` those of its row
    ``number``           ``(total + pseudo) / (row_total + pseudo_row)``; the value before, where
                         nothing was counted
    """

    run: Run
    matrix: str
    x: Any
    y: Any
    restart: int
    epoch: int | None
    count: Array
    responsibility: Array
    contribution: Array
    given: Array
    pseudo: float
    pseudo_row: float
    number: float

    @property
    def total(self) -> float:
        """The expected count of the cell, over all rows."""
        return float(self.contribution.sum())

    @property
    def row_total(self) -> float:
        """The expected count of the cell's row: how many rows are expected to have X = x."""
        return float(self.given.sum())

    @cached_property
    def order(self) -> Index:
        """The rows that add something, the largest contribution first."""
        falling = np.argsort(-self.contribution, kind="stable")
        return np.asarray(falling[self.contribution[falling] > 0])

    def words(self, row: int) -> str:
        """The cells of a row in words, such as ``A = 'yes', B = 'no'``."""
        form = as_normal(self.run.graph)
        states = {name: form.branch(name).states for name in self.run.rows.codes}
        return self.run.rows.says(row, states)

    def _table(self) -> tuple[str, list[str], list[tuple[Any, ...]]]:
        lines: list[tuple[Any, ...]] = [
            (self.words(n), *(float(v[n]) for v in self._columns)) for n in self.order[:MOST_ROWS]
        ]
        rest = self.order[MOST_ROWS:]
        if rest.size:
            count, contribution = (float(v[rest].sum()) for v in self._columns[::2])
            lines.append((f"and {rest.size} more rows", count, None, contribution))
        lines.append(("all rows", float(self.count.sum()), None, self.total))
        heads = ["row", "count", "responsibility", "contribution"]
        return f"Rows that made {self.name}", heads, lines

    def _data(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        heads = ["row", "count", "responsibility", "contribution"]
        rows = [(self.words(n), *(float(v[n]) for v in self._columns)) for n in self.order]
        return heads, rows

    @property
    def _columns(self) -> tuple[Array, Array, Array]:
        return self.count, self.responsibility, self.contribution

    @property
    def event(self) -> str:
        """The event that the cell counts: ``A = yes``."""
        return f"{self._family[1]} = {self.y}"

    @property
    def condition(self) -> str:
        """The event that the whole row of the matrix counts: ``S = 1``; "" of a source."""
        parents = self._family[0]
        values = self.x if len(parents) > 1 and isinstance(self.x, tuple) else (self.x,)
        return ", ".join(f"{p} = {v}" for p, v in zip(parents, values, strict=False))

    @property
    def name(self) -> str:
        """The cell as a probability: ``P(A = yes | S = 1)``."""
        return f"P({self.event} | {self.condition})" if self.condition else f"P({self.event})"

    @cached_property
    def _family(self) -> tuple[tuple[str, ...], str]:
        form = as_normal(self.run.graph)
        return form.family(form.users[self.matrix][0])

    def _notes(self) -> tuple[str, ...]:
        plus = [f" + {v:.6g}" if v else "" for v in (self.pseudo, self.pseudo_row)]
        sums = [f"{self.total:.6g}{plus[0]}", f"{self.row_total:.6g}{plus[1]}"]
        top, below = (f"({v})" if " " in v else v for v in sums)
        if not self.row_total + self.pseudo_row > 0:
            return (f"nothing was counted in this row of the matrix: it stays {self.number:.6g}",)
        return (f"{self.name} = {top} / {below} = {self.number:.6g}",)


def contributions(
    run: Run,
    matrix: str,
    x: Any,
    y: Any,
    *,
    restart: int | None = None,
    epoch: int | None = None,
) -> Contributions:
    """The origin of a learned number: the rows of the table that made ``P(Y = y | X = x)``.

    A rule's M-step adds up counts over the rows and divides by their sum in each row of the matrix.
    ML counts, in a row that is there n times, ``n P(X = x, Y = y | row)`` by the matrices of the
    epoch before (section 3.1): n times the row's responsibility. For other rules the same arrays
    hold what each row adds to the counts of that rule. Blocks that share the matrix add up, so that
    a row of a chain may add more than one.

    ``matrix``    its name, as in ``run.final``; of a merged graph, too
    ``x``         the label or index of a row of it: a tuple for several parents, None for a source
    ``y``         the label or index of a state
    ``restart``   which one; None: the best
    ``epoch``     explains ``run.theta[matrix][epoch]``, exactly. None: the final matrices count the
                  rows, as in ``run.counts``. This gives the number of one more epoch, from which a
                  run that has settled differs by no more than its tolerance

    Raises ``ValueError`` for what was not learned: a fixed matrix, a row that was held, epoch 0, an
    epoch of a run without recorded matrices, the first one of ``start="messages"``.
    """
    form = as_normal(read_run(run).graph)
    if not isinstance(matrix, str) or matrix not in form.learnable:
        names = ", ".join(form.learnable) or "none"
        raise ValueError(f"matrix is {shown(matrix)}: expected one that was learned: {names}")
    node = form.users[matrix][0]
    rows, states = row_states(form, node), form.states(form.family(node)[1])
    i = 0 if x is None and len(rows) == 1 else _place(rows, x, "x", matrix)
    j = _place(states, y, "y", matrix)
    r = _restart(run, restart)
    theta = _before(run, matrix, r, epoch)
    ready = problem_of(run)
    hold, setting = ready.fixed_rows, ready.settings[r]
    if matrix in hold and hold[matrix][i].all():
        raise ValueError(f"row {rows[i]!r} of {matrix!r} was held: no row of the table moved it")
    weight = run.weight[r] if run.weight.ndim == 2 else run.weight
    problem = Problem(ready.clamped, weight, None, (setting,), theta, None, hold)
    update, current = setting.updates[matrix], theta[matrix]
    seen = _seen(problem, matrix, len(run.final_loglik))
    for _ in range(1, setting.n_it):
        new = update.matrix(_counted(update, current, seen), current)
        current = np.where(hold[matrix], current, new) if matrix in hold else new
    counts = _counted(update, current, seen)
    number = float(update.matrix(counts, current)[i, j])
    if epoch is not None and abs(number - run.theta[matrix][epoch, r, i, j]) > ALIKE:
        raise ValueError(
            f"{matrix!r} at epoch {epoch} was not made by the matrices before it: the run began "
            "with messages; expected a later epoch"
        )
    each = _each(update, current, seen, i, run.rows.n)
    pseudo = _pseudo(update, counts, i)
    contribution = each[:, j]
    share = np.divide(contribution, weight, out=np.zeros(len(weight)), where=weight > 0)
    return Contributions(
        run=run,
        matrix=matrix,
        x=rows[i],
        y=states[j],
        restart=r,
        epoch=epoch,
        count=np.array(weight),
        responsibility=share,
        contribution=contribution,
        given=each.sum(axis=-1),
        pseudo=float(pseudo[j]),
        pseudo_row=float(pseudo.sum()),
        number=number,
    )


def _place(labels: Sequence[Label], value: Any, name: str, matrix: str) -> int:
    """The index of a state, given as its label, or as a number where no label is one."""
    for i, label in enumerate(labels):
        if type(label) is type(value) and label == value:
            return i
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        numbers = any(isinstance(label, int) for label in labels)
        if (not numbers or tuple(labels) == tuple(range(len(labels)))) and 0 <= value < len(labels):
            return int(value)
    words = ", ".join(repr(label) for label in labels[:8]) + ", …" * (len(labels) > 8)
    raise ValueError(f"{name} is {shown(value)}: expected one of {words}, as {matrix!r} has them")


def _restart(run: Run, restart: int | None) -> int:
    """The index of a restart that learned."""
    r = run.best if restart is None else read_count(restart, "restart")
    if r >= len(run.final_loglik):
        raise ValueError(f"restart is {r}: expected less than {len(run.final_loglik)}")
    if run.dropped[r]:
        raise ValueError(
            f"restart {r} gave a row of the table probability zero, and learned nothing more"
        )
    return r


def _before(run: Run, matrix: str, r: int, epoch: int | None) -> dict[str, Array]:
    """The matrices that counted the rows."""
    if epoch is None:
        return {name: matrices[r] for name, matrices in run.final.items()}
    at = read_count(epoch, "epoch")
    if matrix not in run.theta:
        raise ValueError(
            f"epoch is {at}: expected None, since the run kept no matrices; learn with "
            "record=('loglik', 'theta') to ask about epochs"
        )
    if not 0 < at <= run.n_epochs:
        raise ValueError(f"epoch is {at}: expected 1 to {run.n_epochs}; epoch 0 is the start")
    return {name: matrices[at - 1, r] for name, matrices in run.theta.items()}


def _seen(problem: Problem, matrix: str, restarts: int) -> list[Learned]:
    """The messages that reach a matrix, and weights, in the pieces in which they were learned."""
    each = []
    for chunk in propagate_chunks(problem.clamped, problem.first, restarts):
        f, b = chunk.decoded()
        if not chunk.possible:  # rows without weight may be impossible
            f, b = ({k: np.nan_to_num(v) for k, v in side.items()} for side in (f, b))
        each.append(problem.incoming(f, b, chunk.cut)[matrix])
    return each


def _counted(update: Update, theta: Array, seen: Sequence[Learned]) -> Array:
    """The counts of all rows, ``(M_X, M_Y)``."""
    return np.asarray(sum(update.counts(theta, learned) for learned in seen))


def _pseudo(update: Update, counts: Array, i: int) -> Array:
    """The pseudo-counts of a row, ``(M_Y,)``."""
    prior = np.zeros(counts.shape)
    if update.where_counted is not None:
        prior = prior + np.where(counts.sum(-1, keepdims=True) > 0, update.where_counted, 0.0)
    if update.prior is not None:
        prior = prior + update.prior
    row: Array = prior[i]
    return row


def _each(update: Update, theta: Array, seen: Sequence[Learned], i: int, n: int) -> Array:
    """The part of each sample in row ``i`` of a matrix, ``(N, M_Y)``; tied blocks add up."""
    pieces = []
    for f, b, weight in seen:
        wide = max(v.shape[-1] for v in (f, b, weight))
        f, b, weight = (np.broadcast_to(v, (v.shape[-2], wide)) for v in (f, b, weight))
        if update.constants.get("ties") == "random":  # drawn for all samples at once
            f, b = any_maximum(theta, f, b)
        size = max(1, AT_ONCE // theta.size)
        cuts = [slice(at, at + size) for at in range(0, wide, size)]
        parts = [_alone(update, theta, (f[:, c], b[:, c], weight[:, c]))[:, i] for c in cuts]
        pieces.append((wide, np.concatenate(parts)))
    if len(pieces) == 1:
        return np.asarray(pieces[0][1].reshape(-1, n, theta.shape[1]).sum(axis=0))
    uses = sum(wide for wide, _ in pieces) // n
    return np.concatenate([v.reshape(uses, -1, theta.shape[1]).sum(axis=0) for _, v in pieces])


def _alone(update: Update, theta: Array, learned: Learned) -> Array:
    """The counts of every sample by itself, ``(n, M_X, M_Y)``."""
    f, b, weight = learned
    if update.rule.name not in RULES:
        # A rule of a reader's own need not know batches.
        columns = [slice(k, k + 1) for k in range(f.shape[-1])]
        return np.stack([update.counts(theta, (f[:, c], b[:, c], weight[:, c])) for c in columns])
    if b.shape[0] != theta.shape[-1]:  # of input and output together
        flat = _alone(update, theta.reshape(1, -1), learned)
        return flat.reshape(-1, *theta.shape)
    constants = update.constants
    if constants.get("ties") == "random":  # which is settled
        constants = {**constants, "ties": "first"}
    batch = (v.T[..., None] for v in learned)
    return update.rule.step(theta[None], *batch, **constants)
