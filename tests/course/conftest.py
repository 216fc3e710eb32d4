"""A chapter to plant faults in, and a course of two chapters."""

from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest
from course_notebooks import PLOT, code, prose, save

from fgn_notebooks import chapters
from fgn_notebooks.authors import build
from fgn_notebooks.chapters import Chapter


@pytest.fixture(autouse=True)
def jupyter_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Jupyter's settings, in the place of that of whoever runs the tests."""
    folder = tmp_path / "jupyter-settings"
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    cells = (prose("# 0. Planted"), code("x = 2\nprint(x + 1)"), code(PLOT.format(end=4)))
    chapter = save(tmp_path_factory.mktemp("built") / "00_planted.ipynb", *cells)
    build.build(chapter)
    return chapter


@pytest.fixture
def built(built_once: Chapter, tmp_path: Path) -> Chapter:
    """A chapter with a number and a curve, as ``fgn build`` stores it; ours to break."""
    (tmp_path / "notebooks").mkdir()
    return replace(built_once, path=Path(copy(built_once.path, tmp_path / "notebooks")))


@pytest.fixture
def edition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a course of two chapters, one of them with a solution."""
    folder = tmp_path / "edition"
    folder.mkdir()
    save(folder / "00_first.ipynb", prose("# 0. First words\n\nText."), code("print('one')"))
    answer = code("answer = 6 * 7\nprint(answer)", "solution")
    answer["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["42\n"]}]
    answer["execution_count"] = 1
    save(folder / "01_second.ipynb", prose("# 1. Second words"), answer, code("print('two')"))
    monkeypatch.setattr(chapters, "folder", lambda: folder)
    return folder
