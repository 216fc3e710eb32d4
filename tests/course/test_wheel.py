"""The wheel alone: no checkout beside it, and every command works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import slow

ROOT = Path(__file__).parents[2]


def run(*words, cwd, **env):
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=os.environ | env, capture_output=True, text=True
    )
    return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel installs, and nothing else of this project."""
    made = tmp_path_factory.mktemp("wheel")
    quiet = ("-m", "pip", "-q", "--disable-pip-version-check")
    built = run(*quiet, "wheel", "--no-deps", "-w", str(made), str(ROOT), cwd=made)
    if built.returncode:
        pytest.skip(f"not run: no wheel was built: {built.stderr.strip().splitlines()[-1:]}")
    (wheel,) = made.glob("fgnwidgets-*.whl")
    target = made / "installed"
    done = run(*quiet, "install", "--no-deps", "--target", str(target), str(wheel), cwd=made)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def fgn(installed, tmp_path):
    def command(*words):
        place = {"PYTHONPATH": str(installed), "JUPYTER_CONFIG_DIR": str(tmp_path / "settings")}
        done = run("-m", "fgn_notebooks", *words, cwd=tmp_path, **place)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return command


def test_the_wheel_holds_chapters_pages_plans_and_no_tests(installed):
    package = installed / "fgn_notebooks"
    for held in (
        "notebooks/05_maximum_likelihood.ipynb",
        "data/titanic.csv",
        "authors/site/source/conf.py",
        "authors/site/source/_static/site.css",
        "teachers/pack/plan_1.md",
    ):
        assert (package / held).exists(), held
    assert not (installed / "tests").exists()


def test_the_wheel_holds_the_bundles_of_pages_and_not_what_they_are_made_from(installed):
    widgets = installed / "fgnwidgets" / "widgets"
    for held in ("graph_view.js", "graph_view.css", "stub.js", "page.html"):
        assert (widgets / "static" / held).stat().st_size > 500, held
    assert not (widgets / "js").exists()


def test_the_wheel_lists_and_copies(fgn, tmp_path, installed):
    assert "start_here" in fgn("list")
    fgn("copy", "ada", "--student", "Ada")
    assert (tmp_path / "ada" / "01_messages_and_blocks.ipynb").exists()
    asked = run("-c", "import fgn_notebooks as f; print(f.__file__)", cwd=tmp_path,
                PYTHONPATH=str(installed))  # fmt: skip
    assert asked.stdout.startswith(str(installed))


@slow
def test_the_wheel_copies_for_a_teacher_marks_exports_and_writes_pages(fgn, tmp_path):
    fgn("copy", "class/ada", "--teacher", "--student", "Ada")
    assert (tmp_path / "class" / "ada" / "teacher" / "index.md").exists()
    said = fgn("mark", "class", "01", "--csv", "marks.csv")
    assert "4 right, 2 to read" in said and "wrote marks.csv: 6 rows" in said
    fgn("export", "assignments", "01", "--nbgrader")
    assert "01_messages_and_blocks.html" in fgn("html", "pages", "01")
