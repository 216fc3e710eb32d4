"""The files of the chapters hold to the rules, and each rule finds its fault."""

import ast
import base64
import io
import re

import numpy as np
import pytest
from course_notebooks import code, edit, prose, save
from PIL import Image
from tiers import mostly_slow

from fgn_notebooks import chapters
from fgn_notebooks.authors import build, lint


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_the_file_of_a_chapter_holds_to_the_rules(chapter):
    assert lint.faults(chapter.path) == []


def test_chapters_are_numbered_without_gaps():
    numbers = [chapter.number for chapter in chapters.chapters()]
    main = [number for number in numbers if number.isdigit()]
    assert main == [f"{n:02}" for n in range(len(main))]
    assert numbers == [*main, *"ABCDE"]


@pytest.mark.parametrize(
    "chapter",
    [c for c in chapters.chapters() if c.number != "D"],
    ids=lambda chapter: chapter.path.stem,
)
def test_every_chapter_leads_to_the_glossary_in_its_first_cell(chapter):
    assert "(D_glossary.ipynb)" in chapters.source(chapters.read(chapter.path)["cells"][0])


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_links_between_chapters_lead_to_chapters_that_there_are(chapter):
    names = {other.path.name for other in chapters.chapters()}
    cells = chapters.read(chapter.path)["cells"]
    prose = "\n".join(chapters.source(c) for c in cells if c["cell_type"] == "markdown")
    assert set(re.findall(r"\]\(([^)#]+\.ipynb)", prose)) <= names


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_chapters_use_the_public_names_of_the_library_alone(chapter):
    """A reader copies what a chapter imports, so it must not be the library's inside."""
    cells = chapters.read(chapter.path)["cells"]
    code = "\n".join(chapters.source(c) for c in cells if c["cell_type"] == "code")
    assert not re.search(r"fgnwidgets\.(engine|analysis)\b|fgnwidgets\.draw\.\w+ import", code)


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_no_stored_picture_is_cut_at_an_edge(chapter):
    cut = {}
    for place, cell in enumerate(chapters.read(chapter.path)["cells"]):
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output["data"]["image/png"])
                if edges := inked(Image.open(io.BytesIO(png))):
                    cut[place] = edges
    assert cut == {}


def inked(image):
    """The edges of a picture on which there is something other than its ground."""
    grey = np.asarray(image.convert("L")).astype(int)
    edges = {"left": grey[:, 0], "right": grey[:, -1], "top": grey[0], "bottom": grey[-1]}
    return [name for name, edge in edges.items() if (abs(edge - grey[-1, 0]) > 60).any()]


def test_a_cut_picture_is_found():
    whole = Image.new("RGB", (40, 30), "white")
    assert inked(whole) == []
    whole.paste((0, 0, 0), (35, 10, 40, 12))
    assert inked(whole) == ["right"]


WITH_SOLUTIONS = [
    chapter
    for chapter in chapters.chapters()
    if any(chapters.is_solution(cell) for cell in chapters.read(chapter.path)["cells"])
]


def names(notebook, stored):
    """Names that the code cells make (``stored``), or that they use."""
    found = set()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            for node in ast.walk(ast.parse(chapters.source(cell))):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) == stored:
                    found.add(node.id)
                if stored and isinstance(node, ast.FunctionDef | ast.ClassDef):
                    found.add(node.name)
                if stored and isinstance(node, ast.arg):
                    found.add(node.arg)
                if stored and isinstance(node, ast.Import | ast.ImportFrom):
                    found.update(alias.asname or alias.name for alias in node.names)
    return found


def of_solutions(full, plain):
    """Names that a plain copy uses although only a solution makes them."""
    return (names(full, True) - names(plain, True)) & names(plain, False)


def asked_elsewhere(full, plain):
    """Cells of a plain copy that work with an answer which nobody gave, beside checking it."""
    given = {chapters.source(cell) for cell in full["cells"]}
    own = [cell for cell in plain["cells"] if chapters.source(cell) not in given]
    blank = names({"cells": own}, True)
    return [
        chapters.source(cell)
        for cell in plain["cells"]
        if cell["cell_type"] == "code"
        and "check(" not in chapters.source(cell)
        # a cell that makes the name anew works with its own
        and blank & (names({"cells": [cell]}, False) - names({"cells": [cell]}, True))
    ]


@pytest.mark.parametrize("chapter", WITH_SOLUTIONS, ids=lambda chapter: chapter.path.stem)
def test_no_cell_of_a_plain_copy_works_with_an_answer_beside_checking_it(chapter):
    full = chapters.read(chapter.path)
    assert asked_elsewhere(full, chapters.without_solutions(full)) == []


def test_a_cell_that_works_with_an_answer_is_seen():
    full = chapters.read(chapters.find("16").path)
    full["cells"].append({"cell_type": "code", "source": "print(answer + 1)", "metadata": {}})
    found = asked_elsewhere(full, chapters.without_solutions(full))
    assert found == ["print(answer + 1)"]


@pytest.mark.parametrize("chapter", WITH_SOLUTIONS, ids=lambda chapter: chapter.path.stem)
def test_no_cell_of_a_plain_copy_needs_a_name_that_only_a_solution_makes(chapter):
    full = chapters.read(chapter.path)
    assert of_solutions(full, chapters.without_solutions(full)) == set()


def test_a_cell_that_needs_a_solution_is_seen():
    full = chapters.read(chapters.find("16").path)  # its solution defines ``mended``
    plain = chapters.without_solutions(full)
    cell = next(c for c in reversed(plain["cells"]) if c["cell_type"] == "code")
    cell["source"] = "def later():\n    return mended([[0, 1]], 2)"
    assert of_solutions(full, plain) == {"mended"}


@pytest.mark.parametrize("name", mostly_slow(["05", "B"], "B"))
def test_a_plain_copy_runs(name):
    chapter = chapters.find(name)
    build.run(chapters.without_solutions(chapters.read(chapter.path)), chapter)


def code_cell(**changes):
    return lambda cells: cells[1].update(changes)


def output(kind, **content):
    return code_cell(outputs=[{"output_type": kind, **content}])


def shows(mime, value):
    return output("display_data", data={mime: value}, metadata={})


FAULTS = {
    "a cleared cell": (
        code_cell(execution_count=None, outputs=[]),
        "cell 1: has execution count None, not 1",
    ),
    "a cell run out of order": (code_cell(execution_count=3), "has execution count 3, not 1"),
    "an empty cell": (code_cell(source=" \n"), "is empty"),
    "a long cell": (code_cell(source="x = 1\n" * 16), "16 lines, more than 15"),
    "a timed cell": (code_cell(metadata={"execution": {}}), "has metadata ['execution']"),
    "a skipped comparison": (code_cell(source="# NBVAL_SKIP".lower()), "marked for nbval"),
    "an upper-case mark": (code_cell(source="# NBVAL_IGNORE_OUTPUT"), "marked for nbval"),
    "a marking tag": (code_cell(metadata={"tags": ["nbval-skip"]}), "marked for nbval"),
    "a warning": (output("stream", name="stderr", text=["careful"]), "stores stderr"),
    "an error": (output("error", ename="E", evalue="", traceback=[]), "stores an error: E"),
    "a widget view": (
        shows("application/vnd.jupyter.widget-view+json", {"model_id": "1"}),
        "widget view or state",
    ),
    "a folder in an output": (
        output("stream", name="stdout", text=["see /home/me/x"]),
        "names a folder of a machine: /home/",
    ),
    "a folder in code": (code_cell(source="open('/tmp/x')"), "names a folder of a machine: /tmp/"),
    "an address": (shows("text/plain", ["<object at 0x7f001234>"]), "an address in memory"),
    "a picture without words": (shows("image/png", ""), "a picture without a text"),
    "a folder in prose": (lambda cells: cells[0].update(source="# T\n\n/root/x"), "/root/"),
    "an image without words": (
        lambda cells: cells[0].update(source="# T\n\n![](x.png)"),
        "without alternative text",
    ),
    "an img without words": (
        lambda cells: cells[0].update(source="# T\n\n<img src='x.png'>"),
        "without alternative text",
    ),
    "two titles": (
        lambda cells: cells[0].update(source="# T\n\n# U"),
        "2 headings of the first level",
    ),
    "a skipped level": (
        lambda cells: cells[0].update(source="# T\n\n### U"),
        "a heading of level 3 follows one of level 1",
    ),
    "no title": (lambda cells: cells[0].update(source="Text"), "does not start with the title"),
    "one id twice": (lambda cells: cells[0].update(id="c1"), "not every cell has an id"),
    "no id": (lambda cells: cells[0].pop("id"), "not every cell has an id"),
    "a large file": (
        output("stream", name="stdout", text=["x" * lint.MAX_BYTES]),
        f"bytes, more than {lint.MAX_BYTES}",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(tmp_path, fault):
    change, message = FAULTS[fault]
    cell = code("print(1)") | {"execution_count": 1}
    chapter = save(tmp_path / "00_x.ipynb", prose("# T"), cell)
    assert lint.faults(chapter.path) == []
    edit(chapter.path, change)
    found = lint.faults(chapter.path)
    assert any(message in line for line in found), found


@pytest.mark.parametrize(
    "metadata", [{}, chapters.METADATA | {"widgets": {}}, {"kernelspec": {"name": "my-env"}}]
)
def test_foreign_metadata_are_found(tmp_path, metadata):
    chapter = save(tmp_path / "00_x.ipynb", prose("# T"))
    notebook = chapters.read(chapter.path) | {"metadata": metadata}
    chapters.write(notebook, chapter.path)
    assert any("its metadata" in line for line in lint.faults(chapter.path))


def test_a_file_that_was_not_laid_out_by_the_build_is_found(tmp_path):
    chapter = save(tmp_path / "00_x.ipynb", prose("# T"))
    chapter.path.write_text(chapter.path.read_text().replace("\n", "\n "))
    assert lint.faults(chapter.path) == ["is not laid out as fgn build stores it"]


def test_an_expected_error_and_a_picture_with_words_are_no_faults(tmp_path):
    bad = code("1 / 0", "raises-exception") | {"execution_count": 1}
    bad["outputs"] = [{"output_type": "error", "ename": "E", "evalue": "", "traceback": []}]
    drawn = code("draw()") | {"execution_count": 2}
    data = {"image/png": "", "text/plain": "a line from 0 to 1"}
    drawn["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    chapter = save(tmp_path / "00_x.ipynb", prose("# T\n\n```\n# no heading\n```"), bad, drawn)
    assert lint.faults(chapter.path) == []
