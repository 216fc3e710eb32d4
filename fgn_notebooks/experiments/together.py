"""Several learners of one graph, epoch by epoch in one batch (section 7).

Vocabulary
    lane      a rule with its Nit; every lane sees the same data from the same start
    seed      another start, and another table where there are several; ``(lanes, seeds)`` are the
              batch axes of every result

Each lane by itself is ``fit(graph, table, rule, n_it=..., restarts=..., seed=...)``: all that is
gained here is speed, as the messages of all lanes are propagated in one go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fgnwidgets import (
    BayesGraph,
    Evidence,
    NormalGraph,
    random_theta,
    read_evidence,
    uniform_theta,
)
from fgnwidgets.engine.bayes import as_normal
from fgnwidgets.engine.evidence import fold
from fgnwidgets.engine.likelihood import local_sum
from fgnwidgets.engine.propagate import run
from fgnwidgets.engine.rules import DELTA, configure
from fgnwidgets.engine.setting import Setting, opened, prepare, started
from fgnwidgets.engine.steps import ITERATIVE

Graph = BayesGraph | NormalGraph
Table = Mapping[str, np.ndarray]
Theta = Mapping[str, np.ndarray]
Share = int | slice
"""A lane's part of the batch axis."""

MStep = Callable[[Theta, Setting, list[np.ndarray], np.ndarray], dict[str, np.ndarray]]


class Lane(NamedTuple):
    """A rule, and how many steps ML and KL take in an epoch."""

    rule: str
    n_it: int = 1


@dataclass(frozen=True, eq=False)
class State:
    """All lanes after ``n`` updates: ``(lanes, seeds)`` and ``(lanes, seeds, M_X, M_Y)``.

    The likelihoods are totals over the rows; the test ones are None without a test mask.
    """

    n: int
    theta: Mapping[str, np.ndarray]
    aggregated: np.ndarray
    loglik: np.ndarray
    test_aggregated: np.ndarray | None
    test_loglik: np.ndarray | None


def generators(seed: int, restarts: int) -> list[np.random.Generator]:
    """The generators of ``fit(..., seed=seed, restarts=restarts)``."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(restarts)]


def learn(
    graph: Graph,
    tables: Sequence[Table],
    lanes: Sequence[Lane],
    rngs: Sequence[np.random.Generator],
    *,
    n_epochs: int,
    start: str = "messages",
    train: np.ndarray | None = None,
    test: np.ndarray | None = None,
) -> Iterator[State]:
    """Yield epochs 0 to ``n_epochs`` of every lane and seed.

    ``tables`` holds one table for all seeds, or one complete table for each; ``rngs`` has a
    generator for each seed. ``train`` and ``test`` are masks over the rows of a table. ``start`` is
    "messages" (the paper's) or "matrices", as in ``fit``.
    """
    form = as_normal(graph)
    if fixed := [name for name in form.matrices if name not in form.learnable]:
        raise ValueError(f"{fixed[0]!r} is fixed (learn=False): lanes learn every matrix; use fit")
    evidence = [read_evidence(form, table) for table in tables]
    form = opened(form, evidence[0])  # split where evidence stands inside
    if len(evidence) not in (1, len(rngs)):
        raise ValueError(f"{len(evidence)} tables for {len(rngs)} seeds: expected one, or one each")
    rows, weights = _fold(evidence, train, test)
    shape = (len(lanes), len(rngs))
    step = _m_step(form, lanes, len(rngs))
    first, second = _starts(form, step, evidence, lanes, rngs, start, train)
    setting = prepare(form, rows)
    masks = [v[0] if len(v) == 1 else np.tile(v, (len(lanes), 1)) for v in weights]
    weight = masks[0] if masks[0].ndim == 1 else masks[0][:, None]

    def states() -> Iterator[State]:
        theta = first
        for n in range(n_epochs + 1):
            flow = run(setting, theta)
            if not flow.possible:
                flow.slots[:] = [np.nan_to_num(v) for v in flow.slots]  # rows of weight 0 only
            local = local_sum(setting, flow)
            totals = [_total(v, mask, shape) for mask in masks for v in (local, flow.loglik)]
            apart = {name: v.reshape(*shape, *v.shape[-2:]) for name, v in theta.items()}
            yield State(n, apart, *(totals if len(totals) == 4 else [*totals, None, None]))
            if n == 0 and second is not None:
                theta = second
            elif n < n_epochs:
                theta = step(theta, setting, flow.slots, weight)

    return states()


def _m_step(form: NormalGraph, lanes: Sequence[Lane], seeds: int) -> MStep:
    """Every matrix once, each lane by its own rule on its share of the batch axis."""
    # One seed goes without its batch axis: calls on small arrays cost less.
    shares: list[Share] = [
        k if seeds == 1 else slice(k * seeds, (k + 1) * seeds) for k in range(len(lanes))
    ]
    rules = {
        name: [
            (
                share,
                *configure(lane.rule, 0.0, DELTA, shape),
                lane.n_it if lane.rule in ITERATIVE else 1,
            )
            for share, lane in zip(shares, lanes, strict=True)
        ]
        for name, shape in form.matrices.items()
    }

    def update(
        theta: Theta, setting: Setting, slots: list[np.ndarray], weight: np.ndarray
    ) -> dict[str, np.ndarray]:
        new, reach = {}, setting.reach(slots)
        for name, users in form.learnable.items():
            pairs = [reach(node.name) for node in users]
            f, b = (_side_by_side(side, weight.shape[-1]) for side in zip(*pairs, strict=True))
            w = weight if len(users) == 1 else np.concatenate([weight] * len(users), axis=-1)
            new[name] = np.empty(theta[name].shape)
            for share, rule, constant, n_it in rules[name]:
                columns = ((_own(f, share), _own(b, share), _own(w, share)),)
                matrix = theta[name][share]
                for _ in range(n_it):
                    matrix = rule(matrix, columns, constant)
                new[name][share] = matrix
        return new

    return update


def _own(v: np.ndarray, share: Share) -> np.ndarray:
    """A lane's messages: what all lanes have in common has no batch axis."""
    return v[share] if v.ndim == 3 and len(v) > 1 else v


def _side_by_side(messages: Sequence[np.ndarray], n: int) -> np.ndarray:
    """The messages of tied blocks along the sample axis, a column for each of the ``n`` samples."""
    if len(messages) == 1 and messages[0].shape[-1] == n:
        return messages[0]
    batch = np.broadcast_shapes(*(v.shape[:-2] for v in messages))
    wide = [np.broadcast_to(v, (*batch, v.shape[-2], n)) for v in messages]
    return wide[0] if len(wide) == 1 else np.concatenate(wide, axis=-1)


def _fold(
    evidence: Sequence[Evidence], train: np.ndarray | None, test: np.ndarray | None
) -> tuple[Evidence, list[np.ndarray]]:
    """The different rows of all tables, and how often each table has them: ``(tables, rows)``."""
    one, n = evidence[0], evidence[0].n
    masks = [np.ones(n) if train is None else train, *([] if test is None else [test])]
    if len(evidence) == 1:
        folded, sums = fold(one, masks)
        return folded, [v[None] for v in sums]
    if any(e.n != n or e.vectors or set(e.codes) != set(one.codes) for e in evidence):
        raise ValueError("the tables differ in rows or columns, or hold soft evidence")
    codes = {name: np.concatenate([e.codes[name] for e in evidence]) for name in one.codes}
    sizes = tuple(int(v.max()) + 1 for v in codes.values())
    found, which = np.unique(
        np.ravel_multi_index(tuple(codes.values()), sizes), return_inverse=True
    )
    rows = Evidence(len(found), dict(zip(codes, np.unravel_index(found, sizes), strict=True)))
    cells = np.repeat(np.arange(len(evidence)), n) * len(found) + which.ravel()
    size = len(evidence) * len(found)
    counts = [np.bincount(cells, np.tile(mask, len(evidence)), size) for mask in masks]
    return rows, [v.reshape(len(evidence), len(found)).astype(np.float64) for v in counts]


def _starts(
    form: NormalGraph,
    step: MStep,
    evidence: Sequence[Evidence],
    lanes: Sequence[Lane],
    rngs: Sequence[np.random.Generator],
    start: str,
    train: np.ndarray | None,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray] | None]:
    """The first matrices ``(lanes * seeds, M_X, M_Y)``, and the second where messages start."""
    size = len(lanes) * len(rngs)
    if start == "matrices":
        drawn = [random_theta(form, rng) for rng in rngs]
        return {n: np.stack([d[n] for d in drawn] * len(lanes)) for n in form.matrices}, None
    if start != "messages":
        raise ValueError(f"start is {start!r}: expected 'messages' or 'matrices'")
    first = {n: np.broadcast_to(v, (size, *v.shape)) for n, v in uniform_theta(form).items()}
    settings = [prepare(form, e) for e in evidence]
    each = [settings[k % len(settings)] for k in range(len(rngs))]
    slots = [started(setting, rng) for setting, rng in zip(each, rngs, strict=True)]
    # A message on every branch for every lane and seed, before anything was propagated.
    batch = [np.stack(list(column) * len(lanes)) for column in zip(*slots, strict=True)]
    mask = np.ones(evidence[0].n) if train is None else train
    return first, step(first, settings[0], batch, mask)


def _total(per_sample: np.ndarray, weight: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    if np.minimum.reduce(per_sample, axis=None) == -np.inf:
        per_sample = np.where(weight > 0, per_sample, 0.0)
    total: np.ndarray = (per_sample * weight).sum(axis=-1)
    return np.broadcast_to(total, shape[0] * shape[1]).reshape(shape)
