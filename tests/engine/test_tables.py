"""Tables of every kind, and what their cells mean."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks import close

from fgnwidgets import BayesGraph, Branch, GraphError, read_evidence
from fgnwidgets.engine.tables import labels, read_column

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


LABELS = {
    "sorted": (["b", "a", None, "b"], ("a", "b")),
    "whole numbers": ([2, 0, None], (0, 2)),
    "floats with a gap": ([2.0, 0.0, np.nan], (0, 2)),
    "floats that are not whole": ([0.5, -1.0], (-1.0, 0.5)),
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
    found = labels(pd.Series(column) if isinstance(column, pd.Categorical) else column, "X")
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]


def test_every_label_that_a_column_shows_can_be_read_again():
    for column, states in LABELS.values():
        branch = Branch("X", states)
        codes = read_column(list(column), branch)
        assert set(codes[codes >= 0]) <= set(range(branch.size))


def test_a_column_without_labels_is_refused():
    with pytest.raises(ValueError, match="'X' holds no value: give its states, or call it hidden"):
        BayesGraph.from_table({"X": [None, np.nan]})
    with pytest.raises(ValueError, match="'X' holds likelihood vectors: give its states"):
        BayesGraph.from_table({"X": [[0.2, 0.8]]})
