"""The command line: what it says, what it writes, and how it fails."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path

import matplotlib
import pytest
from course_notebooks import code, edit, prose, save
from jupyter_server.services.config import manager as config_manager

from fgn_notebooks import chapters, cli
from fgn_notebooks.authors import build, site
from fgn_notebooks.authors.site import lite
from fgn_notebooks.prerequisites import NEEDS
from fgn_notebooks.students import copies

ROOT = Path(__file__).parents[2]


def test_list_shows_each_number_once_with_minutes_and_what_comes_before(edition, capsys):
    words = "# 1. Second words\n\nPaper: section 2 · about 2 x 25 minutes · after 00 and A · next"
    edit(edition / "01_second.ipynb", lambda cells: cells[0].update(source=words))
    assert cli.main(["list"]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert re.fullmatch(r"01  second +50 min +after 00 +Second words", line)


def test_the_courses_own_list_names_minutes_and_prerequisites(capsys):
    cli.main(["list"])
    listed = capsys.readouterr().out
    line = r"^09  general_considerations +(\d+) / (\d+) min +after 06, 07, 08 +Gen"
    told = re.search(line, listed, re.M)
    first = chapters.source(chapters.read(chapters.find("09").path)["cells"][0])
    assert told and f"about {told[1]} minutes to read, {told[2]} with the exercises" in first
    assert len(re.findall(r" \d+ min ", listed)) == len(chapters.chapters()) - 1  # the glossary


def test_the_hours_that_are_promised_are_the_sum_of_the_minutes(capsys):
    words = {10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen"}
    words |= {23: "twenty-three", 24: "twenty-four", 25: "twenty-five", 26: "twenty-six"}
    known = chapters.chapters()
    read = sum(c.minutes or 0 for c in known) / 60
    both = sum(c.with_exercises or c.minutes or 0 for c in known) / 60
    first = (ROOT / "notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8")
    for text in (first, (ROOT / "README.md").read_text(encoding="utf-8")):
        told = re.search(
            r"about (\S+) hours(?: to read)?, and about (\S+) with the exercises", text
        )
        assert told and told.groups() == (words[round(read)], words[round(both)])
    cli.main(["list"])
    assert f"together {read:.0f} / {both:.0f} hours" in capsys.readouterr().out


def test_the_map_of_prerequisites_has_no_circle_and_names_every_chapter():
    known = {chapter.number: set(chapter.after) for chapter in chapters.chapters()}
    assert known.keys() == NEEDS.keys()
    done: set[str] = set()
    while ready := {number for number in known.keys() - done if known[number] <= done}:
        done |= ready
    assert done == known.keys()


def test_copy_says_what_it_wrote_and_what_it_kept(edition, tmp_path, capsys):
    mine = tmp_path / "mine"
    assert cli.main(["copy", str(mine)]) == 0
    wrote, kept = capsys.readouterr().out.splitlines()
    assert wrote == f"wrote into {mine}: 00_first.ipynb, 01_second.ipynb"
    assert kept.startswith("Jupyter now stores labs with their notebooks")
    cli.main(["copy", str(mine)])
    assert "up to date" in capsys.readouterr().out
    edit(mine / "00_first.ipynb", lambda cells: cells[1].update(source="mine"))
    cli.main(["copy", str(mine)])
    assert capsys.readouterr().out == "kept your 00_first.ipynb\n"
    cli.main(["copy", str(mine), "--force", "--with-solutions"])
    assert "set aside your work as" in capsys.readouterr().out
    assert "6 * 7" in (mine / "01_second.ipynb").read_text()


def test_a_copy_has_jupyter_store_labs_and_leaves_the_readers_settings_alone(
    edition, tmp_path, jupyter_settings, capsys
):
    own = jupyter_settings / "labconfig" / "default_setting_overrides.json"
    own.parent.mkdir(parents=True)
    own.write_text('{"some:plugin": {"theirs": 1}}')
    cli.main(["copy", str(tmp_path / "mine")])
    manager = config_manager.ConfigManager(config_dir_name="labconfig")
    known = manager.get("default_setting_overrides")
    assert known["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}
    assert known["some:plugin"] == {"theirs": 1}
    named = capsys.readouterr().out.split("delete ")[1].strip()
    cli.main(["copy", str(tmp_path / "mine")])
    assert "Jupyter" not in capsys.readouterr().out  # said once
    Path(named).unlink()
    assert own.read_text() == '{"some:plugin": {"theirs": 1}}'


def test_a_reader_who_may_not_write_settings_gets_the_copy_all_the_same(
    edition, tmp_path, jupyter_settings, capsys
):
    jupyter_settings.write_text("a file where a folder should be")
    assert cli.main(["copy", str(tmp_path / "mine")]) == 0
    assert (tmp_path / "mine" / "00_first.ipynb").exists()
    assert "labs will not be stored with their notebooks" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["open", "9"], "fgn: no chapter '9' in the course: there are 00_first, 01_second"),
        (["check", "9"], "fgn: no chapter '9'"),
        (["check", "--copy", "nowhere"], "fgn: no chapters in nowhere"),
        (["html"], "Name a folder, such as: fgn html pages"),
        (["site"], "Name a folder, such as: fgn site site"),
        (["export", "--nbgrader"], "Name a folder, such as: fgn export --nbgrader assignments"),
        (["export", "--otter"], "Name a folder, such as: fgn export --otter assignments"),
        (["list", "--own", "nowhere"], "no folder"),
    ],
)
def test_an_error_is_one_line_and_a_nonzero_status(edition, capsys, words, message):
    assert cli.main(words) == 1
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1 and said.out == ""


@pytest.mark.parametrize("words", [["copy", ""], ["copy", " "], ["html", ""], ["open", "--dest="]])
def test_an_empty_name_of_a_folder_is_refused(edition, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(words)
    assert "an empty name: type that of a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["copy", __file__], "is a file: name a folder"),
        (["html", __file__], "is a file: name a folder"),
        (["site", __file__], "is a file: name a folder"),
        (["export", __file__, "--otter"], "is a file: name a folder"),
        (["mark"], "the following arguments are required: FOLDER\n"),
        (["mark", ".", "--seconds", "-1"], "'-1' is no time: expected a number of seconds above 0"),
        (["mark", ".", "--seconds", "inf"], "'inf' is no time"),
        (["mark", ".", "--memory", "1.5"], "'1.5' is no count: expected a whole number above 0"),
        (["mark", ".", "--side-by-side", "0"], "'0' is no count"),
        (["mark", ".", "--csv", "nowhere/marks.csv"], "in no folder that exists, nowhere"),
        (["mark", ".", "--csv", "."], "'.' is a folder: name a file"),
        (["site", "s", "--serve", "65536"], "'65536' is no port: expected a whole number from 0"),
        (["copy", "c", "--student", " "], "an empty name: type the student's"),
        (["copy", "c", "--student", "caf\udce9"], "type the name in UTF-8"),
        (["copy", "c", "--studnt", "Ada"], "does not know --studnt Ada: did you mean --student?"),
        (["list", "3"], "fgn list does not know 3"),
    ],
)
def test_what_was_typed_is_told_before_any_work(edition, words, says, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(words)
    said = capsys.readouterr().err
    assert says in said and said.startswith(f"usage: fgn {words[0]}")


def test_a_port_that_is_taken_and_a_folder_without_pyodide_are_told_before_the_site_is_built(
    tmp_path, monkeypatch, capsys
):
    built = []
    monkeypatch.setattr(site, "build", lambda *a, **k: built.append(a))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert cli.main(["site", str(tmp_path / "s"), "--still", "--serve", port]) == 1
    said = capsys.readouterr().err
    assert f"cannot be served at port {port}" in said and not built
    (tmp_path / "empty").mkdir()
    with pytest.raises(chapters.CourseError, match=r"empty holds no Pyodide: pyodide\.js and"):
        lite.fits(tmp_path / "empty", "0.27.7")
    for name, text in {"pyodide.js": "", "pyodide-lock.json": "{"}.items():
        (tmp_path / "empty" / name).write_text(text)
    with pytest.raises(chapters.CourseError, match="does not say which Pyodide it belongs to"):
        lite.fits(tmp_path / "empty", "0.27.7")


def test_check_says_first_that_another_matplotlib_drew_the_pictures(built, monkeypatch, capsys):
    monkeypatch.setattr(matplotlib, "__version__", "9.9.9")
    monkeypatch.setattr(build, "check", lambda chapter: [])
    cli.main(["check", "--copy", str(built.path.parent)])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("pictures were stored by matplotlib ") and "this is 9.9.9" in first


def test_check_never_calls_a_wrong_answer_as_stored(built, capsys):
    told = "03.1: look again: of the first row"
    edit(built.path, lambda cells: cells.pop())  # the picture has no part in it
    edit(built.path, lambda cells: cells[1].update(source=f"print({told!r})"))
    said = [{"output_type": "stream", "name": "stdout", "text": [told + "\n"]}]
    edit(built.path, lambda cells: cells[1].update(outputs=said))
    assert cli.main(["check", "--copy", str(built.path.parent)]) == 1
    assert f"00_planted: differs\n  {told}" in capsys.readouterr().out


def test_a_wrong_call_shows_the_usage(capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["paint"])
    assert "usage: fgn" in capsys.readouterr().err


class Lab:
    """Stands for JupyterLab: remembers how it was started, and is interrupted once."""

    started: tuple[list[str], Path]

    def __init__(self, command: list[str], cwd: Path) -> None:
        type(self).started = (command, cwd)
        self.interrupted = False

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *error: object) -> None: ...

    def wait(self) -> int:
        if not self.interrupted:
            self.interrupted = True
            raise KeyboardInterrupt
        return 3


def test_open_starts_jupyterlab_on_a_copy_and_returns_its_status(edition, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", Lab)
    assert cli.main(["open", "1", "--", "--no-browser"]) == 3
    command, folder = Lab.started
    assert command[:5] == [sys.executable, "-m", "jupyterlab", "01_second.ipynb", "--no-browser"]
    assert folder == Path("fgn-notebooks")
    assert (tmp_path / folder / "01_second.ipynb").exists()


def test_open_begins_with_the_start_chapter(edition, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", Lab)
    cli.main(["open"])
    assert Lab.started[0][3] == "00_first.ipynb"


def test_open_twice_says_that_a_server_runs_there_and_opens_its_page(
    edition, tmp_path, monkeypatch, capsys
):
    from jupyter_server import serverapp

    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    folder = str(tmp_path / "fgn-notebooks")
    servers = [
        {"root_dir": str(tmp_path), "url": "http://localhost:1/", "token": "other"},
        {"root_dir": folder, "url": "http://localhost:8888/", "token": "secret"},
    ]
    monkeypatch.setattr(serverapp, "list_running_servers", lambda: iter(servers))
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: pytest.fail("a second server"))
    assert cli.main(["open", "1"]) == 0
    address = "http://localhost:8888/lab/tree/01_second.ipynb?token=secret"
    assert opened == [address] and f"runs there already: {address}" in capsys.readouterr().out
    assert cli.main(["open", "1", "--", "--no-browser"]) == 0 and len(opened) == 1


def test_a_class_gets_a_copy_for_each_name_in_one_go(edition, tmp_path, capsys):
    names = tmp_path / "names.csv"
    names.write_text("id;Name\n7;Ada Lovelace\n8;A/B: C\n9;Zoë\n", encoding="utf-8-sig")
    words = ["copy", str(tmp_path / "class"), "--class", str(names)]
    assert cli.main(words) == 0
    made = tmp_path / "class"
    assert sorted(p.name for p in made.iterdir()) == ["A_B_ C", "Ada Lovelace", "Zoë"]
    for folder, name in (("A_B_ C", "A/B: C"), ("Zoë", "Zoë")):
        alone = copies.copy(tmp_path / "alone" / folder, student=name)
        for file in alone.written:
            one, other = (base / folder / file for base in (made, tmp_path / "alone"))
            assert one.read_bytes() == other.read_bytes()
    assert "3 copies in" in capsys.readouterr().out
    mine = made / "Zoë" / "00_first.ipynb"
    mine.write_text(mine.read_text(encoding="utf-8").replace("Text.", "Mine."), encoding="utf-8")
    assert cli.main(words) == 0 and "Mine." in mine.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ada\nBob\n", ["Ada", "Bob"]),
        ('"Lovelace, Ada"\n"Babbage, Charles"\n', ["Lovelace, Ada", "Babbage, Charles"]),
        ("Ada Lovelace,\nPlato,\n", ["Ada Lovelace", "Plato"]),
        ("student,mail\nAda,a@b\n\nBob,b@b\n", ["Ada", "Bob"]),
        ("mail\tfull name\na@b\tAda Lovelace\n", ["Ada Lovelace"]),
        ('name\nAda\n"Babbage, Charles"\n', ["Ada", "Babbage, Charles"]),
        ("Surname;First name;ID\nLovelace;Ada;7\nPlato;;8\n;;9\n", ["Ada Lovelace", "Plato"]),
        ("First name,mail\nAda,a@b\n", ["Ada"]),
    ],
)
def test_names_are_read_from_a_list_or_from_a_table(tmp_path, text, names):
    (tmp_path / "names.csv").write_text(text, encoding="utf-8")
    assert copies.names_in(tmp_path / "names.csv") == names


@pytest.mark.parametrize(
    "text", ["Lovelace, Ada\nBabbage, Charles\n", "Ada;7\n", "Nom;Prénom\nGarcía;José\n"]
)
def test_a_table_without_headings_is_refused_since_a_name_may_have_a_comma(tmp_path, text):
    """Half a name would draw other numbers, and two of one surname would share a folder."""
    (tmp_path / "names.csv").write_text(text, encoding="utf-8")
    with pytest.raises(chapters.CourseError, match=r"in two ways.*'first name' and 'surname'"):
        copies.names_in(tmp_path / "names.csv")


def test_names_that_would_share_a_folder_and_files_without_names_are_refused(tmp_path, capsys):
    for twins in (["Ada", "ada"], ["A/B", "A:B"], ["Ada", "Ada"], [".", "Ada"]):
        with pytest.raises(chapters.CourseError, match="a name of their own"):
            copies.folders_of(twins)
    with pytest.raises(chapters.CourseError, match="'Ada' stands there twice"):
        copies.folders_of(["Ada", "Ada"])
    (tmp_path / "names.csv").write_text("name\n\n")
    with pytest.raises(chapters.CourseError, match="holds no names"):
        copies.names_in(tmp_path / "names.csv")
    (tmp_path / "names.csv").write_bytes(b"Zo\xeb\n")
    with pytest.raises(chapters.CourseError, match="save it as CSV in UTF-8"):
        copies.names_in(tmp_path / "names.csv")
    with pytest.raises(SystemExit, match="2"):
        cli.main(["copy", str(tmp_path / "c"), "--class", str(tmp_path / "nobody.csv")])
    assert "a student's name in each line" in capsys.readouterr().err


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch, capsys):
    def ended(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "list_", ended)
    assert cli.main(["list"]) == 130
    assert capsys.readouterr().err == "fgn: ended by Ctrl-C\n"


def test_without_jupyterlab_open_says_how_to_get_it(edition, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert cli.main(["open"]) == 1
    assert "-m pip install 'fgnwidgets[lab]'" in capsys.readouterr().err
    assert list(tmp_path.glob("fgn-notebooks")) == []


def test_check_fails_where_a_chapter_differs_and_can_write_pages(built, tmp_path, capsys):
    words = ["check", "0", "--copy", str(built.path.parent), "--html", str(tmp_path / "pages")]
    assert cli.main(words) == 0
    assert "00_planted: as stored" in capsys.readouterr().out
    assert (tmp_path / "pages" / "00_planted.html").exists()
    edit(built.path, lambda cells: [cells.pop(), cells[1].update(source="print(5)")])
    assert cli.main(words[:4]) == 1
    assert "  In [1]: stdout differs: '3' stored, '5' now" in capsys.readouterr().out


def test_build_stores_and_then_finds_nothing_to_change(edition, capsys):
    assert cli.main(["build", "0"]) == 0
    assert cli.main(["build", "0"]) == 0
    assert capsys.readouterr().out == "00_first: stored\n00_first: unchanged\n"


def test_build_says_which_rule_is_broken(edition, capsys):
    edit(edition / "00_first.ipynb", lambda cells: cells[1].update(source="x = 1\n" * 16))
    assert cli.main(["build", "0"]) == 1
    assert "cell 1: has 16 lines" in capsys.readouterr().out


def test_the_readme_prints_the_command_that_ci_runs():
    commands = re.findall(r"```sh\n(.*?)\n```", (ROOT / "README.md").read_text(), re.DOTALL)
    pattern = re.search(r"grep -m 1 '(.*)' README.md", (ROOT / ".ci" / "run").read_text())[1]
    assert len([command for command in commands if re.search(pattern, command)]) == 1


def test_every_command_of_the_readme_exists(capsys):
    for name in set(re.findall(r"`fgn (\w+)", (ROOT / "README.md").read_text())):
        with pytest.raises(SystemExit, match="0"):
            cli.main([name, "--help"])
    assert chapters.chapters()[0].path.stem == "00_start_here"


def test_a_reader_that_goes_away_is_no_error():
    """As in ``fgn list | head -1``."""
    command = [sys.executable, "-u", "-m", "fgn_notebooks", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        listing.stdout.close()
        assert listing.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM there")
def test_whoever_ends_fgn_open_ends_jupyterlab(tmp_path):
    (tmp_path / "jupyterlab").mkdir()
    (tmp_path / "jupyterlab" / "__init__.py").touch()
    (tmp_path / "jupyterlab" / "__main__.py").write_text(
        "import os, time\nprint('started', os.getpid(), flush=True)\ntime.sleep(60)\n"
    )
    command = [sys.executable, "-m", "fgn_notebooks", "open", "0", "--dest", str(tmp_path / "copy")]
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    ) as opened:
        pid = next(int(line.split()[1]) for line in opened.stdout if line.startswith("started"))
        opened.terminate()
        opened.wait(20)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_check_goes_on_after_a_chapter_that_does_not_run(tmp_path, capsys):
    for number, text in (("41", "1 / 0"), ("42", "print(2)"), ("43", "import nowhere")):
        save(tmp_path / f"{number}_x.ipynb", prose("# X"), code(text))
    assert cli.main(["check", "--copy", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out.splitlines()[-3:] == [
        "41_x: does not run", "42_x: as stored", "43_x: does not run"
    ]  # fmt: skip
    assert "41_x.ipynb does not run: ZeroDivisionError" in said.err
    assert "43_x.ipynb does not run: ModuleNotFoundError" in said.err
