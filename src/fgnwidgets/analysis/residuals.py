"""Bivariate residuals: between which pairs of variables a model misses some dependence.

Vocabulary
    pair       two observed variables, in the samples in which both were observed
    residual   Pearson's chi-square between the counts of a pair and those that the model expects,
               divided by (A - 1)(B - 1): about 1 or less if the model is right
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..algebra.arrays import Array, Mask
from ..arguments import read_count
from ..data.evidence import Evidence
from ..graphs.normal_graph import NormalGraph, as_normal
from ..inference.propagation import clamp, propagate_chunks
from ..inference.queries import belief
from ..learning.run import Run, read_run
from ..progress import progress_bar
from ..report import Report
from .families import conditions
from .weights import as_counts, survey_warning


@dataclass(frozen=True, eq=False, repr=False)
class Residuals(Report):
    """``values`` ``(V, V)`` in the order of ``names``; NaN on the diagonal and for given pairs.

    ``observed`` and ``expected`` are counts ``(M_A, M_B)``, by the names ``(A, B)`` of a pair.
    """

    names: tuple[str, ...]
    values: Array
    observed: Mapping[tuple[str, str], Array]
    expected: Mapping[tuple[str, str], Array]
    warnings: tuple[str, ...] = ()

    def worst(self, count: int = 5) -> list[tuple[str, str, float]]:
        """The pairs ``(A, B, residual)`` with the largest residuals, the largest first."""
        most = read_count(count, "count")
        pairs = [
            (a, b, float(self.values[i, j]))
            for i, a in enumerate(self.names)
            for j, b in enumerate(self.names[:i])
            if (b, a) in self.observed
        ]
        return sorted(((b, a, v) for a, b, v in pairs), key=lambda pair: -pair[2])[:most]

    def _table(self) -> tuple[str, list[str], list[list[object]]]:
        return "Bivariate residuals, the largest", ["", "", ""], [list(p) for p in self.worst(10)]

    def _notes(self) -> tuple[str, ...]:
        return self.warnings

    def _data(self) -> tuple[tuple[str, ...], list[tuple[str, str, float]]]:
        return ("A", "B", "residual"), self.worst(len(self.names) ** 2)


def residuals(run: Run) -> Residuals:
    """The residuals of all pairs of a run's observed variables, at its best matrices.

    Expected counts are P(A, B | given variables) summed over the samples in which both were
    observed; this assumes that whether a cell is blank does not depend on its value. Variables with
    soft evidence are left out. Two given variables have no residual, because the model does not
    describe them.

    The weights of a survey are no counts of equal rows: ``observed`` and ``expected`` are of
    weights multiplied by a number so that they sum to the number of rows. Residuals then do not
    depend on the scale of the weights, and a warning says so.

    Raises ``ValueError`` with fewer than two observed variables.
    """
    names = tuple(read_run(run).rows.codes)
    if len(names) < 2:
        raise ValueError(
            f"the run observed {len(names)} variables with hard evidence: expected two"
        )
    weights = as_counts(run)
    given, condition = conditions(run)
    values = np.full((len(names), len(names)), np.nan)
    observed, expected = {}, {}
    tick = progress_bar(len(names), None, "variable")
    for i, (a, joint) in enumerate(_joint(run, names, given)):
        tick(i)
        for j, (b, expects) in enumerate(zip(names[:i], joint, strict=True)):
            if a in given.codes and b in given.codes:
                continue
            both = (run.rows.codes[a] >= 0) & (run.rows.codes[b] >= 0)
            seen = _counted(run, weights, a, b, both, expects.shape[1:])
            weight = np.bincount(condition[both], weights[both], given.n)
            model = np.einsum("k,kab->ab", weight, expects)
            observed[b, a], expected[b, a] = seen.T, model.T
            values[i, j] = values[j, i] = _per_degree(seen, model)
    tick(-1)
    told = survey_warning(run)
    return Residuals(names, values, observed, expected, (told,) if told else ())


def _joint(run: Run, names: Sequence[str], evidence: Evidence) -> Iterator[tuple[str, list[Array]]]:
    """Every variable A, and for each B before it P(A, B | condition), ``(conditions, M_A, M_B)``.

    One pass of messages with A in each of its states tells P(B | A) of all B, so there are as many
    passes as variables, not as pairs. With every variable observed, the graph of all passes is one.
    """
    form, theta = as_normal(run.graph), run.best_theta
    blank = {name: np.full(evidence.n, -1, dtype=np.intp) for name in names}
    alone = _beliefs(form, theta, Evidence(evidence.n, {**blank, **evidence.codes}), names)
    for i, a in enumerate(names):
        given, state = np.nonzero(alone[a] > 0)
        rows = {name: np.full(len(given), -1, dtype=np.intp) for name in names}
        rows |= {name: codes[given] for name, codes in evidence.codes.items()}
        after = _beliefs(form, theta, Evidence(len(given), {**rows, a: state}), names[:i])
        joints = []
        for b in names[:i]:
            joint = np.zeros((*alone[a].shape, after[b].shape[1]))
            joint[given, state] = after[b]
            joints.append(joint * alone[a][..., None])
        yield a, joints


def _beliefs(
    form: NormalGraph, theta: Mapping[str, Array], rows: Evidence, names: Sequence[str]
) -> dict[str, Array]:
    """P(variable | row), ``(N, M)``, of several variables from one pass of messages."""
    clamped = clamp(form, rows)
    ports = {name: clamped.graph.branch(name).name for name in names}
    clamped = clamped.wanting(
        (port, forward) for port in ports.values() for forward in (True, False)
    )
    pieces: dict[str, list[Array]] = {name: [] for name in names}
    for chunk in propagate_chunks(clamped, theta):
        n = chunk.cut.stop - chunk.cut.start
        for name, port in ports.items():
            p = belief(chunk, port)
            pieces[name].append(np.broadcast_to(p, (len(p), n)).T)
    return {name: np.concatenate(parts) for name, parts in pieces.items()}


def _counted(run: Run, weights: Array, a: str, b: str, both: Mask, shape: tuple[int, ...]) -> Array:
    """The counts ``(M_A, M_B)`` of a pair in the samples ``both``."""
    x, y = run.rows.codes[a], run.rows.codes[b]
    cells = np.bincount(x[both] * shape[1] + y[both], weights[both], shape[0] * shape[1])
    return cells.astype(float).reshape(shape)


def _per_degree(seen: Array, model: Array) -> float:
    """Pearson's chi-square divided by (A - 1)(B - 1)."""
    live = model > 0
    chi = ((seen - model)[live] ** 2 / model[live]).sum()
    degrees = (seen.shape[0] - 1) * (seen.shape[1] - 1)
    return float(chi / degrees) if degrees else float("nan")
