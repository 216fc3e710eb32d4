"""Learning a whole graph, epoch by epoch, from evidence on some of its variables (section 7).

Vocabulary
    epoch      an E-step (exact messages at the current matrices), then an M-step (every matrix once
               from its own messages): ``n_epochs`` updates, ``n_epochs + 1`` likelihoods
    Nit        ``n_it``: steps of ML and KL inside one epoch
    restart    another random start; all of them run together on a leading batch axis
    mask       ``weight``, L[n]: zero leaves a sample out of training; ``test_weight`` picks the
               samples of the test likelihoods
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, normalize, row_normalize
from .bayes import BayesGraph, as_normal
from .em import Epoch, Learner, Task
from .evidence import Evidence, fold, read_evidence
from .graph import NormalGraph
from .matrices import read_some
from .rules import DELTA, configure, read_weight
from .setting import opened, prepare, started
from .steps import ITERATIVE, Step
from .tables import Table

Alpha = float | Mapping[str, ArrayLike]
OwnMessages = Mapping[str, tuple[ArrayLike, ArrayLike]]


def epochs(
    graph: BayesGraph | NormalGraph,
    table: Table | Evidence,
    rule: str = "ml",
    *,
    n_epochs: int = 100,
    n_it: int = 1,
    restarts: int = 1,
    seed: int | np.random.SeedSequence = 0,
    start: str | OwnMessages = "matrices",
    theta: Mapping[str, ArrayLike] | None = None,
    weight: ArrayLike | None = None,
    test_weight: ArrayLike | None = None,
    alpha: Alpha = 0.0,
    delta: float = DELTA,
) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs`` of learning, one at a time, as they are computed.

    ``rule``         "ml", "kl", "vit" or "var" for every matrix that is to be learned
    ``start``        "matrices": random rows; "messages": the paper's start, all messages uniform
                     random and matrices uniform, the first M-step before any propagation; or own
                     messages, ``{block: (f, b)}`` of shapes ``(..., M_X, N)`` and ``(..., M_Y, N)``
    ``theta``        matrices to start from, with or without a restarts axis; fixed ones belong here
    ``seed``         each restart draws from a child generator of its own
    ``weight``       the learning mask, any numbers >= 0; equal rows are folded into one
    ``alpha``        pseudo-counts for ML and VAR, a number or ``{matrix: (M_X, M_Y)}``
    ``delta``        the constant of VIT and VAR

    ML with ``n_it=1`` is exact EM: ``loglik`` never falls. Raises :class:`ImpossibleEvidence` where
    a sample has probability zero under the first matrices of every restart.
    """
    # Everything is checked here, not at the first ``next``: errors come where the mistake is.
    task = pose(
        graph,
        table,
        rule,
        n_it=n_it,
        restarts=restarts,
        seed=seed,
        start=start,
        theta=theta,
        weight=weight,
        test_weight=test_weight,
        alpha=alpha,
        delta=delta,
    )
    return task.epochs(n_epochs, aggregate=True)


def pose(
    graph: BayesGraph | NormalGraph,
    table: Table | Evidence,
    rule: str,
    *,
    n_it: int,
    restarts: int,
    seed: int | np.random.SeedSequence,
    start: str | OwnMessages,
    theta: Mapping[str, ArrayLike] | None,
    weight: ArrayLike | None,
    test_weight: ArrayLike | None,
    alpha: Alpha,
    delta: float,
) -> Task:
    """Check the arguments of :func:`epochs`, fold the rows, and draw the starts."""
    form = as_normal(graph)
    evidence = _read_data(form, table)
    form = opened(form, evidence)
    weights = read_weight(weight, evidence.n)
    test = read_weight(test_weight, evidence.n, "test_weight")
    for name, value in {"n_it": n_it, "restarts": restarts}.items():
        if value < 1:
            raise ValueError(f"{name} is {value}: expected at least 1")
    steps = {name: _configured(form, rule, alpha, delta, name) for name in form.learnable}
    if isinstance(alpha, Mapping) and (unknown := [name for name in alpha if name not in steps]):
        raise ValueError(
            f"alpha[{unknown[0]!r}] is no learned matrix: these are {', '.join(steps)}"
        )
    learner = Learner(form, steps, n_it if rule in ITERATIVE else 1)
    seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    rngs = [np.random.default_rng(child) for child in seeds.spawn(restarts)]
    first = _first_theta(form, theta or {}, rngs, random=start == "matrices")
    second = None
    if start != "matrices":
        counts = np.ones(evidence.n) if weights is None else weights
        second = _from_messages(learner, first, evidence, counts, start, rngs)
    if test is not None and weights is None:
        weights = np.ones(evidence.n)
    folded, sums = fold(evidence, [weights] if test is None else [weights, test])
    setting = prepare(form, folded)
    tested = None if test is None else sums[1]
    return Task(learner, setting, first, second, sums[0], tested, evidence, weights)


def _read_data(form: NormalGraph, table: Table | Evidence) -> Evidence:
    evidence = read_evidence(form, table)
    if not evidence.variables:
        raise ValueError("the table has no columns: there is nothing to learn from")
    for name, vectors in evidence.vectors.items():
        if vectors.ndim > 2:
            raise ValueError(
                f"{name}: vectors have shape {vectors.shape}, expected (M, N) to learn from"
            )
    return evidence


def _configured(
    form: NormalGraph, rule: str, alpha: Alpha, delta: float, name: str
) -> tuple[Step, float | Array]:
    own = alpha.get(name, 0.0) if isinstance(alpha, Mapping) else alpha
    return configure(rule, own, delta, form.matrices[name])


def _first_theta(
    form: NormalGraph,
    given: Mapping[str, ArrayLike],
    rngs: list[np.random.Generator],
    *,
    random: bool,
) -> dict[str, Array]:
    known = read_some(form, given)
    theta: dict[str, Array] = {}
    sizes = [rows * size for rows, size in form.matrices.values()]
    # A child draws for every matrix, so what is given moves no other number.
    drawn = np.stack([rng.random(sum(sizes)) for rng in rngs]) if random else None
    ends = np.cumsum(sizes)
    for k, (name, shape) in enumerate(form.matrices.items()):
        full = (len(rngs), *shape)
        if name in known:
            if known[name].ndim > 3 or known[name].shape[:-2] not in ((), (1,), (len(rngs),)):
                raise ValueError(
                    f"theta[{name!r}] has shape {known[name].shape}: expected {shape}, or "
                    f"{full} with a "
                    "matrix for each restart"
                )
            theta[name] = np.broadcast_to(known[name], full)
        elif name not in form.learnable:
            raise ValueError(f"theta[{name!r}] is fixed (learn=False): give its matrix in theta=")
        else:
            theta[name] = np.full(full, 1 / shape[1])
            if drawn is not None:
                theta[name] = row_normalize(drawn[:, ends[k] - sizes[k] : ends[k]].reshape(full))
    return theta


def _from_messages(
    learner: Learner,
    theta: dict[str, Array],
    evidence: Evidence,
    weight: Array,
    start: str | OwnMessages,
    rngs: list[np.random.Generator],
) -> dict[str, Array]:
    """The matrices after the first M-step from initial messages, restart by restart."""
    setting = prepare(learner.graph, evidence)
    if not isinstance(start, Mapping):
        if start != "messages":
            raise ValueError(
                f"start is {start!r}: expected 'matrices', 'messages' or {{block: (f, b)}}"
            )
        each = []
        for r, rng in enumerate(rngs):
            own = {name: matrix[r : r + 1] for name, matrix in theta.items()}
            each.append(learner.update(own, setting.reach(started(setting, rng)), weight))
        return {name: np.concatenate([new[name] for new in each]) for name in theta}
    pairs = {}
    for node in (node for users in learner.graph.learnable.values() for node in users):
        if node.name not in start:
            raise ValueError(
                f"start has no messages for {node.name!r}: expected {{block: (f, b)}} for all"
            )
        f, b = start[node.name]
        shapes = (node.shape[0], evidence.n), (node.shape[1], evidence.n)
        pairs[node.name] = (
            _read_messages(node.name, f, shapes[0]),
            _read_messages(node.name, b, shapes[1]),
        )
    return learner.update(theta, pairs.__getitem__, weight)


def _read_messages(name: str, messages: ArrayLike, shape: tuple[int, int]) -> Array:
    v = normalize(messages)
    if v.shape[-2:] != shape:
        raise ValueError(
            f"start[{name!r}]: messages of shape {v.shape}, expected (..., {shape[0]}, {shape[1]})"
        )
    return v
