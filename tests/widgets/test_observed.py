"""Evidence on one sample, as readers write it and as the page sends it."""

import numpy as np
import pandas as pd
import pytest
from student import student

from fgnwidgets import BayesGraph, GraphError
from fgnwidgets.widgets.graph.conflict import contradiction
from fgnwidgets.widgets.graph.observed import from_codes, read_cells, to_codes

FORM = student().normal_form()
NUMBERS = BayesGraph({"A": (1, 0), "B": 2}, {"B": "A"}).normal_form()  # labels that are numbers


@pytest.mark.parametrize("cell", ["high", 1, np.int64(1), ["high"], np.array([1])])
def test_a_state_may_be_given_by_label_or_index(cell):
    assert read_cells(FORM, {"S": cell}) == {"S": "high"}


@pytest.mark.parametrize("cell", [[0.2, 0.8], (0.2, 0.8), np.array([[0.2, 0.8]]), [[0.2, 0.8]]])
def test_a_likelihood_vector_may_be_flat_since_a_view_has_one_sample(cell):
    assert read_cells(FORM, {"S": cell}) == {"S": [0.2, 0.8]}


@pytest.mark.parametrize("cell", [None, -1, float("nan"), "", [1.0, 1.0]])
def test_what_says_nothing_is_left_out(cell):
    assert read_cells(FORM, {"S": cell}) == {}


def test_a_row_of_a_table_is_evidence_and_two_rows_are_not():
    table = pd.DataFrame({"S": ["high", "low"], "L": ["weak", "weak"]})
    assert read_cells(FORM, dict(table.iloc[[0]].items())) == {"S": "high", "L": "weak"}
    with pytest.raises(ValueError, match="2 samples"):
        read_cells(FORM, dict(table.items()))


def test_an_unknown_state_or_variable_is_named_with_those_that_are_known():
    with pytest.raises(ValueError, match="'no'.*'low', 'high'"):
        read_cells(FORM, {"S": "no"})
    with pytest.raises(GraphError, match="'Z'.*D, I"):
        read_cells(FORM, {"Z": 1})


def test_the_page_speaks_in_indices_whatever_the_labels_are():
    assert to_codes(NUMBERS, {"A": 0, "B": 0}) == {"A": 1, "B": 0}
    assert from_codes(NUMBERS, {"A": 0, "B": 0}) == {"A": 1, "B": 0}
    assert from_codes(FORM, {"S": [0.5, 0.25]}) == {"S": [0.5, 0.25]}


def test_a_contradiction_is_a_smallest_set_of_cells_that_cannot_all_be_true():
    rng = np.random.default_rng(0)
    bayes = BayesGraph(dict.fromkeys("ABCD", 2), {"B": "A", "C": "B", "D": "A"})
    form = bayes.normal_form()
    copied = [[1.0, 0.0], [0.0, 1.0]]
    theta = {"A": [[0.5, 0.5]], "B|A": copied, "C|B": copied, "D|A": [[0.5, 0.5], [1.0, 0.0]]}
    for _ in range(20):
        cells = {str(v): int(rng.integers(2)) for v in rng.permutation(list("ABCD"))}
        found = contradiction(form, theta, cells)
        assert bool(found) == (not _possible(cells))
        if found:
            assert not _possible({v: cells[v] for v in found})
            for out in found:
                assert _possible({v: cells[v] for v in found if v != out})


def _possible(cells):
    """By hand: B and C are copies of A, and D is 0 where A is 1."""
    worlds = [{"A": a, "B": a, "C": a, "D": d} for a in (0, 1) for d in (0, 1) if not (a and d)]
    return any(all(world[v] == cell for v, cell in cells.items()) for world in worlds)
