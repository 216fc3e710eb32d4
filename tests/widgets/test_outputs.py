"""What becomes of widgets in the outputs of cells: run again, without a page, without a picture."""

import re

import nbformat
import numpy as np
import pytest
from student import CELL, THETA, student

from fgnwidgets import BayesGraph, propagate, random_theta
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.page import outputs
from fgnwidgets.widgets.page.scripts import Script, shared

LAB = "from fgn_notebooks import labs\nlabs.product_space()"


@pytest.fixture
def cells(monkeypatch):
    """Cells that run one after the other: ``cells("a", view)`` shows a view in the cell a."""
    running = ["", ""]
    monkeypatch.setattr(outputs, "_running", lambda: tuple(running))
    monkeypatch.setattr(outputs, "_SHOWN", {})

    def run(cell, *widgets):
        running[:] = cell, f"{cell} {id(widgets)} {len(outputs._SHOWN.get(cell, []))} {widgets}"
        for widget in widgets:
            outputs.shown_in_cell(widget)
        outputs.close_replaced()

    return run


def is_open(widget):
    return widget.comm is not None


def test_a_cell_that_runs_again_closes_what_it_showed_before(cells):
    one, two, other = (GraphView(student(), THETA) for _ in range(3))
    cells("a", one)
    cells("b", other)
    cells("a", two)
    assert [is_open(w) for w in (one, one.layout, two, two.layout, other)] == [
        *(False, False, True, True, True)
    ]
    assert is_open(shared("graph_view"))  # of all of them
    cells("a")  # the cell was changed, and shows nothing of ours
    assert not is_open(two)


def test_what_another_cell_shows_too_stays_and_what_is_shown_again_comes_back(cells):
    one, two = (GraphView(student(), THETA) for _ in range(2))
    cells("a", one)
    cells("b", one)
    cells("a", two)
    assert is_open(one)
    cells("b", two)
    assert not is_open(one)
    cells("c", one)
    assert is_open(one) and is_open(one.layout)
    one.evidence = {"S": "high"}
    exact = propagate(student(), THETA, {"S": "high"})
    assert one.messages["I"].p == pytest.approx(exact["I"].p)


def test_all_graphs_of_a_kernel_refer_to_one_script_and_bring_a_few_lines_each():
    one, two = GraphView(student(), THETA), GraphView(student(), THETA)
    assert one.script is two.script
    assert one.get_state()["script"] == f"IPY_MODEL_{one.script.model_id}"
    assert len(one._esm) < 2000 < len(one.script.text)
    assert one.script.get_state()["_model_module"] == "@jupyter-widgets/base"
    one.script.close()
    three = GraphView(student(), THETA)
    assert isinstance(three.script, Script) and is_open(three.script)


def test_a_graph_too_large_for_a_picture_is_told_in_words_and_its_view_lives():
    names = [f"V{i}" for i in range(400)]
    graph = BayesGraph(dict.fromkeys(names, 2), {name: ["V0"] for name in names[1:]})
    view = GraphView(
        graph, random_theta(graph.normal_form(), np.random.default_rng(0)), form="bayes"
    )
    data, _ = view._repr_mimebundle_()
    assert "image/png" not in data
    assert "No picture of this graph is stored" in data["text/plain"]
    assert "in a picture of 4,000 pixels nothing of that could be read" in data["text/plain"]
    assert data["application/vnd.jupyter.widget-view+json"]


def test_a_notebook_that_runs_without_a_page_becomes_html_with_its_pictures():
    nbclient = pytest.importorskip("nbclient")
    html = pytest.importorskip("nbconvert").HTMLExporter()
    large = (
        "from fgnwidgets import BayesGraph\n"
        "names = [f'V{i}' for i in range(900)]\n"
        "BayesGraph(dict.fromkeys(names, 2), {name: ['V0'] for name in names[1:]})"
    )
    code = [nbformat.v4.new_code_cell(cell) for cell in (CELL, LAB, large)]
    notebook = nbformat.v4.new_notebook(cells=code)
    nbclient.NotebookClient(notebook, timeout=120).execute()
    page, _ = html.from_notebook_node(notebook)
    assert len(re.findall(r'<img[^>]* src="data:image/png;base64', page)) == 2
    assert '<script type="application/vnd.jupyter.widget-view+json"' not in page
    told = [output for output in notebook.cells[2].outputs if output.output_type != "error"]
    assert len(told) == len(notebook.cells[2].outputs)
    assert any("No picture of this BayesGraph" in str(output) for output in told)
