"""Compare several graphs on one table, by criteria and by held-out likelihoods.

Vocabulary
    fold       a part of the samples; a model learns from all the others and predicts it
    held out   the log-probability of the samples of a fold under the model that has not seen them,
               as a mean over the samples of all folds
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array
from ..algebra.distributions import row_normalize
from ..arguments import Seed, read_count, read_seeds, shown
from ..data import Table
from ..data.evidence import Evidence, are_counts, fold
from ..graphs.normal_graph import Graph, as_normal
from ..inference.evidence import distinct, read_counted
from ..inference.queries import loglik
from ..learning.fit import fit
from ..learning.rules import RULES
from ..learning.run import Run
from ..learning.task import n_rows
from ..report import Report
from .refit import best_refit, learns_zeros

Graphs = Mapping[Any, Graph] | Callable[[Any], Graph]

ZERO = 1e-6
"""An entry below this that ML has learned without pseudo-counts is on its way to 0, and is taken
for 0: a held-out row that needs it has probability zero."""

HALF = 0.5
"""The pseudo-count of each cell in what learns for ``held_out`` unless ``alpha`` is given. Of what
was tried in chapter 15 of the course it predicts new rows best, or nearly so."""

CRITERIA = ("n_free", "rank", "loglik", "aic", "bic", "sabic", "caic", "entropy", "held_out")
"""The columns of a comparison, after ``model``."""

SELECTING = ("aic", "bic", "sabic", "caic", "held_out")
"""Those by which a model can be chosen."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Report, Mapping[str, list[Any]]):
    """A table with a row for each model: a mapping of columns, for ``pandas.DataFrame(dict(it))``.

    The columns are ``model`` and the ``CRITERIA``. ``entropy`` is the least of the hidden
    variables', ``held_out`` the mean per sample. ``rank`` is NaN for a model with so many numbers
    that it takes long: ``runs[model].summary(rank=True)`` works it out. ``runs[model]`` is the run
    on the whole table.
    """

    columns: Mapping[str, list[Any]]
    runs: Mapping[Any, Run]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def best(self, criterion: str = "bic") -> Any:
        """The model with the least ``criterion``, or with the largest ``held_out``.

        On the pathologists' slides with every column shuffled, so that one class is right, BIC and
        CAIC chose one class in ten tables of ten, AIC in six, the adjusted BIC in two (chapter 13).
        """
        if not isinstance(criterion, str) or criterion not in SELECTING:
            raise ValueError(
                f"criterion is {shown(criterion)}: expected aic, bic, sabic, caic or held_out"
            )
        values = np.array(self.columns[criterion]) * (-1 if criterion == "held_out" else 1)
        if np.isnan(values).all():
            raise ValueError(f"{criterion} was not computed: compare(..., folds=10) does so")
        return self.columns["model"][int(np.argmin(np.where(np.isnan(values), np.inf, values)))]

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        heads = list(self.columns)
        rows = [list(row) for row in zip(*self.columns.values(), strict=True)]
        return "Models compared", heads, [[str(row[0]), *row[1:]] for row in rows]

    def _notes(self) -> tuple[str, ...]:
        return self.notes


def compare(
    graphs: Graphs,
    table: Table | Evidence,
    over: Iterable[Any] | None = None,
    *,
    folds: int = 10,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    restarts: int = 10,
    seed: Seed = 0,
    **options: Any,
) -> Comparison:
    """Learn every graph from the table, and compare their criteria and held-out likelihoods.

    ``graphs`` is a mapping from names to graphs, or a function that is called with each value of
    ``over``, such as ``lambda k: BayesGraph({"S": k, ...}, ...)`` with ``range(1, 6)``. Each graph
    learns from all samples; for ``held_out`` it also learns without each of ``folds`` random parts,
    unless that is 0. A row whose weight is a whole number counts as that many samples, which may be
    in different parts. ``options`` are those of ``fit``.

    By default the criteria are those of maximum likelihood, for which they are defined, and what
    learns for ``held_out`` has half a pseudo-count in each cell, because it is to predict. With
    ``alpha`` both have that number: with 0 a held-out row can have probability zero, and
    ``held_out`` is then -inf.
    """
    models = _read_graphs(graphs, over)
    parts = read_count(folds, "folds")
    if parts == 1:
        raise ValueError("folds is 1: expected 0, or at least 2 parts")
    read_count(restarts, "restarts", 1)
    criteria: dict[str, list[Any]] = {name: [] for name in ("model", *CRITERIA)}
    runs, notes = {}, []
    for name, graph in models.items():
        read, given = read_counted(graph, table, columns, weight)
        run = fit(graph, read, weight=given, restarts=restarts, seed=seed, **options)
        if given is not None:
            run = replace(run, n_rows=n_rows(given, table, weight))
        held = np.nan
        if parts:
            rng = np.random.default_rng(read_seeds(seed, 1)[0])  # the same parts for every graph
            folded = _parts(read, given, parts, rng)
            to_predict = run if options.get("alpha") is not None else _smoothed(run)
            held = _held_out(to_predict, *folded, restarts, rng, options.get("workers"))
        summary = run.summary()
        values = (
            *(
                run.n_free,
                np.nan if summary.rank is None else summary.rank,
                summary.loglik,
                run.aic,
                run.bic,
                run.sabic,
                run.caic,
            ),
            min(summary.entropy.values(), default=np.nan),
            held,
        )
        for column, value in zip(criteria.values(), (name, *values), strict=True):
            column.append(value)
        runs[name] = run
        notes += [f"{name}: {warning}" for warning in summary.warnings]
        if held == -np.inf:
            notes.append(f"{name}: a held-out row had probability zero; alpha=0.5 would prevent it")
    sizes = {name: run.n for name, run in runs.items()}
    if max(sizes.values()) - min(sizes.values()) > 1e-9 * max(sizes.values()):
        said = ", ".join(f"{name}: {n:.10g}" for name, n in sizes.items())
        notes.append(
            f"the models differ in n ({said}), because matrices that are shared by the steps of a "
            "sequence count every step: BIC, adjusted BIC and CAIC are not of one scale"
        )
    givens = {name: tuple(as_normal(graph).given) for name, graph in models.items()}
    if len(set(map(frozenset, givens.values()))) > 1:
        said = "; ".join(f"{name}: {', '.join(g) or 'nothing'}" for name, g in givens.items())
        notes.append(
            f"the models differ in what is given ({said}): their likelihoods are of the rest given "
            "that, so criteria and held_out cannot be compared"
        )
    return Comparison(criteria, runs, tuple(notes))


def _read_graphs(graphs: Graphs, over: Iterable[Any] | None) -> dict[Any, Graph]:
    if isinstance(graphs, Mapping):
        if over is not None:
            raise ValueError("over is given with a mapping of graphs: its names say it all")
        if not graphs:
            raise ValueError("graphs is empty: expected a graph for each name")
        return dict(graphs)
    if not callable(graphs):
        raise ValueError(
            f"graphs is {shown(graphs)}: expected a mapping from names to graphs, or a function "
            "that makes one, with over=range(1, 6)"
        )
    if over is None:
        raise ValueError("graphs is a function: over=range(1, 6) would say of what")
    named = {k: graphs(k) for k in over} if isinstance(over, Iterable) else {}
    if not named:
        raise ValueError(
            f"over is {shown(over)}: expected what the graphs are made of, as range(1, 6)"
        )
    return named


def _parts(
    evidence: Evidence, weight: Array | None, parts: int, rng: np.random.Generator
) -> tuple[Evidence, Array, Array]:
    """The different rows, and their weights ``(parts, N)`` in learning and in each fold."""
    given = np.ones(evidence.n) if weight is None else weight
    if given.sum() < parts:
        raise ValueError(f"folds is {parts}: there are only {given.sum():.10g} samples")
    if are_counts(given):
        rows, counts = distinct(evidence, given)
        left, test = counts.astype(np.intp), np.zeros((parts, rows.n))
        for k in range(parts):  # a random draw, without replacement, of equal parts of the samples
            test[k] = rng.multivariate_hypergeometric(
                left, left.sum() // (parts - k), method="marginals"
            )
            left = left - test[k].astype(np.intp)
        return rows, counts - test, test
    part = rng.permutation(evidence.n) % parts
    masks = given * (part == np.arange(parts)[:, None])
    rows, (learning, test) = fold(evidence, [given - masks, masks])
    return rows, learning, test


def _smoothed(run: Run) -> Run:
    """The run with half a pseudo-count, as what is to be learned again, if its rule takes any."""
    rule = run.rules[run.best] if run.rules else RULES["ml"]
    return (
        replace(run, settings={**run.settings, "alpha": HALF})
        if "alpha" in rule.pseudo_counts
        else run
    )


def _held_out(
    run: Run,
    rows: Evidence,
    learning: Array,
    test: Array,
    restarts: int,
    rng: np.random.Generator,
    workers: int | None,
) -> float:
    """The mean log-probability of the samples ``test`` of the folds, all learned in one batch."""
    # The run's own matrices are no start: they have learned from what is left out here.
    theta, _ = best_refit(run, rows, learning, rng, restarts, own=False, workers=workers)
    if learns_zeros(run):
        for name, free in run.free.items():
            theta[name] = row_normalize(np.where(free & (theta[name] < ZERO), 0.0, theta[name]))
    logs = loglik(run.graph, theta, rows)
    left_out = test > 0  # other rows may have -inf, and 0 times that is no number
    return float((test * np.where(left_out, logs, 0)).sum() / test.sum())
