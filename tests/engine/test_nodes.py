"""The parts of a normal graph."""

import numpy as np
import pytest

from fgnwidgets import Block, Branch, Diverter, Expand, GraphError, Project, Source


def test_a_branch_has_a_size_or_states():
    assert Branch("S", 3) == Branch("S", np.int64(3))
    assert Branch("S", ("low", "high")).size == 2
    assert Branch("S", range(3)).states == (0, 1, 2)


def test_labels_from_numpy_become_plain_python():
    states = Branch("S", np.array([3, 5])).states
    assert states == (3, 5)
    assert type(states[0]) is int
    assert type(Branch("S", (np.str_("a"), np.str_("b"))).states[0]) is str


NO_SIZE = "expected a whole number >= 1, or a sequence of states"
BAD_BRANCHES = {
    "cardinality zero": ((0,), f"size is 0: {NO_SIZE}"),
    "no states": (([],), rf"size is \[\]: {NO_SIZE}"),
    "negative": ((-2,), f"size is -2: {NO_SIZE}"),
    "not whole": ((2.5,), f"size is 2.5: {NO_SIZE}"),
    "nothing": ((None,), f"size is None: {NO_SIZE}"),
    "a truth value": ((True,), f"size is True: {NO_SIZE}"),
    "a string": (("ab",), f"size is 'ab': {NO_SIZE}"),
    "bytes": ((b"ab",), f"size is b'ab': {NO_SIZE}"),
    "states in no order": ((2, {"a", "b"}), "states is .*: expected a sequence of labels"),
    "a label twice": ((("a", "b", "a"),), "expected 3 different labels"),
    "equal labels of two types": (((1, 1.0),), "expected 2 different labels"),
    "NaN as a label": (((1.0, float("nan")),), "expected 2 different labels"),
    "labels that cannot be looked up": ((([1], [2]),), "expected 2 different labels"),
    "a matrix of labels": ((np.zeros((2, 2)),), "expected 2 different labels"),
    "another number of states": ((3, ("a", "b")), "expected 3 different labels"),
}


@pytest.mark.parametrize(("arguments", "said"), BAD_BRANCHES.values(), ids=BAD_BRANCHES)
def test_a_branch_that_is_none_is_refused_by_name(arguments, said):
    with pytest.raises(GraphError, match=f"branch 'S'.*{said}"):
        Branch("S", *arguments)


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_branch_without_a_name_is_refused(name):
    with pytest.raises(GraphError, match="expected a string that is not empty"):
        Branch(name, 2)


def test_replicas_belong_to_the_same_variable():
    replica = Branch("S", ("a", "b")).replica(1)
    assert (replica.name, replica.variable, replica.states) == ("S(1)", "S", ("a", "b"))


def test_a_matrix_is_called_like_its_node_unless_it_is_shared():
    x, y = Branch("X", 2), Branch("Y", 3)
    assert Source("X", x).theta == "X"
    assert Block("Y|X", x, y, theta="shared").theta == "shared"
    assert (Source("X", x).shape, Block("Y|X", x, y).shape) == ((1, 2), (2, 3))


def test_a_diverter_joins_branches_of_one_size():
    with pytest.raises(GraphError, match=r"'S=': its branches have different sizes.*'B': 3"):
        Diverter("S=", [Branch("A", 2)], [Branch("B", 3)])
    with pytest.raises(GraphError, match="'S=' has no branches"):
        Diverter("S=", [], [])


@pytest.mark.parametrize("kind", [Expand, Project])
def test_a_shaded_block_fits_its_sizes(kind):
    x, y = Branch("X", 3), Branch("P", 6)
    ends = (x, y) if kind is Expand else (y, x)
    kind("shaded", *ends, (2, 3), 1)
    with pytest.raises(GraphError, match="'shaded': axis is 2: expected 0 to 1 for sizes"):
        kind("shaded", *ends, (2, 3), 2)
    with pytest.raises(
        GraphError, match=r"'shaded' joins.*expected 2 and 6 for the sizes \(2, 3\)"
    ):
        kind("shaded", *ends, (2, 3), 0)
