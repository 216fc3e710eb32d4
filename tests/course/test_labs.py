"""The seven labs: what they show is what experiment and figure give without them."""

import csv
import dataclasses
import inspect
import io
import random
import re

import numpy as np
import PIL.Image
import pytest
from legible import unreadable
from matplotlib.figure import Figure
from tiers import slow

from fgn_notebooks import experiments, labs, paper
from fgn_notebooks.data import carcinoma
from fgn_notebooks.experiments.hidden_variable import samples
from fgn_notebooks.figures.deeper_graph import draw_deeper
from fgn_notebooks.figures.sheets import Part, axes, sheet, words
from fgn_notebooks.teachers import pack
from fgnwidgets import RULES, BayesGraph, Rule, fit
from fgnwidgets.draw.names import length
from fgnwidgets.widgets import Lab

MOVES = {
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


def another(control):
    """A value of a control that is not its first."""
    if hasattr(control, "options"):
        left = [
            option for option in control.options if option not in (control.value, *control.value)
        ]
        chosen = left[0] if left else control.value
        return chosen if isinstance(control.value, str) else (chosen,)
    if isinstance(control.value, bool):
        return not control.value
    return control.max if control.value != control.max else control.min


def moves(name):
    """What a lab is tried with: the moves above, or each of its controls moved once."""
    own = {} if name in MOVES else labs.listed()[name]().controls
    return [{}, *MOVES.get(name, ({key: another(control)} for key, control in own.items()))]


HOW_MANY = pytest.mark.parametrize(
    "most", [2, pytest.param(None, marks=slow)], ids=["where it begins and a move", "all moves"]
)
LABS = [*labs.listed()]


def test_every_lab_of_the_course_is_found_and_tried(monkeypatch):
    assert set(MOVES) <= set(LABS)

    def fresh() -> Lab:
        return labs.weather()

    monkeypatch.setattr(labs, "fresh", fresh, raising=False)
    assert [*labs.listed()] == [*LABS, "fresh"]
    changes = moves("fresh")
    assert len(changes) == 1 + len(labs.weather().controls)
    for change in changes:
        fresh().set(**change)


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


@HOW_MANY
@pytest.mark.parametrize("name", LABS)
def test_a_lab_shows_what_its_code_gives_wherever_it_is_moved(name, most):
    lab = getattr(labs, name)()
    for change in moves(name)[:most]:
        lab.set(**change)
        result, picture = from_code(lab)
        assert same(result, lab.result)
        assert np.array_equal(picture, pixels(lab.picture.value))
        told = {"epoch": lab.values["epoch"]} if name == "race" else {}
        assert lab.picture.text == result.facts(**told)
        names, *rows = csv.reader(io.StringIO(lab.csv()))
        assert names == list(result.table())
        assert {len(column) for column in result.table().values()} == {len(rows)}


def test_the_paper_s_settings_are_where_a_lab_begins():
    lab = labs.one_hidden_variable()
    assert same(lab.result, experiments.one_hidden(rules=tuple(RULES), seed=1))
    assert (lab.values["m_s"], lab.values["n"], lab.values["n_epochs"]) == (4, 400, 60)
    lab.set(seed=5)
    assert same(lab.result, experiments.one_hidden(rules=tuple(RULES), seed=5))
    deeper = labs.deeper_graph()
    assert deeper.values["n_epochs"] == 600
    sizes = {name: deeper.values[f"m_{name.lower()}"] for name in paper.FOREST_SIZES}
    assert sizes == dict(paper.FOREST_SIZES)
    deeper.set(n_epochs=20)
    assert same(deeper.result, experiments.deeper(n_epochs=20))


@pytest.mark.parametrize("name", ["one_block", "bayesian_learning", "product_space"])
@pytest.mark.parametrize("steps", [2, pytest.param(6, marks=slow)])
def test_random_walks_through_the_controls_draw_what_a_new_figure_draws(name, steps):
    """The lab keeps its axes: nothing of an earlier picture may stay on them."""
    chance = random.Random(3)
    lab = getattr(labs, name)()
    for _ in range(steps):
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


def own_lab():
    """The lab on the teacher's page, as it stands there."""
    text = pack.pages()["own_labs"]
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


def test_the_lab_on_the_page_for_teachers_is_twelve_lines_and_runs():
    lines = own_lab()
    assert len([line for line in lines.splitlines() if line]) <= 12
    *rest, last = lines.strip().splitlines()
    found = {}
    exec("\n".join([*rest, f"lab = {last}"]), found)
    lab = found["lab"]
    lab.set(n=50, drift=0.2)
    assert np.array_equal(lab.result, found["walk"](n=50, drift=0.2))


def test_the_page_for_teachers_names_all_that_a_lab_takes():
    text = pack.pages()["own_labs"]
    for name in inspect.signature(Lab).parameters:
        assert re.search(rf"\b{name}\b", text), name


def test_the_words_of_the_race_say_the_epoch_that_its_picture_shows():
    lab = labs.race(n_epochs=9)
    lab.set(epoch=4)
    assert lab.picture.alt.startswith("Race of the four rules. after epoch 4 ")
    assert lab.picture.text == lab.result.at(4).facts()


def test_the_matrices_of_one_hidden_variable_follow_the_cursor():
    lab = labs.one_hidden_variable()
    lab.set(n_epochs=12)
    end = cells(lab)
    lab.picture.cursor = 3
    assert np.array_equal(cells(lab), expected_cells(lab, 3))
    assert "draw_one_hidden(result, epoch=3)" in lab.code()
    lab.picture.cursor = None
    assert np.array_equal(cells(lab), end) and np.array_equal(end, expected_cells(lab, -1))


def cells(lab):
    """The values of the matrices in the picture, group by group."""
    numbers = np.frombuffer(lab.picture.numbers, np.float32)
    shown = [c for c in lab.picture.map["curves"] if c["kind"] == "cells"]
    return np.concatenate(
        [numbers[c["start"] + 4 * c["count"] : c["start"] + 5 * c["count"]] for c in shown]
    )


def expected_cells(lab, epoch):
    names = ("X1|S", "X2|S", "X3|S")
    rules = [{n: lab.result.theta[r][n][epoch] for n in names} for r in lab.result.rules]
    groups = [*rules, {n: lab.result.truth[n] for n in names}]
    return np.concatenate([g[n].ravel() for g in groups for n in names]).astype(np.float32)


LINE = 320 / 13
"""The length of the words that a control has room for; one of 330 / 13 was cut in JupyterLab."""


@pytest.mark.parametrize("name", LABS)
def test_words_of_a_control_stand_on_one_line(name):
    controls = getattr(labs, name)().controls.values()
    said = [f"{control.symbol}, {control.help}" for control in controls]
    assert [words for words in said if length(words) > LINE] == []


PHONE, TABLET = 286, 560
"""Pixels that a lab has in JupyterLab on a page 390 and 664 wide."""


@HOW_MANY
@pytest.mark.parametrize("name", LABS)
def test_a_lab_on_a_narrow_page_is_legible_and_needs_no_scroll_bar(name, most):
    lab = getattr(labs, name)()
    widths = (PHONE, TABLET)
    for change in moves(name)[:most]:
        lab.set(**change)
        for width in widths:
            lab.picture.look = {"dark": False, "width": width, "high": 400, "ratio": 1}
            figure, _ = lab.picture._figures[lab.picture._last[0].draw]
            assert not lab.picture.narrow, (change, width, lab.picture.size)
            assert unreadable(figure) == [], (change, width)
        widths = widths[::-1]  # the next move is drawn for the width that is there


def test_parts_without_room_side_by_side_are_below_each_other_in_their_order():
    parts = [Part((1.0 + 4 * k, 1.0, 2.5, 2.0)) for k in range(2)]
    for room, stacked in ((10.0, False), (2.9, True)):
        fig = sheet(None, 9.0, 4.0, room=room, parts=parts)
        one, two = (axes(fig, part.area).get_position() for part in parts)
        assert (one.y0 > two.y1) == stacked
        assert (one.x0 == two.x0) == stacked
    words(fig, (5.0, 3.1), "a word above the second part")
    assert two.y1 <= fig.texts[0].get_position()[1] <= one.y0


def test_a_text_that_is_small_cut_or_on_another_is_found():
    fig = Figure(figsize=(3, 2), dpi=72)
    for x, text, size in ((0.1, "small", 5), (0.9, "a long word", 12), (0.12, "over it", 12)):
        fig.text(x, 0.5, text, fontsize=size)
    assert [fault.split()[-1] for fault in unreadable(fig)] == ["px", "cut", "it"]
