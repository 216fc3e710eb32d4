"""The options of ``epochs`` and ``fit``, checked before anything runs (section 7).

Vocabulary
    Nit        ``n_it``: steps of ML and KL inside one epoch
    restart    another random start; all of them run together on a leading batch axis
    mask       ``weight``, L[n]: zero leaves a sample out of training; ``test_weight`` picks the
               samples of the test likelihoods
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..engine.graph import NormalGraph
from ..engine.messages import Evidence
from ..engine.rules import RULES, Rule
from ..readers import Seed, read_count, shown, wrong
from ..tables import Table, same_rows
from .configure import read_rule
from .evidence import read_counted

if TYPE_CHECKING:
    from .starts import OwnMessages

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


def each_restart(rule: Rules, options: Options, default: int) -> tuple[list[Rule], list[int]]:
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
        takes = (f"; rule {r.name!r} takes {', '.join(r.takes) or 'no constants'}" for r in rules)
        raise ValueError(f"{function.__name__} has no option {name!r}: {meant}{''.join(takes)}")


def check_start(form: NormalGraph, rules: Sequence[Rule], start: str | OwnMessages) -> None:
    """Refuse no start, and what needs two messages at a block whose family shares its cluster."""
    word = isinstance(start, str) and start in ("matrices", "messages")
    if not word and not isinstance(start, Mapping):
        raise wrong("start", start, "'matrices', 'messages' or {block: (f, b)}")
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


def read_data(
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
