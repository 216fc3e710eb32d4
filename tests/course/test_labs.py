"""The seven labs: what they show is what experiment and figure give without them."""

import csv
import dataclasses
import io
import random

import numpy as np
import PIL.Image
import pytest

from fgn_notebooks import experiments, labs, paper
from fgn_notebooks.data import carcinoma
from fgn_notebooks.experiments.hidden_variable import samples
from fgn_notebooks.figures.deeper_graph import draw_deeper
from fgnwidgets import RULES, BayesGraph, Rule, fit

LABS = {
    "one_block": [
        {"m_x": 4, "ex": 20.0},
        {"split": True, "n": 31, "n_iterations": 7},
        {"view": "many seeds", "n_seeds": 3},
        {"view": "sharpened", "m_y": 2},
        {"view": "one run", "m_y": 5, "split": False},
    ],
    "one_hidden_variable": [
        {"rules": ("kl", "var"), "m_s": 7, "n_it": 9},
        {"split": True, "n": 51, "restarts": 3, "start": "matrices"},
        {"view": "coefficients", "n_epochs": 12},
        {"view": "ends by Nit", "rule": "kl"},
        {"view": "likelihoods", "split": False, "rules": ("ml",)},
    ],
    "deeper_graph": [
        {"n_epochs": 12, "m_s1": 2, "m_y2": 5, "rules": ("ml", "vit")},
        {"m_x1": 2, "n_it": 1, "n_epochs": 30},
    ],
    "bayesian_learning": [
        {"exponent": 0.5, "n": 3},
        {"alpha": 4, "seed": 7},
        {"view": "sharpened", "n_seeds": 2},
    ],
    "product_space": [{"m_1": 4, "m_3": 1}, {"sender": 2, "sharpness": 5.0}, {"sender": 3}],
    "weather": [{"until": 4}, {"umbrellas": ("3",), "stays": 0.9}],
    "race": [{"epoch": 7}, {"rules": ("ml", "var"), "n_it": 1}, {"epoch": 60, "seed": 4}],
}


def pixels(png):
    return np.asarray(PIL.Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def from_code(lab):
    """Result and picture of the lines that the lab prints, in a fresh namespace."""
    found = {}
    exec(lab.code(), found)
    buffer = io.BytesIO()
    found["figure"].savefig(buffer, format="png")
    return found["result"], pixels(buffer.getvalue())


def same(one, other):
    """Equal values, arrays and all that they are made of."""
    if dataclasses.is_dataclass(one):
        one, other = (
            {f.name: getattr(v, f.name) for f in dataclasses.fields(v)} for v in (one, other)
        )
    if hasattr(one, "items"):
        return one.keys() == other.keys() and all(same(v, other[k]) for k, v in one.items())
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


@pytest.mark.parametrize("name", LABS)
def test_a_lab_shows_what_its_code_gives_wherever_it_is_moved(name):
    lab = getattr(labs, name)()
    for change in [{}, *LABS[name]]:
        lab.set(**change)
        result, picture = from_code(lab)
        assert same(result, lab.result)
        assert np.array_equal(picture, pixels(lab.picture.value))
        assert lab.picture.text == result.facts()
        names, *rows = csv.reader(io.StringIO(lab.csv()))
        assert names == list(result.table())
        assert {len(column) for column in result.table().values()} == {len(rows)}


def test_the_paper_s_settings_are_where_a_lab_begins():
    lab = labs.one_hidden_variable()
    assert same(lab.result, experiments.one_hidden(seed=1))
    assert (lab.values["m_s"], lab.values["n"], lab.values["n_epochs"]) == (4, 400, 60)
    lab.set(seed=5)
    assert same(lab.result, experiments.one_hidden(seed=5))
    deeper = labs.deeper_graph()
    assert deeper.values["n_epochs"] == 600
    sizes = {name: deeper.values[f"m_{name.lower()}"] for name in paper.FOREST_SIZES}
    assert sizes == dict(paper.FOREST_SIZES)
    deeper.set(n_epochs=20)
    assert same(deeper.result, experiments.deeper(n_epochs=20))


def test_random_walks_through_the_controls_draw_what_a_new_figure_draws():
    """The lab keeps its axes: nothing of an earlier picture may stay on them."""
    chance = random.Random(3)
    for name in ("one_block", "bayesian_learning", "product_space"):
        lab = getattr(labs, name)()
        for _ in range(6):
            lab.set(**{key: chosen(control, chance) for key, control in lab.controls.items()
                       if key not in ("view", "n_seeds", "n_iterations")})  # fmt: skip
            assert np.array_equal(from_code(lab)[1], pixels(lab.picture.value))


def chosen(control, chance):
    """A value of a control, small where large ones take long."""
    if hasattr(control, "options"):
        return chance.choice(control.options)
    if isinstance(control.value, bool):
        return chance.random() < 0.5
    if isinstance(control.value, int):
        return chance.randint(control.min, min(control.max, control.min + 60))
    return chance.uniform(control.min, control.max)


def test_the_race_runs_on_a_graph_and_a_table_of_the_reader():
    graph = BayesGraph({"S": 2, "X1": 2, "X2": 2}, {"X1": "S", "X2": "S"})
    drawn = samples(80, 0)
    data = {"X1": drawn["X1"], "X2": drawn["X2"]}
    lab = labs.race(graph, data, n_epochs=9)
    assert same(lab.result, experiments.race(graph=graph, data=data, n_epochs=9))
    assert "race(graph=graph, data=data, n_epochs=9)" in lab.code()
    lab.set(epoch=3)
    assert lab.result.n_epochs == 9
    with pytest.raises(ValueError, match="epoch is 10: expected from 0 to 9"):
        lab.set(epoch=10)


def test_the_race_has_a_box_for_a_rule_of_the_reader():
    lazy = Rule("lazy", lambda theta, f, b, weight: theta)
    lab = labs.race(own=lazy, n_epochs=3)
    assert lab.controls["rules"].options == (*RULES, "lazy")
    assert lab.result.rules == (*RULES, "lazy")
    lab.set(rules=("lazy", "kl"))
    found = {"own": (lazy,)}
    exec(lab.code(), found)
    assert same(found["result"], lab.result)
    assert len(set(lab.result.loglik["lazy"])) == 1  # uniform matrices, and it leaves them so


@pytest.mark.parametrize("lab", [labs.race, labs.deeper_graph])
def test_a_graph_without_its_data_says_what_is_missing(lab):
    with pytest.raises(ValueError, match="graph and data come together"):
        lab(BayesGraph({"X": 2}, {}))


def test_the_deeper_lab_learns_a_graph_of_the_reader_with_a_blank_cell_and_many_blocks():
    table = carcinoma()
    table = {name: list(column) for name, column in table.items()}
    graph = BayesGraph.from_table(table, dict.fromkeys(table, "S"), hidden={"S": 2})
    whole = labs.deeper_graph(graph, table)
    assert whole.result.levels is not None
    usual = set(labs.deeper_graph().controls)
    of_the_paper = {name for name in usual if name.startswith("m_")} | {"n", "data_seed"}
    assert set(whole.controls) == usual - of_the_paper
    table["A"][3] = None
    lab = labs.deeper_graph(graph, table)
    lab.set(n_epochs=30, rules=("ml", "vit"), seed=4)
    expected = fit(graph, table, n_epochs=30, n_it=lab.values["n_it"], restarts=1, seed=4,
                   start="messages", tol=0, progress=False)  # fmt: skip
    assert np.allclose(lab.result.loglik["ml"], expected.loglik[:, 0], rtol=1e-9)
    assert lab.result.levels is None
    assert lab.result.blocks == tuple(f"{name}|S" for name in table)
    assert "deeper(\n    graph=graph,\n    data=data" in lab.code()


def test_a_graph_with_more_blocks_than_a_picture_holds_says_how_many_are_left_out():
    names = [f"X{k}" for k in range(14)]
    graph = BayesGraph({"S": 2, **dict.fromkeys(names, 2)}, dict.fromkeys(names, "S"))
    rows = {name: np.arange(20) % (2 + k % 3) % 2 for k, name in enumerate(names)}
    figure = draw_deeper(experiments.deeper(graph=graph, data=rows, n_epochs=3))
    drawn = [ax for ax in figure.axes if ax._left_title.get_text().startswith("P(")]
    assert 0 < len(drawn) < len(names)
    words = f"and {len(names) - len(drawn)} more blocks"
    assert words in [text.get_text() for text in figure.texts]
