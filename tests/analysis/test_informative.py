"""What a variable would tell of a target, and how strong arrows are, beside whole joint tables."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import joint, with_evidence
from small_graphs import COUNTRY, LOOP
from strategies import cases, matrices, some_samples

import fgnwidgets as fg


def entropy(p):
    """H in bits of any table of probabilities."""
    p = p[p > 0]
    return -(p * np.log2(p)).sum()


def whole_table(graph, theta, likelihoods):
    """P(all variables | evidence) of the first sample, and the axis of each variable."""
    table = with_evidence(graph, joint(graph, theta), likelihoods, 0)
    return table / table.sum(), {name: k for k, name in enumerate(graph.variables)}


def checked(graph, found, theta, likelihoods, target, seen):
    """Everything that ``informative`` says, beside the entropies of the whole table."""
    table, axis = whole_table(graph, theta, likelihoods)

    def h(*names):
        kept = [axis[v] for v in dict.fromkeys(names)]
        return entropy(np.einsum(table, list(range(table.ndim)), kept))

    def p(*names):
        return np.einsum(table, list(range(table.ndim)), [axis[v] for v in names])

    np.testing.assert_allclose(found.posterior, p(target), atol=1e-12)
    assert found.entropy == pytest.approx(h(target), abs=1e-12)
    free = [v for v in graph.variables if v not in {*seen, target, *graph.given}]
    assert sorted(found.bits) == sorted(found.share) == sorted(free)
    assert [*found.bits.values()] == sorted(found.bits.values(), reverse=True)
    for name, bits in found.bits.items():
        assert bits == pytest.approx(h(target) + h(name) - h(target, name), abs=1e-11)
        if found.entropy > 1e-9:
            assert found.share[name] == pytest.approx(bits / found.entropy, rel=1e-12)
        np.testing.assert_allclose(found.joint[name], p(name, target), atol=1e-12)
    arrows = {(parent, child) for child, ps in graph.parents.items() for parent in ps}
    assert set(found.strength) == arrows
    assert [*found.strength.values()] == sorted(found.strength.values(), reverse=True)
    for (parent, child), bits in found.strength.items():
        others = [v for v in graph.parents[child] if v != parent]
        without = h(child, *others) - h(*others)
        assert bits == pytest.approx(without - (h(child, parent, *others) - h(parent, *others)),
                                     abs=1e-11)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(0, 6))
def test_information_and_strengths_in_forests_are_those_of_the_whole_table(case, k):
    case = some_samples(case, np.array([0]))
    seen = {v for v, c in case.table.items() if c.ndim == 1 and c[0] >= 0}
    free = [v for v in case.graph.variables if v not in seen]
    if not free:
        return
    target = free[k % len(free)]
    found = fg.informative(case.graph, case.theta, case.table or None, target)
    checked(case.graph, found, case.theta, case.likelihoods, target, seen)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("graph", [LOOP, COUNTRY], ids=["loop", "given"])
def test_information_in_merged_graphs_and_with_given_variables(graph, seed):
    rng = np.random.default_rng(seed)
    form = graph.merged()
    theta = fg.random_theta(form, rng)
    target, other, soft = rng.permutation([v for v in graph.variables if v not in graph.given])[:3]
    seen = {v: int(rng.integers(graph.variables[v].size)) for v in {other, *graph.given}}
    opinion = rng.random(graph.variables[soft].size)
    likelihoods = {v: np.eye(graph.variables[v].size)[:, [code]] for v, code in seen.items()} | {
        soft: opinion[:, None]
    }
    found = fg.informative(form, theta, {**seen, soft: opinion[None]}, target)
    checked(graph, found, theta, likelihoods, target, seen)


def test_a_tied_chain_is_as_good_as_any_graph():
    graph = fg.hmm(3, 4, 4)
    theta = fg.random_theta(graph, np.random.default_rng(3))
    evidence = {"X1": 2, "X3": 0}
    likelihoods = {"X1": np.eye(4)[:, [2]], "X3": np.eye(4)[:, [0]]}
    checked(graph, fg.informative(graph, theta, evidence, "S2"), theta, likelihoods, "S2", evidence)


def test_far_along_a_long_chain_it_is_that_of_a_power_of_the_matrix():
    graph = fg.hmm(2, 2, 100)
    stays = np.array([[0.95, 0.05], [0.1, 0.9]])
    theta = {"start": [[0.3, 0.7]], "transition": stays}
    theta["emission"] = [[0.8, 0.2], [0.3, 0.7]]
    found = fg.informative(graph, theta, None, "S1")
    for step in (2, 5, 30, 100):
        both = np.array([0.3, 0.7])[:, None] * np.linalg.matrix_power(stays, step - 1)
        expected = entropy(both.sum(0)) + entropy(both.sum(1)) - entropy(both.ravel())
        assert found.bits[f"S{step}"] == pytest.approx(expected, abs=1e-13)
    assert [v for v in found.bits if v[0] == "S"] == [f"S{k}" for k in range(2, 101)]


def test_the_simplified_model_of_several_parents_is_served():
    graph = fg.BayesGraph({"A": 2, "B": 2, "C": 3}, {"C": ("A", "B")})
    form = graph.normal_form("separate")
    theta = fg.random_theta(form, np.random.default_rng(0))
    table = np.einsum("a,b,ac,bc->abc", theta["A"][0], theta["B"][0], theta["C|A"], theta["C|B"])
    table /= table.sum()
    found = fg.informative(form, theta, None, "C")
    ac = table.sum(axis=1)
    expected = entropy(ac.sum(0)) + entropy(ac.sum(1)) - entropy(ac.ravel())
    assert found.bits["A"] == pytest.approx(expected, abs=1e-13)
    assert found.strength["A", "C"] == pytest.approx(expected, abs=1e-13)


@pytest.mark.quick
def test_a_copy_tells_everything_and_a_coin_nothing():
    graph = fg.BayesGraph({"S": 4, "copy": 4, "coin": 2}, {"copy": "S"})
    theta = {"S": np.full((1, 4), 0.25), "copy|S": np.eye(4), "coin": [[0.5, 0.5]]}
    found = fg.informative(graph, theta, None, "S")
    assert found.entropy == 2
    assert found.bits == {"copy": pytest.approx(2), "coin": 0}
    assert found.share == {"copy": pytest.approx(1), "coin": 0}
    np.testing.assert_allclose(found.span("copy"), [[0] * 4, [1] * 4])
    np.testing.assert_allclose(found.span("coin"), [[0.25] * 4] * 2)


@pytest.mark.quick
def test_what_the_evidence_separates_from_the_target_tells_exactly_nothing():
    graph = fg.BayesGraph({"A": 3, "B": 3, "C": 3}, {"B": "A", "C": "B"})
    theta = fg.random_theta(graph, np.random.default_rng(1))
    assert fg.informative(graph, theta, {"B": 1}, "A").bits == {"C": 0.0}
    found = fg.informative(graph, theta, {"B": 1}, "A")
    assert found.strength == {("A", "B"): 0.0, ("B", "C"): 0.0}


@pytest.mark.quick
def test_almost_nothing_is_told_precisely():
    """Of a channel that errs half the time less d, 2 d^2 / log 2 bits are left."""
    d = 1e-8
    graph = fg.BayesGraph({"S": 2, "X": 2}, {"X": "S"})
    theta = {"S": [[0.5, 0.5]], "X|S": [[0.5 + d, 0.5 - d], [0.5 - d, 0.5 + d]]}
    found = fg.informative(graph, theta, None, "S")
    assert found.bits["X"] == pytest.approx(2 * d**2 / np.log(2), rel=1e-6)
    assert found.strength["S", "X"] == pytest.approx(2 * d**2 / np.log(2), rel=1e-6)


@pytest.mark.quick
def test_almost_nothing_is_told_precisely_also_where_nothing_is_even():
    d = 1e-9
    rows = [[0.2 + d, 0.5 - d, 0.3], [0.2, 0.5, 0.3], [0.2 - 3 * d, 0.5, 0.3 + 3 * d]]
    theta = {"S": [[0.3, 0.6, 0.1]], "X|S": rows}
    graph = fg.BayesGraph({"S": 3, "X": 3}, {"X": "S"})
    with localcontext() as context:
        context.prec = 60
        p = [[Decimal(s) * Decimal(x) for x in row] for s, row in zip(theta["S"][0], rows,
                                                                      strict=True)]  # fmt: skip
        total = sum(map(sum, p))
        s, x = [sum(row) for row in p], [sum(column) for column in zip(*p, strict=True)]
        nats = sum(
            p[i][j] / total * (p[i][j] * total / s[i] / x[j]).ln()
            for i in range(3) for j in range(3)
        )  # fmt: skip
        bits = float(nats / Decimal(2).ln())
    assert 1e-18 < bits < 1e-16
    found = fg.informative(graph, theta, None, "S")
    assert found.bits["X"] == pytest.approx(bits, rel=1e-5)
    assert found.strength["S", "X"] == pytest.approx(bits, rel=1e-5)


@pytest.mark.quick
def test_a_target_that_is_known_already_has_no_shares():
    graph = fg.BayesGraph({"S": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"})
    theta = {"S": [[0.5, 0.5]], "X|S": np.eye(2), "Y|S": [[0.9, 0.1], [0.2, 0.8]]}
    found = fg.informative(graph, theta, {"X": 1}, "S")
    assert found.entropy == 0 and found.bits == {"Y": 0} and np.isnan(found.share["Y"])
    np.testing.assert_array_equal(found.posterior, [0, 1])
    assert "0.0000" in repr(found) and "nan" not in repr(found) + found._repr_html_()


@pytest.mark.quick
def test_evidence_too_unlikely_for_floats_leaves_the_prior_where_it_is_balanced():
    n = 400
    graph = fg.BayesGraph(dict.fromkeys(["S", *(f"X{k}" for k in range(2 * n + 1))], 2),
                          {f"X{k}": "S" for k in range(2 * n + 1)})  # fmt: skip
    theta = {"S": [[0.3, 0.7]]}
    theta |= {f"X{k}|S": [[0.99, 0.01], [0.01, 0.99]] for k in range(2 * n + 1)}
    evidence = {f"X{k}": int(k < n) for k in range(2 * n)}
    found = fg.informative(graph, theta, evidence, "S")
    both = np.array([[0.3], [0.7]]) * [[0.99, 0.01], [0.01, 0.99]]
    expected = entropy(both.sum(0)) + entropy(both.sum(1)) - entropy(both.ravel())
    assert found.bits[f"X{2 * n}"] == pytest.approx(expected, rel=1e-9)
    assert found.strength["S", f"X{2 * n}"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.quick
def test_only_those_that_can_be_observed_are_asked():
    theta = fg.random_theta(LOOP.merged(), np.random.default_rng(0))
    whole = fg.informative(LOOP.merged(), theta, {"A": "yes"}, "S")
    part = fg.informative(LOOP.merged(), theta, {"A": "yes"}, "S", among={"C", "E"})
    assert part.bits == {v: bits for v, bits in whole.bits.items() if v in "CE"}
    assert not [v for v in whole.bits if v.startswith("(")]


@pytest.mark.quick
def test_a_run_stands_for_its_best_matrices_and_a_case_may_have_been_read():
    table = {"X": [0, 0, 1, 1, 1, 0], "Y": [0, 0, 1, 1, 0, 1]}
    graph = fg.BayesGraph({"S": 2, "X": 2, "Y": 2}, {"X": "S", "Y": "S"})
    run = fg.fit(graph, table, restarts=2)
    one = fg.informative(graph, run, {"X": 1}, "S")
    read = fg.read_evidence(graph, {"X": [0, 1]}).take(slice(1, 2))
    assert one.bits == fg.informative(graph, run.best_theta, read, "S").bits
    assert one.bits.keys() == {"Y"}


@pytest.mark.quick
def test_the_table_says_what_is_asked_first():
    theta = {
        "S": [[0.5, 0.3, 0.2]],
        "A|S": [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]],
        "B|S": np.eye(3),
        "C|A,B": np.full((6, 2), 0.5),
        "D|C": [[0.9, 0.1], [0.1, 0.9]],
        "E|B,D": np.full((6, 2), 0.5),
    }
    said = repr(fg.informative(LOOP.merged(), theta, {"A": "yes"}, "S"))
    assert said.startswith("What would tell of S given A = yes: 1.4250 bits are unknown")
    assert [line.split()[0] for line in said.splitlines()[2:6]] == ["B", "C", "D", "E"]
    assert "100.0 %" in said and "strongest arrows, in bits: S -> B 1.4250" in said
    assert "S -> A" not in said  # the evidence leaves it nothing


@pytest.mark.quick
@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"target": "A"}, ValueError, "target 'A' is observed"),
        ({"target": "Z"}, fg.GraphError, "no variable or branch 'Z'"),
        ({"among": ["A"]}, ValueError, "among holds 'A', which is observed"),
        ({"among": "S"}, ValueError, "among holds 'S', which is the target"),
        ({"evidence": {"A": ["no", "yes"]}}, ValueError, "a table of 2 samples: expected one case"),
        ({"evidence": {"A": 1, "C": 1}}, fg.ImpossibleEvidence, "A = 'yes', C = 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(given, error, why):
    theta = fg.random_theta(LOOP.merged(), np.random.default_rng(0))
    theta["C|A,B"] = np.array([[0.5, 0.5]] * 3 + [[1.0, 0.0]] * 3)
    right = {"evidence": {"A": "yes"}, "target": "S"}
    with pytest.raises(error, match=why):
        fg.informative(LOOP.merged(), theta, **{**right, **given})


@pytest.mark.quick
def test_a_given_variable_is_observed():
    theta = fg.random_theta(COUNTRY.merged(), np.random.default_rng(0))
    with pytest.raises(ValueError, match="target 'G' is observed"):
        fg.informative(COUNTRY.merged(), theta, {"G": 1}, "G")


@pytest.mark.parametrize("seed", range(5))
def test_pyagrum_says_the_same(seed):
    gum = pytest.importorskip("pyagrum")
    theta = matrices(LOOP, seed, zeros=0)
    bn = fg.to_pyagrum(LOOP, theta)

    def peer(*sets):
        engine = gum.LazyPropagation(bn)
        engine.setEvidence({"A": 1})
        engine.addJointTarget({name for names in sets for name in names})
        return gum.InformationTheory(engine, *sets)

    found = fg.informative(LOOP.merged(), theta, {"A": 1}, "S")
    for name, bits in found.bits.items():
        assert bits == pytest.approx(peer(["S"], [name]).mutualInformationXY(), abs=1e-9)
        assert found.entropy == pytest.approx(peer(["S"], [name]).entropyX(), abs=1e-9)
    told = peer(["B"], ["E"], ["D"]).mutualInformationXYgivenZ()
    assert found.strength["B", "E"] == pytest.approx(told, abs=1e-9)
