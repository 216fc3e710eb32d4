"""Tables of every kind, and what their cells mean."""

import datetime
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks import close

from fgnwidgets import BayesGraph, Branch, GraphError, read_evidence
from fgnwidgets.data import alike, labels, many_states, read_column

GRAPH = BayesGraph({"S": 2, "X": ("no", "yes"), "Y": (3, 5, 7)}, {"X": "S", "Y": "S"})
ROWS = {"X": ["yes", None, "no"], "Y": [7, 3, -1]}
ARRAY = np.array([["yes", 7], [None, 3], ["no", -1]], dtype=object)
STRUCTURED = np.array([("yes", 7.0), ("", 3.0), ("no", np.nan)], dtype=[("X", "U3"), ("Y", "f8")])
TABLES = {
    "dict of lists": ROWS,
    "dict of arrays": {"X": np.array(["yes", "", "no"]), "Y": np.array([7, 3, -1])},
    "array and names": (ARRAY, ["X", "Y"]),
    "structured array": STRUCTURED,
    "pandas": pd.DataFrame({"X": ["yes", None, "no"], "Y": [7, 3, None]}),
    "pandas object": pd.DataFrame({"X": ["yes", np.nan, "no"], "Y": [7, 3, None]}, dtype=object),
    "pandas category": pd.DataFrame(
        {"X": pd.Categorical(["yes", None, "no"]), "Y": pd.Categorical([7, 3, None])}
    ),
    "pandas nullable": pd.DataFrame(
        {
            "X": pd.array(["yes", None, "no"], dtype="string"),
            "Y": pd.array([7, 3, None], dtype="Int64"),
        }
    ),
    "pandas with a blank cell": pd.DataFrame({"X": ["yes", " ", "no"], "Y": [7.0, 3.0, np.nan]}),
    "polars": pl.DataFrame({"X": ["yes", None, "no"], "Y": [7, 3, None]}),
    "polars Enum": pl.DataFrame(
        {"X": pl.Series(["yes", None, "no"], dtype=pl.Enum(["yes", "no"])), "Y": [7, 3, None]}
    ),
    "polars Categorical": pl.DataFrame(
        {"X": pl.Series(["yes", None, "no"], dtype=pl.Categorical), "Y": [7, 3, None]}
    ),
    "NumPy scalars": {
        "X": [np.str_("yes"), None, np.str_("no")],
        "Y": [np.int64(7), np.float32(3), np.int8(-1)],
    },
    "list of dicts": [{"X": "yes", "Y": 7}, {"Y": 3}, {"X": "no", "Y": None}],
    "rows and names": ([["yes", 7], [None, 3], ["no", None]], ["X", "Y"]),
    "words beside numbers": ([["yes", 7], ["", 3], ["no", -1]], ["X", "Y"]),
    "masked arrays": {
        "X": np.ma.MaskedArray(["yes", "what", "no"], [False, True, False]),
        "Y": np.ma.MaskedArray([7, 3, 99], [False, False, True]),
    },
    "masked array and names": (
        np.ma.MaskedArray([[1, 7], [9, 3], [0, 9]], [[0, 0], [1, 0], [0, 1]]),
        ["X", "Y"],
    ),
    "pandas text of Python": pd.DataFrame(
        {
            "X": pd.Series(["yes", None, "no"], dtype=pd.StringDtype("python")),
            "Y": pd.array([7, 3, None], dtype="Float64"),
        }
    ),
    "pandas on Arrow": pd.DataFrame(
        {
            "X": pd.Series(["yes", None, "no"], dtype=pd.ArrowDtype(pa.string())),
            "Y": pd.Series([7, 3, None], dtype=pd.ArrowDtype(pa.int16())),
        }
    ),
    "Arrow": pa.table({"X": ["yes", None, "no"], "Y": [7, 3, None]}),
    "Arrow in two parts": pa.table(
        {
            "X": pa.chunked_array([["yes", None], ["no"]]),
            "Y": pa.chunked_array([[7, 3], pa.array([None], pa.int64())]),
        }
    ),
    "Arrow batch": pa.RecordBatch.from_pydict({"X": ["yes", None, "no"], "Y": [7, 3, None]}),
    "Arrow dictionary": pa.table(
        {
            "X": pa.chunked_array(
                [
                    pa.array(["yes", None]).dictionary_encode(),
                    pa.array(["no"]).dictionary_encode(),
                ]
            ),
            "Y": pa.array([7, 3, None]).dictionary_encode(),
        }
    ),
    "columns of several libraries": {
        "X": pa.array(["yes", None, "no"]),
        "Y": pl.Series([7, 3, None]),
    },
    "pandas without names": {
        "X": pd.Categorical(["yes", None, "no"]),
        "Y": pd.Index([7.0, 3.0, None]),
    },
    "Arrow scalars": {
        "X": ["yes", None, "no"],
        "Y": [7.0, np.float32(3), np.nan],
        "S": pa.scalar(None),
    },
    "NumPy text": {"X": np.array(["yes", " ", "no"], dtype="S3").astype("U5"), "Y": [7, 3, -1]},
    "dict views": {
        "X": dict(yes=7, **{"": 3}, no=None).keys(),
        "Y": {1: 7, 2: 3, 3: None}.values(),
    },
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_of_every_kind_say_the_same(table):
    found = read_evidence(GRAPH, table)
    assert found.n == 3
    assert found.codes["X"].tolist() == [1, -1, 0]
    assert found.codes["Y"].tolist() == [2, 0, -1]


def test_a_column_may_be_any_iterable():
    assert read_evidence(GRAPH, {"X": (x for x in ("no", "yes"))}).codes["X"].tolist() == [0, 1]


@pytest.mark.parametrize("missing", [-1, None, np.nan, "", "  ", pd.NA, pd.NaT, np.int64(-1)])
def test_every_way_to_say_nothing_is_missing(missing):
    codes = read_evidence(GRAPH, {"X": ["yes", missing], "Y": [missing, 5]}).codes
    assert (codes["X"].tolist(), codes["Y"].tolist()) == ([1, -1], [-1, 1])


def test_a_column_of_nothing_is_missing_everywhere():
    frame = pd.DataFrame({"X": [None, None], "S": [np.nan, np.nan]})
    codes = read_evidence(GRAPH, frame).codes
    assert (codes["X"].tolist(), codes["S"].tolist()) == ([-1, -1], [-1, -1])


def test_labels_win_over_positions():
    graph = BayesGraph({"X": (1, 0), "Y": (2, 1, 0)})
    codes = read_evidence(graph, {"X": [0, 1], "Y": [0, 2]}).codes
    assert (codes["X"].tolist(), codes["Y"].tolist()) == ([1, 0], [2, 0])


def test_labels_from_numpy_win_over_positions_too():
    graph = BayesGraph({"X": tuple(np.unique([0, 2, 4]))})
    assert read_evidence(graph, {"X": [2, 4]}).codes["X"].tolist() == [1, 2]


def test_a_label_that_looks_missing_is_a_label():
    graph = BayesGraph({"X": (-1, 1), "Y": ("", "a"), "Z": (None, "a")})
    codes = read_evidence(graph, {"X": [-1], "Y": [""], "Z": [None]}).codes
    assert [codes[name].tolist() for name in "XYZ"] == [[0], [0], [0]]


def test_positions_serve_where_no_label_is_a_number():
    codes = read_evidence(GRAPH, {"X": [1, 0], "S": [1.0, np.nan]}).codes
    assert (codes["X"].tolist(), codes["S"].tolist()) == ([1, 0], [1, -1])


def test_a_single_cell_holds_for_all_samples():
    found = read_evidence(GRAPH, {"X": "yes", "Y": [3, 5], "S": np.array(1)})
    assert found.codes["X"].tolist() == [1, 1]
    assert found.codes["S"].tolist() == [1, 1]


def test_hard_soft_and_missing_cells_mix_in_one_column():
    column = ["yes", [0.2, 0.8], (0.1, 0.3), None, np.array([2.0, 1.0])]
    expected = [[0, 0.2, 0.1, 1, 2], [1, 0.8, 0.3, 1, 1]]
    close(read_evidence(GRAPH, {"X": column}).vectors["X"], expected)


def test_a_column_of_likelihood_vectors_is_samples_first_and_keeps_its_scale():
    vectors = read_evidence(GRAPH, {"S": np.array([[0.2, 0.4], [np.nan, np.nan]])}).vectors["S"]
    close(vectors, [[0.2, 1], [0.4, 1]])


BAD = {
    "unknown label": (
        {"X": ["yes", "maybe"]},
        "X: sample 1 is 'maybe': the states of X are 'no', 'yes'",
    ),
    "unknown number": ({"Y": [3, 4]}, "Y: sample 1 is 4: the states of Y are 3, 5, 7"),
    "position too large": ({"S": [0, 2]}, "S: sample 1 is 2: expected 0 to 1, or -1 for missing"),
    "negative position": ({"S": [0, -2]}, "S: sample 1 is -2"),
    "not whole": ({"S": [0.5, 1]}, "S: sample 0 is 0.5: expected a whole number"),
    "infinite": ({"S": [np.inf, 1.0]}, "S: sample 0 is inf"),
    "larger than any integer": ({"S": [10**30, 1]}, "S: sample 0 is 1000"),
    "unsigned overflow": ({"S": np.array([2**64 - 1], dtype=np.uint64)}, "S: sample 0 is 1844"),
    "bytes": ({"X": b"yes"}, "X: sample 0 is b'yes'"),
    "negative likelihood": (
        {"S": [[0.5, -1]]},
        r"S: sample 0 has the likelihood vector \[0.5, -1.0\]",
    ),
    "zero likelihood": ({"S": [[0.5, 1], [0, 0]]}, "S: sample 1.*not all zero"),
    "half a likelihood": ({"S": [[np.nan, 1]]}, "S: sample 0.*expected finite"),
    "infinite likelihood": ({"S": [[np.inf, 1]]}, "S: sample 0.*expected finite"),
    "likelihood of another length": (
        {"S": np.ones((2, 3))},
        "S: likelihood vectors of length 3: expected 2",
    ),
    "one of another length": (
        {"S": [None, [1, 2, 3]]},
        "S: sample 1 is .*a likelihood vector of 2",
    ),
    "likelihood of words": ({"S": [["a", "b"]]}, "S: sample 0 is .*a likelihood vector of 2"),
    "a mapping as a cell": ({"S": [{"a": 1, "b": 2}]}, "S: sample 0 is .*expected a state"),
    "too many axes": ({"S": np.ones((2, 2, 2))}, r"S: the column has shape \(2, 2, 2\)"),
    "columns of two lengths": (
        {"S": [0, 1], "Y": [3]},
        "column 'Y' has 1 cells: the others have 2",
    ),
    "no rows": ({"S": []}, "the table is empty"),
    "a frame without rows": (pd.DataFrame({"S": []}), "the table is empty"),
    "array of another width": ((np.ones((2, 3)), ["S"]), r"shape \(2, 3\): expected \(N, 1\)"),
    "a list": ([1, 2], "the table is a list: expected a mapping of columns, a DataFrame"),
    "a list of nothing": ([], "the table is empty"),
    "a series": (pd.Series([1, 2]), "the table is a Series: expected a mapping of columns"),
    "Arrow duplicates": (
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["S", "S"]),
        "two columns called 'S'",
    ),
    "pandas whose rows do not go together": (
        {"S": pd.Series([0, 1], index=[5, 6]), "X": pd.Series(["no", "yes"], index=[6, 5])},
        "columns 'S' and 'X' have different row labels",
    ),
    "a mask over half a likelihood": (
        {"S": np.ma.MaskedArray([[0.5, 1.0]], [[True, False]])},
        "S: sample 0.*expected finite",
    ),
    "duplicate columns": (pd.DataFrame([[1, 2]], columns=["S", "S"]), "two columns called 'S'"),
    "duplicate names": ((np.ones((2, 2)), ["S", "S"]), "two columns called 'S'"),
}


@pytest.mark.parametrize(("table", "said"), BAD.values(), ids=BAD)
def test_bad_tables_are_refused_with_the_place(table, said):
    with pytest.raises(ValueError, match=said):
        read_evidence(GRAPH, table)


def test_an_unknown_column_is_refused_with_the_known_ones():
    with pytest.raises(GraphError, match="column 'Q' is no variable.*the variables are S, X, Y"):
        read_evidence(GRAPH, {"Q": [1]})


# Labels are compared by type


OTHER_TYPE = {
    "numbers for text that reads as numbers": (("1", "2", "3"), [1, 2, 3]),
    "the same in an array": (("1", "2", "3"), np.array([1, 2, 3])),
    "the same, and missing": (("1", "2", "3"), np.array([1.0, np.nan])),
    "the same in a frame": (("1", "2", "3"), pd.Series([1, 2, None], dtype="Int64")),
    "text for numbers": ((1, 2, 3), ["1", "2"]),
    "text for numbers in polars": ((1, 2, 3), pl.Series(["1", "2"])),
    "positions where a label could be meant": (("low", "2", "high"), [1, 0]),
    "numbers for truth values": ((False, True), [1, 0]),
    "an array of them": ((False, True), np.array([1, 0])),
    "truth values for numbers": ((0, 1), [True, False]),
    "an array of truth values": ((0, 1), np.array([True, False])),
    "truth values for words": (("no", "yes"), np.array([True, False])),
    "text for truth values": ((False, True), ["True"]),
    "bytes for text": (("a", "b"), np.array([b"a"])),
    "-1 where a label says so": (("-1", "0"), [-1]),
    "dates for text": (("2020-01-01", "b"), [datetime.date(2020, 1, 1)]),
}


@pytest.mark.parametrize(("states", "column"), OTHER_TYPE.values(), ids=OTHER_TYPE)
def test_a_label_of_another_type_is_refused_with_both_sides(states, column):
    graph = BayesGraph({"X": states})
    with pytest.raises(ValueError, match="X: sample 0 is .*compared by type") as error:
        read_evidence(graph, {"X": column})
    assert ", ".join(map(repr, states)) in str(error.value)


@pytest.mark.parametrize("column", [[True, False], np.array([True, False])])
def test_a_truth_value_is_one_of_two_states_that_have_no_labels(column):
    assert read_evidence(BayesGraph({"X": 2}), {"X": column}).codes["X"].tolist() == [1, 0]
    with pytest.raises(ValueError, match="X: sample 0 is True: expected a state from 0 to 2"):
        read_evidence(BayesGraph({"X": 3}), {"X": column})


def test_whole_numbers_that_a_gap_made_floats_are_their_labels():
    graph = BayesGraph({"X": (1, 2), "Y": (0.5, 2.0)})
    codes = read_evidence(graph, {"X": [2.0, np.nan, 1.0], "Y": [2, 0.5, 2]}).codes
    assert (codes["X"].tolist(), codes["Y"].tolist()) == ([1, -1, 0], [1, 0, 1])


def test_the_first_sample_that_is_wrong_is_named():
    with pytest.raises(ValueError, match="X: sample 3 is 'b'"):
        read_evidence(GRAPH, {"X": ["no", "yes", None, "b", "a", "b"]})


def test_a_category_that_no_cell_has_may_have_any_name():
    column = pd.Categorical(["yes", "no"], categories=["maybe", "no", "yes"])
    assert read_evidence(GRAPH, {"X": column}).codes["X"].tolist() == [1, 0]
    with pytest.raises(ValueError, match="X: sample 1 is 'maybe'"):
        read_evidence(GRAPH, {"X": pd.Categorical(["no", "maybe"])})


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int64", "uint64", "float16", "float32", "float64"]
)
def test_numbers_of_every_width_are_their_labels(dtype, rng):
    states = (0, 3, 7, 100)
    cells = rng.choice(states, 50).astype(dtype)
    codes = read_evidence(BayesGraph({"X": states}), {"X": cells}).codes["X"]
    assert codes.tolist() == [states.index(int(cell)) for cell in cells]


def test_numbers_far_apart_are_their_labels():
    states = (-(2**62), -5, 0, 2**62)
    codes = read_evidence(BayesGraph({"X": states}), {"X": np.array([2**62, -5, -(2**62)])}).codes
    assert codes["X"].tolist() == [3, 1, 0]


def test_a_column_longer_than_a_chunk_is_read_as_cell_by_cell(rng):
    states = ("a", "b", 3, "c")
    known = {"a": 0, "b": 1, 3: 2, "c": 3}
    cells = [
        *rng.choice(["a", "b"], 70_000).tolist(),
        *(3 if x else None for x in rng.random(9) > 0.5),
    ]
    cells += ["c", " ", 3.0, np.nan] * 5
    codes = read_evidence(BayesGraph({"X": states}), {"X": cells}).codes["X"]
    expected = [known.get(cell, -1) if cell == cell else -1 for cell in cells]
    assert codes.tolist() == expected


# Soft evidence with names

SOFT = pd.DataFrame({"yes": [0.8, 0.1], "no": [0.2, 0.4]})


@pytest.mark.parametrize("frame", [SOFT, pl.from_pandas(SOFT), pa.Table.from_pandas(SOFT)])
def test_a_data_frame_as_soft_evidence_is_read_by_the_names_of_its_columns(frame):
    close(read_evidence(GRAPH, {"X": frame}).vectors["X"], [[0.2, 0.4], [0.8, 0.1]])


def test_empty_cells_of_soft_evidence_are_missing():
    frame = pd.DataFrame({1: [0.5, None], 0: [0.25, None]}, dtype="Float64")
    close(read_evidence(GRAPH, {"S": frame}).vectors["S"], [[0.25, 1], [0.5, 1]])
    close(
        read_evidence(GRAPH, {"S": pl.DataFrame({"1": [0.5, None], "0": [0.25, None]})}).vectors[
            "S"
        ],
        [[0.25, 1], [0.5, 1]],
    )


def test_a_likelihood_vector_with_names_is_put_in_order():
    cells = ["no", pd.Series([0.8, 0.2], index=["yes", "no"])]
    close(read_evidence(GRAPH, {"X": cells}).vectors["X"], [[1, 0.2], [0, 0.8]])


BAD_SOFT = {
    "another state": (SOFT.rename(columns={"yes": "maybe"}), "called 'maybe', 'no'.*'no', 'yes'"),
    "a state too few": (SOFT[["no"]], "called 'no': .*each once"),
    "a state too many": (SOFT.assign(more=1), "called 'yes', 'no', 'more'"),
    "words": (SOFT.astype(str), "X: 'yes' holds '0.8', '0.1': expected numbers"),
}


@pytest.mark.parametrize(("frame", "said"), BAD_SOFT.values(), ids=BAD_SOFT)
def test_a_data_frame_with_other_names_is_refused(frame, said):
    with pytest.raises(ValueError, match=said):
        read_evidence(GRAPH, {"X": frame})


def test_soft_evidence_whose_rows_are_in_another_order_is_refused():
    table = {"X": SOFT.iloc[::-1], "Y": pd.Series([3, 5])}
    with pytest.raises(ValueError, match="'X' and 'Y' have different row labels: align them"):
        read_evidence(GRAPH, table)


def test_a_masked_row_of_likelihoods_is_missing():
    vectors = np.ma.MaskedArray([[0.5, 1.0], [7.0, 7.0]], [[False, False], [True, True]])
    close(read_evidence(GRAPH, {"S": vectors}).vectors["S"], [[0.5, 1], [1, 1]])


# States that are read from a column


LABELS = {
    "sorted": (["b", "a", None, "b"], ("a", "b")),
    "whole numbers": ([2, 0, None], (0, 2)),
    "floats with a gap": ([2.0, 0.0, np.nan], (0, 2)),
    "floats that are not whole": ([0.5, -1.0], (-1.0, 0.5)),
    "spins": ([-1, 1, -1], (-1, 1)),
    "around zero": (np.array([-1, -2, 0, 1]), (-2, -1, 0, 1)),
    "an array of truth values": (np.array([True, False, True]), (False, True)),
    "a masked array": (np.ma.MaskedArray([5, 7, 9], [False, False, True]), (5, 7)),
    "NumPy text": (np.array(["b", "", "a"]), ("a", "b")),
    "Arrow": (pa.array(["b", None, "a"]), ("a", "b")),
    "polars": (pl.Series([3, None, 1]), (1, 3)),
    "polars Categorical": (pl.Series(["b", None, "a"], dtype=pl.Categorical), ("a", "b")),
    "dates": ([datetime.date(2020, 1, 2), None], (datetime.date(2020, 1, 2),)),
    "missing beside words": (["a", " ", None], ("a",)),
    "truth values": ([True, False], (False, True)),
    "numbers and words": ([1, "a", 0], (0, 1, "a")),
    "categories in their order": (
        pd.Categorical(["b", "a"], categories=["b", "c", "a"]),
        ("b", "c", "a"),
    ),
    "nullable": (pd.Series([1, None, 0], dtype="Int64"), (0, 1)),
    "polars Enum": (pl.Series(["b"], dtype=pl.Enum(["b", "a"])), ("b", "a")),
}


@pytest.mark.parametrize(("column", "expected"), LABELS.values(), ids=LABELS)
def test_labels_are_those_that_occur(column, expected):
    found = labels(column, "X")
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]


def test_every_label_that_a_column_shows_can_be_read_again():
    for column, states in LABELS.values():
        branch = Branch("X", states)
        codes = read_column(column if isinstance(column, np.ndarray) else list(column), branch)
        assert set(codes[codes >= 0]) <= set(range(branch.size))


def test_a_column_without_labels_is_refused():
    with pytest.raises(ValueError, match="'X' holds no value: give its states, or call it hidden"):
        BayesGraph.from_table({"X": [None, np.nan]})
    with pytest.raises(ValueError, match="'X' holds likelihood vectors: give its states"):
        BayesGraph.from_table({"X": [[0.2, 0.8]]})


@pytest.mark.parametrize("column", [[0, 1, -1], np.array([0, -1]), [0.0, 2.0, -1.0, np.nan]])
def test_minus_one_beside_codes_is_refused_as_it_could_be_missing(column):
    with pytest.raises(ValueError, match="'X' holds -1, 0.*is -1 a state, or is the cell missing"):
        BayesGraph.from_table({"X": column})


def test_minus_one_is_a_value_of_a_column_whose_states_are_read_from_it():
    table = {"a": [-1, 1, -1]}
    graph = BayesGraph.from_table(table)
    assert graph.variables["a"].states == (-1, 1)
    assert read_evidence(graph, table).codes["a"].tolist() == [0, 1, 0]


def test_a_column_of_equal_truth_values_and_numbers_is_refused():
    with pytest.raises(ValueError, match="'X' holds True, 0, 1: a truth value and a number"):
        BayesGraph.from_table({"X": [True, 0, 1]})


def test_a_column_with_about_as_many_states_as_rows_is_told_by_name():
    assert "'id' has 30 states in 59 rows" in many_states("id", 30, 59)
    assert many_states("id", 30, 60) == many_states("id", 20, 20) == ""


@pytest.mark.parametrize(
    ("states", "told"),
    [
        (("Yes", "no", "yes "), "'Yes', 'yes '"),
        (("New  York", "new york"), "'New  York', 'new york'"),
        (("caf\u00e9", "cafe\u0301"), "'caf\u00e9', 'cafe\u0301'"),
        ((1, "1", "2"), "1, '1'"),
        (("a", "A", "b", "B", "c"), "'a', 'A', .*and 1 more such sets"),
    ],
)
def test_states_that_a_typist_may_have_meant_as_one_are_told(states, told):
    assert re.search(f"column 'X' has the states {told}", alike("X", states))
    with pytest.warns(UserWarning, match="which differ in spaces, capitals or type alone"):
        graph = BayesGraph.from_table({"X": list(states)})
    assert graph.variables["X"].size == len(states)  # told, and left to whoever knows


@pytest.mark.parametrize("states", [("yes", "no"), (1, 2), (1, 1.5, "one"), (True, False), ()])
def test_states_that_differ_are_not_told(states):
    assert alike("X", states) == ""


@pytest.mark.parametrize("name", ["count", "Weight", "freq", "n"])
def test_a_column_that_looks_like_weights_is_a_variable_and_told_with_the_remedy(name):
    table = pd.DataFrame({"X": ["a", "b"], name: [12, 30]})
    with pytest.warns(UserWarning, match=f"give weight='{name}' here and to fit.*name it in col"):
        graph = BayesGraph.from_table(table)
    assert set(graph.variables) == {"X", name}


def test_weights_that_are_named_and_variables_that_are_meant_are_not_told():
    table = pd.DataFrame({"X": ["a", "b"], "count": [12, 30]})
    assert set(BayesGraph.from_table(table, weight="count").variables) == {"X"}
    for asked in ({"columns": ["X", "count"]}, {"parents": {"count": "X"}}):
        assert set(BayesGraph.from_table(table, **asked).variables) == {"X", "count"}
    for cells in (["few", "many"], [0, 1], [True, False]):
        BayesGraph.from_table({"X": ["a", "b"], "count": cells})
    BayesGraph.from_table({"X": ["a", "b"], "country": [1, 2]})


def test_an_unknown_label_says_which_state_it_is_but_for_spaces_or_capitals():
    graph = BayesGraph({"X": ("yes", "no")})
    with pytest.raises(ValueError, match="'Yes ': the states .*; 'yes' is the same but for spaces"):
        read_evidence(graph, {"X": ["no", "Yes "]})
    with pytest.raises(ValueError, match="'maybe': the states of X are 'yes', 'no'$"):
        read_evidence(graph, {"X": ["maybe"]})


@pytest.mark.parametrize("file", ["survey.csv", Path("survey.csv")])
def test_the_name_of_a_file_is_no_table_and_says_how_it_is_read(file):
    with pytest.raises(ValueError, match=r"read the file first, as by pandas\.read_csv"):
        BayesGraph.from_table(file)
