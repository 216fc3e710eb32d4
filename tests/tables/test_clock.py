"""The clock of a long table: the order and the distances of times of every kind, at every entry."""

import datetime as dt
import itertools
import pickle
import zoneinfo
from decimal import Decimal
from fractions import Fraction

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks import close

import fgnwidgets as fg

# One person whose rows are not in the order of time; X is what was seen, in that order.


def columns_of(times, seen):
    times = list(times)
    return {"who": ["a"] * len(times), "when": times, "X": list(seen)}


def records(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def steps(table, **options):
    """What was seen at each step by the first person, None where nobody came."""
    wide = fg.sequences(table, id="who", time="when", **options)
    return [wide[f"X{t}"][0] for t in range(1, wide.n + 1)]


def arrow(kind):
    return lambda times, seen: pa.table(
        {"who": ["a"] * len(times), "when": pa.array(times, kind), "X": seen}
    )


def structured(times, seen):
    found = np.empty(len(times), [("who", "U1"), ("when", np.asarray(times).dtype), ("X", "O")])
    found["who"], found["when"], found["X"] = "a", times, seen
    return found


def pandas(kind=None):
    return lambda times, seen: pd.DataFrame(
        {"who": ["a"] * len(times), "when": pd.Series(times, dtype=kind), "X": seen}
    )


def in_duckdb(kind):
    def made(times, seen):
        connection = duckdb.connect()
        connection.execute(f'create table t (who text, "when" {kind}, X text)')
        rows = [("a", *row) for row in zip(times, seen, strict=True)]
        connection.executemany("insert into t values (?, ?, ?)", rows)
        return connection.table("t")

    return made


def dask(kind=None):
    return lambda times, seen: dd.from_pandas(pandas(kind)(times, seen), npartitions=2)


def polars(kind=None):
    return lambda times, seen: pl.DataFrame(
        {"who": ["a"] * len(times), "when": pl.Series(times, dtype=kind), "X": list(seen)}
    )


ANY = {
    "dict": columns_of,
    "dict of arrays": lambda times, seen: {
        k: np.array(v) for k, v in columns_of(times, seen).items()
    },
    "list of dicts": lambda times, seen: records(columns_of(times, seen)),
    "array of objects": lambda times, seen: (
        np.array(list(zip("a" * len(times), times, seen, strict=True)), dtype=object),
        ["who", "when", "X"],
    ),
    "structured": structured,
    "pandas": pandas(),
    "pandas object": pandas(object),
    "polars": polars(),
    "polars lazy": lambda times, seen: polars()(times, seen).lazy(),
    "pyarrow": arrow(None),
    "Dask": dask(),
}
YEARS = {
    **ANY,
    "np.int64 in a dict": lambda times, seen: columns_of(map(np.int64, times), seen),
    "float": lambda times, seen: columns_of(map(float, times), seen),
    "np.float32": lambda times, seen: columns_of(np.array(times, dtype=np.float32), seen),
    "masked": lambda times, seen: columns_of(times, seen) | {"when": np.ma.array(times)},
    "Decimal": lambda times, seen: columns_of(map(Decimal, times), seen),
    "Fraction": lambda times, seen: columns_of(map(Fraction, times), seen),
    "text": lambda times, seen: columns_of(map(str, times), seen),
    "date": lambda times, seen: columns_of([dt.date(t, 1, 1) for t in times], seen),
    "year of NumPy": lambda times, seen: (
        columns_of(times, seen) | {"when": np.array([f"{t}" for t in times], dtype="M8[Y]")}
    ),
    "Period": lambda times, seen: (
        columns_of(times, seen) | {"when": pd.PeriodIndex([f"{t}" for t in times], freq="Y")}
    ),
    "pandas Int64": pandas("Int64"),
    "pandas Float64": pandas("Float64"),
    "pandas of Arrow": pandas("int64[pyarrow]"),
    "pandas of Arrow's decimals": pandas(pd.ArrowDtype(pa.decimal128(8, 2))),
    "pandas text": lambda times, seen: pandas("string")(list(map(str, times)), seen),
    "pandas categories": pandas("category"),
    "polars UInt16": polars(pl.UInt16),
    "polars Decimal": lambda times, seen: polars(pl.Decimal(8, 2))(list(map(Decimal, times)), seen),
    "polars Enum": lambda times, seen: polars(pl.Enum(sorted(map(str, times))))(
        list(map(str, times)), seen
    ),
    "pyarrow decimals": arrow(pa.decimal128(8, 2)),
    "pyarrow dictionary": lambda times, seen: pa.table(
        columns_of(times, seen) | {"when": pa.array(times).dictionary_encode()}
    ),
    "DuckDB": in_duckdb("integer"),
    "DuckDB DECIMAL": in_duckdb("decimal(8, 2)"),
    "DuckDB HUGEINT": in_duckdb("hugeint"),
    "Dask Int64": dask("Int64"),
}


@pytest.mark.parametrize("kind", YEARS)
def test_a_year_without_a_visit_is_a_gap_whatever_the_years_are_written_in(kind):
    table = YEARS[kind]([2013, 2011, 2014], ["b", "a", "c"])
    step = {"step": "year"} if kind == "date" else {}
    assert steps(table, **step) == ["a", None, "b", "c"]


THETA = {
    "start": np.array([[0.6, 0.4]]),
    "transition": np.array([[0.7, 0.3], [0.2, 0.8]]),
    "emission": np.array([[0.9, 0.1], [0.3, 0.7]]),
}


def enumerated(seen):
    """log P(seen) by all paths; None is a step without a visit."""
    total = 0.0
    for path in itertools.product(range(2), repeat=len(seen)):
        p = THETA["start"][0, path[0]]
        for a, b in itertools.pairwise(path):
            p *= THETA["transition"][a, b]
        for s, x in zip(path, seen, strict=True):
            p *= 1 if x is None else THETA["emission"][s, "ab".index(x)]
        total += p
    return np.log(total)


@pytest.mark.parametrize("kind", YEARS)
def test_the_likelihood_with_the_gap_is_that_of_all_paths(kind):
    table = YEARS[kind]([2011, 2013, 2014], ["a", "b", "b"])
    wide = fg.sequences(table, id="who", time="when", step="year" if kind == "date" else None)
    graph = fg.hmm(2, ("a", "b"), wide.n)
    close(fg.loglik(graph, THETA, wide), [enumerated(["a", None, "b", "b"])])
    assert abs(enumerated(["a", None, "b", "b"]) - enumerated(["a", "b", "b"])) > 0.01
    assert wide.gaps["steps"] == [1]
    assert (wide.ids, wide.gaps["id"]) == (["a"], ["a"])


# The order of text, and of categories

WAVES = ["pre", "mid", "post"]  # the alphabet has mid, post, pre


def encoded(values, levels, ordered):
    codes = pa.array([levels.index(v) for v in values], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(levels), ordered=ordered)


DECLARED = {
    "dict of a Categorical": lambda times, seen: (
        columns_of(times, seen) | {"when": pd.Categorical(times, WAVES, ordered=True)}
    ),
    "dict of a Series": lambda times, seen: (
        columns_of(times, seen) | {"when": pd.Series(pd.Categorical(times, WAVES, ordered=True))}
    ),
    "dict of an Enum": lambda times, seen: (
        columns_of(times, seen) | {"when": pl.Series(times, dtype=pl.Enum(WAVES))}
    ),
    "dict of a dictionary": lambda times, seen: (
        columns_of(times, seen) | {"when": encoded(times, WAVES, True)}
    ),
    "pandas ordered": pandas(pd.CategoricalDtype(WAVES, ordered=True)),
    "pandas with categories": pandas(pd.CategoricalDtype(WAVES)),
    "pandas of an Arrow dictionary": lambda times, seen: pandas()(times, seen).assign(
        when=pd.arrays.ArrowExtensionArray(encoded(times, WAVES, True))
    ),
    "Arrow to pandas of Arrow": lambda times, seen: pa.table(
        columns_of(times, seen) | {"when": encoded(times, WAVES, True)}
    ).to_pandas(types_mapper=pd.ArrowDtype),
    "polars Enum": polars(pl.Enum(WAVES)),
    "polars Enum, lazy": lambda times, seen: polars(pl.Enum(WAVES))(times, seen).lazy(),
    "pyarrow ordered": lambda times, seen: pa.table(
        columns_of(times, seen) | {"when": encoded(times, WAVES, True)}
    ),
    "pyarrow in another order than that of the rows": lambda times, seen: pa.table(
        columns_of(times, seen) | {"when": encoded(times, WAVES, False)}
    ),
    "pyarrow in chunks": lambda times, seen: pa.concat_tables(
        pa.table(columns_of([t], [x]) | {"when": encoded([t], WAVES, True)})
        for t, x in zip(times, seen, strict=True)
    ),
    "polars to Arrow": lambda times, seen: polars(pl.Enum(WAVES))(times, seen).to_arrow(),
    "DuckDB": in_duckdb("enum('pre', 'mid', 'post')"),
    "Dask": dask(pd.CategoricalDtype(WAVES, ordered=True)),
}


@pytest.mark.parametrize("kind", DECLARED)
def test_a_declared_order_rules_and_a_category_without_a_visit_is_a_gap(kind):
    table = DECLARED[kind](["post", "mid", "pre"], ["c", "b", "a"])
    assert steps(table) == ["a", "b", "c"]
    table = DECLARED[kind](["post", "pre"], ["c", "a"])
    assert steps(table) == ["a", None, "c"]
    assert steps(table, step="visit") == ["a", "c"]


ABC = ["a", "b", "c"]
ALPHABET = {
    "pandas": pandas(pd.CategoricalDtype(ABC, ordered=True)),
    "polars": polars(pl.Enum(ABC)),
    "pyarrow": lambda times, seen: pa.table(
        columns_of(times, seen) | {"when": encoded(times, ABC, True)}
    ),
    "pandas of Arrow": lambda times, seen: pandas()(times, seen).assign(
        when=pd.arrays.ArrowExtensionArray(encoded(times, ABC, True))
    ),
    "DuckDB": in_duckdb("enum('a', 'b', 'c')"),
    "Dask": dask(pd.CategoricalDtype(ABC, ordered=True)),
}


@pytest.mark.parametrize("kind", ALPHABET)
def test_a_declared_order_that_is_the_alphabet_rules_too(kind):
    table = ALPHABET[kind](["c", "a", "b"], ["z", "x", "y"])
    assert steps(table) == ["x", "y", "z"]


UNDECLARED = {
    "dict": columns_of,
    "pandas": pandas(),
    "pandas string": pandas("string"),
    "pandas of Arrow": pandas("string[pyarrow]"),
    "pandas sorted it": pandas("category"),
    "polars": polars(),
    "polars Categorical": polars(pl.Categorical),
    "pyarrow": arrow(None),
    "pyarrow dictionary": lambda times, seen: pa.table(
        columns_of(times, seen)
        | {
            "when": pa.array(sorted(times))
            .dictionary_encode()
            .take(pa.array([sorted(times).index(t) for t in times]))
        }
    ),
    "DuckDB": in_duckdb("text"),
    "Dask": dask(),
    "Dask sorted it": dask("category"),
}


@pytest.mark.parametrize("kind", UNDECLARED)
def test_text_is_not_put_into_the_order_of_the_alphabet(kind):
    table = UNDECLARED[kind](["week 10", "week 9"], ["b", "a"])
    with pytest.raises(ValueError, match=r"^when .*order.*ordered=True"):
        steps(table)


def test_an_order_of_first_occurrence_is_taken_only_where_it_moves_no_row():
    def dictionary(who, when):
        encoded = pa.array(when).dictionary_encode()
        return pa.table({"who": who, "when": encoded, "X": list("abcd")[: len(who)]})

    wide = fg.sequences(dictionary([1, 1, 2, 2], ["week 9", "week 10"] * 2), id="who", time="when")
    assert (wide["X1"], wide["X2"]) == (["a", "c"], ["b", "d"])
    with pytest.raises(ValueError, match="the rows of 2 come in another: declare the order"):
        fg.sequences(
            dictionary([1, 1, 2, 2], ["week 9", "week 10", "week 10", "week 9"]),
            id="who",
            time="when",
        )


@pytest.mark.parametrize("kind", ANY)
def test_numbers_in_text_are_in_the_order_of_numbers(kind):
    assert steps(ANY[kind](["10", "9", " 12"], ["b", "a", "c"])) == ["a", "b", None, "c"]


@pytest.mark.parametrize(
    ("times", "step", "expected"),
    [
        (["2020-02-01", "2020-01-01", "2020-04-01"], None, "ba.c"),
        (["2020-02", "2020-01", "2020-04"], None, "ba.c"),
        (["2020-Q4", "2020-Q2", "2021Q1"], None, "b.ac"),
        (["2020-W53", "2020-W51", "2021-W01"], None, "b.ac"),
        (["2020-01-02T10:00", "2020-01-02T08:00:00", "2020-01-02 11:00"], None, "b.ac"),
        (["2020-01-31 10:30", "2020-01-29 08:00", "2020-02-01 23:00"], "day", "b.ac"),
        (["2020-01-01T00:00+00:00", "2020-01-01T00:00+02:00", "2020-01-01T01:00Z"], "hour", "b.ac"),
        (["2020-02", "2020-01-05", "2020-04-07"], "month", "ba.c"),
        (["2021", "2020-03", "2022"], "visit", "bac"),
    ],
)
def test_iso_dates_in_text_are_dates(times, step, expected):
    cells = [None if c == "." else c for c in expected]
    assert steps(columns_of(times, "abc"), step=step) == cells
    assert steps(polars()(times, "abc"), step=step) == cells


# Dates of every kind

JANUARY = [dt.date(2020, 1, day) for day in (3, 1, 4)]
DATES = {
    **ANY,
    "datetime": lambda times, seen: columns_of(
        [pd.Timestamp(t).to_pydatetime() for t in times], seen
    ),
    "Timestamp": lambda times, seen: columns_of(map(pd.Timestamp, times), seen),
    "datetime64 in a dict": lambda times, seen: columns_of(map(np.datetime64, times), seen),
    "datetime64[D]": lambda times, seen: (
        columns_of(times, seen) | {"when": np.array(times, "M8[D]")}
    ),
    "datetime64[ns]": lambda times, seen: (
        columns_of(times, seen) | {"when": np.array(times, "M8[ns]")}
    ),
    "datetime64[s] in a structured array": lambda times, seen: structured(
        np.array(times, "M8[s]"), seen
    ),
    "text": lambda times, seen: columns_of([t.isoformat() for t in times], seen),
    "numbers": lambda times, seen: columns_of([int(f"{t:%Y%m%d}") for t in times], seen),
    "pandas datetimes": pandas("datetime64[ns]"),
    "pandas with a zone": pandas("datetime64[ns, Europe/Rome]"),
    "pandas Period": lambda times, seen: (
        columns_of(times, seen) | {"when": pd.PeriodIndex(times, freq="D")}
    ),
    "pandas of Arrow's dates": pandas(pd.ArrowDtype(pa.date32())),
    "pandas of Arrow's timestamps": pandas(pd.ArrowDtype(pa.timestamp("us", "UTC"))),
    "pandas categories": pandas("category"),
    "polars Date": polars(pl.Date),
    "polars Datetime": polars(pl.Datetime("ns")),
    "polars Datetime with a zone": lambda times, seen: polars(pl.Date)(times, seen).with_columns(
        pl.col("when").cast(pl.Datetime).dt.replace_time_zone("America/New_York")
    ),
    "pyarrow date64": arrow(pa.date64()),
    "pyarrow timestamp": lambda times, seen: pa.table(
        columns_of(times, seen) | {"when": pa.array(times).cast(pa.timestamp("ns"))}
    ),
    "DuckDB DATE": in_duckdb("date"),
    "DuckDB TIMESTAMP": in_duckdb("timestamp"),
    "Dask datetimes": dask("datetime64[us]"),
}


@pytest.mark.parametrize("kind", DATES)
def test_a_day_without_a_visit_is_a_gap_whatever_the_dates_are_written_in(kind):
    if kind == "structured":
        pytest.skip("NumPy has dates in structured arrays as datetime64")
    table = DATES[kind](JANUARY, ["b", "a", "c"])
    assert steps(table, step="day") == ["a", None, "b", "c"]
    if kind != "numbers":
        assert steps(table) == ["a", None, "b", "c"]  # two visits are a day apart


DURATIONS = {
    "timedelta": lambda days: [dt.timedelta(days=d) for d in days],
    "Timedelta": lambda days: [pd.Timedelta(days=d) for d in days],
    "timedelta64": lambda days: np.array(days, "m8[D]"),
    "timedelta64 in a list": lambda days: list(np.array(days, "m8[h]") * 24),
    "pandas": lambda days: pd.Series(pd.to_timedelta(days, unit="D")),
    "polars": lambda days: pl.Series([dt.timedelta(days=d) for d in days]),
    "pyarrow": lambda days: pa.array([86_400 * d for d in days], pa.duration("s")),
    "time of day": lambda days: [dt.time(d) for d in days],
}


@pytest.mark.parametrize("kind", DURATIONS)
def test_durations_have_distances_too(kind):
    table = columns_of([5, 3, 6], "bac") | {"when": DURATIONS[kind]([5, 3, 6])}
    unit = "hour" if kind == "time of day" else "day"
    assert steps(table) == steps(table, step=unit) == ["a", None, "b", "c"]
    with pytest.raises(ValueError, match=r"step is 'month': the times in 'when' are durations"):
        steps(table, step="month")


def test_a_flag_is_before_and_after():
    for flags in ([True, False], np.array([True, False]), pd.array([True, False], "boolean")):
        assert steps(columns_of([1, 0], "ba") | {"when": flags}) == ["a", "b"]


# What a step is


@pytest.mark.parametrize("kind", ANY)
def test_months_as_numbers_are_months(kind):
    table = ANY[kind]([202501, 202412, 202503], ["b", "a", "c"])
    assert steps(table, step="month") == ["a", "b", None, "c"]
    with pytest.raises(ValueError, match="89 of them without.*step='month' if 202501 is a month"):
        steps(table)


@pytest.mark.parametrize(
    ("times", "step", "expected"),
    [
        ([20244, 20242, 20251], "quarter", "b.ac"),
        ([202452, 202450, 202501], "week", "b.ac"),
        ([20241231, 20241229, 20250101], "day", "b.ac"),
        ([20241231, 20241015, 20250201], "month", "b.a.c"),
        ([2013, 2011, 2014], "year", "b.ac"),
        ([0.3, 0.1, 0.4], 0.1, "b.ac"),
        ([1.5, 0.5, 2], 0.5, "b.ac"),
        ([Decimal("0.3"), Decimal("0.1"), Decimal("0.4")], Decimal("0.1"), "b.ac"),
        (["0.3", "0.1", "0.4"], 0.1, "b.ac"),
        ([7200, 0, 10800], 3600, "b.ac"),
        ([1.7e9 + 7200, 1.7e9, 1.7e9 + 10800], 3600, "b.ac"),
        ([4, 0, 6], np.int64(2), "b.ac"),
        ([40, 0, 60], "visit", "bac"),
        ([dt.date(2020, 1, 15), dt.date(2020, 1, 1), dt.date(2020, 1, 22)], "week", "b.ac"),
        (
            [dt.date(2020, 1, 15), dt.date(2020, 1, 1), dt.date(2020, 1, 22)],
            dt.timedelta(days=7),
            "b.ac",
        ),
        (
            [dt.date(2020, 1, 15), dt.date(2020, 1, 1), dt.date(2020, 1, 22)],
            np.timedelta64(1, "W"),
            "b.ac",
        ),
        ([dt.date(2020, 3, 31), dt.date(2020, 1, 31), dt.date(2020, 4, 30)], None, "b.ac"),
        ([dt.date(2020, 3, 17), dt.date(2020, 1, 31), dt.date(2020, 4, 2)], "month", "b.ac"),
        ([dt.date(2020, 8, 17), dt.date(2020, 1, 31), dt.date(2020, 12, 2)], "quarter", "b.ac"),
        ([dt.date(2013, 1, 1), dt.date(2011, 1, 1), dt.date(2014, 1, 1)], None, "b.ac"),
    ],
)
def test_a_step_is_what_is_said(times, step, expected):
    cells = [None if c == "." else c for c in expected]
    assert steps(columns_of(times, "abc"), step=step) == cells


def test_a_week_begins_on_monday():
    sunday, monday = dt.date(2020, 1, 5), dt.date(2020, 1, 6)
    assert steps(columns_of([sunday, monday], "ab"), step="week") == ["a", "b"]
    with pytest.raises(ValueError, match="two visits in one week"):
        steps(columns_of([monday, dt.date(2020, 1, 12)], "ab"), step="week")


def test_a_day_is_a_day_where_the_clocks_change_and_an_hour_an_hour():
    rome = zoneinfo.ZoneInfo("Europe/Rome")
    days = [dt.datetime(2020, 3, d, 12, tzinfo=rome) for d in (28, 29, 31)]
    assert steps(columns_of(days, "abc")) == ["a", "b", None, "c"]
    night = [dt.datetime(2020, 10, 25, 2, 30, tzinfo=rome, fold=f) for f in (1, 0)]
    assert steps(columns_of(night, "ba"), step="hour") == ["a", "b"]
    india = [
        dt.datetime(2020, 1, 1, h, m, tzinfo=zoneinfo.ZoneInfo("Asia/Kolkata"))
        for h, m in ((9, 59), (10, 1), (10, 59))
    ]
    assert steps(columns_of(india[:2], "ab"), step="hour") == ["a", "b"]
    with pytest.raises(ValueError, match="'a' has two visits in one hour"):
        steps(columns_of(india[1:], "ab"), step="hour")


def test_an_id_that_cannot_be_compared_is_refused_with_its_row():
    table = {"who": ["a", ["b"]], "when": [1, 2], "X": ["p", "q"]}
    with pytest.raises(ValueError, match=r"who is \['b'\] in row 1: expected a text, a number"):
        fg.sequences(table, id="who", time="when")


NEW_YORK, ROME = zoneinfo.ZoneInfo("America/New_York"), zoneinfo.ZoneInfo("Europe/Rome")


def test_no_visit_is_lost_where_the_days_of_two_zones_run_backwards():
    friday = dt.datetime(2024, 3, 1, 23, tzinfo=NEW_YORK)
    saturday = dt.datetime(2024, 3, 2, 1, tzinfo=ROME)  # four hours earlier
    assert saturday < friday
    for frame in (columns_of, pandas(object), lambda times, seen: records(columns_of(times, seen))):
        with pytest.raises(ValueError, match="its day is earlier.*put all times into one zone"):
            steps(frame([friday, saturday], "ab"), step="day")
    one_zone = [t.astimezone(dt.UTC) for t in (friday, saturday + dt.timedelta(days=-1))]
    assert steps(columns_of(one_zone, "ab"), step="day") == ["b", "a"]
    two = {"who": ["a", "b"], "when": [saturday, friday], "X": ["p", "q"]}
    both = fg.sequences(two, id="who", time="when", step="day", align="calendar")
    assert both == {"X1": [None, "q"], "X2": ["p", None]}
    india = dt.datetime(2024, 1, 1, 6, 15, tzinfo=zoneinfo.ZoneInfo("Asia/Kolkata"))  # 00:45
    five_minutes_later = dt.datetime(2024, 1, 1, 0, 50, tzinfo=dt.UTC)
    with pytest.raises(ValueError, match="its hour is earlier"):
        steps(columns_of([india, five_minutes_later], "ab"), step="hour")


@pytest.mark.parametrize("options", [{}, {"step": 1}, {"step": "visit"}, {"align": "calendar"}])
@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "polars lazy", "pyarrow", "Dask"])
def test_a_table_without_rows_is_called_empty(kind, options):
    with pytest.raises(ValueError, match="the table is empty: there is no sequence in it"):
        steps(ANY[kind]([], []), **options)


def test_every_kind_of_gap_is_told():
    table = {"who": list("abaab"), "when": [2011, 2014, 2013, 2014, 2011], "X": list("pqrst")}
    wide = fg.sequences(table, id="who", time="when")
    assert wide.gaps == {
        "id": ["a", "b"],
        "after": [2011, 2011],
        "before": [2013, 2014],
        "steps": [1, 2],
    }
    assert wide.step == "1" and wide.ids == ["a", "b"]
    text = repr(wide)
    assert "2 gaps" in text and "'a': 1 step between 2011 and 2013" in text
    assert "'b': 2 steps between 2011 and 2014" in text
    assert "no gaps" in repr(fg.sequences(table, id="who", time="when", step="visit"))
    dates = columns_of([dt.date(2020, 1, 1), dt.date(2020, 1, 3)], "ab")
    wide = fg.sequences(dates, id="who", time="when", step="day")
    assert wide.step == "day" and len(pd.DataFrame(wide.gaps)) == 1
    again = pickle.loads(pickle.dumps(wide))
    assert again == wide and again.gaps == wide.gaps


REFUSED = {
    "hours in seconds": ([0, 3600, 7200], None, "7201 steps, 7198 of them .*step=3600, by which"),
    "days as numbers": ([20241231, 20250101], None, "step='day' if 20241231 is a day"),
    "two years of days": ([0, 700], None, "699 of them without a visit.*step=700, by which all"),
    "dates two days apart": (
        [dt.date(2020, 1, 1), dt.date(2020, 1, 3)],
        None,
        "no two visits in a row are a unit apart.*step='day'",
    ),
    "a year of days": (
        [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 12, 30)],
        None,
        "362 of them without a visit.*step='day' if that is right",
    ),
    "halves": ([0.5, 1, 1.5], None, "when is 0.5 in row 0, no whole number.*step=0.5"),
    "off the steps": ([0, 3600, 7000], 3600, "when is 7000 in row 2, no whole number of steps"),
    "off the days": (
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 5)],
        dt.timedelta(days=1),
        "in row 1, no whole number of steps",
    ),
    "no month": ([202412, 202413], "month", "when is 202413 in row 1: expected a month written as"),
    "counted months": ([1, 2], "month", "if the numbers count months, give step=1"),
    "no hour": ([1, 2], "hour", "numbers, so a step is a number too"),
    "a timedelta for numbers": ([1, 2], dt.timedelta(1), "are numbers, so a step is a number"),
    "a number for dates": ([dt.date(2020, 1, 1)], 1, "are dates, so a step is a timedelta or one"),
    "days of months": (
        ["2020-01", "2020-02"],
        "day",
        "are months, which have no whole number of d",
    ),
    "dates of two kinds": (["2020", "2020-03"], None, "unlike precision.*step='year'"),
    "one date in another": (["2020", "2020-03"], "visit", "one holds the other"),
    "two in a month": (
        [dt.date(2020, 1, 1), dt.date(2020, 1, 3)],
        "month",
        "'a' has two visits in one month, when 2020-01-01 and 2020-01-03 in rows 0 and 1",
    ),
    "with and without a zone": (
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
        "day",
        "times with a time zone and times without",
    ),
    "numbers and text": ([1, "2"], None, "when holds int and str.*expected times of one kind"),
    "flags and numbers": ([True, 2], None, "expected times of one kind"),
    "infinite": ([1.0, np.inf], None, "expected times of one kind"),
    "objects": ([object(), object()], None, "when holds object"),
    "NaT": ([pd.NaT, pd.Timestamp(2020, 1, 1)], "day", "row 0 has no when"),
    "NaT of NumPy": (np.array(["2020-01-01", "NaT"], "M8[D]"), "day", "row 1 has no when"),
    "NaN": ([1.0, np.nan], None, "row 1 has no when"),
    "no decimal": ([Decimal("NaN"), Decimal(1)], None, "row 0 has no when"),
    "a blank": (["9", " "], None, "row 1 has no when"),
    "a word among numbers": (["9", "10", "ten"], None, "when is 'ten' in row 2, text that is no n"),
    "no date": (["2020-02-30", "2020-02-01"], None, "when is '2020-02-30' in row 0"),
    "so many steps": ([0, 10**12], 1, "would have 1,000,000,000,001 cells"),
}


@pytest.mark.parametrize(("times", "step", "said"), REFUSED.values(), ids=REFUSED)
def test_times_that_do_not_say_a_step_are_refused_with_the_way_out(times, step, said):
    table = columns_of(times, "abcd"[: len(times)]) | {"when": times}
    with pytest.raises(ValueError, match=said):
        steps(table, step=step)


def test_a_table_that_grows_since_a_step_was_named_is_made():
    assert len(steps(columns_of([202412, 202501], "ab"), step=1)) == 90
    assert len(steps(columns_of([0, 3600, 7200], "abc"), step=3600)) == 3


def test_a_turn_of_the_year_among_many_months_is_no_gap_of_88_steps():
    months = [202401 + k for k in range(12)]
    table = {
        "who": [k for k in range(20) for _ in months] + ["late", "late"],
        "when": [*months * 20, 202412, 202501],
    }
    table["X"] = ["a"] * len(table["when"])
    with pytest.raises(ValueError, match="88 of them without a visit.*step='month'"):
        fg.sequences(table, id="who", time="when")
    assert fg.sequences(table, id="who", time="when", step="month").n == 12
    one_year = {name: column[:-2] for name, column in table.items()}
    assert fg.sequences(one_year, id="who", time="when").n == 12


def test_the_remedies_that_are_named_are_remedies():
    assert steps(columns_of([0, 3600, 7200], "abc"), step="visit") == ["a", "b", "c"]
    odd = columns_of([dt.date(2020, 1, 1), dt.date(2020, 1, 3)], "ab")
    assert steps(odd, step="day") == ["a", None, "b"]
    assert steps(odd, step=dt.timedelta(days=2)) == ["a", "b"]
    words = columns_of(["week 10", "week 9"], "ba")
    weeks = pd.Categorical(words["when"], ["week 9", "week 10"], ordered=True)
    assert steps(words | {"when": weeks}) == ["a", "b"]


def test_years_apart_with_one_visit_each_need_no_step():
    table = {"who": [1, 2], "when": [dt.date(2020, 1, 1), dt.date(2023, 5, 6)], "X": ["a", "b"]}
    assert fg.sequences(table, id="who", time="when")["X1"] == ["a", "b"]


def test_the_first_visit_is_the_first_step_or_the_calendar_counts():
    table = {"who": list("bbaa"), "when": [2012, 2013, 2010, 2013], "X": list("pqrs")}
    first = fg.sequences(table, id="who", time="when")
    assert first == {"X1": ["p", "r"], "X2": ["q", None], "X3": [None, None], "X4": [None, "s"]}
    common = fg.sequences(table, id="who", time="when", align="calendar")
    assert common == {"X1": [None, "r"], "X2": [None, None], "X3": ["p", None], "X4": ["q", "s"]}
    assert common.ids == ["b", "a"] and common.gaps == first.gaps
    for options, said in (
        ({"step": "visit"}, "step is 'visit', which counts no time"),
        ({"time": None}, "align is 'calendar', and there is no time"),
    ):
        with pytest.raises(ValueError, match=said):
            fg.sequences(table, **{"id": "who", "time": "when", "align": "calendar", **options})


def test_a_lazy_table_without_time_needs_an_order_of_its_rows():
    table = {"who": [1, 1], "X": ["a", "b"]}
    assert fg.sequences(pl.LazyFrame(table), id="who")["X2"] == ["b"]
    connection = duckdb.connect()
    rows = connection.sql("select * from (values (1, 'a'), (1, 'b')) t(who, X)")
    with pytest.raises(ValueError, match="have no order: name the column of time"):
        fg.sequences(rows, id="who")
