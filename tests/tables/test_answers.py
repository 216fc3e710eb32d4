"""Codes for no answer: told where a table holds some, and read as blanks where they are named."""

import pickle
import warnings

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from latent_classes import classes

import fgnwidgets as fg
from fgnwidgets import BayesGraph, GraphError, fit, read_evidence
from fgnwidgets.data import from_one, labels, no_answers
from fgnwidgets.sklearn import LatentClass

CODES = {
    "9 far from the others": ((1, 2, 3, 9), [9]),
    "9 right behind a gap": ((0, 1, 2, 3, 4, 5, 6, 7, 9), [9]),
    "8 and 9": ((1, 2, 3, 8, 9), [8, 9]),
    "7, 8 and 9": ((1, 2, 3, 4, 7, 8, 9), [7, 8, 9]),
    "99": ((18, 20, 35, 64, 99), [99]),
    "98 and 99": ((0, 1, 2, 98, 99), [98, 99]),
    "999": ((120, 150, 199, 999), [999]),
    "two kinds": ((1, 2, 3, 9, 99), [99, 9]),
    "floats, as a gap makes them": ((1.0, 2.0, 9.0), [9]),
    "-9": ((-9, 1, 2, 3), [-9]),
    "-99 and -98": ((-99, -98, 0, 1), [-99, -98]),
    "-1 beside codes from 1": ((-1, 1, 2, 3), [-1]),
    "text": (("1", "2", "3", "9"), ["9"]),
    "a point": (("1", "2", "."), ["."]),
    "Stata's": (("1", "2", ".a"), [".a"]),
    "DK": (("no", "yes", "DK"), ["DK"]),
    "in words": (("agree", "Don\u2019t  know", "REFUSED"), ["Don\u2019t  know", "REFUSED"]),
    "a question mark": (("e", "p", "?"), ["?"]),
    "a minus among words": (("low", "high", "-"), ["-"]),
    "empty cells as text": (("x", "nan"), ["nan"]),
    "words and numbers": ((1, 2, 9, "DK"), ["DK", 9]),
    "text among words": (("no", "yes", "99"), ["99"]),
    "a number among words": (("no", "yes", -99), [-99]),
    "two among words": (("97", "98", "men", "women"), ["97", "98"]),
    "among words, with a word for it": (("9", "DK", "no", "yes"), ["DK", "9"]),
}  # fmt: skip


@pytest.mark.parametrize(("states", "found"), CODES.values(), ids=CODES)
def test_codes_for_no_answer_are_told_with_their_column_and_the_remedy(states, found):
    said = no_answers("A", states)
    assert "column 'A' has the state" in said
    assert f"missing={{'A': {found!r}}} makes it a blank" in said


STATES = {
    "a scale to 9": range(1, 10),
    "a scale to 10": range(11),
    "a scale with a hole": (1, 2, 3, 4, 5, 6, 7, 8, 10),
    "odd numbers": (1, 3, 5, 7, 9),
    "powers": (1, 2, 4, 8),
    "primes": (2, 3, 5, 7),
    "counts with a tail": (0, 1, 2, 3, 5, 9),
    "two states": (1, 9),
    "per cent": (0, 10, 50, 99, 100),
    "ages": (*range(18, 98), 99),
    "years": (1997, 1998, 1999),
    "years of two digits": (95, 96, 97, 98, 99),
    "measurements": (0.5, 1.5, 9.0),
    "spins": (-1, 1),
    "a scale around zero": (-2, -1, 1, 2),
    "poles": ("+", "-"),
    "a file's truth": ("known", "unknown"),
    "presence": ("missing", "present"),
    "none": ("none", "some", "many"),
    "truth values": (False, True),
    "a number and a word": ("99", "other"),
    "numbers among words": ("10", "99", "more", "none"),
    "bands": ("<20", "20 to 98", "99"),
    "cards": ("7", "8", "ace", "king"),
    "nothing": (),
}


@pytest.mark.parametrize("states", STATES.values(), ids=STATES)
def test_states_that_are_answers_are_not_told(states):
    assert no_answers("A", tuple(states)) == ""


ROWS = {"A": [1, 2, 3, 9, 2, 1] * 4, "B": ["no", "yes", "DK", "no", ".", "yes"] * 4}
BLANK = {"A": [1, 2, 3, None, 2, 1] * 4, "B": ["no", "yes", None, "no", None, "yes"] * 4}
MISSING = {"A": [9], "B": ["DK", "."]}
PARENTS = {"A": "S", "B": "S"}


def duck(rows):
    return duckdb.connect().from_df(pd.DataFrame(rows))


TABLES = {
    "mapping": dict,
    "NumPy": lambda rows: {"A": np.array(rows["A"]), "B": np.array(rows["B"])},
    "array and names": lambda rows: (
        np.array([*zip(*rows.values(), strict=True)], object), ["A", "B"]
    ),
    "structured": lambda rows: np.array(
        [*zip(*rows.values(), strict=True)], dtype=[("A", "i4"), ("B", "U4")]
    ),
    "list of dicts": lambda rows: pd.DataFrame(rows).to_dict("records"),
    "pandas": pd.DataFrame,
    "pandas nullable": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "pandas category": lambda rows: pd.DataFrame(rows).astype("category"),
    "pandas on Arrow": lambda rows: pd.DataFrame(rows).convert_dtypes(dtype_backend="pyarrow"),
    "pandas floats": lambda rows: pd.DataFrame(rows).astype({"A": float}),
    "polars": pl.DataFrame,
    "polars categories": lambda rows: pl.DataFrame(
        {"A": rows["A"], "B": pl.Series(rows["B"], dtype=pl.Categorical)}
    ),
    "polars lazy": pl.LazyFrame,
    "Arrow": pa.table,
    "Arrow dictionary": lambda rows: pa.table(
        {name: pa.array(column).dictionary_encode() for name, column in rows.items()}
    ),
    "DuckDB": duck,
    "Dask": lambda rows: dd.from_pandas(pd.DataFrame(rows), npartitions=2),
}  # fmt: skip


@pytest.fixture(params=TABLES.values(), ids=TABLES)
def table(request):
    return request.param(ROWS)


def test_every_kind_of_table_is_told_of_its_codes(table):
    with pytest.warns(UserWarning) as told:
        BayesGraph.from_table(table, PARENTS, hidden={"S": 2})
    said = [str(warning.message) for warning in told]
    assert [s for s in said if "column 'A' has the state 9" in s and "missing={'A': [9]}" in s]
    assert [s for s in said if "column 'B' has the states " in s and "'DK'" in s and "'.'" in s]
    own = [warning for warning in told if warning.category is UserWarning]
    assert {warning.filename for warning in own} == {__file__}


def test_named_codes_are_blanks_wherever_the_graph_meets_its_table(table):
    graph = BayesGraph.from_table(table, PARENTS, hidden={"S": 2}, missing=MISSING)
    assert set(graph.variables["A"].states) == {1, 2, 3}
    assert set(graph.variables["B"].states) == {"no", "yes"}
    plain = BayesGraph(
        {"S": 2, "A": graph.variables["A"].states, "B": graph.variables["B"].states}, PARENTS
    )
    theta = fg.random_theta(plain, np.random.default_rng(1))
    run = fit(graph, table, theta=theta, restarts=1, n_epochs=20, tol=0)
    again = fit(plain, BLANK, theta=theta, restarts=1, n_epochs=20, tol=0)
    np.testing.assert_allclose(run.loglik, again.loglik, rtol=1e-12)
    rows, counts = fg.distinct(graph, table)
    expected = dict(zip(*_counted(*fg.distinct(plain, BLANK)), strict=True))
    assert dict(zip(*_counted(rows, counts), strict=True)) == expected


def _counted(evidence, counts):
    return zip(*(evidence.codes[name].tolist() for name in "AB"), strict=True), counts.tolist()


def test_a_list_names_codes_of_all_columns_and_none_of_them_need_occur():
    graph = BayesGraph.from_table(ROWS, PARENTS, hidden={"S": 9}, missing=[9, 99, "DK", "."])
    assert graph.variables["A"].states == (1, 2, 3)
    assert graph.variables["B"].states == ("no", "yes")
    assert graph.variables["S"].missing == ()  # it has no column, and 9 would be no state of it
    assert read_evidence(graph, {"A": [99, 1], "B": ["no", "."]}).codes["A"].tolist() == [-1, 0]


def test_score_and_posterior_take_codes_for_blanks():
    graph = BayesGraph.from_table(ROWS, PARENTS, hidden={"S": 2}, missing=MISSING)
    theta = fg.random_theta(graph, np.random.default_rng(3))
    np.testing.assert_allclose(
        fg.posterior(graph, theta, ROWS, "S"), fg.posterior(graph, theta, BLANK, "S"), rtol=1e-13
    )
    scored = fg.score(graph, theta, pd.DataFrame(ROWS), "S")
    np.testing.assert_allclose(scored["loglik"], fg.loglik(graph, theta, BLANK), rtol=1e-13)
    assert scored["A"].tolist() == ROWS["A"]  # what was there stays


def test_groups_are_compared_with_codes_as_blanks():
    rng = np.random.default_rng(2)
    rows = {name: rng.integers(1, 3, 80).tolist() for name in "ABC"} | {"G": ["u", "v"] * 40}
    coded = {**rows, "A": [9, *rows["A"][1:]]}
    blank = {**rows, "A": [None, *rows["A"][1:]]}
    parents, options = dict.fromkeys("ABC", "S"), {"restarts": 2, "n_epochs": 30}
    asked = {"hidden": {"S": 2}, "columns": list("ABC")}
    graph = BayesGraph.from_table(coded, parents, **asked, missing={"A": [9]})
    plain = BayesGraph.from_table(blank, parents, **asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            str(fg.invariance(g, t, "G", **options)) for g, t in ((graph, coded), (plain, blank))
        ]
    assert found[0] == found[1]


def test_codes_travel_with_the_graph(tmp_path):
    graph = BayesGraph({"S": 2, "A": (1, 2, 3)}, {"A": "S"}, missing={"A": [9]})
    assert graph != BayesGraph({"S": 2, "A": (1, 2, 3)}, {"A": "S"})
    assert pickle.loads(pickle.dumps(graph)) == graph
    theta = fg.uniform_theta(graph)
    for kept in (graph, graph.normal_form()):
        fg.save(tmp_path / "model.json", kept, theta)
        back, _ = fg.load(tmp_path / "model.json")
        assert back == kept
        assert read_evidence(back, {"A": [9, 3]}).codes["A"].tolist() == [-1, 2]
    merged = BayesGraph(
        {"A": 2, "B": 2, "C": 2}, {"B": "A", "C": ["A", "B"]}, missing={"B": [9]}
    ).merged()
    assert read_evidence(merged, {"B": [9, 1]}).codes["B"].tolist() == [-1, 1]


def test_numbered_states_and_labels_that_are_text_have_codes_too():
    graph = BayesGraph({"A": 3, "B": ("no", "yes")}, missing=[9, "DK"])
    found = read_evidence(graph, {"A": np.array([0, 9, 2]), "B": ["yes", "DK", "no"]}).codes
    assert (found["A"].tolist(), found["B"].tolist()) == ([0, -1, 2], [1, -1, 0])
    assert read_evidence(graph, {"A": 9}).codes["A"].tolist() == [-1]
    floats = read_evidence(graph, {"A": [0.0, 9.0, np.nan]}).codes["A"]
    assert floats.tolist() == [0, -1, -1]


REFUSED = {
    "a state": ({"A": 3}, {"A": [2]}, "'A': missing holds 2, which is one of its states: expected"),
    "a label": ({"A": ("x", "y")}, {"A": ["y"]}, "missing holds 'y', which is one of its"),
    "another name": (
        {"Age": 3},
        {"Agee": [9]},
        "missing names 'Agee': there are Age; 'Age' may be",
    ),
    "no list": ({"A": 3}, {"A": 9}, r"missing\['A'\] is 9: expected a list of codes"),
    "a text": ({"A": 3}, "DK", "missing is 'DK': expected a list of codes"),
    "a list of lists": ({"A": 3}, {"A": [[9]]}, r"missing\['A'\] is \[\[9\]\]"),
}


@pytest.mark.parametrize(("states", "missing", "says"), REFUSED.values(), ids=REFUSED)
def test_codes_that_could_be_read_in_two_ways_are_refused(states, missing, says):
    with pytest.raises(GraphError, match=says):
        BayesGraph(states, missing=missing)


@pytest.mark.parametrize(
    ("column", "code", "says"),
    [
        ([1, 2, 9], "9", "missing names '9', text, and column 'A' holds 9"),
        ([1.0, 2.0, 9.0, None], "9", "missing names '9', text, and column 'A' holds 9"),
        (["1", "9"], 9, "missing names 9, a number, and column 'A' holds '9', text"),
        (["a", "DK"], "dk", "missing names 'dk', text, and column 'A' holds 'DK', text"),
    ],
)
def test_a_code_of_another_type_than_the_column_is_refused(column, code, says):
    for missing in ([code], {"A": [code]}):
        with pytest.raises(ValueError, match=says):
            BayesGraph.from_table({"A": column}, missing=missing)
        with pytest.raises(ValueError, match=says):
            LatentClass(1, missing=missing).fit(pd.DataFrame({"A": column * 4}))
    assert labels(column, "A", ["9", 9, "dk", "DK"])  # both are named: nothing is in doubt


def test_minus_one_beside_codes_can_be_named():
    graph = BayesGraph.from_table({"A": [0, 1, -1]}, missing=[-1])
    assert graph.variables["A"].states == (0, 1)
    with pytest.raises(ValueError, match=r"or say missing={'A': \[-1\]}"):
        BayesGraph.from_table({"A": [0, 1, -1]})


def test_a_cell_that_looks_like_a_code_and_is_no_state_is_refused_with_the_remedy():
    graph = BayesGraph({"A": (1, 2, 3), "B": 4, "C": ("no", "yes")})
    for name, cell in (("A", 9), ("B", 99), ("C", "DK")):
        remedy = f"give the graph missing={{'{name}': \\[{cell!r}\\]}}"
        with pytest.raises(ValueError, match=f"{name}: sample 0 is {cell!r}.*{remedy}"):
            read_evidence(graph, {name: [cell, None]})
    with pytest.raises(ValueError, match="the states of A are 1, 2, 3$"):
        read_evidence(graph, {"A": [4]})


# Numbered states


def test_codes_that_fit_a_declared_size_are_told_by_fit():
    rng = np.random.default_rng(0)
    graph = classes(2, {"A": 4, "B": 10})
    table = {"A": rng.integers(1, 4, 60), "B": np.array([0, 1, 2, 9])[rng.integers(0, 4, 60)]}
    with pytest.warns(UserWarning) as told:
        run = fit(graph, table, restarts=1, n_epochs=2)
    said = [str(warning.message) for warning in told]
    assert "'A' has 4 states, 0 to 3, and 0 is in none of 60 rows" in said[0]
    assert "declare them, {'A': range(1, 4)}" in said[0]
    assert "column 'B' has the state 9" in said[1]
    assert {*said} <= {*run.warnings}
    assert BayesGraph({"A": range(1, 4)}).variables["A"].states == (1, 2, 3)


@pytest.mark.parametrize("seen", [{0, 1, 2, 3}, {1, 2}, {1, 3}, {0, 1}, {3}])
def test_codes_that_use_zero_or_leave_others_out_are_not_told(seen):
    assert from_one("A", seen, 4, 1000) == ""


def test_few_rows_may_leave_zero_out_by_chance():
    assert from_one("A", {1, 2}, 3, 11) == ""  # (2/3)^11 = .0116
    assert "0 is in none of 12 rows" in from_one("A", {1, 2}, 3, 12)  # (2/3)^12 = .0077
    assert from_one("A", {1}, 2, 1000) == ""


def test_weights_count_for_rows_and_labelled_states_are_left_alone():
    rows, weight = {"A": [1, 2, 2]}, [10.0, 10.0, 5.0]
    with pytest.warns(UserWarning, match="0 is in none of 25 rows"):
        fit(BayesGraph({"A": 3}), rows, weight=weight, n_epochs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(BayesGraph({"A": 3}), rows, n_epochs=1)
        fit(BayesGraph({"A": (0, 1, 2)}), rows, weight=weight, n_epochs=1)


# A hidden variable beside a column of its name


@pytest.mark.parametrize("states", [3, ("a", "b", "c")])
def test_a_column_that_is_called_hidden_is_used_and_told(states):
    column = ["a", "b", "c", "a"] if isinstance(states, tuple) else [0, 1, 2, 0]
    table = {"S": column, "X": ["u", "v", "u", "v"]}
    says = "'S' is in hidden and is a column of the table, without a gap: the column is used"
    with pytest.warns(UserWarning, match=says) as told:
        graph = BayesGraph.from_table(table, {"X": "S"}, hidden={"S": states})
    assert told[0].filename == __file__
    assert read_evidence(graph, table).codes["S"].tolist() == [0, 1, 2, 0]  # as it says
    known = fit(graph, table, n_epochs=5, restarts=1)
    np.testing.assert_allclose(known.best_theta["S"], [[0.5, 0.25, 0.25]])
    hidden = fit(graph, table, columns=["X"], n_epochs=5, restarts=1)
    assert "S" not in hidden.rows.variables


@pytest.mark.parametrize("gap", [None, np.nan, -1, 9])
def test_a_column_with_gaps_and_one_that_is_named_are_meant(gap):
    table = {"S": [0, 1, 2, gap], "X": ["u", "v", "u", "v"]}
    missing = {"S": [9]} if gap == 9 else None
    graph = BayesGraph.from_table(table, {"X": "S"}, hidden={"S": 3}, missing=missing)
    assert read_evidence(graph, table).codes["S"].tolist() == [0, 1, 2, -1]
    full = {"S": [0, 1, 2, 0], "X": ["u", "v", "u", "v"]}
    BayesGraph.from_table(full, {"X": "S"}, hidden={"S": 3}, columns=["S", "X"])
    BayesGraph.from_table(full, {"X": "S"}, hidden={"S": 3}, columns=["X"])


# LatentClass reads its own input

CELLS = np.random.default_rng(5).integers(1, 4, (120, 3))
CELLS[::7, 1] = 9
BLANKED = np.where(CELLS == 9, np.nan, CELLS.astype(float))
OPTIONS = {"n_classes": 2, "restarts": 2, "random_state": 0, "max_iter": 30}


@pytest.mark.parametrize(
    "kind", ["array", "list", "object", "pandas", "nullable", "polars", "Arrow"]
)
@pytest.mark.parametrize("named", [False, True])
def test_the_estimator_takes_codes_for_blanks(kind, named):
    frame = pd.DataFrame(CELLS, columns=["A", "B", "C"])
    X = {
        "array": CELLS, "list": CELLS.tolist(), "object": CELLS.astype(object), "pandas": frame,
        "nullable": frame.convert_dtypes(), "polars": pl.from_pandas(frame),
        "Arrow": pa.Table.from_pandas(frame),
    }[kind]  # fmt: skip
    column = "x1" if kind in ("array", "list", "object") else "B"
    model = LatentClass(**OPTIONS, missing={column: [9]} if named else [9, 99]).fit(X)
    expected = LatentClass(**OPTIONS).fit(BLANKED)
    assert model.loglik_ == pytest.approx(expected.loglik_, rel=1e-12)
    assert [list(map(int, labels)) for labels in model.categories_] == [[1, 2, 3]] * 3
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(BLANKED))
    assert model.bic(X) == pytest.approx(expected.bic(BLANKED))


def test_the_estimator_tells_codes_and_refuses_other_names():
    with pytest.warns(UserWarning, match=r"column 'x1' has the state 9.*missing={'x1': \[9\]}"):
        LatentClass(**OPTIONS).fit(CELLS)
    with pytest.raises(ValueError, match="missing names 'x9': there are x0, x1, x2"):
        LatentClass(**OPTIONS, missing={"x9": [9]}).fit(CELLS)


DECLARED = {
    "pandas": lambda own: pd.DataFrame({"A": pd.Categorical(own, ["lo", "mid", "hi"])}),
    "polars": lambda own: pl.DataFrame({"A": pl.Series(own, dtype=pl.Enum(["lo", "mid", "hi"]))}),
    "Arrow": lambda own: pa.table(
        {
            "A": pa.DictionaryArray.from_arrays(
                [["lo", "mid", "hi"].index(x) for x in own], ["lo", "mid", "hi"]
            )
        }
    ),
}


@pytest.mark.parametrize("made", DECLARED.values(), ids=DECLARED)
def test_declared_categories_are_the_estimators_labels_in_their_order(made):
    model = LatentClass(1, restarts=1).fit(made(["hi", "lo", "mid", "lo"]))
    assert model.categories_[0].tolist() == ["lo", "mid", "hi"]
    assert model.graph_.variables["A"].states == ("lo", "mid", "hi")
    few = LatentClass(1, restarts=1, missing=["mid"]).fit(made(["hi", "lo", "mid", "lo"]))
    assert few.categories_[0].tolist() == ["lo", "hi"]
