"""Tables that are not in memory: their own engine counts equal rows."""

import subprocess
import sys
from collections import Counter
from decimal import Decimal

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster
from tiers import mostly_slow

from fgnwidgets import (
    BayesGraph,
    GraphError,
    distinct,
    fit,
    posterior,
    read_evidence,
    score,
    uniform_theta,
)
from fgnwidgets.data import columns, labels, weighted_columns
from fgnwidgets.data.columns import categories
from fgnwidgets.inference.evidence import fold, read_counted

GRAPH = BayesGraph({"S": 2, "X": ("no", "yes"), "Y": (3, 5, 7), "Z": ("hi", "lo")})
N = 500
_RNG = np.random.default_rng(7)
FRAME = pd.DataFrame(
    {
        "X": np.array(["no", "yes", None, ""], dtype=object)[_RNG.integers(0, 4, N)],
        "Y": _RNG.choice([3, 5, 7, np.nan], N),
        "Z": pd.Categorical(_RNG.choice(["lo", "hi"], N)),
        "w": _RNG.integers(0, 4, N),
    }
)
CODES = {
    "X": {"no": 0, "yes": 1},
    "Y": {3: 0, 5: 1, 7: 2},
    "Z": {"hi": 0, "lo": 1},
}


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("table") / "rows.parquet")
    FRAME.to_parquet(path, row_group_size=100)
    return path


@pytest.fixture(scope="module")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}  # any free port
    with LocalCluster(**options) as workers, Client(workers) as client:
        yield client


LAZY = {
    "polars": lambda path: pl.from_pandas(FRAME).lazy(),
    "polars on Parquet": pl.scan_parquet,
    "DuckDB on Parquet": lambda path: duckdb.connect().read_parquet(path),
    "DuckDB on pandas": lambda path: duckdb.connect().from_df(FRAME),
    "Dask": lambda path: dd.from_pandas(FRAME, npartitions=3),
    "Dask on Parquet": dd.read_parquet,
}


@pytest.fixture(params=LAZY.values(), ids=LAZY)
def lazy(request, parquet):
    return request.param(parquet)


def counted_by_a_loop(weighted):
    """The rows of the table as codes, with their counts or summed weights."""
    found = Counter()
    for row in FRAME.to_dict("records"):
        key = tuple(known.get(row[name], -1) for name, known in CODES.items())
        found[key] += row["w"] if weighted else 1
    return found


def as_counter(evidence, weight):
    folded, (sums,) = fold(evidence, [weight])
    rows = zip(*(folded.codes[name].tolist() for name in CODES), strict=True)
    return Counter(dict(zip(rows, sums, strict=True)))


def test_a_lazy_table_brings_its_different_rows_and_their_counts(lazy):
    evidence, weight = read_counted(GRAPH, lazy, columns=["X", "Y", "Z"])
    assert evidence.n <= 4 * 4 * 2 < N
    assert as_counter(evidence, weight) == counted_by_a_loop(weighted=False)


def test_distinct_takes_a_table_wherever_it_lies(lazy):
    for table in (lazy, FRAME):
        rows, counts = distinct(GRAPH, table, columns=["X", "Y", "Z"])
        cells = zip(*(rows.codes[name].tolist() for name in CODES), strict=True)
        assert dict(zip(cells, counts, strict=True)) == counted_by_a_loop(weighted=False)
        rows, sums = distinct(GRAPH, table, "w")
        assert as_counter(rows, sums) == +counted_by_a_loop(weighted=True)
        assert distinct(rows, sums)[1].tolist() == distinct(rows, weight=sums)[1].tolist()


def test_distinct_says_what_it_takes():
    evidence = read_evidence(GRAPH, {"X": ["no"]})
    with pytest.raises(ValueError, match="the first argument of distinct is"):
        distinct(FRAME)
    with pytest.raises(ValueError, match=r"table is None: expected distinct\(graph, table\)"):
        distinct(GRAPH)
    with pytest.raises(ValueError, match="this is evidence that was read"):
        distinct(evidence, columns=["X"])


def test_a_column_of_weights_is_summed_and_is_no_variable(lazy):
    evidence, weight = read_counted(GRAPH, lazy, weight="w")
    assert evidence.n <= 4 * 4 * 2
    assert as_counter(evidence, weight) == +counted_by_a_loop(weighted=True)


@pytest.mark.parametrize("table", [FRAME, pl.from_pandas(FRAME), FRAME.to_dict("list")])
def test_a_table_in_memory_is_counted_alike(table):
    evidence, weight = read_counted(GRAPH, table, weight="w")
    assert (evidence.n, len(weight)) == (N, N)
    assert as_counter(evidence, weight) == +counted_by_a_loop(weighted=True)
    assert read_counted(GRAPH, table, columns=["X", "Y", "Z"])[1] is None


def test_dask_counts_on_two_workers(cluster, parquet):
    assert len(cluster.scheduler_info()["workers"]) == 2
    evidence, weight = read_counted(GRAPH, dd.read_parquet(parquet), weight="w")
    assert as_counter(evidence, weight) == +counted_by_a_loop(weighted=True)


def test_states_are_read_from_the_different_rows(lazy):
    found, _ = weighted_columns(lazy, columns=["X", "Y", "Z"])
    states = {name: labels(column, name) for name, column in found.items()}
    assert states["X"] == ("no", "yes")
    assert states["Y"] == (3, 5, 7)
    assert sorted(states["Z"]) == ["hi", "lo"]


@pytest.mark.parametrize("library", ["polars", "DuckDB"])
def test_categories_that_do_not_occur_are_states_too(library):
    if library == "polars":
        kind = pl.Enum(["z", "y", "x"])
        table = pl.LazyFrame({"X": ["x", None, "z"]}, schema={"X": kind})
    else:
        table = duckdb.connect().sql(
            "select x::enum('z', 'y', 'x') as X from (values ('x'), (null), ('z')) t(x)"
        )
    found, _ = weighted_columns(table)
    assert labels(found["X"], "X") == ("z", "y", "x")
    codes = read_evidence(BayesGraph({"X": ("x", "y", "z")}), found).codes["X"]
    assert sorted(codes.tolist()) == [-1, 0, 2]


def test_names_of_the_counts_do_not_collide_with_columns():
    table = pl.LazyFrame({"n": [1, 1], "w": [2, 3], "min": [1, 1], "count": [0, 0]})
    found, weight = weighted_columns(table, weight="w")
    assert list(found) == ["n", "min", "count"]
    assert weight.tolist() == [5]


NAMES = ["N", "n", "W", "Min", "COUNT", "min_", "n_", "v0"]
AS_SQL = ["age.group", "x ", " x", "\tx", '"x"', "a, b", "count(*)", "1", "select"]
"""Names that DuckDB would read as something else if they stood in a query as they are."""


@pytest.mark.parametrize("name", [*NAMES, *AS_SQL])
@pytest.mark.parametrize("weight", [None, "Row"])
def test_a_column_may_be_called_as_a_helper_whatever_its_capitals(name, weight):
    """DuckDB takes N and n for one name."""
    frame = pd.DataFrame({name: [0, 1, 1, 0], "X": ["a", "b", "b", "b"], "Row": [1.0, 2, 3, 4]})
    asked = {"columns": [name, "X"]} | ({} if weight is None else {"weight": weight})
    for table in (duckdb.connect().from_df(frame), pl.from_pandas(frame).lazy()):
        found, counts = weighted_columns(table, **asked)
        rows = zip(found[name].to_list(), found["X"].to_list(), counts, strict=True)
        expected = [(0, "a", 1), (0, "b", 1 if weight is None else 4)]
        assert sorted(rows) == [*expected, (1, "b", 2 if weight is None else 5)]
        graph = BayesGraph.from_table(frame, {"X": name}, columns=[name, "X"])
        run = fit(graph, table, restarts=1, n_epochs=2, **asked)
        assert run.n == (4 if weight is None else 10)
        assert sum(distinct(graph, table, **asked)[1]) == run.n


def test_a_weight_may_be_called_as_a_helper():
    for name in ("N", "W", "MIN", "Count", "w.x", "X "):
        frame = pd.DataFrame({"X": ["a", "b", "b"], name: [1, 2, 3]})
        for table in (duckdb.connect().from_df(frame), pl.from_pandas(frame).lazy(), frame):
            graph = BayesGraph.from_table(table, weight=name)
            assert list(graph.variables) == ["X"]
            assert fit(graph, table, weight=name, n_epochs=1, restarts=1).n == 6


def test_names_that_differ_in_capitals_alone_are_two_columns():
    rows = {"a": [0, 1, 1], "A": ["x", "x", "y"]}
    kinds = (rows, pd.DataFrame(rows), pl.DataFrame(rows), pl.LazyFrame(rows), pa.table(rows))
    for table in kinds:
        graph = BayesGraph.from_table(table, {"A": "a"})
        assert graph.variables["a"].states == (0, 1)
        assert graph.variables["A"].states == ("x", "y")
        evidence, _ = read_counted(graph, table)
        rows_found = zip(evidence.codes["a"].tolist(), evidence.codes["A"].tolist(), strict=True)
        assert sorted(rows_found) == [(0, 0), (1, 0), (1, 1)]


def test_columns_that_are_one_name_to_duckdb_are_never_taken_for_each_other():
    query = """select x as a, 1 - x as b, y as w, 1.0 as "W", y as c, z as "C"
               from (values (0, 2, 5), (1, 3, 5)) t(x, y, z)"""
    table = duckdb.connect().sql(query)
    graph = BayesGraph({"a": 2, "b": 2})
    for weight in ("w", "W"):
        with pytest.raises(ValueError, match="'[wW]' and '[wW]', which differ in capitals alone"):
            fit(graph, table, columns=["a", "b"], weight=weight)
    with pytest.raises(ValueError, match="'c' and 'C', which differ in capitals alone"):
        BayesGraph.from_table(table, columns=["a", "c"])
    with pytest.raises(ValueError, match="'c' and 'C', which differ in capitals alone"):
        score(BayesGraph({"c": (2, 3), "S": 2}), {}, table, "S", columns=["c"])
    assert fit(graph, table, columns=["a", "b"]).n == 2  # the others do not matter
    frame = table.to_arrow_table()
    assert fit(graph, frame, columns=["a", "b"], weight="W").n == 2
    assert fit(graph, frame, columns=["a", "b"], weight="w").n == 5


def test_a_name_that_is_not_there_is_refused_with_the_nearest():
    for table in (FRAME, pl.from_pandas(FRAME).lazy(), duckdb.connect().from_df(FRAME)):
        with pytest.raises(ValueError, match="columns names 'x': the columns.*; 'X' may be meant"):
            weighted_columns(table, columns=["x"])
    with pytest.raises(GraphError, match="column 'Heigth' is no variable.*; 'Height' may be meant"):
        read_evidence(BayesGraph({"Height": 2, "Age": 2}), {"Heigth": [0]})


# A declared order is the order of states

ORDER = ["pre", "post", "later"]
CODES_OF = [1, 0, 1]


def declared(kind):
    words = [ORDER[k] for k in CODES_OF]
    arrow = pa.DictionaryArray.from_arrays(CODES_OF, ORDER)
    ordered = pa.DictionaryArray.from_arrays(CODES_OF, ORDER, ordered=True)
    category = pd.DataFrame({"X": pd.Categorical(words, ORDER)})
    enum = pl.DataFrame({"X": pl.Series(words, dtype=pl.Enum(ORDER))})
    on_arrow = pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type))
    return {
        "pandas": category,
        "pandas ordered": category.astype(pd.CategoricalDtype(ORDER, ordered=True)),
        "a Categorical": {"X": category["X"].array},
        "a CategoricalIndex": {"X": pd.CategoricalIndex(words, ORDER)},
        "pandas on Arrow": pd.DataFrame({"X": on_arrow}),
        "a column on Arrow": {"X": on_arrow},
        "polars": enum,
        "a polars column": {"X": enum["X"]},
        "polars lazy": enum.lazy(),
        "Arrow": pa.table({"X": arrow}),
        "Arrow ordered": pa.table({"X": ordered}),
        "an Arrow array": {"X": arrow},
        "Arrow in parts": pa.table({"X": pa.chunked_array([arrow[:2], arrow[2:]])}),
        "Arrow batch": pa.RecordBatch.from_arrays([arrow], names=["X"]),
        "DuckDB": duckdb.connect().sql(
            "SELECT x::ENUM('pre', 'post', 'later') AS X "
            "FROM (VALUES ('post'), ('pre'), ('post')) t(x)"
        ),
        "DuckDB on pandas": duckdb.connect().from_df(category),
        "Dask": dd.from_pandas(category, npartitions=2),
        "Dask of unknown categories": dd.from_pandas(category, npartitions=2).assign(
            X=lambda t: t.X.cat.as_unknown()
        ),
    }[kind]  # fmt: skip


DECLARED = [
    "pandas", "pandas ordered", "a Categorical", "a CategoricalIndex", "pandas on Arrow",
    "a column on Arrow", "polars", "a polars column", "polars lazy", "Arrow", "Arrow ordered",
    "an Arrow array", "Arrow in parts", "Arrow batch", "DuckDB", "DuckDB on pandas", "Dask",
    "Dask of unknown categories",
]  # fmt: skip


@pytest.mark.parametrize("kind", DECLARED)
def test_a_declared_order_is_the_order_of_states(kind):
    graph = BayesGraph.from_table(declared(kind))
    assert graph.variables["X"].states == tuple(ORDER)
    rows, weights = distinct(graph, declared(kind))
    assert dict(zip(rows.codes["X"].tolist(), weights, strict=True)) == {0: 1, 1: 2}
    found, _ = weighted_columns(declared(kind))
    assert categories(found["X"]) == ORDER


def test_an_order_that_only_a_storage_has_is_not_one_of_states():
    parts = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    kinds = {
        "dictionaries that differ": pa.table({"X": pa.chunked_array(parts)}),
        "polars Categorical": pl.DataFrame({"X": pl.Series(["b", "a", "c"], dtype=pl.Categorical)}),
        "text": {"X": ["b", "a", "c"]},
    }
    for table in kinds.values():
        graph = BayesGraph.from_table(table)
        assert graph.variables["X"].states == ("a", "b", "c")
        assert categories(columns(table)["X"]) is None
        codes = read_evidence(graph, table).codes["X"].tolist()
        assert codes in ([1, 0, 2, 0], [1, 0, 2])


def test_lists_of_arrow_in_pandas_are_likelihood_vectors():
    cells = pd.Series(pa.array([[0.2, 0.8], None]), dtype=pd.ArrowDtype(pa.list_(pa.float64())))
    vectors = read_evidence(GRAPH, {"X": cells}).vectors["X"]
    np.testing.assert_allclose(vectors, [[0.2, 1], [0.8, 1]])
    with pytest.raises(ValueError, match="'X' holds likelihood vectors: give its states"):
        BayesGraph.from_table(pd.DataFrame({"X": cells}))


# A table without columns

BARE = {
    "pandas": lambda: pd.DataFrame(index=range(3)),
    "polars": lambda: pl.DataFrame(),
    "Arrow": lambda: pa.table({"a": [1, 2, 3]}).select([]),
    "list of dicts": lambda: [{}, {}, {}],
    "array and names": lambda: (np.empty((3, 0)), []),
    "polars lazy": lambda: pl.LazyFrame(),
    "Dask": lambda: dd.from_pandas(pd.DataFrame({"a": [1, 2]}), npartitions=1)[[]],
}
ENTRIES = {
    "fit": lambda table: fit(GRAPH, table),
    "from_table": lambda table: BayesGraph.from_table(table, hidden={"S": 2}),
    "distinct": lambda table: distinct(GRAPH, table),
    "score": lambda table: score(GRAPH, uniform_theta(GRAPH), table, "S"),
}


@pytest.mark.parametrize("made", BARE.values(), ids=BARE)
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_a_table_without_columns_teaches_nothing_whether_or_not_it_has_rows(entry, made):
    says = "the table has no (columns, but 3 rows|rows and no columns)|no column of the table|lazy"
    with pytest.raises(ValueError, match=says):
        entry(made())


@pytest.mark.parametrize("kind", BARE)
def test_each_row_of_a_table_without_columns_has_its_answer(kind):
    table = BARE[kind]()
    if kind.startswith(("polars", "Dask")):  # these have no rows without columns, or do not say
        with pytest.raises(ValueError, match="no rows and no columns|lazy"):
            read_evidence(GRAPH, table)
    else:
        assert read_evidence(GRAPH, table).n == 3
        assert len(posterior(GRAPH, uniform_theta(GRAPH), table, "S")) == 3


def test_no_evidence_is_an_empty_mapping_and_columns_that_are_left_out_are_none():
    assert read_evidence(GRAPH, {}).n == read_evidence(GRAPH, None).n == 1
    for table in (FRAME, FRAME.to_dict("list"), pl.from_pandas(FRAME)):
        with pytest.raises(ValueError, match="no column of the table is used"):
            distinct(GRAPH, table, columns=[])


def test_rows_of_a_lazy_table_are_not_read_one_by_one(lazy):
    for read in (columns, lambda table: read_evidence(GRAPH, table)):
        with pytest.raises(ValueError, match=r"is a lazy \w+.*its engine group equal ones"):
            read(lazy)
    with pytest.raises(ValueError, match="a column is a lazy .*give its table as a whole"):
        read_evidence(GRAPH, {"X": lazy})


class Watched(Exception):
    pass


def test_a_relation_is_not_printed_iterated_or_fetched(monkeypatch, parquet):
    table = pl.scan_parquet(parquet)

    def refuse(*args, **kwargs):
        raise Watched

    for name in ("__repr__", "__str__", "fetch", "head", "describe"):
        if hasattr(pl.LazyFrame, name):
            monkeypatch.setattr(pl.LazyFrame, name, refuse)
    collected = []
    collect = pl.LazyFrame.collect

    def watched(self, *args, **kwargs):
        found = collect(self, *args, **kwargs)
        collected.append(len(found))
        return found

    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    read_counted(GRAPH, table, weight="w")
    with pytest.raises(ValueError, match="lazy"):
        read_evidence(GRAPH, table)
    assert len(collected) == 1
    assert collected[0] <= 32


@pytest.mark.parametrize(
    "weights", [[1.0, None], [1.0, -1.0], [1.0, np.nan], [np.inf, 1.0]], ids=str
)
def test_weights_that_are_no_weights_are_refused(weights):
    table = {"X": ["no", "no"], "w": weights}
    with pytest.raises(ValueError, match="'w' has cells that are empty, negative or not finite"):
        weighted_columns(pl.LazyFrame(table), weight="w")
    with pytest.raises(ValueError, match=r"'w' has cells that .* not finite \(sample [01] has "):
        weighted_columns(table, weight="w")


BAD = {
    "no such column": ({"columns": ["X", "Q"]}, "columns names 'Q': the columns of the table are"),
    "no such weight": ({"weight": "Q"}, "weight names 'Q'"),
    "weights by place": ({"weight": [1.0] * N}, "a lazy table have no places"),
    "nothing": ({"columns": []}, "no column of the table is used"),
}


@pytest.mark.parametrize(("asked", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_counted_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        weighted_columns(pl.from_pandas(FRAME).lazy(), **asked)


def test_a_lazy_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="the table is empty"):
        weighted_columns(pl.LazyFrame({"X": []}, schema={"X": pl.String}))


def test_a_weight_in_memory_holds_numbers():
    with pytest.raises(ValueError, match="weight: the column 'w' holds 'a', 'b': expected numbers"):
        weighted_columns({"X": [0, 1], "w": ["a", "b"]}, weight="w")
    numbers = weighted_columns({"X": [0, 1], "w": pd.Series([1, 2], dtype="Int64")}, weight="w")[1]
    assert numbers.tolist() == [1, 2]


def with_dictionary(codes, words, ordered=False):
    """A data frame of pandas with a dictionary of Arrow."""
    cells = pa.DictionaryArray.from_arrays(pa.array(codes), words, ordered=ordered)
    kept = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([cells])))
    return pd.DataFrame({"X": kept, "Y": [k % 2 for k in range(len(codes))]})


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("parts", mostly_slow([1, 2, 5], 2))
def test_a_dictionary_of_arrow_is_read_in_dask_as_in_pandas(parts, ordered):
    frame = with_dictionary([1, 0, 0, None, 2, 1], ["pre", "post", "never", "none"], ordered)
    table = dd.from_pandas(frame, npartitions=parts)
    graph = BayesGraph.from_table(table, {"Y": "X"})
    assert graph.variables["X"].states == ("pre", "post", "never", "none")
    run, other = fit(graph, table, n_epochs=2), fit(graph, frame, n_epochs=2)
    for name, matrix in other.best_theta.items():
        np.testing.assert_allclose(run.best_theta[name], matrix)
    asked, expected = (
        score(graph, run, t, "Y", columns=["X"]) for t in (table[["X"]], frame[["X"]])
    )
    found = asked.compute()
    assert found["X"].tolist() == expected["X"].tolist()
    np.testing.assert_allclose(found["loglik"], expected["loglik"])


def test_parts_of_dask_with_other_dictionaries_declare_no_states():
    halves = [with_dictionary([0, 1], words) for words in (["b", "a"], ["c", "a"])]
    table = dd.from_map(lambda k: halves[k], [0, 1], meta=halves[0].iloc[:0])
    assert BayesGraph.from_table(table, columns=["X"]).variables["X"].states == ("a", "b", "c")


def test_a_table_of_dask_whose_columns_are_called_by_numbers_is_read_as_in_pandas():
    frame = pd.DataFrame({0: ["n", "y", "y"], 1: ["y", "y", None], 2: [1, 2, 3]})
    table = dd.from_pandas(frame, npartitions=2)
    asked = {"columns": [0, 1], "weight": "2"}
    graph = BayesGraph.from_table(frame, {"1": "0"}, **asked)
    assert BayesGraph.from_table(table, {"1": "0"}, **asked) == graph
    run = fit(graph, table, n_epochs=2, **asked)
    assert run.n == 6
    expected = score(graph, run, frame[[0]], "1", columns=[0])
    found = score(graph, run, table[[0]], "1", columns=[0]).compute()
    assert list(found) == list(expected)
    np.testing.assert_allclose(found["loglik"], expected["loglik"])


def test_columns_that_arrow_stores_in_runs_are_read_as_others():
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["x", "y"]))
    kept = pd.arrays.ArrowExtensionArray(pa.chunked_array([runs]))
    for table in (pa.table({"X": runs}), pd.DataFrame({"X": kept}), {"X": runs}):
        graph = BayesGraph.from_table(table)
        assert graph.variables["X"].states == ("x", "y")
        assert read_evidence(graph, table).codes["X"].tolist() == [0, 0, 1]


def test_whole_numbers_are_states_however_many_bits_they_have():
    rows = "from (values (1, 2), (3, 2), (null, 5)) t(x, y)"
    connection = duckdb.connect()
    for table in (
        connection.sql(f"select x::hugeint as X, y::decimal(8, 2) as Y {rows}"),
        connection.sql(f"select sum(x) as X, y + 0.0 as Y {rows} group by x, y"),
        pl.DataFrame({"X": [1, 3, None], "Y": [2, 2, 5]}, {"X": pl.Int128, "Y": pl.Int128}),
        pl.LazyFrame({"X": [1, 3, None], "Y": [2, 2, 5]}, {"X": pl.Int128, "Y": pl.Decimal(8, 2)}),
    ):
        graph = BayesGraph.from_table(table)
        assert [graph.variables[v].states for v in "XY"] == [(1, 3), (2, 5)]
        assert {type(s) for v in "XY" for s in graph.variables[v].states} == {int}
        assert fit(graph, table).best_theta["Y"] == pytest.approx(np.array([[2 / 3, 1 / 3]]))
    halves = BayesGraph.from_table({"X": [Decimal("0.5"), Decimal(1)]})
    assert halves.variables["X"].states == (Decimal("0.5"), Decimal(1))


def kinds_with_weight(weight):
    rows = {"X": ["a", "b", "a"], "w": weight}
    frame = pd.DataFrame(rows)
    yield from (
        rows,
        [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)],
    )
    yield from (frame, frame.convert_dtypes(), frame.convert_dtypes(dtype_backend="pyarrow"))
    yield from (pl.DataFrame(rows), pl.LazyFrame(rows), pa.table(rows))
    yield duckdb.connect().from_arrow(pa.table(rows))
    yield dd.from_pandas(frame, npartitions=2)


def test_truth_values_and_decimals_are_weights_in_every_kind_of_table():
    graph = BayesGraph({"X": ("a", "b")})
    for weight in ([True, True, False], [Decimal("0.5"), Decimal("0.5"), Decimal(0)]):
        for table in kinds_with_weight(weight):
            run = fit(graph, table, weight="w")
            assert run.n == sum(weight) and run.best_theta["X"].tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("weight", [["1", "2", "3"], ["a", "b", None]])
def test_text_is_no_weight_in_any_kind_of_table(weight):
    for table in kinds_with_weight(weight):
        if weight[0] == "1" and type(table).__module__.startswith("dask"):
            continue  # its text may have been Decimals
        with pytest.raises(ValueError, match="weight: the column 'w' holds .*: expected numbers"):
            fit(BayesGraph({"X": ("a", "b")}), table, weight="w")


def test_evidence_that_was_read_has_no_columns_to_name():
    evidence = read_evidence(GRAPH, {"X": ["no"]})
    assert read_counted(GRAPH, evidence)[0] is evidence
    with pytest.raises(ValueError, match="evidence that was read already"):
        read_counted(GRAPH, evidence, weight="w")


def test_tables_of_arrays_need_no_data_frame_library():
    code = (
        "import sys, fgnwidgets as fg, numpy as np; g = fg.BayesGraph({'X': ('a', 'b')});"
        "fg.read_evidence(g, {'X': ['a', None]}); fg.read_evidence(g, (np.ones((2, 1)), ['X']));"
        "print([m for m in ('narwhals', 'pandas', 'polars', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
