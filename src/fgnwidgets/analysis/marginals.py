"""Evidence under which a variable has a given distribution, by Jeffrey's rule.

Vocabulary
    likelihood    the vector in a cell of a table, which multiplies the distribution of a variable
    marginal      the distribution of a variable given all evidence; here it is prescribed
    Jeffrey       his rule: P'(y) = sum_x q(x) P(y | x), where q is the prescribed distribution of x
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array
from ..arguments import read_array, read_matrix, shown
from ..data import Table
from ..data.evidence import Evidence
from ..graphs.normal_graph import Graph, NormalGraph, as_normal
from ..graphs.theta import Theta, read_theta
from ..inference.evidence import read_evidence
from ..inference.queries import posterior

CLOSE = 1e-10
"""The largest allowed difference between a probability and its prescribed value."""

ROUNDS = 1000
"""Rounds over all variables, after which the marginals are taken to be contradictory."""


def fix_marginals(
    graph: Graph,
    theta: Theta,
    marginals: Mapping[str, ArrayLike],
    evidence: Table | Evidence = None,
) -> Evidence:
    """Add evidence to ``evidence`` under which variables have the given distributions.

    A cell ``[.2, .8]`` of a table is a likelihood, which multiplies P(X).
    ``fix_marginals(graph, theta, {"X": [.2, .8]})`` returns evidence under which P(X) = (.2, .8),
    whatever the model says. For one variable with distribution q the likelihood is
    ``q / P(X | evidence)``, by Jeffrey's rule. Several are scaled in turn until all have their
    distributions (iterative proportional fitting); the result has the smallest divergence from the
    model.

    ``marginals[name]`` is a distribution ``(M,)``, or one for each sample, ``(N, M)``. Raises
    ``ValueError`` if a state has a positive probability but the model rules it out, and if the
    model allows no distribution with all of these marginals.
    """
    form = as_normal(graph)
    matrices = read_theta(form, theta)
    samples = read_evidence(form, evidence)
    wanted = _read_marginals(form, marginals, samples, alone=evidence is None)
    n = max([samples.n, *(q.shape[-1] for q in wanted.values())])
    vectors = {name: np.ones((len(q), n)) for name, q in wanted.items()}
    for turn in range(ROUNDS):
        off = 0.0
        for name, q in wanted.items():
            now = Evidence(n, samples.codes, {**samples.vectors, **vectors})
            p = posterior(form, matrices, now, name).swapaxes(-1, -2)
            off = max(off, float(np.abs(p - q).max()))
            if turn == 0:
                _refuse_ruled_out(form, name, p, q)
            scaled = vectors[name] * np.divide(q, p, out=np.ones(p.shape), where=p > 0)
            vectors[name] = scaled / scaled.max(axis=-2, keepdims=True)
        if off <= CLOSE:
            return Evidence(n, samples.codes, {**samples.vectors, **vectors})
    raise ValueError(
        f"marginals of {', '.join(wanted)} are not reached after {ROUNDS} rounds, still off by "
        f"{off:.2g}: no distribution that the model allows has all of them; fix fewer variables"
    )


def _read_marginals(
    form: NormalGraph, given: Mapping[str, ArrayLike], samples: Evidence, *, alone: bool
) -> dict[str, Array]:
    """The prescribed distributions by variable, ``(M, 1)`` or ``(M, N)``."""
    if not isinstance(given, Mapping) or not given:
        raise ValueError(
            f"marginals is {shown(given)}: expected a mapping from variables to distributions, "
            "such as {'X': [.2, .8]}"
        )
    marginals: dict[str, Array] = {}
    rows = 1
    for name, values in given.items():
        branch = form.branch(name)
        variable = form.variable_of[branch.name]
        if variable in samples.variables or variable in form.given:
            raise ValueError(
                f"marginals[{name!r}] beside evidence on {variable!r}: expected one of the two, so "
                "leave it out of the evidence"
            )
        what = f"marginals[{name!r}]"
        q = np.atleast_2d(read_array(values, what))
        allowed = {1, len(q)} if alone and rows == 1 else {1, max(rows, samples.n)}
        if q.ndim != 2 or len(q) not in allowed:
            raise ValueError(
                f"{what} has shape {np.shape(values)}: expected ({branch.size},), or "
                f"({max(allowed)}, {branch.size}) with a distribution for each sample"
            )
        rows = max(rows, len(q))
        marginals[variable] = read_matrix(q, what, (len(q), branch.size)).T
    return marginals


def _refuse_ruled_out(form: NormalGraph, name: str, p: Array, q: Array) -> None:
    """Raise if ``q`` gives a probability to a state that has none in ``p``."""
    impossible = np.argwhere((p <= 0) & (np.broadcast_to(q, p.shape) > 0))
    if len(impossible):
        state, sample = impossible[0][-2:]
        raise ValueError(
            f"marginals[{name!r}]: sample {sample} gives {form.states(name)[state]!r} the "
            f"probability {np.broadcast_to(q, p.shape)[..., state, sample].max():.4g}, which the "
            "model, the evidence and the other marginals rule out"
        )
