"""The rank of P(row) in the parameters, beside ranks from finite differences of joint tables."""

import numpy as np
import pytest
from latent_classes import TRUE, TWO, classes, drawn, slides
from oracles import joint

import fgnwidgets as fg


def rank_by_differences(run, observed):
    """Steps in every coordinate of a softmax, and the whole table of P(observed) after each."""
    graph, theta = (
        run.graph,
        {k: 0.999 * m + 0.001 / m.shape[-1] for k, m in run.best_theta.items()},
    )
    hidden = tuple(k for k, v in enumerate(graph.variables) if v not in observed)
    columns = []
    for name, matrix in theta.items():
        for x, y in np.ndindex(matrix.shape[0], matrix.shape[1] - 1):
            ends = []
            for step in (1e-4, -1e-4):
                moved = matrix.copy()
                moved[x, y] *= np.exp(step)
                moved[x] /= moved[x].sum()
                ends.append(joint(graph, {**theta, name: moved}).sum(axis=hidden).ravel())
            columns.append((ends[0] - ends[1]) / 2e-4)
    s = np.linalg.svd(np.column_stack(columns), compute_uv=False)
    return int((s > 1e-7 * s[0]).sum())


def random_table(sizes, n=300):
    rng = np.random.default_rng(0)
    return {name: rng.integers(0, size, n) for name, size in sizes.items()}


CASES = {
    "the paper's graph, four states": (4, {"X1": 3, "X2": 2, "X3": 2}, 19, 11),
    "two classes on two items": (2, {"A": 2, "B": 2}, 5, 3),
    "two classes on four items": (2, {"A": 2, "B": 2, "C": 2, "D": 2}, 9, 9),
    "three classes on four items": (3, {"A": 2, "B": 2, "C": 2, "D": 2}, 14, 13),  # Goodman 1974
}


@pytest.mark.parametrize("case", CASES)
def test_rank_and_count_of_known_models(case):
    count, sizes, n_free, rank = CASES[case]
    run = fg.fit(classes(count, sizes), random_table(sizes), n_epochs=5)
    found = fg.identified(run)
    assert (found.n_free, found.rank) == (n_free, rank)
    assert bool(found) == (n_free == rank)
    assert rank_by_differences(run, sizes) == rank


def test_the_pathologists_fix_all_23_numbers_of_three_kinds():
    found = fg.identified(slides(3))
    assert (found.n_free, found.rank, found.warning) == (23, 23, "")


def test_the_warning_has_both_numbers_and_stands_in_the_summary():
    sizes = {"A": 2, "B": 2}
    run = fg.fit(classes(2, sizes), random_table(sizes))
    warning = fg.identified(run).warning
    assert "5 numbers" in warning
    assert "only 3" in warning
    assert warning in run.summary().warnings


def test_loose_numbers_are_named_and_fixed_ones_are_not():
    graph = fg.BayesGraph(
        {"S": 2, "A": 2, "B": 2, "C": 2, "T": 2, "D": 2},
        {"A": "S", "B": "S", "C": "S", "D": "T"},
    )
    run = fg.fit(graph, random_table({"A": 2, "B": 2, "C": 2, "D": 2}), n_epochs=5)
    loose = fg.identified(run).loose
    assert loose["D|T"].all()  # a hidden parent of one child
    assert loose["T"].all()
    assert not any(loose[name].any() for name in ("S", "A|S", "B|S", "C|S"))


def test_held_rows_make_a_loose_model_fixed():
    sizes = {"A": 2, "B": 2}
    start = {"A|S": np.eye(2)}
    run = fg.fit(classes(2, sizes), random_table(sizes), theta=start, hold={"A|S": [True, True]})
    assert (fg.identified(run).n_free, fg.identified(run).rank) == (3, 3)


def test_identical_states_lower_the_rank():
    run = fg.fit(TWO, drawn(TWO, TRUE, 200, 0, "ABCD"), theta=fg.uniform_theta(TWO), restarts=1)
    assert fg.identified(run).rank < 9


def test_more_rows_than_can_be_listed_are_sampled():
    sizes = dict.fromkeys("ABCDEFGH", 4)  # 65,536 rows
    run = fg.fit(classes(2, sizes), random_table(sizes), n_epochs=3)
    assert fg.identified(run).rank == run.n_free == 1 + 2 * 24
