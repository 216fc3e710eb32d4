"""States of two models are matched by how often they agree."""

from itertools import permutations

import numpy as np
import pytest

from fgnwidgets import agreement, match_states, relabel


def posteriors(rng: np.random.Generator, size: int, n: int = 30) -> np.ndarray:
    drawn = rng.random((size, n)) ** 4
    return drawn / drawn.sum(axis=0)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (4, 4), (6, 6), (2, 5), (4, 7), (5, 2), (7, 4)])
def test_no_pairing_of_states_agrees_better(sizes):
    """Every pairing is tried."""
    rng = np.random.default_rng(sum(sizes))
    for _ in range(40):
        p, q = posteriors(rng, sizes[0]), posteriors(rng, sizes[1])
        gain = agreement(p, q)
        small, large = sorted(sizes)
        table = gain if sizes[0] <= sizes[1] else gain.T
        best = max(
            sum(table[i, j] for i, j in enumerate(chosen))
            for chosen in permutations(range(large), small)
        )
        order = match_states(p, q)
        assert sorted(order) == list(range(sizes[1]))
        if sizes[0] <= sizes[1]:
            found = sum(gain[k, order[k]] for k in range(small))
        else:  # which states of p were left out is not told: the best increasing choice
            found = max(
                sum(gain[i, j] for i, j in zip(rows, order, strict=True))
                for rows in permutations(range(sizes[0]), sizes[1])
                if list(rows) == sorted(rows)
            )
        assert found == pytest.approx(best, rel=1e-12)


def test_a_permuted_model_is_put_back():
    rng = np.random.default_rng(1)
    p = posteriors(rng, 5)
    shuffled = np.array([3, 0, 4, 1, 2])
    order = match_states(p, p[shuffled])
    np.testing.assert_array_equal(p[shuffled][order], p)


def test_the_order_is_what_relabel_takes():
    from fgnwidgets import BayesGraph

    graph = BayesGraph({"S": 3, "X": 2}, {"X": "S"})
    theta = {
        "S": np.array([[0.5, 0.3, 0.2]]),
        "X|S": np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]),
    }
    moved = relabel(graph, theta, "S", [2, 0, 1])
    p = posteriors(np.random.default_rng(0), 3)
    back = relabel(graph, moved, "S", match_states(p, p[[2, 0, 1]]))
    np.testing.assert_array_equal(back["X|S"], theta["X|S"])


def test_weights_are_counts_of_equal_samples():
    rng = np.random.default_rng(2)
    p, q, counts = posteriors(rng, 3), posteriors(rng, 4), rng.integers(0, 4, 30)
    repeated = agreement(np.repeat(p, counts, axis=1), np.repeat(q, counts, axis=1))
    np.testing.assert_allclose(agreement(p, q, counts), repeated, rtol=1e-12)
    assert agreement(p, q, counts).sum() == pytest.approx(counts.sum())


def test_states_without_a_partner_come_last_the_largest_first():
    p = np.eye(2)[:, [0, 0, 1, 1, 1, 0]]
    q = np.eye(4)[:, [2, 2, 0, 3, 3, 1]]  # state 2 is p's 0, state 3 is p's 1; 0 and 1 are over
    assert match_states(p, q, [1, 1, 1, 1, 1, 3]).tolist()[:2] in ([2, 3], [1, 3])
    assert match_states(p, q, [2, 2, 1, 1, 1, 3]).tolist() == [2, 3, 1, 0]


def test_different_samples_are_refused():
    with pytest.raises(ValueError, match="on the same samples"):
        match_states(np.ones((2, 3)) / 2, np.ones((2, 4)) / 2)
