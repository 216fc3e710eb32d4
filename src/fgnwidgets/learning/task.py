"""The learning task, a value: what is to be learned, checked before anything runs (section 7).

Vocabulary
    Nit        ``n_it``: steps of ML and KL inside one epoch
    start      random matrices; or the paper's, random messages with uniform matrices; or given ones
    hold       rows that stay as they start
    restart    another random start; all of them run together on a leading batch axis
    mask       ``weight``, L[n]: zero leaves a sample out of training; ``test_weight`` picks the
               samples of the test likelihoods
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..algebra.arrays import Array, Arrays, Mask
from ..algebra.distributions import normalize
from ..arguments import (
    Seed,
    read_count,
    read_kind,
    read_seeds,
    read_weight,
    refuse_beyond_memory,
    shown,
    wrong,
)
from ..data import Table, has_names, lazy_rows, row_order, same_rows
from ..data.columns import is_lazy, narwhal
from ..data.evidence import Evidence, are_counts, fold
from ..graphs.normal_graph import Graph, NormalGraph, as_normal
from ..graphs.theta import by_states, family_of, read_some
from ..inference.evidence import read_counted, read_evidence
from ..inference.propagation import opened, random_messages
from ..loops.families import Family
from .em import About, Problem, updates_of
from .observed import clamp_observed
from .rules import RULES, Rule, Settings, configure, read_rule
from .run import Run
from .workers import read_workers

OwnMessages = Mapping[str, tuple[ArrayLike, ArrayLike]]
"""By block, the messages ``(f, b)`` to begin with."""

Rules = str | Rule | Sequence[str | Rule]
Pseudo = float | Mapping[str, ArrayLike]
SYNONYMS = {"max_iter": "n_epochs", "n_iter": "n_epochs", "n_init": "restarts",
            "random_state": "seed", "sample_weight": "weight", "verbose": "progress"}  # fmt: skip
"""Options by the names that they have elsewhere."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LearningTask:
    """The model to be learned, its table, rule and starts; not for how long.

    The fields are the arguments of ``fit``; ``constants`` are those of the rule, None a default.
    """

    graph: Graph
    table: Table | Evidence
    rule: Rules = "ml"
    n_it: int | Sequence[int] = 1
    restarts: int | None = None
    seed: Seed | Sequence[Seed] = 0
    start: str | OwnMessages = "matrices"
    theta: Mapping[str, ArrayLike] | None = None
    columns: Iterable[str] | None = None
    weight: str | ArrayLike | None = None
    survey: bool = False
    test_weight: ArrayLike | None = None
    hold: Mapping[str, ArrayLike] | None = None
    constants: Mapping[str, Any] = field(default_factory=dict)
    workers: int | None = None

    def problem(self, restarts: int = 1) -> Problem:
        """The task ready to run: its rows folded, its starts drawn. ``restarts`` is the default."""
        form = as_normal(self.graph)
        evidence, given = self._data(form)
        form = opened(form, evidence)
        theta = {} if self.theta is None else read_some(form, self.theta)
        by_matrices = isinstance(self.start, str) and self.start == "matrices"
        if by_matrices and all(name in theta and theta[name].ndim == 2 for name in form.learnable):
            restarts = 1  # where none are asked for: all would do the same
        count = self._count(restarts)
        cells = sum(rows * size for rows, size in form.matrices.values())
        if cells * count > FEW:  # before there is a list of them
            _refuse_so_many(cells, count)
        rules = [read_rule(rule) for rule in _each(self.rule, count)]
        n_its = [read_count(n, "n_it", 1) for n in _each(self.n_it, count)]
        weights = {name: read_weight(w, evidence.n, name, count) for name, w in given.items()}
        weight, test = weights.get("weight"), weights.get("test_weight")
        constants = {name: value for name, value in self.constants.items() if value is not None}
        settings = _settings(form, rules, n_its, constants)
        if not by_matrices or any(rule is not RULES["ml"] for rule in rules):
            check_start(form, rules, self.start)
        rngs = [np.random.default_rng(s) for s in read_seeds(self.seed, count)]
        hold = {} if self.hold is None else read_hold(form, self.hold)
        rows, sums = fold(evidence, [weight] if test is None else [weight, test])
        counted = are_counts(weight) and not self.survey
        n = evidence.n if weight is None else n_rows(weight, self.table, self.weight)
        problem = Problem(
            clamped=clamp_observed(form, rows),
            weight=sums[0],
            test=None if test is None else sums[1],
            settings=settings,
            first={},
            fixed_rows=hold,
            table=evidence,
            mask=weight,
            drawn=frozenset(form.learnable) - (theta.keys() if by_matrices else set()),
            about=About(self.graph, {"hold": self.hold, **constants}, counted, n),
            workers=None if self.workers is None else read_workers(self.workers),
        )
        if cells * count > FEW or rows.n * sum(b.size for b in form.branches.values()) > FEW:
            _refuse_too_large(problem, cells)  # before numbers are drawn
        problem = replace(problem, first=first_theta(form, theta, rngs, random=by_matrices))
        if by_matrices:
            return problem
        return replace(problem, second=after_messages(problem, evidence, self.start, rngs))

    def _data(self, form: NormalGraph) -> tuple[Evidence, dict[str, Any]]:
        """The evidence, and the weights of its rows that there are, by name."""
        weights = {"weight": self.weight, "test_weight": self.test_weight}
        given = {name: w for name, w in weights.items() if w is not None}
        if given:
            _check_weights(form, self.table, given)
        plain = self.columns is None and not isinstance(self.weight, str)
        if plain and isinstance(self.table, Mapping):  # as it is, every column
            evidence = read_evidence(form, self.table)
        else:
            evidence, given = self._counted(form, given)
        if not evidence.variables:
            raise ValueError("the table has no columns: there is nothing to learn from")
        for name, shape in ((k, v.shape) for k, v in evidence.vectors.items() if v.ndim > 2):
            raise ValueError(f"{name}: vectors have shape {shape}, expected (M, N) to learn from")
        return evidence, given

    def _counted(self, form: NormalGraph, given: dict[str, Any]) -> tuple[Evidence, dict[str, Any]]:
        """The same of any table: the weight of a lazy one is how often each row is there."""
        named = self.weight if isinstance(self.weight, str) else None
        evidence, counts = read_counted(form, self.table, self.columns, named)
        if given and named is None and counts is not None:
            raise _no_places(*next(iter(given.items())))
        return evidence, given if counts is None else given | {"weight": counts}

    def _count(self, default: int) -> int:
        """As many restarts as said, as lists of rules, Nit or seeds have, or ``default``."""
        lists = {"rule": self.rule, "n_it": self.n_it, "seed": self.seed}
        lengths = {k: len(v) for k, v in lists.items() if isinstance(v, tuple | list) and v}
        asked = next(iter(lengths.values()), default) if self.restarts is None else self.restarts
        count = read_count(asked, "restarts", 1)
        for name, length in lengths.items():
            if length != count:
                raise ValueError(f"{name} has {length} entries for {count} restarts: one each")
        return count


def _each(value: Any, count: int) -> Sequence[Any]:
    """By restart, a value of its own or that of all."""
    return value if isinstance(value, tuple | list) and value else [value] * count


def _check_weights(form: NormalGraph, table: Any, given: Mapping[str, Any]) -> None:
    """Refuse weights with the name of a variable, and those of other rows than the table's."""
    for what, weight in given.items():
        if not isinstance(weight, str):
            rows = table if isinstance(table, Mapping) else {"the table": table}
            same_rows({**{str(name): column for name, column in rows.items()}, what: weight})
        elif what == "weight" and weight in form.variables:
            raise ValueError(
                f"weight is {weight!r}, which is also a variable of the graph: a column of weights "
                f"is none, BayesGraph.from_table(..., weight={weight!r}) leaves it out"
            )


def _no_places(name: str, weight: Any) -> ValueError:
    return ValueError(
        f"{name} is {shown(weight)}: the rows of a lazy table have no places, so their weights are "
        "a column of it, weight='name'"
    )


def n_rows(mask: Array, table: Any, weight: Any) -> int | None:
    """The number of rows with a weight above zero; None where restarts differ in it.

    Of a lazy table its engine knows: counted rows are as many as their counts, and others are
    counted by it, unless whole weights may be counts themselves.
    """
    if isinstance(table, Mapping | Evidence) or not is_lazy(narwhal(table)):
        return int((mask > 0).sum()) if mask.ndim == 1 else None
    if weight is None:
        return round(float(mask.sum()))
    return None if are_counts(mask) else lazy_rows(table, weight)


def refuse_unknown(function: Callable[..., Any], rule: Any, given: Mapping[str, Any]) -> None:
    """Refuse a name that is neither an option of ``function`` nor a constant of any rule."""
    rules = [r for r in (rule if isinstance(rule, tuple | list) else [rule]) if isinstance(r, Rule)]
    options = {*getattr(function, "__kwdefaults__", {})} - {"alpha", "delta"}
    for written in rules:
        if clash := options.intersection(written.takes):
            raise ValueError(
                f"rule {written.name!r} takes {min(clash)!r}, which is an option of "
                f"{function.__name__}: call it by another name"
            )
    constants = {name for r in (*RULES.values(), *rules) for name in r.takes}
    for name in given:
        if name not in constants:
            raise _no_option(function, name, rules, constants)


def _no_option(
    function: Callable[..., Any], name: str, rules: Sequence[Rule], constants: set[str]
) -> ValueError:
    """The error for an option that there is not, with what was probably meant."""
    from difflib import get_close_matches  # late, as inspect: for this message alone
    from inspect import signature

    asked = signature(function).parameters.values()
    options = [p.name for p in asked if p.kind is p.KEYWORD_ONLY]
    names = list(dict.fromkeys((*options, *sorted(constants))))
    elsewhere = [meant for meant in [SYNONYMS.get(name)] if meant in options]
    near = elsewhere or get_close_matches(name, names, 1)
    meant = f"{near[0]}= may be meant" if near else f"there are {', '.join(names)}"
    takes = (f"; rule {r.name!r} takes {', '.join(r.takes) or 'no constants'}" for r in rules)
    return ValueError(f"{function.__name__} has no option {name!r}: {meant}{''.join(takes)}")


def check_start(form: NormalGraph, rules: Sequence[Rule], start: str | OwnMessages) -> None:
    """Refuse no start, and what needs two messages at a block whose family shares its cluster."""
    word = isinstance(start, str) and start in ("matrices", "messages")
    if not word and not isinstance(start, Mapping):
        raise wrong("start", start, "'matrices', 'messages' or {block: (f, b)}")
    for node in (
        node for users in form.learnable.values() for node in users if isinstance(node, Family)
    ):
        for rule in rules:
            if rule is not RULES["ml"] or isinstance(start, Mapping):
                what = f"rule {rule.name!r}" if rule is not RULES["ml"] else "start"
                raise ValueError(
                    f"{what} needs a message on each side of a block, and the family of "
                    f"{node.name!r} shares its cluster {node.outputs[0].variable!r} with other "
                    "variables: learn by 'ml', which counts expected families, or name the "
                    "variable in fixed= of the graph"
                )


FEW = 100_000
"""Numbers that every machine can hold: with fewer nobody asks how large it is."""

A_RESTART = 4_000
"""Bytes that a restart takes beside its matrices: its seed, its generator, its likelihoods."""


def problem_of(run: Run, workers: int | None = None) -> Problem:
    """The problem of a finished run, from where it ended."""
    form = opened(as_normal(run.graph), run.rows)
    constants = {name: value for name, value in run.settings.items() if name != "hold"}
    restarts = len(run.final_loglik)
    rules = [read_rule(rule) for rule in run.rules] or [RULES["ml"]] * restarts
    return Problem(
        clamped=clamp_observed(form, run.rows),
        weight=run.weight,
        test=run.test_weight,
        settings=_settings(form, rules, run.n_its or [1] * restarts, constants),
        first=run.final,
        second=run.second or None,
        table=run.rows,
        mask=run.weight,
        fixed_rows={}
        if run.settings.get("hold") is None
        else read_hold(form, run.settings["hold"]),
        about=About(run.graph, run.settings, run.counted, run.n_rows),
        workers=None if workers is None else read_workers(workers),
    )


def _settings(
    form: NormalGraph, rules: Sequence[Rule], n_its: Sequence[int], given: Mapping[str, Any]
) -> tuple[Settings, ...]:
    """The settings of every restart; those with the same rule and Nit have the same."""
    made: dict[tuple[Rule, int], Settings] = {}
    for rule, n_it in dict.fromkeys(zip(rules, n_its, strict=True)):
        constants = _constants_of(form, rule, rules, given) if given else given
        updates = updates_of(form, rule, constants)
        if not updates:
            configure(rule, constants, (1, 1))
        made[rule, n_it] = Settings(rule, updates, n_it if rule.iterates else 1)
    return tuple(made[key] for key in zip(rules, n_its, strict=True))


def _constants_of(
    form: NormalGraph, rule: Rule, rules: Sequence[Rule], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Of several rules, each gets the constants that it takes; one that no rule takes, all."""
    others = {name for other in rules for name in other.takes} - {*rule.takes}
    return {
        name: _by_matrix(form, name, value) if isinstance(value, Mapping) else value
        for name, value in given.items()
        if name not in others
    }


def _by_matrix(form: NormalGraph, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Pseudo-counts by matrix, in the order of the states."""
    if not given:
        raise ValueError(f"{name} is empty: expected a number, or a mapping from matrices")
    if odd := [matrix for matrix in given if matrix not in form.learnable]:
        raise ValueError(
            f"{name}[{odd[0]!r}] is no learned matrix: these are {', '.join(form.learnable)}"
        )
    return {matrix: by_states(form, matrix, v, name) for matrix, v in given.items()}


def _refuse_so_many(cells: int, restarts: int) -> None:
    """Refuse restarts whose matrices and generators are more than the machine can hold."""
    refuse_beyond_memory(
        (24.0 * cells + A_RESTART) * restarts,
        "learning",
        f"{restarts:,} restarts of {cells:,} numbers; take fewer restarts",
    )


def _refuse_too_large(problem: Problem, cells: int) -> None:
    """Say how much a request would need where that is more than the machine has."""
    matrices = 8 * 3 * cells * problem.restarts
    refuse_beyond_memory(
        matrices + problem.bytes_of_a_restart,
        "learning",
        f"{problem.restarts} restarts of {cells:,} numbers take {matrices / 1e9:.3g} GB, and the "
        "messages of a restart the rest; take fewer restarts, n_it=1, or smaller product spaces",
    )


def first_theta(
    form: NormalGraph, given: Arrays, rngs: list[np.random.Generator], *, random: bool
) -> dict[str, Array]:
    """The matrices of all restarts, ``(restarts, M_X, M_Y)``: given, or else random or uniform."""
    theta: dict[str, Array] = {}
    sizes = [rows * size for rows, size in form.matrices.values()]
    # A child draws for every matrix, so what is given moves no other number.
    drawn = np.array([rng.random(sum(sizes)) if random else np.ones(sum(sizes)) for rng in rngs])
    pieces = np.split(drawn, np.cumsum(sizes)[:-1], axis=-1)
    for (name, shape), piece in zip(form.matrices.items(), pieces, strict=True):
        full = (len(rngs), *shape)
        if name in given or name not in form.learnable:
            theta[name] = _for_each(given.get(name), name, full)
        else:
            rows = piece.reshape(full)
            theta[name] = rows / rows.sum(axis=-1, keepdims=True)
    return theta


def _for_each(matrix: Array | None, name: str, full: tuple[int, ...]) -> Array:
    """A matrix that is given, for every restart, or one for each."""
    if matrix is None:
        raise ValueError(f"theta[{name!r}] is fixed (learn=False): give its matrix in theta=")
    if matrix.ndim > 3 or matrix.shape[:-2] not in ((), (1,), full[:1]):
        raise ValueError(
            f"theta[{name!r}] has shape {matrix.shape}: expected {full[1:]}, or "
            f"{full} with a matrix for each restart"
        )
    return np.broadcast_to(matrix, full)


def read_hold(form: NormalGraph, hold: Any) -> dict[str, Mask]:
    """The rows that keep their value, ``(M_X, 1)`` for each matrix that has any."""
    said = "a mapping from matrices to the rows that stay, such as {'X|S': [True, False]}"
    read_kind(hold, "hold", Mapping, said)
    return {name: _held_rows(form, name, rows) for name, rows in hold.items()}


def _held_rows(form: NormalGraph, name: str, rows: Any) -> Mask:
    what = f"hold[{name!r}]"
    if name not in form.learnable:
        raise ValueError(f"{what} is no learned matrix: these are {', '.join(form.learnable)}")
    if has_names(rows):
        order = row_order(getattr(rows, "index", None), family_of(form, name)[0], what)
        rows = np.asarray(rows)[order]
    try:
        kept = np.asarray(rows)
    except ValueError:
        kept = np.empty(0)
    size = form.matrices[name][0]
    if kept.shape != (size,) or kept.dtype != bool:
        raise wrong(what, rows, f"True or False for each of its {size} rows")
    return np.asarray(kept[:, None])


def read_messages(
    form: NormalGraph, start: OwnMessages, n: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    f: dict[str, Array] = {}
    b: dict[str, Array] = {}
    for node in (node for users in form.learnable.values() for node in users):
        try:
            f_x, b_y = start[node.name]
        except (KeyError, TypeError, ValueError):
            raise ValueError(
                f"start has no messages for {node.name!r}: expected {{block: (f, b)}} for all"
            ) from None
        # A source has no input: its forward message is one.
        sides = (f, node.inputs, f_x), (b, node.outputs, b_y)
        for (side, ends, given), size in zip(sides, node.shape, strict=True):
            v = normalize(given)
            if v.shape[-2:] != (size, n):
                said = f"messages of shape {v.shape}, expected (..., {size}, {n})"
                raise ValueError(f"start[{node.name!r}]: {said}")
            side.update((end.name, v) for end in ends)
    return f, b


def after_messages(
    folded: Problem,
    evidence: Evidence,
    start: str | OwnMessages,
    rngs: Sequence[np.random.Generator],
) -> dict[str, Array]:
    """The matrices after the first M-step from initial messages, restart by restart.

    The messages are by sample, so this M-step is of the table as it is, not of the folded rows.
    """
    ones = np.ones(evidence.n) if folded.mask is None else folded.mask
    clamped = clamp_observed(folded.clamped.graph, evidence)
    problem = replace(folded, clamped=clamped, weight=ones)
    if isinstance(start, Mapping):
        own = read_messages(problem.clamped.graph, start, problem.clamped.evidence.n)
        return _after(problem, *own)
    each = [
        _after(problem.part([r]), *random_messages(problem.clamped, rng))
        for r, rng in enumerate(rngs)
    ]
    return {name: np.concatenate([new[name] for new in each]) for name in problem.first}


def _after(problem: Problem, f: Arrays, b: Arrays) -> dict[str, Array]:
    """The matrices after one M-step from these messages."""
    step = problem.m_step(problem.first)
    step.add(problem.incoming(f, b, slice(0, problem.clamped.evidence.n)))
    return step.matrices()
