"""The graph editor: its values, its Python, and hundreds of random edits, without a page."""

import asyncio
import base64
import datetime
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from placed import boxes, meeting
from student import PARENTS, STATES, THETA, student

import fgnwidgets
from fgnwidgets import (
    BayesGraph,
    GraphEditor,
    fit,
    posterior,
    random_theta,
    uniform_theta,
)
from fgnwidgets.widgets import Learning

CSV = "Rain,Lawn,Shoes\n" + "\n".join(
    f"{'yes' if n % 3 else 'no'},{'wet' if n * 7 % 5 > 2 else 'dry'},{n % 2 if n % 11 else ''}"
    for n in range(60)
)
RAIN = BayesGraph({"Rain": ("no", "yes"), "Lawn": ("dry", "wet")}, {"Lawn": "Rain"})


def told(editor, do, *arguments):
    """What a page asks for; the status says what was wrong with it."""
    editor._told(None, {"do": do, "with": list(arguments)}, None)
    return editor.status


def card(editor, name):
    return next(part for part in editor.scene["cards"] if part["variable"] == name)


def run_python(text, folder, monkeypatch, **names):
    monkeypatch.chdir(folder)
    exec(text, names)
    return names


@pytest.fixture
def drawn():
    """A hidden cause above two columns of a file that was dropped."""
    editor = GraphEditor()
    for intent in (
        ("table", "rain.csv", CSV),
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
    told(editor, "table", "rain.csv", CSV)  # without arrows: learned in one epoch
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
    told(drawn, "table", "rain.csv", CSV)
    assert set(drawn.hidden) == {"Lawn", "Season"}
    assert drawn.scene["table"]["observed"] == ["Rain", "Shoes"]


def test_what_is_hidden_keeps_its_states_beside_a_column_of_its_name(tmp_path, monkeypatch):
    editor = GraphEditor()
    told(editor, "table", "rain.csv", CSV)
    told(editor, "hide", "Lawn")
    told(editor, "restate", "Lawn", "mown, long")
    (tmp_path / "rain.csv").write_text(CSV)
    fresh = run_python(editor.code(again=True), tmp_path, monkeypatch)["editor"]
    told(editor, "table", "rain.csv", CSV)
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
    told(drawn, "evidence", variable, state)
    label = drawn.graph.variables[variable].states[state]
    assert drawn.evidence == {variable: label}
    for other in drawn.graph.variables:
        rows = card(drawn, other)["rows"]
        exact = posterior(drawn.graph, drawn.theta, {variable: label}, other)[0]
        assert [row["p"] for row in rows] == pytest.approx(exact, abs=1e-5)
    told(drawn, "evidence", variable, None)
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
    computed = []
    learn = fgnwidgets.border.posing.learn

    def counted(*arguments, **named):
        for epoch in learn(*arguments, **named):
            computed.append(epoch.n)
            yield epoch

    monkeypatch.setattr("fgnwidgets.border.posing.learn", counted)

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
    assert told(editor, "table", "patterns.csv", text) == ""
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
    told(drawn, "evidence", "Lawn", 1)
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
    told(editor, "cell", "Lawn|Rain", 1, 0, 0.25)
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
    told(editor, "evidence", "D", 1)
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
        (("cell", "Rain", 0, 0, 1.5), "'Rain': 1.5 is no probability"),
        (("table", "x.csv", "a,b\n1,1\n2,1\n1"), "line 4 has 1 cells"),
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
    told(editor, "evidence", "Rain", 0)
    told(editor, "evidence", "Lawn", 1)
    assert editor.scene["status"].startswith("Rain = no and Lawn = wet cannot be true together")
    told(editor, "undo")
    assert editor.scene["status"] == ""


def test_a_given_variable_is_asked_for_before_anything_is_answered():
    graph = BayesGraph({"C": 2, "A": 3}, {"A": "C"}, given=["C"])
    editor = GraphEditor(graph)
    assert editor.scene["status"].startswith("C: always given, so click a state")
    told(editor, "draw")
    told(editor, "evidence", "C", 1)
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
        lambda: ("evidence", one, int(rng.integers(3))),
        lambda: ("evidence", one, None),
        lambda: ("draw",),
        lambda: ("flat",),
        lambda: ("merge", bool(rng.integers(2))),
        lambda: ("cell", str(rng.choice(matrices)), 0, int(rng.integers(2)), float(rng.random())),
        lambda: ("place", one, *map(float, rng.integers(0, 500, 2))),
        lambda: ("tidy",),
        lambda: ("table", "rain.csv", CSV),
        lambda: ("no table",),
        lambda: ("settings", {"restarts": int(rng.integers(1, 4)), "n_epochs": 5}),
        lambda: ("learn",),
        lambda: ("remove", one),
    ]
    return choices[rng.integers(len(choices))]()


@pytest.mark.parametrize("seed", range(4))
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
