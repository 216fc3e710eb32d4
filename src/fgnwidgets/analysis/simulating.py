"""Tables that are drawn from a run's matrices, with the blanks and the given values of its own.

Vocabulary
    condition   the values of the given variables in a row, which are kept as they are
    kind        a condition with a pattern of blanks; as many rows of each are drawn as there were
"""

from __future__ import annotations

from itertools import compress

import numpy as np

from ..algebra.arrays import Array, Index
from ..data.evidence import Evidence
from ..graphs.normal_graph import as_normal
from ..inference.decoding import sample
from ..inference.evidence import read_evidence
from ..learning.run import Run
from .weights import as_counts


def simulated(run: Run, count: int, rng: np.random.Generator) -> tuple[Evidence, Array]:
    """The different rows of ``count`` tables, and their weights in each table, ``(count, N)``.

    Each has as many rows as the run has samples; if its weights are those of a survey, as many as
    the run's table had rows. Raises ``ValueError`` if the table has soft evidence.
    """
    if run.rows.vectors:
        raise ValueError("the table has soft evidence, which cannot be drawn anew")
    names = list(run.rows.codes)
    given = [name in as_normal(run.graph).given for name in names]
    seen = np.stack([run.rows.codes[name] for name in names], axis=-1)
    kept = np.where(given, seen, np.where(seen < 0, -1, 0))  # given values and blanks; 0 is drawn
    kinds, kind = np.unique(kept, axis=0, return_inverse=True)
    weight = as_counts(run)
    sizes = _whole(np.bincount(kind.ravel(), weight, len(kinds)).astype(float))
    of_sample = np.repeat(kinds, sizes, axis=0)
    said, condition = np.unique(of_sample[:, given], axis=0, return_inverse=True)
    tables, tallies = [], []
    for _ in range(count):
        codes = np.empty_like(of_sample)
        for k, size in enumerate(np.bincount(condition.ravel()).tolist()):
            one = dict(zip(compress(names, given), said[k, :, None], strict=True))
            table = sample(run.graph, run.best_theta, size, rng, given=Evidence(1, one))
            evidence = read_evidence(run.graph, {name: table[name] for name in names})
            drawn = np.stack([evidence.codes[name] for name in names], axis=-1)
            codes[condition.ravel() == k] = drawn
        codes[of_sample < 0] = -1
        rows, tally = np.unique(codes, axis=0, return_counts=True)
        tables.append(rows)
        tallies.append(tally)
    every, at = np.unique(np.concatenate(tables), axis=0, return_inverse=True)
    weights = np.zeros((count, len(every)))
    owner = np.repeat(np.arange(count), [len(rows) for rows in tables])
    weights[owner, at.ravel()] = np.concatenate(tallies)
    return Evidence(len(every), dict(zip(names, every.T.copy(), strict=True))), weights


def _whole(sizes: Array) -> Index:
    """Sizes rounded so that their sum is rounded too."""
    ends = np.round(np.cumsum(sizes)).astype(np.intp)
    return np.diff(ends, prepend=0)
