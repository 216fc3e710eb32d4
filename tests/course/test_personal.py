"""Numbers drawn from a student's name: the question, our answer and the check go together."""

import ast
import random

import matplotlib
import pytest
from course_notebooks import code, prose, save

from fgn_notebooks import chapters, cli
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import Drawn, Exercise, check, judging, number
from fgn_notebooks.exercises.drawing import DRAWN
from fgn_notebooks.students import copies, personal
from fgn_notebooks.teachers.marking import cells

STUDENTS = ("Ada Lovelace", "Évariste Galois", "山田 花子", "O'Brien")


def of(name):
    return chapters.read(chapters.find(name.partition(".")[0]).path)


def question(notebook, name):
    (text,) = [source(c) for c in notebook["cells"] if f"**{name}**" in source(c)]
    return text[text.index(f"**{name}**") :]


def answered(notebook, name):
    """What our answer's code gives, run with the cells of the chapter that it needs."""
    read = [cells.read(source(c)) for c in notebook["cells"] if c["cell_type"] == "code"]
    (place,) = [k for k, cell in enumerate(read) if name in {check.name for check in cell.checks}]
    space: dict[str, object] = {}
    matplotlib.use("Agg")
    for _, text in sorted(cells.needed(read, (), [(place - 1, "answer")]).items()):
        exec(text, space)
    return space["answer"]


@pytest.mark.parametrize("name", DRAWN)
def test_our_answer_to_the_drawn_question_is_right_and_others_answers_are_not(name):
    stored, mine = of(name), personal.numbers(of(name), STUDENTS[0])
    assert question(mine, name) != question(stored, name)
    answer = answered(mine, name)
    assert check(name, answer, STUDENTS[0])
    judged = [bool(check(name, answer, f"student {k}")) for k in range(40)]
    assert sum(judged) <= 20, "too many students have the same answer"
    assert check(name, answered(stored, name), "")


@pytest.mark.parametrize("name", DRAWN)
def test_every_number_of_a_question_that_changes_is_found_in_the_chapter(name):
    stored = of(name)
    asked = question(stored, name)
    text = "\n".join(source(c) for c in stored["cells"] if chapters.is_solution(c)) + asked
    for student in STUDENTS:
        drawn = judging.draw(name, judging.find(name, ""), student)
        assert [piece for piece in drawn.replace if piece not in text] == []
        for cell in personal.numbers(stored, student)["cells"]:
            if cell["cell_type"] == "code":
                ast.parse(source(cell))


@pytest.mark.parametrize("name", DRAWN)
def test_everybody_has_a_copy_also_whoever_draws_the_numbers_that_are_stored(name):
    stored = of(name)
    for k in range(60):
        student = f"Student {k}"
        drawn = judging.draw(name, judging.find(name, ""), student).replace
        mine = personal.numbers(stored, student)
        asked = question(stored, name)
        assert all(to in question(mine, name) for piece, to in drawn.items() if piece in asked)


def test_a_teachers_draw_that_breaks_is_told_with_the_exercise(tmp_path, monkeypatch, capsys):
    exercise = Exercise(number(1, "one"), "", draw=lambda source: 1 / 0)
    monkeypatch.setattr(judging, "_own", {"01.1": exercise})
    assert cli.main(["copy", str(tmp_path / "copy"), "--student", "Ada"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("fgn: no numbers can be drawn for Ada in 01.1: ZeroDivisionError")


def test_the_same_name_gives_the_same_numbers_however_it_is_typed():
    first, second = (
        personal.numbers(of("05"), name)["cells"] for name in ("Ada Lovelace", " ada  LOVELACE")
    )
    asked = [question({"cells": found}, "05.1") for found in (first, second)]
    assert asked[0] == asked[1]


def test_a_copy_for_a_student_asks_for_the_students_numbers_and_stays_the_students(tmp_path):
    chapter = chapters.find("05").path.name
    copies.copy(tmp_path, student="Ada")
    mine = chapters.read(tmp_path / chapter)
    assert question(mine, "05.1") == question(personal.numbers(of("05"), "Ada"), "05.1")
    assert any(source(c) == "check(\"05.1\", answer, student='Ada')" for c in mine["cells"])
    assert copies.copy(tmp_path).written == ()


def test_the_hint_in_a_students_copy_is_the_one_for_drawn_numbers(tmp_path, monkeypatch):
    (tmp_path / judging.RECORD).write_text('{"student": "Ada"}')
    monkeypatch.chdir(tmp_path)
    drawn = judging.draw("09.3", judging.find("09.3", ""), "Ada")
    assert judging.find("09.3").hint == drawn.hint != judging.find("09.3", "").hint


def test_a_question_without_the_number_to_be_replaced_is_a_fault_that_is_told(tmp_path):
    exercise = Exercise(
        number(2, "two"), "", draw=lambda source: Drawn({"7": "8"}, number(8, "eight"), "")
    )
    judging.register("97.1", exercise)
    chapter = save(tmp_path / "97_x.ipynb", prose("# X\n\n**97.1** What is 1 + 1?"), code("1"))
    with pytest.raises(chapters.CourseError, match=r"97\.1 holds none of \['7'\]"):
        personal.numbers(chapters.read(chapter.path), "Ada")


def test_what_was_put_in_is_not_replaced_once_more():
    exercise = Exercise(
        number(1, ""), "", draw=lambda source: Drawn({"1": "2", "2": "1"}, number(1, ""), "")
    )
    assert personal._replaced("1 and 2", exercise.draw(random.Random(0)).replace) == "2 and 1"
