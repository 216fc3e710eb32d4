"""The site: chapters as pages, pages about them, wheels and notebooks for a browser."""

import base64
import html
import importlib.util
import io
import json
import re
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from importlib.metadata import requires
from pathlib import Path

import numpy as np
import PIL.Image
import pyodide_files
import pytest
from course_notebooks import code, edit, prose, save
from matplotlib.figure import Figure
from tiers import slow
from web_pages import Page, dead_links, loaded, served

import fgnwidgets
from fgn_notebooks import chapters, cli, findings, labs
from fgn_notebooks.authors import site
from fgn_notebooks.authors.site import (
    docstrings,
    formulas,
    keeping,
    lite,
    living,
    notebooks,
    overview,
    reference,
    serving,
    stages,
    wheels,
)
from fgn_notebooks.authors.site import ledger as ledger_page
from fgn_notebooks.chapters import Chapter, CourseError
from fgn_notebooks.claims import ledger
from fgn_notebooks.teachers import pack
from fgnwidgets import display

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADU"
    "lEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(scope="module")
def root(still_site):
    return still_site


@pytest.fixture(scope="module")
def pages(root):
    found = (path for path in root.rglob("*.html") if "_static" not in path.parts)
    return {path.resolve(): Page(path) for path in found}


def page(pages, name):
    return next(page for path, page in pages.items() if path.name == name)


# ---- the whole site -------------------------------------------------------------------------


def test_every_page_has_a_title_a_description_one_heading_and_words_for_pictures(pages):
    assert len(pages) > 40
    for path, page in pages.items():
        assert len(page.all("title")) == 1 and page.all("html")[0]["lang"] == "en", path.name
        described = [m["content"] for m in page.all("meta") if m.get("name") == "description"]
        assert len(described) == 1 and len(described[0]) > 15, path.name
        assert len(page.all("h1")) == 1, path.name
        assert [i for i in page.all("img") if not i.get("alt")] == [], path.name
    for what in (r"<title>(.*?)</title>", r'name="description" content="(.*?)"'):
        found = [re.search(what, page.text, re.DOTALL)[1] for page in pages.values()]
        assert len(set(found)) == len(found), [text for text in found if found.count(text) > 1]


def test_no_link_of_the_site_is_dead(root, pages):
    assert dead_links(root, pages) == []


def test_the_site_loads_nothing_from_elsewhere(root, pages):
    assert [asked for page in pages.values() for asked in loaded(page)] == []
    for sheet in root.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"@import\s+[\"'](https?:)?//|url\([\"']?https?:", text), sheet.name


def test_formulas_are_mathml_with_a_named_font(root, pages):
    chapter = page(pages, "05_maximum_likelihood.html")
    assert len(chapter.all("math")) > 20 and "\\frac" not in chapter.text
    assert "math { font-family" in " ".join(
        (root / "_static/site.css").read_text(encoding="utf-8").split()
    )


def test_every_chapter_shows_what_it_stores_and_no_answer_of_ours(pages):
    for chapter in chapters.chapters():
        made = page(pages, f"{chapter.path.stem}.html")
        shown = html.unescape(made.text)
        cells = chapters.read(chapter.path)["cells"]
        assert "Show our answer" not in shown and ": right." not in shown, chapter.title
        pictures = sum(
            "image/png" in o.get("data", {}) for c in cells for o in c.get("outputs", ())
        )
        drawn = [i for i in made.all("img") if i["src"].startswith("_images/")]
        assert len(drawn) == pictures, chapter.title
        printed = next(
            ("".join(o["text"]).splitlines()[0] for c in cells for o in c.get("outputs", ())
             if o.get("name") == "stdout"), "")  # fmt: skip
        assert printed in shown, chapter.title


def test_a_teachers_pages_have_our_answers_and_fold_them_away(tmp_path):
    chapter = chapters.find("A")
    (path,) = site.write([chapter], tmp_path, solutions=True)
    answers = sum(map(chapters.is_solution, chapters.read(chapter.path)["cells"]))
    assert html.unescape(path.read_text(encoding="utf-8")).count("Show our answer") == answers > 3


def test_files_to_take_home_hold_no_answer_of_ours(root):
    taken = sorted((root / "notebooks").glob("*.ipynb"))
    assert [path.name for path in taken] == [c.path.name for c in chapters.chapters()]
    for path in taken:
        for cell in chapters.read(path)["cells"]:
            if chapters.is_solution(cell):
                assert chapters.source(cell) == chapters.STUB


def test_the_reference_holds_every_public_name_and_links_to_the_chapters(pages):
    engine = page(pages, "fgnwidgets.html")
    for name in fgnwidgets.__all__:
        assert f"fgnwidgets.{name}" in engine.ids, name
    assert re.search(r'href="\.\./0\d_\w+\.html#section-\d', engine.text)
    assert set(reference.pages()) >= {"index", "fgnwidgets", "fgnwidgets.widgets"}


def test_the_reference_holds_what_is_called_on_results(pages):
    analysis, engine = page(pages, "fgnwidgets.analysis.html"), page(pages, "fgnwidgets.html")
    for name in ("wald_test", "odds_ratios", "cov_params", "interval"):
        assert f"fgnwidgets.analysis.errors.Errors.{name}" in analysis.ids
    for name in ("to_dict", "to_frame", "to_latex"):
        assert f"fgnwidgets.report.Report.{name}" in analysis.ids
    assert "fgnwidgets.analysis.sensitivity.Sensitivity.cells" in analysis.ids
    assert "fgnwidgets.data.long.Sequences.to_long" in engine.ids
    assert "fgnwidgets.learning.summary.Summary" in engine.ids
    assert "fgnwidgets.data.read_csv" in page(pages, "fgnwidgets.data.html").ids
    for kind in reference.results():
        name = f"{kind.__module__}.{kind.__qualname__}"
        assert name in analysis.ids | engine.ids, name


def test_labs_figures_and_claims_have_their_pages(root, pages):
    for name in ("one_block", "one_hidden_variable", "deeper_graph", "race", "product_space"):
        assert hasattr(labs, name) and (root / "labs" / f"{name}.html").exists()
        assert (root / "images" / f"lab-{name}.png").exists()
    headings = re.findall(r"Figure (\d+)\. ", page(pages, "figures.html").text)
    assert set(headings) == {str(n) for n in range(1, 16)}
    ids = page(pages, "ledger.html").ids
    assert [claim.name for claim in ledger() if f"claim-{claim.name}" not in ids] == []


def test_the_page_for_teachers_holds_its_own_lab_live_below_the_lines_that_make_it(tmp_path):
    text = pack.pages()["own_labs"]
    for runs in (True, False):
        made = overview.own_lab(text, tmp_path, runs)
        lines = made.index("Lab(walk, draw_walk"), made.index("Put it into a cell")
        picture = made.index('<img src="../images/lab-own.png"')
        assert lines[0] < picture < lines[1]
        assert text == re.sub(r"\n\n<(div|img)[^\n]*\n", "", made)  # and nothing else changes
        assert ("Start the lab" in made) == runs
    stage = overview.own_lab(text, tmp_path, runs=True)
    address = html.unescape(re.search(r'data-src="([^"]*)"', stage)[1])
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    code = asked["code"][0]
    assert code.endswith('Lab(walk, draw_walk, title="A random walk", controls=controls)\n')
    with PIL.Image.open(tmp_path / "lab-own.png") as picture:
        assert picture.size == (800, 300)
    with pytest.raises(CourseError, match="no lines of Python"):
        overview.own_lab("# Your own lab", tmp_path, runs=True)


def test_what_to_cite_is_this_version(pages):
    cited = re.sub(r"<[^>]*>", "", page(pages, "cite.html").text)
    assert f"version = {{{fgnwidgets.__version__}}}" in cited


def test_the_ledger_s_page_has_the_stored_verdict_of_every_setting_and_a_picture(root, pages):
    text = page(pages, "ledger.html").text
    for finding in findings.stored():
        name = finding.claim.name
        block = text.partition(f'id="claim-{name}"')[2].partition("Measure it anew")[0]
        said = re.findall(r"<td>(holds|undecided|does not hold)</td>", block)
        assert said == [m.verdict(finding.claim.needs) for m in finding.measured], name
        assert block.count("(ours)") == sum(m.ours for m in finding.measured)
        assert f'src="images/claim-{name}.png"' in block
        assert (root / "images" / f"claim-{name}.png").exists()


def test_the_search_knows_words_of_the_chapters(root):
    index = (root / "searchindex.js").read_text(encoding="utf-8")
    assert re.search(r'"?divert(er)?"?:', index)  # the search's words are stems


def test_a_site_that_did_not_change_is_not_built_again(tmp_path, monkeypatch):
    """Sphinx is given the same or not; here it is given next to nothing, which costs no time."""
    built = []

    def sphinx(source, dest):
        built.append(sorted(path.name for path in source.rglob("*.md")))
        dest.mkdir(exist_ok=True)
        (dest / "index.html").write_text("<head></head>")

    for where, name in (
        (overview, "living_graph"),
        (site.pages, "_write_chapters"),
        (site.pages, "_write_lessons"),
    ):
        monkeypatch.setattr(where, name, lambda *args, **options: None)
    for where, name in ((overview, "lab_pages"), (reference, "pages")):
        monkeypatch.setattr(where, name, lambda *args: {})
    monkeypatch.setattr(ledger_page, "page", lambda images: "# Claims")
    monkeypatch.setattr(site.pages, "_sphinx", sphinx)
    for _ in range(2):
        assert site.build(tmp_path / "made", runs=False) == tmp_path / "made" / "index.html"
    assert len(built) == 1 and "ledger.md" in built[0]
    monkeypatch.setattr(ledger_page, "page", lambda images: "# Other claims")
    site.build(tmp_path / "made", runs=False)
    monkeypatch.setattr(site.pages, "_versions", lambda: ["another Sphinx"])
    site.build(tmp_path / "made", runs=False)
    assert len(built) == 3


@slow
def test_what_did_not_change_is_not_built_again(root, monkeypatch):
    def refuse(*args):
        raise AssertionError("built again")

    monkeypatch.setattr(site.pages, "_sphinx", refuse)
    assert site.build(root, runs=False) == root / "index.html"
    monkeypatch.setattr(site.pages, "_versions", lambda: ["another Sphinx"])
    with pytest.raises(AssertionError, match="built again"):
        site.build(root, runs=False)


def test_a_stamp_follows_names_and_contents_and_a_stage_that_is_gone_is_built(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.md").write_text("one")
    before = stages.stamp(folder, "still")
    assert stages.stamp(folder, "still") == before != stages.stamp(folder, "alive")
    (folder / "a.md").rename(folder / "b.md")
    renamed = stages.stamp(folder, "still")
    (folder / "b.md").write_text("two")
    assert len({before, renamed, stages.stamp(folder, "still")}) == 3
    stages.note(tmp_path, "pages", before)
    assert not stages.built(tmp_path, "pages", before, "index.html")
    (tmp_path / "index.html").write_text("")
    assert stages.built(tmp_path, "pages", before, "index.html")
    assert not stages.built(tmp_path, "lite", before, "index.html")
    (tmp_path / stages.STAMPS).write_text("no JSON")
    assert not stages.built(tmp_path, "pages", before, "index.html")


def test_the_service_worker_is_of_this_build_and_goes_before_jupyterlites(root, tmp_path):
    kept = (root / "keep.js").read_text()
    assert keeping.MARK not in kept and (root / "sw.js").exists()
    (tmp_path / "lite").mkdir()
    (tmp_path / keeping.LITES).write_text("theirs")
    opened = tmp_path / "lite" / "lab" / "index.html"
    opened.parent.mkdir()
    opened.write_text("<head></head>")
    held = {"jupyter-config-data": {"appVersion": "0.5.1"}}
    (tmp_path / "lite" / "jupyter-lite.json").write_text(json.dumps(held))
    keeping.write(tmp_path)
    first = (tmp_path / "keep.js").read_text()
    keeping.write(tmp_path)
    assert (tmp_path / "keep.js").read_text() == first
    assert (tmp_path / keeping.LITES).read_text() == 'importScripts("../keep.js");\ntheirs'
    assert json.loads((tmp_path / "keep.json").read_text()) == {"lite": "0.5.1"}
    assert opened.read_text() == f"<head>{keeping.CLAIM}</head>"
    (tmp_path / "index.html").write_text("changed")
    keeping.write(tmp_path)
    assert (tmp_path / "keep.js").read_text() != first


def test_a_chapter_with_a_living_graph_has_it_in_the_place_of_its_picture():
    found = living.graphs(chapters.chapters())
    assert {"00_start_here", "01_messages_and_blocks", "02_normal_graphs"} <= found.keys()
    chapter, cell = found["00_start_here"]
    frame = living.frame("00_start_here", "A graph")
    stored = chapters.read(chapter.path)
    made = notebooks.page(stored, "00_start_here", (), {}, runs=True, live=cell, frame=frame)
    place = next(k for k, c in enumerate(made["cells"]) if c.get("id") == cell)
    assert not [o for o in made["cells"][place]["outputs"] if "image/png" in o.get("data", {})]
    assert 'src="living/00_start_here.html"' in chapters.source(made["cells"][place + 1])


# ---- pages of some chapters -----------------------------------------------------------------


def planted(folder: Path) -> Chapter:
    text = (
        "# 0. Planted\n\nA page of a test, with a sentence that is long enough.\n\n"
        "$p_X \\propto \\mathbf f \\odot b$, next: [one](01_x.ipynb)\n\n"
        "$$\\begin{aligned} a &= 1 \\\\ b &= 2 \\end{aligned}$$\n\n`$5 in code$`, $\\frac{$"
    )
    drawn = code("draw()") | {"execution_count": 1}
    data = {"image/png": PNG, "text/plain": "a line from 0 to 1"}
    table = {"text/markdown": "see [two](02_y.ipynb)"}
    drawn["outputs"] = [
        {"output_type": "display_data", "data": each, "metadata": {}} for each in (data, table)
    ]
    return save(folder / "00_t.ipynb", prose(text), drawn)


def test_pages_of_a_copy_need_no_network_and_show_formulas_and_words(tmp_path):
    planted(tmp_path)
    assert cli.main(["html", str(tmp_path / "pages"), "--copy", str(tmp_path)]) == 0
    made = Page(tmp_path / "pages" / "00_t.html")
    assert loaded(made) == []
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_dir()) == ["pages"]
    assert len(made.all("math")) == 2 and made.all("mtable")
    assert "<mi>\N{MATHEMATICAL BOLD SMALL F}</mi>" in html.unescape(made.text)
    assert "$5 in code$" in re.sub(r"<[^>]*>", "", made.text)
    assert "<code>\\frac{</code>" in made.text
    assert [image["alt"] for image in made.all("img")] == ["a line from 0 to 1"]
    assert not [a for a in made.all("a") if a.get("href", "").startswith(("01_x", "02_y"))]
    assert "next: one" in made.text and "see two" in made.text


def test_a_warning_is_an_error_that_names_the_chapter(tmp_path):
    chapter = planted(tmp_path)
    edit(chapter.path, lambda cells: cells[0].update(source="# 0. T\n\n[nowhere](#not-there)"))
    with pytest.raises(CourseError, match=r"(?s)not built.*00_t\.ipynb.*not-there"):
        site.write([chapter], tmp_path / "pages")


def test_without_sphinx_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "myst_nb" else found(name)
    )
    with pytest.raises(CourseError, match=r"pages need myst_nb: pip install 'fgnwidgets\[site\]'"):
        site.write([planted(tmp_path)], tmp_path / "pages")


# ---- chapters as Sphinx reads them ----------------------------------------------------------


def test_a_link_to_a_chapter_without_a_page_becomes_its_text():
    cell = prose("# T\n\n[one](01_x.ipynb), [two](02_y.ipynb)")
    made = notebooks.page({"cells": [cell]}, "00_t", {"01_x"}, {}, runs=False)
    assert made["cells"][0]["source"] == "# T\n\n[one](01_x.ipynb), two"


def test_items_of_the_paper_get_a_place_on_the_page_and_the_bar_comes_below_the_title():
    cells = [prose("# T\n\nwords") | {"id": "a"}, code("f()") | {"id": "b"}]
    places = {"equation 12": ("00_t", "a"), "section 2.1": ("00_t", "b"), "figure 1": ("01_x", "a")}
    made = notebooks.page({"cells": cells}, "00_t", {"00_t"}, places, runs=True)["cells"]
    assert made[0]["source"].startswith("(equation-12)=\n# T\n\n<div class=")
    assert "lite/notebooks/index.html?path=00_t.ipynb" in made[0]["source"]
    assert [c["source"] for c in made[1:]] == ["(section-2-1)=", "f()"]
    assert cells[0]["source"] == "# T\n\nwords"


def test_columns_in_a_docstring_become_a_list_and_items_become_links():
    lines = ["Learn it (section 2.1, figure 99).", "", "``tol``   when to stop,", "          or 0"]
    assert docstrings.process(lines, {"section 2.1"}) == [
        "Learn it (:ref:`section 2.1 <section-2-1>`, figure 99).",
        "",
        "",
        "``tol``",
        "    when to stop,",
        "    or 0",
    ]
    assert docstrings.process(["Traits", "    form   which drawing"], set())[0] == (
        ".. rubric:: Traits"
    )


def test_a_formula_that_mathml_cannot_say_stays_tex():
    assert formulas.mathml("\\frac{", "inline") == "<code>\\frac{</code>"
    assert "<mfrac>" in formulas.mathml("\\frac{1}{2}", "block")


# ---- what runs in a browser -----------------------------------------------------------------


@pytest.fixture(scope="module")
def made_wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    return {path.name.partition("-")[0]: path for path in wheels.write(folder)}


def test_wheels_hold_all_that_pyodide_lacks_and_nothing_compiled(made_wheels):
    asked = {
        re.match(r"[\w.-]+", line)[0] for line in requires("fgnwidgets") if "extra" not in line
    }
    assert asked - {*pyodide_files.FACTS["lock"]["packages"]} <= {*made_wheels}
    for path in made_wheels.values():
        with zipfile.ZipFile(path) as wheel:
            names = wheel.namelist()
        assert path.name.endswith("-py3-none-any.whl")
        assert not [n for n in names if n.endswith((".so", ".pyd")) or "/tests/" in n]
        assert {"METADATA", "WHEEL", "RECORD"} <= {Path(n).name for n in names}


def test_our_wheel_imports_without_the_checkout(made_wheels, tmp_path):
    import subprocess
    import sys

    asked = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import fgnwidgets, fgn_notebooks.contents as c, fgn_notebooks.browser as b\n"
        "assert sys.argv[1] in fgnwidgets.__file__ and 'tqdm' not in sys.modules\n"
        "print(len(c.coverage()['equation 13']))"
    )
    with zipfile.ZipFile(made_wheels["fgnwidgets"]) as wheel:
        wheel.extractall(tmp_path)
        stored = [n for n in wheel.namelist() if n.endswith(".ipynb")]
    done = subprocess.run(
        [sys.executable, "-I", "-c", asked, str(tmp_path)], capture_output=True, text=True
    )
    assert done.stdout == "1\n", done.stderr
    assert len(stored) == len(chapters.chapters())
    for name in stored:
        cells = json.loads((tmp_path / name).read_text(encoding="utf-8"))["cells"]
        shown = [o.get("data", {}) for cell in cells for o in cell.get("outputs", ())]
        assert not any(text for data in shown for text in data.values())


def test_a_compiled_dependency_is_refused_by_name(tmp_path):
    class Compiled:
        name, version, requires = "fast", "1", ()
        files = ("fast/core.cpython-313-x86_64-linux-gnu.so",)

    with pytest.raises(CourseError, match=r"fast is compiled \(fast/core"):
        wheels._write(Compiled(), tmp_path)


def test_chapters_begin_with_the_library_and_leave_exercises_open(edition):
    made = lite.in_browser(chapters.read(edition / "01_second.ipynb"))
    sources = [chapters.source(cell) for cell in made["cells"]]
    assert sources[0] == "# 1. Second words" and 'piplite.install("fgnwidgets")' in sources[1]
    assert sources[2] == chapters.STUB
    compile(sources[1], "setup", "exec", flags=0x2000)  # top-level await, as notebooks allow it


def test_jupyterlite_takes_chapters_wheels_and_a_pyodide_of_ones_own(edition, tmp_path):
    given = tmp_path / "pyodide"
    given.mkdir()
    for name in ("pyodide.js", "here-1.whl"):
        (given / name).write_text("")
    packages = {
        "here": {"file_name": "here-1.whl", "depends": ["gone", "here"]},
        "gone": {"file_name": "gone-1.whl", "depends": []},
    }
    (given / lite.LOCK).write_text(json.dumps({"info": {}, "packages": packages}))
    dest = tmp_path / "made"
    lite.write(chapters.chapters(), dest, given)
    held = {entry["name"] for entry in json.loads(
        (dest / "lite/api/contents/all.json").read_text())["content"]}  # fmt: skip
    assert held == {"00_first.ipynb", "01_second.ipynb"}
    assert "fgnwidgets" in json.loads((dest / "lite/pypi/all.json").read_text())
    settings = json.loads((dest / "lite/jupyter-lite.json").read_text())["jupyter-config-data"]
    kernel = settings["litePluginSettings"][f"{lite.KERNEL}:kernel"]
    assert kernel["pyodideUrl"] == "./../pyodide/pyodide.js" and kernel["disablePyPIFallback"]
    ours = {path.name for path in lite.OWN_EXTENSIONS.iterdir()}
    assert ours and {e["name"] for e in settings["federated_extensions"]} == ours | {
        *lite.EXTENSIONS
    }
    lock = json.loads((dest / "pyodide" / lite.LOCK).read_text())
    assert lock["packages"] == {"here": {"file_name": "here-1.whl", "depends": ["here"]}}


def test_a_folder_without_pyodide_is_refused(tmp_path):
    with pytest.raises(CourseError, match=r"holds no Pyodide: pyodide\.js and pyodide-lock\.json"):
        lite.copy_pyodide(tmp_path, tmp_path / "dest")


@pytest.mark.parametrize("strip", [5, 0])
def test_the_strip_that_asks_to_run_a_cell_is_not_on_a_page_without_cells(strip):
    pixels = np.full((40, 30, 3), 255, np.uint8)
    pixels[:strip] = 230
    pixels[20, 10] = 0
    stored = io.BytesIO()
    PIL.Image.fromarray(pixels).save(stored, "png")
    bare = overview._without_strip(base64.b64encode(stored.getvalue()).decode())
    seen = np.asarray(PIL.Image.open(io.BytesIO(bare)).convert("RGB"))
    assert np.array_equal(seen, pixels[strip:])


def kernel_made_for(folder, script):
    (folder / "static").mkdir(parents=True)
    address = f"https://cdn.jsdelivr.net/pyodide/{script}"
    (folder / "static" / "1.js").write_text(f'x="{address}";')
    (folder / "static" / "0.js").write_bytes(b"\xff")
    return folder


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("v0.27.1/full/pyodide.js", ("0.27.1", "pyodide.js")),
        ("v314.0.6/full/pyodide.mjs", ("314.0.6", "pyodide.mjs")),
        ("somewhere", ("", "pyodide.js")),
    ],
)
def test_a_kernel_tells_which_pyodide_it_starts_with_and_by_which_script(tmp_path, address, told):
    assert lite.made_for(kernel_made_for(tmp_path, address)) == told


def test_a_pyodide_that_the_kernel_never_starts_with_is_refused_with_the_pair_that_was_tried(
    tmp_path,
):
    held = {"info": {"version": "0.27.7"}, "packages": {}}
    (tmp_path / lite.LOCK).write_text(json.dumps(held))
    (tmp_path / "pyodide.js").write_text("")
    for version in ("0.27.1", ""):
        lite.fits(tmp_path, version)
    with pytest.raises(CourseError, match=r"Pyodide 0\.27\.7, .*314\.0\.6 only.*kernel==0\.5\.2"):
        lite.fits(tmp_path, "314.0.6")


def test_pictures_are_taken_with_the_words_that_stand_beside_them():
    cell = code("x")
    data = {"image/png": base64.b64encode(b"p").decode(), "text/plain": "Lab\n two   lines"}
    cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    assert notebooks.picture(cell) == ("cA==", "Lab two lines")
    data["text/plain"] = "<Figure size 1x1>"
    assert notebooks.words(cell) == notebooks.NO_WORDS


@pytest.mark.parametrize(("ground", "classes"), [("white", "fgn-on-white"), ("black", None)])
def test_a_drawing_on_white_gets_the_class_that_the_dark_theme_exchanges(ground, classes):
    png, _ = display.picture(Figure(figsize=(2, 1), facecolor=ground))
    cell = code("x")
    data = {"image/png": base64.b64encode(png).decode(), "text/plain": "a line"}
    cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    made = notebooks.page({"cells": [cell]}, "00_t", (), {}, runs=False)
    assert made["cells"][0]["metadata"]["mystnb"]["image"].get("classes") == classes
    style = Path(site.__file__).parent / "source" / "_static" / "site.css"
    assert "img.fgn-on-white" in style.read_text(encoding="utf-8")


# ---- served on this machine -----------------------------------------------------------------


def test_a_site_is_served_with_the_kinds_of_files_that_python_in_a_page_needs(tmp_path):
    kinds = {"a.wasm": "application/wasm", "a.mjs": "text/javascript", "a.html": "text/html"}
    for name in kinds:
        (tmp_path / name).write_text(name)
    with served(tmp_path) as address:
        assert address.startswith("http://127.0.0.1:")
        for name, kind in kinds.items():
            with urllib.request.urlopen(f"{address}/{name}") as answer:
                assert (answer.read().decode(), answer.headers["Content-Type"]) == (name, kind)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}/b.html")


def test_a_port_that_is_taken_is_named_with_a_way_out(tmp_path):
    with site.server(tmp_path, 0) as first:
        port = first.server_port
        with pytest.raises(CourseError, match=rf"port {port} .*such as --serve 8080"):
            site.server(tmp_path, port)


def test_one_command_builds_the_site_and_shows_it_until_it_is_stopped(
    tmp_path, monkeypatch, capsys
):
    def build(folder, **options):
        folder.mkdir()
        return folder / "index.html"

    def until_stopped(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(site, "build", build)
    monkeypatch.setattr(serving.Server, "serve_forever", until_stopped)
    assert cli.main(["site", str(tmp_path / "made"), "--serve", "0"]) == 0
    said = capsys.readouterr().out
    assert re.search(
        r"index.html\nopen http://127\.0\.0\.1:\d+ in a browser; Ctrl-C ends it\n", said
    )


def test_a_lab_that_no_chapter_shows_yet_has_its_page_too(tmp_path, monkeypatch):
    from fgn_notebooks.authors.site import overview

    def fresh() -> labs.Lab:
        """A lab of today."""
        return labs.weather()

    monkeypatch.setattr(labs, "fresh", fresh, raising=False)
    made = overview.lab_pages([], tmp_path, runs=True)
    assert set(made) == {"fresh", "index"}
    assert (
        made["fresh"].startswith(f"# {labs.weather().title}") and "A lab of today" in made["fresh"]
    )
    assert (tmp_path / "lab-fresh.png").read_bytes() == labs.weather().picture.value
    assert "fresh.html" in made["index"]
