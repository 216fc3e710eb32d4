"""The message equations, and messages as values."""

from functools import reduce

import numpy as np
import pytest
from checks import close
from hypothesis import given
from oracles import posterior
from strategies import as_evidence, cases

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Belief, product_to_variable, variable_to_product
from fgnwidgets.algebra.products import expand
from fgnwidgets.algebra.semirings import GUARDED, LOG_SUM_PRODUCT, SUM_PRODUCT

GRAPH = BayesGraph({"S": 2, "X": ("no", "yes"), "Y": 3}, {"X": "S", "Y": "S"})


def test_a_block_carries_messages_both_ways():
    theta = np.array([[0.1, 0.9], [0.6, 0.4], [0.5, 0.5]])
    close(SUM_PRODUCT.apply(theta.T, np.array([[1.0], [0], [2]])), [[1.1], [1.9]])
    close(SUM_PRODUCT.apply(theta, np.array([[1.0], [0]])), [[0.1], [0.6], [0.5]])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_shaded_blocks_are_their_dense_matrices(axis, rng):
    sizes = (2, 3, 4)
    f, v = rng.random((5, sizes[axis], 7)), rng.random((5, 24, 7))
    dense = variable_to_product(sizes, axis)
    close(expand(f, sizes, axis) / (24 // sizes[axis]), dense.T @ f)
    close(SUM_PRODUCT.project(v, sizes, axis), product_to_variable(sizes, axis).T @ v)


@pytest.mark.parametrize("semiring", [SUM_PRODUCT, LOG_SUM_PRODUCT])
@pytest.mark.parametrize("ports", [1, 2, 3, 7])
def test_a_diverter_multiplies_what_enters_at_the_other_ports(semiring, ports, rng):
    vectors = [rng.random((3, 4)) * (rng.random((3, 4)) > 0.3) for _ in range(ports)]
    entering = [semiring.encode(v) for v in vectors]
    for i, found in enumerate(semiring.others(entering, range(ports))):
        expected = reduce(np.multiply, vectors[:i] + vectors[i + 1 :], np.ones((3, 4)))
        close(found if semiring is SUM_PRODUCT else np.exp(found), expected)


def test_logarithms_carry_messages_as_probabilities_do(rng):
    theta, v = rng.random((5, 3, 4)) * (rng.random((3, 4)) > 0.3), rng.random((12, 7))
    f, b = rng.random((3, 7)), rng.random((4, 7))
    logs = [LOG_SUM_PRODUCT.encode(x) for x in (theta, f, b, v)]
    close(
        np.exp(LOG_SUM_PRODUCT.apply(logs[0].swapaxes(1, 2), logs[1])),
        SUM_PRODUCT.apply(theta.swapaxes(1, 2), f),
    )
    close(np.exp(LOG_SUM_PRODUCT.apply(logs[0], logs[2])), SUM_PRODUCT.apply(theta, b))
    close(np.exp(LOG_SUM_PRODUCT.project(logs[3], (3, 4), 1)), SUM_PRODUCT.project(v, (3, 4), 1))
    close(
        LOG_SUM_PRODUCT.log([LOG_SUM_PRODUCT.inner(logs[1], logs[1])]),
        SUM_PRODUCT.log([SUM_PRODUCT.inner(f, f)]),
    )


@pytest.mark.parametrize("number", [1, 8, 9, 30])
def test_the_log_of_a_product_of_scales_is_the_sum_of_their_logs(rng, number):
    scales = [rng.random((1, 5)) for _ in range(number)]
    expected = sum(np.log(scale[0]) for scale in scales)
    close(SUM_PRODUCT.log(scales), expected)
    close(GUARDED.log(scales), expected)
    close(LOG_SUM_PRODUCT.log([np.log(scale) for scale in scales]), expected)


def test_scales_too_small_to_be_multiplied_are_told_from_those_that_are_not():
    scales = [np.array([[1e-3, 1e-60]])] * 6
    with np.errstate(divide="ignore"):
        few, many = SUM_PRODUCT.log(scales)
    assert many == -np.inf  # and propagation asks another semiring
    close(GUARDED.log(scales), [few, -360 * np.log(10)])


def test_messages_answer_to_branches_and_to_variables(rng):
    messages = fg.propagate(GRAPH, fg.random_theta(GRAPH, rng), {"X": ["yes", "no"]})
    assert "S" in messages
    assert "S(1)" in messages
    assert list(messages) == ["S(0)", "S(1)", "S(2)", "X", "Y"]
    assert len(messages) == 5
    assert messages["X"].states == ("no", "yes")
    close(messages["S"].p, messages["S(2)"].p)
    assert repr(messages) == "Messages(5 branches, 2 samples)"
    assert repr(messages["Y"]) == "Belief('Y', 3 values, 2 samples)"


@given(cases())
def test_every_message_is_normalised_with_a_column_per_sample(case):
    messages = fg.propagate(case.graph, case.theta, as_evidence(case))
    for name, branch in messages.graph.branches.items():
        for v in (messages[name].f, messages[name].b, messages[name].p):
            assert v.shape == (branch.size, case.n)
            close(v.sum(axis=0), np.ones(case.n))


def test_messages_cannot_be_written_to(rng):
    messages = fg.propagate(GRAPH, fg.random_theta(GRAPH, rng), {"X": [0, 1]})
    with pytest.raises(ValueError, match="read-only"):
        messages["S"].f[0, 0] = 1


@given(cases())
def test_the_pair_of_a_block_is_the_joint_posterior_of_its_ends(case):
    messages = fg.propagate(case.graph, case.theta, as_evidence(case))
    for child, block in case.graph.theta.items():
        ends = (*case.graph.parents[child], child)
        expected = posterior(case.graph, case.theta, case.likelihoods, case.n, ends)
        found = messages.pair(block)
        close(found.reshape(expected.shape), expected)


def test_a_node_that_is_no_block_has_no_pair(rng):
    messages = fg.propagate(GRAPH, fg.random_theta(GRAPH, rng))
    with pytest.raises(ValueError, match="node 'S=' is a Diverter: expected a source or a block"):
        messages.pair("S=")


def test_a_belief_whose_product_underflows_is_worked_out_again():
    f, b = np.array([[1e-200], [1.0]]), np.array([[1.0], [1e-180]])
    close(Belief("X", f, b).p, [[1e-20], [1]])


def test_messages_are_equal_by_identity_and_can_be_keys():
    graph = fg.BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    theta = fg.random_theta(graph, np.random.default_rng(0))
    one, two = (fg.propagate(graph, theta, {"X": [0, 1]}) for _ in range(2))
    assert one == one and one != two and {one: "kept"}[one] == "kept"
