"""What all experiments promise: tables, facts, frozen results, words, refusals."""

import numpy as np
import pytest

from fgn_notebooks import paper
from fgn_notebooks.experiments import (
    bayesian_block,
    bayesian_sharpening,
    deeper,
    n_it_scatter,
    one_block,
    one_block_ranking,
    one_hidden,
    product_space,
    race,
    sharpening,
)
from fgn_notebooks.experiments.words import number, read_rules, text_table, wilson
from fgnwidgets import RULES

RESULTS = {
    "one_block": lambda: one_block(n_iterations=5),
    "one_block_split": lambda: one_block(n_iterations=5, split=True, m_x=2, m_y=4),
    "ranking": lambda: one_block_ranking(n_iterations=5, n_seeds=4, split=True),
    "sharpening": lambda: sharpening(n_seeds=2, n_iterations=5),
    "one_hidden": lambda: one_hidden(n_epochs=4, restarts=2),
    "one_hidden_split": lambda: one_hidden(n_epochs=4, split=True, m_s=2, rules="vit"),
    "scatter": lambda: n_it_scatter(n_epochs=4, runs=3),
    "deeper": lambda: deeper(n_epochs=12),
    "bayesian": lambda: bayesian_block(grid=21),
    "bayesian_sharpening": lambda: bayesian_sharpening(n_seeds=2, grid=21),
    "products": lambda: product_space(),
    "race": lambda: race(n_epochs=4),
}


@pytest.fixture(params=RESULTS)
def result(request):
    return RESULTS[request.param]()


def test_the_columns_of_a_table_have_one_length(result):
    columns = result.table()
    assert columns and len({len(column) for column in columns.values()}) == 1


def test_facts_are_plain_text_that_is_the_same_each_time(result, request):
    facts = result.facts()
    assert "np." not in facts and "nan" not in facts
    assert not any(word.startswith("-0.") and not float(word) for word in facts.split())
    assert facts == RESULTS[request.node.callspec.params["result"]]().facts()
    assert all(line == line.rstrip() for line in facts.splitlines())


def test_a_result_cannot_be_changed(result):
    with pytest.raises(AttributeError):
        result.loglik = None


def test_numbers_never_show_a_negative_zero():
    assert (
        number(-0.001) == ">-0.01"
        and number(0.001) == "<0.01"
        and number(-0.0, 0) == "0"
        and number(None) == "-"
    )
    assert number(float("-inf")) == "-inf" and number(np.float64(1.005), 1) == "1.0"


def test_a_text_table_lines_up():
    assert text_table(("a", "bb"), [("xyz", "1")]) == "a    bb\nxyz   1"


def test_wilsons_interval_is_the_textbooks():
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1), abs=1e-4)
    with pytest.raises(ValueError, match="3 of 2"):
        wilson(3, 2)


def test_rules_are_read_in_the_order_of_the_paper():
    assert read_rules(("var", "ml")) == (RULES["ml"], RULES["var"])
    assert read_rules("kl") == (RULES["kl"],)
    for wrong in ("em", ()):
        with pytest.raises(ValueError, match="expected some of"):
            read_rules(wrong)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: one_block(m_x=0), "at least 1"),
        (lambda: one_block(n=1, split=True), "at least 2"),
        (lambda: one_hidden().curve("ml", "test_loglik"), "not split"),
        (lambda: bayesian_block(truth=np.eye(3)), "two axes"),
        (lambda: product_space(sizes=(9, 9)), "product up to"),
        (lambda: product_space(message=[1, 2, 3]), "has 3 values"),
        (lambda: race(graph=paper.one_hidden_graph()), "both or neither"),
        (lambda: race(n_epochs=2).at(3), "expected 0 to 2"),
    ],
)
def test_a_wrong_control_is_refused_in_words(call, says):
    with pytest.raises(ValueError, match=says):
        call()
