"""Rows that keep coming: one pass beside learning from all of them, and a source that changes."""

import numpy as np
import pytest
from latent_classes import SLIDES, TRUE, TWO, drawn, slides

import fgnwidgets as fg

TRUTH = {name: np.array(m) for name, m in TRUE.items()}


def batches(table, size):
    n = len(next(iter(table.values())))
    for at in range(0, n, size):
        yield {name: column[at : at + size] for name, column in table.items()}


def last(states):
    *_, state = states
    return state


def total(graph, theta, table):
    rows, counts = fg.distinct(fg.read_evidence(graph, table))
    return counts @ fg.loglik(graph, theta, rows)


def test_one_pass_ends_where_learning_from_all_ends_and_half_a_pass_of_the_start_does_not():
    run = slides(3, alpha=0.5)
    table = drawn(run.graph, run.best_theta, 100_000, 0, SLIDES)
    whole = fg.fit(run.graph, table, restarts=5)
    found = last(fg.learn_online(run.graph, batches(table, 1000), restarts=3, seed=0))
    assert found.n == 100
    ends = [
        total(run.graph, {name: m[r] for name, m in found.theta.items()}, table) for r in range(3)
    ]
    best = whole.final_loglik.max()
    assert abs(max(ends) / best - 1) < 1e-3
    early = last(fg.learn_online(run.graph, batches(table, 1000), restarts=1, step=0.001))
    start = total(run.graph, {name: m[0] for name, m in early.theta.items()}, table)
    assert abs(start / best - 1) > 1e-3  # a step so small does not arrive


def test_one_batch_of_everything_is_an_epoch_of_em():
    table = drawn(TWO, TRUE, 500, 0, "ABCD")
    start = fg.random_theta(TWO, np.random.default_rng(0))
    found = last(fg.learn_online(TWO, [table], theta=start))
    epochs = list(fg.epochs(TWO, table, theta=start, n_epochs=1))
    for name, m in epochs[1].theta.items():
        np.testing.assert_allclose(found.theta[name], m)
    assert found.loglik[0] == pytest.approx(epochs[0].loglik[0])


def test_vit_and_var_count_all_samples_once_as_under_matrices_that_stay():
    graph = fg.BayesGraph({"X": 2, "Y": 3}, {"Y": "X"})
    rng = np.random.default_rng(0)
    table = {"X": rng.integers(0, 2, 900), "Y": rng.integers(0, 3, 900)}
    for rule in ("vit", "var"):
        found = last(fg.learn_online(graph, batches(table, 100), rule, delta=1e-9))
        counts = np.zeros((2, 3))
        np.add.at(counts, (table["X"], table["Y"]), 1)
        expected = counts / counts.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.theta["Y|X"][0], expected, atol=1e-6)


def test_batches_weigh_by_their_size():
    """With a pseudo-count, in uneven batches: what was counted is every row once, and alpha."""
    graph = fg.BayesGraph({"X": 2, "Y": 3}, {"Y": "X"})
    rng = np.random.default_rng(1)
    table = {"X": rng.integers(0, 2, 60), "Y": np.sort(rng.integers(0, 3, 60))}
    uneven = ({name: v[at] for name, v in table.items()} for at in np.split(np.arange(60), [5, 45]))
    found = last(fg.learn_online(graph, uneven, "var", alpha=2.0, delta=0.0))
    counts = np.full((2, 3), 2.0)
    np.add.at(counts, (table["X"], table["Y"]), 1)
    expected = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.theta["Y|X"][0], expected)


def test_a_source_that_changes_is_followed_by_a_step_that_stays():
    other = {**TRUE, "S": [[0.1, 0.9]]}
    one, two = (drawn(TWO, t, 40_000, s, "ABCD") for s, t in enumerate((TRUE, other)))
    both = {name: np.concatenate([one[name], two[name]]) for name in "ABCD"}
    following = last(fg.learn_online(TWO, batches(both, 1000), theta=TRUTH, step=0.3))
    assert following.theta["S"][0, 0, 0] == pytest.approx(0.1, abs=0.06)
    sums = last(fg.learn_online(TWO, batches(both, 1000), theta=TRUTH, step=lambda t: 1 / (t + 1)))
    assert sums.theta["S"][0, 0, 0] > 0.2


def test_the_likelihood_of_a_batch_is_that_of_matrices_that_have_not_seen_it():
    table = drawn(TWO, TRUE, 3000, 0, "ABCD")
    seen = list(fg.learn_online(TWO, batches(table, 1000), theta=TRUTH))
    third = {name: column[2000:] for name, column in table.items()}
    before = {name: m[0] for name, m in seen[1].theta.items()}
    assert seen[2].loglik[0] == pytest.approx(total(TWO, before, third))


def test_held_rows_and_blanks_and_weights_are_kept_to():
    table = drawn(TWO, TRUE, 2000, 0, "ABCD")
    table["A"] = np.where(np.arange(2000) % 3 == 0, -1, table["A"])
    table["w"] = np.ones(2000)
    hold = {"B|S": [True, False]}
    options = {"columns": "ABCD", "weight": "w", "hold": hold, "theta": TRUTH}
    found = last(fg.learn_online(TWO, batches(table, 500), **options))
    np.testing.assert_array_equal(found.theta["B|S"][0, 0], TRUTH["B|S"][0])
    assert found.theta["A|S"][0, 0, 0] == pytest.approx(0.9, abs=0.06)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rule": "kl"}, "iterates"),
        ({"step": 2.0}, "at most 1"),
        ({"step": "fast"}, "step is 'fast'"),
    ],
)
def test_mistakes_are_named(options, says):
    with pytest.raises(ValueError, match=says):
        fg.learn_online(TWO, [], **options)
