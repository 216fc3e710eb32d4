"""Loops merged into product variables: everything by the original names, exact by enumeration."""

import pickle

import numpy as np
import pytest
from checks import close
from oracles import joint, most_probable, taught, with_evidence
from tiers import mostly_slow

import fgnwidgets as fg
from fgnwidgets import BayesGraph, GraphError

SPRINKLER = BayesGraph(
    dict.fromkeys(["cloudy", "sprinkler", "rain", "wet"], ("no", "yes")),
    {"sprinkler": "cloudy", "rain": "cloudy", "wet": ("sprinkler", "rain")},
)
LAWN = {
    "cloudy": [[0.5, 0.5]],
    "sprinkler|cloudy": [[0.5, 0.5], [0.9, 0.1]],
    "rain|cloudy": [[0.8, 0.2], [0.2, 0.8]],
    "wet|sprinkler,rain": [[1, 0], [0.1, 0.9], [0.1, 0.9], [0.01, 0.99]],
}


def random_dag(rng, largest):
    """Sizes and parents: up to ``largest`` variables in any order, families in any order."""
    names = [f"V{k}" for k in range(rng.integers(2, largest + 1))]
    big = 4 if len(names) < 8 else 3
    sizes = {name: int(rng.integers(1, big)) for name in names}
    parents = {}
    for k, child in enumerate(names):
        several = int(rng.integers(0, min(k, 3) + 1))
        if several:
            parents[child] = tuple(rng.permutation(names[:k])[:several].tolist())
        families = [family for family in parents.values() if len(family) > 1]
        if families and rng.random() < 0.2:  # the same parents, in another order
            parents[child] = tuple(rng.permutation(families[0]).tolist())
    return {name: sizes[name] for name in rng.permutation(names).tolist()}, parents


def random_evidence(rng, sizes, n):
    """Hard, soft and missing cells, as a table and as likelihoods ``(M, N)``."""
    table, likelihoods = {}, {}
    for name, size in sizes.items():
        kind = rng.choice(["hard", "gaps", "soft", "hidden"])
        if kind == "soft":
            table[name] = rng.random((n, size)) + 0.01
            likelihoods[name] = table[name].T
        elif kind != "hidden":
            codes = rng.integers(0, size, n)
            if kind == "gaps":
                codes[rng.random(n) < 0.5] = -1
            table[name] = codes
            likelihoods[name] = np.where(codes < 0, 1.0, np.arange(size)[:, None] == codes)
    return table or {next(iter(sizes)): [-1] * n}, likelihoods


def marginal(table, axes):
    return np.einsum(table, list(range(table.ndim)), axes)


@pytest.mark.parametrize("part", mostly_slow(range(10), 0))
def test_a_thousand_random_graphs_are_as_enumeration_says(part):
    loops = 0
    for seed in range(100 * part, 100 * part + 100):
        rng = np.random.default_rng([7, seed])
        sizes, parents = random_dag(rng, 10)
        graph = BayesGraph(sizes, parents)
        loops += bool(graph.loop)
        merged = graph.merged()
        theta = fg.random_theta(merged, rng)
        n = 3
        table, likelihoods = random_evidence(rng, sizes, n)
        whole = joint(graph, theta)
        tables = [with_evidence(graph, whole, likelihoods, k) for k in range(n)]
        messages = fg.propagate(merged, theta, table)
        close(messages.loglik, [np.log(t.sum()) for t in tables])
        for axis, name in enumerate(sizes):
            close(messages[name].p.T, [marginal(t, [axis]) / t.sum() for t in tables])
        after = list(fg.epochs(merged, table, theta=theta, n_epochs=1))[-1]
        for child, name in graph.theta.items():
            axes = [list(sizes).index(v) for v in (*graph.parents[child], child)]
            pairs = [marginal(t, axes).reshape(theta[name].shape) / t.sum() for t in tables]
            close(messages.pair(name), np.stack(pairs, axis=-1))
            teaches = taught(graph, likelihoods, n, child)
            counts = sum(pair * weight for pair, weight in zip(pairs, teaches, strict=True))
            sums = counts.sum(axis=1, keepdims=True)
            learned = np.where(sums > 0, counts / np.where(sums > 0, sums, 1), theta[name])
            close(after.theta[name][0], learned, 1e-9)
        for asked in ((), list(sizes)[:2], sizes):
            found = fg.most_probable(merged, theta, table, variables=list(asked))
            for k in range(n):
                top, at = most_probable(graph, theta, likelihoods, k, asked, whole)
                close(found.logp[k], np.log(top))
                here = {v: c[k] for v, c in found.table.items() if c[k] is not None}
                assert {**here, **at} == here
                assert all(sizes[v] == 1 for v in here.keys() - at)
    assert loops > 40


# What everybody knows of the sprinkler


def test_the_sprinkler_is_explained_away():
    merged = SPRINKLER.merged()

    def chance(variable, **evidence):
        p = fg.posterior(
            merged, LAWN, {name: [state] for name, state in evidence.items()}, variable
        )
        return p[0, 1]

    close(chance("sprinkler", wet="yes"), 0.4298, 5e-5)
    close(chance("rain", wet="yes"), 0.7079, 5e-5)
    close(chance("sprinkler", wet="yes", rain="yes"), 0.1945, 5e-5)


def test_a_loop_is_refused_with_the_way_out_and_its_price():
    said = (
        r"the variables .* form a loop, on which messages are not exact: graph.merged\(\) makes "
        r"product variables of such loops; its largest is \(.*\) with 8 values, "
        r"and a sample takes \d+ bytes"
    )
    for ask in (
        SPRINKLER.normal_form,
        lambda: SPRINKLER.normal_form("separate"),
        lambda: fg.propagate(SPRINKLER, LAWN, {"wet": ["yes"]}),
        lambda: fg.fit(SPRINKLER, {"wet": ["yes"]}),
    ):
        with pytest.raises(GraphError, match=said) as error:
            ask()
        for name in SPRINKLER.variables:
            assert name in str(error.value).split(" form ")[0]


def test_a_merge_that_is_too_large_is_refused_with_its_numbers():
    sizes = {"A": 200, **{f"B{k}": 200 for k in range(9)}, "C": 2}
    causes = {f"B{k}": "A" for k in range(9)}
    graph = BayesGraph(sizes, {**causes, "C": ("B0", "B1", "B2"), "B8": ("A", "B0")})
    with pytest.raises(
        GraphError, match=r"needs the product variable .* values, more than 16,777,"
    ):
        graph.merged()
    bigger = BayesGraph(sizes, graph.parents, largest=200**4)
    assert bigger.merged().price[1] == 200**4  # a description takes no memory


def test_without_a_loop_merging_costs_nothing():
    graph = BayesGraph({"S": 3, "X": 2, "Y": 2, "Z": 2}, {"X": "S", "Y": "S", "Z": ("X", "Y")})
    tree = BayesGraph({"S": 3, "X": 2, "Y": 2}, {"X": "S", "Y": "S"})
    assert tree.merged().nodes == tree.normal_form().nodes
    assert graph.loop and not tree.loop
    assert graph.merged().map == {
        "S": ("S",),
        "(S,X,Y)": ("X|S", "Y|S"),
        "(X,Y)": ("Z|X,Y",),
    }
    assert graph.merged().price[:2] == ("(S,X,Y)", 12)


# Learning


def observed(n=60):
    rng = np.random.default_rng(3)
    table = fg.sample(SPRINKLER.merged(), LAWN, n, rng)
    table["cloudy"] = np.where(rng.random(n) < 0.3, None, table["cloudy"])
    return {name: table[name] for name in ("cloudy", "rain", "wet")}


def test_a_run_on_a_merged_graph_rises_and_stands_for_its_matrices():
    run = fg.fit(SPRINKLER.merged(), observed(), restarts=4, n_epochs=30, tol=0)
    assert (np.diff(run.loglik, axis=0) > -1e-10).all()
    assert set(run.best_theta) == set(LAWN)
    close(fg.loglik(SPRINKLER.merged(), run, observed()).sum(), run.final_loglik[run.best], 1e-10)
    # every sample has wet, a descendant of all: each family counts all of them
    close([c.sum() for c in run.best_counts.values()], [60.0] * 4)


@pytest.mark.parametrize("rule", ["kl", "vit", "var"])
def test_rules_that_need_two_messages_are_refused_where_a_family_shares_its_cluster(rule):
    said = f"rule '{rule}' needs a message on each side of a block, and the family of 'sprinkler"
    with pytest.raises(ValueError, match=said):
        fg.fit(SPRINKLER.merged(), observed(), rule)
    fixed = BayesGraph(
        {name: b.states for name, b in SPRINKLER.variables.items()},
        SPRINKLER.parents,
        fixed=["sprinkler", "rain"],
    )
    known = {name: LAWN[name] for name in ("sprinkler|cloudy", "rain|cloudy")}
    run = fg.fit(fixed.merged(), observed(), rule, theta=known, n_epochs=3, restarts=2)
    close(run.best_theta["rain|cloudy"], LAWN["rain|cloudy"])


def test_own_messages_are_refused_where_there_is_no_branch_for_them():
    with pytest.raises(ValueError, match="start needs a message on each side of a block"):
        fg.fit(SPRINKLER.merged(), observed(), start={})
    merged = SPRINKLER.merged()
    messages = fg.propagate(merged, LAWN, observed())
    with pytest.raises(
        ValueError, match="'rain|cloudy' shares its cluster.*no branch to each side"
    ):
        messages.at_block("rain|cloudy")


def test_random_messages_start_a_merged_graph_too():
    run = fg.fit(SPRINKLER.merged(), observed(), start="messages", restarts=3, n_epochs=5)
    assert np.isfinite(run.final_loglik).all()


def test_tied_families_learn_together_whether_they_share_a_cluster_or_not():
    """X3|X1,X2 is in a loop and Y3|Y1,Y2 in none; both have the same matrix."""
    sizes = dict.fromkeys(["X1", "X2", "X3", "Y1", "Y2", "Y3", "Z"], 2)
    parents = {"X2": "X1", "X3": ("X1", "X2"), "Z": "X3", "Y3": ("Y1", "Y2")}
    both = BayesGraph(sizes, parents, theta={"X3": "T", "Y3": "T"})
    merged = both.merged()
    rng = np.random.default_rng(2)
    theta = fg.random_theta(merged, rng)
    table, likelihoods = random_evidence(rng, sizes, 5)
    whole = joint(both, theta)
    counts = np.zeros((4, 2))
    for n in range(5):
        t = with_evidence(both, whole, likelihoods, n)
        for child in ("X3", "Y3"):
            if taught(both, likelihoods, 5, child)[n]:
                axes = [list(sizes).index(v) for v in (*parents[child], child)]
                counts += marginal(t, axes).reshape(4, 2) / t.sum()
    after = list(fg.epochs(merged, table, theta=theta, n_epochs=1))[-1]
    close(after.theta["T"][0], counts / counts.sum(axis=1, keepdims=True))


# By the original names


def test_samples_are_of_the_original_variables_and_their_labels():
    table = fg.sample(SPRINKLER.merged(), LAWN, 40000, np.random.default_rng(1))
    assert list(table) == list(SPRINKLER.variables)
    wet = np.mean(table["wet"] == "yes")
    close(wet, joint(SPRINKLER, LAWN)[..., 1].sum(), 0.01)
    both = np.mean((table["sprinkler"] == "yes") & (table["rain"] == "yes"))
    close(both, joint(SPRINKLER, LAWN)[:, 1, 1].sum(), 0.01)


def test_a_matrix_may_have_an_axis_per_parent_and_a_wrong_one_is_named():
    cube = {**LAWN, "wet|sprinkler,rain": np.reshape(LAWN["wet|sprinkler,rain"], (2, 2, 2))}
    merged = SPRINKLER.merged()
    close(fg.loglik(merged, cube, {"wet": ["yes"]}), fg.loglik(merged, LAWN, {"wet": ["yes"]}), 0)
    said = (
        r"theta\['rain\|cloudy'\] has shape \(3, 2\): cloudy has 2 values and rain has 2 values, so"
    )
    with pytest.raises(ValueError, match=rf"{said} \(\.\.\., 2, 2\) was expected"):
        fg.loglik(merged, {**LAWN, "rain|cloudy": np.full((3, 2), 0.5)}, {"wet": ["yes"]})


def test_states_of_a_hidden_variable_on_a_loop_are_relabelled_in_every_family():
    sizes = {"S": 3, "X": 2, "Y": 2, "Z": 2}
    merged = BayesGraph(sizes, {"X": "S", "Y": "S", "Z": ("Y", "S", "X")}).merged()
    theta = fg.random_theta(merged, np.random.default_rng(0))
    other = fg.relabel(merged, theta, "S", [2, 0, 1])
    table = {"X": [0, 1], "Z": [1, 1]}
    close(fg.loglik(merged, other, table), fg.loglik(merged, theta, table))
    one, two = (fg.posterior(merged, t, table, "S") for t in (theta, other))
    close(two, one[:, [2, 0, 1]])


def test_a_merged_graph_is_saved_pickled_and_traced(tmp_path):
    merged = SPRINKLER.merged()
    for graph in (merged, SPRINKLER):
        fg.save(tmp_path / "lawn.json", graph, LAWN)
        again, theta = fg.load(tmp_path / "lawn.json")
        assert again == graph
        close(theta["rain|cloudy"], LAWN["rain|cloudy"], 0)
    assert pickle.loads(pickle.dumps(merged)) == merged
    assert pickle.loads(pickle.dumps(merged)).map == merged.map
    rounds = list(fg.trace(merged, LAWN, {"wet": ["yes"]}))
    flooded = list(fg.trace(merged, LAWN, {"wet": ["yes"]}, schedule=fg.flooding(merged)))
    close(rounds[-1]["rain"].p, flooded[-1]["rain"].p)


def test_what_is_known_of_a_product_variable_can_be_said_and_asked():
    merged = SPRINKLER.merged()
    cell = {"(sprinkler,rain)": [0, 0, 0, 1]}  # both
    found = fg.posterior(
        merged, LAWN, {"(sprinkler,rain)": np.array([cell["(sprinkler,rain)"]])}, "cloudy"
    )
    whole = joint(SPRINKLER, LAWN)[:, 1, 1].sum(axis=-1)
    close(found[0], whole / whole.sum())


# Given variables join nothing, merged or not


@pytest.mark.parametrize("seed", range(60))
def test_given_variables_of_merged_graphs_are_as_a_free_prior(seed):
    rng = np.random.default_rng([8, seed])
    sizes, parents = random_dag(rng, 7)
    free = BayesGraph(sizes, parents)
    roots = [v for v in sizes if not free.parents[v] and any(v in ps for ps in parents.values())]
    names = rng.permutation(roots)[:2].tolist()
    graph = BayesGraph(sizes, parents, given=names)
    theta = fg.random_theta(free.merged(), rng)
    rest = {name: matrix for name, matrix in theta.items() if name not in names}
    table, _ = random_evidence(rng, {v: s for v, s in sizes.items() if v not in names}, 4)
    table |= {name: rng.integers(0, sizes[name], 4) for name in names}
    prior = sum((np.log(theta[v][0, table[v]]) for v in names), np.zeros(4))
    close(fg.loglik(graph.merged(), rest, table), fg.loglik(free.merged(), theta, table) - prior)
    for name in sizes:
        one = fg.posterior(graph.merged(), rest, table, name)
        close(one, fg.posterior(free.merged(), theta, table, name))
    one = list(fg.epochs(graph.merged(), table, theta=rest, n_epochs=1))[-1]
    two = list(fg.epochs(free.merged(), table, theta=theta, n_epochs=1))[-1]
    for name in rest:
        close(one.theta[name], two.theta[name], 1e-9)


# Loops that are let pass, for teaching


def test_a_graph_with_a_loop_can_be_traced_by_flooding_and_says_that_it_is_approximate(tmp_path):
    form = SPRINKLER.normal_form(loops=True)
    assert form.loop and not SPRINKLER.merged().loop
    wet = {"wet": ["yes"]}
    *_, last = fg.trace(form, LAWN, wet, schedule=fg.flooding(form, 60))
    assert last.approximate and "approximate" in repr(last) and last.loglik is None
    assert repr(last["rain"]) == "Belief('rain', 2 values, 1 samples, approximate)"
    exact = fg.posterior(SPRINKLER.merged(), LAWN, wet, "rain")[0]
    assert np.abs(last["rain"].p[:, 0] - exact).max() > 1e-3  # it is wrong
    close(last["rain"].p[:, 0], exact, 0.1)  # and not by much
    assert not fg.propagate(SPRINKLER.merged(), LAWN, wet).approximate
    fg.save(tmp_path / "loop.json", form, LAWN)
    assert fg.load(tmp_path / "loop.json")[0] == form == pickle.loads(pickle.dumps(form))


def test_without_evidence_flooding_in_the_loop_is_right_where_nothing_comes_back():
    form = SPRINKLER.normal_form(loops=True)
    *_, last = fg.trace(form, LAWN, schedule=fg.flooding(form, 60))
    close(last["rain"].p[:, 0], [0.5, 0.5])


def test_all_that_is_exact_refuses_a_graph_with_a_loop():
    form = SPRINKLER.normal_form(loops=True)
    wet = {"wet": ["yes"]}
    for ask in (
        lambda: fg.propagate(form, LAWN, wet),
        lambda: fg.loglik(form, LAWN, wet),
        lambda: fg.fit(form, wet),
        lambda: fg.trace(form, LAWN, wet),
        lambda: fg.most_probable(form, LAWN, wet),
    ):
        with pytest.raises(GraphError, match=r"form a loop, which loops=True let pass: exact"):
            ask()
    with pytest.raises(ValueError, match="rounds is None: on a graph with a loop"):
        fg.flooding(form)
