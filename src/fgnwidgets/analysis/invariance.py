"""``invariance``: whether a model's matrices are the same in several groups, and which are not.

Vocabulary
    group            a variable that is given: each sample says which group it is from
    item             an observed variable of the model; its matrix says how the classes answer it
    equal            the model in which nothing depends on the group
    homogeneous      only the hidden variables do: the same classes, of other sizes in each group
                     (structural homogeneity)
    partial          homogeneous, but for the matrix of one item: that item functions differently
                     in the groups (DIF)
    heterogeneous    everything does: separate models (Clogg and Goodman 1984; Collins and Lanza
                     2010, chapter 5)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Label
from ..algebra.chi2 import ChiSquare, chi2_sf
from ..arguments import (
    Seed,
    listing,
    read_choice,
    read_count,
    read_kind,
    read_number,
    read_seeds,
    read_weight,
    read_word,
    shown,
)
from ..bayes.graph import BayesGraph
from ..data import Table, labels, read_columns, weighted_columns
from ..data import columns as columns_of
from ..data.columns import is_lazy, narwhal
from ..data.evidence import Evidence, are_counts
from ..graphs.normal_graph import Graph
from ..graphs.theta import random_theta, relabel
from ..inference.evidence import read_evidence
from ..inference.queries import posterior
from ..learning.fit import fit
from ..learning.run import Run
from ..report import Report
from .alignment import match_states
from .refit import INWARDS
from .weights import NO_RATIOS

ADJUST = ("holm", "bh", "none")

EQUAL, HOMOGENEOUS, HETEROGENEOUS = "equal", "homogeneous", "heterogeneous"


@dataclass(frozen=True, eq=False, repr=False)
class Invariance(Report):
    """Models of several groups, compared.

    ``runs``      by model: "equal", "homogeneous", "heterogeneous", and each item for the model
                  in which its matrix alone differs
    ``tests``     by model but the first: the likelihood-ratio test, a :class:`ChiSquare`, against
                  the model ``against``, of which it is a case
    ``adjusted``  by item: its p adjusted for the number of items
    """

    group: str
    groups: tuple[Label, ...]
    runs: Mapping[str, Run]
    tests: Mapping[str, ChiSquare]
    against: Mapping[str, str]
    adjusted: Mapping[str, float]
    warnings: tuple[str, ...] = ()

    def dif(self, level: float = 0.05) -> list[str]:
        """The items whose adjusted p is at most ``level``, the smallest first."""
        if not isinstance(level, float) or not 0 < level < 1:
            raise ValueError(f"level is {shown(level)}: expected a number between 0 and 1")
        items = [item for item, p in self.adjusted.items() if p <= level]
        return sorted(items, key=lambda item: (self.tests[item].p, -self.tests[item].statistic))

    def best(self, criterion: str = "bic") -> str:
        """The model with the least ``criterion``: "aic", "bic", "sabic" or "caic"."""
        read_choice(criterion, "criterion", ("aic", "bic", "sabic", "caic"))
        return min(self.runs, key=lambda name: float(getattr(self.runs[name], criterion)))

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        heads = ["model", "parameters", "log-likelihood", "AIC", "BIC", "against", "ratio", "df"]
        heads += ["p", "adjusted p"]
        rows = []
        for name, run in self.runs.items():
            called = f"  {name} differs" if name in self.adjusted else name
            row: list[Any] = [called, run.n_free, _loglik(run), run.aic, run.bic]
            test = self.tests.get(name)
            if test is None:
                row += [None] * 5
            else:
                row += [self.against[name], test.statistic, test.df, test.p]
                row.append(self.adjusted.get(name))
            rows.append(row)
        return f"Invariance over {self.group}: {listing(self.groups)}", heads, rows

    def _data(self) -> tuple[list[str], list[list[Any]]]:
        _, heads, rows = self._table()
        return heads, [[name, *row[1:]] for name, row in zip(self.runs, rows, strict=True)]

    def _notes(self) -> tuple[str, ...]:
        return self.warnings


def invariance(
    graph: BayesGraph,
    table: Table,
    group: str,
    *,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    adjust: str = "holm",
    restarts: int = 10,
    seed: Seed = 0,
    n_epochs: int = 5000,
    tol: float = 1e-9,
) -> Invariance:
    """Test measurement invariance over the column ``group``, and each item for DIF.

    ``graph`` is the model of one group, such as a latent class model. It is learned, by ML, with
    all its matrices equal in the groups, with those of the items equal, and with none equal; the
    ratios of these, and of the model in which one item differs against the homogeneous one, are
    tested by chi-square with the difference in parameters. ``group`` is a given variable in all
    of them: how large the groups are is no part of the likelihood.

    ``restarts`` random starts are taken for each of the three; each larger model also starts from
    the smaller one, so that no ratio is negative. The states of a hidden variable are numbered in
    each group as in the homogeneous model. ``adjust`` corrects the p of the items for their number:
    "holm" (Holm 1979), "bh" (Benjamini and Hochberg 1995, the false discovery rate) or "none".
    ``columns`` and ``weight`` are as in ``fit``.

    Raises ``ValueError`` with fewer than two groups in the table, for tied or fixed matrices, and
    without a hidden variable.
    """
    read_kind(graph, "graph", BayesGraph, "a BayesGraph, the model of one group")
    read_word(group, "group")
    read_choice(adjust, "adjust", ADJUST)
    tries, last = read_count(restarts, "restarts", 1), read_count(n_epochs, "n_epochs", 1)
    bound = read_number(tol, "tol")
    rng = np.random.default_rng(read_seeds(seed, 1)[0])
    model = _Model.of(graph, group)
    cells, given = _read(model, table, columns, weight)
    model = model.over(cells)
    learn = _Learning(model, cells, given, tries, last, bound, rng)
    equal = learn(())
    same = learn(model.hidden, equal)
    runs = {EQUAL: equal.run, HOMOGENEOUS: same.run}
    for item in model.items:
        runs[item] = learn((*model.hidden, item), same, restarts=0).run
    runs[HETEROGENEOUS] = learn.separately((*model.hidden, *model.items), same).run
    counts = are_counts(given)
    against = {HOMOGENEOUS: EQUAL, HETEROGENEOUS: HOMOGENEOUS}
    against |= dict.fromkeys(model.items, HOMOGENEOUS)
    tests = {name: _ratio(runs[name], runs[other], counts) for name, other in against.items()}
    moved = adjusted([tests[item].p for item in model.items], adjust)
    warnings = [] if counts else [NO_RATIOS]
    for name in (EQUAL, HOMOGENEOUS, HETEROGENEOUS):
        warnings += [f"{name}: {said}" for said in runs[name].warnings]
    by_item = dict(zip(model.items, moved, strict=True))
    return Invariance(group, model.groups, runs, tests, against, by_item, tuple(warnings))


def adjusted(p: Sequence[float], how: str) -> list[float]:
    """The p of several tests, adjusted by Holm's or Benjamini and Hochberg's method, or as is.

    Holm: the k-th smallest of m times ``m - k + 1``, and no less than those before it. Benjamini
    and Hochberg: times ``m / k``, and no more than those after it. Both are at most 1.
    """
    values = np.asarray(p, dtype=float)
    if how == "none" or not values.size or np.isnan(values).any():
        return [float(v) for v in values]
    order, rank = np.argsort(values, kind="stable"), np.arange(1, len(values) + 1)
    sorted_p = values[order]
    if how == "holm":
        moved = np.maximum.accumulate(sorted_p * (len(values) + 1 - rank))
    else:
        moved = np.minimum.accumulate((sorted_p * len(values) / rank)[::-1])[::-1]
    adjusted_p = np.empty(len(values))
    adjusted_p[order] = np.minimum(moved, 1.0)
    return adjusted_p.tolist()


@dataclass(frozen=True, eq=False)
class _Model:
    """The model of one group, and its variables: hidden ones, items, and given ones."""

    graph: BayesGraph
    group: str
    groups: tuple[Label, ...] = ()
    hidden: tuple[str, ...] = ()
    items: tuple[str, ...] = ()

    @classmethod
    def of(cls, graph: BayesGraph, group: str) -> _Model:
        """The graph without ``group``, if it is a variable there, and what has no arrows."""
        if graph.fixed or len(set(graph.theta.values())) < len(graph.theta):
            raise ValueError(
                "the graph has fixed or tied matrices: expected one matrix of its own for every "
                "variable, each of which may differ between the groups"
            )
        parents = {
            name: tuple(p for p in ps if p != group)
            for name, ps in graph.parents.items()
            if name != group
        }
        above = {parent for ps in parents.values() for parent in ps}
        parents = {name: ps for name, ps in parents.items() if ps or name in above}
        if not parents:
            raise ValueError(
                f"the graph has no arrows but those of {group!r}: expected a model, such as a "
                "hidden variable that is the parent of all items"
            )
        branches = graph.variables
        states = {name: branches[name].states or branches[name].size for name in parents}
        given = [name for name in graph.given if name in parents]
        codes = {name: missing for name, missing in graph.missing.items() if name in states}
        return cls(BayesGraph(states, parents, given=given, missing=codes), group)

    def over(self, cells: Mapping[str, Any]) -> _Model:
        """The model with the roles that a table gives to its variables, and the groups in it."""
        states = labels(cells[self.group], self.group)
        one = BayesGraph({self.group: states})
        there = np.unique(read_evidence(one, {self.group: cells[self.group]}).codes[self.group])
        groups = tuple(states[k] for k in there[there >= 0])
        if len(groups) < 2:
            raise ValueError(
                f"group is {self.group!r}, which has the value {listing(groups)} alone: expected "
                "two groups or more"
            )
        rest = [name for name in self.graph.variables if name not in self.graph.given]
        hidden = tuple(name for name in rest if name not in cells)
        if not hidden:
            raise ValueError(
                "the table has a column for every variable of the graph: expected a hidden one, "
                "whose classes the groups share or not"
            )
        items = tuple(name for name in rest if name in cells)
        return _Model(self.graph, self.group, groups, hidden, items)

    def where(self, differ: Sequence[str]) -> BayesGraph:
        """The model in which the matrices of some variables differ between the groups."""
        if not differ:
            return self.graph
        states = {name: b.states or b.size for name, b in self.graph.variables.items()}
        parents = {
            name: (*ps, self.group) if name in differ else ps
            for name, ps in self.graph.parents.items()
        }
        given = (*self.graph.given, self.group)
        sizes, codes = {**states, self.group: self.groups}, dict(self.graph.missing)
        return BayesGraph(sizes, parents, given=given, missing=codes)

    def spread(self, smaller: _Fitted, differ: Sequence[str]) -> dict[str, Array]:
        """A smaller model's matrices as those of a larger one, by variable: equal in all groups."""
        matrices = {}
        for name in self.graph.theta:
            m = smaller.run.best_theta[smaller.graph.theta[name]]
            if name in differ and self.group not in smaller.graph.parents[name]:
                m = np.repeat(m, len(self.groups), axis=0)  # the group varies fastest
            matrices[name] = _inwards(m)
        return matrices


@dataclass(frozen=True, eq=False)
class _Fitted:
    """A run, and its graph before loops were merged."""

    graph: BayesGraph
    run: Run


def _inwards(m: Array) -> Array:
    """A matrix to start from, without zeros, which learning would keep."""
    inside: Array = (1 - INWARDS) * m + INWARDS / m.shape[-1]
    return inside


def _form(graph: BayesGraph) -> Graph:
    """A graph that messages are exact on."""
    return graph.merged() if graph.loop else graph


@dataclass(frozen=True, eq=False)
class _Learning:
    """Learns the models of the groups from one table."""

    known: _Model
    cells: Mapping[str, Any]
    weight: Array | None
    restarts: int
    n_epochs: int
    tol: float
    rng: np.random.Generator

    def __call__(
        self, differ: Sequence[str], smaller: _Fitted | None = None, restarts: int | None = None
    ) -> _Fitted:
        """The model in which some variables differ, from random starts and a smaller model's."""
        graph = self.known.where(differ)
        starts: list[dict[str, Array]] = []
        if smaller is not None:
            matrices = self.known.spread(smaller, differ)
            starts.append({graph.theta[v]: m[None] for v, m in matrices.items()})
        if count := self.restarts if restarts is None else restarts:
            starts.append(random_theta(_form(graph), self.rng, (count,)))
        return self._fit(graph, starts)

    def _fit(self, graph: BayesGraph, starts: Sequence[Mapping[str, Array]]) -> _Fitted:
        cells = {name: c for name, c in self.cells.items() if name in graph.variables}
        return _Fitted(graph, self._run(graph, cells, self.weight, starts))

    def _run(
        self,
        graph: BayesGraph,
        cells: Any,
        weight: Array | None,
        starts: Sequence[Mapping[str, Array]],
    ) -> Run:
        start = {name: np.concatenate([one[name] for one in starts]) for name in starts[0]}
        return fit(
            _form(graph),
            cells,
            theta=start,
            weight=weight,
            restarts=len(next(iter(start.values()))),
            n_epochs=self.n_epochs,
            tol=self.tol,
            record=["loglik"],
            progress=False,
        )

    def separately(self, differ: Sequence[str], smaller: _Fitted) -> _Fitted:
        """The heterogeneous model: each group is a model of its own, so each has its own best."""
        model = self.known
        graph, base = model.where(differ), model.graph
        evidence = read_evidence(_form(graph), self.cells)
        codes = evidence.codes[model.group]
        weight = np.ones(evidence.n) if self.weight is None else self.weight
        shared = {
            v: m.reshape(-1, len(model.groups), m.shape[-1])
            for v, m in model.spread(smaller, differ).items()
        }
        parts: dict[str, list[Array]] = {name: [] for name in base.theta}
        for g in range(len(model.groups)):
            rows = np.flatnonzero((codes == g) & (weight > 0))
            part = evidence.take(rows)
            inside = {name: column for name, column in part.codes.items() if name != model.group}
            cells = Evidence(part.n, inside, part.vectors)
            like = {base.theta[v]: m[:, g] for v, m in shared.items()}
            starts = [{name: m[None] for name, m in like.items()}]
            starts.append(random_theta(_form(base), self.rng, (self.restarts,)))
            run = self._run(base, cells, weight[rows], starts)
            theta = self._numbered(run, cells, weight[rows], like)
            for v, name in base.theta.items():
                parts[v].append(_inwards(theta[name]))
        joined = {
            graph.theta[v]: np.stack(each, axis=1).reshape(1, -1, each[0].shape[-1])
            for v, each in parts.items()
        }
        return self._fit(graph, [joined])

    def _numbered(
        self, run: Run, rows: Evidence, weight: Array, like: Mapping[str, Array]
    ) -> dict[str, Array]:
        """A group's matrices with hidden states in the order of the matrices ``like``."""
        theta = run.best_theta
        for name in self.known.hidden:
            p = posterior(run.graph, like, rows, name).T
            q = posterior(run.graph, theta, rows, name).T
            order = match_states(p, q, weight)
            theta = relabel(run.graph, theta, name, order.tolist())
        return theta


def _read(
    model: _Model, table: Table, columns: Any, weight: Any
) -> tuple[dict[str, Any], Array | None]:
    """The columns of the model and the group, and the weights of their rows."""
    frame = narwhal(table)
    there = [*map(str, frame.collect_schema())] if is_lazy(frame) else list(columns_of(table))
    if model.group not in there:
        raise ValueError(
            f"group is {model.group!r}: the columns of the table are {listing(there)}, expected "
            "one of them"
        )
    named = weight if isinstance(weight, str) else None
    used = [name for name in there if name in model.graph.variables and name != named]
    if columns is not None:
        used = read_columns(columns)
    used = list(dict.fromkeys([*used, model.group]))
    cells, given = weighted_columns(table, used, weight)
    n = len(next(iter(cells.values())))
    return cells, read_weight(given, n)


def _loglik(run: Run) -> float:
    return float(run.final_loglik[run.best])


def _ratio(larger: Run, smaller: Run, counts: bool) -> ChiSquare:
    ratio = max(2 * (_loglik(larger) - _loglik(smaller)), 0.0)
    df = larger.n_free - smaller.n_free
    return ChiSquare(ratio, df, chi2_sf(ratio, df) if counts else math.nan)
