"""The teacher's pack: plans that fill their time, slides that are cells of chapters, live links."""

import re

import pytest

from fgn_notebooks import chapters, cli, exercises, teacher
from fgn_notebooks.chapters import source

PLANS = pytest.mark.parametrize("plan", teacher.plans(), ids=lambda plan: plan.name)
SECTIONS = (
    "Goal", "Timing", "What to project", "Questions to ask", "Wrong answers to expect", "Board",
    "Home task",
)  # fmt: skip


@PLANS
def test_a_plan_has_all_its_parts_and_its_steps_fill_ninety_minutes(plan):
    assert tuple(re.findall(r"^## (.*)$", plan.text, re.MULTILINE)) == SECTIONS
    starts = [0, *(stop for _, stop, _ in plan.steps)]
    assert starts[:-1] == [start for start, _, _ in plan.steps] and starts[-1] == teacher.LESSON


@PLANS
def test_every_step_is_of_a_chapter_and_no_chapter_gets_more_than_thrice_a_readers_minutes(plan):
    known = {chapter.number: chapter.minutes for chapter in chapters.chapters()}
    assert plan.minutes.keys() <= known.keys()
    for chapter, minutes in plan.minutes.items():
        assert minutes <= 3 * known[chapter], chapter


@PLANS
def test_slides_are_the_chapters_own_cells(plan):
    deck = teacher.slides(plan)["cells"]
    shown = [c for c in deck if c["id"].count("-")]
    assert len(shown) == sum(len(slide) for slide in plan.slides) >= 10
    asked = [pair for slide in plan.slides for pair in slide]
    for cell, (number, cell_id) in zip(shown, asked, strict=True):
        stored = chapters.read(chapters.find(number).path)["cells"]
        (own,) = [c for c in stored if c["id"] == cell_id]
        if cell["cell_type"] == "code":
            assert (source(cell), cell["outputs"]) == (source(own), own["outputs"])
        else:
            assert source(cell).replace("](../", "](") == re.sub(r"\A#+ ", "## ", source(own))
        assert not chapters.is_solution(own)


@PLANS
def test_every_slide_has_one_heading_of_the_second_level(plan):
    deck = teacher.slides(plan)["cells"]
    heads = [line for c in deck if c["cell_type"] == "markdown"
             for line in re.findall(r"^#+ ", source(c), re.MULTILINE)]  # fmt: skip
    assert heads[0] == "# " and heads.count("# ") == 1
    assert heads.count("## ") == len(plan.slides)


def test_exercises_of_home_tasks_exist_and_no_plan_gives_their_answers():
    for plan in teacher.plans():
        task = plan.text[plan.text.index("## Home task") :]
        names = re.findall(r"\b(?:\d\d|[A-C])\.\d\b", task)
        assert names or "project" in task
        for name in names:
            exercises.find(name)


def test_links_of_the_pages_lead_to_files_of_the_copy(tmp_path, capsys):
    assert cli.main(["copy", str(tmp_path / "mine"), "--teacher"]) == 0
    folder = tmp_path / "mine" / "teacher"
    for page in folder.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (folder / target).resolve().exists(), (page.name, target)
    assert (folder / "slides_6.ipynb").exists() and "begin with index.md" in capsys.readouterr().out
    solved = chapters.read(tmp_path / "mine" / chapters.find("05").path.name)
    assert any(chapters.is_solution(c) and source(c) != chapters.STUB for c in solved["cells"])


def test_the_drawn_map_has_words_that_name_every_arrow():
    words = teacher.map_words()
    assert "09 after 06 and 07 and 08" in words and words in teacher.pages()["index"]


def test_a_plan_that_names_no_cell_of_a_chapter_is_refused():
    with pytest.raises(ValueError, match="chapter 05 has no cell 'nowhere'"):
        teacher._cell("05", "nowhere")


def test_both_syllabuses_have_their_weeks():
    text = teacher.pages()["syllabus"]
    weeks = [int(n) for n in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    assert weeks == [*range(1, 8), *range(1, 15)]


def test_the_rubric_adds_up_to_what_is_said():
    text = teacher.pages()["projects"]
    rows = re.findall(r"^\| \*\*(\w+)\*\* \|", text, re.MULTILINE)
    whole, enough = map(int, re.search(r"has (\d+) points; (\d+) pass", text).groups())
    assert whole == 3 * (len(rows) + 1) == 2 * enough  # up to three each, and one counts twice
