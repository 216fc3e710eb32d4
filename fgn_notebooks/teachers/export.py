"""Export chapters as assignments for other marking tools: nbgrader and Otter Assign.

Both tools make the student's version themselves, so the exported files contain our answers. An
exercise that ``check`` can judge becomes an automatic test; proofs and open tasks are marked by
hand.

Vocabulary
    exercise  in this order: the cell of the question, any cells between, our answer, its check
    points    one if ``check`` judges the answer, two if a person reads it
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fgn_notebooks import chapters, exercises
from fgn_notebooks.chapters import STUB, Chapter, is_solution, source
from fgn_notebooks.students import personal

POINTS = {True: 1, False: 2}
CONFIG = f'''\
c = get_config()  # nbgrader's settings for this folder, which is its course
c.CourseDirectory.root = "."
c.ClearSolutions.code_stub = {{"python": "{STUB}"}}
c.ExecutePreprocessor.timeout = 300
'''

Cell = dict[str, Any]


def nbgrader(chosen: Sequence[Chapter], dest: Path) -> list[Path]:
    """Write a course for nbgrader: its settings, and ``source/CHAPTER/CHAPTER.ipynb`` for each.

    What follows are nbgrader's own commands in that folder, such as ``nbgrader
    generate_assignment 07_viterbi``.
    """
    dest.mkdir(parents=True, exist_ok=True)
    (dest / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    return [
        _save(_nbgrader(chapter), chapter, dest / "source" / chapter.path.stem)
        for chapter in chosen
    ]


def otter(chosen: Sequence[Chapter], dest: Path) -> list[Path]:
    """Write ``CHAPTER/CHAPTER.ipynb`` for each chapter, a master notebook of Otter Assign.

    What follows is ``otter assign CHAPTER.ipynb dist`` in that folder.
    """
    return [_save(_otter(chapter), chapter, dest / chapter.path.stem) for chapter in chosen]


def _save(notebook: Mapping[str, Any], chapter: Chapter, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for path in chapters.beside(chapter.path.parent):
        shutil.copy(path, folder)
    chapters.write(notebook, folder / chapter.path.name)
    return folder / chapter.path.name


def _nbgrader(chapter: Chapter) -> dict[str, Any]:
    made = _bare(chapter)
    for name, role, cell in _roles(made["cells"]):
        if name is None or role == "between":
            continue
        judged = not exercises.find(name, "").outline
        id_ = name.replace(".", "-")
        graded: dict[str, Any] | None = None
        if role == "answer":
            graded = {"grade": not judged, "solution": True, "locked": False}
            if not judged:
                graded["points"] = POINTS[judged]
            text = source(cell)
            cell["source"] = f"### BEGIN SOLUTION\n{text}\n### END SOLUTION"
        elif role == "check" and judged:
            graded = {"grade": True, "solution": False, "locked": True, "points": POINTS[judged]}
            cell["source"] = _test(name)
        if graded is not None:
            kind = {"schema_version": 3, "task": False, "cell_type": "code"}
            cell["metadata"]["nbgrader"] = graded | kind | {"grade_id": f"{role}-{id_}"}
    return made


def _otter(chapter: Chapter) -> dict[str, Any]:
    made = _bare(chapter)
    requirements = "requirements: null"
    files = [path.name for path in chapters.beside(chapter.path.parent)]
    config = ["# ASSIGNMENT CONFIG", f"name: {chapter.path.stem}", "init_cell: true"]
    config += ["export_cell: false", "check_all_cell: false", requirements]
    config += [f"files: [{', '.join(files)}]"] if files else []
    cells = [_raw("\n".join(config))]
    for name, role, cell in _roles(made["cells"]):
        if name is None or role == "between":
            cells.append(cell)
            continue
        judged = not exercises.find(name, "").outline
        if role == "question":
            lines = ["# BEGIN QUESTION", f"name: q{name.replace('.', '_')}"]
            lines += [f"points: {POINTS[judged]}", f"manual: {str(not judged).lower()}"]
            cells += [_raw("\n".join(lines)), cell]
        elif role == "answer":
            cell["source"] = (
                f"# BEGIN SOLUTION NO PROMPT\n{source(cell)}\n# END SOLUTION\n"
                f'""" # BEGIN PROMPT\n{STUB}\n""" # END PROMPT'
            )
            cells += [_raw("# BEGIN SOLUTION"), cell, _raw("# END SOLUTION")]
        else:
            if judged:
                cell["source"] = _test(name)
                cells += [_raw("# BEGIN TESTS"), cell, _raw("# END TESTS")]
            cells.append(_raw("# END QUESTION"))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return made | {"cells": cells}


def _roles(cells: Sequence[Cell]) -> Iterator[tuple[str | None, str, Cell]]:
    """Every cell with the name of its exercise, if any, and its role in that.

    The roles are "question", "between", "answer" and "check". Several cells of one answer are
    joined.
    """
    name: str | None = None
    answer: Cell | None = None
    for cell in cells:
        asked = personal.ASKED.search(source(cell)) if cell["cell_type"] == "markdown" else None
        check = personal.CHECK.search(source(cell)) if cell["cell_type"] == "code" else None
        if answer is not None and not is_solution(cell):
            yield name, "answer", answer
            answer = None
        if asked:
            name = asked[1]
            yield name, "question", cell
        elif check and name is not None:
            yield name, "check", cell
            name = None
        elif name is not None and is_solution(cell):
            if answer is None:
                answer = cell
            else:
                answer["source"] = f"{source(answer)}\n\n\n{source(cell)}"
        else:
            yield (name, "between", cell) if name else (None, "", cell)


def _bare(chapter: Chapter) -> dict[str, Any]:
    """The notebook of a chapter without outputs."""
    made = copy.deepcopy(chapters.read(chapter.path))
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return made


def _test(name: str) -> str:
    return (
        "from fgn_notebooks.exercises import check\n"
        f'judged = check("{name}", answer)\n'
        "assert judged, str(judged)"
    )


def _raw(text: str) -> Cell:
    return {"cell_type": "raw", "metadata": {}, "source": text, "id": ""}
