"""Matrices that name their rows and columns."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks import close

from fgnwidgets import Branch
from fgnwidgets.data import aligned_matrix, has_names

A, B = Branch("A", ("lo", "hi")), Branch("B", 3)
Y = Branch("Y", ("no", "yes", "maybe"))
MATRIX = pd.DataFrame(
    [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], index=["lo", "hi"], columns=["no", "yes", "maybe"]
)


@pytest.mark.parametrize("rows", [*itertools.permutations(["lo", "hi"])])
@pytest.mark.parametrize("cols", [*itertools.permutations(["no", "yes", "maybe"])])
def test_rows_and_columns_may_come_in_any_order(rows, cols):
    close(aligned_matrix(MATRIX.loc[list(rows), list(cols)], [A], Y, "theta"), MATRIX.to_numpy())


def test_several_parents_are_levels_of_the_index(rng):
    cells = {(a, b): rng.random(3) for a in A.states for b in range(3)}
    expected = np.array([cells[a, b] for a in A.states for b in range(3)])
    keys = list(cells)
    rng.shuffle(keys)
    index = pd.MultiIndex.from_tuples([(a, b) for a, b in map(tuple, keys)])
    shuffled = pd.DataFrame([cells[a, int(b)] for a, b in index], index, list(Y.states))
    shuffled.index = pd.MultiIndex.from_tuples([(a, int(b)) for a, b in index])
    close(aligned_matrix(shuffled, [A, B], Y, "theta"), expected)
    named = shuffled.rename_axis(index=["A", "B"]).swaplevel()
    close(aligned_matrix(named, [A, B], Y, "theta"), expected)
    close(aligned_matrix(named.sort_index(), [A, B], Y, "theta"), expected)


def test_a_prior_is_one_row_or_a_series():
    for prior in (
        pd.Series({"yes": 0.5, "no": 0.2, "maybe": 0.3}),
        pd.DataFrame({"yes": [0.5], "no": [0.2], "maybe": [0.3]}),
        pl.DataFrame({"yes": [0.5], "no": [0.2], "maybe": [0.3]}),
    ):
        close(aligned_matrix(prior, [], Y, "theta"), [[0.2, 0.5, 0.3]])


def test_states_without_labels_are_numbered():
    frame = pd.DataFrame([[0.1, 0.9], [0.8, 0.2], [0.5, 0.5]], index=[2, 0, 1], columns=[1, 0])
    expected = [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]
    close(aligned_matrix(frame, [B], Branch("X", 2), "theta"), expected)


def test_plain_numbers_serve_where_no_label_could_be_meant():
    close(aligned_matrix(pd.DataFrame(MATRIX.to_numpy()), [A], Y, "theta"), MATRIX.to_numpy())


NUMBERS = Branch("X", ("1", "2", "3"))
BAD = {
    "a row missing": (MATRIX[:1], "theta has 1 rows: expected each of the 2 states of A once"),
    "a row twice": (pd.concat([MATRIX, MATRIX[:1]]), "theta has 3 rows"),
    "another row": (MATRIX.rename(index={"lo": "low"}), "theta: the rows are called 'low', 'hi'"),
    "another column": (MATRIX.rename(columns={"no": "NO"}), "theta: the columns are called 'NO'"),
    "a column missing": (MATRIX[["no", "yes"]], "theta: the columns are called 'no', 'yes'"),
    "turned": (MATRIX.T, "theta: the columns are called 'lo', 'hi'"),
    "turned, as its names say": (MATRIX.rename_axis(index="Y", columns="A"), "which is frame.T"),
    "rows without names": (pl.from_pandas(MATRIX), "the rows are called nothing"),
    "two levels": (pd.concat({"x": MATRIX}), r"the rows are called \[None, None\]"),
    "words": (MATRIX.astype(str), "theta: 'no' holds '0.1', '0.3': expected numbers"),
}


@pytest.mark.parametrize(("frame", "said"), BAD.values(), ids=BAD)
def test_a_matrix_with_other_names_is_refused(frame, said):
    with pytest.raises(ValueError, match=said):
        aligned_matrix(frame, [A], Y, "theta")


def test_numbers_are_no_names_of_states_that_read_as_numbers():
    frame = pd.DataFrame(np.eye(3), index=["1", "2", "3"], columns=[1, 2, 3])
    with pytest.raises(ValueError, match="theta: the columns are called 1, 2, 3.*'1', '2', '3'"):
        aligned_matrix(frame, [NUMBERS], NUMBERS, "theta")


def test_levels_with_other_names_than_the_parents_are_refused():
    index = pd.MultiIndex.from_product([["lo", "hi"], [0, 1, 2]], names=["A", "C"])
    frame = pd.DataFrame(np.ones((6, 3)), index, list(Y.states))
    with pytest.raises(ValueError, match=r"called \['A', 'C'\].*the states of A, B, a level"):
        aligned_matrix(frame, [A, B], Y, "theta")


def test_what_has_names_is_known():
    assert has_names(MATRIX) and has_names(MATRIX["no"]) and has_names(pl.from_pandas(MATRIX))
    assert not any(map(has_names, (MATRIX.to_numpy(), [[0.5, 0.5]], None, {"a": 1})))
