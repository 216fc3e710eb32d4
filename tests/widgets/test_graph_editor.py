"""The graph editor: its values, its Python, and hundreds of random edits, without a page."""

import asyncio
import base64
import datetime
import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from pages_say import PAGES, asked, heard
from placed import boxes, meeting
from student import PARENTS, STATES, THETA, student
from tiers import mostly_slow

import fgnwidgets
from fgnwidgets import (
    BayesGraph,
    GraphEditor,
    fit,
    posterior,
    random_theta,
    uniform_theta,
)
from fgnwidgets.learning import settling
from fgnwidgets.widgets import GraphView, Learning
from fgnwidgets.widgets.editor.page import opened, page_state
from fgnwidgets.widgets.page import standalone

CSV = "Rain,Lawn,Shoes\n" + "\n".join(
    f"{'yes' if n % 3 else 'no'},{'wet' if n * 7 % 5 > 2 else 'dry'},{n % 2 if n % 11 else ''}"
    for n in range(60)
)
RAIN = BayesGraph({"Rain": ("no", "yes"), "Lawn": ("dry", "wet")}, {"Lawn": "Rain"})


NAMES = {
    "add": ("name", "states", "at"),
    "remove": ("name",),
    "rename": ("name", "new"),
    "restate": ("name", "text"),
    **dict.fromkeys(("connect", "disconnect", "turn"), ("parent", "child")),
    "hide": ("name", "hidden"),
    "observe": ("variable", "cell"),
    "edit": ("matrix", "row", "column", "value"),
    "place": ("name", "x", "y"),
    "shift": ("name", "axis", "by"),
    "weigh": ("column",),
    "merge": ("merge",),
    "select": ("part",),
}
"""What the page calls the arguments of its words."""


def told(editor, do, *arguments, gesture=""):
    """Ask for one thing as a page does; what was wrong with it."""
    if do == "file":
        return sent(editor, *arguments)[-1]
    if do == "settings":
        return asked(editor, do, **arguments[0])
    given = dict(zip(NAMES.get(do, ()), arguments, strict=False))
    return asked(editor, do, gesture=gesture, **given)


def sent(editor, name, contents, slices=1, **changed):
    """Drop a file as a page does, in slices; the faults of their answers."""
    data = contents.encode() if isinstance(contents, str) else contents
    long, page = -(-len(data) // slices), next(PAGES)
    messages = [
        {
            "request": k + 1,
            "from": f"page {page}",
            "do": "file",
            "with": {
                "name": name,
                "size": len(data),
                "at": k * long,
                "part": base64.b64encode(data[k * long : (k + 1) * long]).decode(),
                **changed,
            },
        }
        for k in range(slices)
    ]
    return [answer["fault"] for answer in heard(editor, messages)]


def card(editor, name):
    return next(part for part in editor.scene["cards"] if part["variable"] == name)


def test_a_dropped_file_that_is_not_utf_8_is_read_as_its_bytes_and_the_guess_is_shown():
    editor = GraphEditor()
    data = CSV.replace("yes", "süß").encode("cp1252")
    told(editor, "file", "rain.csv", data)
    assert editor.status == ""
    assert editor.graph.variables["Rain"].states == ("no", "süß")
    (said,) = editor.scene["warnings"]
    assert "rain.csv is not UTF-8: the byte 0xfc in line 3" in said and "encoding=" in said
    told(editor, "file", "rain.csv", b"PK\x03\x04")
    assert "rain.csv is a zip archive, as an Excel workbook" in editor.status
    assert tuple(editor.graph.variables) == ("Rain", "Lawn", "Shoes")
    told(editor, "weigh", None)
    assert editor.scene["warnings"] == [said]
    told(editor, "file", "rain.csv", CSV)
    assert editor.scene["warnings"] == []


def test_a_file_comes_in_slices_and_one_that_lacks_some_is_no_table():
    editor = GraphEditor()
    assert sent(editor, "rain.csv", CSV, slices=7) == [""] * 7
    assert tuple(editor.graph.variables) == ("Rain", "Lawn", "Shoes")
    before = editor.document
    for changed, says in (
        ({"at": 5}, "rain.csv did not arrive whole"),
        ({"size": 20_000_001}, "rain.csv has 20.0 MB: a page takes up to 20 MB"),
        ({"size": 0}, "rain.csv is empty"),
        ({"size": 3}, "rain.csv did not arrive whole: a slice of"),
    ):
        assert says in sent(editor, "rain.csv", CSV, **changed)[-1]
        assert editor.document is before
    assert sent(editor, "rain.csv", CSV, slices=3)[-1] == ""


def test_two_views_send_files_at_the_same_time():
    editor = GraphEditor()
    data = [b"A,B\n0,1\n1,0\n", b"C,D\nx,y\ny,x\n"]
    for k in (0, 6):
        for view, whole in zip(("one", "two"), data, strict=True):
            part = base64.b64encode(whole[k : k + 6]).decode()
            given = {"name": f"{view}.csv", "size": len(whole), "at": k, "part": part}
            asked_by(editor, view, 1 + k, "file", given)
    assert set(editor.graph.variables) == set("ABCD")


def asked_by(editor, view, number, do, given):
    return heard(editor, [{"request": number, "from": view, "do": do, "with": given}])[-1]["fault"]


def run_python(text, folder, monkeypatch, **names):
    monkeypatch.chdir(folder)
    exec(text, names)
    return names


@pytest.fixture
def drawn():
    """A hidden cause above two columns of a file that was dropped."""
    editor = GraphEditor()
    for intent in (
        ("file", "rain.csv", CSV),
        ("add", "Season", "dry, wet, cold"),
        ("connect", "Season", "Rain"),
        ("connect", "Season", "Lawn"),
        ("connect", "Season", "Shoes"),
        ("settings", {"restarts": 4, "n_epochs": 40}),
    ):
        assert told(editor, *intent) == ""
    return editor


def test_what_is_drawn_is_the_graph_that_one_would_write(drawn):
    states = {"Rain": ("no", "yes"), "Lawn": ("dry", "wet"), "Shoes": (0, 1)}
    assert drawn.graph == BayesGraph(
        {**states, "Season": ("dry", "wet", "cold")}, dict.fromkeys(states, "Season")
    )
    assert drawn.hidden == ("Season",)
    assert {n: m.tolist() for n, m in drawn.theta.items()} == {
        n: m.tolist() for n, m in uniform_theta(drawn.graph).items()
    }


def test_learning_gives_the_run_of_fit_and_its_matrices_come_onto_the_graph(drawn):
    assert told(drawn, "learn") == ""
    epochs = drawn.run.n_epochs
    wanted = fit(
        drawn.graph, drawn.table, n_epochs=epochs, restarts=4, seed=0, tol=0, progress=False,
        columns=["Rain", "Lawn", "Shoes"],
    )  # fmt: skip
    assert np.array_equal(drawn.run.loglik, wanted.loglik)
    for name, matrix in wanted.best_theta.items():
        assert np.array_equal(drawn.theta[name], matrix)
    curve = drawn.curve
    assert curve["last"] == epochs and len(curve["lines"]) == 4 and not curve["running"]
    assert curve["lines"][curve["best"]][-1] == wanted.final_loglik.max()
    assert drawn.scene["warnings"] == list(wanted.warnings)


def test_a_likelihood_that_stays_the_same_is_drawn_flat():
    editor = GraphEditor()
    told(editor, "file", "rain.csv", CSV)  # without arrows: learned in one epoch
    assert told(editor, "learn") == ""
    curve = editor.curve
    later = np.array(curve["lines"])[:, 1:]
    assert later.size > 4 and np.ptp(later) < 1e-9
    assert np.ptp(later) < 1e-3 * (curve["high"] - curve["low"])
    assert curve["low"] + 0.02 < later.mean() < curve["high"] - 0.02


def test_as_many_epochs_are_learned_as_were_seen(drawn):
    for epochs in (1, 6):
        told(drawn, "settings", {"n_epochs": epochs, "rule": "kl"})
        told(drawn, "learn")
        assert drawn.run.n_epochs == epochs == drawn.curve["last"]


def test_what_was_hidden_by_hand_stays_hidden_under_another_table(drawn):
    told(drawn, "hide", "Lawn")
    told(drawn, "file", "rain.csv", CSV)
    assert set(drawn.hidden) == {"Lawn", "Season"}
    assert drawn.scene["table"]["observed"] == ["Rain", "Shoes"]


def test_what_is_hidden_keeps_its_states_beside_a_column_of_its_name(tmp_path, monkeypatch):
    editor = GraphEditor()
    told(editor, "file", "rain.csv", CSV)
    told(editor, "hide", "Lawn")
    told(editor, "restate", "Lawn", "mown, long")
    (tmp_path / "rain.csv").write_text(CSV)
    fresh = run_python(editor.code(again=True), tmp_path, monkeypatch)["editor"]
    told(editor, "file", "rain.csv", CSV)
    for one in (editor, fresh):
        assert one.graph.variables["Lawn"].states == ("mown", "long") and "Lawn" in one.hidden


def test_a_column_that_was_taken_out_can_be_added_with_its_states(drawn):
    told(drawn, "remove", "Shoes")
    assert drawn.scene["table"]["free"] == ["Shoes"] and "Shoes" not in drawn.graph.variables
    told(drawn, "add", "Shoes", "")
    assert drawn.graph.variables["Shoes"].states == (0, 1) and "Shoes" not in drawn.hidden


@pytest.mark.parametrize(("variable", "state"), [("Lawn", 1), ("Shoes", 0), ("Season", 2)])
def test_a_click_on_a_state_asks_the_model_and_the_cards_answer(drawn, variable, state):
    told(drawn, "draw")
    told(drawn, "observe", variable, state)
    label = drawn.graph.variables[variable].states[state]
    assert drawn.evidence == {variable: label}
    for other in drawn.graph.variables:
        rows = card(drawn, other)["rows"]
        exact = posterior(drawn.graph, drawn.theta, {variable: label}, other)[0]
        assert [row["p"] for row in rows] == pytest.approx(exact, abs=1e-5)
    told(drawn, "observe", variable, None)
    assert drawn.evidence == {}


def test_epochs_are_seen_while_they_are_computed_and_can_be_stopped(drawn):
    told(drawn, "settings", {"n_epochs": 100_000, "restarts": 200, "rule": "kl"})
    seen = []
    drawn.observe(lambda change: seen.append(dict(change["new"])), "curve")

    async def watch():
        told(drawn, "learn")
        for _ in range(400):
            await asyncio.sleep(0.02)
            if len(seen) > 3:
                break
        told(drawn, "stop")

    asyncio.run(watch())
    lasts = [curve["last"] for curve in seen[:3]]
    assert all(one < two for one, two in pairwise(lasts)) and seen[0]["running"]
    assert drawn.run.n_epochs == drawn.curve["last"] < 100_000
    assert drawn.run.loglik.shape[1] == 200 and drawn.run.rule == "kl"


def test_what_is_watched_is_the_run_that_is_kept_and_no_epoch_is_computed_twice(drawn, monkeypatch):
    computed, step = [], settling.em_step

    def counted(*arguments, **named):
        computed.append(len(computed))
        return step(*arguments, **named)

    monkeypatch.setattr(settling, "em_step", counted)

    async def watch():
        told(drawn, "learn")
        while drawn.curve["running"]:
            await asyncio.sleep(0.02)

    asyncio.run(watch())
    assert computed == list(range(drawn.run.n_epochs + 1))


def test_a_column_counts_the_rows_and_is_then_no_variable(tmp_path, monkeypatch):
    rows = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    counts = [30, 4, 5, 11, 9, 8, 2, 41]
    text = "A,B,C,n\n" + "\n".join(
        ",".join(map(str, (*row, n))) for row, n in zip(rows, counts, strict=True)
    )
    (tmp_path / "patterns.csv").write_text(text)
    editor = GraphEditor()
    assert told(editor, "file", "patterns.csv", text) == ""
    assert "n" in editor.scene["table"]["numbers"]
    assert told(editor, "weigh", "n") == ""
    assert tuple(editor.graph.variables) == ("A", "B", "C")
    assert editor.scene["table"]["rows"] == str(sum(counts))
    for intent in (("add", "S", "2"), *(("connect", "S", v) for v in "ABC")):
        assert told(editor, *intent) == ""
    run = editor.learn(restarts=3, n_epochs=60)
    whole = {v: np.repeat([row[k] for row in rows], counts) for k, v in enumerate("ABC")}
    same = fit(editor.graph, whole, n_epochs=run.n_epochs, restarts=3, tol=0)
    assert run.loglik == pytest.approx(same.loglik)
    names = run_python(editor.code(again=True), tmp_path, monkeypatch)
    assert np.array_equal(names["run"].loglik, run.loglik)
    assert names["editor"].weight == "n"
    assert names["editor"].scene["table"]["rows"] == str(sum(counts))
    told(editor, "weigh", None)
    assert editor.weight is None and editor.run is None
    assert editor.scene["table"]["rows"] == "8" and editor.scene["table"]["free"] == ["n"]
    editor.undo()
    assert editor.weight == "n" and editor.run is run


@pytest.mark.parametrize(
    ("column", "says"),
    [("A", "'A'"), ("m", "'m'"), ("low", "'low'"), ("Z", "'Z'")],
)
def test_a_column_that_cannot_count_rows_is_refused_and_not_offered(column, says):
    table = {"A": ["x", "y", "x"], "B": [0, 1, 0], "m": [1.0, None, 2.0], "low": [1, -1, 2]}
    editor = GraphEditor(table=table)
    before = editor.document
    assert column not in editor.scene["table"]["numbers"]
    assert says in told(editor, "weigh", column)
    assert editor.document is before
    with pytest.raises(ValueError, match=says):
        editor.weight = column
    with pytest.raises(ValueError, match=says):
        GraphEditor(table=table, weight=column)


def test_learning_on_a_loop_is_refused_with_its_remedy(drawn):
    told(drawn, "connect", "Rain", "Lawn")
    assert "graph.merged()" in told(drawn, "learn")
    told(drawn, "merge", True)
    assert told(drawn, "learn") == "" and drawn.run.graph == drawn.model


def test_an_edit_while_learning_goes_on_ends_it(drawn):
    told(drawn, "settings", {"n_epochs": 100_000, "restarts": 50, "rule": "kl"})

    async def watch():
        told(drawn, "learn")
        told(drawn, "disconnect", "Season", "Shoes")
        await asyncio.sleep(0.3)

    asyncio.run(watch())
    assert drawn.run is None and drawn.curve == {}


def test_the_python_gives_the_same_graph_matrices_run_and_beliefs(drawn, tmp_path, monkeypatch):
    (tmp_path / "rain.csv").write_text(CSV)
    told(drawn, "learn")
    told(drawn, "observe", "Lawn", 1)
    names = run_python(drawn.code(), tmp_path, monkeypatch)
    assert names["graph"] == drawn.graph
    assert np.array_equal(names["run"].loglik, drawn.run.loglik)
    assert names["theta"].keys() == drawn.theta.keys()
    for name, matrix in drawn.theta.items():
        assert np.array_equal(names["theta"][name], matrix)
    shown = [row["p"] for row in card(drawn, "Season")["rows"]]
    assert names["beliefs"]["Season"] == pytest.approx(shown, abs=1e-5)


def test_matrices_that_were_drawn_or_set_are_written_as_what_they_are(tmp_path, monkeypatch):
    editor = GraphEditor(RAIN)
    told(editor, "draw")
    told(editor, "draw")
    assert "random_theta(graph, np.random.default_rng(1))" in editor.code()
    told(editor, "edit", "Lawn|Rain", 1, 0, 0.25)
    assert editor.theta["Lawn|Rain"][1] == pytest.approx([0.25, 0.75])
    names = run_python(editor.code(), tmp_path, monkeypatch)
    assert np.array_equal(names["theta"]["Lawn|Rain"], editor.theta["Lawn|Rain"])
    told(editor, "flat")
    assert "uniform_theta(graph)" in editor.code()


def test_the_python_of_tied_fixed_and_given_variables_and_of_soft_evidence(tmp_path, monkeypatch):
    graph = BayesGraph(
        {"C": 2, "A": 3, "B1": ("x", "y"), "B2": ("x", "y")},
        {"A": "C", "B1": "A", "B2": "A"},
        theta={"B1": "emission", "B2": "emission"},
        fixed=["A"],
        given=["C"],
    )
    theta = random_theta(graph, np.random.default_rng(4))
    table = {"C": [0, 1] * 15, "B1": ["x", "y", "y"] * 10, "B2": ["x", "x", "y"] * 10}
    editor = GraphEditor(graph, table, theta=theta, evidence={"C": 1, "B1": [0.2, 1.0]})
    told(editor, "settings", {"restarts": 2, "n_epochs": 5})
    assert told(editor, "learn") == ""
    assert np.array_equal(editor.theta["A|C"], theta["A|C"])
    names = run_python(editor.code(again=True), tmp_path, monkeypatch, table=table)
    assert names["graph"] == graph == names["editor"].graph
    assert np.array_equal(names["run"].loglik, editor.run.loglik)
    assert names["editor"].evidence == {"C": 1, "B1": [0.2, 1.0]}


def test_states_that_are_dates_are_written_with_their_module(tmp_path, monkeypatch):
    days = [datetime.datetime(2020, 1, day) for day in (1, 2)]
    editor = GraphEditor(BayesGraph({"Day": days, "Rain": 2}, {"Rain": "Day"}))
    names = run_python(editor.code(), tmp_path, monkeypatch)
    assert names["graph"] == editor.graph


def test_an_arrow_that_would_close_a_circle_is_refused_and_the_way_lights_up():
    editor = GraphEditor(BayesGraph({"A": 2, "B": 2, "C": 2}, {"B": "A", "C": "B"}))
    assert "go in a circle" in told(editor, "connect", "C", "A")
    lit = [arrow["id"] for arrow in editor.scene["arrows"] if arrow["lit"]]
    assert lit == ["arrow:A->B", "arrow:B->C"] and editor.graph.parents["A"] == ()
    told(editor, "select", None)
    assert not any(arrow["lit"] for arrow in editor.scene["arrows"])


def test_a_loop_lights_up_with_its_remedy_and_merging_makes_it_exact(tmp_path, monkeypatch):
    editor = GraphEditor(BayesGraph({"A": 2, "B": ("x", "y"), "C": 2, "D": 2}, {"B": "A"}))
    told(editor, "connect", "A", "C")
    told(editor, "connect", "B", "C")
    told(editor, "connect", "C", "D")
    assert {c["variable"] for c in editor.scene["cards"] if c["lit"]} == {"A", "B", "C"}
    assert "merge it into product variables" in editor.scene["loop"]["words"]
    assert told(editor, "draw") == ""
    names = run_python(editor.code(again=True), tmp_path, monkeypatch)
    assert names["editor"].document.matrices == editor.document.matrices
    assert not names["editor"].merge and names["editor"].document.beliefs is None
    told(editor, "merge", True)
    assert editor.scene["loop"]["merged"] and not any(c["lit"] for c in editor.scene["cards"])
    assert told(editor, "draw") == ""
    told(editor, "observe", "D", 1)
    theta, joint = editor.theta, np.zeros((2, 2, 2, 2))
    for a, b, c, d in np.ndindex(joint.shape):  # by enumeration
        joint[a, b, c, d] = (
            theta["A"][0, a] * theta["B|A"][a, b] * theta["C|A,B"][2 * a + b, c]
        ) * theta["D|C"][c, d]
    exact = joint[..., 1].sum(axis=(0, 2)) / joint[..., 1].sum()
    assert [row["p"] for row in card(editor, "B")["rows"]] == pytest.approx(exact, abs=1e-5)
    names = run_python(editor.code(again=True), tmp_path, monkeypatch)
    assert names["editor"].graph == editor.graph and names["editor"].merge
    told(editor, "disconnect", "A", "C")
    assert editor.scene["loop"] is None


def test_families_that_stay_keep_their_matrices_and_others_start_anew():
    editor = GraphEditor(student(), theta=THETA)
    told(editor, "rename", "I", "Intelligence")
    assert np.allclose(editor.theta["G|Intelligence,D"], THETA["G|I,D"])
    told(editor, "restate", "L", "poor, fine")
    assert np.allclose(editor.theta["L|G"], THETA["L|G"])
    told(editor, "turn", "G", "L")
    assert np.allclose(editor.theta["S|Intelligence"], THETA["S|I"])
    assert editor.theta["L"].tolist() == [[0.5, 0.5]]
    assert np.all(editor.theta["G|Intelligence,D,L"] == 1 / 3)


def test_every_value_can_be_set_from_python_and_undone():
    table = {"Rain": ["no", "yes", "yes"], "Lawn": ["dry", "wet", "dry"]}
    editor = GraphEditor()
    before = editor.document
    editor.graph = RAIN
    editor.theta = {"Rain": [0.7, 0.3], "Lawn|Rain": [[0.9, 0.1], [0.2, 0.8]]}
    editor.table = table
    editor.hidden = ["Rain"]
    editor.evidence = {"Lawn": "wet"}
    editor.learning = Learning(restarts=3, n_epochs=4)
    run = fit(RAIN, {"Lawn": table["Lawn"]}, restarts=2, n_epochs=3, progress=False)
    editor.run = run
    assert editor.table is table and editor.run is run and editor.hidden == ("Rain",)
    assert np.array_equal(editor.theta["Lawn|Rain"], run.best_theta["Lawn|Rain"])
    for _ in range(7):
        editor.undo()
    assert editor.document == before
    for _ in range(7):
        editor.redo()
    assert editor.run is run and editor.evidence == {"Lawn": "wet"}


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("graph", 3, "graph is a int: expected a BayesGraph"),
        ("theta", {"Rain": [0.5, 0.5]}, "theta has no matrix 'Lawn|Rain'"),
        ("hidden", ["Snow"], "no variable 'Snow'"),
        ("table", 5, "the table is a int"),
        ("run", 5, "run is a int: expected a Run"),
        ("evidence", {"Lawn": "muddy"}, "the states of Lawn are 'dry', 'wet'"),
        ("learning", Learning(restarts=0), "restarts is 0: expected at least 1"),
        ("selected", "Snow", "selected is 'Snow': expected None, or one of"),
    ],
)
def test_what_does_not_fit_raises_and_changes_nothing(name, value, says):
    editor = GraphEditor(RAIN)
    before = editor.document
    with pytest.raises((ValueError, TypeError), match=says):
        setattr(editor, name, value)
    assert editor.document is before


@pytest.mark.parametrize(
    ("intent", "says"),
    [
        (("add", "Rain", "2"), "there is a variable 'Rain' already"),
        (("add", "Snow", "one"), "expected a number of them, such as 3, or labels"),
        (("rename", "Rain", " "), "'Rain' needs a name"),
        (("restate", "Rain", "never, ever"), "Rain: sample 0 is 'no'"),
        (("connect", "Rain", "Lawn"), "there is an arrow from 'Rain' to 'Lawn' already"),
        (("turn", "Lawn", "Rain"), "there is no arrow from 'Lawn' to 'Rain'"),
        (("hide", "Mood", False), "'Mood' cannot be observed: the columns of the table are"),
        (("edit", "Rain", 0, 0, 1.5), "1.5 is no probability"),
        (("file", "x.csv", "a,b\n1,1\n2,1\n1"), "line 4 has 1 cells"),
        (("settings", {"rule": "em"}), "expected one of"),
    ],
)
def test_what_the_page_asks_in_vain_is_said_and_changes_nothing(intent, says):
    editor = GraphEditor(
        BayesGraph({"Rain": ("no", "yes"), "Lawn": ("dry", "wet"), "Mood": 2}, {"Lawn": "Rain"}),
        {"Rain": ["no", "yes"], "Lawn": ["dry", "wet"]},
    )
    before = editor.document
    assert says in told(editor, *intent)
    assert editor.document == before and editor.scene["status"] == editor.status


def test_columns_that_teach_nothing_are_left_out_and_the_panel_says_why():
    rows = 50
    table = {
        "number": [f"n{k}" for k in range(rows)],
        "same": ["a"] * rows,
        "empty": [None] * rows,
        "good": [k % 3 for k in range(rows)],
    }
    editor = GraphEditor(table=table)
    assert tuple(editor.graph.variables) == ("good",)
    assert [name for name, _ in editor.scene["table"]["left_out"]] == ["number", "same", "empty"]
    with pytest.raises(ValueError, match="no column of the table can be a variable"):
        GraphEditor(table={"same": ["a"] * 5})
    with pytest.raises(ValueError, match="can be a variable: it has no columns"):
        GraphEditor(table={})


def test_frames_come_through_the_border_of_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"Rain": ["no", "yes", None], "Lawn": ["dry", "wet", "wet"]})
    editor = GraphEditor(RAIN, frame)
    assert editor.table is frame and editor.scene["table"]["observed"] == ["Rain", "Lawn"]
    assert editor.learn(restarts=2, n_epochs=3).n == 3


def test_impossible_evidence_is_said_in_the_readers_words():
    theta = {"Rain": [0.5, 0.5], "Lawn|Rain": [[1, 0], [0.2, 0.8]]}
    editor = GraphEditor(RAIN, theta=theta)
    told(editor, "observe", "Rain", 0)
    told(editor, "observe", "Lawn", 1)
    assert editor.scene["status"].startswith("Rain = no and Lawn = wet cannot be true together")
    told(editor, "undo")
    assert editor.scene["status"] == ""


def test_a_given_variable_is_asked_for_before_anything_is_answered():
    graph = BayesGraph({"C": 2, "A": 3}, {"A": "C"}, given=["C"])
    editor = GraphEditor(graph)
    assert editor.scene["status"].startswith("C: always given, so click a state")
    told(editor, "draw")
    told(editor, "observe", "C", 1)
    shown = [row["p"] for row in card(editor, "A")["rows"]]
    assert shown == pytest.approx(editor.theta["A|C"][1], abs=1e-5)
    assert editor.scene["status"] == ""


def test_cards_hold_still_and_new_ones_lie_on_no_other():
    editor = GraphEditor(student())
    before = dict(editor.document.places)
    for number in range(12):
        told(editor, "add", f"new {number}", "3")
    told(editor, "connect", "D", "S")
    assert {name: editor.document.places[name] for name in before} == before
    assert meeting(boxes(editor.scene["cards"])) == []


def test_a_card_that_is_renamed_or_gets_other_states_keeps_its_corner():
    editor = GraphEditor(student(), theta=THETA)

    def corner(name):
        return next((c["x"], c["y"]) for c in editor.scene["cards"] if c["variable"] == name)

    for name in ("S", "D"):
        before = corner(name)
        told(editor, "rename", name, "a much longer name")
        assert corner("a much longer name") == pytest.approx(before, abs=0.11)
        told(editor, "restate", "a much longer name", "never at all, once, twice, often enough")
        assert corner("a much longer name") == pytest.approx(before, abs=0.11)
        told(editor, "undo")
        told(editor, "undo")
        assert corner(name) == before


def test_what_is_stored_is_a_picture_and_a_line():
    data, metadata = GraphEditor(student(), theta=THETA)._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert metadata["image/png"]["width"] > 200
    assert data["text/plain"].endswith("5 variables, 4 arrows.")
    assert "An empty graph" in GraphEditor()._repr_mimebundle_()[0]["text/plain"]


def test_the_editor_is_a_public_name_that_costs_nothing_until_it_is_asked_for():
    assert fgnwidgets.GraphEditor is GraphEditor
    with pytest.raises(AttributeError, match="no attribute 'GraphEditors'"):
        fgnwidgets.GraphEditors  # noqa: B018


def test_a_star_import_of_the_library_loads_no_widgets():
    ask = "from fgnwidgets import *; import sys; print('ipywidgets' in sys.modules, fit.__name__)"
    said = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "fit"]


def random_intent(rng, editor):
    """Something that a hand may do, sensible or not."""
    names = [*editor.document.variables, "nobody"]
    one, two = (str(rng.choice(names)) for _ in range(2))
    if len(names) > 3 and rng.random() < 0.4:  # else there is hardly ever a loop
        return ("connect", *map(str, rng.choice(names[:-1], 2, replace=False)))
    arrows = [(a["parent"], a["child"]) for a in editor.scene["arrows"]] or [("nobody", "nothing")]
    arrow = arrows[rng.integers(len(arrows))]
    matrices = [*editor.document.matrices, "none"]
    texts = ["2", "3", "no, yes", "a, b, c", "oops"]
    choices = [
        lambda: ("add", str(rng.choice(["", "A", "B", "Cause"])), str(rng.choice(texts))),
        lambda: ("connect", one, two),
        lambda: ("disconnect", *arrow),
        lambda: ("turn", *arrow),
        lambda: ("hide", one, bool(rng.integers(2))),
        lambda: ("rename", one, str(rng.choice(["Z", "Rain", "Lawn", ""]))),
        lambda: ("restate", one, str(rng.choice(texts))),
        lambda: ("observe", one, int(rng.integers(3))),
        lambda: ("observe", one, None),
        lambda: ("draw",),
        lambda: ("flat",),
        lambda: ("merge", bool(rng.integers(2))),
        lambda: ("edit", str(rng.choice(matrices)), 0, int(rng.integers(2)), float(rng.random())),
        lambda: ("place", one, *map(float, rng.integers(0, 500, 2))),
        lambda: ("tidy",),
        lambda: ("file", "rain.csv", CSV),
        lambda: ("no table",),
        lambda: ("settings", {"restarts": int(rng.integers(1, 4)), "n_epochs": 5}),
        lambda: ("learn",),
        lambda: ("remove", one),
    ]
    return choices[rng.integers(len(choices))]()


@pytest.mark.parametrize("seed", mostly_slow(range(4), 0))
def test_hundreds_of_random_edits_and_undos_equal_a_fresh_editor(seed, tmp_path, monkeypatch):
    """What Python says builds the same editor, and undo walks back through every document."""
    (tmp_path / "rain.csv").write_text(CSV)
    rng = np.random.default_rng(seed)
    editor = GraphEditor()
    past = [editor.document]
    for step in range(250):
        if len(editor.document.variables) > 7:
            intent = ("remove", editor.document.variables[0])
        else:
            intent = ("undo",) if rng.random() < 0.2 else random_intent(rng, editor)
        fault = told(editor, *intent)
        if intent == ("undo",):
            past.pop() if len(past) > 1 else None
        elif editor.document is not past[-1] and editor.document != past[-1]:
            past.append(editor.document)
        assert editor.document == past[-1], (step, intent, fault)
        if step % 15:
            continue
        names = run_python(editor.code(again=True), tmp_path, monkeypatch)
        fresh = names["editor"].document
        doc = editor.document
        assert fresh.graph == doc.graph
        assert dict(fresh.matrices) == dict(doc.matrices)
        assert (fresh.hidden, dict(fresh.evidence)) == (doc.hidden, dict(doc.evidence))
        if doc.graph is not None and doc.graph.loop:
            assert fresh.merge == doc.merge
        assert (fresh.run is None) == (doc.run is None)
        if doc.run is not None:
            assert np.array_equal(fresh.run.loglik, doc.run.loglik)
    while len(past) > 1:
        past.pop()
        editor.undo()
        assert editor.document == past[-1]
    editor.undo()
    assert editor.document == past[0] and editor.graph is None


def test_the_student_network_can_be_drawn_from_nothing():
    editor = GraphEditor()
    for name, states in STATES.items():
        told(editor, "add", name, ", ".join(states))
    for child, parents in PARENTS.items():
        for parent in parents:
            told(editor, "connect", parent, child)
    assert editor.graph == student()


# What a hand does


def test_rows_are_typed_as_in_the_living_graph_and_one_visit_is_one_undo():
    editor = GraphEditor(student(), theta=THETA)
    before = editor.document
    assert before.theta["G|I,D"][0].tolist() == [0.3, 0.4, 0.3]
    for cells in ({0: "0.5"}, {1: "0,2"}):
        fault = asked(editor, "row", matrix="G|I,D", row=0, typed=cells, of="G", gesture="row 1")
        assert fault == ""
    assert editor.theta["G|I,D"][0] == pytest.approx([0.5, 0.2, 0.3])
    for cells, says in (({0: ""}, "the cell is empty"), ({0: "0.9", 1: "0.3"}, "0.9 + 0.3 = 1.2")):
        changed = editor.document
        assert says in asked(editor, "row", matrix="G|I,D", row=0, typed=cells, of="G")
        assert editor.document is changed
    editor.undo()
    assert editor.document == before


def test_a_matrix_is_known_by_its_variable_whose_name_was_just_typed():
    editor = GraphEditor(student(), theta=THETA)
    told(editor, "rename", "L", "Letter")
    typed = {"matrix": "L|G", "of": "Letter", "row": 0}
    assert asked(editor, "row", typed={0: "0.25"}, **typed) == ""
    assert asked(editor, "step", column=0, by=0.05, **typed) == ""
    assert editor.theta["Letter|G"][0] == pytest.approx([0.3, 0.7])


def test_steps_of_a_card_count_from_where_python_has_it_and_a_gesture_is_one_undo():
    editor = GraphEditor(student())
    x, y = editor.document.places["L"]
    for _ in range(3):
        told(editor, "shift", "L", 0, 20, gesture="key 1")
    told(editor, "shift", "L", 1, -20)
    assert editor.document.places["L"] == (x + 60, y - 20)
    editor.undo()
    editor.undo()
    assert editor.document.places["L"] == (x, y)


def test_a_drag_that_is_broken_off_puts_the_card_back_and_leaves_no_undo():
    editor = GraphEditor(student())
    before = editor.document
    for x in (300, 340):
        told(editor, "place", "L", x, 200, gesture="drag 1")
    told(editor, "cancel", gesture="drag 1")
    assert editor.document == before and not editor.scene["undo"]


def test_a_part_that_is_selected_and_gone_is_selected_no_more():
    editor = GraphEditor(student())
    editor.selected = "S"
    assert told(editor, "remove", "S") == ""
    assert editor.selected is None and editor.scene["panel"] is None
    editor.undo()
    editor.selected = "arrow:I->S"
    assert told(editor, "turn", "I", "S") == ""
    assert editor.selected == "arrow:S->I"
    editor.selected = "D"
    told(editor, "rename", "D", "Difficulty")
    assert editor.selected == "variable:Difficulty"
    editor.undo()
    assert editor.selected is None  # it has that name no more


def test_a_selection_is_not_undone_and_costs_no_beliefs():
    editor = GraphEditor(student(), theta=THETA)
    beliefs = editor.document.beliefs
    told(editor, "select", "variable:S")
    told(editor, "place", "S", 300, 300)
    told(editor, "select", "variable:L")
    assert editor.document.beliefs is beliefs
    editor.undo()
    assert editor.selected == "variable:L" and not editor.scene["undo"]


def test_what_no_run_depends_on_can_be_changed_while_it_goes_on(drawn):
    told(drawn, "settings", {"n_epochs": 100_000, "restarts": 50, "rule": "kl"})

    async def watch():
        told(drawn, "learn")
        for intent in (("observe", "Rain", 1), ("place", "Rain", 300, 300), ("select", None)):
            told(drawn, *intent)
        await asyncio.sleep(0.1)
        assert drawn.curve["running"] and drawn.scene["note"] == ""
        told(drawn, "stop")
        told(drawn, "learn")
        told(drawn, "remove", "Season")
        await asyncio.sleep(0.1)

    asyncio.run(watch())
    assert "Learning has ended" in drawn.scene["note"] and drawn.status == ""
    drawn.undo()
    assert drawn.run is not None and drawn.run.loglik.shape[1] == 50


@pytest.mark.parametrize(
    ("restarts", "rows", "says"),
    [(99_999, 60, "99,999 starts: the page learns 1,000 at once"), (900, 40_000, "900 starts on")],
)
def test_a_run_that_nobody_could_stop_is_refused_on_the_page_alone(restarts, rows, says):
    rng = np.random.default_rng(0)
    names = [f"v{k}" for k in range(20)]
    table = {name: rng.integers(0, 3, rows) for name in names}
    editor = GraphEditor(BayesGraph({"S": 2, **dict.fromkeys(names, 3)}, dict.fromkeys(names, "S")))
    editor.table = table
    fault = told(editor, "settings", {"restarts": str(restarts)}) or told(editor, "learn")
    assert says in fault
    editor.learning = Learning(restarts=restarts)
    assert "an epoch would take so long" in told(editor, "learn")
    assert editor.run is None and not editor.curve
    assert told(editor, "settings", {"restarts": "1", "n_epochs": "1"}) == ""
    assert told(editor, "learn") == ""


def test_matrices_in_the_place_of_the_table_are_told_by_what_they_are():
    with pytest.raises(TypeError, match=r"GraphEditor\(graph, theta=theta\) takes matrices"):
        GraphEditor(student(), THETA)
    graph = BayesGraph({"A": 2, "B": 2})  # its matrices are called as its columns would be
    assert GraphEditor(graph, {"A": [0, 1], "B": [1, 1]}).document.observed == ("A",)


def test_a_new_card_comes_to_the_nearest_free_place():
    editor = GraphEditor(student())
    x, y = editor.document.places["G"]
    told(editor, "add", "free", "2", [900, 700])
    assert editor.document.places["free"] == (900, 700)
    for k in range(6):
        told(editor, "add", f"near {k}", "3", [x + 9 * k, y + 55])
    found = {n: (a, b, c, d + 12) for n, (a, b, c, d) in boxes(editor.scene["cards"]).items()}
    assert meeting(found) == []
    assert np.hypot(*np.subtract(editor.document.places["near 0"], (x, y))) < 260


def test_an_editor_is_written_down_and_opened_again(tmp_path):
    editor = GraphEditor(student(), theta=THETA, evidence={"S": "high", "G": [0.5, 1, 0.2]})
    editor.hidden, editor.selected = ["I"], "D"
    editor.edit("place", "D", 400, 300)
    editor.learning = Learning(rule="kl", restarts=7, n_epochs=30, seed=3)
    path = tmp_path / "model.json"
    path.write_text(standalone._model(editor), encoding="utf-8")
    again = opened(str(path), json.loads(json.dumps(page_state(editor.document))))
    assert again == editor.document and again.selected == "variable:D"
    empty = opened("", page_state(GraphEditor().document))
    assert empty == GraphEditor().document


def test_a_link_holds_the_graph_with_its_matrices_evidence_places_and_settings():
    editor = GraphEditor(student(), theta=THETA, evidence={"S": "high"}, hidden=["I"])
    editor.edit("place", "G", 321.0, 77.0)
    editor.learning = replace(editor.learning, rule="vit", seed=7)
    link = editor.link()
    assert re.fullmatch(r"#state=1\.[\w-]+", link)
    other = GraphEditor(table={"A": [0, 1]})
    other.open_link(f"https://example.org/editor.html{link}")
    assert other.graph == editor.graph and other.hidden == editor.hidden
    assert other.evidence == editor.evidence and other.learning == editor.learning
    assert other.document.places == editor.document.places
    assert all(np.array_equal(other.theta[name], matrix) for name, matrix in editor.theta.items())
    assert other.link() == link
    other.undo()
    assert list(other.graph.variables) == ["A"]
    empty = GraphEditor()
    other.open_link(empty.link())
    assert other.graph is None


def test_a_link_that_is_cut_or_of_a_living_graph_is_told_and_changes_nothing():
    editor = GraphEditor(student(), theta=THETA)
    before = editor.document
    for link, says in (
        (editor.link()[:-9], "not whole"),
        (GraphView(student(), THETA, {"S": "high"}).link(), "none of an editor"),
        ("nothing", "ends with #state="),
    ):
        with pytest.raises(ValueError, match=says):
            editor.open_link(link)
        editor.offer_link(link)
        assert says in editor.status and editor.document is before


def test_a_graph_that_is_too_large_for_an_address_is_refused_with_a_way_out():
    wide = BayesGraph(dict.fromkeys("ABCD", 60), {"B": "A", "C": "B", "D": "C"})
    editor = GraphEditor(wide, theta=random_theta(wide, np.random.default_rng(0)))
    with pytest.raises(ValueError, match="to_html writes a page"):
        editor.link()
