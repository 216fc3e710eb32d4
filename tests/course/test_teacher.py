"""The teacher's pack: plans that fill their time, slides that are cells of chapters, live links."""

import contextlib
import io
import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from course_notebooks import code, prose
from tiers import mostly_slow

from fgn_notebooks import chapters, cli, exercises
from fgn_notebooks.authors import build, compare
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import judging
from fgn_notebooks.stills import without_strip
from fgn_notebooks.teachers import pack, slides
from fgnwidgets import BayesGraph, hmm, independent, iterate, normalize, propagate, saturated

PLANS = pytest.mark.parametrize("plan", pack.plans(), ids=lambda plan: plan.name)
OFTEN = [plan for plan in pack.plans() if plan.name in ("plan_8", "plan_10", "plan_14")]
"""Plans whose decks run in every run of the tests: those that take least."""

SECTIONS = (
    "Goal", "Timing", "What to project", "Questions to ask", "Wrong answers to expect", "Board",
    "Home task",
)  # fmt: skip


@cache
def deck_of(name):
    """The notebook of a plan's slides, which nobody changes."""
    return pack.slides(plan_called(name))


@cache
def cut(name):
    """The slides of a plan, which nobody changes."""
    return slides.deck(plan_called(name).slides)


def plan_called(name):
    return next(plan for plan in pack.plans() if plan.name == name)


@PLANS
def test_a_plan_has_all_its_parts_and_its_steps_fill_ninety_minutes(plan):
    assert tuple(re.findall(r"^## (.*)$", plan.text, re.MULTILINE)) == SECTIONS
    starts = [0, *(stop for _, stop, _ in plan.steps)]
    assert starts[:-1] == [start for start, _, _ in plan.steps] and starts[-1] == pack.LESSON


@PLANS
def test_every_step_is_of_a_chapter_and_no_chapter_gets_more_than_thrice_a_readers_minutes(plan):
    known = {chapter.number: chapter.minutes for chapter in chapters.chapters()}
    assert plan.minutes.keys() <= known.keys()
    for chapter, minutes in plan.minutes.items():
        assert minutes <= 3 * known[chapter], chapter


@PLANS
def test_slides_hold_the_cells_that_the_plan_names_in_their_order_and_no_answer_of_ours(plan):
    shown = [part for slide in cut(plan.name) for part in slide.parts]
    named = [pair for slide in plan.slides for pair in slide]
    order = list(dict.fromkeys((part.chapter, part.cell_id) for part in shown))
    assert order == named and len(named) >= 2
    for part in shown:
        own = source(slides.found_cell(part.chapter, part.cell_id)[1])
        assert not chapters.is_solution(part.cell)
        for unit in slides.units(part.text):  # a slide says what the chapter says, and less of it
            assert "".join(unit[2].split()) in "".join(own.split())


@PLANS
def test_a_slide_has_at_most_eighty_words_and_asks_nobody_to_run_a_cell(plan):
    deck = deck_of(plan.name)["cells"]
    of_slide: dict[str, int] = {}
    for cell in deck[2:]:
        text = source(cell) if cell["cell_type"] == "markdown" else slides.printed(cell)
        slide = cell["id"].partition("-")[0]
        of_slide[slide] = of_slide.get(slide, 0) + slides.count(text)
        assert not re.search(r"[Rr]un (this|the next)|next cell|Shift\+Enter", text), text
    assert max(of_slide.values()) <= slides.WORDS, of_slide


@PLANS
def test_stills_of_slides_have_no_strip_that_asks_to_run_a_cell(plan):
    for cell in deck_of(plan.name)["cells"]:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                assert without_strip("".join(output["data"]["image/png"]))[1] == 0
                assert output["metadata"].get("image/png", {"width": 1})["width"]


@pytest.mark.parametrize("plan", mostly_slow(pack.plans(), *OFTEN), ids=lambda plan: plan.name)
def test_every_deck_runs_from_its_first_cell_and_shows_what_the_chapters_store(plan, tmp_path):
    deck = pack.slides(plan)
    here = replace(chapters.find("00"), path=tmp_path / "slides.ipynb")
    now = build.run(deck, here, timeout=600)["cells"]  # one cell makes the state of all slides
    live = now[1]["outputs"][-1]["data"]
    assert "application/vnd.jupyter.widget-view+json" in live
    parts = [part for slide in slides.deck(plan.slides) for part in slide.parts if part.runs]
    ran = [cell for cell in now[2:] if cell["cell_type"] == "code"]
    for part, cell in zip(parts, ran, strict=True):
        stored = part.cell["outputs"]
        pictured = [o for o in stored if "image/png" in o.get("data", {})]
        for one in (*stored, *cell["outputs"]):  # minus zero, where sums were made in another order
            one["text"] = "".join(one.get("text", "")).replace("-0.00", " 0.00")
        before, now_drawn = compare.pictures(stored), compare.pictures(cell["outputs"])
        for one, other in zip(before, now_drawn, strict=True):
            # more than in a chapter: names of two curves that end together may change places
            assert compare.picture_fault(one, other, tolerance=5) is None, source(cell)
        if not pictured:
            assert compare.faults(stored, cell["outputs"]) == [], source(cell)


def cells_of(*cells):
    """A course of one chapter with these cells, in place of ours."""
    return {"cells": [{**c, "id": f"c{k}"} for k, c in enumerate(cells)]}


@pytest.fixture
def planted(monkeypatch):
    def plant(*cells):
        monkeypatch.setattr(chapters, "read", lambda path: cells_of(*cells))

    return plant


def test_a_cell_runs_in_the_state_of_its_chapter_and_without_what_it_does_not_need(planted):
    planted(
        code("x = 2"), code("1 / 0"), code("x = x + 3\nprint('loud')"),
        code("def f():\n    return x"),
        code("rows = [{'n': '7'}]\nfor row in rows:\n    row['n'] = int(row['n'])"),
        code("print(f() + rows[0]['n'])\nf()"), code("x = 99"),
    )  # fmt: skip
    assert slides.run("00", "c5") == (5, "12\n")


def test_a_later_slide_runs_only_what_is_new_and_one_that_goes_back_begins_anew(planted):
    planted(
        code("import math\nran = []"), code("x = 1\nran.append('x')"),
        code("ran.append('shown')\nx"), code("ran.append('unasked')"),
        code("y = x + 1\nran.append('y')"), code("math.pi, ran, y"),
    )  # fmt: skip
    played = slides.Played()
    assert slides.run("00", "c2", played)[0] == 1
    state = played.names["ran"]
    assert slides.run("00", "c5", played)[0] == (math.pi, ["x", "shown", "unasked", "y"], 2)
    assert played.names["ran"] is state  # nothing ran twice
    assert slides.run("00", "c2", played)[0] == 1 and played.names["ran"] == ["x", "shown"]
    assert slides.run("00", "c2", played)[0] == 1 and played.names["ran"] == ["x", "shown"]
    planted(code("x = 5"), code("print(x)\nx"))
    assert slides.run("00", "c1", played) == (5, "5\n")  # another text of the chapter


def test_what_is_too_long_is_cut_at_a_sentence_and_goes_on_on_a_second_slide(planted):
    words = " ".join(["word"] * 30)
    planted(prose(f"## T\n\n{words.capitalize()} one. {words.capitalize()} two: "
                  f"{words.capitalize()} three.\n\n- item\n- other"))  # fmt: skip
    first, second = slides.deck([[("00", "c0")]])
    assert first.parts[0].text.endswith("word one.")  # not "two:", which leads to what is missing
    assert second.parts[0].text.endswith("three.\n\n- item\n- other")
    assert first.words == 32 and second.heading == first.heading == "T"


def test_a_print_that_nobody_can_read_on_a_slide_is_refused(planted):
    told = code("f()")
    told["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "w " * 90}]
    planted(prose("# T"), told)
    with pytest.raises(ValueError, match="prints 91 words: at most 80"):
        slides.deck([[("00", "c1")]])
    told["outputs"].append({"output_type": "display_data", "data": {"image/png": "x"}})
    assert slides.deck([[("00", "c1")]])[0].words == 1  # the picture says it


@PLANS
def test_every_slide_has_one_heading_of_the_second_level(plan):
    deck = deck_of(plan.name)["cells"]
    heads = [line for c in deck if c["cell_type"] == "markdown"
             for line in re.findall(r"^#+ ", source(c), re.MULTILINE)]  # fmt: skip
    assert heads[0] == "# " and heads.count("# ") == 1
    assert heads.count("## ") == len(cut(plan.name)) >= len(plan.slides)


def test_exercises_of_home_tasks_exist_and_no_plan_gives_their_answers():
    for plan in pack.plans():
        task = plan.text[plan.text.index("## Home task") :]
        names = re.findall(r"\b(?:\d\d|[A-C])\.\d\b", task)
        assert names or "project" in task
        for name in names:
            exercises.find(name)


# how a home task says that an exercise is done, and how the exercise then begins
WAYS = {
    "by hand": r"(On paper|By hand)\b",
    "in code": r"(?!On paper|By hand|Derive|Predict|Open|Find the fault)",
    "as a prediction": r"Predict\b",
    "half a page": r"Derive\b",
    "sentences for": r"Derive\b",
    "want more": r"Open\b",
}


def test_exercises_of_home_tasks_are_of_the_kind_that_the_task_says():
    seen = set()
    for plan in pack.plans():
        task = " ".join(plan.text.partition("## Home task")[2].split())
        for clause in re.split(r"[,;:]|\.(?!\d)", task):
            for way in (way for way in WAYS if way in clause):
                for name in re.findall(r"\b(?:\d\d|[A-C])\.\d\b", clause):
                    begins = judging.question(name).strip()
                    assert re.match(WAYS[way], begins), (plan.name, name, way, begins[:60])
                    seen.add(way)
    assert seen == {*WAYS}


def test_exercises_that_show_an_outcome_exist():
    names = re.findall(r"\b(?:\d\d|[A-C])\.\d\b", pack.pages()["outcomes"])
    assert len({exercises.find(name).hint for name in names}) == len(set(names)) > 20


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
    words = pack.map_words()
    assert "09 after 06 and 07 and 08" in words and words in pack.pages()["index"]


def test_a_plan_that_names_no_cell_of_a_chapter_is_refused():
    with pytest.raises(ValueError, match="chapter 05 has no cell 'nowhere'"):
        slides.found_cell("05", "nowhere")


def test_both_syllabuses_have_their_weeks_and_every_week_of_the_long_one_has_its_plan():
    text = pack.pages()["syllabus"]
    long = text[text.index("## Fourteen weeks") :]
    named = re.findall(r"^\| \d+ \| \[Plan (\d+)\]\(plan_\1\.md\)", long, re.MULTILINE)
    assert sorted(map(int, named)) == [*range(1, 15)]
    weeks = [int(n) for n in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)]
    assert weeks == [*range(1, 8), *range(1, 15)]


def test_the_rubric_adds_up_to_what_is_said():
    text = pack.pages()["projects"]
    rows = re.findall(r"^\| \*\*(\w+)\*\* \|", text, re.MULTILINE)
    whole, enough = map(int, re.search(r"has (\d+) points; (\d+) pass", text).groups())
    assert whole == 3 * (len(rows) + 1) == 2 * enough  # up to three each, and one counts twice


def test_every_question_of_a_plan_has_an_answer():
    answers = pack.pages()["answers"]
    for plan in pack.plans():
        asked = plan.text.partition("## Questions to ask")[2].partition("## Wrong answers")[0]
        told = answers.partition(f"](plan_{plan.number}.md)")[2].partition("##")[0]
        numbers = [re.findall(r"^(\d)\. ", text, re.MULTILINE) for text in (asked, told)]
        assert numbers[0] == numbers[1] == list("12345"), plan.name


def test_answers_of_the_sheets_are_those_of_an_independent_calculation():
    told = pack.pages()["answers"]
    sheets = dict(re.findall(r"^Sheet (\d+)\n: (.*(?:\n  .*)*)", told, re.MULTILINE))
    asked = re.findall(r"^## Sheet (\d+)\.", pack.pages()["sheets"], re.MULTILINE)
    assert list(sheets) == asked

    def norm(*cells):
        return (
            "(" + ", ".join(str(Fraction(cell) / sum(map(Fraction, cells))) for cell in cells) + ")"
        )

    part = Fraction
    forecast, eyes = (part(1, 4), part(3, 4)), (part(2, 3), part(1, 3))
    assert norm(*(f * b for f, b in zip(forecast, eyes, strict=True))) in sheets["1"]
    prior, witness = (part(1, 10), part(9, 10)), (part(4, 5), part(1, 5))
    for times in (1, 2):
        first, second = (p * w**times for p, w in zip(prior, witness, strict=True))
        assert str(first / (first + second)) in sheets["3"]
    rows = list(itertools.product(range(2), range(3), range(2)))
    assert f"row {rows.index((1, 2, 0))}" in sheets["3"] and str(rows[7]) in sheets["3"]
    row = part(1, 2)  # of the second row: its first entry; the first row is (1, 0) after a step
    for step in range(3):
        share = (part(1) if step else part(1, 2)) / ((part(1) if step else part(1, 2)) + row)
        row = norm(1 - share, 1)
        assert str(share) in sheets["5"] and row in sheets["5"]
        row = part(row[1:].partition(",")[0])
    pair = [a * b for a in (part(3, 4), part(1, 4)) for b in (part(1, 3), part(2, 3))]
    assert norm(*pair) in sheets["9"] and str(pair[1] + pair[2]) in sheets["9"]
    assert norm(0, pair[1], pair[2], 0) in sheets["9"]
    day = (part(1, 2), part(1, 2))
    for _ in range(2):
        weighed = (day[0] * part(1, 4), day[1] * part(3, 4))
        assert f"({weighed[0]}, {weighed[1]})" in sheets["11"] and norm(*weighed) in sheets["11"]
        hot = weighed[0] / sum(weighed)
        day = (hot * part(3, 4) + (1 - hot) * part(1, 4), hot * part(1, 4) + (1 - hot) * part(3, 4))


def test_every_sheet_is_handed_out_in_a_lesson_that_the_page_names():
    """The numbers of sheets are not those of lessons."""
    page = pack.pages()["sheets"]
    sheets = re.findall(r"^\| Sheet \| (.*) \|$", page, re.MULTILINE)[0].split(" | ")
    named = re.findall(r"^\| Lesson \| (.*) \|$", page, re.MULTILINE)[0].split(" | ")
    assert sheets == re.findall(r"^## Sheet (\d+)\.", page, re.MULTILINE)
    for sheet, lessons in zip(sheets, named, strict=True):
        plans = re.findall(r"\(plan_(\d+)\.md\)", lessons)
        texts = [plan.text for plan in pack.plans() if plan.number in plans]
        assert any(re.search(rf"\bsheet {sheet}\b", text) for text in texts), sheet


def test_solutions_of_the_examination_and_of_the_quiz_are_those_of_the_library():
    told, quiz = pack.pages()["examination"], pack.pages()["quiz"]
    theta = {
        "S": [[1 / 3, 2 / 3]],
        "X1|S": [[3 / 4, 1 / 4], [1 / 4, 3 / 4]],
        "X2|S": [[1, 0], [0.5, 0.5]],
    }
    star = BayesGraph(dict.fromkeys(("S", "X1", "X2"), 2), {"X1": "S", "X2": "S"})
    seen = propagate(star, theta, {"X1": 0})
    assert np.allclose(seen["S"].p[:, 0], [3 / 5, 2 / 5]) and "(\\tfrac35,\\tfrac25)" in told
    assert np.allclose(seen["X2"].p[:, 0], [4 / 5, 1 / 5]) and "(\\tfrac45,\\tfrac15)" in told
    f, b = np.array([[1, 0.5, 0.5], [0, 0.5, 0.5]]), np.array([[1, 1, 0], [0, 0, 1]])
    *_, made = iterate("ml", np.full((2, 2), 0.5), f, b, n_it=1)
    assert np.allclose(made, [[3 / 4, 1 / 4], [1 / 2, 1 / 2]])
    assert np.allclose(f[:, 1] * made[:, 0] / (f[:, 1] @ made[:, 0]), [3 / 5, 2 / 5])
    table = {"A": [0, 0, 1, 1], "B": [0, 0, 1, 1]}
    graph = BayesGraph.from_table(table, dict.fromkeys(table, "S"), hidden={"S": 2})
    assert np.isclose(independent(graph, table), -8 * np.log(2))
    assert np.isclose(saturated(graph, table), -4 * np.log(2))
    bic = [round(400 + 9 * 4.605, 1), round(392 + 14 * 4.605, 1)]
    assert all(str(number) in told for number in bic)
    likely = [[3 / 4, 1 / 4], [1 / 4, 3 / 4]]
    matrices = {"start": [[0.5, 0.5]], "transition": likely, "emission": likely}
    days = propagate(hmm(2, 2, 2), matrices, {"X1": 0, "X2": 0})
    assert np.allclose([days[day].p[0, 0] for day in ("S1", "S2")], 5 / 6)
    assert told.count("(\\tfrac56,\\tfrac16)") == 2
    assert np.allclose(normalize(np.array([[3 / 20], [4 / 20]]))[:, 0], [3 / 7, 4 / 7])
    assert "(\\tfrac37,\\tfrac47)" in quiz


def test_the_sample_project_runs_and_prints_what_it_shows():
    text = pack.pages()["sample_project"]
    names = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 3
    for code_, shown in blocks:
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(code_, names)
        assert told.getvalue() == shown


def test_answers_are_in_a_teachers_copy_and_on_no_site_for_students():
    assert pack.ANSWERS.keys() <= pack.pages().keys()
    public = pack.pages(solutions=False)
    assert not pack.ANSWERS.keys() & public.keys()
    for text in public.values():
        assert not any(f"({name}.md)" in text for name in pack.ANSWERS)


def test_no_sentence_of_a_slide_goes_on_from_one_that_was_left_out():
    """What asks to run a cell is not on a slide: the sentence after it must not begin with Then."""
    for plan in pack.plans():
        for part in (part for slide in cut(plan.name) for part in slide.parts):
            for paragraph in re.split(r"\n\s*\n", source(part.cell)) if part.text else ():
                sentences = slides.SENTENCE.split(" ".join(paragraph.split()))
                for before, after in itertools.pairwise(sentences):
                    left_out = slides.ORDER.search(before) and after in " ".join(part.text.split())
                    assert not (left_out and re.match(r"Then\b", after)), (plan.name, after)
