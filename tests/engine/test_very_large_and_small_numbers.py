"""Numbers near the ends of what floats hold: no matrix, belief or message has a scale.

The oracle is the same call with numbers of ordinary size, all multiplied by one power of two.
"""

import numpy as np
import pytest
from checks import close

import fgnwidgets as fg
from fgnwidgets import BayesGraph

GRAPH = BayesGraph({"S": 2, "X": 3, "Y": 2}, {"X": "S", "Y": "S"})
MODERATE = [1.0, 0.75, 0.5]  # times the larger end, their sum is no float
ENDS = [2.0**1023, 2.0**-1060]
RULES = {"ml": fg.ml, "kl": fg.kl, "vit": fg.vit, "var": fg.var}


def numbers(rng, *shape):
    """Random numbers of few binary digits: times any of the ends they are still exact."""
    return rng.integers(1, 256, shape) / 256


@pytest.fixture
def theta(rng):
    return fg.random_theta(GRAPH, rng)


@pytest.mark.parametrize("scale", ENDS)
def test_what_is_normalised_has_no_scale(scale):
    v = np.array([MODERATE, [1.0, 1.0, 1.0]]).T
    close(fg.normalize(v * scale), v / v.sum(axis=0), 1e-12)
    close(fg.row_normalize(v.T * scale), v.T / v.T.sum(axis=1, keepdims=True), 1e-12)
    close(fg.sharpen(v * scale, 2.0), v**2 / (v**2).sum(axis=0), 1e-12)
    both = np.array([[scale, scale], [1.0, 0.5]])  # and ordinary lines beside it are as they were
    close(fg.row_normalize(both), [[0.5, 0.5], [2 / 3, 1 / 3]])


@pytest.mark.parametrize("scale", ENDS)
def test_the_scale_of_a_likelihood_vector_is_in_the_loglik_and_nowhere_else(theta, scale):
    table = {"X": np.array([MODERATE, MODERATE[::-1]]), "Y": [0, 1]}
    large = {**table, "X": table["X"] * scale}
    log = np.log(scale)
    close(fg.loglik(GRAPH, theta, large), fg.loglik(GRAPH, theta, table) + log, 1e-10)
    close(fg.posterior(GRAPH, theta, large, "S"), fg.posterior(GRAPH, theta, table, "S"), 1e-10)
    messages, ordinary = fg.propagate(GRAPH, theta, large), fg.propagate(GRAPH, theta, table)
    for name in ordinary:
        close(messages[name].f, ordinary[name].f, 1e-10)
        close(messages[name].b, ordinary[name].b, 1e-10)
    for variables in (None, "S", list("SXY")):
        one, two = (fg.most_probable(GRAPH, theta, t, variables=variables) for t in (large, table))
        close(one.logp, two.logp + log, 1e-10)
        assert one.table["S"].tolist() == two.table["S"].tolist()
    close(fg.aggregated(GRAPH, theta, large), fg.aggregated(GRAPH, theta, table), 1e-10)
    fits = [fg.fit(GRAPH, t, restarts=2, n_epochs=5, tol=0) for t in (large, table)]
    for name, matrix in fits[1].best_theta.items():
        close(fits[0].best_theta[name], matrix, 1e-9)
    merged = BayesGraph({"A": 2, "B": 2, "C": 2, "X": 3}, {"B": "A", "C": "A", "X": ("B", "C")})
    form = merged.merged()
    own = fg.random_theta(form, np.random.default_rng(0))
    close(
        fg.loglik(form, own, {"X": large["X"]}),
        fg.loglik(form, own, {"X": table["X"]}) + log,
        1e-10,
    )


def test_equal_vectors_of_very_large_numbers_are_folded():
    rows = np.array([[2.0**1023] * 3, [2.0**1022, 2.0**1023, 2.0**1023]])
    known = fg.read_evidence(GRAPH, {"X": rows[[0, 1, 0, 1, 1]]})
    folded, weight = fg.distinct(known)
    assert sorted(weight.tolist()) == [2.0, 3.0]
    assert folded.n == 2


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("scale", ENDS)
@pytest.mark.parametrize("what", ["f", "b", "weight", "all"])
def test_a_rule_takes_messages_and_weights_of_any_size(rng, name, scale, what):
    theta = fg.row_normalize(rng.random((3, 4)))
    f, b, weight = numbers(rng, 3, 6), numbers(rng, 4, 6), numbers(rng, 6)
    f[0, 0] = b[1, 2] = weight[3] = 0.0
    given = {"theta": theta, "f": f, "b": b, "weight": weight}
    large = {k: v * scale if what in (k, "all") else v for k, v in given.items() if k != "theta"}
    constants = {"delta": 0.0} if name == "var" else {}
    close(RULES[name](theta, **large, **constants), RULES[name](**given, **constants), 1e-9)
    steps = {"n_it": 4} if name in ("ml", "kl") else {}
    *_, one = fg.iterate(name, theta, **large, **constants, **steps)
    *_, two = fg.iterate(name, **given, **constants, **steps)
    close(one, two, 1e-8)


def test_columns_of_very_different_sizes_count_alike_where_their_scale_does_not_matter(rng):
    theta = fg.row_normalize(rng.random((3, 4)))
    f, b = numbers(rng, 3, 4), numbers(rng, 4, 4)
    sizes = np.array([1.0, 2.0**1000, 2.0**-1000, 2.0**-1060])
    for rule in (fg.ml, fg.vit):
        close(rule(theta, f * sizes, b * sizes[::-1]), rule(theta, f, b), 1e-9)
    close(fg.kl(theta, f * sizes, b), fg.kl(theta, f, b), 1e-9)
    logs = np.log(np.einsum("ln,lm,mn->n", f, theta, b)) + np.log(sizes) + np.log(sizes[::-1])
    close(fg.block_loglik(theta, f * sizes, b * sizes[::-1]), logs.sum(), 1e-9)


@pytest.mark.parametrize("rule", ["ml", "var"])
@pytest.mark.parametrize("scale", ENDS)
def test_pseudo_counts_weigh_against_weights_of_their_own_size(rng, rule, scale):
    theta = fg.row_normalize(rng.random((2, 3)))
    f, b, weight, alpha = (
        numbers(rng, 2, 5),
        numbers(rng, 3, 5),
        numbers(rng, 5),
        numbers(rng, 2, 3),
    )
    constants = {"delta": 0.0} if rule == "var" else {}
    one = RULES[rule](theta, f, b, weight * scale, alpha=alpha * scale, **constants)
    close(one, RULES[rule](theta, f, b, weight, alpha=alpha, **constants), 1e-9)
    prior = RULES[rule](theta, f, b, weight, alpha=alpha * 2.0**1023, **constants)
    close(prior, fg.row_normalize(alpha))  # nothing else is left beside it
    none = RULES[rule](theta, f, b, weight * 2.0**1000, alpha=alpha * 2.0**-1060, **constants)
    close(none, RULES[rule](theta, f, b, weight, **constants), 1e-9)


@pytest.mark.parametrize("rule", ["ml", "var"])
def test_very_large_pseudo_counts_are_the_matrix_that_fit_learns(rule):
    alpha = np.array([[2.0**1023, 2.0**1023, 2.0**1022], [2.0**1020, 2.0**1021, 2.0**1022]])
    run = fg.fit(GRAPH, {"X": [0, 1, 2], "Y": [0, 1, 1]}, rule, alpha={"X|S": alpha}, restarts=2)
    close(run.best_theta["X|S"], [[0.4, 0.4, 0.2], [1 / 7, 2 / 7, 4 / 7]])
    assert np.isfinite(run.final_loglik).all()


@pytest.mark.parametrize("rule", ["ml", "kl", "vit", "var"])
@pytest.mark.parametrize("scale", ENDS)
def test_messages_to_start_from_have_no_scale(rng, rule, scale):
    table = {"X": [0, 1, 2, 0], "Y": [0, 1, 1, 0]}
    messages = {
        name: (numbers(rng, rows, 4), numbers(rng, size, 4))
        for name, (rows, size) in GRAPH.normal_form().matrices.items()
    }
    large = {name: (f * scale, b * scale) for name, (f, b) in messages.items()}
    runs = [fg.fit(GRAPH, table, rule, start=s, restarts=1, n_epochs=3) for s in (messages, large)]
    close(runs[1].loglik, runs[0].loglik, 1e-9)


@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
def test_weights_whose_sum_is_no_size_of_a_likelihood_are_refused_with_the_remedy(theta, scale):
    table, weight = {"X": [0, 1, 2], "Y": [0, 1, 1]}, np.array([1.0, 2.0, 3.0]) * scale
    for call in (
        lambda: fg.fit(GRAPH, table, weight=weight),
        lambda: fg.fit(GRAPH, {**table, "w": weight}, weight="w"),
        lambda: next(fg.epochs(GRAPH, table, test_weight=weight)),
        lambda: fg.distinct(GRAPH, table, weight),
        lambda: fg.saturated(GRAPH, {**table, "S": [0, 1, 1]}, weight),
        lambda: fg.block_loglik(theta["X|S"], np.ones((2, 3)), np.ones((3, 3)), weight),
    ):
        with pytest.raises(
            ValueError, match=r"weight.* sums to .*: expected between .*by one numb"
        ):
            call()
    near = fg.fit(GRAPH, table, weight=weight / scale * 1e280, restarts=2, n_epochs=3, tol=0)
    same = fg.fit(GRAPH, table, weight=weight / scale, restarts=2, n_epochs=3, tol=0)
    for name, matrix in same.best_theta.items():
        close(near.best_theta[name], matrix, 1e-9)


def test_a_matrix_whose_rows_sum_to_more_than_a_float_is_refused_in_words():
    with pytest.raises(ValueError, match=r"theta\['S'\]: row 0 sums to inf, expected 1"):
        fg.loglik(GRAPH, {"S": [[1e308, 1e308]]}, {"X": [0]})
