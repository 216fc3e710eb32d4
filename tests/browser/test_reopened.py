"""A notebook that was run, saved, and opened again without its kernel."""

import json
from itertools import count

import learning_run
import pytest
import student
from lab_pages import READY, SLOWLY, done, run_all, save_notebook
from tiers import slow
from watched_pages import known_in, watched_page

from fgn_notebooks.students.settings import PLACE, keep_labs

CELLS = (student.CELL, "from fgn_notebooks import labs\nlabs.product_space()", learning_run.CELL)
SAVED = """() => {
    const { model } = jupyterapp.shell.currentWidget.context;
    return !model.dirty && "widgets" in model.sharedModel.metadata;
}"""
STORED = """() => Object.keys(jupyterapp.shell.currentWidget.context.model.sharedModel
    .metadata.widgets["application/vnd.jupyter.widget-state+json"].state).length"""
KEPT, LEFT = "as fgn open sets Jupyter", "as Jupyter comes"
"""With the setting that stores widgets, and without it: both have to do."""

PLACES = pytest.mark.parametrize(
    "where",
    [
        (KEPT, "doc/tree"),
        (LEFT, "notebooks"),
        pytest.param((KEPT, "notebooks"), marks=slow),
        pytest.param((LEFT, "doc/tree"), marks=slow),
    ],
    ids="-".join,
    indirect=True,
    scope="module",
)
NUMBERS = count()


@pytest.fixture(scope="module")
def where(request, lab):
    """The place where a notebook is opened, with or without the setting."""
    setting, place = request.param
    if place == "notebooks":
        pytest.importorskip("notebook", reason="notebook is not installed")
    file = lab.home / "CONFIG" / PLACE
    file.unlink(missing_ok=True)
    if setting == KEPT:
        keep_labs(lab.home / "CONFIG")
    yield place
    file.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def saved(lab, chromium, where):
    """The text of a notebook that was run and saved in that place."""
    name = lab.write("saved.ipynb", *CELLS)
    before = set(lab.kernels())
    with watched_page(chromium, known=known_in(where)) as page:
        page.goto(f"{lab.url}/{where}/{name}", timeout=SLOWLY)
        run_all(page)
        page.wait_for_selector(".fgn-graph [data-part]")
        page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
        page.wait_for_selector(".fgn-learning-view .fgn-drawn")
        save_notebook(page)
        assert page.evaluate(SAVED)
    lab.stop(set(lab.kernels()) - before)
    return (lab.root / name).read_text(encoding="utf-8")


@pytest.fixture
def reopen(lab, where, saved, visit):
    """Open a notebook that was run, without its kernel, trusted or not."""

    def reopen_(*, trusted):
        text = saved
        if not trusted:  # as if somebody else had written it
            notebook = json.loads(text)
            notebook["cells"][0]["source"] += "# changed"
            text = json.dumps(notebook)
        name = f"reopened_{next(NUMBERS)}.ipynb"  # no server remembers a kernel of it
        (lab.root / name).write_text(text, encoding="utf-8")
        page = visit(f"{where}/{name}")
        page.wait_for_function(READY, timeout=SLOWLY)
        return page

    return reopen_


@PLACES
def test_a_trusted_notebook_shows_its_graph_its_lab_and_its_run_again(reopen):
    page = reopen(trusted=True)
    page.wait_for_selector(".fgn-graph [data-part='variable:S']")
    page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
    page.wait_for_selector(".fgn-learning-view .fgn-drawn", state="attached")
    assert page.get_by_text("model not found").count() == 0


@pytest.mark.parametrize(
    "where",
    [(KEPT, "doc/tree"), pytest.param((LEFT, "doc/tree"), marks=slow)],
    ids="-".join,
    indirect=True,
    scope="module",
)
def test_a_notebook_that_is_saved_again_without_its_kernel_keeps_its_graph_and_its_lab(reopen):
    page = reopen(trusted=True)
    page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
    before = page.evaluate(STORED)
    for _ in range(2):  # a remark below, saved; and once more
        done(page, "notebook:insert-cell-below")
        assert not page.evaluate(SAVED)
        save_notebook(page)
        assert page.evaluate(SAVED)
    assert page.evaluate(STORED) == before
    page.reload()
    page.wait_for_selector(".fgn-graph [data-part='variable:S']", timeout=SLOWLY)
    page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
    assert page.get_by_text("model not found").count() == 0


@pytest.mark.parametrize("times", [2, pytest.param(3, marks=slow)])
def test_a_cell_that_is_run_again_leaves_nothing_in_the_file(open_notebook, times):
    page = open_notebook(*CELLS)
    sizes = []
    for time in range(times):
        if time:
            run_all(page)
        page.wait_for_selector(".fgn-graph [data-part]")
        page.wait_for_function("document.querySelector('.fgn-lab img')?.naturalWidth > 0")
        save_notebook(page)
        assert page.evaluate(SAVED)
        sizes.append(page.evaluate(STORED))
    assert len(set(sizes)) == 1 and sizes[0] > 20


@PLACES
def test_a_notebook_that_is_not_trusted_shows_their_pictures(reopen):
    page = reopen(trusted=False)
    pictures = page.locator(".jp-OutputArea-output img")
    pictures.nth(2).wait_for()
    assert pictures.count() == len(CELLS)
    assert pictures.evaluate_all("(all) => all.every((e) => e.naturalWidth > 300)")
    assert page.get_by_text("model not found").count() == 0
