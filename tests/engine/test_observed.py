"""The fast path where evidence is hard gives what two sweeps give, in every epoch of every rule."""

import tracemalloc

import numpy as np
import pytest
from checks import close
from hypothesis import given
from hypothesis import strategies as st
from small_graphs import COUNTRY, LOOP
from strategies import as_evidence, cases, seeds
from ways import go

import fgnwidgets as fg
from fgnwidgets import BayesGraph, Block, Branch, Diverter, NormalGraph, Rule, Source
from fgnwidgets.learning import em, observed, rules
from fgnwidgets.learning.fit import Learner
from fgnwidgets.learning.task import LearningTask

FAST = ("dense", "index")
RULES = ("ml", "kl", "vit", "var")
CLASSES = BayesGraph(
    {"S": 3, "A": 2, "B": 3, "C": 4, "D": 2}, dict.fromkeys("ABCD", "S")
)  # latent classes


def each_epoch(way, graph, table, rule="ml", *, record=("aggregated", "loglik"), **options):
    with pytest.MonkeyPatch.context() as patch:
        go(way, patch)
        n_epochs = options.pop("n_epochs", 3)
        own = {k: options.pop(k) for k in ("alpha", "delta", "ties", "empty") if k in options}
        task = LearningTask(graph=graph, table=table, rule=rule, constants=own, **options)
        return list(Learner(task.problem(), n_epochs, record=record))


def same(found, expected, tolerance=1e-12):
    for here, there in zip(found, expected, strict=True):
        for name, matrix in there.theta.items():
            close(here.theta[name], matrix, tolerance)
        for what in ("loglik", "aggregated", "test_loglik", "test_aggregated"):
            one, two = getattr(here, what), getattr(there, what)
            assert (one is None) == (two is None)
            if two is not None:
                np.testing.assert_array_equal(np.isfinite(one), np.isfinite(two))
                close(one[np.isfinite(two)], two[np.isfinite(two)], tolerance)
        np.testing.assert_array_equal(here.dropped, there.dropped)


def agree(graph, table, rule="ml", **options):
    expected = each_epoch("plain", graph, table, rule, **options)
    for way in FAST:
        same(each_epoch(way, graph, table, rule, **options), expected)


def answers(graph, n, seed, *, blank=0.2):
    rng = np.random.default_rng(seed)
    seen = {name: rng.integers(0, branch.size, n) for name, branch in graph.variables.items()}
    for name in seen.keys() - {*graph.given}:
        seen[name][rng.random(n) < blank] = -1
    return seen


def some(table, *names):
    return {name: table[name] for name in names}


@st.composite
def options(draw):
    """A rule or several, and what else an E-step can be asked for."""
    rng = np.random.default_rng(draw(seeds))
    restarts = draw(st.integers(1, 3))
    found = {"rule": draw(st.sampled_from(RULES)), "restarts": restarts, "seed": draw(seeds)}
    if draw(st.booleans()):
        found["rule"] = tuple(rng.choice(RULES, restarts).tolist())
    found["n_it"] = tuple(rng.choice([1, 1, 2], restarts).tolist())
    found["weights"] = draw(st.sampled_from(["", "one", "each", "test", "both"]))
    return found


def weighed(found, n):
    rng = np.random.default_rng(found["seed"])
    kinds = found.pop("weights")
    if kinds:
        shape = (found["restarts"], n) if kinds == "each" else n
        found["weight"] = rng.integers(0, 3, shape) + 0.25
    if kinds in ("test", "both"):
        found["test_weight"] = rng.integers(0, 2, n) + 0.5
    return found


@given(case=cases(), how=options(), drawn=st.booleans())
def test_random_forests_learn_alike_under_every_rule(case, how, drawn):
    if not case.table:
        return
    how = weighed(dict(how), case.n)
    theta = None if drawn else case.theta  # these hold zeros
    agree(case.graph, as_evidence(case), how.pop("rule"), theta=theta, **how)


@pytest.mark.parametrize("n_it", [1, 2])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("blank", [0.0, 0.3])
def test_latent_classes_learn_alike(rule, n_it, blank):
    table = some(answers(CLASSES, 80, 1, blank=blank), *"ABCD")
    agree(CLASSES, table, rule, n_it=n_it, restarts=3)
    agree(CLASSES, table, rule, n_it=n_it, restarts=1, record=("loglik",))


@pytest.mark.parametrize("rule", [*RULES, ("ml", "vit", "kl", "var", "ml")])
@pytest.mark.parametrize("column", ["A", "S"])
def test_soft_cells_and_evidence_on_what_is_hidden_are_beside_hard_ones(rule, column):
    table = answers(CLASSES, 40, 2)
    rng = np.random.default_rng(0)
    soft = rng.random((40, CLASSES.variables[column].size))
    own = {**some(table, *"ABCD"), column: soft}
    agree(CLASSES, own, rule, n_it=2, restarts=None if isinstance(rule, tuple) else 2)
    hard = some(table, *"SABCD")
    agree(CLASSES, hard, rule, restarts=None if isinstance(rule, tuple) else 2)


@pytest.mark.parametrize("rule", RULES)
def test_held_rows_pseudo_counts_and_ties_are_as_they_are(rule):
    tied = BayesGraph(
        {"S": 2, "A": 3, "B": 3, "C": 3},
        dict.fromkeys("ABC", "S"),
        theta={"A": "T", "B": "T"},
    )
    table = some(answers(tied, 60, 3), *"ABC")
    constants = {"alpha": {"T": np.full((2, 3), 0.3)}} if rule in ("ml", "var") else {}
    agree(tied, table, rule, hold={"C|S": [True, False]}, restarts=2, **constants)
    if rule == "vit":
        agree(tied, table, rule, empty="keep", delta=1e-3, restarts=2)
        agree(tied, table, rule, ties="random", restarts=2)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seen", ["GABC", "GAC", "GBCS", "GA"])
def test_given_variables_are_rows_of_their_matrices(rule, seen):
    if rule == "ml":
        agree(COUNTRY.merged(), some(answers(COUNTRY, 50, 4), *seen), restarts=2)
    many = BayesGraph({"G": 7, "S": 2, "A": 2, "B": 3}, {"S": "G", "A": "S", "B": "S"}, given=["G"])
    own = "".join(name for name in seen if name != "C")
    agree(many, some(answers(many, 50, 4), *own), rule, n_it=2, restarts=3)
    agree(many, some(answers(many, 50, 4), *own), rule, restarts=1)


def test_a_merged_graph_learns_alike():
    graph = LOOP.merged()
    table = some(answers(LOOP, 60, 5), *"ADE")
    agree(graph, table, restarts=3)


@pytest.mark.parametrize("rule", RULES)
def test_chains_learn_alike(rule):
    chain = fg.unfold({"S": 3, "X": 2, "Y": 3}, {"X": "S", "Y": "S"}, {"S": "S"}, n=5)
    rng = np.random.default_rng(6)
    table = {name: rng.integers(-1, 2, 30) for name in chain.variables if name[0] in "XY"}
    agree(chain, table, rule, restarts=2)
    agree(chain, table, rule, n_it=2, restarts=1)


@pytest.mark.parametrize("rule", RULES)
def test_blocks_that_are_fixed_or_come_straight_from_a_source(rule):
    s, t, u, x, y = (
        Branch(name, size) for name, size in zip("STUXY", (3, 3, 3, 2, 4), strict=True)
    )
    z, v = Branch("Z", 3), Branch("V", 2)
    graph = NormalGraph(
        [
            Source("S", s),
            Diverter("=", [s], [t, u]),
            Block("X|S", t, x),
            Block("Y|S", u, y),
            Source("Z", z),
            Block("V|Z", z, v),
        ]
    )
    rng = np.random.default_rng(7)
    table = {name: rng.integers(0, size, 40) for name, size in (("X", 2), ("Y", 4), ("V", 2))}
    agree(graph, table, rule, restarts=2)


def test_a_rule_of_ones_own_sees_dense_messages():
    def step(theta, f, b, weight):
        return theta * ((f * weight) @ b.swapaxes(-1, -2))

    table = some(answers(CLASSES, 40, 8), *"ABCD")
    agree(CLASSES, table, Rule("mine", step), restarts=2)
    agree(CLASSES, table, ("ml", Rule("mine", step)), restarts=None)


def test_a_record_that_is_added_to_the_rules_counts_by_its_own_step(monkeypatch):
    def step(theta, f, b, weight):
        return theta * ((f * weight) @ b.swapaxes(-1, -2))

    fifth = Rule("half", step)
    for module in (rules, em, observed):
        monkeypatch.setattr(module, "RULES", {**rules.RULES, "half": fifth}, raising=False)
    table = some(answers(CLASSES, 40, 8), *"ABCD")
    agree(CLASSES, table, "half", restarts=2)
    by_hand = each_epoch("plain", CLASSES, table, "half", restarts=1)
    counts = each_epoch("plain", CLASSES, table, "ml", restarts=1)
    assert not np.allclose(by_hand[1].theta["A|S"], counts[1].theta["A|S"])


@pytest.mark.parametrize("step", [rules.kl_step, rules.var_step])
def test_a_rule_of_another_name_by_a_step_of_the_paper_learns_as_that_does(step):
    constants = {"empty": "refill"} if step is rules.var_step else {}
    twin = Rule("twin", step, iterates=True, constants=constants)
    table = some(answers(CLASSES, 40, 8), *"ABCD")
    agree(CLASSES, table, twin, restarts=2, n_it=2)


def test_what_is_impossible_is_dropped_alike():
    theta = {
        name: np.stack([np.asarray(m), np.asarray(m)])
        for name, m in fg.random_theta(CLASSES, np.random.default_rng(9)).items()
    }
    theta["A|S"][0] = [[1.0, 0.0]] * 3
    table = some(answers(CLASSES, 30, 9, blank=0.0), *"ABCD")
    agree(CLASSES, table, theta=theta, restarts=2)
    agree(CLASSES, table, theta=theta, restarts=2, weight=1.0 * (table["A"] == 0))


@pytest.mark.parametrize("rule", RULES)
def test_hundreds_of_columns_that_no_float_could_multiply(rule):
    names = [f"X{k}" for k in range(300)]
    wide = BayesGraph({"S": 3, **dict.fromkeys(names, 4)}, dict.fromkeys(names, "S"))
    table = some(answers(wide, 30, 10, blank=0.1), *names)
    agree(wide, table, rule, restarts=2, n_epochs=2)


def test_the_aggregated_likelihood_of_states_with_zeros_in_several_columns():
    """A state that one column excludes counts in that column alone; that two exclude, in none."""
    theta = fg.random_theta(CLASSES, np.random.default_rng(13))
    theta["A|S"] = [[1.0, 0.0], [0.3, 0.7], [0.0, 1.0]]
    theta["D|S"] = [[0.0, 1.0], [0.6, 0.4], [1e-300, 1.0]]
    table = some(answers(CLASSES, 60, 13, blank=0.1), *"ABCD")
    agree(CLASSES, table, theta=theta, restarts=1, n_epochs=1)


@pytest.mark.parametrize("prior", [0.5, 1e-3, 1e-6, 1e-12])
@pytest.mark.parametrize("entry", [1e-280, 1e-295, 1e-310, 5e-324])
def test_the_aggregated_likelihood_divides_by_the_smallest_entries(entry, prior):
    theta = fg.random_theta(CLASSES, np.random.default_rng(13))
    theta["S"] = [[prior, 0.7 * (1 - prior), 0.3 * (1 - prior)]]
    theta["A|S"] = [[1.0, entry], [0.3, 0.7], [0.6, 0.4]]
    theta["D|S"][0] = [entry, 1.0]
    table = some(answers(CLASSES, 60, 13, blank=0.1), *"ABCD")
    agree(CLASSES, table, theta=theta, restarts=1, n_epochs=1)


@pytest.mark.parametrize("rule", RULES)
def test_a_chain_of_blocks_ends_in_a_leaf(rule):
    chain = BayesGraph({"S": 2, "T": 3, "X": 2}, {"T": "S", "X": "T"})
    agree(chain, some(answers(chain, 40, 14), "X"), rule, restarts=2)
    agree(chain, some(answers(chain, 40, 14), "X"), rule, restarts=1, n_it=2)


@pytest.mark.parametrize("rule", ["ml", "var"])
def test_what_is_said_of_a_state_below_the_smallest_float_still_counts(rule):
    """Twenty columns speak for one state, and what is known of it by another way against it."""
    names = [f"X{k}" for k in range(20)]
    graph = BayesGraph(
        {"S": 2, **dict.fromkeys(names, 2), "Y": 2}, {**dict.fromkeys(names, "S"), "Y": "S"}
    )
    tiny = 1e-60
    theta = {f"{name}|S": [[1 - tiny, tiny], [0.5, 0.5]] for name in names}
    theta |= {"S": [[1 - tiny, tiny]], "Y|S": [[0.9, 0.1], [0.4, 0.6]]}
    rows = {name: np.array([1, 0, 1]) for name in names}
    y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    impossible = {**rows, "Y": y}
    theta["Y|S"] = [[1.0, 0.0], [0.0, 1.0]]
    agree(graph, impossible, rule, theta=theta, n_epochs=1)


def test_queries_of_hidden_variables_are_the_same():
    table = some(answers(CLASSES, 50, 11), *"ABCD")
    theta = fg.random_theta(CLASSES, np.random.default_rng(11))
    found = {}
    for way in ("plain", *FAST):
        with pytest.MonkeyPatch.context() as patch:
            go(way, patch)
            found[way] = (
                fg.loglik(CLASSES, theta, table),
                fg.posterior(CLASSES, theta, table, "S"),
                fg.posterior(CLASSES, theta, table, "A"),
            )
    for way in FAST:
        for one, two in zip(found[way], found["plain"], strict=True):
            close(one, two, 1e-12)


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_memory_follows_rows_and_states_and_not_their_product(given, rule):
    states, n = 5000, 20_000
    if given:
        graph = BayesGraph({"G": states, "S": 3, "A": 2, "B": 2}, {"S": "G", "A": "S", "B": "S"},
                           given=["G"])  # fmt: skip
    else:
        graph = BayesGraph({"S": 3, "G": states, "A": 2, "B": 2}, dict.fromkeys("GAB", "S"))
    rng = np.random.default_rng(12)
    table = {
        "G": rng.integers(0, states, n),
        "A": rng.integers(0, 2, n),
        "B": rng.integers(0, 2, n),
    }
    tracemalloc.start()
    try:
        fg.fit(graph, table, rule, restarts=2, n_epochs=2, tol=0, progress=False)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6  # a dense column is 800 MB
