"""Marking a class: what runs, what is right, and what a copy cannot do."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import slow

from fgn_notebooks import chapters, cli
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import judging
from fgn_notebooks.students import personal
from fgn_notebooks.teachers import marking
from fgn_notebooks.teachers.marking import cells, handed_in
from fgn_notebooks.teachers.marking import table as table_of_marks

CHAPTER = chapters.find("01")
ANSWERS = {
    "01.1": "answer = 4 / 7",
    "01.2": "answer = normalize(theta @ np.array([[0.1], [0.3], [0.6]]))[:, 0]",
}

PROOF = (
    "nothing was seen below, hence every message that climbs is flat, and a flat factor "
    "leaves proportions alone once the product has been divided by its own total again"
)


def right(student):
    """What is right for a student in exercise 01.1, as an expression; 4 / 7 for nobody."""
    drawn = judging.draw("01.1", judging.find("01.1", ""), student)
    if drawn is None:
        return "4 / 7"
    two_fifths, two_thirds = drawn.replace["2 / 5"], drawn.replace["2 / 3"]
    three_fifths, third = drawn.replace["3 / 5"], drawn.replace["1 / 3"]
    above = f"{two_fifths} * {two_thirds}"
    return f"({above}) / ({above} + {three_fifths} * {third})"


def hand_in(folder, student, answers=ANSWERS, name=CHAPTER.path.name, number_of=None, extra=""):
    """A student's copy of chapter 01 in which those answers were typed.

    Its numbers are the student's own, for whom 4 / 7 becomes what is right, or ``number_of``'s.
    """
    whose = student.replace("_", " ") if number_of is None else number_of
    notebook = chapters.without_solutions(personal.numbers(chapters.read(CHAPTER.path), whose))
    for before, after in zip(notebook["cells"], notebook["cells"][1:], strict=False):
        asked = personal.ASKED.search(source(before))
        if asked and after["cell_type"] == "code" and asked[1] in answers:
            text = answers[asked[1]]
            after["source"] = text.replace("4 / 7", right(whose)) if number_of is None else text
    if extra:
        notebook["cells"][1]["source"] = source(notebook["cells"][1]) + "\n" + extra
    (folder / student).mkdir(parents=True, exist_ok=True)
    chapters.write(notebook, folder / student / name)


def table(marks):
    return {(mark.student, mark.exercise): (mark.right, mark.error) for mark in marks}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A class: one who is right, one who is wrong and one whose code breaks and spies."""
    made = tmp_path_factory.mktemp("class")
    hand_in(made, "ada")
    (made / "ada" / judging.TRIES).write_text('{"01.1": 3}')
    (made / "ada" / "mine.csv").write_text("1.0")
    outlined = f"answer = {PROOF!r}"
    hand_in(made, "bob", {"01.1": "answer = 5", "01.2": "answer = 1 / 0", "01.4": outlined})
    spy = (
        "import os\nfrom pathlib import Path\n"
        "answer = (len(os.environ) > 25 or Path.home() == Path('/root') or 'SECRET' in os.environ)"
        "\nif not answer and not Path('mine.csv').exists():\n    answer = 4 / 7"
    )
    hand_in(made, "eve", {"01.1": spy, "01.2": "answer = 2"}, number_of="Ada Lovelace")
    (made / "fay").mkdir()
    (made / "fay" / CHAPTER.path.name).write_text("{ half a file")
    hand_in(made, "gil", {})
    return made


@pytest.fixture(scope="module")
def marks(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET", "a key of the teacher's")
        return marking.mark(folder, [CHAPTER])


def test_every_student_has_a_row_for_every_exercise(marks):
    names = handed_in.exercises(CHAPTER)
    assert [(m.student, m.exercise) for m in marks] == [
        (student, name) for student in ("ada", "bob", "eve", "fay", "gil") for name in names
    ]


def test_right_answers_are_right_and_what_was_not_begun_is_missing(marks):
    found = table(marks)
    assert found["ada", "01.1"] == found["ada", "01.2"] == ("yes", "")
    assert found["ada", "01.3"] == found["gil", "01.1"] == ("missing", "")


def test_tries_are_those_that_the_copy_counted(marks):
    tries = {(m.student, m.exercise): m.tries for m in marks}
    assert (tries["ada", "01.1"], tries["ada", "01.2"], tries["bob", "01.1"]) == (3, None, None)


def test_a_wrong_answer_says_what_to_look_at_and_an_error_does_not_end_the_copy(marks):
    found = table(marks)
    assert found["bob", "01.1"][0] == "no" and "multiply value by value" in found["bob", "01.1"][1]
    assert found["bob", "01.2"] == ("no", "ZeroDivisionError: division by zero")
    assert found["bob", "01.4"] == ("read", "")
    assert found["fay", "01.1"][0] == "missing" and "cannot be read" in found["fay", "01.1"][1]


def test_a_copy_sees_an_empty_environment_and_a_home_of_its_own_and_no_other_students_files(marks):
    right, note = table(marks)["eve", "01.1"]
    assert right == "no" and "of 'Ada Lovelace'" in note  # 4/7 is nobody's answer but of the plain
    assert "look at" not in note and "False" not in note


@pytest.mark.parametrize(
    ("text", "extra", "runs"),
    [
        ("answer = 4 / svn", "", 1),  # nobody makes it
        ("answer = 4 / seven", "if np is None:\n    seven = 7", 2),
        pytest.param(  # who knows what is in it
            *("answer = 4 / ten", "from math import *", 2), marks=slow
        ),
        pytest.param(  # behind another error
            *("answer = 4 / seven", "1 / 0\nif np is None:\n    seven = 7", 2), marks=slow
        ),
        pytest.param(*("answer = 1 / 0", "", 1), marks=slow),
    ],
)
def test_a_copy_runs_once_more_only_if_a_cell_makes_the_name_that_was_lost(
    text, extra, runs, tmp_path, monkeypatch
):
    counted = []
    run = table_of_marks._run
    monkeypatch.setattr(table_of_marks, "_run", lambda *given: (counted.append(1), run(*given))[1])
    hand_in(tmp_path, "ada", {"01.1": text}, extra=extra)
    marking.mark(tmp_path, [CHAPTER])
    assert len(counted) == runs


def test_whose_numbers_are_asked_for_is_the_copys_word_or_that_of_the_folder(tmp_path):
    mine = f"answer = {right('Ada Lovelace')}"
    hand_in(tmp_path, "Ada_Lovelace", {"01.1": mine}, number_of="Ada Lovelace")
    hand_in(tmp_path, "Bob", {"01.1": mine}, number_of="Ada Lovelace")
    said = table(marking.mark(tmp_path, [CHAPTER]))
    assert said["Ada_Lovelace", "01.1"] == ("yes", "")
    assert said["Bob", "01.1"] == ("yes", "its numbers are those of 'Ada Lovelace'")
    said = table(marking.mark(tmp_path, [CHAPTER], by_folder=True))
    assert said["Ada_Lovelace", "01.1"] == ("yes", "")
    assert said["Bob", "01.1"][0] == "no"


@slow  # test_hand_ins.py has a copy that never ends, and one that takes too much memory
def test_time_and_memory_have_an_end_and_the_others_are_marked_all_the_same(tmp_path):
    hand_in(tmp_path, "loops", {"01.1": "while True: pass", "01.2": ANSWERS["01.2"]})
    hand_in(tmp_path, "eats", {"01.1": "x = bytearray(3 * 2**30)\nanswer = 4 / 7"})
    hand_in(tmp_path, "late", {"01.1": ANSWERS["01.1"], "01.2": "while True: pass"})
    hand_in(tmp_path, "quits", {"01.1": "import os\nos._exit(1)", "01.2": ANSWERS["01.2"]})
    hand_in(tmp_path, "works")
    said = table(marking.mark(tmp_path, [CHAPTER], marking.Limits(seconds=6, memory=2048)))
    assert said["loops", "01.1"] == ("no", "its time is over")
    assert said["loops", "01.2"] == ("yes", "")  # run again, without the cell that never ends
    assert said["loops", "01.5"] == ("missing", "")  # the function to repair is the chapter's
    assert said["late", "01.1"] == ("yes", "")
    assert said["late", "01.2"] == ("no", "its time is over")
    assert said["eats", "01.1"] == ("no", "MemoryError: ")
    assert said["quits", "01.1"] == ("no", "it ended its own process (exit status 1)")
    assert said["quits", "01.2"] == ("yes", "")
    assert said["works", "01.1"] == ("yes", "")


def test_the_table_is_a_csv_file_that_no_spreadsheet_runs(tmp_path):
    row = marking.Mark("=cmd()", "01.1", "no", None, "+1")
    marking.write_csv([row, marking.Mark("ada", "01.1", "yes", 2, "")], tmp_path / "marks.csv")
    with (tmp_path / "marks.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["student", "exercise", "right", "tries", "error"],
        ["'=cmd()", "01.1", "no", "", "'+1"],
        ["ada", "01.1", "yes", "2", ""],
    ]


def test_the_command_says_how_far_it_is_and_where_the_table_is(tmp_path, capsys):
    hand_in(tmp_path / "class", "gil", {})
    words = ["mark", str(tmp_path / "class"), "1", "--csv", str(tmp_path / "marks.csv")]
    assert cli.main(words) == 0
    said = capsys.readouterr().out
    assert "gil/01_messages_and_blocks.ipynb: 6 missing" in said and "marks.csv: 6 rows" in said


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_without_copies_is_refused(tmp_path, make, capsys):
    if make:
        (tmp_path / "class" / "ada").mkdir(parents=True)
    assert cli.main(["mark", str(tmp_path / "class")]) == 1
    assert "expected" in capsys.readouterr().err


def test_a_folder_that_is_one_students_says_what_lies_there(tmp_path, capsys):
    hand_in(tmp_path, "class")
    assert cli.main(["mark", str(tmp_path / "class")]) == 1
    assert "found 1 notebooks in FOLDER itself" in capsys.readouterr().err


UNREAD = {
    "half": b'{"cells": [',
    "empty": b"",
    "latin": '{"cells": [{"cell_type": "code", "source": "caf\xe9"}]}'.encode("latin-1"),
    "utf16": '{"cells": []}'.encode("utf-16"),
    "deep": b"[" * 100_000,
    "old": b'{"worksheets": [], "nbformat": 3}',
    "list": b"[]",
    "null": b'{"cells": null}',
    "number": b'{"cells": [{"cell_type": "code", "source": 3}]}',
}


def test_a_file_that_is_no_notebook_costs_nobody_else_the_marks(tmp_path):
    for student, content in UNREAD.items():
        (tmp_path / student).mkdir()
        (tmp_path / student / CHAPTER.path.name).write_bytes(content)
    (tmp_path / "folder" / CHAPTER.path.name).mkdir(parents=True)
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / CHAPTER.path.name).symlink_to(tmp_path / "nowhere")
    hand_in(tmp_path, "works")
    (tmp_path / "works" / judging.TRIES).write_text('{"01.1": Infinity}')
    said = table(marking.mark(tmp_path, [CHAPTER]))
    assert said["works", "01.1"] == ("yes", "")
    for student in (*UNREAD, "folder", "gone"):
        right, error = said[student, "01.1"]
        assert right == "missing" and error.startswith("the file cannot be read: ")
        assert "Error" not in error and "\\x" not in error and len(error) < 200


def test_a_notebook_with_a_mark_of_its_coding_is_read(tmp_path):
    hand_in(tmp_path, "ada")
    path = tmp_path / "ada" / CHAPTER.path.name
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    (copy,) = handed_in.find(tmp_path, [CHAPTER])
    assert not copy.fault and copy.asked


@pytest.mark.parametrize(
    "odd",
    [
        "nonlocal x",
        "def f(a, a): pass",
        "x = " + "-" * 3000 + "1",
        "x = " + "+".join("1" * 20_000),
        "x = '\ud800'",
    ],
)
def test_a_cell_that_cannot_be_read_is_broken_and_no_more(odd):
    assert cells.read(odd).broken
    chosen = cells.needed([cells.read("y = 1"), cells.read(odd)], {1}, [(1, "y")])
    assert chosen == {0: "y = 1", 1: odd}


def test_half_a_character_is_an_error_of_its_cell(tmp_path):
    hand_in(tmp_path, "ada", extra="x = 'HALF'")
    hand_in(tmp_path, "eve", {"01.1": "answer = 'HALF'", "01.2": ANSWERS["01.2"]})
    for path in tmp_path.glob("*/*.ipynb"):
        path.write_text(path.read_text(encoding="utf-8").replace("HALF", "\\ud800"), "utf-8")
    said = table(marking.mark(tmp_path, [CHAPTER]))
    assert said["ada", "01.1"][1] == r"SyntaxError: the cell holds half a character, '\ud800'"
    assert said["eve", "01.1"][0] == "no" and said["eve", "01.2"] == ("yes", "")


def test_the_first_error_before_an_answer_is_told(tmp_path):
    hand_in(tmp_path, "ada", {"01.1": "x = y\nanswer = 1"}, extra="1 / 0")
    said = table(marking.mark(tmp_path, [CHAPTER]))
    assert said["ada", "01.1"] == ("no", "ZeroDivisionError: division by zero")


def test_a_cell_that_is_no_python_is_told_by_its_line_and_by_no_name_of_a_file(tmp_path):
    hand_in(tmp_path, "ada", {"01.1": "answer = 1\nanswer = = 2"})
    said = table(marking.mark(tmp_path, [CHAPTER]))
    assert said["ada", "01.1"] == ("no", "SyntaxError: invalid syntax (line 2)")


def test_a_copy_that_breaks_the_marking_costs_no_other_its_marks(tmp_path, monkeypatch):
    hand_in(tmp_path, "ada")
    hand_in(tmp_path, "eve")
    run = table_of_marks._copy

    async def breaks(copy, marking):
        if copy.student == "eve":
            raise RuntimeError("never thought of")
        return await run(copy, marking)

    monkeypatch.setattr(table_of_marks, "_copy", breaks)
    said = table(marking.mark(tmp_path, [CHAPTER]))
    assert said["ada", "01.1"] == ("yes", "")
    assert said["eve", "01.1"] == ("missing", "could not be marked: RuntimeError: never thought of")


def test_nobody_is_lost_whatever_is_in_the_folder(tmp_path):
    hand_in(tmp_path, "ada", name=CHAPTER.path.stem.upper() + ".IPYNB")
    hand_in(tmp_path, "bob/unpacked")
    (tmp_path / "eve").mkdir()
    (tmp_path / "fay").mkdir()
    (tmp_path / "fay" / "homework.ipynb").write_text("{ half a file")
    hand_in(tmp_path, ".ipynb_checkpoints")
    said = {
        student: words
        for (student, name), words in table(marking.mark(tmp_path, [CHAPTER])).items()
        if name == "01.1"
    }
    assert said == {
        "ada": ("yes", ""),
        "bob": ("missing", "not handed in (no notebook in the folder: it holds unpacked)"),
        "eve": ("missing", "not handed in (no notebook in the folder: it holds nothing)"),
        "fay": (
            "missing",
            "not handed in (of no chapter by name or exercises, or not to be read: homework.ipynb)",
        ),
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")
def test_a_pipe_that_never_ends_keeps_no_other_from_being_marked(tmp_path):
    hand_in(tmp_path, "ada", {"01.1": f"answer = {right('ada')}"})
    (tmp_path / "eve").mkdir()
    for name in (CHAPTER.path.name, ".fgn-tries.json"):
        os.mkfifo(tmp_path / "eve" / name)
    found = {
        m.student: (m.right, m.error)
        for m in marking.mark(tmp_path, [CHAPTER])
        if "1.1" in m.exercise
    }
    assert found["ada"] == ("yes", "") and found["eve"][0] == "missing"
    assert f"it holds {CHAPTER.path.name}" in found["eve"][1]


def test_a_folder_that_cannot_be_read_keeps_no_other_from_being_marked(tmp_path, monkeypatch):
    """Root may read all, so the system's refusal is played."""
    hand_in(tmp_path, "ada", {"01.1": f"answer = {right('ada')}"})
    hand_in(tmp_path, "eve", {})
    listed, access = Path.iterdir, os.access

    def refused(path):
        if path.name == "eve":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", refused)
    monkeypatch.setattr(os, "access", lambda p, *w: Path(p).name != "eve" and access(p, *w))
    notes = []
    marks = marking.mark(tmp_path, [CHAPTER], noted=notes.append)
    found = {m.student: (m.right, m.error) for m in marks if m.exercise == "01.1"}
    assert found["ada"] == ("yes", "")
    assert found["eve"] == ("missing", "not handed in (the folder cannot be read)")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_name_that_is_no_text_is_shown_by_its_bytes(tmp_path):
    hand_in(tmp_path, "eve", {})
    folder = os.fsencode(tmp_path / "class")
    os.mkdir(folder)
    os.rename(os.fsencode(tmp_path / "eve"), folder + b"/caf\xe9")
    words = ["mark", str(tmp_path / "class"), "1", "--csv", str(tmp_path / "marks.csv")]
    done = subprocess.run(
        [sys.executable, "-m", "fgn_notebooks", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0 and r"caf\xe9/01_messages" in done.stdout
    assert r"caf\xe9,01.1,missing" in (tmp_path / "marks.csv").read_text(encoding="utf-8")


# ---- which cells run ------------------------------------------------------------------------


def run(texts, expression, own=()):
    read = [cells.read(text) for text in texts]
    return cells.needed(read, own, [(len(texts) - 1, expression)])


def test_only_what_makes_a_needed_name_runs():
    texts = ["import numpy as np\nimport this", "x = 1\nprint(x)\ny = 2", "z = y", "w = np.ones(2)"]
    assert run(texts, "z") == {1: "y = 2", 2: "z = y"}
    assert run(texts, "w") == {0: "import numpy as np", 3: "w = np.ones(2)"}


def test_a_function_of_the_notebook_that_is_called_for_what_it_does_changes_what_it_gets():
    define = "def step(nodes):\n    nodes[0] += 1"
    assert run(["x = [0]", define, "step(x)", "print(x)"], "x") == {
        0: "x = [0]", 1: define, 2: "step(x)"
    }  # fmt: skip
    kind = "class Box:\n    def send(self):\n        self.sent = True"
    loop = "for box in boxes.values():\n    box.send()"
    texts = ["boxes = {}", kind, "boxes['a'] = Box()", loop]
    assert sorted(run(texts, "boxes['a'].sent")) == [0, 1, 2, 3]
    assert 2 not in run(["x = [0]", "import show", "show.it(x)", "step(x)"], "x")  # no own function


def test_what_changes_a_needed_name_in_place_runs_too():
    assert run(["x = []", "x.append(1)", "x[0] = 2", "print(x)"], "x") == {
        0: "x = []", 1: "x.append(1)", 2: "x[0] = 2"
    }  # fmt: skip
    own = ["def send(nodes): nodes[0] = 1", "x = [0]", "for _ in x:\n    send(x)", "print(x)"]
    assert sorted(run(own, "x")) == [0, 1, 2]  # a call that is made for what it does
    drawn = ["rng = f(0)", "a = g(rng)", "b = g(rng)"]
    assert sorted(run(drawn, "b")) == [0, 1, 2]


def test_a_name_that_a_function_looks_up_when_it_is_called_is_needed_as_it_is_then():
    texts = ["k = 1", "def f(): return k", "k = 2", "answer = f()"]
    assert sorted(run(texts, "answer"))[1:] == [1, 2, 3]


def test_a_loops_own_variable_is_no_name_that_is_needed():
    texts = ["k = slow()", "total = 0\nfor k in range(3):\n    total += k", "answer = total"]
    assert sorted(run(texts, "answer")) == [1, 2]


def test_everything_of_the_students_own_runs():
    texts = ["x = 1", "print('mine')", "answer = 3"]
    assert sorted(run(texts, "answer", own={1})) == [1, 2]


def test_a_check_that_was_taken_out_does_not_save_a_wrong_answer(tmp_path):
    hand_in(tmp_path, "ada")
    path = tmp_path / "ada" / CHAPTER.path.name
    notebook = chapters.read(path)
    notebook["cells"] = [c for c in notebook["cells"] if 'check("01.1"' not in source(c)]
    chapters.write(notebook, path)
    (copy,) = handed_in.find(tmp_path, [CHAPTER])
    (first,) = [asked for asked in copy.asked if asked.name == "01.1"]
    assert first.expression == "answer"
    assert copy.parts[first.place - 1].text == f"answer = {right('ada')}"


def test_a_file_is_known_by_its_name_or_by_what_it_checks(tmp_path):
    hand_in(tmp_path, "ada", name="my homework.ipynb")
    hand_in(tmp_path, "bob", name=CHAPTER.path.stem + " (1).ipynb")
    found = handed_in.find(tmp_path, chapters.chapters())
    assert [copy.chapter.number for copy in found] == ["01", "01"]


def test_marks_are_not_tries(tmp_path, monkeypatch):
    (tmp_path / judging.RECORD).write_text(json.dumps({}))
    monkeypatch.chdir(tmp_path)
    judging.judge("01.1", 3)
    assert not (tmp_path / judging.TRIES).exists()


def test_of_two_files_of_a_chapter_the_better_answer_counts_whichever_comes_first(tmp_path):
    outlined = f"answer = {PROOF!r}"
    names = CHAPTER.path.name, CHAPTER.path.name.replace(".ipynb", "-Copy1.ipynb")
    for student, (full, worse) in {"eve": names, "dee": names[::-1]}.items():
        hand_in(tmp_path, student, {**ANSWERS, "01.4": outlined}, name=full)
        wrong = {"01.1": "answer = 5"}
        hand_in(tmp_path, student, wrong, name=worse)
    found = table(marking.mark(tmp_path, [CHAPTER]))
    for student in ("eve", "dee"):
        right = {name: found[student, name][0] for name in ("01.1", "01.2", "01.4")}
        assert right == {"01.1": "yes", "01.2": "yes", "01.4": "read"}
