"""Tables that are not in memory: their own engine counts equal rows."""

import subprocess
import sys
from collections import Counter

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from distributed import Client, LocalCluster

from fgnwidgets import BayesGraph, distinct, read_evidence
from fgnwidgets.border.evidence import fold, read_counted
from fgnwidgets.tables import columns, counted, labels

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
    found, _ = counted(lazy, columns=["X", "Y", "Z"])
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
    found, _ = counted(table)
    assert labels(found["X"], "X") == ("z", "y", "x")
    codes = read_evidence(BayesGraph({"X": ("x", "y", "z")}), found).codes["X"]
    assert sorted(codes.tolist()) == [-1, 0, 2]


def test_names_of_the_counts_do_not_collide_with_columns():
    table = pl.LazyFrame({"n": [1, 1], "w": [2, 3], "min": [1, 1], "count": [0, 0]})
    found, weight = counted(table, weight="w")
    assert list(found) == ["n", "min", "count"]
    assert weight.tolist() == [5]


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
        counted(pl.LazyFrame(table), weight="w")
    with pytest.raises(ValueError, match=r"'w' has cells that .* not finite \(sample [01] has "):
        counted(table, weight="w")


BAD = {
    "no such column": ({"columns": ["X", "Q"]}, "columns names 'Q': the columns of the table are"),
    "no such weight": ({"weight": "Q"}, "weight names 'Q'"),
    "weights by place": ({"weight": [1.0] * N}, "a lazy table have no places"),
    "nothing": ({"columns": []}, "no column of the table is used"),
}


@pytest.mark.parametrize(("asked", "said"), BAD.values(), ids=BAD)
def test_what_cannot_be_counted_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        counted(pl.from_pandas(FRAME).lazy(), **asked)


def test_a_lazy_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="the table is empty"):
        counted(pl.LazyFrame({"X": []}, schema={"X": pl.String}))


def test_a_weight_in_memory_holds_numbers():
    with pytest.raises(ValueError, match="weight: the column 'w' holds 'a', 'b': expected numbers"):
        counted({"X": [0, 1], "w": ["a", "b"]}, weight="w")
    numbers = counted({"X": [0, 1], "w": pd.Series([1, 2], dtype="Int64")}, weight="w")[1]
    assert numbers.tolist() == [1, 2]


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
