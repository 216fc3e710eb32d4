"""What ``fgn build`` stores, and what ``fgn check`` finds."""

import copy
import json
import subprocess
import sys

import pytest
from course_notebooks import PLOT, code, edit, prose, save

import fgn_notebooks
from fgn_notebooks import chapters
from fgn_notebooks.authors import build, compare, lint
from fgn_notebooks.chapters import Chapter, CourseError


def test_a_built_chapter_holds_to_the_rules_and_checks_as_stored(built):
    assert lint.faults(built.path) == []
    assert build.check(built) == []


def test_building_twice_gives_the_same_bytes(built):
    before = built.path.read_bytes()
    assert build.build(built) is False
    assert built.path.read_bytes() == before


@pytest.fixture(scope="module")
def outputs_of_a_run(built_once):
    """What a clean kernel gives for the chapter, for tests of what is stored of it."""
    return build.run(chapters.read(built_once.path), built_once)


@pytest.fixture
def ran(outputs_of_a_run, monkeypatch):
    """The chapter is not run again: the outputs are those of the run before."""

    def again(notebook, chapter, **options):
        sources = [["".join(cell["source"]) for cell in n["cells"]]
                   for n in (notebook, outputs_of_a_run)]  # fmt: skip
        assert sources[0] == sources[1]
        return copy.deepcopy(outputs_of_a_run)

    monkeypatch.setattr(build, "run", again)


def test_building_from_a_cleared_file_gives_the_same_bytes(built, ran):
    before = built.path.read_bytes()

    def clear(cells):
        for cell in cells[1:]:
            cell.update(outputs=[], execution_count=None, metadata={"scrolled": True})

    edit(built.path, clear)
    assert build.build(built) is True
    assert built.path.read_bytes() == before


def test_equal_pixels_keep_the_stored_bytes_of_a_picture(built, ran):
    import base64
    import io

    from PIL import Image

    def encode_again(cells):
        data = cells[2]["outputs"][1]["data"]
        file = io.BytesIO()
        picture = Image.open(io.BytesIO(base64.b64decode(data[compare.PICTURE])))
        picture.save(file, "png", compress_level=1)
        data[compare.PICTURE] = base64.b64encode(file.getvalue()).decode()

    first = built.path.read_bytes()
    edit(built.path, encode_again)
    assert built.path.read_bytes() != first
    assert build.build(built) is False


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The file of a chapter that shows a widget, prints slowly and fails as it should."""
    slow = "import time\nfor n in range(3):\n    print(n, flush=True)\n    time.sleep(0.05)"
    chapter = save(
        tmp_path_factory.mktemp("stored") / "00_x.ipynb",
        prose("# X"),
        code("import ipywidgets\n\nipywidgets.IntSlider(3)"),
        code(slow),
        code("raise ValueError('no')", "raises-exception"),
        code("2 + 2"),
    )
    edit(chapter.path, lambda cells: [cell.pop("id") for cell in cells[1:]])
    build.build(chapter)
    return chapter.path


def test_widget_views_and_states_are_not_stored(stored):
    notebook = chapters.read(stored)
    assert list(notebook["cells"][1]["outputs"][0]["data"]) == ["text/plain"]
    assert notebook["metadata"] == chapters.METADATA


def test_prints_of_one_stream_are_stored_as_one_however_they_were_sent(stored):
    outputs = chapters.read(stored)["cells"][2]["outputs"]
    assert [output["text"] for output in outputs] == [["0\n", "1\n", "2\n"]]


def test_an_expected_error_is_stored_without_the_folders_of_its_traceback(stored):
    error = chapters.read(stored)["cells"][3]["outputs"][0]
    assert (error["ename"], error["evalue"], error["traceback"]) == ("ValueError", "no", [])
    assert lint.faults(stored) == []


def test_a_cell_without_an_id_gets_one_from_its_place(stored):
    ids = [cell["id"] for cell in chapters.read(stored)["cells"]]
    assert ids == ["c0", "cell-0", "cell-1", "cell-2", "cell-3"]


def test_a_chapter_that_fails_is_named_and_its_file_is_left_alone(tmp_path):
    chapter = save(tmp_path / "00_x.ipynb", prose("# X"), code("1 / 0"))
    before = chapter.path.read_bytes()
    with pytest.raises(CourseError, match="00_x.ipynb does not run: ZeroDivisionError"):
        build.build(chapter)
    assert chapter.path.read_bytes() == before


def test_notebooks_are_read_without_the_parser_of_addresses_which_others_can_import_later():
    code = """
import sys
from fgn_notebooks.kernels import notebook_format
empty = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
assert notebook_format().reads(empty, 4)
assert "rfc3987_syntax" not in sys.modules
import rfc3987_syntax
assert notebook_format() is sys.modules["nbformat"] and "rfc3987_syntax" in sys.modules
"""
    pytest.importorskip("rfc3987_syntax", reason="Jupyter's server has not brought it")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_kernel_is_this_python_whatever_kernels_the_machine_knows(tmp_path, monkeypatch):
    foreign = tmp_path / "share" / "kernels" / "python3"
    foreign.mkdir(parents=True)
    spec = {"argv": ["no-such-python"], "display_name": "x", "language": "python"}
    (foreign / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share"))
    ask = code("import sys\n\nprint(sys.executable)")
    chapter = save(tmp_path / "00_x.ipynb", prose("# X"), ask)
    executed = build.run(chapters.read(chapter.path), chapter)
    import sys

    assert executed["cells"][1]["outputs"][0]["text"].strip() == sys.executable


def test_the_settings_of_a_user_do_not_reach_the_pictures(built, tmp_path, monkeypatch):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 20\n")
    monkeypatch.setenv("MATPLOTLIBRC", str(tmp_path / "matplotlibrc"))
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert build.check(built) == []


def test_check_names_the_cell_and_what_differs(built):
    def plant(cells):
        cells[1]["source"] = "x = 2\nprint(x + 2)"
        cells[2]["source"] = PLOT.format(end=0)

    edit(built.path, plant)
    number, curve = build.check(built)
    assert number == "In [1]: stdout differs: '3' stored, '4' now"
    assert curve.startswith("In [2]: picture differs: RMS")


def test_chapters_inside_an_installed_package_are_not_built(tmp_path, monkeypatch):
    package = tmp_path / "fgn_notebooks"
    monkeypatch.setattr(fgn_notebooks, "__file__", str(package / "__init__.py"))
    with pytest.raises(CourseError, match="chapters of a checkout"):
        build.build(Chapter(0, "x", package / "notebooks" / "00_x.ipynb"))
