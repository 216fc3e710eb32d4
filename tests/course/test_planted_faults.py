"""Three nets for three faults: nbval a number, the picture hook a curve, the rules a cleared cell.

Each is run as the project runs it: pytest with the project's own settings and hook, on a chapter in
a folder of its own.
"""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from course_notebooks import PLOT, edit

from fgn_notebooks.authors import lint

ROOT = Path(__file__).parents[2]


def run_pytest(folder: Path, *files: str, **environment: str) -> str:
    """The report of pytest under the project's settings in ``folder``."""
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / name, folder)
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *files]
    ran = subprocess.run(
        words, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
    return ran.stdout + ran.stderr


def test_a_chapter_as_it_was_built_passes(built):
    assert "2 passed" in run_pytest(built.path.parents[1], "notebooks")


def test_nbval_catches_a_changed_number(built):
    edit(built.path, lambda cells: cells[1].update(source="x = 2\nprint(x + 2)"))
    report = run_pytest(built.path.parents[1], "notebooks")
    assert "1 failed, 1 passed" in report
    assert "mismatch 'stdout'" in report


def test_the_picture_hook_catches_a_changed_curve(built):
    edit(built.path, lambda cells: cells[2].update(source=PLOT.format(end=0)))
    report = run_pytest(built.path.parents[1], "notebooks")
    assert "1 failed, 1 passed" in report
    assert "picture differs: RMS" in report


def test_the_rules_catch_a_cleared_cell_that_nbval_passes(built):
    wrong = {"source": "x = 2\nprint(x + 2)", "outputs": [], "execution_count": None}
    edit(built.path, lambda cells: cells[1].update(wrong))
    assert "2 passed" in run_pytest(built.path.parents[1], "notebooks")
    assert any("has execution count None" in fault for fault in lint.faults(built.path))


SKIPPED = """\
import pytest


@pytest.mark.browser
def test_clicks():
    pytest.skip("no Chromium")


def test_other():
    pytest.skip("another reason")


def test_peer():
    pytest.importorskip("no_such_package")
"""
WHOLE = """\
import pytest

pytest.importorskip("no_such_package")


def test_peer():
    assert True
"""


@pytest.mark.parametrize(("ci", "closing"), [("true", "2 failed, 1 skipped"), ("", "3 skipped")])
def test_a_skipped_browser_test_and_a_missing_package_fail_in_ci_alone(tmp_path, ci, closing):
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "test_browser.py").write_text(SKIPPED)
    assert closing in run_pytest(tmp_path, "tests", CI=ci)


@pytest.mark.parametrize(("ci", "closing"), [("true", "1 error"), ("", "1 skipped")])
def test_a_file_that_skips_itself_for_a_missing_package_fails_in_ci_alone(tmp_path, ci, closing):
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "test_peer.py").write_text(WHOLE)
    assert closing in run_pytest(tmp_path, "tests", CI=ci)


def test_a_figure_that_is_not_as_stored_fails_without_an_option(tmp_path):
    """pytest-mpl compares only under ``--mpl``; the settings must give it."""
    (tmp_path / "tests" / "draw" / "baseline").mkdir(parents=True)
    test = """\
import pytest
from matplotlib.figure import Figure


@pytest.mark.mpl_image_compare
def test_figure():
    figure = Figure()
    figure.subplots().plot([0, {end}])
    return figure
"""
    file = tmp_path / "tests" / "draw" / "test_figure.py"
    file.write_text(test.format(end=1))
    run_pytest(tmp_path, "tests", "--mpl-generate-path=tests/draw/baseline")
    assert "1 passed" in run_pytest(tmp_path, "tests")
    file.write_text(test.format(end=-1))
    assert "1 failed" in run_pytest(tmp_path, "tests")


def test_every_fault_that_is_planted_in_lines_still_has_its_line():
    script = runpy.run_path(str(ROOT / "benchmarks" / "planted_faults.py"))
    for fault in script["FAULTS"]:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        assert text.count(fault.old) == 1, (fault.file, fault.says)
        assert fault.new not in text or fault.new in fault.old
