"""``three_step``: what a model's classes mean for variables that it was not learned from.

Vocabulary
    outcome      a variable whose distribution is wanted by class: its mean, or its proportions
    covariate    a variable that predicts the class, by a multinomial logit
    step         one learns the classes, two assigns the samples to them, three relates the assigned
                 classes to the outcome or the covariates. Samples that are assigned wrongly make
                 the relation too weak; a correction takes their number into account
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Label
from ..algebra.chi2 import ChiSquare, chi2_sf
from ..arguments import listing, read_choice, read_names, read_weight, read_word, wrong
from ..data import Table, labels, read_column, weighted_columns
from ..data import columns as columns_of
from ..data.columns import Column, is_lazy, narwhal, read
from ..data.evidence import Evidence, are_counts
from ..data.names import is_missing, kind_of, read_numbers
from ..graphs.branches import Branch
from ..graphs.normal_graph import as_normal
from ..inference.evidence import read_evidence
from ..inference.queries import posterior
from ..learning.run import Run, read_run
from ..report import Report
from .classification import assigned_table, errors_spread, hidden, informed, modal
from .third_step import Assigned, logits, means, normal, proportions

CORRECTIONS = ("ml", "bch", "none")
ASSIGNMENTS = ("modal", "proportional")
KINDS = ("numeric", "categorical")

ALIKE = 1e-6
"""If the matrix of classification errors has a smaller singular value, classes cannot be told apart
by their assignment."""

FAR = 20.0
"""A coefficient of a standardised covariate beyond this means that it separates the classes."""

HOW = {
    "ml": "corrected by maximum likelihood",
    "bch": "corrected by BCH",
    "none": "without a correction",
}


@dataclass(frozen=True, eq=False, repr=False)
class Outcome(Report):
    """An outcome by class.

    ``estimate``    ``(K, L)``: the proportions of its ``levels`` in each class, or the mean, L = 1
    ``error``       their standard errors, NaN for a proportion on its bound
    ``covariance``  ``(K L, K L)``, in C order
    ``sd``          ``(K,)``, the standard deviations by class; None for proportions
    ``shares``      ``(K,)``, the sizes of the classes in the third step
    ``equal``       the test that the outcome is distributed alike (has equal means) in all classes
    ``n``           the weight of the samples that were used
    """

    variable: str
    states: tuple[Label, ...]
    outcome: str
    levels: tuple[Label, ...]
    correction: str
    estimate: Array
    error: Array
    covariance: Array
    sd: Array | None
    shares: Array
    equal: ChiSquare
    n: float
    warnings: tuple[str, ...] = ()

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        title = f"{self.outcome} by {self.variable}, {HOW[self.correction]}"
        rows: list[list[Any]] = []
        if not self.levels:
            heads = [self.variable, "share", "mean", "error", "sd"]
            for k, state in enumerate(self.states):
                sd = None if self.sd is None else float(self.sd[k])
                mean, error = float(self.estimate[k, 0]), float(self.error[k, 0])
                rows.append([str(state), float(self.shares[k]), mean, error, sd])
            return title, heads, rows
        heads = [self.variable, "share", self.outcome, "proportion", "error"]
        for k, state in enumerate(self.states):
            for v, level in enumerate(self.levels):
                numbers = float(self.estimate[k, v]), float(self.error[k, v])
                rows.append([str(state), float(self.shares[k]), str(level), *numbers])
        return title, heads, rows

    def _notes(self) -> tuple[str, ...]:
        return (f"Wald test that all classes are equal: {self.equal}", *self.warnings)


@dataclass(frozen=True, eq=False, repr=False)
class Covariates(Report):
    """The multinomial logit of the class on covariates.

    ``terms``       the Q columns: the intercept, numeric covariates, and the levels of others but
                    their first
    ``estimate``    ``(K, Q)``: ``log P(class k) / P(reference)`` is their sum over the terms; the
                    row of the ``reference`` is zero
    ``error``       ``(K, Q)``, NaN in the row of the reference
    ``covariance``  ``((K - 1) Q, (K - 1) Q)``, in C order, without the reference
    ``tests``       by covariate: whether it says anything of the class
    """

    variable: str
    states: tuple[Label, ...]
    reference: Label
    terms: tuple[str, ...]
    correction: str
    estimate: Array
    error: Array
    covariance: Array
    tests: Mapping[str, ChiSquare]
    n: float
    warnings: tuple[str, ...] = ()

    @property
    def odds_ratios(self) -> Array:
        """``exp(estimate)``: what one unit more of a term multiplies the odds by, ``(K, Q)``."""
        ratios: Array = np.exp(self.estimate)
        return ratios

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        heads = [self.variable, "term", "estimate", "error", "z", "p", "odds ratio"]
        rows: list[list[Any]] = []
        for k, state in enumerate(self.states):
            for q, term in enumerate(self.terms if state != self.reference else ()):
                b, error = float(self.estimate[k, q]), float(self.error[k, q])
                z = b / error if error > 0 else math.nan
                p = 2 * NormalDist().cdf(-abs(z)) if z == z else math.nan
                rows.append([str(state), term, b, error, z, p, math.exp(min(b, 700.0))])
        title = f"{self.variable} against {self.reference}, {HOW[self.correction]}"
        return title, heads, rows

    def _notes(self) -> tuple[str, ...]:
        tested = (
            f"Wald test that {name} says nothing: {test}" for name, test in self.tests.items()
        )
        return (*tested, *self.warnings)


def three_step(
    run: Run,
    table: Table,
    outcome: str | None = None,
    *,
    covariates: str | Sequence[str] | None = None,
    correction: str = "ml",
    assignment: str = "modal",
    variable: str | None = None,
    kind: str | None = None,
    reference: Label = None,
    weight: str | ArrayLike | None = None,
) -> Outcome | Covariates:
    """Relate a run's classes to columns that it was not learned from, bias corrected.

    Give ``outcome``, a column whose distribution by class is wanted, or ``covariates``, columns
    that predict the class. ``table`` has them beside those that the run learned from.

    ``correction``  "ml" (Vermunt 2010) takes the assigned class for an indicator of the class, with
                    the probabilities of classification errors held fixed, and maximises the
                    likelihood of indicator and outcome, or of the indicator given the covariates.
                    "bch" (Bolck, Croon and Hagenaars 2004; Vermunt 2010) weights every sample by
                    the inverse of these probabilities; it assumes nothing about how an outcome is
                    distributed, but proportions may leave 0 to 1. "none" takes the assignment for
                    the class, which makes all differences too small
    ``assignment``  "modal", to the most probable class, or "proportional", to all by posterior
    ``variable``    the hidden variable, where the run has several
    ``kind``        "numeric": means, by "ml" of a normal distribution with a variance for each
                    class; "categorical": proportions. By default a column of numbers without
                    declared categories is numeric, and a covariate likewise
    ``reference``   the state that the logit compares the others with, by default the first

    Standard errors are robust (sandwich), and hold what the errors of the first step add by the
    matrix of classification errors (Bakk, Oberski and Vermunt 2014), with the covariance of the
    first step from the squared scores of its rows. That part is missing, and a note says so, for a
    run by another rule than ML; it is none without a correction. Weights that are not whole numbers
    are those of a survey, and errors do not depend on their scale.
    A row without an outcome or a covariate is left out of the third step, and a note says so; rows
    that observe nothing of the model are left out of both. A lazy table is counted by its engine.

    Raises ``ValueError`` if no column says what was asked, if one is in the model already, or if
    the assignment cannot tell classes apart.
    """
    if (outcome is None) == (covariates is None):
        raise ValueError(
            "outcome and covariates are "
            + ("both given" if outcome is not None else "both missing")
            + ": expected one of them, three_step(run, table, 'income') or covariates=['age']"
        )
    name = hidden(read_run(run), variable)
    how = read_choice(correction, "correction", CORRECTIONS)
    read_choice(assignment, "assignment", ASSIGNMENTS)
    if kind is not None:
        read_choice(kind, "kind", KINDS)
    if outcome is not None:
        outside: tuple[str, ...] = (read_word(outcome, "outcome"),)
    else:
        outside = tuple(dict.fromkeys(read_names(covariates, "covariates")))
    if not outside:
        raise wrong("covariates", covariates, "the names of columns, at least one")
    states = as_normal(run.graph).states(name)
    first = 0
    if reference is not None:
        if outcome is not None:
            raise ValueError("reference is given with an outcome: only covariates need one")
        if reference not in states:
            raise wrong("reference", reference, f"a state of {name}, {listing(states)}")
        first = states.index(reference)
    evidence, cells, given = _read(run, table, outside, weight, outcome=outcome is not None)
    columns = {one: _Outside.read(one, cells[one], kind) for one in outside}
    assigned, taken, notes = _assigned(run, evidence, given, name, assignment, columns)
    spread = np.zeros((len(states) ** 2,) * 2)
    if how != "none" and all(rule.name == "ml" for rule in run.rules):
        spread = errors_spread(run, evidence, given, name, assignment)
    elif how != "none":
        notes.append("the run was not learned by ML: errors take the first step for known")
    if outcome is not None:
        return _outcome(name, states, assigned, spread, how, taken[0], notes)
    return _covariates(name, states, first, assigned, spread, how, taken, notes)


@dataclass(frozen=True, eq=False)
class _Outside:
    """A column: numbers, NaN where nothing is known, or codes of ``levels``, -1 there."""

    name: str
    cells: Any
    levels: tuple[Label, ...]

    @classmethod
    def read(cls, name: str, column: Any, kind: str | None) -> _Outside:
        if kind == "numeric" or (kind is None and _is_numeric(column)):
            numbers = read_numbers(column, f"column {name!r}")
            if np.isinf(numbers).any():
                raise ValueError(f"column {name!r} holds an infinite number: expected finite ones")
            if len(np.unique(numbers[~np.isnan(numbers)])) < 2:
                raise ValueError(f"column {name!r} has one value at most: expected two or more")
            return cls(name, numbers, ())
        states = labels(column, name)
        if len(states) < 2:
            raise ValueError(f"column {name!r} has one value at most: expected two or more")
        codes = read_column(column, Branch(name, states))
        return cls(name, codes, states)

    @property
    def there(self) -> Any:
        """True for cells that say something, ``(N,)``."""
        return self.cells >= 0 if self.levels else ~np.isnan(self.cells)

    def take(self, rows: Any) -> _Outside:
        """The same column of some rows, without levels that none of these has."""
        cells = self.cells[rows]
        if not self.levels:
            return _Outside(self.name, cells, ())
        seen, codes = np.unique(cells, return_inverse=True)
        return _Outside(self.name, codes.ravel(), tuple(self.levels[v] for v in seen))


def _is_numeric(column: Any) -> bool:
    cells = read(column)
    if not isinstance(cells, Column):
        return getattr(cells, "ndim", 0) == 1 and cells.dtype.kind in "iuf"
    values = [value for value in cells.values if not is_missing(value)]
    return not cells.declared and all(kind_of(value) == "a number" for value in values)


def _read(
    run: Run, table: Table, outside: Sequence[str], weight: Any, *, outcome: bool
) -> tuple[Evidence, dict[str, Any], Array]:
    """The rows as evidence, the outside columns, and the weights."""
    frame = narwhal(table)
    there = [*map(str, frame.collect_schema())] if is_lazy(frame) else list(columns_of(table))
    inside = list(run.rows.variables)
    form = as_normal(run.graph)
    what = "outcome" if outcome else "covariates"
    for column in outside:
        if column in inside or column in form.variables:
            raise ValueError(
                f"{what} names {column!r}, a variable of the model: expected a column that it was "
                "not learned from; the distribution of this one by class is a matrix of the run"
            )
    for column in (*inside, *outside):
        if column not in there:
            named = "the table has no column" if column in inside else f"{what} names"
            raise ValueError(
                f"{named} {column!r}: the columns of the table are {listing(there)}, expected "
                f"those that the run learned from, {listing(inside)}, and {listing(outside)}"
            )
    cells, given = weighted_columns(table, [*inside, *outside], weight)
    evidence = read_evidence(run.graph, {column: cells[column] for column in inside})
    weights = read_weight(given, evidence.n)
    return evidence, cells, np.ones(evidence.n) if weights is None else weights


def _assigned(
    run: Run,
    evidence: Evidence,
    weight: Array,
    variable: str,
    assignment: str,
    columns: Mapping[str, _Outside],
) -> tuple[Assigned, list[_Outside], list[str]]:
    """The assignment of the rows that are used, their columns, and what to say of the others.

    Equal rows are one: with modal assignment that are those of one class and equal cells.
    """
    notes = []
    p = posterior(run.graph, run.best_theta, evidence, variable)
    counts = weight > 0
    live = informed(run, evidence) & counts
    if left := float(weight[~live].sum()):
        notes.append(f"{left:.10g} samples observe nothing of the model and are left out")
    a = modal(p) if assignment == "modal" else p
    table = assigned_table(p[live], a[live], weight[live])
    held = table.sum(axis=0)
    if not (held > 0).all():
        raise ValueError(f"a state of {variable} has no samples at all: expected fewer states")
    errors = (table / held).T
    if np.linalg.svd(errors, compute_uv=False)[-1] < ALIKE:
        raise ValueError(
            f"the assignment cannot tell the states of {variable} apart (no sample is assigned to "
            "one of them, or two are assigned alike): expected a model with fewer states"
        )
    used = live.copy()
    for column in columns.values():
        used &= column.there
    if left := float(weight[live & ~used].sum()):
        named = listing(columns)
        notes.append(f"{left:.10g} samples without {named} are left out of the third step")
    rows = np.flatnonzero(used)
    if not rows.size:
        raise ValueError(f"no row has a value of {listing(columns)}: there is nothing to relate")
    taken = [column.take(rows) for column in columns.values()]
    weights = weight[rows]
    square: Array = weights if are_counts(weight) else weights**2
    assigned = a[rows]
    if assignment == "modal":
        cells = np.column_stack([assigned.argmax(axis=1), *(column.cells for column in taken)])
        _, at, place = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        weights = np.bincount(place.ravel(), weights, len(at)).astype(np.float64, copy=False)
        square = np.bincount(place.ravel(), square, len(at)).astype(np.float64, copy=False)
        assigned, taken = assigned[at], [column.take(at) for column in taken]
    return Assigned(assigned, errors, weights, square), taken, notes


def _outcome(
    variable: str,
    states: tuple[Label, ...],
    assigned: Assigned,
    spread: Array,
    how: str,
    column: _Outside,
    notes: list[str],
) -> Outcome:
    sd = None
    if column.levels and how == "ml":
        third = proportions(assigned, column.cells, len(column.levels))
    elif column.levels:
        third = means(assigned, how, np.eye(len(column.levels))[column.cells])
        if third.estimate.min() < 0 or third.estimate.max() > 1:
            notes.append("BCH gave proportions outside 0 to 1: correction='ml' stays inside")
    elif how == "ml":
        third, variance = normal(assigned, column.cells)
        sd = np.sqrt(variance)
    else:
        z = column.cells
        third = means(assigned, how, z[:, None])
        part = assigned.shares(how) * assigned.weight[:, None]
        variance = (part * (z[:, None] - third.estimate[:, 0]) ** 2).sum(axis=0) / part.sum(axis=0)
        sd = np.sqrt(np.where(variance >= 0, variance, np.nan))
    covariance = third.covariance + third.slope @ spread @ third.slope.T
    error = np.sqrt(np.maximum(np.diag(covariance), 0)).reshape(third.estimate.shape)
    return Outcome(
        variable=variable,
        states=states,
        outcome=column.name,
        levels=column.levels,
        correction=how,
        estimate=third.estimate,
        error=np.where(error > 0, error, np.nan),
        covariance=covariance,
        sd=sd,
        shares=third.shares,
        equal=_equal(third.estimate, covariance),
        n=float(assigned.weight.sum()),
        warnings=tuple(notes),
    )


def _equal(estimate: Array, covariance: Array) -> ChiSquare:
    """The test that all rows of estimates are equal."""
    count, width = estimate.shape
    free = max(width - 1, 1)  # proportions sum to one
    contrast = np.zeros((count - 1, free, count, width))
    for k in range(1, count):
        for v in range(free):
            contrast[k - 1, v, k, v], contrast[k - 1, v, 0, v] = 1.0, -1.0
    return _wald(estimate.ravel(), covariance, contrast.reshape(-1, count * width))


def _wald(estimate: Array, covariance: Array, contrast: Array) -> ChiSquare:
    """Wald test that contrasts of estimates are zero; directions without variance are left out."""
    away, spread = contrast @ estimate, contrast @ covariance @ contrast.T
    if not len(away):
        return ChiSquare(0.0, 0, math.nan)
    values, vectors = np.linalg.eigh(spread)
    sharp = values > 1e-12 * max(values.max(), 1e-300)
    statistic = float(((vectors.T @ away)[sharp] ** 2 / values[sharp]).sum())
    return ChiSquare(statistic, int(sharp.sum()), chi2_sf(statistic, int(sharp.sum())))


def _covariates(
    variable: str,
    states: tuple[Label, ...],
    first: int,
    assigned: Assigned,
    spread: Array,
    how: str,
    columns: Iterable[_Outside],
    notes: list[str],
) -> Covariates:
    terms, parts, owner = ["intercept"], [np.ones(len(assigned.a))], [""]
    for column in columns:
        for v, level in enumerate(column.levels[1:], 1):
            terms.append(f"{column.name}={level}")
            parts.append((column.cells == v).astype(float))
            owner.append(column.name)
        if not column.levels:
            terms.append(column.name)
            parts.append(column.cells)
            owner.append(column.name)
    x = np.stack(parts, axis=-1)
    # standardised, so that a covariate in thousands is as easy as one in fractions
    middle = x.mean(axis=0) * (np.arange(x.shape[1]) > 0)
    unit = np.where(np.arange(x.shape[1]) > 0, np.maximum(x.std(axis=0), 1e-300), 1.0)
    scaled = (x - middle) / unit
    if np.linalg.matrix_rank(scaled) < x.shape[1]:
        raise ValueError(
            f"the covariates {listing(terms[1:])} say the same in other words, or one is constant: "
            "expected columns that are not sums of the others"
        )
    order = [first, *(k for k in range(len(states)) if k != first)]
    turned = Assigned(
        assigned.a[:, order],
        assigned.errors[np.ix_(order, order)],
        assigned.weight,
        assigned.square,
    )
    beta, covariance, slope = logits(turned, how, scaled)
    entries = np.arange(len(states) ** 2).reshape(len(states), -1)[np.ix_(order, order)].ravel()
    covariance = covariance + slope @ spread[np.ix_(entries, entries)] @ slope.T
    if np.abs(beta[:, 1:]).max(initial=0.0) > FAR:
        notes.append("a covariate separates the classes: its coefficient and error have no bound")
    back = np.diag(1 / unit)
    back[0, 1:] = -middle[1:] / unit[1:]
    estimate, whole = np.zeros_like(beta), np.full_like(beta, np.nan)
    estimate[order] = beta @ back.T
    wide = np.kron(np.eye(len(states) - 1), back)
    covariance = wide @ covariance @ wide.T
    error = np.sqrt(np.maximum(np.diag(covariance), 0)).reshape(len(states) - 1, -1)
    whole[order[1:]] = error
    kept = [k for k in range(len(states)) if k != first]
    tests = {}
    for name in dict.fromkeys(owner[1:]):
        mine = np.array([own == name for own in owner])
        contrast = np.eye(len(kept) * len(owner))[np.tile(mine, len(kept))]
        tests[name] = _wald(estimate[kept].ravel(), covariance, contrast)
    return Covariates(
        variable=variable,
        states=states,
        reference=states[first],
        terms=tuple(terms),
        correction=how,
        estimate=estimate,
        error=whole,
        covariance=covariance,
        tests=tests,
        n=float(assigned.weight.sum()),
        warnings=tuple(notes),
    )
