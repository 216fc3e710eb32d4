"""The four rules of one block, against the paper's formulas as loops."""

import numpy as np
import pytest
from checks import close, rule_equals_the_papers_loops
from hypothesis import given
from hypothesis import strategies as st
from strategies import seeds

from fgnwidgets import block_loglik, iterate, kl, ml, row_normalize, var, vit

RULES = {"ml": ml, "kl": kl, "vit": vit, "var": var}


def block(seed, zeros=0.3, n=9, shape=(3, 4)):
    """A matrix, messages with exact zeros, and weights of which some are zero."""
    rng = np.random.default_rng(seed)

    def with_zeros(*shape):
        v = rng.random(shape) * (rng.random(shape) > zeros)
        v[rng.integers(0, shape[0], shape[1]), np.arange(shape[1])] += 0.1
        return v / v.sum(axis=0)

    theta = with_zeros(shape[1], shape[0]).T
    weight = rng.integers(0, 4, n).astype(float)
    weight[0] = 2.5
    return theta, with_zeros(shape[0], n), with_zeros(shape[1], n), weight


@pytest.mark.parametrize("rule", RULES)
@given(seed=seeds, zeros=st.sampled_from([0, 0.3, 0.8]))
def test_a_step_is_the_papers_formula(rule, seed, zeros):
    rule_equals_the_papers_loops(rule, *block(seed, zeros))


@pytest.mark.parametrize("rule", RULES)
def test_long_data_is_worked_through_in_chunks_with_the_same_result(rule):
    theta, f, b, weight = block(1, n=7)
    many = 10_000  # several chunks, the last of them shorter
    long = RULES[rule](theta, np.tile(f, many), np.tile(b, many), np.tile(weight, many))
    close(long, RULES[rule](theta, f, b, many * weight), 1e-11)


@pytest.mark.parametrize("rule", RULES)
def test_weights_are_counts(rule):
    theta, f, b, weight = block(2)
    at = np.repeat(np.arange(9), (4 * weight).astype(int))
    close(RULES[rule](theta, f[:, at], b[:, at]), RULES[rule](theta, f, b, 4 * weight))


@pytest.mark.parametrize("rule", RULES)
def test_a_sample_of_weight_zero_is_as_if_it_were_not_there(rule):
    theta, f, b, weight = block(3)
    kept = weight > 0
    close(
        RULES[rule](theta, f, b, weight),
        RULES[rule](theta, f[:, kept], b[:, kept], weight[kept]),
    )


@pytest.mark.parametrize("rule", RULES)
def test_a_batch_of_matrices_and_messages_is_the_loop_over_it(rule, rng):
    f, b = rng.random((5, 1, 3, 8)), rng.random((1, 2, 4, 8))
    theta = row_normalize(rng.random((5, 2, 3, 4)))
    together = RULES[rule](theta, f, b)
    for i in range(5):
        for j in range(2):
            close(together[i, j], RULES[rule](theta[i, j], f[i, 0], b[0, j]))


@pytest.mark.parametrize("rule", RULES)
def test_delta_messages_make_every_rule_count_co_occurrences(rule, rng):
    x, y = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    counts = np.zeros((3, 4))
    np.add.at(counts, (x, y), 1)
    theta = np.full((3, 4), 0.25)
    for _ in range(2):  # one step is enough, and another changes nothing
        theta = RULES[rule](theta, np.eye(3)[:, x], np.eye(4)[:, y])
        close(theta, row_normalize(counts), 1e-6)  # VIT and VAR add their delta


def test_ml_and_kl_are_the_same_where_the_output_is_instantiated(rng):
    theta = row_normalize(rng.random((3, 4)))
    f, b = rng.random((3, 20)), np.eye(4)[:, rng.integers(0, 4, 20)]
    close(ml(theta, f, b), kl(theta, f, b))


@given(seed=seeds, zeros=st.sampled_from([0, 0.5]))
def test_ml_never_lowers_the_likelihood_of_its_block(seed, zeros):
    theta, f, b, weight = block(seed, zeros)
    f, b = f + 1e-3, b + 1e-3  # no sample is impossible
    values = [block_loglik(m, f, b, weight) for m in iterate("ml", theta, f, b, weight, n_it=10)]
    assert np.all(np.diff(values) >= -1e-10 * np.abs(values[0]))


@given(seed=seeds)
def test_kl_never_raises_the_divergence_from_backward_to_forward(seed):
    theta, f, b, weight = block(seed, zeros=0)

    def divergence(matrix):
        return float((weight * b * np.log(b / (matrix.T @ f))).sum())

    values = [divergence(m) for m in iterate("kl", theta, f, b, weight, n_it=10)]
    assert np.all(np.diff(values) <= 1e-10)


@pytest.mark.parametrize("rule", ["ml", "kl"])
def test_a_row_that_no_sample_reaches_keeps_its_value(rule):
    theta, f, b, weight = block(4, zeros=0)
    f[1] = 0
    new = RULES[rule](theta, f, b, weight)
    close(new[1], theta[1])
    assert np.abs(new[0] - theta[0]).max() > 1e-3


def test_alpha_of_ml_is_pseudo_counts_on_top_of_the_expected_counts():
    theta, f, b, weight = block(5, zeros=0)
    alpha = np.arange(12.0).reshape(3, 4)
    joint = f[:, None] * theta[:, :, None] * b[None]
    expected = (weight * joint / joint.sum(axis=(0, 1))).sum(axis=-1)
    close(ml(theta, f, b, weight, alpha=alpha), row_normalize(expected + alpha))


def test_alpha_of_var_is_added_to_the_soft_counts():
    theta, f, b, weight = block(6, zeros=0)
    alpha = np.arange(12.0).reshape(3, 4)
    close(
        var(theta, f, b, weight, alpha=alpha, delta=0.5),
        row_normalize((f * weight) @ b.T + 0.5 + alpha),
    )


@pytest.mark.parametrize("rule", RULES)
def test_iterate_yields_the_start_and_then_every_step(rule):
    theta, f, b, weight = block(7)
    found = list(iterate(rule, theta, f, b, weight, n_it=3))
    assert len(found) == 4
    close(found[0], theta)
    close(found[2], RULES[rule](found[1], f, b, weight))


@pytest.mark.parametrize("rule", RULES)
def test_arguments_are_never_modified(rule):
    given_ = block(8)
    kept = [a.copy() for a in given_]
    for a in given_:
        a.flags.writeable = False
    RULES[rule](*given_)
    for a, b in zip(given_, kept, strict=True):
        np.testing.assert_array_equal(a, b)


THETA, F, B = np.full((2, 3), 1 / 3), np.ones((2, 4)), np.ones((3, 4))
BAD = {
    "axes": ((THETA[0], F, B), {}, r"shapes \(3,\)"),
    "f of another size": ((THETA, B, B), {}, "do not agree"),
    "b of another size": ((THETA, F, F), {}, "do not agree"),
    "another number of samples": ((THETA, F, B[:, :2]), {}, "with one N"),
    "no samples": ((THETA, F[:, :0], B[:, :0]), {}, "no samples"),
    "rows": ((2 * THETA, F, B), {}, "row 0 sums to 2, expected 1"),
    "negative theta": (([[2, -1, 0], [1, 0, 0]], F, B), {}, "theta holds -1.0"),
    "negative f": ((THETA, -F, B), {}, "^f holds a negative"),
    "zero f": ((THETA, 0 * F, B), {}, "^f holds .* a column of zeros"),
    "b is not finite": ((THETA, F, B * np.nan), {}, "^b holds a negative or non-finite"),
    "weight of another shape": ((THETA, F, B, [1, 1]), {}, r"weight has shape \(2,\)"),
    "negative weight": ((THETA, F, B, [1, 1, -1, 1]), {}, r"weight\[2\] is -1.0"),
    "weight is not finite": ((THETA, F, B, [1, 1, 1, np.nan]), {}, r"weight\[3\] is nan"),
    "no weight": ((THETA, F, B, [0, 0, 0, 0]), {}, "weight is zero for every sample"),
    "negative alpha": ((THETA, F, B), {"alpha": -1}, "alpha is -1"),
    "alpha of another shape": (
        (THETA, F, B),
        {"alpha": np.ones((3, 2))},
        r"alpha has shape \(3, 2\)",
    ),
}


@pytest.mark.parametrize(("arguments", "options", "said"), BAD.values(), ids=BAD)
def test_bad_input_is_refused(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        ml(*arguments, **options)


@pytest.mark.parametrize("delta", [-1, np.nan, np.inf])
@pytest.mark.parametrize("rule", [vit, var])
def test_a_delta_that_is_no_small_number_is_refused(rule, delta):
    with pytest.raises(ValueError, match="delta is"):
        rule(THETA, F, B, delta=delta)


def test_an_unknown_rule_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="rule is 'em': expected one of 'ml', 'kl', 'vit', 'var'"):
        next(iterate("em", THETA, F, B))


@pytest.mark.parametrize("rule", ["kl", "vit"])
def test_a_rule_that_takes_no_prior_says_so(rule):
    with pytest.raises(ValueError, match="only 'ml' and 'var' take it"):
        next(iterate(rule, THETA, F, B, alpha=1))
