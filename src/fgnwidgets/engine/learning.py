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
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, normalize, row_normalize
from .bayes import BayesGraph, as_normal
from .evidence import Evidence, fold, read_evidence
from .graph import NormalGraph
from .likelihood import local_sum, weighted
from .matrices import read_some
from .propagate import Flow, Setting, opened, prepare, refuse_impossible, run, started
from .rules import DELTA, ITERATIVE, Step, configure, in_chunks, read_weight
from .schedule import prune
from .tables import Table

Alpha = float | Mapping[str, ArrayLike]
OwnMessages = Mapping[str, tuple[ArrayLike, ArrayLike]]


class Epoch(NamedTuple):
    """The state after ``n`` updates: ``theta[name]`` is ``(restarts, M_X, M_Y)``.

    The likelihoods ``(restarts,)`` are those of these matrices, summed over the samples with their
    weights; the test ones are None without a ``test_weight``. ``dropped`` marks restarts that gave
    some sample probability zero: they stay as they were.
    """

    n: int
    theta: Mapping[str, Array]
    aggregated: Array
    loglik: Array
    test_aggregated: Array | None
    test_loglik: Array | None
    dropped: NDArray[np.bool_]


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


@dataclass(frozen=True)
class Learner:
    """What the M-step needs to know: the graph, a step and its constant per matrix, and Nit."""

    graph: NormalGraph
    steps: Mapping[str, tuple[Step, float | Array]]
    n_it: int

    def update(
        self, theta: Mapping[str, Array], setting: Setting, slots: list[Array], weight: Array
    ) -> dict[str, Array]:
        """Every matrix learned once, from the messages that reach its blocks."""
        new = dict(theta)
        for name, users in self.graph.learnable.items():
            pairs = [
                (setting.entering(node, slots), setting.leaving(node, slots)) for node in users
            ]
            new[name] = self._learned(name, theta[name], pairs, weight)
        return new

    def update_from(
        self,
        theta: Mapping[str, Array],
        messages: Mapping[str, tuple[Array, Array]],
        weight: Array,
    ) -> dict[str, Array]:
        """:meth:`update` from the pair ``(f, b)`` of each source and block."""
        learned = {
            name: self._learned(name, theta[name], [messages[node.name] for node in users], weight)
            for name, users in self.graph.learnable.items()
        }
        return {**theta, **learned}

    def _learned(
        self, name: str, before: Array, pairs: list[tuple[Array, Array]], weight: Array
    ) -> Array:
        f, b = pairs[0]
        if len(pairs) > 1:  # tied: side by side along the sample axis
            f, b = (_side_by_side([pair[k] for pair in pairs], len(weight)) for k in (0, 1))
            weight = np.tile(weight, len(pairs))
        step, extra = self.steps[name]
        matrix = before
        chunks = tuple(in_chunks(matrix, f, b, weight))  # views, the same for every step
        for _ in range(self.n_it):
            matrix = step(matrix, chunks, extra)
        if matrix.shape != before.shape:  # messages that do not differ between restarts
            matrix = np.broadcast_to(matrix, before.shape)
        return matrix


@dataclass(frozen=True)
class Task:
    """Learning that is ready to run: folded rows with their weights, and the starts.

    ``second`` holds the matrices after the first M-step where the start is given by messages.
    """

    learner: Learner
    setting: Setting
    first: dict[str, Array]
    second: dict[str, Array] | None
    weight: Array
    test: Array | None
    unfolded: Evidence
    mask: Array | None

    def epochs(self, n_epochs: int, *, aggregate: bool) -> Iterator[Epoch]:
        """Epoch 0 to ``n_epochs``; without ``aggregate`` that one is NaN and costs nothing."""
        if n_epochs < 0:
            raise ValueError(f"n_epochs is {n_epochs}: expected at least 0")
        return self._epochs(n_epochs, aggregate)

    def _epochs(self, n_epochs: int, aggregate: bool) -> Iterator[Epoch]:
        theta = self.first
        dropped = np.zeros(theta[next(iter(theta))].shape[0], dtype=bool)
        unknown = np.full(dropped.shape, np.nan)
        some = False
        setting = self._pruned(aggregate)
        alone = len(dropped) == 1  # one restart goes without the batch axis: calls cost less
        if alone:
            theta = _first_of(theta)
        for n in range(n_epochs + 1):
            flow = run(setting, theta)
            if np.minimum.reduce(flow.loglik, axis=None) == -np.inf:
                dropped, some = self._dropped(flow, dropped), True
                if n == 0 and dropped.all():
                    self._refuse(theta)
            aggregated, loglik = unknown, _total(flow.loglik, self.weight, dropped.shape)
            test_aggregated = test_loglik = None
            if aggregate:
                local = local_sum(setting, flow)
                aggregated = _total(local, self.weight, dropped.shape)
            if self.test is not None:
                test_aggregated = _total(local, self.test, dropped.shape) if aggregate else unknown
                test_loglik = _total(flow.loglik, self.test, dropped.shape)
            shown = {name: m[None] for name, m in theta.items()} if alone else theta
            yield Epoch(n, shown, aggregated, loglik, test_aggregated, test_loglik, dropped)
            if n == n_epochs:
                return
            if n == 0 and self.second is not None:
                theta = _first_of(self.second) if alone else self.second
                continue
            new = self.learner.update(theta, setting, flow.slots, self.weight)
            if some:
                keep = dropped[0] if alone else dropped[:, None, None]
                new = {name: np.where(keep, theta[name], new[name]) for name in new}
            theta = new

    def _pruned(self, aggregate: bool) -> Setting:
        """The setting with a plan of those messages alone that learning reads."""
        setting = self.setting
        carried = {slot for slot, _ in setting.carriers} if aggregate else set()
        read = carried | {slot ^ 1 for slot in carried}
        for node in (node for users in self.learner.graph.learnable.values() for node in users):
            read |= {2 * setting.at[b.name] for b in node.inputs}
            read |= {2 * setting.at[b.name] + 1 for b in node.outputs}
        return replace(setting, plan=prune(setting.plan, frozenset(read)))

    def _dropped(self, flow: Flow, before: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Restarts under which a training sample is impossible; its messages become silent."""
        impossible = (flow.loglik == -np.inf) & (self.weight > 0)
        dropped: NDArray[np.bool_] = before | impossible.any(axis=-1)
        flow.slots[:] = [np.nan_to_num(v) for v in flow.slots]
        return dropped

    def _refuse(self, theta: dict[str, Array]) -> None:
        """Name the first impossible sample as the table numbers it, not as it was folded."""
        loglik = run(prepare(self.learner.graph, self.unfolded), theta).loglik
        if self.mask is not None:
            loglik = np.where(self.mask > 0, loglik, 0.0)
        refuse_impossible(loglik, self.unfolded, self.learner.graph)


def _total(per_sample: Array, weight: Array, shape: tuple[int, ...]) -> Array:
    """A likelihood of every restart, summed over the samples."""
    total = weighted(per_sample, weight)
    return total if total.shape == shape else np.full(shape, total)


def _first_of(theta: Mapping[str, Array]) -> dict[str, Array]:
    return {name: matrix[0] for name, matrix in theta.items()}


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
            each.append(learner.update(own, setting, started(setting, rng), weight))
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
    return learner.update_from(theta, pairs, weight)


def _read_messages(name: str, messages: ArrayLike, shape: tuple[int, int]) -> Array:
    v = normalize(messages)
    if v.shape[-2:] != shape:
        raise ValueError(
            f"start[{name!r}]: messages of shape {v.shape}, expected (..., {shape[0]}, {shape[1]})"
        )
    return v


def _side_by_side(messages: list[Array], n: int) -> Array:
    batch = np.broadcast_shapes(*(v.shape[:-2] for v in messages))
    return np.concatenate([np.broadcast_to(v, (*batch, v.shape[-2], n)) for v in messages], axis=-1)
