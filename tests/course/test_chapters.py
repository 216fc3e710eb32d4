"""Which chapters there are, and what a copy does with a student's work."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from course_notebooks import edit, prose, save

from fgn_notebooks import chapters
from fgn_notebooks.chapters import STUB, CourseError
from fgn_notebooks.exercises.judging import RECORD
from fgn_notebooks.students import copies

FIRST, SECOND = "00_first.ipynb", "01_second.ipynb"


def write_own_words(path: Path) -> str:
    edit(path, lambda cells: cells.append(prose("my own words") | {"id": "mine"}))
    return path.read_text()


def new_edition(folder: Path) -> None:
    edit(folder / FIRST, lambda cells: cells[1].update(source="print('one, improved')"))


def test_chapters_come_in_order_with_the_titles_of_their_first_headings(edition):
    listed = [(chapter.number, chapter.title) for chapter in chapters.chapters()]
    assert listed == [("00", "0. First words"), ("01", "1. Second words")]


@pytest.mark.parametrize(
    "name", ["1", "01", "01_second", "01_Second.ipynb", "second", "SECO", "nd w"]
)
def test_a_chapter_is_found_by_number_and_by_name(edition, name):
    assert chapters.find(name).path.name == SECOND


def test_an_unknown_chapter_is_refused_with_the_names_of_those_there_are(edition):
    with pytest.raises(CourseError, match="no chapter '7'.*00_first, 01_second"):
        chapters.find("7")


def test_a_part_of_several_names_is_refused_with_those_names(edition):
    with pytest.raises(CourseError, match="'words' is part of several names: 00_first, 01_second"):
        chapters.find("words")


@pytest.mark.parametrize(
    ("name", "number"), [("a", "A"), ("viterbi", "07"), ("C", "C"), ("9", "09")]
)
def test_chapters_of_the_course_are_found_by_letter_and_by_a_word(name, number):
    assert chapters.find(name).number == number


def test_the_chapters_are_found_from_any_folder():
    words = [sys.executable, "-m", "fgn_notebooks", "list"]
    listed = subprocess.run(words, cwd="/", capture_output=True, text=True, check=True).stdout
    assert "start_here" in listed


def test_a_copy_holds_every_chapter_byte_for_byte_where_nothing_is_left_out(edition, tmp_path):
    done = copies.copy(tmp_path / "mine")
    assert done.written == (FIRST, SECOND)
    assert (tmp_path / "mine" / FIRST).read_bytes() == (edition / FIRST).read_bytes()


def test_a_copy_never_overwrites_a_students_file(edition, tmp_path):
    mine = tmp_path / "mine"
    copies.copy(mine)
    words = write_own_words(mine / FIRST)
    new_edition(edition)
    done = copies.copy(mine)
    assert (mine / FIRST).read_text() == words
    assert (done.written, done.kept, done.behind) == ((), (FIRST,), (FIRST,))


def test_a_changed_file_is_behind_only_when_the_edition_has_something_new(edition, tmp_path):
    copies.copy(tmp_path / "mine")
    write_own_words(tmp_path / "mine" / FIRST)
    done = copies.copy(tmp_path / "mine")
    assert (done.kept, done.behind) == ((FIRST,), ())


def test_a_file_of_the_same_name_that_was_never_copied_is_the_students(edition, tmp_path):
    (tmp_path / "mine").mkdir()
    save(tmp_path / "mine" / FIRST, prose("# My own"))
    words = (tmp_path / "mine" / FIRST).read_text()
    assert copies.copy(tmp_path / "mine").kept == (FIRST,)
    assert (tmp_path / "mine" / FIRST).read_text() == words


def test_a_file_that_is_no_notebook_any_more_is_kept(edition, tmp_path):
    copies.copy(tmp_path / "mine")
    (tmp_path / "mine" / FIRST).write_text("{ half a file")
    assert copies.copy(tmp_path / "mine").kept == (FIRST,)
    assert (tmp_path / "mine" / FIRST).read_text() == "{ half a file"


@pytest.mark.parametrize("record", ["", "[]", '{"files": 3}'])
def test_without_a_readable_record_every_differing_file_is_kept(edition, tmp_path, record):
    copies.copy(tmp_path / "mine")
    new_edition(edition)
    (tmp_path / "mine" / RECORD).write_text(record)
    assert copies.copy(tmp_path / "mine").kept == (FIRST,)


def test_an_unchanged_file_is_brought_up_to_date_even_if_it_was_run(edition, tmp_path):
    mine = tmp_path / "mine"
    copies.copy(mine)
    edit(mine / FIRST, lambda cells: cells[1].update(execution_count=5))
    new_edition(edition)
    assert copies.copy(mine).written == (FIRST,)
    assert "improved" in (mine / FIRST).read_text()


def test_a_file_that_is_up_to_date_keeps_the_outputs_of_the_students_run(edition, tmp_path):
    mine = tmp_path / "mine"
    copies.copy(mine)
    edit(mine / FIRST, lambda cells: cells[1].update(execution_count=5))
    before = (mine / FIRST).read_bytes()
    assert copies.copy(mine).written == ()
    assert (mine / FIRST).read_bytes() == before


def test_force_replaces_a_changed_file_and_loses_nothing(edition, tmp_path):
    mine = tmp_path / "mine"
    copies.copy(mine)
    words = [write_own_words(mine / FIRST)]
    assert copies.copy(mine, force=True).set_aside == ("00_first.mine.ipynb",)
    words.append(write_own_words(mine / FIRST))
    assert copies.copy(mine, force=True).set_aside == ("00_first.mine1.ipynb",)
    assert (mine / FIRST).read_bytes() == (edition / FIRST).read_bytes()
    assert [path.read_text() for path in sorted(mine.glob("*.mine*"))] == words


def test_a_chapter_that_the_student_deleted_comes_back(edition, tmp_path):
    copies.copy(tmp_path / "mine")
    (tmp_path / "mine" / FIRST).unlink()
    assert copies.copy(tmp_path / "mine").written == (FIRST,)


def test_a_plain_copy_holds_no_trace_of_a_solution(edition, tmp_path):
    copies.copy(tmp_path / "mine")
    text = (tmp_path / "mine" / SECOND).read_text()
    assert "6 * 7" not in text and "42" not in text
    cell = chapters.read(tmp_path / "mine" / SECOND)["cells"][1]
    assert (cell["source"], cell["outputs"], cell["execution_count"]) == (STUB, [], None)


def test_a_plain_copy_does_not_say_what_was_said_of_our_answer(edition, tmp_path):
    said = [{"output_type": "stream", "name": "stdout", "text": ["right.\n"]}]
    edit(edition / SECOND, lambda cells: cells[2].update(outputs=said, execution_count=2))
    copies.copy(tmp_path / "mine")
    cell = chapters.read(tmp_path / "mine" / SECOND)["cells"][2]
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert cell["source"] == "print('two')"


def test_a_copy_with_solutions_holds_them_and_stays_of_that_kind(edition, tmp_path):
    mine = tmp_path / "mine"
    copies.copy(mine, with_solutions=True)
    assert (mine / SECOND).read_bytes() == (edition / SECOND).read_bytes()
    assert copies.copy(mine).written == ()
    assert "6 * 7" in (mine / SECOND).read_text()


def test_solutions_can_be_had_later_but_not_over_an_own_answer(edition, tmp_path):
    mine = tmp_path / "mine"
    copies.copy(mine)
    edit(mine / SECOND, lambda cells: cells[1].update(source="answer = 41"))
    assert copies.copy(mine, with_solutions=True).kept == (SECOND,)
    assert "answer = 41" in (mine / SECOND).read_text()
    shutil.rmtree(mine)
    copies.copy(mine)
    assert copies.copy(mine, with_solutions=True).written == (SECOND,)


def test_a_copy_records_the_edition_that_it_is_of(edition, tmp_path):
    import fgnwidgets

    copies.copy(tmp_path / "mine")
    record = json.loads((tmp_path / "mine" / RECORD).read_text())
    assert record["edition"] == fgnwidgets.__version__
    assert sorted(record["files"]) == [FIRST, SECOND]


def test_a_fresh_copy_is_trusted_by_jupyter(edition, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    import nbformat
    from nbformat.sign import NotebookNotary

    copies.copy(tmp_path / "mine")
    copied = nbformat.read(tmp_path / "mine" / FIRST, as_version=4)
    notary = NotebookNotary()
    assert notary.check_signature(copied)
    copied.cells.append(nbformat.v4.new_code_cell("not from us"))
    assert not notary.check_signature(copied)
    notary.store.close()


def test_a_copy_onto_a_file_or_onto_the_chapters_is_refused(edition, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CourseError, match="is a file: name a folder"):
        copies.copy(tmp_path / "file")
    with pytest.raises(CourseError, match="the chapters themselves"):
        copies.copy(edition)


def test_what_is_no_notebook_is_refused_by_name(tmp_path):
    (tmp_path / "00_x.ipynb").write_text('{"cells": 3}')
    with pytest.raises(CourseError, match="00_x.ipynb is not a notebook"):
        chapters.read(tmp_path / "00_x.ipynb")
