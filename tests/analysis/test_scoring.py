"""A table where it lies, from its rows to a scored one: the same numbers from every engine."""

import re
from types import SimpleNamespace

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from distributed import Client, LocalCluster
from latent_classes import classes
from oracles import joint

import fgnwidgets as fg

N = 1200
WORDS = ("no", "yes")
GRAPH = classes(3, {"A": WORDS, "B": (1, 2, 3), "C": (False, True), "D": (0.5, 1.5)})
ITEMS = list("ABCD")


def simulated():
    rng = np.random.default_rng(2)
    table = fg.sample(GRAPH, fg.random_theta(GRAPH, rng), N, rng)
    found = pd.DataFrame({name: table[name] for name in ITEMS})
    found["A"] = found["A"].astype(object)
    found["B"] = found["B"].astype("Int64")
    for name in ("A", "B", "D"):
        found.loc[rng.random(N) < 0.08, name] = None
    found["weight"] = rng.integers(0, 3, N).astype(float)
    found["id"] = np.arange(N)
    return found


FRAME = simulated()
RUN = fg.fit(GRAPH, FRAME, columns=ITEMS, weight="weight", restarts=3, n_epochs=100)
ADDED = ["S=0", "S=1", "S=2", "S", "loglik"]


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("rows") / "rows.parquet")
    FRAME.to_parquet(path, row_group_size=600)
    return path


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and two workers, each a process of its own."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}  # any free port
    with LocalCluster(**options) as workers, Client(workers) as client:
        yield client


LAZY = {
    "polars": (pl.scan_parquet, lambda t: t.collect().to_pandas()),
    "DuckDB": (lambda path: duckdb.connect().read_parquet(path), lambda t: t.df()),
    "Dask": (lambda path: dd.read_parquet(path, split_row_groups=True), lambda t: t.compute()),
}


@pytest.fixture(params=LAZY)
def engine(request, parquet, cluster):
    opened, collected = LAZY[request.param]
    return SimpleNamespace(name=request.param, table=opened(parquet), collect=collected)


def test_every_engine_learns_the_same_from_a_file_as_pandas_from_memory(engine):
    graph = fg.BayesGraph.from_table(
        engine.table, dict.fromkeys(ITEMS, "S"), hidden={"S": 3}, columns=ITEMS
    )
    assert graph == GRAPH
    options = {"columns": ITEMS, "weight": "weight", "restarts": 3, "n_epochs": 100}
    run = fg.fit(graph, engine.table, **options)
    np.testing.assert_allclose(run.loglik, RUN.loglik, rtol=1e-10)
    assert run.n == FRAME.weight.sum()
    assert run.rows.n == len(FRAME[FRAME.weight > 0][ITEMS].drop_duplicates())
    assert run.bic == pytest.approx(RUN.bic)


def test_floor_and_ceiling_of_a_file_are_those_of_the_table(engine):
    for bound in (fg.independent, fg.saturated):
        here = bound(GRAPH, engine.table, columns=["C"])
        assert here == pytest.approx(bound(GRAPH, FRAME, columns=["C"]))


def test_rows_of_a_lazy_table_are_scored_and_not_asked_for_one_by_one(engine):
    with pytest.raises(ValueError, match="score"):
        fg.loglik(GRAPH, RUN, engine.table)


def test_a_lazy_table_stays_lazy_and_gets_the_same_numbers_as_one_in_memory(engine):
    scored = fg.score(GRAPH, RUN, engine.table, "S")
    assert type(scored) is type(engine.table)
    found = engine.collect(scored)
    assert list(found.columns) == [*FRAME.columns, *ADDED]
    assert (found.id.to_numpy() == FRAME.id.to_numpy()).all()
    found = found.reset_index(drop=True)  # Dask numbers the rows of each part
    expected = fg.score(GRAPH, RUN, FRAME, "S")
    for name in ADDED:
        np.testing.assert_allclose(found[name].to_numpy(), expected[name].to_numpy(), rtol=1e-10)
    for name in FRAME:  # what was there is there, blanks too
        assert (found[name].isna() == FRAME[name].isna()).all()
        both = ~FRAME[name].isna()
        assert (found[name][both].tolist()) == (FRAME[name][both].tolist())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A file whose rows DuckDB, on four threads, does not keep in order through a join."""
    rng = np.random.default_rng(4)
    n = 100_000
    rows = FRAME.iloc[rng.integers(0, N, n)].drop(columns="weight").assign(id=rng.permutation(n))
    path = str(tmp_path_factory.mktemp("many") / "rows.parquet")
    rows.to_parquet(path, row_group_size=2_000)
    return path


def test_every_engine_keeps_the_order_of_the_rows_in_memory_and_in_a_file(many, tmp_path, cluster):
    ids = pq.read_table(many)["id"].to_numpy()
    expected = fg.score(GRAPH, RUN, pd.read_parquet(many), "S")["loglik"].to_numpy()
    relation = duckdb.connect(config={"threads": 4}).read_parquet(many)
    written = str(tmp_path / "scored.parquet")
    fg.score(GRAPH, RUN, relation, "S").write_parquet(written)
    fg.score(GRAPH, RUN, pl.scan_parquet(many), "S").sink_parquet(str(tmp_path / "polars.parquet"))
    dask = dd.read_parquet(many, split_row_groups=True)
    found = {
        "DuckDB": fg.score(GRAPH, RUN, relation, "S").fetchnumpy(),
        "DuckDB, written": pq.read_table(written).to_pydict(),
        "DuckDB, a query": fg.score(
            GRAPH, RUN, relation.query("many", "SELECT * FROM many ORDER BY id DESC"), "S"
        ).fetchnumpy(),
        "polars": fg.score(GRAPH, RUN, pl.scan_parquet(many), "S").collect(),
        "polars, written": pl.read_parquet(tmp_path / "polars.parquet"),
        "Dask": fg.score(GRAPH, RUN, dask, "S").compute(),
    }
    for engine, rows in found.items():
        here = np.asarray(rows["id"])
        wanted = np.argsort(-ids) if engine == "DuckDB, a query" else np.arange(len(ids))
        np.testing.assert_array_equal(here, ids[wanted], err_msg=engine)
        np.testing.assert_allclose(np.asarray(rows["loglik"]), expected[wanted], err_msg=engine)


def test_duckdb_does_not_sort_where_it_is_told_that_order_does_not_count(many):
    connection = duckdb.connect()
    sorts = re.compile("order.by", re.IGNORECASE)
    assert sorts.search(fg.score(GRAPH, RUN, connection.read_parquet(many), "S").explain())
    connection.execute("SET preserve_insertion_order = false")
    scored = fg.score(GRAPH, RUN, connection.read_parquet(many), "S")
    assert not sorts.search(scored.explain())
    expected = fg.score(GRAPH, RUN, pd.read_parquet(many), "S")
    rows = scored.df().set_index("id")["loglik"].loc[expected["id"]].to_numpy()
    np.testing.assert_allclose(rows, expected["loglik"])


@pytest.mark.parametrize(
    "name",
    ["N", "n", "row", "ROW", "Row_", "_fgnwidgets_rows", "a b", 'q"q', "age.group", "x ", " x"],
)
def test_a_column_of_duckdb_may_be_called_as_a_helper(name):
    """As a variable, and as a column that is passed through."""
    graph = classes(2, {name: WORDS, "B": (1, 2, 3)})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    frame = pd.DataFrame({name: ["no", "yes", "no"], "B": [1, 3, 2], "z": [5, 6, 7]})
    own = duckdb.connect().from_df(frame)
    found = fg.score(graph, theta, own, "S").df()
    pd.testing.assert_frame_equal(found, fg.score(graph, theta, frame, "S"), check_dtype=False)
    passed = frame.rename(columns={name: "A", "z": name})
    rest = classes(2, {"A": WORDS, "B": (1, 2, 3)})
    theta = fg.random_theta(rest, np.random.default_rng(0))
    found = fg.score(rest, theta, duckdb.connect().from_df(passed), "S").df()
    assert found[name].tolist() == [5, 6, 7]


@pytest.mark.parametrize("name", ["rows", "a", "t", "_fgn", "native", "frame", "answers"])
def test_tables_of_the_same_connection_are_not_taken_for_the_answers(name):
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE {name} AS SELECT 'no' AS A, 1 AS B, 7.0 AS \"S=0\"")
    graph = classes(2, {"A": WORDS, "B": (1, 2, 3)})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    frame = pd.DataFrame({"A": ["no", "yes"], "B": [1, 3]})
    found = fg.score(graph, theta, connection.from_df(frame), "S").df()
    pd.testing.assert_frame_equal(found, fg.score(graph, theta, frame, "S"), check_dtype=False)


def test_a_scored_relation_can_be_scored_again():
    graph = classes(2, {"A": WORDS, "B": (1, 2, 3)})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    frame = pd.DataFrame({"A": ["no", "yes", None], "B": [1, 3, 2]})
    once = fg.score(graph, theta, duckdb.connect().from_df(frame), "S")
    once = once.project('* EXCLUDE (loglik, "S=0", "S=1", S)')
    again = fg.score(graph, theta, once, "S").df()
    expected = fg.score(graph, theta, frame, "S")
    np.testing.assert_allclose(again["loglik"], expected["loglik"])


def test_names_that_duckdb_takes_for_one_are_refused_and_elsewhere_they_are_two():
    graph = classes(2, {"A": WORDS, "B": ("x", "X")})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    frame = pd.DataFrame({"A": ["no", "yes"], "s": [1, 2]})
    duck = duckdb.connect().from_df(frame)
    assert list(fg.score(graph, theta, frame, "S", columns=["A"]).columns[:2]) == ["A", "s"]
    with pytest.raises(ValueError, match="the table has a column 'S' already"):
        fg.score(graph, theta, duck, "S", columns=["A"])
    assert "B=x" in fg.score(graph, theta, frame, "B", columns=["A"])
    with pytest.raises(ValueError, match="'B=x' differs from another in capitals alone"):
        fg.score(graph, theta, duck, "B", columns=["A"])


# A column that is not there

SMALL = FRAME.head(20)
KINDS = {
    "pandas": lambda frame: frame,
    "mapping": lambda frame: frame.to_dict("list"),
    "list": lambda frame: frame.to_dict("records"),
    "polars": pl.from_pandas,
    "Arrow": lambda frame: pl.from_pandas(frame).to_arrow(),
    "polars lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "DuckDB": lambda frame: duckdb.connect().from_df(frame),
    "Dask": lambda frame: dd.from_pandas(frame, npartitions=2),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_misspelt_or_absent_column_is_refused_as_fit_refuses_it(kind):
    graph = classes(2, {"Colour": WORDS, "B": (1, 2, 3)})
    frame = SMALL.rename(columns={"A": "Colour"})[["Colour", "B", "id"]]
    run = fg.fit(graph, frame, columns=["Colour", "B"], restarts=1, n_epochs=3)
    misspelt, absent = frame.rename(columns={"Colour": "Color"}), frame.drop(columns="Colour")
    for theta, why in ((run, "run has learned from"), (run.best_theta, "model observes")):
        says = f"no column 'Colour', which the {why}"
        with pytest.raises(ValueError, match=f"{says}; 'Color' may be meant: rename"):
            fg.score(graph, theta, kind(misspelt), "S")
        with pytest.raises(ValueError, match=rf"{says}: rename .*name the .*, columns=\['B'\]$"):
            fg.score(graph, theta, kind(absent), "S")
        scored = fg.score(graph, theta, kind(absent), "S", columns=["B"])  # meant as a blank
        whole = scored.collect() if hasattr(scored, "collect") else scored
        values = (whole.df() if hasattr(whole, "df") else whole)["loglik"]
        blank = fg.loglik(graph, theta, {"B": frame["B"].tolist()})
        np.testing.assert_allclose(np.asarray(values, dtype=float), blank)
    with pytest.raises(ValueError, match="columns names 'Colour': .*'Color' may be meant"):
        fg.score(graph, run, kind(misspelt), "S", columns=["Colour", "B"])


def test_what_was_hidden_in_learning_needs_no_column():
    graph = fg.BayesGraph(
        {"T": 2, "S": 2, "A": WORDS, "B": (1, 2, 3)}, {"S": "T", "A": "S", "B": "S"}
    )
    frame = SMALL[["A", "B", "id"]]
    run = fg.fit(graph, frame, columns=["A", "B"], restarts=1, n_epochs=3)
    for theta in (run, run.best_theta):
        assert list(fg.score(graph, theta, frame, "S").columns)[3:] == ["S=0", "S=1", "S", "loglik"]
    form = graph.normal_form()
    with pytest.raises(ValueError, match="no column 'B', which the model observes"):
        fg.score(form, run.best_theta, frame[["A"]], "S")
    # Of matrices alone, a column with nearly the name of a hidden variable is in doubt.
    near = frame.rename(columns={"id": "t"})
    assert "T" not in fg.score(graph, run, near, "S")
    with pytest.raises(ValueError, match="no column 'T', which the model has; 't' may be meant"):
        fg.score(graph, run.best_theta, near, "S")
    assert "S" in fg.score(graph, run.best_theta, near, "S", columns=["A", "B"])


def test_nothing_is_lost_on_the_way_back_to_parquet(parquet, tmp_path):
    out = str(tmp_path / "scored.parquet")
    fg.score(GRAPH, RUN, duckdb.connect().read_parquet(parquet), "S").write_parquet(out)
    assert pq.read_metadata(out).num_rows == N
    fg.score(GRAPH, RUN, pl.scan_parquet(parquet), "S").sink_parquet(out)
    assert pq.read_metadata(out).num_rows == N
    assert pl.read_parquet(out)["loglik"].null_count() == 0


def enumerated(row):
    """P(S, row) from the whole joint table, blanks summed out."""
    at = [slice(None)]
    for name in ITEMS:
        cell = row[name]
        at.append(slice(None) if pd.isna(cell) else GRAPH.variables[name].states.index(cell))
    whole = joint(GRAPH, RUN.best_theta)[tuple(at)]
    return whole.reshape(3, -1).sum(axis=1)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "mapping", "list"])
def test_a_table_in_memory_comes_back_in_its_kind_with_enumerated_numbers(kind):
    small = FRAME.head(40)
    table = {
        "pandas": small.set_index("id"),
        "polars": pl.from_pandas(small),
        "pyarrow": pl.from_pandas(small).to_arrow(),
        "mapping": {name: small[name].tolist() for name in small},
        "list": small.to_dict("records"),
    }[kind]
    scored = fg.score(GRAPH, RUN, table, "S")
    if kind in ("pandas", "polars", "pyarrow"):
        assert type(scored) is type(table)
    if kind == "pandas":
        assert scored.index.name == "id"
    for n, (_, row) in enumerate(small.iterrows()):
        p = enumerated(row)
        for k in range(3):
            cell = scored[f"S={k}"]
            cell = cell.iloc[n] if kind == "pandas" else cell[n]
            assert float(cell if kind != "pyarrow" else cell.as_py()) == pytest.approx(
                p[k] / p.sum()
            )
        logs = scored["loglik"]
        log = logs.iloc[n] if kind == "pandas" else logs[n]
        assert float(log if kind != "pyarrow" else log.as_py()) == pytest.approx(np.log(p.sum()))


def test_states_with_labels_name_their_columns_and_the_most_probable_one():
    scored = fg.score(GRAPH, RUN, FRAME.drop(columns="A"), "A")
    p = scored[["A=no", "A=yes"]].to_numpy()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (scored["A"] == np.array(WORDS)[p.argmax(axis=1)]).all()


def test_a_name_that_exists_is_refused_in_memory_and_out_of_it(engine):
    for table in (FRAME, engine.table):
        with pytest.raises(ValueError, match="'A' already"):
            fg.score(GRAPH, RUN, table, "A")
    with pytest.raises(ValueError, match="'loglik' already"):
        fg.score(GRAPH, RUN, FRAME.assign(loglik=0), "S")


def test_a_table_without_a_variable_is_refused():
    with pytest.raises(ValueError, match="no column"):
        fg.score(GRAPH, RUN, FRAME[["id"]], "S")


def test_a_column_with_a_value_for_every_row_is_a_warning_with_its_name():
    with pytest.warns(UserWarning, match="'id' has 1200 states in 1200 rows"):
        fg.BayesGraph.from_table(FRAME, {"A": "S"}, hidden={"S": 2}, columns=["A", "id"])


def test_weights_of_a_lazy_table_are_a_column_of_it(engine):
    with pytest.raises(ValueError, match="weight='name'"):
        fg.fit(GRAPH, engine.table, columns=ITEMS, weight=np.ones(N))


@pytest.mark.parametrize("parts", [1, 3])
def test_rows_of_dask_and_of_pandas_keep_the_index_by_which_they_are_known(parts):
    named = SMALL.set_index(pd.Index([f"patient {k}" for k in range(20, 0, -1)], name="who"))
    wanted = fg.score(GRAPH, RUN, named, "S")
    assert wanted.index.equals(named.index)
    found = fg.score(
        GRAPH, RUN, dd.from_pandas(named, npartitions=parts, sort=False), "S"
    ).compute()
    assert found.index.equals(named.index) and found.index.name == "who"
