"""A notebook that was run, saved, and opened again without its kernel."""

import json

import pytest
import student
from lab_pages import READY, SLOWLY, command

from fgn_notebooks.settings import keep_labs

CELLS = (student.CELL, "from fgn_notebooks import labs\nlabs.product_space()")
SAVED = """() => {
    const { model } = jupyterapp.shell.currentWidget.context;
    return !model.dirty && "widgets" in model.sharedModel.metadata;
}"""
PLACES = ("doc/tree", "notebooks")


@pytest.fixture
def reopen(lab, open_notebook, visit):
    """Run and save a notebook, end its kernel, and open it again, trusted or not."""

    def reopen_(place, *, trusted):
        if place == "notebooks":
            pytest.importorskip("notebook", reason="notebook is not installed")
        keep_labs(lab.home / "CONFIG")
        page = open_notebook(*CELLS, place=place)
        page.wait_for_selector(".fgn [data-part]")
        page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
        command(page, "docmanager:save")
        page.wait_for_function(SAVED)
        name = page.evaluate("jupyterapp.shell.currentWidget.context.path")
        page.close()
        lab.stop(lab.kernels())
        if not trusted:  # as if somebody else had written it
            file = lab.root / name
            notebook = json.loads(file.read_text())
            notebook["cells"][0]["source"] += "# changed"
            file.write_text(json.dumps(notebook))
        page = visit(f"{place}/{name}")
        page.wait_for_function(READY, timeout=SLOWLY)
        return page

    return reopen_


@pytest.mark.parametrize("place", PLACES)
def test_a_trusted_notebook_shows_its_graph_and_its_lab_again(reopen, place):
    page = reopen(place, trusted=True)
    page.wait_for_selector(".fgn [data-part='variable:S']")
    page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
    assert page.get_by_text("model not found").count() == 0


@pytest.mark.parametrize("place", PLACES)
def test_a_notebook_that_is_not_trusted_shows_their_pictures(reopen, place):
    page = reopen(place, trusted=False)
    pictures = page.locator(".jp-OutputArea-output img")
    pictures.nth(1).wait_for()
    assert pictures.evaluate_all("(all) => all.every((e) => e.naturalWidth > 300)")
    assert page.get_by_text("model not found").count() == 0
