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
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import fgn_notebooks
import fgnwidgets
from fgn_notebooks import chapters
from fgn_notebooks.chapters import Chapter, CourseError
from fgn_notebooks.teachers import pack
from fgnwidgets.widgets import PYODIDE as PUBLIC

from . import keeping, ledger, lite, living, notebooks, overview, reference, stages, words

SOURCE = Path(__file__).parent / "source"
NEEDED = ("sphinx", "myst_nb", "pydata_sphinx_theme", "latex2mathml")
DECK = (
    '<p class="fgn-deck">One slide fills the window. Page Down, the space bar and the right arrow '
    'go on, Page Up and the left arrow go back. <a href="presenting.html">How to present</a></p>'
)


def build(
    dest: Path, *, pyodide: Path | None = None, runs: bool = True, solutions: bool = False
) -> Path:
    """Build the whole site into ``dest``; returns its home page.

    ``pyodide`` is a folder with a Pyodide to copy into the site; by default readers' browsers fetch
    it from its public address. ``runs=False`` leaves JupyterLite out. With ``solutions`` the site
    has our answers to the exercises, folded away.

    What is in ``dest`` already, from the same files, is not built again. Raises
    :class:`CourseError` if a package of the extra ``site`` is missing, or the build fails.
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
        for name, text in overview.home(runs).items():
            _save(source / f"{name}.md", text)
        for name, text in words.pages().items():
            _save(source / f"{name}.md", text)
        _write_chapters(chosen, source, runs=runs, solutions=solutions)
        _save(source / "course.md", overview.course(chosen, solutions))
        _save(source / "figures.md", overview.figures(chosen, images))
        _save(source / "ledger.md", ledger.page(images))
        for name, text in overview.lab_pages(chosen, images, runs).items():
            _save(source / "labs" / f"{name}.md", text)
        for name, text in reference.pages().items():
            _save(source / "reference" / f"{name}.rst", text)
        _write_lessons(chosen, source, images, runs=runs, solutions=solutions)
        for chapter in chosen:
            take = source / "extra" / "notebooks" / chapter.path.name
            take.parent.mkdir(parents=True, exist_ok=True)
            chapters.write(notebooks.download(chapter), take)
        asked = stages.stamp(source, *_versions())
        if not stages.built(dest, "pages", asked, "index.html"):
            _sphinx(source, dest)
            stages.note(dest, "pages", asked)
    if runs:
        _running(chosen, dest, pyodide)
    keeping.write(dest)
    return dest / "index.html"


def _running(chosen: Sequence[Chapter], dest: Path, pyodide: Path | None) -> None:
    """Build what runs in a browser, as far as it is not there already."""
    where = [Path(str(package.__file__)).parent for package in (fgnwidgets, fgn_notebooks)]
    files = [
        path for chapter in chosen for path in (chapter.path, *chapters.beside(chapter.path.parent))
    ]
    asked = stages.stamp(*where, *files, str(pyodide), *_versions())
    if not stages.built(dest, "lite", asked, f"{lite.FOLDER}/index.html"):
        lite.write(chosen, dest, pyodide)
        stages.note(dest, "lite", asked)
    if not stages.built(dest, "living", asked, living.ALONE):
        living.write(chosen, dest, PUBLIC if pyodide is None else f"{lite.PYODIDE}/")
        stages.note(dest, "living", asked)


def _versions() -> list[str]:
    """The versions of what builds a site."""
    found = []
    for name in ("sphinx", "myst-nb", "pydata-sphinx-theme", "jupyterlite-core", "numpy"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} none")
    return found


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
    shown = living.graphs(listed) if runs else {}
    for chapter in listed:
        stored = chapters.read(chapter.path)
        stored = stored if solutions else chapters.without_solutions(stored)
        stem = chapter.path.stem
        _, cell = shown.get(stem, (chapter, ""))
        frame = living.frame(stem, f"A living graph of chapter {chapter.title}")
        page = notebooks.page(stored, stem, known, places, runs=runs, live=cell, frame=frame)
        chapters.write(page, source / chapter.path.name)
    _save(source / "items.json", json.dumps(sorted(places)))


def _write_lessons(
    chosen: Iterable[Chapter], source: Path, images: Path, *, runs: bool, solutions: bool
) -> None:
    """Write the teacher's pack; its slides are prepared as chapters are."""
    made = pack.pages(solutions)
    made["own_labs"] = overview.own_lab(made["own_labs"], images, runs)
    decks = (f"slides_{plan.number}" for plan in pack.plans())
    names = [*pack.PAGES, *decks, *pack.MORE, *(pack.ANSWERS if solutions else ())]
    made["index"] += "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])
    for name, text in made.items():
        _save(source / "teacher" / f"{name}.md", text)
    pack.draw_map(source / "teacher" / pack.MAP)
    known = {chapter.path.stem for chapter in chosen}
    for plan in pack.plans():
        name = f"slides_{plan.number}"
        page = notebooks.page(pack.slides(plan), name, known, {}, runs=False)
        live = overview.stage_of_slides(plan.number, plan.title) if runs else ""
        page["cells"][0]["source"] += f"\n\n{DECK}{live}"
        chapters.write(page, source / "teacher" / f"{name}.ipynb")


SPHINX = """
import sys
from fgn_notebooks.kernels import notebook_format
notebook_format()  # before MyST-NB imports it with a parser that takes seconds to make
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""


def _sphinx(source: Path, dest: Path) -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise CourseError(
            f"pages need {', '.join(missing)}: pip install 'fgnwidgets[site]' (or -e '.[site]')"
        )
    command = [sys.executable, "-c", SPHINX, "-b", "html", "-q", "-W", "--keep-going"]
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
