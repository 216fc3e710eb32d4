"""Write the source of the pages, and build them with Sphinx.

``build`` makes the whole site, ``write`` only the pages of some chapters. No chapter is run, no
network is needed, and every warning of Sphinx is an error.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import fgnwidgets
from fgn_notebooks import chapters, teacher
from fgn_notebooks.chapters import Chapter, CourseError
from fgn_notebooks.examples import student
from fgnwidgets.widgets import GraphView
from fgnwidgets.widgets.standalone import PUBLIC

from . import ledger, lite, notebooks, overview, reference, words

SOURCE = Path(__file__).parent / "source"
NEEDED = ("sphinx", "myst_nb", "pydata_sphinx_theme", "latex2mathml")
DECK = (
    '<p class="fgn-deck">One slide fills the window. Page Down, the space bar and the right arrow '
    "go on to the next, Page Up and the left arrow go back.</p>"
)


def build(
    dest: Path, *, pyodide: Path | None = None, runs: bool = True, solutions: bool = False
) -> Path:
    """Build the whole site into ``dest``; returns its home page.

    ``pyodide`` is a folder with a Pyodide to copy into the site; by default readers' browsers fetch
    it from its public address. ``runs=False`` leaves JupyterLite out. With ``solutions`` the site
    has our answers to the exercises, folded away.

    Raises :class:`CourseError` if a package of the extra ``site`` is missing, or the build fails.
    """
    chosen = chapters.chapters()
    if runs:
        lite.ready(pyodide)
    with tempfile.TemporaryDirectory() as made:
        source = Path(made) / "source"
        shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
        cite = (source / "cite.md").read_text(encoding="utf-8")
        _save(source / "cite.md", cite.replace("{{version}}", fgnwidgets.__version__))
        images = source / "extra" / "images"
        images.mkdir(parents=True)
        overview.living_graph(chosen, images)
        for name, text in words.pages().items():
            _save(source / f"{name}.md", text)
        _write_chapters(chosen, source, runs=runs, solutions=solutions)
        if not runs:
            _save(source / "living_graph.md", overview.still_graph())
        _save(source / "course.md", overview.course(chosen, solutions))
        _save(source / "figures.md", overview.figures(chosen, images))
        _save(source / "ledger.md", ledger.page(images))
        for name, text in overview.lab_pages(chosen, images, runs).items():
            _save(source / "labs" / f"{name}.md", text)
        for name, text in reference.pages().items():
            _save(source / "reference" / f"{name}.rst", text)
        _write_lessons(chosen, source)
        for chapter in chosen:
            take = source / "extra" / "notebooks" / chapter.path.name
            take.parent.mkdir(parents=True, exist_ok=True)
            chapters.write(notebooks.download(chapter), take)
        _sphinx(source, dest)
    if runs:
        lite.write(chosen, dest, pyodide)
        graph, theta = student()
        address = PUBLIC if pyodide is None else f"{lite.PYODIDE}/"
        title = "A student's life"
        GraphView(graph, theta).to_html(dest / "graph.html", address=address, title=title)
    return dest / "index.html"


def write(chosen: Sequence[Chapter], dest: Path, *, solutions: bool = False) -> list[Path]:
    """Write a page for each of these chapters, as it is stored, into ``dest``; returns the pages.

    Our answers are left out, or with ``solutions`` folded away. Links to chapters without a page
    become plain text.
    """
    with tempfile.TemporaryDirectory() as made:
        source = Path(made) / "source"
        source.mkdir()
        shutil.copy(SOURCE / "conf.py", source)
        shutil.copytree(SOURCE / "_static", source / "_static")
        (source / "extra").mkdir()
        _write_chapters(chosen, source, runs=False, solutions=solutions)
        lines = [f"- [{chapter.title}]({chapter.path.name})" for chapter in chosen]
        tree = ["```{toctree}", ":hidden:", "", *(c.path.stem for c in chosen), "```"]
        _save(source / "index.md", "\n".join(["# Chapters", "", *lines, "", *tree, ""]))
        _sphinx(source, dest)
    return [dest / f"{chapter.path.stem}.html" for chapter in chosen]


def _write_chapters(
    chosen: Iterable[Chapter], source: Path, *, runs: bool, solutions: bool
) -> None:
    listed = list(chosen)
    known = {chapter.path.stem for chapter in listed}
    places = notebooks.targets(listed)
    for chapter in listed:
        stored = chapters.read(chapter.path)
        stored = stored if solutions else chapters.without_solutions(stored)
        page = notebooks.page(stored, chapter.path.stem, known, places, runs=runs)
        chapters.write(page, source / chapter.path.name)
    _save(source / "items.json", json.dumps(sorted(places)))


def _write_lessons(chosen: Iterable[Chapter], source: Path) -> None:
    """Write the teacher's pack; its slides are prepared as chapters are."""
    made = teacher.pages()
    names = [*teacher.PAGES, *(f"slides_{name[-1]}" for name in teacher.PAGES), *teacher.MORE]
    made["index"] += "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])
    for name, text in made.items():
        _save(source / "teacher" / f"{name}.md", text)
    teacher.draw_map(source / "teacher" / teacher.MAP)
    known = {chapter.path.stem for chapter in chosen}
    for plan in teacher.plans():
        name = f"slides_{plan.name[-1]}"
        page = notebooks.page(teacher.slides(plan), name, known, {}, runs=False)
        page["cells"][0]["source"] += "\n\n" + DECK
        chapters.write(page, source / "teacher" / f"{name}.ipynb")


def _sphinx(source: Path, dest: Path) -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise CourseError(
            f"pages need {', '.join(missing)}: pip install 'fgnwidgets[site]' (or -e '.[site]')"
        )
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going"]
    pages = source.parent / "pages"  # not dest, because Sphinx leaves a folder beside its pages
    command += ["-j", "auto", "-d", str(source.parent / "doctrees"), str(source), str(pages)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.replace(f"{source}/", "")
        raise CourseError(f"the pages were not built: {said[-3000:].strip()}")
    left_out = shutil.ignore_patterns(".buildinfo")  # a cache key of Sphinx
    shutil.copytree(pages, dest, dirs_exist_ok=True, ignore=left_out)


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
