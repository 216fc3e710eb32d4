"""A teacher's own chapters and exercises, beside those of the course, through every command."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from course_notebooks import code, edit, prose, save
from tiers import slow

from fgn_notebooks import chapters, cli, exercises
from fgn_notebooks.authors import build, site
from fgn_notebooks.authors.site import overview
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import judging
from fgn_notebooks.students import copies, personal
from fgn_notebooks.teachers import marking, pack

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


@pytest.mark.parametrize(
    "checked", [False, pytest.param(True, marks=slow)], ids=["copied", "copied and checked"]
)
def test_own_chapters_are_built_checked_shown_and_copied(own, tmp_path, capsys, checked):
    word = ["--own", str(own)]
    assert cli.main(["build", "fish", *word]) == 0
    assert cli.main(["check", "41", *word]) == 0
    assert capsys.readouterr().out == "41_fish: stored\n41_fish: as stored\n"
    stored = chapters.read(own / "41_fish.ipynb")["cells"]
    assert "".join(stored[4]["outputs"][0]["text"]) == "41.1: right.\n"
    if checked:
        assert cli.main(["html", str(tmp_path / "pages"), "fish", *word]) == 0
        page = (tmp_path / "pages" / "41_fish.html").read_text()
        assert "How many?" in page and "41.1: right" not in page
    mine = tmp_path / "mine"
    assert cli.main(["copy", str(mine), "--student", "Ada", *word]) == 0
    assert (mine / "rows.csv").exists() and (mine / "fgn_exercises.py").exists()
    copied = [source(cell) for cell in chapters.read(mine / "41_fish.ipynb")["cells"]]
    assert chapters.STUB in copied and "5 kg" not in copied[5]
    # the exercises came with it
    assert not checked or cli.main(["check", "41", "--copy", str(mine)]) == 0


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
@pytest.mark.parametrize(
    "words",
    [
        ["copy", "DEST", "--student", "Ada"],
        pytest.param(["mark", "CLASS", "41"], marks=slow),
    ],
)
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


def test_the_site_has_a_page_for_a_lab_of_a_teachers_own_and_its_code(own, tmp_path):
    text = pack.pages()["own_labs"]
    lines = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    save(own / "42_walk.ipynb", prose("# 42 · A walk\n\nOur own"), code(lines, "lab"))
    chapter = chapters.Chapter("42", "A walk", own / "42_walk.ipynb")
    with pytest.raises(chapters.CourseError, match="has the tag 'lab' and stores no picture"):
        overview.lab_pages([chapter], tmp_path, True)
    build.build(chapter)
    made = overview.lab_pages([chapter], tmp_path, True)
    (name,) = [name for name in made if name != "index"]
    assert name.startswith("42_walk-") and (tmp_path / f"lab-{name}.png").exists()
    assert "# A random walk" in made[name] and name in made["index"]
    address = re.search(r'data-src="([^"]+)"', made[name])[1]
    asked = parse_qs(urlsplit(unescape(address)).query)
    assert asked["code"][0].strip().endswith(lines.strip())


def test_the_lab_of_the_page_on_labs_is_a_cell_that_fgn_build_takes(own, capsys):
    """Our own chapters have no cell of its length."""
    lines = re.search(r"```python\n(.*?)```", pack.pages()["own_labs"], re.DOTALL)[1]
    save(own / "42_walk.ipynb", prose("# 42 · A walk\n\nOur own"), code(lines, "lab"))
    assert cli.main(["build", "42", "--own", str(own)]) == 0
    assert capsys.readouterr().out == "42_walk: stored\n"


# ---- what fgn build refuses ------------------------------------------------------------------


def refused(own, capsys, number="41"):
    stored = {path: path.read_bytes() for path in own.iterdir()}
    assert cli.main(["build", number, "--own", str(own)]) == 1
    assert {path: path.read_bytes() for path in own.iterdir()} == stored, "something was stored"
    return capsys.readouterr().err


def change(own, place, **new):
    edit(own / "41_fish.ipynb", lambda cells: cells[place].update(new))


def test_an_answer_without_its_tag_is_refused_since_a_copy_would_hand_it_out(own, capsys):
    change(own, 3, metadata={})
    said = refused(own, capsys)
    assert (
        "the answer to 41.1 is in a cell without the tag 'solution'" in said and "41.2" not in said
    )


def test_an_answer_within_its_check_is_refused(own, capsys):
    change(own, 4, source='check("41.1", 7)')
    assert "the check of 41.1 holds 7" in refused(own, capsys)


def test_a_question_that_is_not_bold_is_refused(own, capsys):
    change(own, 2, source="41.1 How many?")
    assert "write its number in bold, **41.1**" in refused(own, capsys)


def test_a_question_without_a_check_is_refused(own, capsys):
    change(own, 4, source="answer")
    assert "the question 41.1 has no check" in refused(own, capsys)


def test_a_stub_without_our_answer_is_none_that_is_handed_out(own):
    change(own, 3, source=chapters.STUB, metadata={})
    assert cli.main(["build", "41", "--own", str(own)]) == 0


def test_an_own_answer_that_fails_its_test_is_refused(own, capsys):
    change(own, 3, source="answer = 8")
    assert "your own answer fails: 41.1: look again: three fours" in refused(own, capsys)


def test_an_own_answer_that_is_right_for_the_stored_numbers_alone_is_refused(own, capsys):
    change(own, 6, source="answer = 5 + 5  # 5 kg, 10")
    said = refused(own, capsys)
    assert "with the numbers of Ada Lovelace your own answer fails: 41.2: look again: twice" in said


def test_a_chapter_with_a_number_of_the_course_is_refused(own, capsys):
    (own / "41_fish.ipynb").rename(own / "05_fish.ipynb")
    said = refused(own, capsys, "fish")
    assert "05 is the number of a chapter of the course" in said and "checks 41.1" in said


def test_an_exercise_with_a_number_of_the_course_is_refused(own, capsys):
    text = REGISTERED + 'register("05.1", number(7, "seven"))\n'
    (own / "fgn_exercises.py").write_text(text)
    assert "registers 05.1, which the course has already" in refused(own, capsys)


def test_an_exercise_that_is_not_registered_is_refused(own, capsys):
    (own / "fgn_exercises.py").write_text(REGISTERED.replace('"41.1"', '"41.3"'))
    assert "checks 41.1, which fgn_exercises.py beside it does not register" in refused(own, capsys)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What do two fish of 15 kg weigh?", "but within a longer word or number"),
        ("What do two fish of 5 kgs weigh?", "but within a longer word or number"),
        ("What do two fish weigh?", "'5 kg', which is not in the question or the answer"),
    ],
)
def test_numbers_that_are_drawn_in_place_of_nothing_are_refused(own, question, says, capsys):
    change(own, 5, source=f"**41.2** {question}")
    assert says in refused(own, capsys)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("10, x10, 10x, 110, 0.10, 10.5, 10.", "7, x10, 10x, 110, 0.10, 10.5, 7."),
        ("cat, cats, bobcat, a cat.", "dog, cats, bobcat, a dog."),
        ("猫吃10克，有10条", "猫吃7克，有7条"),
        (r"\\frac{10}{3} + n_{10} - 10", r"\\frac{7}{3} + n_{7} - 7"),
    ],
)
def test_drawn_numbers_replace_no_part_of_a_longer_word_or_number(text, made):
    assert personal._replaced(text, {"10": "7", "cat": "dog"}) == made


LAB = """
import numpy as np
from matplotlib.figure import Figure
from fgnwidgets.widgets import Integer, Lab
from our_steps import steps


def draw(path, fig=None):
    fig = Figure(figsize=(4, 2))
    fig.add_subplot(xlabel="step").plot(path)
    return fig


def walk():
    controls = {"n": Integer("n", 2, 100, 10, "how many steps")}
    return Lab(steps, draw, title="A walk by the lake", controls=controls)
"""


@pytest.fixture
def own_lab(own):
    """A lab that lives in a module beside the chapter, with a second module and a private one."""
    (own / "our_lake.py").write_text(LAB)
    (own / "our_steps.py").write_text("def steps(*, n=10):\n    return list(range(n))\n")
    (own / "examination.py").write_text("answers = 42\n")
    edit(
        own / "41_fish.ipynb",
        lambda cells: cells.append(
            code("import our_lake\n\nour_lake.walk()", "lab") | {"id": "lab"}
        ),
    )
    return own


@pytest.mark.parametrize(
    "checked", [False, pytest.param(True, marks=slow)], ids=["built", "built and checked"]
)
def test_an_own_lab_may_live_in_a_module_beside_the_chapter(own_lab, tmp_path, capsys, checked):
    words = ["--own", str(own_lab)]
    assert cli.main(["build", "41", *words]) == 0
    assert not checked or cli.main(["check", "41", *words]) == 0
    assert cli.main(["copy", str(tmp_path / "mine"), *words]) == 0
    handed_out = {path.name for path in (tmp_path / "mine").glob("*.py")}
    assert handed_out == {"our_lake.py", "our_steps.py", "fgn_exercises.py"}
    assert not checked or cli.main(["check", "41", "--copy", str(tmp_path / "mine")]) == 0


def test_the_page_of_an_own_lab_holds_the_modules_that_it_imports(own_lab, tmp_path):
    chapter = chapters.Chapter("41", "Fish", own_lab / "41_fish.ipynb")
    build.build(chapter)
    made = overview.lab_pages([chapter], tmp_path, True)
    (name,) = [name for name in made if name != "index"]
    assert made[name].startswith("# A walk by the lake")
    address = re.search(r'data-src="([^"]+)"', made[name])[1]
    (text,) = parse_qs(urlsplit(unescape(address)).query)["code"]
    assert "examination" not in text
    text = text.removeprefix(overview.SETUP)
    ran = subprocess.run(
        [sys.executable, "-c", text + "\nprint(our_lake.walk().title)"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.stdout.strip().endswith("A walk by the lake"), ran.stderr


def test_a_module_of_the_teachers_is_there_when_a_class_is_marked_and_no_students_is(
    own_lab, tmp_path
):
    notebook = chapters.read(own_lab / "41_fish.ipynb")
    cell = next(c for c in notebook["cells"] if chapters.is_solution(c))
    cell["source"] = "from our_steps import steps\nanswer = len(steps(n=7))"
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "our_steps.py").write_text("steps = None")
    chapters.write(notebook, tmp_path / "class" / "ada" / "41_fish.ipynb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(judging.OWN_FOLDER, str(own_lab))
        rows = marking.mark(tmp_path / "class", [chapters.find("41")])
    assert [(row.right, row.error) for row in rows if row.exercise == "41.1"] == [("yes", "")]
