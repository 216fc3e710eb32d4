"""Notebooks with labs and graphs as web pages: what nbconvert writes shows their pictures."""

import html
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from ipywidgets.embed import dependency_state
from learning_run import made
from tiers import mostly_slow, slow
from waves import wave_lab

import fgnwidgets
from fgnwidgets import BayesGraph, random_theta
from fgnwidgets.widgets import GraphEditor, GraphView

STATE = "application/vnd.jupyter.widget-state+json"
CONFIG = Path(fgnwidgets.__file__).with_name("jupyter_nbconvert_config.json")


def shown(widget):
    """A cell that shows a widget, as it is stored."""
    bundle = widget._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    output = nbformat.v4.new_output("display_data", data=data, metadata=metadata)
    return nbformat.v4.new_code_cell("shown", outputs=[output]), data


def graph_view():
    graph = BayesGraph({"A": 2, "B": 2}, {"B": "A"})
    return GraphView(graph, random_theta(graph, np.random.default_rng(0)))


KINDS = {"lab": wave_lab, "graph": graph_view, "editor": GraphEditor, "learning view": made}


def page_of(folder, widget, cell):
    """What nbconvert makes of a notebook of one cell, whose widgets are stored."""
    pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    state = dependency_state(widget, drop_defaults=False)
    stored = {"version_major": 2, "version_minor": 0, "state": state}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {STATE: stored}})
    nbformat.write(notebook, folder / "shown.ipynb")
    shutil.copy(CONFIG, folder)
    done = subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "shown.ipynb"],
        cwd=folder,
        env={**os.environ, "JUPYTER_CONFIG_PATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "text is missing" not in done.stderr
    page = (folder / "shown.html").read_text()
    assert '<script type="application/vnd.jupyter.widget-view+json">' not in page
    assert '<script type="application/vnd.jupyter.widget-state+json">' not in page
    return page


@pytest.mark.parametrize("kind", mostly_slow(KINDS, "graph"))
def test_a_page_shows_the_stored_picture_although_the_state_is_stored_too(tmp_path, kind):
    widget = KINDS[kind]()
    cell, data = shown(widget)
    page = page_of(tmp_path, widget, cell)
    assert f"data:image/png;base64,{data['image/png']}" in page
    assert f'alt="{html.escape(data["text/plain"])}"' in page


@slow  # test_outputs.py has a graph that is too large without a page
def test_a_graph_that_is_too_large_for_a_picture_is_a_line_of_text_on_a_page(tmp_path):
    n = 900
    parents = {f"v{i}": f"v{(i - 1) // 2}" for i in range(1, n)}
    graph = BayesGraph({f"v{i}": 2 for i in range(n)}, parents)
    view = GraphView(graph, random_theta(graph, np.random.default_rng(0)))
    cell, data = shown(view)
    assert "image/png" not in data
    assert "Nothing observed." in page_of(tmp_path, view, cell)
