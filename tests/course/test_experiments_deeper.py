"""The deeper graph and the race: streams are beginnings of their ends (section 7.2)."""

import math

import numpy as np
import pytest

from fgn_notebooks import paper
from fgn_notebooks.experiments import (
    deeper,
    deeper_graph,
    hidden_variable,
    race,
)
from fgnwidgets import RULES, BayesGraph, Rule, fit


def test_a_stream_of_the_deeper_graph_is_the_beginning_of_its_end():
    whole = deeper(n_epochs=60)
    parts = list(deeper.stream(n_epochs=60))
    seen = [part.n_epochs for part in parts]
    assert seen == sorted(set(seen)) and len(seen) > 1 and seen[-1] == 60
    for part in parts:
        cut = slice(0, part.n_epochs + 1)
        for rule in whole.rules:
            np.testing.assert_array_equal(part.aggregated[rule], whole.aggregated[rule][cut])
            for name, matrices in whole.theta[rule].items():
                np.testing.assert_array_equal(part.theta[rule][name], matrices[cut])


def test_a_result_of_a_stream_does_not_change_while_the_stream_goes_on():
    stream = deeper.stream(n_epochs=60)
    first = next(stream)
    before = first.loglik["ml"].copy(), first.facts()
    list(stream)
    np.testing.assert_array_equal(first.loglik["ml"], before[0])
    assert first.facts() == before[1]


def test_the_sizes_of_the_deeper_graph_are_those_that_are_asked_for():
    found = deeper(n_epochs=2, rules="kl", m_s1=2, m_s2=3, m_s3=2, m_y1=5, m_y2=3, m_x1=2)
    shapes = {name: v.shape[1:] for name, v in found.theta["kl"].items()}
    assert shapes == {
        "S1": (1, 2), "S2": (1, 3), "S3": (1, 2), "Y1|S1": (2, 5), "X1|Y1": (5, 2),
        "X2|Y1": (5, 2), "Y2|S1,S2": (6, 3), "X3|Y2,S3": (6, 3),
    }  # fmt: skip


def test_other_hidden_sizes_learn_from_the_same_rows():
    one, other = deeper(n_epochs=1, m_s1=2), deeper(n_epochs=1)
    assert one.levels == other.levels
    rows, levels = deeper_graph.samples(paper.FOREST_N, 1)
    assert levels == one.levels and {len(column) for column in rows.values()} == {100}


def test_a_race_cut_at_an_epoch_is_a_shorter_race():
    whole, short = race(n_epochs=12), race(n_epochs=5)
    cut = whole.at(5)
    for rule in whole.rules:
        np.testing.assert_array_equal(cut.loglik[rule], short.loglik[rule])
        for name, matrices in short.theta[rule].items():
            np.testing.assert_array_equal(cut.theta[rule][name], matrices)
    assert [r.n_epochs for r in race.stream(n_epochs=3)] == [0, 1, 2, 3]


def test_a_race_runs_on_a_graph_and_a_table_of_ones_own():
    graph = BayesGraph({"H": 2, "A": ("no", "yes"), "B": 2}, {"A": "H", "B": "H"})
    data = {"A": ["no", "yes", "yes", "no", None, "yes"], "B": [0, 1, 1, 0, 1, 0]}
    found = race(graph=graph, data=data, rules=("ml", "vit"), n_epochs=5)
    assert found.rules == ("ml", "vit") and found.levels is None
    complete = {"A": ["no", "yes", "yes", "no"], "B": [0, 1, 1, 0]}
    levels = race(graph=graph, data=complete, n_epochs=1).levels
    assert levels.ceiling == pytest.approx(4 * math.log(1 / 2))
    assert levels.floor == pytest.approx(8 * math.log(1 / 2))


def test_a_rule_of_a_reader_races_beside_those_of_the_paper():
    mine = Rule("mine", lambda theta, f, b, weight: RULES["ml"].step(theta, f, b, weight) ** 2)
    found = race(rules=("vit", mine, "ml"), n_epochs=4, seed=5)
    assert found.rules == ("ml", "vit", "mine")
    run = fit(paper.one_hidden_graph(), hidden_variable.samples(400, 0), mine, n_epochs=4,
              restarts=1, seed=5, tol=0, start="messages")  # fmt: skip
    np.testing.assert_allclose(found.loglik["mine"], run.loglik[:, 0], rtol=1e-8)
    assert "\nmine " in found.facts()
    named = race(rules=("ml", "vit", "mine"), own=mine, n_epochs=4, seed=5)
    np.testing.assert_array_equal(named.loglik["mine"], found.loglik["mine"])
    with pytest.raises(ValueError, match="two rules of the name 'ml'"):
        race(rules=("ml", Rule("ml", mine.step)))
    with pytest.raises(ValueError, match="'theirs': expected some of ml, kl, vit, var, mine"):
        race(rules=("ml", "theirs"), own=mine)


def test_every_rule_runs_its_own_race():
    found = race(n_epochs=9, seed=5)
    graph, table = paper.one_hidden_graph(), hidden_variable.samples(400, 0)
    for rule in found.rules:
        run = fit(graph, table, rule, n_epochs=9, n_it=3, restarts=1, seed=5, tol=0,
                  start="messages", record=("aggregated", "loglik", "theta"))  # fmt: skip
        np.testing.assert_allclose(found.loglik[rule], run.loglik[:, 0], rtol=1e-8)
        np.testing.assert_allclose(found.aggregated[rule], run.aggregated[:, 0], rtol=1e-8)
        for name, matrices in run.theta.items():
            np.testing.assert_allclose(found.theta[rule][name], matrices[:, 0], atol=1e-7)


def test_the_order_of_a_race_is_that_of_its_likelihoods():
    found = race()
    assert [found.loglik[rule][-1] for rule in found.order] == sorted(
        (v[-1] for v in found.loglik.values()), reverse=True
    )
