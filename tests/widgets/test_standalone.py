"""A view as a web page: what is in the file. That it comes alive is tested in a browser."""

import io
import json
import re
import subprocess
import sys
import zipfile

import pytest
from student import THETA, student

from fgnwidgets import load
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.page import standalone
from fgnwidgets.widgets.page.standalone import CORE, LOCK, PUBLIC


def part(page, name):
    """What an element of the page holds."""
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page, re.DOTALL)[1])


@pytest.fixture
def view():
    return GraphView(student(), THETA, {"S": "high"})


def pyodide(folder, *, without=""):
    packages = {"numpy": {"file_name": "numpy-1.whl", "depends": ["blas"]}}
    packages |= {"blas": {"file_name": "blas-1.zip", "depends": []}, "scipy": {"file_name": "x"}}
    lock = json.dumps({"info": {"version": "0"}, "packages": packages})
    for name in (*CORE, LOCK, "numpy-1.whl", "blas-1.zip"):
        if name != without:
            (folder / name).write_text(lock if name == LOCK else "")
    return folder


def test_a_page_holds_the_picture_its_words_and_the_model(view, tmp_path):
    path = view.to_html(tmp_path / "graph.html")
    page = path.read_text(encoding="utf-8")
    assert path == tmp_path / "graph.html"
    assert '<img alt="Observed: S = high. log P(evidence)' in page
    assert "<title>Normal graph of D, I, G, S, L</title>" in page
    (tmp_path / "model.json").write_text(part(page, "model"), encoding="utf-8")
    graph, theta = load(tmp_path / "model.json")
    assert graph == student() and set(theta) == set(THETA)
    facts = json.loads(part(page, "facts"))
    assert facts["address"] == PUBLIC
    assert facts["state"]["evidence"] == {"S": 1} and facts["state"]["round"] == view.rounds


def test_an_embedded_pyodide_brings_its_core_numpy_and_a_lock_of_these_alone(view, tmp_path):
    page = view.to_html(tmp_path / "graph.html", embed=pyodide(tmp_path)).read_text()
    held = re.findall(r'data-name="([^"]*)"', page)
    assert set(held) == {"python.zip", *CORE, LOCK, "numpy-1.whl", "blas-1.zip"}
    assert json.loads(part(page, "facts"))["address"] == ""


@pytest.mark.parametrize("name", ["pyodide.asm.wasm", LOCK, "blas-1.zip"])
def test_a_folder_that_lacks_a_file_is_refused_by_its_name(view, tmp_path, name):
    with pytest.raises(ValueError, match=f"embed is .*: {name} was expected there") as told:
        view.to_html(tmp_path / "graph.html", embed=pyodide(tmp_path, without=name))
    assert "without embed the page fetches" in str(told.value)


def test_a_lock_file_of_something_else_is_refused(view, tmp_path):
    (pyodide(tmp_path) / LOCK).write_text("{}")
    with pytest.raises(ValueError, match="is not a lock file of Pyodide: KeyError"):
        view.to_html(tmp_path / "graph.html", embed=tmp_path)


def test_names_and_titles_cannot_leave_their_place(tmp_path):
    evil = "</script><img src=x>"
    states = {"D": (evil, "hard"), "I": ("low", "high")}
    theta = {"D": [[0.6, 0.4]], "I|D": [[0.7, 0.3], [0.2, 0.8]]}
    from fgnwidgets import BayesGraph

    view = GraphView(BayesGraph(states, {"I": "D"}), theta, {"D": evil})
    page = view.to_html(tmp_path / "graph.html", title=evil).read_text(encoding="utf-8")
    assert evil not in page


def test_names_that_read_like_the_pages_own_marks_stay_names(tmp_path):
    from fgnwidgets import BayesGraph

    theta = {"{{view}}": [[0.6, 0.4]], "{{files}}|{{view}}": [[0.7, 0.3], [0.2, 0.8]]}
    graph = BayesGraph({"{{view}}": 2, "{{files}}": 2}, {"{{files}}": "{{view}}"})
    path = GraphView(graph, theta, {"{{view}}": 1}).to_html(tmp_path / "a.html", title="{{python}}")
    page = path.read_text(encoding="utf-8")
    assert "<title>{{python}}</title>" in page
    assert "Observed: {{view}} = 1." in page
    assert "export" in part(page, "view") and "def begin" in part(page, "python")
    (tmp_path / "model.json").write_text(part(page, "model"), encoding="utf-8")
    assert load(tmp_path / "model.json")[0] == graph


PAGE = """
import json, sys

for missing in ("matplotlib", "ipywidgets", "PIL", "narwhals", "networkx"):
    sys.modules[missing] = None  # a page has none of these
answer = begin({model!r}, {state!r}, {link!r})
asked = [
    {{}},
    {{"request": 1, "do": "soften", "with": {{"variable": "S", "state": 1, "belief": 0.5}}}},
    {{"request": 2, "do": "edit", "with": {{"matrix": "D", "row": 0, "column": 0, "value": 0.9}}}},
    {{"request": 3, "do": "undo", "with": {{}}}},
    {{"request": 4, "do": "set", "with": {{"target": "I", "form": "bayes"}}}},
    {{"request": 5, "do": "link", "with": {{}}}},
]
told = [json.loads(answer(json.dumps(message))) for message in asked]
said = [[message.get("answer") for message in t["said"]] for t in told]
scenes = [t["state"]["scene"] for t in told]
links = [message["text"] for message in told[-1]["said"] if "text" in message]
shown = [[s["undo"], s["status"], s["parts"][-5:], n] for s, n in zip(scenes, said)]
print(json.dumps([shown, links]))
"""


def answers(view, folder, link=""):
    """What the page's own Python answers, asked in a process that lacks what a page lacks."""
    archive = zipfile.ZipFile(io.BytesIO(standalone.python_files()))
    archive.extractall(folder / "page")
    (folder / "model.json").write_text(standalone._model(view), encoding="utf-8")
    own = standalone._text("in_page.py").replace("/page", str(folder / "page"))
    state = json.dumps(view.page_state())
    script = own + PAGE.format(model=str(folder / "model.json"), state=state, link=link)
    run = [sys.executable, "-c", script]
    ran = subprocess.run(run, capture_output=True, text=True, cwd=folder, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_pages_python_answers_where_there_is_no_matplotlib_and_no_networkx(view, tmp_path):
    (first, softened, edited, undone, asked, linked), links = answers(view, tmp_path)
    assert cards(first)["S"]["seen"] == 1
    told = (first, softened, edited, undone)
    assert [undo for undo, *_ in told] == [False, True, True, True]
    assert [said for *_, said in told] == [[], [1], [2], [3]]
    assert [row["number"] for row in cards(softened)["S"]["rows"]] == ["0.500", "0.500"]
    assert cards(edited)["D"]["rows"] != cards(undone)["D"]["rows"] == cards(softened)["D"]["rows"]
    assert [status for _, status, *_ in (*told, asked, linked)] == [""] * 6
    assert cards(asked)["I"]["note"] == "target" and "tells" in cards(asked)["G"]
    assert linked[3] == [None, 5]  # an event, and its answer
    other = GraphView(student(), THETA)
    other.open_link(links[0])
    assert (other.target, other.form) == ("I", "bayes")
    assert isinstance(other.evidence["S"], list)  # it was softened


def test_a_page_opens_in_the_state_of_a_link_and_tells_of_one_that_is_broken(view, tmp_path):
    view.evidence = {"G": "C"}
    link = view.link()
    view.evidence = {"S": "high"}
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    (first, *_), _ = answers(view, tmp_path / "good", link)
    assert (cards(first)["G"]["seen"], cards(first)["S"]["seen"]) == (2, None)
    (first, *_), _ = answers(view, tmp_path / "bad", link[:-5])
    assert cards(first)["S"]["seen"] == 1  # as it was written
    assert first[1].startswith("the link is not whole")


def test_a_page_carries_only_the_packages_that_it_runs(view, tmp_path):
    names = zipfile.ZipFile(io.BytesIO(standalone.python_files())).namelist()
    assert {name.partition("/")[0] for name in names} == {"fgnwidgets", "traitlets"}
    assert view.to_html(tmp_path / "graph.html").stat().st_size < 1e6


def cards(answer):
    return {part["variable"]: part for part in answer[2]}
