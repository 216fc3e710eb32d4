"""A table of results shows every number once, in the form that was asked for."""

import numpy as np
import pytest

from fgn_notebooks.figures.tables import tabulate, tied
from fgnwidgets import hmm


def test_rows_and_heads_are_those_of_the_results_and_a_missing_cell_is_a_dash():
    shown = repr(
        tabulate("Ends", {"ML": {"end": -1.234, "runs": np.int64(3)}, "VIT": {"end": -2.0}})
    )
    lines = ["Ends", "       end  runs", "ML   -1.23     3", "VIT  -2.00     -"]
    assert shown.splitlines() == lines


def test_numbers_are_written_as_is_asked_and_never_as_minus_zero():
    rows = {"a": {"share": np.float64(0.256), "end": -0.0001}, "b": {"share": -0.001, "end": 7.126}}
    found = tabulate("", rows, {"share": ".0%", "end": ".1f"})
    assert found.rows == [["a", "26%", "0.0"], ["b", "0%", "7.1"]]
    assert found.to_dict()["share"] == ["26%", "0%"]


def test_what_a_notebook_shows_has_no_letters_that_html_reads():
    assert "&lt;b&gt;" in tabulate("x", {"<b>": {"n": 1}})._repr_html_()


def test_a_sequence_has_the_heads_that_are_given_and_a_matrix_the_places_of_its_entries():
    found = tabulate("", {"a": (1, 2.5), "b": {"runs": 3}}, heads=("runs", "end"))
    assert found.to_dict() == {"column 1": ["a", "b"], "runs": ["1", "3"], "end": ["2.50", "-"]}
    found = tabulate("", {"theta": [[0.25, 0.75], [1, 0]]})
    assert found.heads == ["", "1, 1", "1, 2", "2, 1", "2, 2"]
    assert found.rows == [["theta", "0.25", "0.75", "1.00", "0.00"]]


@pytest.mark.parametrize(
    ("heads", "said"),
    [
        (None, "the row 'a' is a sequence of 2 cells: expected heads for it"),
        (("end",), "the row 'a' is a sequence of 2 cells: expected 1, one for each of heads"),
    ],
)
def test_a_sequence_that_its_heads_do_not_fit_is_refused(heads, said):
    with pytest.raises(ValueError, match=said):
        tabulate("", {"a": (1, 2)}, heads=heads)


def test_rows_in_the_order_of_the_heads_have_a_cell_for_each():
    found = tabulate("Rain", {"filtered": (0.25, None), "smoothed": [1, "x"]}, ".1f", heads=(1, 2))
    assert found.heads == ["", "1", "2"]
    assert found.rows == [["filtered", "0.2", "-"], ["smoothed", "1", "x"]]
    with pytest.raises(ValueError, match="'a' is a sequence of 1 cells: expected 2, one for each"):
        tabulate("", {"a": [1]}, heads=("x", "y"))


def test_a_matrix_has_all_its_numbers_in_the_form_that_was_asked_for():
    assert tabulate("", {"T": {"one number": np.array(0.5)}}).rows == [["T", "0.50"]]
    matrix = np.array([[0.75, 0.25], [-0.001, 1]])
    found = tabulate("", {"T": {"m": matrix, "codes": (1, 2)}}, ".1f")
    assert found.rows == [["T", "[[0.8, 0.2], [0.0, 1.0]]", "[1, 2]"]]


def test_tied_blocks_are_named_with_the_matrix_that_they_share():
    found = tied(hmm(2, 3, 3))
    assert {row[0]: row[1] for row in found.rows} == {
        "start": "S1", "transition": "S2, S3", "emission": "X1, X2, X3",
    }  # fmt: skip
