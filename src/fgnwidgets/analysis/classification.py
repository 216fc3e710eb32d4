"""``classification``: how well the most probable class of a sample is its class.

Vocabulary
    posterior   P(class | row), ``p_k[n]`` for sample n and class k
    assigned    the modal class of a sample, that with the largest posterior, the first of equals
    error       the expected share of samples that are not in the class they are assigned to
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.arrays import Array, Label, Mask
from ..arguments import listing, read_word
from ..data.evidence import Evidence, grouped
from ..graphs.normal_graph import as_normal
from ..inference.queries import posterior
from ..learning.run import Run, read_run
from ..report import Report
from .errors import NEAR_BOUND
from .scores import Entries, clamped_rows, scores
from .summary import entropy, hidden_variables
from .weights import NOT_COUNTS


@dataclass(frozen=True, eq=False, repr=False)
class Classification(Report):
    """The assignment of samples to the states of a hidden variable, its classes.

    ``table``       ``(K, K)``: row s, column k is the expected number of samples that are assigned
                    to class s and belong to class k, ``sum_n w[n] p_k[n]`` over those assigned to s
    ``sizes``       ``(K,)``: the share of each class, the mean posterior
    ``assigned``    ``(K,)``: the share of the samples assigned to each class
    ``average``     ``(K, K)``: the mean posteriors by assigned class, P(class k | assigned s);
                    its diagonal is called AvePP. NaN where no sample is assigned to s
    ``given_class`` ``(K, K)``: row k, column s is P(assigned s | class k), the matrix that corrects
                    a three-step analysis
    ``error``       the classification error, ``1 - mean of max_k p_k[n]``
    ``lambda_``     by how much knowing the row reduces the error of guessing the largest class,
                    ``1 - error / (1 - max_k sizes)``
    ``entropy``     the relative entropy, ``1 - mean entropy of p[n] / log K``, as in a summary
    ``entropy_r2``  the same with the entropy of ``sizes`` in place of ``log K``: the share of the
                    uncertainty of the class that the row removes
    ``standard_r2`` the same with ``1 - sum_k p_k^2`` in place of the entropy
    ``odds``        ``(K,)``: the odds of correct classification (Nagin 2005), the odds of AvePP
                    divided by the odds of the class's share: above 5 is usually asked for

    ``lambda_`` and both R2 are those of Goodman and Kruskal, which Latent GOLD reports (Vermunt and
    Magidson 2016, section 7.4); they are 1 with one class.
    """

    variable: str
    states: tuple[Label, ...]
    n: float
    table: Array
    sizes: Array
    assigned: Array
    average: Array
    given_class: Array
    error: float
    lambda_: float
    entropy: float
    entropy_r2: float
    standard_r2: float
    odds: Array
    warnings: tuple[str, ...] = ()

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        blank: list[Any] = [None] * 4
        heads = [f"assigned to {self.variable}", *(f"is {state}" for state in self.states)]
        heads += ["all", "share", "mean posterior", "odds"]
        rows: list[list[Any]] = []
        for s, state in enumerate(self.states):
            measures = [
                round(float(self.table[s].sum()), 9),
                self.assigned[s],
                self.average[s, s],
                self.odds[s],
            ]
            rows.append([str(state), *self.table[s], *measures])
        rows.append(["all", *self.table.sum(axis=0), self.n, 1, None, None])
        gap = [None] * (len(self.states) - 1)
        for name, value in (
            ("classification error", self.error),
            ("lambda", self.lambda_),
            ("entropy", self.entropy),
            ("entropy R2", self.entropy_r2),
            ("standard R2", self.standard_r2),
        ):
            rows.append([name, value, *gap, *blank])
        return f"Classification by {self.variable}", heads, rows

    def _notes(self) -> tuple[str, ...]:
        return self.warnings


def classification(run: Run, variable: str | None = None) -> Classification:
    """The classification table and error of a run's hidden variable, at its best matrices.

    ``variable`` is needed only if the run has several hidden variables. Samples of which nothing
    was observed but given variables are left out: their class is a guess.

    Raises ``ValueError`` if the run has no such hidden variable.
    """
    name = hidden(read_run(run), variable)
    there = informed(run, run.rows)
    weight = np.where(there, run.weight, 0.0)
    p = posterior(run.graph, run.best_theta, run.rows, name)
    table = assigned_table(p, modal(p), weight)
    n = float(weight.sum())
    sizes, rows = table.sum(axis=0) / n, table.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        average = table / rows[:, None]
        given_class = (table / table.sum(axis=0)).T
        diagonal = np.diag(average)
        odds = (diagonal / (1 - diagonal)) / (sizes / (1 - sizes))
    error = 1 - float(np.trace(table)) / n
    logs = np.log(np.where(sizes > 0, sizes, 1.0))
    uncertain = float(-(sizes * logs).sum())
    relative = entropy(p[there], weight[there])
    mean = (1 - relative) * math.log(max(len(sizes), 2))
    gini = float(weight @ (1 - (p**2).sum(axis=-1))) / n
    return Classification(
        variable=name,
        states=as_normal(run.graph).states(name),
        n=n,
        table=table,
        sizes=sizes,
        assigned=rows / n,
        average=average,
        given_class=given_class,
        error=error,
        lambda_=_reduced(error, 1 - float(sizes.max())),
        entropy=relative,
        entropy_r2=_reduced(mean, uncertain),
        standard_r2=_reduced(gini, 1 - float((sizes**2).sum())),
        odds=odds,
        warnings=() if run.counted else (NOT_COUNTS,),
    )


def hidden(run: Run, variable: str | None) -> str:
    """The hidden variable that is asked about; the only one if none is named."""
    names = hidden_variables(run)
    if variable is None:
        if len(names) != 1:
            raise ValueError(
                f"the run has {len(names)} hidden variables, {listing(names)}: say which by "
                f"variable={names[0]!r}"
                if names
                else "the run has no hidden variable: there are no classes to assign samples to"
            )
        return names[0]
    if read_word(variable, "variable") not in names:
        raise ValueError(
            f"variable is {variable!r}: expected a hidden variable of the run, "
            f"{listing(names) or 'and it has none'}"
        )
    return variable


def informed(run: Run, rows: Evidence) -> Mask:
    """The rows that observe anything but given variables, ``(N,)``."""
    given = as_normal(run.graph).given
    mask = np.zeros(rows.n, dtype=bool)
    for name, codes in rows.codes.items():
        if name not in given:
            mask |= codes >= 0
    for vectors in rows.vectors.values():
        mask |= ~(vectors == vectors[..., :1, :]).all(axis=-2)
    return mask


def modal(p: Array) -> Array:
    """The assigned class of each row as a row of the identity, ``(N, K)``."""
    assigned: Array = np.eye(p.shape[-1])[p.argmax(axis=-1)]
    return assigned


def assigned_table(p: Array, assigned: Array, weight: Array) -> Array:
    """Samples by assigned class and class, ``sum_n w[n] a_s[n] p_k[n]``, ``(K, K)``."""
    table: Array = (assigned * weight[:, None]).T @ p
    return table


def errors_spread(run: Run, rows: Evidence, weight: Array, variable: str, assignment: str) -> Array:
    """The covariance ``(K K, K K)`` of P(assigned s | class k), entries ``(k, s)`` in C order.

    It is that of the run's matrices, by the delta method, the assignment of the rows held fixed:
    ``d p_k[n] = p_k[n] (s_k[n] - s[n])``, with the scores of the row with the class and of the row.
    The covariance of the matrices is the inverse of the sum of the squared scores of the rows that
    the run learned from; for weights that are no counts, the sandwich of these, over ``rows``.
    Numbers near their bound are held fixed.
    """
    theta, entries = run.best_theta, Entries(run.free)
    basis = entries.coordinates(theta, {name: m > NEAR_BOUND for name, m in theta.items()})
    size = len(as_normal(run.graph).states(variable))
    if not basis.shape[1]:
        return np.zeros((size**2, size**2))
    live = np.flatnonzero(informed(run, rows) & (weight > 0))
    folded, place = grouped(rows.take(live))
    w = np.bincount(place, weight[live], folded.n).astype(np.float64, copy=False)
    if run.counted:
        mean, square = _squares(run, run.rows, run.weight, run.weight, entries, basis)
    else:
        both = np.bincount(place, weight[live] ** 2, folded.n).astype(np.float64, copy=False)
        mean, square = _squares(run, folded, w, both, entries, basis)
    p = posterior(run.graph, theta, folded, variable)
    a = modal(p) if assignment == "modal" else p
    base = _moved(run, folded, entries, basis)
    table = np.zeros((size, size, basis.shape[1]))  # classes k, assigned s
    for k in range(size):
        clamped_to = {**folded.codes, variable: np.full(folded.n, k, dtype=np.intp)}
        moved = _moved(run, Evidence(folded.n, clamped_to, folded.vectors), entries, basis) - base
        table[k] = (a * (w * p[:, k])[:, None]).T @ np.where(p[:, k, None] > 0, moved, 0.0)
    held = w @ p
    errors = assigned_table(p, a, w).T / held[:, None]
    table -= errors[..., None] * table.sum(axis=1, keepdims=True)
    slope = (table / held[:, None, None]).reshape(size**2, -1)
    inverse = np.linalg.pinv(mean, rcond=1e-10, hermitian=True)
    spread: Array = slope @ inverse @ square @ inverse @ slope.T
    return spread


def _moved(run: Run, rows: Evidence, entries: Entries, basis: Array) -> Array:
    """The scores of rows along the coordinates, ``(N, n_free)``."""
    pieces = [
        score @ basis for _, score in scores(clamped_rows(run, rows), run.best_theta, entries)
    ]
    return np.concatenate(pieces)


def _squares(
    run: Run, rows: Evidence, weight: Array, square: Array, entries: Entries, basis: Array
) -> tuple[Array, Array]:
    """The squared scores of rows, summed with two weights, ``(n_free, n_free)`` each."""
    moved = _moved(run, rows, entries, basis)
    return (moved * weight[:, None]).T @ moved, (moved * square[:, None]).T @ moved


def _reduced(left: float, before: float) -> float:
    """The share of an error that is gone; all of it if there was none."""
    return 1 - left / before if before > 1e-12 else 1.0
