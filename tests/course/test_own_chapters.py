"""A teacher's own chapters and exercises, beside those of the course, through every command."""

import contextlib
import json
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from course_notebooks import code, prose, save

from fgn_notebooks import build, chapters, cli, copies, exercises, marking, site
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import judging

REGISTERED = """
from fgn_notebooks.exercises import Drawn, Exercise, choice, number, register

register("41.1", number(7, "three fours, and then?"), "count the rows")


def weights(source):
    weight = source.randint(10, 99)
    return Drawn({"5 kg": f"{weight} kg", "10": str(2 * weight)}, number(2 * weight, "twice"), "")


register("41.2", Exercise(number(10, "twice"), "double it", draw=weights))
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with a chapter that reads a table and asks two exercises."""
    monkeypatch.setattr(judging, "_own", {})
    monkeypatch.setattr(judging, "_read", set())
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "fgn_exercises.py").write_text(REGISTERED)
    (folder / "rows.csv").write_text("4,4,4\n")
    start = "from pathlib import Path\n\nfrom fgn_notebooks.exercises import check\n\n"
    save(
        folder / "41_fish.ipynb",
        prose("# 41 · Fish\n\nOur own · about 15 minutes · after 03 · of our lake"),
        code(f"{start}rows = Path('rows.csv').read_text().split(',')\nprint(len(rows))"),
        prose("**41.1** How many?"),
        code("answer = len(rows) + 4", "solution"),
        code('check("41.1", answer)'),
        prose("**41.2** What do two fish of 5 kg weigh?"),
        code("answer = 10", "solution"),
        code('check("41.2", answer)'),
    )
    return folder


def test_a_registered_exercise_is_judged_and_goes_before_one_of_the_course(monkeypatch):
    monkeypatch.setattr(judging, "_own", {})
    exercises.register("15.1", exercises.number(3, "three"), "think")
    assert exercises.check("15.1", 3) and not exercises.check("15.1", 0.5 / 56)
    assert exercises.find("15.1").hint == "think"
    assert exercises.find("15.2").kind == "closed"


@pytest.mark.parametrize("name", ["15", "fish", "15.x", ".1"])
def test_a_name_without_chapter_and_number_is_refused(name):
    with pytest.raises(ValueError, match=r"like '21\.1'"):
        exercises.register(name, exercises.number(3, "three"))


def test_own_chapters_are_listed_beside_the_courses_and_nothing_stays(own, capsys):
    assert cli.main(["list", "--own", str(own)]) == 0
    listed = capsys.readouterr().out
    assert "41  fish " in listed and "15 min  after 03" in listed and "start_here" in listed
    assert chapters.own_folder() is None


def test_own_chapters_are_built_checked_shown_and_copied(own, tmp_path, capsys):
    word = ["--own", str(own)]
    assert cli.main(["build", "fish", *word]) == 0
    assert cli.main(["check", "41", *word]) == 0
    assert capsys.readouterr().out == "41_fish: stored\n41_fish: as stored\n"
    stored = chapters.read(own / "41_fish.ipynb")["cells"]
    assert "".join(stored[4]["outputs"][0]["text"]) == "41.1: right.\n"
    assert cli.main(["html", str(tmp_path / "pages"), "fish", *word]) == 0
    page = (tmp_path / "pages" / "41_fish.html").read_text()
    assert "How many?" in page and "41.1: right" not in page
    mine = tmp_path / "mine"
    assert cli.main(["copy", str(mine), "--student", "Ada", *word]) == 0
    assert (mine / "rows.csv").exists() and (mine / "fgn_exercises.py").exists()
    copied = [source(cell) for cell in chapters.read(mine / "41_fish.ipynb")["cells"]]
    assert chapters.STUB in copied and "5 kg" not in copied[5]
    assert cli.main(["check", "41", "--copy", str(mine)]) == 0  # the exercises came with it


def test_own_exercises_are_marked_with_the_numbers_of_a_student(own, tmp_path, capsys):
    weight = judging.draw("41.2", weights(own), "Ada").replace["10"]
    for student, answers in {"Ada": ("7", weight), "Bob": ("8", "10")}.items():
        notebook = chapters.read(own / "41_fish.ipynb")
        cells = [c for c in notebook["cells"] if chapters.is_solution(c)]
        for cell, answer in zip(cells, answers, strict=True):
            cell["source"] = f"answer = {answer}"
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        chapters.write(notebook, folder / "41_fish.ipynb")
    words = ["mark", str(tmp_path / "class"), "--own", str(own), "--by-folder"]
    assert cli.main(words) == 0
    rows = [line.split()[:3] for line in capsys.readouterr().out.splitlines()[2:]]
    assert rows == [
        ["Ada", "41.1", "yes"],
        ["Ada", "41.2", "yes"],
        ["Bob", "41.1", "no"],
        ["Bob", "41.2", "no"],
    ]


def weights(own):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(judging.OWN_FOLDER, str(own))
        return judging.of_chapter("41")["41.2"]


def test_a_chapter_of_ones_own_is_no_chapter_of_the_checkout_to_the_builder(own):
    assert build.build(chapters.Chapter("41", "Fish", own / "41_fish.ipynb"))


def test_a_student_without_the_tables_is_marked_and_cannot_bring_exercises_or_tables(own, tmp_path):
    notebook = chapters.read(own / "41_fish.ipynb")
    cell = next(c for c in notebook["cells"] if chapters.is_solution(c))
    cell["source"] = "answer = sum(map(int, rows)) - 5"  # of the table, so that it is read
    for student in ("Ada", "Bob"):
        (tmp_path / "class" / student).mkdir(parents=True)
        chapters.write(notebook, tmp_path / "class" / student / "41_fish.ipynb")
    (tmp_path / "class/Bob/rows.csv").write_text("5\n")
    easy = REGISTERED.replace("number(7,", "number(0,").replace("number(10,", "number(10.5,")
    (tmp_path / "class/Bob/fgn_exercises.py").write_text(easy)
    marks = tmp_path / "marks.csv"
    words = ["mark", str(tmp_path / "class"), "fish", "--own", str(own), "--csv", str(marks)]
    assert cli.main(words) == 0
    rows = [line.split(",")[:3] for line in marks.read_text().splitlines()[1:]]
    assert rows == [[who, f"41.{n}", "yes"] for who in ("Ada", "Bob") for n in (1, 2)]


def test_a_table_or_exercises_that_a_student_changed_are_kept_too(own, tmp_path, monkeypatch):
    monkeypatch.setenv(judging.OWN_FOLDER, str(own))
    dest = tmp_path / "copy"
    copies.copy(dest)
    table = dest / "rows.csv"
    ours = table.read_bytes()
    assert copies.copy(dest).written == ()
    (own / "rows.csv").write_bytes(ours + b"1\n")
    assert copies.copy(dest).written == ("rows.csv",)  # nobody changed it: brought up to date
    table.write_text("mine\n")
    done = copies.copy(dest)
    assert table.read_text() == "mine\n" and "rows.csv" in done.kept
    done = copies.copy(dest, force=True)
    assert done.set_aside == ("rows.mine.csv",)
    assert (dest / "rows.mine.csv").read_text() == "mine\n"
    assert table.read_bytes() == ours + b"1\n"


def test_open_shows_an_own_chapter_in_a_copy_that_has_its_tables(own, tmp_path, monkeypatch):
    started = []

    def lab(command, cwd):
        started.append((command[3], cwd))
        return contextlib.nullcontext(SimpleNamespace(wait=lambda: 0))

    monkeypatch.setattr(subprocess, "Popen", lab)
    mine = tmp_path / "mine"
    assert cli.main(["open", "FISH", "--own", str(own), "--dest", str(mine)]) == 0
    assert started == [("41_fish.ipynb", mine)]
    assert {"41_fish.ipynb", "rows.csv", "fgn_exercises.py"} <= {p.name for p in mine.iterdir()}


def test_the_site_has_own_chapters_among_its_pages_and_runs_them_with_their_tables(own, tmp_path):
    build.build(chapters.Chapter("41", "Fish", own / "41_fish.ipynb"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(judging.OWN_FOLDER, str(own))
        few = [chapters.find("3"), chapters.find("fish")]
        patch.setattr(chapters, "chapters", lambda where=None: tuple(few))
        site.lite.write(few, tmp_path / "site")
    files = tmp_path / "site/lite/files"
    assert (files / "rows.csv").exists() and (files / "fgn_exercises.py").exists()
    there = json.loads((files / "41_fish.ipynb").read_text())
    assert [source(c) for c in there["cells"]].count(chapters.STUB) == 2


@pytest.mark.parametrize("name", ["fish.ipynb", "1_fish.ipynb", "notes.txt"])
def test_a_folder_without_a_chapter_says_how_chapters_are_named(tmp_path, name, capsys):
    (tmp_path / name).write_text("{}")
    assert cli.main(["list", "--own", str(tmp_path)]) == 1
    assert "expected files named like 41_our_lake.ipynb" in capsys.readouterr().err


def test_a_folder_may_hold_exercises_for_chapters_of_the_course_alone(tmp_path):
    (tmp_path / "fgn_exercises.py").write_text("")
    assert cli.main(["list", "--own", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\nregister('41.1', 3)\n", "line 2: .* ValueError: the exercise 41.1 is 3: expected what"),
        ("\nregister(\n", r"line 2: .* SyntaxError: '\(' was never closed"),
        ("\n\n1 / 0\n", "line 3: the exercises cannot be read: ZeroDivisionError: division by"),
    ],
)
@pytest.mark.parametrize("words", [["copy", "DEST", "--student", "Ada"], ["mark", "CLASS", "41"]])
def test_a_file_of_exercises_that_breaks_is_told_with_its_line(
    own, words, text, says, tmp_path, monkeypatch, capsys
):
    file = own / "fgn_exercises.py"
    file.write_text("from fgn_notebooks.exercises import register" + text)
    (tmp_path / "CLASS" / "ada").mkdir(parents=True)
    shutil.copy(own / "41_fish.ipynb", tmp_path / "CLASS" / "ada")
    monkeypatch.chdir(tmp_path)
    assert cli.main([*words, "--own", str(own)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"fgn: {file}, line") and re.search(says, said)
    file.write_text(REGISTERED)  # mended, it is read anew
    assert "41.1" in judging.of_chapter("41") or cli.main([*words, "--own", str(own)]) == 0


def test_an_exercise_that_nobody_registered_is_told_and_no_students_answer_is_wrong(own, tmp_path):
    (own / "fgn_exercises.py").write_text("")
    (tmp_path / "CLASS" / "ada").mkdir(parents=True)
    shutil.copy(own / "41_fish.ipynb", tmp_path / "CLASS" / "ada")
    with pytest.raises(chapters.CourseError, match=r"41_fish.ipynb checks 41\.1, 41\.2, which"):
        marking.mark(tmp_path / "CLASS", [chapters.find("41", own)])
