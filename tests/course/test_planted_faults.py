"""Three nets for three faults: nbval a number, the picture hook a curve, the rules a cleared cell.

Each is run as the project runs it: pytest with the project's own settings and hook, on a chapter in
a folder of its own.
"""

import os
import re
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
    # The parser of international addresses takes half of the start, and jsonschema does without it.
    (folder / "rfc3987_syntax.py").write_text("raise ImportError")
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", "-rA", *files]
    ran = subprocess.run(
        words, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
    return ran.stdout + ran.stderr


CHANGES = {
    "10_as_built": {},
    "11_number": {1: {"source": "x = 2\nprint(x + 2)"}},
    "12_curve": {2: {"source": PLOT.format(end=0)}},
    "13_cleared": {1: {"source": "x = 2\nprint(x + 2)", "outputs": [], "execution_count": None}},
}
"""What is changed in the cells of a chapter that was built, by the name of the chapter."""


@pytest.fixture(scope="module")
def changed(built_once, tmp_path_factory):
    """The folder of a chapter for each change, and the report of one run on all of them."""
    folder = tmp_path_factory.mktemp("changed")
    (folder / "notebooks").mkdir()
    for name, cells in CHANGES.items():
        file = Path(shutil.copy(built_once.path, folder / "notebooks" / f"{name}.ipynb"))
        edit(file, lambda found, cells=cells: [found[k].update(new) for k, new in cells.items()])
    return folder / "notebooks", run_pytest(folder, "notebooks")


def results(report: str, name: str) -> list[str]:
    """How the cells of a chapter came out, in their order."""
    line = rf"^(\w+) notebooks/{name}\.ipynb::(Cell \d+)"
    found = {cell: result for result, cell in re.findall(line, report, re.MULTILINE)}
    return [found[cell] for cell in sorted(found)]


def told(report: str) -> str:
    """What the report says of each failure, without the summary, which repeats it in CI."""
    return report.split("short test summary info")[0]


def test_a_chapter_as_it_was_built_passes(changed):
    assert results(changed[1], "10_as_built") == ["PASSED", "PASSED"]


def test_nbval_catches_a_changed_number(changed):
    assert results(changed[1], "11_number") == ["FAILED", "PASSED"]
    assert told(changed[1]).count("mismatch 'stdout'") == 1


def test_the_picture_hook_catches_a_changed_curve(changed):
    assert results(changed[1], "12_curve") == ["PASSED", "FAILED"]
    assert told(changed[1]).count("picture differs: RMS") == 1


def test_the_rules_catch_a_cleared_cell_that_nbval_passes(changed):
    assert results(changed[1], "13_cleared") == ["PASSED", "PASSED"]
    faults = lint.faults(changed[0] / "13_cleared.ipynb")
    assert any("has execution count None" in fault for fault in faults)


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


@pytest.fixture(scope="module", params=["true", ""], ids=["in CI", "elsewhere"])
def skipped(request, tmp_path_factory):
    """Whether it runs in CI, and the report of both files there."""
    folder = tmp_path_factory.mktemp("skipped")
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "tests")
    (folder / "tests" / "test_browser.py").write_text(SKIPPED)
    (folder / "tests" / "test_peer.py").write_text(WHOLE)
    # An error of collection ends a run before its tests unless it is told to go on.
    words = ("tests", "--continue-on-collection-errors")
    return bool(request.param), run_pytest(folder, *words, CI=request.param)


def test_a_skipped_browser_test_and_a_missing_package_fail_in_ci_alone(skipped):
    in_ci, report = skipped
    failed = re.findall(r"^FAILED tests/test_browser\.py::(\w+)", report, re.MULTILINE)
    assert sorted(failed) == (["test_clicks", "test_peer"] if in_ci else [])
    assert f"{1 if in_ci else 4} skipped" in report and "passed" not in report


def test_a_file_that_skips_itself_for_a_missing_package_fails_in_ci_alone(skipped):
    in_ci, report = skipped
    errors = re.findall(r"^ERROR tests/(\w+)\.py", report, re.MULTILINE)
    assert errors == (["test_peer"] if in_ci else [])


FIGURE = """\
import pytest
from matplotlib.figure import Figure


@pytest.mark.mpl_image_compare
def test_{name}():
    figure = Figure()
    figure.subplots().plot([0, {end}])
    return figure
"""


def test_a_figure_that_is_not_as_stored_fails_without_an_option(tmp_path):
    """pytest-mpl compares only under ``--mpl``; the settings must give it."""
    (tmp_path / "tests" / "draw" / "baseline").mkdir(parents=True)
    same, other = (tmp_path / "tests" / "draw" / f"test_{name}.py" for name in ("same", "other"))
    same.write_text(FIGURE.format(name="same", end=1))
    other.write_text(FIGURE.format(name="other", end=1))
    run_pytest(tmp_path, "tests", "--mpl-generate-path=tests/draw/baseline")
    other.write_text(FIGURE.format(name="other", end=-1))
    report = run_pytest(tmp_path, "tests")
    assert "PASSED tests/draw/test_same.py::test_same" in report
    assert "FAILED tests/draw/test_other.py::test_other" in report
    assert "1 failed, 1 passed" in report


def test_every_fault_that_is_planted_in_lines_still_has_its_line():
    script = runpy.run_path(str(ROOT / "benchmarks" / "planted_faults.py"))
    for fault in script["FAULTS"]:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        assert text.count(fault.old) == 1, (fault.file, fault.says)
        assert fault.new not in text or fault.new in fault.old
