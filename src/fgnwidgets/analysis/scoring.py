"""``score``: a table with columns added for what a model says about each of its rows.

Vocabulary
    answer   what the model says about a row: posteriors, the most probable states, ``loglik``

Answers to a lazy table are computed for its different rows, and joined to all rows by the table's
own engine. So memory grows with the number of different rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from typing import Any

import numpy as np

from ..algebra.arrays import Array
from ..arguments import listing, meant, read_names
from ..bayes.graph import BayesGraph
from ..data import Table, read_columns, weighted_columns
from ..data import columns as columns_of
from ..data.columns import is_lazy, narwhal
from ..data.evidence import Evidence
from ..data.frames import as_series, beside, decoded, dictionaries, unused
from ..data.long import Sequences
from ..graphs.normal_graph import Graph, as_normal
from ..graphs.theta import Theta
from ..inference.evidence import read_evidence
from ..inference.queries import loglik, posterior, posteriors
from ..learning.run import Run
from ..loops.junction_tree import MergedGraph

LOGLIK = "loglik"


def score(
    graph: Graph,
    theta: Theta,
    table: Table,
    variables: str | Sequence[str],
    *,
    columns: Iterable[str] | None = None,
) -> Any:
    """A table of the same kind, with columns added for what the model says about each row.

    For each of ``variables``, such as ``"S"``, they are ``S=low`` with P(S = low | row), for every
    state, and ``S`` with the most probable state. The last one is ``loglik``, log P(row). The
    columns that the graph has are read, or those in ``columns``; the others are passed through.

    What :func:`sequences` returned gives the *long* table back, with the answers at each visit.
    There ``"S"`` stands for ``S1``, ``S2``, ..., each at its own step given the whole sequence (the
    smoothed posterior), ``columns`` may name variables of a slice, and ``loglik`` is log P(the
    whole sequence) at each of its visits. A lazy table stays lazy: its different rows are counted
    now, and the answers are joined when it is computed. A mapping of columns gives a dict.

    Rows keep their order. DuckDB has to sort for that: its rows are numbered before the join and
    sorted by this number after it, with room on disk where memory does not suffice. Where its
    setting ``preserve_insertion_order`` is false, nothing is sorted, and the rows have no order.

    What the model observes needs a column: the variables that ``run`` has learned from, or those
    without children where ``theta`` holds matrices; so a misspelt name is refused, not taken for a
    blank. With ``columns`` the table may have fewer: variables that are not named are blank.

    Raises ``ValueError`` if the table has one of the new names, or lacks a column as above, and
    :class:`ImpossibleEvidence` if a row has probability zero.
    """
    asked = read_names(variables, "variables")
    form = as_normal(graph)
    if isinstance(table, Sequences):
        return _at_visits(graph, theta, table, asked, columns)
    frame = narwhal(table)
    lazy = is_lazy(frame)
    names = list(frame.collect_schema()) if lazy else list(columns_of(table))
    readable = {*form.variables, *form.branches} - {*asked}
    used = [n for n in names if str(n) in readable] if columns is None else read_columns(columns)
    if not used:
        raise ValueError(f"no column of the table is a variable of the graph: it has {names}")
    if columns is None:
        _refuse_absent(graph, theta, {*asked, *map(str, used)}, [str(n) for n in names])
    cells, _ = weighted_columns(table, used)
    added = _answers(graph, theta, read_evidence(graph, cells), asked)
    folded = lazy and frame.implementation.is_duckdb()  # to SQL, "s" and "S" are one name
    same = str.casefold if folded else str
    there = {same(str(name)) for name in names}
    if folded and (twice := [a for a, b in combinations(added, 2) if same(a) == same(b)]):
        raise ValueError(
            f"the new column {twice[0]!r} differs from another in capitals alone, which are one "
            "name to DuckDB: score the table in memory, or give the states other labels"
        )
    taken = [name for name in added if same(name) in there]
    if taken:
        raise ValueError(
            f"the table has a column {taken[0]!r} already: rename it, or drop it before scoring"
        )
    return _joined(frame, cells, added) if lazy else beside(table, added)


def _refuse_absent(graph: Graph, theta: Theta, named: set[str], names: list[str]) -> None:
    """Refuse a table without a column that the model observes, and what looks like a misspelt one.

    A run knows what it has learned from. Of matrices alone, a variable without children is there to
    be observed, and one with children is probably hidden, unless a column has nearly its name.
    """
    form = as_normal(graph)
    there = {form.variable_of.get(name, name) for name in named}
    others = [name for name in names if name not in named]
    run = isinstance(theta, Run)
    seen = theta.rows.variables if isinstance(theta, Run) else _childless(graph)
    for variable in form.variables:
        if variable in there or (run and variable not in seen):
            continue
        observed, near = variable in seen, meant(variable, others) if others else ""
        if observed or near:
            why = "has learned from" if run else "observes" if observed else "has"
            raise ValueError(
                f"the table has no column {variable!r}, which the {'run' if run else 'model'} {why}"
                f"{near}: rename a column that is called otherwise; if nothing is known of "
                f"{variable!r}, name the columns that are read, columns={sorted(named & {*names})}"
            )


def _childless(graph: Graph) -> set[str]:
    bayes = graph.bayes if isinstance(graph, MergedGraph) else graph
    if isinstance(bayes, BayesGraph):
        return set(bayes.variables) - {p for parents in bayes.parents.values() for p in parents}
    form = as_normal(graph)
    return {
        v for v, branches in form.variables.items() if any(b not in form.heads for b in branches)
    }


def _answers(
    graph: Graph, theta: Theta, evidence: Evidence, asked: Sequence[str]
) -> dict[str, Any]:
    """The new columns, in their order."""
    form = as_normal(graph)
    columns: dict[str, Any] = {}
    for variable in asked:
        p = posterior(graph, theta, evidence, variable)
        columns.update(_told(variable, form.states(variable), p))
    columns[LOGLIK] = loglik(graph, theta, evidence)
    return columns


def _at_visits(
    graph: Graph,
    theta: Theta,
    wide: Sequences,
    asked: Sequence[str],
    chosen: Iterable[str] | None,
) -> Any:
    """The long table of some sequences, with the answers at each visit."""
    form = as_normal(graph)
    known, steps = {*form.variables, *form.branches}, range(1, wide.n + 1)
    at = {v: [v] if v in known else [f"{v}{t}" for t in steps] for v in asked}
    if chosen is None:
        used = [column for column in wide if column in known]
    else:
        names = read_columns(chosen)
        used = [c for c in wide if c in names or (c.rstrip("0123456789") in names and c in known)]
        for name in names:
            if name not in wide and f"{name}1" not in wide:
                raise ValueError(
                    f"columns names {name!r}: the variables of a slice are "
                    f"{', '.join(wide.variables)}"
                )
    families = {v: [f"{v}{t}" for t in steps] for v in wide.variables if f"{v}1" in used}
    for name, members in {**families, **at}.items():
        if members[0] not in known:
            raise ValueError(
                f"variables has {name!r}: the graph has neither it nor {name + '1'!r}, but "
                f"{_some(form.variables)}"
            )
        if members[-1] not in known and members[0] not in form.given:
            raise ValueError(
                f"the sequences have {wide.n} steps, and the graph has no {members[-1]!r}: unfold "
                f"it with n={wide.n}"
            )
    if not used:
        raise ValueError(
            f"no column of the sequences is a variable of the graph: it has {_some(wide)}"
        )
    there = set(map(str, columns_of(wide.table)))
    new = [f"{v}={s}" for v, members in at.items() for s in form.states(members[0])]
    for name in (*new, *asked, LOGLIK):
        if name in there:
            raise ValueError(
                f"the long table has a column {name!r} already: rename it, or drop it before "
                "the sequences are made"
            )
    evidence = read_evidence(graph, {column: wide[column] for column in used})
    members = list(dict.fromkeys(m for family in at.values() for m in family))
    totals, beliefs = posteriors(graph, theta, evidence, members)
    columns: dict[str, Any] = {}
    for variable, copies in at.items():
        p = np.stack([beliefs[m] for m in copies], axis=1)  # sequences, steps, states
        p = p[wide.sequence, wide.place - 1 if len(copies) > 1 or copies[0] != variable else 0]
        columns.update(_told(variable, form.states(copies[0]), p))
    return beside(wide.table, {**columns, LOGLIK: totals[wide.sequence]})


def _told(variable: str, states: Sequence[Any], p: Array) -> dict[str, Any]:
    """The columns about one variable: the probability of each state, and the most probable one."""
    columns: dict[str, Any] = {
        f"{variable}={state}": np.ascontiguousarray(p[:, k]) for k, state in enumerate(states)
    }
    words = [state if isinstance(state, str | int | float) else str(state) for state in states]
    return {**columns, variable: np.array(words)[p.argmax(axis=-1)]}


def _some(names: Iterable[str]) -> str:
    first = list(islice(names, 9))
    return listing(first[:8]) + (", ..." if len(first) > 8 else "")


def _joined(frame: Any, cells: Mapping[str, Any], added: Mapping[str, Any]) -> Any:
    """A lazy table joined with the answers by the read cells; here blanks equal blanks."""
    import narwhals as nw

    keys, library = list(cells), frame.implementation
    rows = nw.concat([column.to_frame() for column in cells.values()], how="horizontal")
    rows = rows.with_columns(*as_series(added, rows.implementation)).to_native()
    native = frame.to_native()
    if library.is_polars():
        order = {"nulls_equal": True, "maintain_order": "left"}
        return native.join(rows.lazy(), on=keys, how="left", **order)
    if library.is_dask():  # part by part, so that no row is moved
        joined = partial(_part, keys=keys, rows=rows)
        return native.map_partitions(joined, meta=joined(native._meta))
    if library.is_duckdb():
        return _joined_by_duckdb(native, keys, list(added), rows)
    raise ValueError(
        f"the table is lazy, of {library}: score knows polars, DuckDB and Dask; collect it, or "
        "write it to Parquet and open that"
    )


def _joined_by_duckdb(native: Any, keys: Sequence[str], new: Sequence[str], rows: Any) -> Any:
    """The same in SQL, whose joins keep no order: so rows are numbered before, and sorted after.

    ``row_number() OVER ()`` streams: it numbers rows as they come, in the order of the source. Of
    names that are not quoted, the first is that of the relation in its own query, and the second
    that of a variable here, which a table of the same name would hide.
    """
    relation, _fgnwidgets_answers = "_fgnwidgets_rows", rows
    setting = f"SELECT current_setting('preserve_insertion_order') FROM (SELECT 1) {relation}"
    ((ordered,),) = native.query(relation, setting).fetchall()
    at = _quoted(unused("row", [*native.columns, *new]))
    same = " AND ".join(f"t.{_quoted(k)} IS NOT DISTINCT FROM a.{_quoted(k)}" for k in keys)
    answers = ", ".join(f"a.{_quoted(name)}" for name in new)
    if not ordered:
        return native.query(
            relation,
            f"SELECT t.*, {answers} FROM {relation} t LEFT JOIN _fgnwidgets_answers a ON {same}",
        )
    return native.query(
        relation,
        f"SELECT t.* EXCLUDE ({at}), {answers} "
        f"FROM (SELECT *, row_number() OVER () AS {at} FROM {relation}) t "
        f"LEFT JOIN _fgnwidgets_answers a ON {same} ORDER BY t.{at}",
    )


def _part(part: Any, *, keys: list[str], rows: Any) -> Any:
    """A part of a Dask table with its answers; pandas joins blanks to blanks."""
    read = part[[name for name in part.columns if str(name) in keys]]
    read = decoded(read, dictionaries(read)).rename(columns=str)
    merged = read.merge(rows, on=keys, how="left").drop(columns=keys)
    merged.index = part.index
    return part.assign(**{name: merged[name] for name in merged})


def _quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'
