"""Models of several groups: beside separate fits, by hand, and where the truth is known."""

import itertools
import math
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tiers import slow

import fgnwidgets as fg
import fgnwidgets.analysis.invariance as module
from fgnwidgets.algebra.chi2 import chi2_sf
from fgnwidgets.analysis.invariance import adjusted
from fgnwidgets.inference.evidence import read_evidence

ITEMS = list("ABCDE")
GRAPH = fg.BayesGraph({"S": 2, **dict.fromkeys(ITEMS, 2)}, dict.fromkeys(ITEMS, "S"))


def drawn(n, seed, *, dif=(), sizes=(0.3, 0.55)):
    """Two groups with classes of other sizes; the items ``dif`` are harder in the south."""
    rng = np.random.default_rng(seed)
    south = rng.integers(0, 2, n)
    x = (rng.random(n) < np.take(sizes, south)).astype(int)
    table = {}
    for item in ITEMS:
        p = np.where(x == 1, 0.85, 0.2)
        if item in dif:
            p = np.where(south == 1, p - 0.15 - 0.25 * x, p)
        table[item] = (rng.random(n) < p).astype(int)
    return pd.DataFrame({**table, "where": np.array(["north", "south"])[south]})


TABLE = drawn(1200, 0, dif="C")
FOUND = fg.invariance(GRAPH, TABLE, "where")


def end(run):
    return run.final_loglik[run.best]


def test_the_heterogeneous_model_is_a_model_for_each_group():
    apart = [
        fg.fit(GRAPH, TABLE[TABLE["where"] == w], columns=ITEMS, n_epochs=5000, tol=1e-11)
        for w in ("north", "south")
    ]
    run = FOUND.runs["heterogeneous"]
    assert end(run) == pytest.approx(sum(map(end, apart)), abs=1e-4)
    assert run.n_free == sum(one.n_free for one in apart) == 22


def test_the_equal_model_is_that_without_groups_and_the_homogeneous_one_that_by_hand():
    options = {"n_epochs": 5000, "tol": 1e-11}
    one = fg.fit(GRAPH, TABLE, columns=ITEMS, **options)
    assert end(FOUND.runs["equal"]) == pytest.approx(end(one), abs=1e-4)
    by_hand = fg.BayesGraph(
        {"where": ("north", "south"), "S": 2, **dict.fromkeys(ITEMS, 2)},
        {"S": "where", **dict.fromkeys(ITEMS, "S")},
        given=["where"],
    )
    two = fg.fit(by_hand, TABLE, **options)
    assert end(FOUND.runs["homogeneous"]) == pytest.approx(end(two), abs=1e-4)
    ratio = 2 * (end(two) - end(one))
    test = FOUND.tests["homogeneous"]
    assert (test.statistic, test.df) == (pytest.approx(ratio, abs=1e-3), 1)
    assert test.p == chi2_sf(test.statistic, 1)
    partial = fg.BayesGraph(
        {"where": ("north", "south"), "S": 2, **dict.fromkeys(ITEMS, 2)},
        {"S": "where", **dict.fromkeys(ITEMS, "S"), "C": ("S", "where")},
        given=["where"],
    )
    three = fg.fit(partial, TABLE, restarts=20, **options)
    assert end(FOUND.runs["C"]) == pytest.approx(end(three), abs=1e-4)
    assert FOUND.tests["C"].df == 2 and FOUND.against["C"] == "homogeneous"


def test_the_likelihood_is_that_of_the_joint_table_of_each_group():
    theta = FOUND.runs["heterogeneous"].best_theta
    total = 0.0
    for row in TABLE.itertuples(index=False):
        g = ["north", "south"].index(row.where)
        p = theta["S|where"][g].copy()
        for item in ITEMS:
            p *= theta[f"{item}|S,where"].reshape(2, 2, 2)[:, g, getattr(row, item)]
        total += math.log(p.sum())
    assert end(FOUND.runs["heterogeneous"]) == pytest.approx(total)


def test_the_item_that_differs_is_found_and_no_other():
    assert FOUND.dif() == ["C"] and FOUND.best() == "C"
    assert FOUND.tests["heterogeneous"].p < 1e-6
    assert fg.invariance(GRAPH, TABLE, "where", adjust="bh").dif() == ["C"]
    same = fg.invariance(GRAPH, drawn(1200, 1), "where")
    assert same.dif() == [] and same.best() == "homogeneous"
    none = fg.invariance(GRAPH, drawn(1200, 2, sizes=(0.4, 0.4)), "where")
    assert none.best() == "equal" and none.tests["homogeneous"].p > 0.05


@pytest.mark.parametrize(
    ("count", "middle"), [(10, (0.25, 0.75)), pytest.param(30, (0.35, 0.65), marks=slow)]
)
def test_where_nothing_differs_p_is_as_often_small_as_it_says(count, middle):
    p = {"homogeneous": [], "heterogeneous": [], "A": []}
    for seed in range(count):
        found = fg.invariance(
            GRAPH, drawn(600, 100 + seed, sizes=(0.4, 0.4)), "where", restarts=2, tol=1e-8
        )
        for name, some in p.items():
            some.append(found.tests[name].p)
    for some in p.values():
        assert middle[0] < np.mean(some) < middle[1] and np.mean(np.array(some) < 0.1) < 0.25


def test_states_are_numbered_alike_in_all_groups():
    theta = FOUND.runs["heterogeneous"].best_theta
    for item in "ABDE":
        one = theta[f"{item}|S,where"].reshape(2, 2, 2)[..., 1]
        assert np.abs(one[:, 0] - one[:, 1]).max() < 0.15  # and not class 0 beside class 1


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_three_states_of_a_group_get_back_the_numbers_that_they_have_in_another(order):
    """Of two states the wrong way round is the right one; of three it is not."""
    graph = fg.BayesGraph({"S": 3, **dict.fromkeys("ABC", 3)}, dict.fromkeys("ABC", "S"))
    sure = np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    theta = {"S": np.array([[0.5, 0.3, 0.2]]), **{f"{x}|S": sure for x in "ABC"}}
    table = pd.DataFrame(fg.sample(graph, theta, 300, np.random.default_rng(1)))[list("ABC")]
    run = SimpleNamespace(graph=graph, best_theta=fg.relabel(graph, theta, "S", list(order)))
    rows = read_evidence(graph, table)
    learning = SimpleNamespace(known=SimpleNamespace(hidden=("S",)))
    found = module._Learning._numbered(learning, run, rows, np.ones(rows.n), theta)
    for name, matrix in theta.items():
        np.testing.assert_allclose(found[name], matrix)


def test_a_larger_model_starts_as_the_smaller_one(monkeypatch):
    monkeypatch.setattr(module, "INWARDS", 0.0)
    known = module._Model.of(GRAPH, "where").over(TABLE)
    smaller = module._Fitted(known.where(["S"]), FOUND.runs["homogeneous"])
    for differ in (["S", "C"], ["S", *ITEMS]):
        graph = known.where(differ)
        theta = {graph.theta[v]: m for v, m in known.spread(smaller, differ).items()}
        assert fg.loglik(graph, theta, TABLE).sum() == pytest.approx(end(smaller.run))


def test_no_ratio_is_negative_because_larger_models_start_from_smaller_ones():
    graph = fg.BayesGraph({"S": 3, **dict.fromkeys(ITEMS, 2)}, dict.fromkeys(ITEMS, "S"))
    found = fg.invariance(graph, drawn(150, 3), "where", restarts=1)
    least = end(found.runs["homogeneous"])
    assert end(found.runs["equal"]) <= least + 1e-6
    for name in (*ITEMS, "heterogeneous"):
        assert end(found.runs[name]) >= least - 1e-6


def test_tables_of_any_kind_with_blanks_weights_and_other_columns():
    table = TABLE.astype(dict.fromkeys(ITEMS, object)).mask(
        np.random.default_rng(0).random(TABLE.shape) < 0.1
    )
    table["where"] = TABLE["where"]
    counts = table.groupby([*ITEMS, "where"], dropna=False).size().reset_index(name="w")
    options = {"restarts": 2}
    one = fg.invariance(GRAPH, table, "where", **options)
    same = [
        (counts, {"weight": "w"}),
        (pl.from_pandas(table.astype(dict.fromkeys(ITEMS, float))), {}),
        (pl.from_pandas(table.astype(dict.fromkeys(ITEMS, float))).lazy(), {}),
        (pl.from_pandas(table.astype(dict.fromkeys(ITEMS, float))).to_arrow(), {}),
        (table.convert_dtypes(), {}),
        (table.to_dict("records"), {}),
        (duckdb.from_df(table.convert_dtypes()), {}),
        (table.assign(id=range(1200)), {"columns": ITEMS}),
        (table.assign(id=range(1200)), {}),
    ]
    for other, more in same:
        two = fg.invariance(GRAPH, other, "where", **options, **more)
        for name, run in one.runs.items():
            assert end(two.runs[name]) == pytest.approx(end(run), abs=1e-3)
        assert two.groups == ("north", "south")


def test_a_graph_that_has_the_group_or_columns_beside_the_model_is_the_same_model():
    frame = TABLE.assign(id=np.arange(1200) % 7)
    whole = fg.BayesGraph.from_table(frame, dict.fromkeys(ITEMS, "S"), hidden={"S": 2})
    given = fg.BayesGraph(
        {"where": ("north", "south"), "S": 2, **dict.fromkeys(ITEMS, 2)},
        {"S": "where", **dict.fromkeys(ITEMS, "S")},
        given=["where"],
    )
    for graph in (whole, given):
        found = fg.invariance(graph, frame, "where", restarts=2)
        assert list(found.runs) == list(FOUND.runs)
        for name, run in FOUND.runs.items():
            assert end(found.runs[name]) == pytest.approx(end(run), abs=1e-3)


def test_a_model_with_loops_is_merged():
    graph = fg.BayesGraph(
        {"S": 2, **dict.fromkeys(ITEMS, 2)}, {**dict.fromkeys(ITEMS, "S"), "B": ("S", "A")}
    )
    found = fg.invariance(graph, TABLE[:300], "where", restarts=2)
    apart = [
        fg.fit(graph.merged(), part[ITEMS], n_epochs=5000, tol=1e-10, restarts=20)
        for _, part in TABLE[:300].groupby("where")
    ]
    assert end(found.runs["heterogeneous"]) <= sum(map(end, apart)) + 1e-4
    assert found.runs["heterogeneous"].n_free == sum(one.n_free for one in apart)


def test_p_adjusted_is_that_of_the_papers():
    """The example of Benjamini and Hochberg (1995): 15 p-values, of which four are discoveries."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
         0.5719, 0.6528, 0.7590, 1.0000]  # fmt: skip
    bh, holm = adjusted(p, "bh"), adjusted(p, "holm")
    assert sum(v <= 0.05 for v in bh) == 4 and sum(v <= 0.05 for v in holm) == 3
    assert bh[3] == pytest.approx(0.0095 * 15 / 4) and holm[2] == pytest.approx(0.0019 * 13)
    assert adjusted([0.01, 0.02, 0.0201], "holm") == pytest.approx([0.03, 0.04, 0.04])
    assert adjusted([0.01, 0.02, 0.0201], "bh") == pytest.approx([0.0201, 0.0201, 0.0201])
    shuffled = np.random.default_rng(0).permutation(15)
    assert adjusted(np.array(p)[shuffled], "bh") == [bh[k] for k in shuffled]
    assert adjusted(p, "none") == p and max(holm) == 1.0 and adjusted([], "bh") == []


def test_weights_of_a_survey_have_no_p():
    w = np.random.default_rng(0).gamma(20, 1 / 20, 300)
    found = fg.invariance(GRAPH, TABLE[:300], "where", weight=w, restarts=1)
    assert math.isnan(found.tests["C"].p) and "no counts of samples" in found.warnings[0]
    assert found.dif() == []


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"group": "region"}, "group is 'region': the columns of the table are A, B"),
        ({"group": "one"}, "group is 'one', which has the value '5' alone: expected two"),
        ({"adjust": "bonferroni"}, "adjust is 'bonferroni': expected 'holm' or 'bh' or 'none'"),
        ({"graph": fg.BayesGraph({"A": 2, "B": 2}, {"B": "A"})}, "expected a hidden one"),
        ({"graph": fg.BayesGraph({"A": 2, "B": 2})}, "the graph has no arrows"),
        ({"graph": GRAPH.normal_form()}, "graph is .*expected a BayesGraph"),
        (
            {"graph": fg.BayesGraph({"S": 2, "A": 2, "B": 2}, {"A": "S", "B": "S"}, fixed=["A"])},
            "fixed or tied matrices",
        ),
    ],
)
def test_mistakes_are_named(asked, says):
    right = {"graph": GRAPH, "table": TABLE.assign(one=5), "group": "where"}
    with pytest.raises(ValueError, match=says):
        fg.invariance(**{**right, **asked})


def test_a_level_or_criterion_that_is_none_is_refused():
    for bad in (0, 1, "0.05", None):
        with pytest.raises(ValueError, match="level is"):
            FOUND.dif(bad)
    with pytest.raises(ValueError, match="criterion is 'loglik'"):
        FOUND.best("loglik")
