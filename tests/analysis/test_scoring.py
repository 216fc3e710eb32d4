"""A table where it lies, from its rows to a scored one: the same numbers from every engine."""

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
    if engine.name != "DuckDB":  # SQL tables have no order
        assert (found.id.to_numpy() == FRAME.id.to_numpy()).all()
    found = found.sort_values("id", ignore_index=True)
    expected = fg.score(GRAPH, RUN, FRAME, "S")
    for name in ADDED:
        np.testing.assert_allclose(found[name].to_numpy(), expected[name].to_numpy(), rtol=1e-10)
    for name in FRAME:  # what was there is there, blanks too
        assert (found[name].isna() == FRAME[name].isna()).all()
        both = ~FRAME[name].isna()
        assert (found[name][both].tolist()) == (FRAME[name][both].tolist())


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
