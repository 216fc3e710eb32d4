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
    found = last(fg.learn_online(TWO, [table], theta=start, step=1.0))
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
    options = {"columns": [*"ABCD"], "weight": "w", "hold": hold, "theta": TRUTH}
    found = last(fg.learn_online(TWO, batches(table, 500), **options))
    np.testing.assert_array_equal(found.theta["B|S"][0, 0], TRUTH["B|S"][0])
    assert found.theta["A|S"][0, 0, 0] == pytest.approx(0.9, abs=0.06)


STATES = fg.BayesGraph({"S": 2, "A": ["x", "y", "z"], "B": 2}, {"A": "S", "B": "S"})


def late(number, seed=0):
    """The first batch has no "z", in all others it is every third row."""
    rng = np.random.default_rng(seed)
    for t in range(number):
        a = rng.choice(["x", "y"] if t == 0 else ["x", "y", "z"], 300)
        yield {"A": a.tolist(), "B": rng.integers(0, 2, 300).tolist()}


def shares(theta, r):
    return theta["S"][r, 0] @ theta["A|S"][r]


@pytest.mark.parametrize("step", [None, 0.1])
@pytest.mark.parametrize("restarts", [1, 3])
def test_a_state_that_the_first_batch_does_not_hold_is_learned_later(step, restarts):
    states = list(fg.learn_online(STATES, late(60), restarts=restarts, step=step))
    assert not any(s.dropped.any() for s in states)
    assert all(np.isfinite(s.loglik).all() for s in states)
    for r in range(restarts):
        np.testing.assert_allclose(shares(states[-1].theta, r), 1 / 3, atol=0.05)


def test_a_theta_that_is_given_is_moved_by_the_step_and_not_wiped_out():
    """By hand, of one matrix that is seen whole: p moves to the batch's shares by the step."""
    graph = fg.BayesGraph({"X": 3}, {})
    parts = [[0] * 6 + [1] * 4, [0] * 2 + [2] * 8, [1] * 10]
    for step, steps in ((None, [2**-0.7, 3**-0.7, 4**-0.7]), (0.2, [0.2] * 3)):
        p, given = np.array([0.2, 0.3, 0.5]), {"X": [[0.2, 0.3, 0.5]]}
        learned = fg.learn_online(graph, ({"X": x} for x in parts), theta=given, step=step)
        for state, s, x in zip(learned, steps, parts, strict=True):
            p = (1 - s) * p + s * np.bincount(x, minlength=3) / 10
            np.testing.assert_allclose(state.theta["X"][0, 0], p)


def test_a_row_that_is_reached_late_begins_as_the_theta_that_was_given():
    graph = fg.BayesGraph({"X": 2, "Y": 2}, {"Y": "X"})
    given = {"X": [[0.5, 0.5]], "Y|X": [[0.7, 0.3], [0.6, 0.4]]}
    parts = [{"X": [0] * 10, "Y": [0] * 10}, {"X": [1] * 10, "Y": [1] * 10}]
    found = last(fg.learn_online(graph, parts, theta=given, step=0.25))
    np.testing.assert_allclose(found.theta["Y|X"][0, 1], [0.75 * 0.6, 0.75 * 0.4 + 0.25])


def test_a_restart_that_is_dropped_is_named_with_its_row_and_the_way_out():
    theta = fg.random_theta(STATES, np.random.default_rng(0), (2,))
    theta["A|S"][1, :] = [0.5, 0.5, 0.0]
    learned = fg.learn_online(STATES, late(4), theta=theta, restarts=2)
    assert not next(learned).dropped.any()
    _, second = list(late(2))
    row = second["A"].index("z")
    says = rf"sample {row} of batch 1 .*restart 1: A = 'z', B = {second['B'][row]}.*alpha=\.5"
    with pytest.warns(RuntimeWarning, match=says):
        assert next(learned).dropped.tolist() == [False, True]
    assert [s.dropped.tolist() for s in learned] == [[False, True]] * 2  # said once


def test_where_no_restart_is_left_it_is_impossible_evidence_as_in_fit():
    learned = fg.learn_online(STATES, late(4), restarts=3, step=lambda t: 1 / (t + 1))
    next(learned)
    with pytest.raises(fg.ImpossibleEvidence, match=r"A = 'z'.*batch 1.*alpha=\.5") as raised:
        next(learned)
    assert raised.value.sample == list(late(2))[1]["A"].index("z")
    *_, kept = fg.learn_online(STATES, late(60), restarts=3, step=lambda t: 1 / (t + 1), alpha=0.1)
    np.testing.assert_allclose(shares(kept.theta, 0), 1 / 3, atol=0.05)


@pytest.mark.parametrize("value", [-3.0, 5.0, 0, "x", None, np.nan, True, [0.5]])
def test_each_value_of_a_step_function_is_checked_and_its_batch_named(value):
    learned = fg.learn_online(STATES, late(3), step=lambda t: 0.5 if t == 0 else value)
    next(learned)
    with pytest.raises(ValueError, match=r"step\(1\), that of batch 1, is .*above 0 and at most 1"):
        next(learned)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.int64(1)])
def test_any_kind_of_number_is_a_step(value):
    for step in (value, lambda t: value):
        assert np.isfinite(last(fg.learn_online(STATES, late(1), step=step)).loglik).all()


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
