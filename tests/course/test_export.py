"""Assignments for nbgrader and Otter: these tools take them, and grade as ``fgn mark`` does."""

import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from course_notebooks import code, prose, save
from tiers import slow

from fgn_notebooks import chapters, cli
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import judging
from fgn_notebooks.teachers import export

REGISTERED = """
from fgn_notebooks.exercises import derive, number, register

register("43.1", number(7, "three fours, and then?"), "count")
register("43.2", number(10, "twice"), "double it")
register("43.3", derive("a hint", "our argument in words"))
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with a short chapter: two exercises for a machine and one for a reader."""
    monkeypatch.setattr(judging, "_own", {})
    monkeypatch.setattr(judging, "_read", set())
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "fgn_exercises.py").write_text(REGISTERED)
    save(
        folder / "43_fish.ipynb",
        prose("# 43 · Fish\n\nOur own."),
        code("from fgn_notebooks.exercises import check"),
        *(
            prose("**43.1** How many?"),
            code("answer = 7", "solution"),
            code('check("43.1", answer)'),
        ),
        *(prose("**43.2** Twice?"), code("four = 4"), code("answer = 6 + four", "solution")),
        *(code('check("43.2", answer)'), prose("**43.3** Why?")),
        *(code("answer = 'because'", "solution"), code('check("43.3", answer)')),
        prose("## Summary\n\nFish."),
    )
    return folder


def fill(path, answers):
    """Type answers into a student's version: the first stub gets the first one, and so on."""
    notebook = json.loads(path.read_text())
    stubs = [c for c in notebook["cells"] if source(c).strip() == chapters.STUB]
    assert len(stubs) == 3
    for cell, answer in zip(stubs, answers, strict=False):
        cell["source"] = f"answer = {answer}"
    return json.dumps(notebook)


def run(*words, cwd):
    """Run a tool's own command, as a teacher would."""
    programs = Path(sys.executable).parent
    env = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    done = subprocess.run(
        [programs / words[0], *words[1:]], cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def needs(module, name):
    """Skips, and says so, where a tool is not installed; CI installs both (extra `graders`)."""
    found = importlib.util.find_spec(module) is not None
    return pytest.mark.skipif(not found, reason=f"not run: {name} is not installed")


@needs("nbgrader", "nbgrader")
@slow  # in an environment of its own: .ci/slow
def test_nbgrader_makes_a_students_version_and_grades_it(own, tmp_path, capsys):
    course = tmp_path / "course"
    assert cli.main(["export", str(course), "fish", "--nbgrader", "--own", str(own)]) == 0
    run("nbgrader", "generate_assignment", "43_fish", "--create", cwd=course)
    released = course / "release" / "43_fish" / "43_fish.ipynb"
    assert "6 + four" not in released.read_text()
    submitted = course / "submitted" / "ada" / "43_fish"
    submitted.mkdir(parents=True)
    (submitted / "43_fish.ipynb").write_text(fill(released, (7, 11)))
    (submitted / "fgn_exercises.py").write_text(REGISTERED)
    run("nbgrader", "autograde", "43_fish", "--create", cwd=course)
    run("nbgrader", "export", cwd=course)
    with (course / "grades.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["student_id"], row["raw_score"], row["max_score"]) == ("ada", "1.0", "4.0")


@needs("otter", "Otter")
@slow  # in an environment of its own: .ci/slow
def test_otter_makes_a_students_version_and_grades_it(own, tmp_path):
    made = tmp_path / "made"
    assert cli.main(["export", str(made), "fish", "--otter", "--own", str(own)]) == 0
    run("otter", "assign", "43_fish.ipynb", "dist", cwd=made / "43_fish")
    dist = made / "43_fish" / "dist"
    student = dist / "student" / "43_fish.ipynb"
    assert "6 + four" not in student.read_text()
    student.write_text(fill(student, (7, 11)))
    (archive,) = (dist / "autograder").glob("*.zip")
    run("otter", "run", "-a", str(archive), "-o", str(tmp_path), str(student), cwd=student.parent)
    results = json.loads((tmp_path / "results.json").read_text())["tests"]
    scores = {t["name"]: t.get("score") for t in results if t["name"].startswith("q43")}
    assert scores["q43_1"] == 1 and scores["q43_2"] == 0


@pytest.mark.parametrize("chapter", chapters.chapters(), ids=lambda chapter: chapter.path.stem)
def test_every_exercise_of_a_chapter_is_in_both_assignments(chapter, tmp_path):
    names = [
        found[1]
        for cell in chapters.read(chapter.path)["cells"]
        if cell["cell_type"] == "code" and (found := export.personal.CHECK.search(source(cell)))
    ]
    (path,) = export.nbgrader([chapter], tmp_path / "nbgrader")
    cells = chapters.read(path)["cells"]
    marked = [c["metadata"]["nbgrader"] for c in cells if "nbgrader" in c["metadata"]]
    answers = [m["grade_id"] for m in marked if m["solution"]]
    assert answers == [f"answer-{name.replace('.', '-')}" for name in names]
    assert sum(m["points"] for m in marked if m["grade"]) == sum(
        1 if not export.exercises.find(name).outline else 2 for name in names
    )
    (path,) = export.otter([chapter], tmp_path / "otter")
    raw = [source(c) for c in chapters.read(path)["cells"] if c["cell_type"] == "raw"]
    assert [text.splitlines()[1] for text in raw if text.startswith("# BEGIN QUESTION")] == [
        f"name: q{name.replace('.', '_')}" for name in names
    ]
    assert raw.count("# END QUESTION") == len(names)


def test_a_tool_must_be_named(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["export", str(tmp_path)])
    assert "--nbgrader --otter" in capsys.readouterr().err
