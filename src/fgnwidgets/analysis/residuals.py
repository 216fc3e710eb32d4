"""Bivariate residuals: between which pairs of variables a model misses some dependence.

Vocabulary
    pair       two observed variables, in the samples in which both were observed
    residual   Pearson's chi-square between the counts of a pair and those that the model expects,
               divided by (A - 1)(B - 1): about 1 or less if the model is right
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..border.queries import posterior
from ..border.run import Run, read_run
from ..engine.arrays import Array
from ..engine.messages import Evidence
from ..readers import read_count
from .families import conditions
from .report import Report


@dataclass(frozen=True, eq=False, repr=False)
class Residuals(Report):
    """``values`` ``(V, V)`` in the order of ``names``; NaN on the diagonal and for given pairs.

    ``observed`` and ``expected`` are counts ``(M_A, M_B)``, by the names ``(A, B)`` of a pair.
    """

    names: tuple[str, ...]
    values: Array
    observed: Mapping[tuple[str, str], Array]
    expected: Mapping[tuple[str, str], Array]

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


def residuals(run: Run) -> Residuals:
    """The residuals of all pairs of a run's observed variables, at its best matrices.

    Expected counts are P(A, B | given variables) summed over the samples in which both were
    observed; this assumes that whether a cell is blank does not depend on its value. Variables with
    soft evidence are left out. Two given variables have no residual, because the model does not
    describe them.

    Raises ``ValueError`` with fewer than two observed variables.
    """
    names = tuple(read_run(run).rows.codes)
    if len(names) < 2:
        raise ValueError(
            f"the run observed {len(names)} variables with hard evidence: expected two"
        )
    theta = run.best_theta
    known, condition = conditions(run)
    alone = {name: posterior(run.graph, theta, known, name) for name in names}
    values = np.full((len(names), len(names)), np.nan)
    observed, expected = {}, {}
    for i, a in enumerate(names):
        given, state = np.nonzero(alone[a] > 0)
        said = {name: codes[given] for name, codes in known.codes.items()}
        rows = Evidence(len(given), {**said, a: state})
        for j, b in enumerate(names[:i]):
            if a in known.codes and b in known.codes:
                continue
            joint = np.zeros((*alone[a].shape, alone[b].shape[1]))
            joint[given, state] = posterior(run.graph, theta, rows, b)
            joint *= alone[a][..., None]
            both = (run.rows.codes[a] >= 0) & (run.rows.codes[b] >= 0)
            seen = _counted(run, a, b, both, joint.shape[1:])
            weight = np.bincount(condition[both], run.weight[both], known.n)
            model = np.einsum("k,kab->ab", weight, joint)
            observed[b, a], expected[b, a] = seen.T, model.T
            values[i, j] = values[j, i] = _per_degree(seen, model)
    return Residuals(names, values, observed, expected)


def _counted(run: Run, a: str, b: str, both: NDArray[np.bool_], shape: tuple[int, ...]) -> Array:
    """The counts ``(M_A, M_B)`` of a pair in the samples ``both``."""
    x, y = run.rows.codes[a], run.rows.codes[b]
    cells = np.bincount(x[both] * shape[1] + y[both], run.weight[both], shape[0] * shape[1])
    return cells.astype(float).reshape(shape)


def _per_degree(seen: Array, model: Array) -> float:
    """Pearson's chi-square divided by (A - 1)(B - 1)."""
    live = model > 0
    chi = ((seen - model)[live] ** 2 / model[live]).sum()
    degrees = (seen.shape[0] - 1) * (seen.shape[1] - 1)
    return float(chi / degrees) if degrees else float("nan")
