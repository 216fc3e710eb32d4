"""A learning problem from what a user gives, and its epochs within the memory (section 7).

Vocabulary
    epoch   an E-step (exact messages at the current matrices), then an M-step (every matrix once
            from its own messages): ``n_epochs`` updates, ``n_epochs + 1`` likelihoods
    slice   restarts whose messages fit the workspace; all slices go on together
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array, Arrays
from ..engine.graph import Graph, NormalGraph, as_normal
from ..engine.learning import Epoch, Lane, MStep, Problem, learn, visit
from ..engine.messages import Evidence
from ..engine.propagate import clamp, flows, opened, pieces, refuse_impossible
from ..engine.rules import RULES, Rule, Update
from ..readers import read_seeds, read_weight
from ..tables import Table
from .chains import clamp_with_shortcut
from .configure import configure
from .folding import fold
from .options import Options, Rules, check_start, each_restart, read_data
from .starts import OwnMessages, first_theta, random_start, read_hold, read_messages
from .theta import by_states, memory

WORKSPACE = 256_000_000
"""Bytes of messages that one batch of restarts may hold; more restarts run in slices."""


@dataclass(frozen=True, eq=False)
class Posed(Problem):
    """A problem with the table that it comes from: ``unfolded``, and ``mask``, its weights."""

    unfolded: Evidence
    mask: Array | None

    def part(self, restarts: slice | Sequence[int]) -> Posed:
        """The problem of some of the restarts."""
        which = np.arange(self.restarts)[restarts]

        def own(v: Any) -> Any:
            if isinstance(v, Mapping):
                return {name: matrices[which] for name, matrices in v.items()}
            return v[which] if v is not None and v.ndim == 2 else v

        lanes = tuple(self.lanes[r] for r in which)
        changed = {
            name: own(getattr(self, name)) for name in ("weight", "test", "first", "second", "mask")
        }
        return replace(self, lanes=lanes, **changed)

    def parts(self) -> list[Posed]:
        """The restarts in slices; mostly one."""
        size = max(1, int(WORKSPACE // self.bytes_of_a_restart))
        if size >= self.restarts:
            return [self]
        return [self.part(slice(at, at + size)) for at in range(0, self.restarts, size)]

    @property
    def bytes_of_a_restart(self) -> int:
        """What one restart holds at a time: the messages of a chunk, and for Nit > 1 of all."""
        graph, n = self.clamped.graph, self.clamped.evidence.n
        columns: int = pieces(n, self.restarts)[0].stop
        size = 16 * columns * sum(branch.size for branch in graph.branches.values())
        if any(lane.n_it > 1 for lane in self.lanes):
            size += 8 * n * sum(sum(node.shape) for node in self.blocks)
        return size

    def epochs(self, n_epochs: int, *, aggregate: bool = True) -> Iterator[Epoch]:
        """Yield epoch 0 to ``n_epochs``; see :func:`learn`.

        Raises :class:`ImpossibleEvidence` where the first matrices of every restart give a sample
        probability zero, by its number in the table, not among the folded rows.
        """
        runs = [learn(part, n_epochs, aggregate=aggregate) for part in self.parts()]
        states = runs[0] if len(runs) == 1 else map(_joined, zip(*runs, strict=True))
        return chain(map(self._possible, islice(states, 1)), states)

    def expected_counts(self, theta: Arrays) -> dict[str, Array]:
        """``sum_n L[n] P(X, Y | evidence)`` at every learned matrix, ``(restarts, M_X, M_Y)``.

        They are what one step of ML counts (section 3.1), whatever rule has learned the matrices.
        """
        ml = Lane(dict.fromkeys(self.clamped.graph.learnable, Update(RULES["ml"], {}, None)), 1)
        counts: dict[str, list[Array]] = {name: [] for name in ml.updates}
        at = 0
        for part in self.parts():
            share = slice(at, at + part.restarts) if part.restarts > 1 else at
            at += part.restarts
            step = MStep(None, ml, {}, {name: matrix[share] for name, matrix in theta.items()})
            visit(part, step.theta, [step], aggregate=False)
            for name, own in step.counts.items():
                counts[name].append(own if own.ndim == 3 else own[None])
        return {name: np.concatenate(pieces) for name, pieces in counts.items()}

    def after_messages(
        self, start: str | OwnMessages, rngs: Iterable[np.random.Generator]
    ) -> dict[str, Array]:
        """The matrices after the first M-step from initial messages, restart by restart."""
        graph, n = self.clamped.graph, self.clamped.evidence.n
        if isinstance(start, Mapping):
            return self._after(*read_messages(graph, start, n))
        each = [
            self.part([r])._after(*random_start(self.clamped, rng)) for r, rng in enumerate(rngs)
        ]
        return {name: np.concatenate([new[name] for new in each]) for name in self.first}

    def _after(self, f: Arrays, b: Arrays) -> dict[str, Array]:
        """The matrices after one M-step from these messages."""
        steps = self.m_steps(self.first)
        for step in steps:
            step.see(self.incoming(f, b, slice(0, self.clamped.evidence.n)))
        return self.learned(self.first, steps)

    def stuck(self, name: str) -> NDArray[np.bool_]:
        """Zeros at the start of every restart that never leave, ``(restarts, M_X, M_Y)``.

        ML and KL multiply what is there, and only pseudo-counts add something.
        """
        zero: NDArray[np.bool_] = self.first[name] == 0
        if not zero.any():
            return zero
        for zeros, update in zip(zero, (lane.updates[name] for lane in self.lanes), strict=True):
            prior = 0.0 if update.prior is None else update.prior
            zeros &= update.rule.iterates and np.equal(prior, 0)
        return zero

    def _possible(self, first: Epoch) -> Epoch:
        if first.dropped.all():
            theta = {name: m[0] if self.restarts == 1 else m for name, m in first.theta.items()}
            whole = clamp(self.clamped.graph, self.unfolded)
            loglik = np.concatenate([found.loglik for found in flows(whole, theta)], axis=-1)
            if self.mask is not None:
                loglik = np.where(self.mask > 0, loglik, 0.0)
            refuse_impossible(loglik, self.unfolded, self.clamped.graph)
        return first


def _joined(states: Sequence[Epoch]) -> Epoch:
    """The epoch of all restarts, from those of the slices."""
    theta = {name: np.concatenate([s.theta[name] for s in states]) for name in states[0].theta}
    columns = zip(*(s[2:] for s in states), strict=True)
    rest = [None if column[0] is None else np.concatenate(column) for column in columns]
    return Epoch._make((states[0].n, theta, *rest))


def pose(
    graph: Graph, table: Table | Evidence, rule: Rules, options: Options, *, restarts: int
) -> Posed:
    """Check the arguments of ``epochs``, fold the rows, and draw the starts."""
    form = as_normal(graph)
    evidence, given = read_data(form, table, options)
    form = opened(form, evidence)
    rules, n_its = each_restart(rule, options, restarts)
    weight = read_weight(given, evidence.n, "weight", len(rules))
    test = read_weight(options.test_weight, evidence.n, "test_weight", len(rules))
    lanes = _lanes(form, rules, n_its, options.constants)
    check_start(form, rules, options.start)
    rngs = [np.random.default_rng(s) for s in read_seeds(options.seed, len(rules))]
    whole = Posed(
        clamped=clamp_with_shortcut(form, evidence),
        weight=np.ones(evidence.n) if weight is None else weight,
        test=test,
        lanes=lanes,
        first={},
        second=None,
        unfolded=evidence,
        mask=weight,
        hold=read_hold(form, options.hold),
    )
    _refuse_too_large(whole)  # before numbers are drawn
    first = first_theta(form, options.theta, rngs, random=options.start == "matrices")
    whole = replace(whole, first=first)
    if options.start != "matrices":
        whole = replace(whole, second=whole.after_messages(options.start, rngs))
    folded, sums = fold(evidence, [weight] if test is None else [weight, test])
    own_test = None if test is None else sums[1]
    return replace(whole, clamped=clamp_with_shortcut(form, folded), weight=sums[0], test=own_test)


def _lanes(
    form: NormalGraph, rules: Sequence[Rule], n_its: Sequence[int], given: Mapping[str, Any]
) -> tuple[Lane, ...]:
    taken = {name for rule in rules for name in rule.takes}
    for name, value in given.items():
        if isinstance(value, Mapping) and not value:
            raise ValueError(f"{name} is empty: expected a number, or a mapping from matrices")
        if isinstance(value, Mapping) and (odd := [k for k in value if k not in form.learnable]):
            raise ValueError(
                f"{name}[{odd[0]!r}] is no learned matrix: these are {', '.join(form.learnable)}"
            )
        if isinstance(value, Mapping):
            own = {matrix: by_states(form, matrix, v, name) for matrix, v in value.items()}
            given = {**given, name: own}
    made: dict[tuple[Rule, int], Lane] = {}
    for rule, n_it in zip(rules, n_its, strict=True):
        if (rule, n_it) not in made:
            takes = (*rule.constants, *rule.pseudo_counts)
            # Of several rules, each gets the constants that it takes; one that no rule takes, all.
            own = {k: v for k, v in given.items() if k in takes or k not in taken}
            updates = {
                name: configure(rule, own, shape, name)
                for name, shape in form.matrices.items()
                if name in form.learnable
            }
            if not updates:
                configure(rule, own, (1, 1))
            made[rule, n_it] = Lane(updates, n_it if rule.iterates else 1)
    return tuple(made[rule, n_it] for rule, n_it in zip(rules, n_its, strict=True))


def _refuse_too_large(problem: Posed) -> None:
    """Say how much a request would need where that is more than the machine has."""
    cells = sum(rows * size for rows, size in problem.clamped.graph.matrices.values())
    matrices = 8 * 3 * cells * problem.restarts
    needed = matrices + problem.bytes_of_a_restart
    if needed > memory():
        raise MemoryError(
            f"learning would need about {needed / 1e9:.3g} GB, the machine has "
            f"{memory() / 1e9:.3g} GB: {problem.restarts} restarts of {cells:,} numbers take "
            f"{matrices / 1e9:.3g} GB, and the messages of a restart the rest; take fewer "
            "restarts, n_it=1, or smaller product spaces"
        )
