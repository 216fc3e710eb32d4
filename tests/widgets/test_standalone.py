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
from fgnwidgets.widgets import GraphView, standalone
from fgnwidgets.widgets.standalone import CORE, LOCK, PUBLIC


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


PAGE = """
import json, sys

for missing in ("matplotlib", "ipywidgets", "PIL", "narwhals"):
    sys.modules[missing] = None  # a page has none of these
answer = begin({model!r}, {state!r})
asked = [
    {{}},
    {{"wish": {{"ask": "soften", "variable": "S", "state": 1, "belief": 0.5, "number": 1}}}},
    {{"wish": {{"ask": "edit", "matrix": "D", "row": 0, "column": 0, "value": 0.9, "number": 2}}}},
    {{"wish": {{"ask": "undo", "number": 3}}}},
]
told = [json.loads(answer(json.dumps(change))) for change in asked]
print(json.dumps([[t["evidence"], t["scene"]["status"], t["scene"]["parts"][-5:]] for t in told]))
"""


def test_the_pages_python_answers_where_there_is_no_matplotlib(view, tmp_path):
    archive = zipfile.ZipFile(io.BytesIO(standalone._python()))
    archive.extractall(tmp_path / "page")
    (tmp_path / "model.json").write_text(standalone._model(view), encoding="utf-8")
    own = standalone._text("in_page.py").replace("/page", str(tmp_path / "page"))
    state = json.dumps(standalone._state(view))
    script = own + PAGE.format(model=str(tmp_path / "model.json"), state=state)
    run = [sys.executable, "-c", script]
    ran = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr
    first, softened, edited, undone = json.loads(ran.stdout)
    assert first[0] == {"S": 1}
    assert [row["number"] for row in cards(softened)["S"]["rows"]] == ["0.500", "0.500"]
    assert cards(edited)["D"]["rows"] != cards(undone)["D"]["rows"] == cards(softened)["D"]["rows"]
    assert [status for _, status, _ in (first, softened, edited, undone)] == [""] * 4


def cards(answer):
    return {part["variable"]: part for part in answer[2]}
