"""A learning problem from what a user gives: everything is checked here, before anything runs.

Vocabulary
    epoch      an E-step (exact messages at the current matrices), then an M-step (every matrix once
               from its own messages): ``n_epochs`` updates, ``n_epochs + 1`` likelihoods
    Nit        ``n_it``: steps of ML and KL inside one epoch
    restart    another random start; all of them run together on a leading batch axis
    mask       ``weight``, L[n]: zero leaves a sample out of training; ``test_weight`` picks the
               samples of the test likelihoods
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..engine.graph import NormalGraph
from ..engine.learning import Epoch, Lane
from ..engine.messages import Evidence
from ..engine.propagate import opened
from ..engine.rules import RULES, Rule
from ..readers import Seed, read_count, read_seeds, read_weight, shown
from ..tables import Table, same_rows
from .bayes import Graph, as_normal
from .chains import clamp_with_shortcut
from .configure import configure, read_rule
from .evidence import read_counted
from .folding import fold
from .slices import Posed
from .starts import OwnMessages, first_theta, from_messages, read_hold
from .theta import by_states, memory

Rules = str | Rule | Sequence[str | Rule]
Pseudo = float | Mapping[str, ArrayLike]
SYNONYMS = {"max_iter": "n_epochs", "n_iter": "n_epochs", "n_init": "restarts",
            "random_state": "seed", "sample_weight": "weight", "verbose": "progress"}  # fmt: skip
"""What options are called elsewhere."""


@dataclass(frozen=True)
class Options:
    """The arguments of ``epochs`` and ``fit`` that say how to learn."""

    n_it: int | Sequence[int]
    restarts: int | None
    seed: Seed | Sequence[Seed]
    start: str | OwnMessages
    theta: Mapping[str, ArrayLike] | None
    weight: str | ArrayLike | None
    test_weight: ArrayLike | None
    hold: Mapping[str, ArrayLike] | None
    constants: Mapping[str, Any]
    columns: Iterable[str] | None = None


def epochs(
    graph: Graph,
    table: Table | Evidence,
    rule: Rules = "ml",
    *,
    n_epochs: int = 100,
    n_it: int | Sequence[int] = 1,
    restarts: int | None = None,
    seed: Seed | Sequence[Seed] = 0,
    start: str | OwnMessages = "matrices",
    theta: Mapping[str, ArrayLike] | None = None,
    columns: Iterable[str] | None = None,
    weight: str | ArrayLike | None = None,
    test_weight: ArrayLike | None = None,
    hold: Mapping[str, ArrayLike] | None = None,
    alpha: Pseudo | None = None,
    delta: float | None = None,
    **constants: Any,
) -> Iterator[Epoch]:
    """Yield epoch 0 to ``n_epochs`` of learning, one at a time, as they are computed (section 7).

    ``rule``         "ml", "kl", "vit", "var" or a :class:`Rule` for every matrix that is to be
                     learned; or a tuple of them, one for each restart. ``n_it`` may be one, too
    ``start``        "matrices": random rows; "messages": the paper's start, all messages uniform
                     random and matrices uniform, the first M-step before any propagation; or own
                     messages, ``{block: (f, b)}`` of shapes ``(..., M_X, N)`` and ``(..., M_Y, N)``
    ``theta``        matrices to start from, with or without a restarts axis; fixed ones belong here
    ``seed``         each restart draws from a child generator of its own. In a list there is a seed
                     for each restart: an integer starts as ``restarts=1`` does with it
    ``weight``       the learning mask ``(N,)``, any numbers >= 0; equal rows are folded into one.
                     ``(restarts, N)`` gives every restart a table of its own. A name: the column
                     of the table that holds it
    ``columns``      the columns that are variables, where the table has others
    ``hold``         ``{matrix: rows}``: True for the rows, ``(M_X,)``, that are not learned
    ``alpha``        pseudo-counts for ML and VAR, a number or ``{matrix: (M_X, M_Y)}``
    ``delta``        the constant of VIT and VAR

    Of a lazy table, its own engine counts the equal rows, and only the different ones are read.
    A cell that is missing teaches nothing: a block learns from the samples that have evidence on
    its output or below it (the mask L[n] of section 3, block by block).

    ML with ``n_it=1`` is exact EM: ``loglik`` never falls. Raises :class:`ImpossibleEvidence` where
    a sample has probability zero under the first matrices of every restart.
    """
    # Everything is checked here, not at the first ``next``: errors come where the mistake is.
    refuse_unknown(epochs, rule, constants)
    known = {"alpha": alpha, "delta": delta, **constants}
    options = Options(n_it, restarts, seed, start, theta, weight, test_weight, hold, known, columns)
    problem = pose(graph, table, rule, options, restarts=1).needing(aggregate=True)
    return problem.epochs(read_count(n_epochs, "n_epochs"))


def pose(
    graph: Graph, table: Table | Evidence, rule: Rules, options: Options, *, restarts: int
) -> Posed:
    """Check the arguments of ``epochs``, fold the rows, and draw the starts."""
    form = as_normal(graph)
    evidence, given = _read_data(form, table, options)
    form = opened(form, evidence)
    rules, n_its = _each(rule, options, restarts)
    weight = read_weight(given, evidence.n, "weight", len(rules))
    test = read_weight(options.test_weight, evidence.n, "test_weight", len(rules))
    lanes = _lanes(form, rules, n_its, options.constants)
    _refuse_shared(form, rules, options.start)
    rngs = [np.random.default_rng(s) for s in read_seeds(options.seed, len(rules))]
    own_start = isinstance(options.start, Mapping)
    if not own_start and not (
        isinstance(options.start, str) and options.start in ("matrices", "messages")
    ):
        raise ValueError(
            f"start is {shown(options.start)}: expected 'matrices', 'messages' or {{block: (f, b)}}"
        )
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
        whole = replace(whole, second=from_messages(whole, options.start, rngs))
    folded, sums = fold(evidence, [weight] if test is None else [weight, test])
    own_test = None if test is None else sums[1]
    return replace(whole, clamped=clamp_with_shortcut(form, folded), weight=sums[0], test=own_test)


def _each(rule: Rules, options: Options, default: int) -> tuple[list[Rule], list[int]]:
    """The rule and the Nit of every restart."""
    rules = list(rule) if isinstance(rule, tuple | list) else None
    n_its = list(options.n_it) if isinstance(options.n_it, tuple | list) else None
    seeds = options.seed if isinstance(options.seed, tuple | list) else None
    lengths = {k: len(v) for k, v in (("rule", rules), ("n_it", n_its), ("seed", seeds)) if v}
    count = options.restarts
    if count is None:
        count = next(iter(lengths.values()), default)
    count = read_count(count, "restarts", 1)
    for name, length in lengths.items():
        if length != count:
            raise ValueError(f"{name} has {length} entries for {count} restarts: one each")
    each = [read_rule(r) for r in (rules or [rule] * count)]
    return each, [read_count(n, "n_it", 1) for n in (n_its or [options.n_it] * count)]


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


def refuse_unknown(function: Callable[..., Any], rule: Any, given: Mapping[str, Any]) -> None:
    """Refuse a name that is neither an option of ``function`` nor a constant of any rule."""
    rules = [r for r in (rule if isinstance(rule, tuple | list) else [rule]) if isinstance(r, Rule)]
    own = {*getattr(function, "__kwdefaults__", {})} - {"alpha", "delta"}
    clash = next(((r, name) for r in rules for name in r.takes if name in own), None)
    if clash:
        raise ValueError(
            f"rule {clash[0].name!r} takes {clash[1]!r}, which is an option of "
            f"{function.__name__}: call it by another name"
        )
    constants = {name for r in (*RULES.values(), *rules) for name in r.takes}
    for name in (name for name in given if name not in constants):
        from difflib import get_close_matches  # late, as inspect: for this message alone
        from inspect import signature

        asked = signature(function).parameters.values()
        options = [p.name for p in asked if p.kind is p.KEYWORD_ONLY]
        known = list(dict.fromkeys((*options, *sorted(constants))))
        elsewhere = [meant for meant in [SYNONYMS.get(name)] if meant in options]
        near = elsewhere or get_close_matches(name, known, 1)
        meant = f"{near[0]}= may be meant" if near else f"there are {', '.join(known)}"
        raise ValueError(f"{function.__name__} has no option {name!r}: {meant}")


def _refuse_shared(form: NormalGraph, rules: Sequence[Rule], start: str | OwnMessages) -> None:
    """Refuse what needs a branch on each side of a block where a family shares its cluster."""
    for node in (node for users in form.learnable.values() for node in users if node.shares):
        for rule in rules:
            if rule is not RULES["ml"] or isinstance(start, Mapping):
                what = f"rule {rule.name!r}" if rule is not RULES["ml"] else "start"
                raise ValueError(
                    f"{what} needs a message on each side of a block, and the family of "
                    f"{node.name!r} shares its cluster {node.outputs[0].variable!r} with other "
                    "variables: learn by 'ml', which counts expected families, or name the "
                    "variable in fixed= of the graph"
                )


def _read_data(
    form: NormalGraph, table: Table | Evidence, options: Options
) -> tuple[Evidence, ArrayLike | None]:
    """The evidence, and the weight of its rows: of a lazy table, how often each is there."""
    named = options.weight if isinstance(options.weight, str) else None
    if named in form.variables:
        raise ValueError(
            f"weight is {named!r}, which is also a variable of the graph: a column of weights is "
            f"none, BayesGraph.from_table(..., weight={named!r}) leaves it out"
        )
    for what, given in (("weight", options.weight), ("test_weight", options.test_weight)):
        rows = table if isinstance(table, Mapping) else {"the table": table}
        same_rows({**{str(name): column for name, column in rows.items()}, what: given})
    evidence, counts = read_counted(form, table, options.columns, named)
    if named is None and counts is not None:
        for name, given in (("weight", options.weight), ("test_weight", options.test_weight)):
            if given is not None:
                raise ValueError(
                    f"{name} is {shown(given)}: the rows of a lazy table have no places, so their "
                    "weights are a column of it, weight='name'"
                )
    if not evidence.variables:
        raise ValueError("the table has no columns: there is nothing to learn from")
    for name, vectors in evidence.vectors.items():
        if vectors.ndim > 2:
            raise ValueError(
                f"{name}: vectors have shape {vectors.shape}, expected (M, N) to learn from"
            )
    return evidence, options.weight if counts is None else counts


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
