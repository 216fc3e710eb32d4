"""A rule is one record, and a reader's own record is as good as ours.

What a record promises: ``step(theta, f, b, weight, **constants)`` gives the counts of the samples
it was handed, ``(..., M_X, M_Y)``; counts of several handfuls add up; all else is the engine's.
"""

import pickle
from collections.abc import Mapping

import numpy as np
import oracles
import pytest
from checks import close
from hypothesis import given
from strategies import as_evidence, cases, matrices, seeds

import fgnwidgets as fg
from fgnwidgets import RULES, BayesGraph, Rule, epochs, fit, iterate

NAMES = ("ml", "kl", "vit", "var")
GRAPH = BayesGraph({"S": 2, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
TABLE = {"X": [0, 1, 1, 0, 1, 0], "Y": [2, 0, 1, 2, 1, 0]}


def records():
    """The list of rules by name, be it a mapping or a sequence of records."""
    return dict(RULES) if isinstance(RULES, Mapping) else {rule.name: rule for rule in RULES}


def own_ml(theta, f, b, weight):
    """Section 3.1 as a reader would write it: expected counts."""
    q = ((theta.swapaxes(-1, -2) @ f) * b).sum(axis=-2, keepdims=True)
    return theta * (f @ (b * weight / np.maximum(q, 1e-290)).swapaxes(-1, -2))


def own_var(theta, f, b, weight):
    return f @ (b * weight).swapaxes(-1, -2)


def sharp_var(theta, f, b, weight, power):
    """VAR on messages that are raised to a power: a rule with a constant of its own."""
    return (f**power) @ (b**power * weight).swapaxes(-1, -2)


ML = Rule("own ml", own_ml, iterates=True)
VAR = Rule("own var", own_var, pseudo_counts={"delta": 1e-6, "alpha": 0.0})
SHARP = Rule("sharp", sharp_var, constants={"power": 2.0}, pseudo_counts={"delta": 1e-6})


def last_of(graph, table, rule="ml", **options):
    *_, last = epochs(graph, table, rule, **options)
    return last


def same(one, two, tolerance=1e-10):
    assert one.keys() == two.keys()
    for name in one:
        close(one[name], two[name], tolerance)


# The list


def test_the_papers_four_rules_are_records_in_one_list_and_come_first():
    found = records()
    assert tuple(found)[:4] == NAMES
    assert [found[name].iterates for name in NAMES] == [True, True, False, False]
    for name, rule in found.items():
        assert isinstance(rule, Rule)
        assert rule.name == name
    taken = {name: {*found[name].constants, *found[name].pseudo_counts} for name in NAMES}
    assert taken == {
        "ml": {"alpha"},
        "kl": set(),
        "vit": {"delta", "ties", "empty"},
        "var": {"alpha", "delta", "empty"},
    }


def test_the_list_and_its_records_cannot_be_changed():
    with pytest.raises((TypeError, AttributeError)):
        RULES["em"] = ML
    with pytest.raises((TypeError, AttributeError)):
        records()["ml"].name = "em"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_and_its_record_are_the_same_rule(name):
    options = {"n_epochs": 4, "n_it": 2, "restarts": 3, "seed": 5}
    by_name = last_of(GRAPH, TABLE, name, **options)
    by_record = last_of(GRAPH, TABLE, records()[name], **options)
    same(by_name.theta, by_record.theta, 0)
    one, two = fit(GRAPH, TABLE, name, **options), fit(GRAPH, TABLE, records()[name], **options)
    close(one.loglik, two.loglik, 0)
    same(one.final, two.final, 0)


@pytest.mark.parametrize("name", NAMES)
@given(seed=seeds)
def test_a_records_step_counts_what_the_paper_counts(name, seed):
    """Counts of this rule, pseudo-counts aside, are the paper's matrix once rows are normalised."""
    rng = np.random.default_rng(seed)
    rows, size, n = rng.integers(1, 5), rng.integers(1, 5), rng.integers(1, 7)
    theta = fg.row_normalize(rng.random((rows, size)) + 0.05)
    f, b = fg.normalize(rng.random((rows, n)) + 0.01), fg.normalize(rng.random((size, n)) + 0.01)
    weight = rng.random(n) + 0.1
    rule = records()[name]
    constants = dict(rule.constants)
    if "delta" in constants:
        constants["delta"] = 0.01
    counts = rule.step(theta, f, b, weight[None, :], **constants)
    assert counts.shape == theta.shape
    options = {"delta": 0.01} if "delta" in constants else {"delta": 0.0} if name == "var" else {}
    expected = oracles.RULES[name](theta, f, b, weight, **options)
    close(counts / counts.sum(axis=-1, keepdims=True), expected, 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_steps_add_up_over_samples_and_take_batches(name, rng):
    theta = fg.row_normalize(rng.random((4, 2, 3)))
    f, b = fg.normalize(rng.random((4, 2, 9))), fg.normalize(rng.random((4, 3, 9)))
    weight = rng.random((4, 1, 9))
    rule = records()[name]
    whole = rule.step(theta, f, b, weight, **rule.constants)
    cuts = [slice(0, 2), slice(2, 3), slice(3, 9)]
    parts = [rule.step(theta, f[..., c], b[..., c], weight[..., c], **rule.constants) for c in cuts]
    close(sum(parts), whole, 1e-12)
    for r in range(4):
        alone = rule.step(theta[r], f[r], b[r], weight[r], **rule.constants)
        close(whole[r], alone, 1e-12)


# A rule of one's own


@pytest.mark.parametrize("n_it", [1, 3])
@given(case=cases(max_variables=5), seed=seeds)
def test_an_own_ml_learns_as_ml_does(n_it, case, seed):
    if not case.table:
        return
    theta = matrices(case.graph, seed, zeros=0)
    weight = np.random.default_rng(seed).random(case.n) + 0.1
    options = {"theta": theta, "weight": weight, "n_epochs": 4, "n_it": n_it}
    one = list(epochs(case.graph, as_evidence(case), ML, **options))
    two = list(epochs(case.graph, as_evidence(case), "ml", **options))
    for a, b in zip(one, two, strict=True):
        close(a.loglik, b.loglik)
        close(a.aggregated, b.aggregated)
        same(a.theta, b.theta)


@pytest.mark.parametrize(("mine", "ours"), [(ML, "ml"), (VAR, "var")], ids=["ml", "var"])
def test_an_own_rule_fits_as_its_twin_does(mine, ours):
    options = {"n_epochs": 20, "restarts": 5, "seed": 3, "n_it": 2}
    one, two = fit(GRAPH, TABLE, rule=mine, **options), fit(GRAPH, TABLE, rule=ours, **options)
    close(one.loglik, two.loglik, 1e-9)
    same(one.final, two.final)
    assert one.best == two.best
    assert mine.name in repr(one)


@pytest.mark.parametrize(("mine", "ours"), [(ML, "ml"), (VAR, "var")], ids=["ml", "var"])
def test_an_own_rule_iterates_as_its_twin_does(mine, ours, rng):
    theta, weight = fg.row_normalize(rng.random((2, 3))), rng.random(8)
    f, b = fg.normalize(rng.random((2, 8))), fg.normalize(rng.random((3, 8)))
    one = list(iterate(mine, theta, f, b, weight, n_it=4))
    two = list(iterate(ours, theta, f, b, weight, n_it=4))
    assert len(one) == 5
    close(one, two, 1e-12)
    if not mine.iterates:
        close(one[1:], [one[1]] * 4, 0)


def test_a_rule_that_does_not_iterate_makes_one_step_an_epoch():
    calls = []

    def counted(theta, f, b, weight):
        calls.append(theta.shape)
        return own_ml(theta, f, b, weight)

    once = last_of(GRAPH, TABLE, Rule("once", counted), n_epochs=1, n_it=7)
    assert len(calls) == 3  # a step for each matrix
    same(once.theta, last_of(GRAPH, TABLE, "ml", n_epochs=1, n_it=1).theta)


def test_a_rule_that_gives_theta_back_changes_nothing():
    null = Rule("null", lambda theta, f, b, weight: theta)
    first, *_, last = epochs(GRAPH, TABLE, null, n_epochs=3, restarts=2)
    same(first.theta, last.theta, 1e-14)
    close(first.loglik, last.loglik, 1e-12)


def test_a_row_without_counts_keeps_its_value(rng):
    def first_row_only(theta, f, b, weight):
        counts = own_ml(theta, f, b, weight)
        counts[..., 1:, :] = 0
        return counts

    rule = Rule("first row", first_row_only)
    first, after = epochs(GRAPH, TABLE, rule, n_epochs=1, restarts=2)
    learned = last_of(GRAPH, TABLE, "ml", n_epochs=1, restarts=2)
    for name in ("X|S", "Y|S"):
        close(after.theta[name][:, 1], first.theta[name][:, 1], 1e-14)
        close(after.theta[name][:, 0], learned.theta[name][:, 0], 1e-12)


def test_missing_cells_teach_an_own_rule_nothing():
    table = {"X": [0, 1, None, None], "Y": [None] * 4}
    first, after = epochs(GRAPH, table, VAR, n_epochs=1)
    close(after.theta["Y|S"], first.theta["Y|S"], 0)
    alone = last_of(GRAPH, {"X": [0, 1]}, VAR, n_epochs=1)
    for name in ("S", "X|S"):
        close(after.theta[name], alone.theta[name], 1e-12)


def test_the_engine_may_call_a_step_on_handfuls_of_samples(rng):
    """With 60,000 different samples the counts add up to those of one call."""
    sizes = []

    def counted(theta, f, b, weight):
        sizes.append(f.shape[-1])
        assert f.shape[-1] == b.shape[-1] == weight.shape[-1]
        assert weight.shape[-2] == 1
        return own_ml(theta, f, b, weight)

    n = 60_000
    soft = {"X": rng.random((n, 2)), "Y": rng.random((n, 3))}
    theta = fg.random_theta(GRAPH, rng)
    weight = rng.random(n)
    options = {"theta": theta, "weight": weight, "n_epochs": 1}
    mine = last_of(GRAPH, soft, Rule("counted", counted), **options)
    same(mine.theta, last_of(GRAPH, soft, "ml", **options).theta, 1e-9)
    assert sum(sizes) == 3 * n
    messages = fg.propagate(GRAPH, theta, soft)
    for name in GRAPH.theta.values():
        counts = own_ml(theta[name], *messages.at_block(name), weight[None])
        expected = counts / counts.sum(axis=-1, keepdims=True)
        close(mine.theta[name][0], expected, 1e-9)


def test_steps_see_the_block_as_the_paper_does(rng):
    """f at the input and b at the output, each column one; the source has one input value."""
    seen = {}

    def watch(theta, f, b, weight):
        seen[theta.shape[-2:]] = (f, b, weight)
        return own_ml(theta, f, b, weight)

    graph = BayesGraph({"S": 4, "X": 2, "Y": 3}, {"X": "S", "Y": "S"})
    theta = fg.random_theta(graph, rng)
    table = {"X": [0, 1, 1], "Y": [2, 0, 1]}
    last_of(graph, table, Rule("watch", watch), theta=theta, n_epochs=1)
    messages = fg.propagate(graph, theta, table)
    rows = np.lexsort((table["Y"], table["X"]))
    for name in graph.theta.values():
        f, b, weight = seen[theta[name].shape]
        expected = messages.at_block(name)
        got = np.vstack(
            [np.squeeze(f, 0) if f.ndim > 2 else f, np.squeeze(b, 0) if b.ndim > 2 else b]
        )
        want = np.vstack(expected)
        close(got[:, np.lexsort(got)], want[:, np.lexsort(want)], 1e-9)
        close(np.broadcast_to(weight, (1, len(rows))).sum(), 3.0, 1e-12)


# Constants


def test_an_own_constant_has_a_default_and_can_be_given():
    default = last_of(GRAPH, TABLE, SHARP, n_epochs=2)
    same(default.theta, last_of(GRAPH, TABLE, SHARP, n_epochs=2, power=2.0).theta, 0)
    plain = last_of(GRAPH, TABLE, SHARP, n_epochs=2, power=1.0)
    same(plain.theta, last_of(GRAPH, TABLE, "var", n_epochs=2).theta)
    assert np.abs(default.theta["X|S"] - plain.theta["X|S"]).max() > 1e-6
    one, two = fit(GRAPH, TABLE, SHARP, n_epochs=2, power=1.0), fit(GRAPH, TABLE, "var", n_epochs=2)
    same(one.final, two.final)


@pytest.mark.parametrize(
    ("rule", "constant"),
    [
        ("ml", {"delta": 1e-3}),
        ("kl", {"delta": 1e-3}),
        ("kl", {"alpha": 1.0}),
        ("vit", {"alpha": 1.0}),
        (ML, {"delta": 1e-3}),
        (ML, {"alpha": 1.0}),
        (SHARP, {"alpha": 1.0}),
    ],
)
def test_a_constant_that_a_rule_does_not_take_is_refused(rule, constant, rng):
    name = rule if isinstance(rule, str) else rule.name
    (key,) = constant
    theta, f, b = fg.row_normalize(rng.random((2, 2))), np.ones((2, 3)), np.ones((2, 3))
    for call in (
        lambda: fit(GRAPH, TABLE, rule, **constant),
        lambda: epochs(GRAPH, TABLE, rule, **constant),
        lambda: list(iterate(rule, theta, f, b, **constant)),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert name in str(error.value)
        assert key in str(error.value)


def test_a_constant_is_refused_even_where_its_value_is_the_default():
    """Who writes ``delta=1e-6`` beside ML believes that it does something."""
    with pytest.raises(ValueError, match="delta"):
        fit(GRAPH, TABLE, "ml", delta=1e-6)


def test_a_constant_that_no_rule_has_is_refused():
    with pytest.raises((ValueError, TypeError), match="sharpness"):
        fit(GRAPH, TABLE, SHARP, sharpness=2.0)


@pytest.mark.parametrize(
    ("rule", "constant"),
    [
        ("vit", {"delta": -1.0}),
        ("vit", {"delta": np.nan}),
        ("vit", {"delta": "small"}),
        ("var", {"delta": np.inf}),
        ("var", {"alpha": -1.0}),
        ("var", {"alpha": {"X|S": [[1.0, -1.0], [0.0, 0.0]]}}),
        ("ml", {"alpha": np.nan}),
        (VAR, {"alpha": -0.5}),
        (VAR, {"delta": np.nan}),
    ],
)
def test_pseudo_counts_are_finite_numbers_that_are_not_negative(rule, constant):
    with pytest.raises(ValueError, match=next(iter(constant))):
        fit(GRAPH, TABLE, rule, **constant)


def test_pseudo_counts_are_added_once_by_the_engine(rng):
    """However the samples are cut up, and however many there are."""
    alpha = {"X|S": rng.random((2, 2)) * 3}
    mine = last_of(GRAPH, TABLE, VAR, n_epochs=2, alpha=alpha, delta=0.5, weight=[3, 1, 1, 2, 1, 1])
    ours = last_of(
        GRAPH, TABLE, "var", n_epochs=2, alpha=alpha, delta=0.5, weight=[3, 1, 1, 2, 1, 1]
    )
    same(mine.theta, ours.theta)
    counting = BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    table = {"S": [0, 0, 0, 1], "X": [0, 0, 1, 1]}
    found = last_of(counting, table, VAR, n_epochs=1, alpha=2.0, delta=0.5).theta["X|S"][0]
    close(found, [[4.5 / 8, 3.5 / 8], [2.5 / 6, 3.5 / 6]], 1e-12)


# What a step may not give back

BAD = {
    "negative": lambda theta, f, b, weight: theta - 0.6,
    "nan": lambda theta, f, b, weight: theta * np.nan,
    "infinite": lambda theta, f, b, weight: theta * np.inf,
    "transposed": lambda theta, f, b, weight: own_ml(theta, f, b, weight).swapaxes(-1, -2)[..., :1],
    "per sample": lambda theta, f, b, weight: f[..., :, None, :] * b[..., None, :, :],
    "a number": lambda theta, f, b, weight: 1.0,
    "a row": lambda theta, f, b, weight: theta[..., 0, :],
    "nothing": lambda theta, f, b, weight: None,
    "words": lambda theta, f, b, weight: "counts",
    "of another batch": lambda theta, f, b, weight: np.ones((9, *theta.shape[-2:])),
    "with an axis more": lambda theta, f, b, weight: np.ones((1, *theta.shape)),
    "masked": lambda theta, f, b, weight: np.ma.array(np.ones(theta.shape), mask=theta > 0.5),
    "too large": lambda theta, f, b, weight: np.full(theta.shape, 1e308),
    "of three arguments": lambda theta, f, b: theta,
    "a matrix that was changed": lambda theta, f, b, weight: theta.__imul__(2),
    "made by changing a message": lambda theta, f, b, weight: (f.__imul__(2), theta)[1],
}


@pytest.mark.parametrize("kind", BAD)
def test_counts_that_are_none_are_refused_by_the_rules_name(kind, rng):
    rule = Rule("my broken rule", BAD[kind])
    theta = fg.row_normalize(rng.random((2, 3)) + 0.1)
    f, b = fg.normalize(rng.random((2, 5))), fg.normalize(rng.random((3, 5)))
    for call in (
        lambda: fit(GRAPH, TABLE, rule, n_epochs=2),
        lambda: list(epochs(GRAPH, TABLE, rule, n_epochs=2, restarts=3)),
        lambda: list(iterate(rule, theta, f, b, n_it=2)),
    ):
        with pytest.raises(ValueError, match="my broken rule"):
            call()


def test_one_nan_among_good_counts_is_refused_too():
    def nearly(theta, f, b, weight):
        counts = own_ml(theta, f, b, weight)
        counts[..., 0, 0] = np.nan
        return counts

    with pytest.raises(ValueError, match="nearly good"):
        fit(GRAPH, TABLE, Rule("nearly good", nearly), n_epochs=1)


def test_counts_that_are_right_are_not_put_in_words():
    """To write an array out takes ten times as long as the step that made it."""
    written = []

    class Heard(np.ndarray):
        def __repr__(self):
            written.append(super().__repr__())
            return written[-1]

    rule = Rule("heard", lambda *given: own_var(*given).view(Heard))
    run = fit(GRAPH, TABLE, rule, n_epochs=3, seed=0)
    close(run.loglik, fit(GRAPH, TABLE, Rule("other", own_var), n_epochs=3, seed=0).loglik)
    assert written == []


def test_an_error_inside_a_step_is_the_readers_own_and_comes_through():
    def broken(theta, f, b, weight):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        fit(GRAPH, TABLE, Rule("broken", broken), n_epochs=1)


@pytest.mark.parametrize("rule", ["em", "ML", "", None, 3, own_ml, ["ml"], {"ml": 1}])
def test_what_is_no_rule_is_refused_with_the_list_of_rules(rule):
    with pytest.raises((ValueError, TypeError), match="rule") as error:
        fit(GRAPH, TABLE, rule, restarts=2)
    if isinstance(rule, str):
        for name in NAMES:
            assert repr(name) in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("", own_ml), {}),
        ((3, own_ml), {}),
        (("x", "ml"), {}),
        (("x", None), {}),
        (("x", own_ml), {"iterates": "yes"}),
        (("x", own_ml), {"constants": ["delta"]}),
        (("x", own_ml), {"pseudo_counts": 1.0}),
        (("x", own_ml), {"constants": {1: 2.0}}),
        (("x", own_ml), {"pseudo_counts": {"delta": -1.0}}),
        (("x", own_ml), {"pseudo_counts": {"delta": "x"}}),
        (("x", own_ml), {"constants": {"theta": 1.0}}),
        (("x", own_ml), {"pseudo_counts": {"weight": 1.0}}),
        (("x", own_ml), {"constants": {"n_it": 1}}),
        (("x", own_ml), {"constants": {"a": 1.0}, "pseudo_counts": {"a": 1.0}}),
        (("x", own_ml), {"constants": {"a": "b"}, "choices": {"a": "abc"}}),
        (("x", own_ml), {"constants": {"a": "z"}, "choices": {"a": ("b", "c")}}),
        (("x", own_ml), {"choices": {"a": ("b", "c")}}),
    ],
)
def test_a_record_is_checked_when_it_is_made(arguments, options):
    with pytest.raises((ValueError, TypeError)):
        Rule(*arguments, **options)


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_of_ones_own_has_a_name_of_its_own(name):
    with pytest.raises(ValueError, match=f"rule '{name}' is one of yours and called as one of"):
        fit(GRAPH, TABLE, Rule(name, BAD["a number"]))


def test_a_run_holds_an_own_rule_as_it_was_given_and_can_be_sent_with_it():
    run = fit(GRAPH, TABLE, (VAR, "ml", SHARP), n_epochs=3)
    assert run.rules == (VAR, RULES["ml"], SHARP) and run.rules[0] is VAR
    sent = pickle.loads(pickle.dumps(run))  # nothing in it is a function of the engine's own
    assert sent.rules == run.rules
    same(fg.resume(sent, 2).final, fit(GRAPH, TABLE, run.rules, n_epochs=5, tol=0).final)


def test_a_run_from_another_process_is_learned_again_as_it_was():
    graph = BayesGraph(
        dict.fromkeys("ABCD", 2), {"B": "A", "C": "A", "D": ["B", "C"]}
    ).merged()  # where ML alone learns
    run = fit(graph, {"B": [0, 1, 1], "D": [0, 0, 1]}, restarts=1, n_epochs=2)
    sent = pickle.loads(pickle.dumps(run))
    assert fit(graph, sent.rows, sent.rules[0], restarts=1, n_epochs=2).rules == run.rules
    close(fg.bootstrap(sent, n=2).replicates["A"], fg.bootstrap(run, n=2).replicates["A"])


@pytest.mark.parametrize("kept", ["constants", "pseudo_counts"])
@pytest.mark.parametrize("name", ["seed", "tol", "restarts"])
def test_a_constant_with_the_name_of_an_option_could_not_be_told_from_it(kept, name):
    rule = Rule("clash", own_ml, **{kept: {name: 1.0}})
    with pytest.raises(ValueError, match=f"rule 'clash' takes '{name}', which is an option of fit"):
        fit(GRAPH, TABLE, rule)


def test_a_constant_that_is_a_whole_number_stays_one_and_is_a_number():
    seen = []

    def powers(theta, f, b, weight, *, times):
        seen.append(times)
        return own_ml(theta, f, b, weight)

    rule = Rule("powers", powers, constants={"times": 2})
    fit(GRAPH, TABLE, rule, n_epochs=1, restarts=1)
    fit(GRAPH, TABLE, rule, n_epochs=1, restarts=1, times=3)
    assert {*map(repr, seen)} == {"2", "3"}
    with pytest.raises(ValueError, match="times is '3': expected a number"):
        fit(GRAPH, TABLE, rule, times="3")


# Rules in lockstep


def test_a_tuple_of_rules_gives_each_restart_its_own():
    rules = ("ml", "kl", "vit")
    together = list(epochs(GRAPH, TABLE, rules, restarts=3, seed=[0, 0, 0], n_epochs=5))
    for r, rule in enumerate(rules):
        alone = list(epochs(GRAPH, TABLE, rule, restarts=1, seed=0, n_epochs=5))
        for one, two in zip(together, alone, strict=True):
            close(one.loglik[r], two.loglik[0])
            close(one.aggregated[r], two.aggregated[0])
            for name in two.theta:
                close(one.theta[name][r], two.theta[name][0])


def test_all_four_and_an_own_rule_run_in_lockstep_with_their_own_n_it():
    rules, n_it = (*NAMES, ML, SHARP), (1, 2, 1, 1, 3, 1)
    seed = [4, 5, 6, 7, 8, 9]
    together = last_of(GRAPH, TABLE, rules, restarts=6, seed=seed, n_it=n_it, n_epochs=4)
    for r, rule in enumerate(rules):
        alone = last_of(GRAPH, TABLE, rule, seed=seed[r], n_it=n_it[r], n_epochs=4)
        for name in alone.theta:
            close(together.theta[name][r], alone.theta[name][0])


@pytest.mark.parametrize("hold", [None, {"S": [True]}])
def test_neighbours_of_one_rule_learn_in_one_call_and_as_they_would_alone(hold):
    rules, n_it = ("ml", "ml", "ml", "vit", "kl", "kl"), (2, 2, 2, 1, 3, 3)
    options = {"n_epochs": 3, "hold": hold}
    together = last_of(
        GRAPH, TABLE, rules, restarts=6, seed=[1, 2, 3, 4, 5, 6], n_it=n_it, **options
    )
    for r, rule in enumerate(rules):
        alone = last_of(GRAPH, TABLE, rule, seed=r + 1, n_it=n_it[r], **options)
        for name in alone.theta:
            close(together.theta[name][r], alone.theta[name][0])


def test_one_rule_with_several_n_it_is_several_runs():
    together = last_of(GRAPH, TABLE, "ml", restarts=3, seed=[1, 1, 2], n_it=(1, 4, 2), n_epochs=3)
    for r, (seed, n_it) in enumerate([(1, 1), (1, 4), (2, 2)]):
        alone = last_of(GRAPH, TABLE, "ml", seed=seed, n_it=n_it, n_epochs=3)
        for name in alone.theta:
            close(together.theta[name][r], alone.theta[name][0])


def test_rules_in_lockstep_start_by_messages_too():
    together = last_of(
        GRAPH, TABLE, ("ml", "var"), restarts=2, seed=[3, 3], start="messages", n_epochs=3
    )
    for r, rule in enumerate(("ml", "var")):
        alone = last_of(GRAPH, TABLE, rule, seed=3, start="messages", n_epochs=3)
        for name in alone.theta:
            close(together.theta[name][r], alone.theta[name][0])


def test_a_sequence_of_seeds_starts_every_restart_as_it_would_alone():
    seeds_ = [7, 0, 123456789]
    for start in ("matrices", "messages"):
        together = fit(GRAPH, TABLE, restarts=3, seed=seeds_, start=start, n_epochs=6, tol=0)
        for r, seed in enumerate(seeds_):
            alone = fit(GRAPH, TABLE, restarts=1, seed=seed, start=start, n_epochs=6, tol=0)
            close(together.loglik[:, r], alone.loglik[:, 0])
            for name in alone.final:
                close(together.final[name][r], alone.final[name][0])


def test_a_seed_sequence_among_the_seeds_is_used_as_it_is():
    """A restart of a run can be repeated from the child that it drew from."""
    children = np.random.SeedSequence(5).spawn(3)
    run = fit(GRAPH, TABLE, restarts=3, seed=5, n_epochs=4, tol=0)
    again = fit(GRAPH, TABLE, restarts=3, seed=children, n_epochs=4, tol=0)
    close(run.loglik, again.loglik, 0)
    second = fit(GRAPH, TABLE, restarts=1, seed=[children[1]], n_epochs=4, tol=0)
    close(second.loglik[:, 0], run.loglik[:, 1], 1e-12)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rule": ("ml", "kl")}, "rule"),
        ({"rule": ("ml", "kl", "em")}, "rule"),
        ({"rule": ()}, "rule"),
        ({"seed": [0, 1]}, "seed"),
        ({"seed": []}, "seed"),
        ({"seed": [0, 1, "x"]}, "seed"),
        ({"seed": [0, 1, -1]}, "seed"),
        ({"n_it": (1, 2)}, "n_it"),
        ({"n_it": (1, 2, 0)}, "n_it"),
        ({"n_it": (1, 2, 2.5)}, "n_it"),
        ({"weight": np.ones((2, 6))}, "weight"),
        ({"weight": np.ones((3, 5))}, "weight"),
        ({"weight": np.ones((1, 3, 6))}, "weight"),
        ({"weight": [[1] * 6, [1] * 6, [0] * 6]}, "weight"),
        ({"weight": [[1] * 6, [1] * 6, [1] * 5 + [-1]]}, "weight"),
    ],
)
def test_one_for_each_restart_means_one_for_each_restart(options, said):
    options = {"rule": "ml", "restarts": 3, **options}
    with pytest.raises((ValueError, TypeError), match=said):
        epochs(GRAPH, TABLE, **options)


# A weight for each restart: many tables over the union of their rows


@pytest.mark.parametrize("rule", NAMES)
def test_a_row_of_weights_for_each_restart_is_a_table_for_each(rule, rng):
    weight = rng.integers(0, 4, (5, 6)).astype(float)
    weight[:, 0] += 1
    weight[2] = [0, 0, 1, 0, 0, 0]
    options = {"n_epochs": 6, "tol": 0, "n_it": 2}
    run = fit(GRAPH, TABLE, rule, restarts=5, seed=[0, 1, 2, 0, 0], weight=weight, **options)
    for r, seed in enumerate([0, 1, 2, 0, 0]):
        alone = fit(GRAPH, TABLE, rule, restarts=1, seed=seed, weight=weight[r], **options)
        close(run.loglik[:, r], alone.loglik[:, 0], 1e-10)
        close(run.aggregated[:, r], alone.aggregated[:, 0], 1e-10)
        for name in alone.final:
            close(run.final[name][r], alone.final[name][0], 1e-10)


@pytest.mark.parametrize("rule", NAMES)
def test_a_table_in_a_batch_learns_as_its_own_rows_do(rule):
    """A weight of zero is a row that this table has not, also for what counts as reached."""
    table = {"X": [0, 1, 1, None, 0], "Y": [2, None, 0, 1, None]}
    weight = np.array([[1, 1, 1, 0, 0], [0, 3, 0, 0, 1], [0, 0, 0, 2, 0]], dtype=float)
    seed = [1, 2, 3]
    together = last_of(GRAPH, table, rule, restarts=3, seed=seed, weight=weight, n_epochs=3)
    for r in range(3):
        rows = np.repeat(np.arange(5), weight[r].astype(int))
        own = {name: [column[n] for n in rows] for name, column in table.items()}
        alone = last_of(GRAPH, own, rule, seed=seed[r], n_epochs=3)
        close(together.loglik[r], alone.loglik[0], 1e-10)
        for name in alone.theta:
            close(together.theta[name][r], alone.theta[name][0], 1e-10)


def test_test_weights_may_differ_between_restarts_too():
    weight = np.array([[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1]], dtype=float)
    options = {"n_epochs": 3}
    together = last_of(
        GRAPH, TABLE, restarts=2, seed=[0, 0], weight=weight, test_weight=1 - weight, **options
    )
    for r in range(2):
        alone = last_of(GRAPH, TABLE, weight=weight[r], test_weight=1 - weight[r], **options)
        close(together.test_loglik[r], alone.test_loglik[0])
        close(together.test_aggregated[r], alone.test_aggregated[0])


def test_restarts_with_tables_of_their_own_have_no_best_among_them():
    weight = np.array([[1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1]], dtype=float)
    run = fit(GRAPH, TABLE, restarts=2, weight=weight, n_epochs=3)
    assert np.isfinite(run.loglik).all()
    repr(run)
    for ask in (lambda: run.best, lambda: run.best_theta):
        with pytest.raises(ValueError, match="restart"):
            ask()


def test_rows_of_equal_weights_learn_as_one_weight_does():
    one = fit(GRAPH, TABLE, restarts=3, weight=[1, 1, 1, 1, 2, 0], n_epochs=3)
    two = fit(GRAPH, TABLE, restarts=3, weight=[[1, 1, 1, 1, 2, 0]] * 3, n_epochs=3)
    close(one.loglik, two.loglik, 1e-10)
    for name in one.final:
        close(one.final[name], two.final[name], 1e-10)
