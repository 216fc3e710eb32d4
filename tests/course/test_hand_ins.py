"""A class of honest, unlucky and cheating students: each is marked right, and told why.

One class is marked once, as a teacher does it, and every test looks at the row of one student.
"""

import asyncio
import csv
import errno
import shutil
import signal
import socket
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tiers import slow

from fgn_notebooks import chapters, cli
from fgn_notebooks.chapters import source
from fgn_notebooks.exercises import judging
from fgn_notebooks.students import personal
from fgn_notebooks.teachers import marking
from fgn_notebooks.teachers.marking import Way, confine, handed_in
from fgn_notebooks.teachers.marking import table as table_of_marks
from fgn_notebooks.teachers.marking.kernel import kernel

CHAPTER = chapters.find("01")
WAY = confine.possible()
VECTOR = "answer = normalize(theta @ np.array([[0.1], [0.3], [0.6]]))[:, 0]"
BACK = "def back(theta, b):\n    {}\nanswer = back"


def right(student):
    """What is right for a student in exercise 01.1, as an expression."""
    drawn = judging.draw("01.1", judging.find("01.1", ""), student)
    new = drawn.replace if drawn else {k: k for k in ("2 / 5", "2 / 3", "3 / 5", "1 / 3")}
    above = f"{new['2 / 5']} * {new['2 / 3']}"
    return f"({above}) / ({above} + {new['3 / 5']} * {new['1 / 3']})"


class Copy:
    """A student's copy of chapter 01, to be filled in."""

    def __init__(self, whose: str) -> None:
        stored = chapters.read(CHAPTER.path)
        self.notebook = chapters.without_solutions(personal.numbers(stored, whose))
        self.cells = self.notebook["cells"]
        self.answer = f"answer = {right(whose)}"

    def place(self, text: str) -> int:
        return next(k for k, cell in enumerate(self.cells) if text in source(cell))

    def stub(self, name: str) -> int:
        """The place of the stub of an answer."""
        check = self.place(f'check("{name}"')
        return max(k for k in range(check) if source(self.cells[k]) == chapters.STUB)

    def put(self, name: str, text: str) -> "Copy":
        self.cells[self.stub(name)]["source"] = text
        return self

    def add(self, place: int, text: str, kind: str = "code") -> "Copy":
        cell = {"cell_type": kind, "metadata": {}, "source": text}
        code = {"outputs": [], "execution_count": None} if kind == "code" else {}
        self.cells.insert(place, cell | code)
        return self

    def drop(self, text: str) -> "Copy":
        del self.cells[self.place(text)]
        return self

    def check(self, name: str) -> str:
        """The text of a check, with the student's name in it."""
        return source(self.cells[self.place(f'check("{name}"')])


@dataclass(frozen=True)
class HandIn:
    """What a student did to the copy, and the marks that are due: exercise -> (right, words)."""

    did: Callable[[Copy], object]
    due: dict[str, tuple[str, str]]
    folder: str = ""
    whose: str | None = None
    files: dict[str, bytes] = field(default_factory=dict)


def same_cell(copy, before=""):
    mine = (before or f"{copy.answer}\n") + copy.check("01.1")
    stub = copy.stub("01.1")
    copy.drop('check("01.1"').cells[stub]["source"] = mine


def both_in_one(copy):
    both = [copy.answer, copy.check("01.1"), VECTOR, copy.check("01.2")]
    stub = copy.stub("01.1")
    copy.drop('check("01.2"').drop('check("01.1"').cells[stub]["source"] = "\n".join(both)


def copied(copy):
    question = source(copy.cells[copy.place("**01.1**")])
    end = len(copy.cells)
    copy.add(end, question, "markdown").add(end + 1, copy.answer).add(end + 2, copy.check("01.1"))


def unnamed(copy, most=100):
    for cell in copy.cells:
        if ", student=" in source(cell) and most:
            most -= 1
            cell["source"] = source(cell).partition(", student=")[0] + ")"
    copy.put("01.1", "answer = 4 / 7").put("01.2", VECTOR)


PROOF = """By the rule of the diverter, what goes out at a branch is the product of what comes in at
all others. By the rule of the branch its belief is the product of both messages. So it is the
product of all messages that come in, and that is the same at every branch."""

PATCHED = """
import fgn_notebooks.exercises.judging as judging
import fgn_notebooks.exercises.answers as answers
import fgn_notebooks.teachers.marking.inside as inside
from fgn_notebooks.exercises import Exercise, Judgement
yes = lambda name, *rest: Judgement(name, True, "right")
judging.judge = judging.check = yes
judging.find = lambda *words: Exercise(lambda answer: None, "")
check = yes
answers.number = answers.array = lambda *words: (lambda answer: None)
import builtins
builtins.abs = lambda x: 0
inside.judge = lambda *words: '{"right": true, "answered": true, "says": ""}'
inside.hand_over = lambda value: '{"right": true, "answered": true, "says": "", "is": "yes"}'
answer = 3
"""

FORGED = """
import fgn_notebooks.teachers.marking.inside as inside
inside.hand_over = lambda value: '{"is": "Fraction", "text": "1e99999999"}'
answer = 3
"""

EVERYTHING = """
class Everything(float):
    def __eq__(self, other): return True
    def __sub__(self, other): return 0.0
    def __abs__(self): return 0.0
    def __le__(self, other): return True
    def __array__(self, *words, **more): return np.array(float("nan"))
    def __reduce__(self): return (print, ("unpickled",))
answer = Everything(3)
"""

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            time.sleep(0.1)
            try:
                for entry in os.listdir("/proc"):
                    if entry.isdigit():
                        words = open(f"/proc/{entry}/cmdline").read().split("\\0")
                        if "--csv" in words:
                            table = words[words.index("--csv") + 1]
                            open(table, "a").write("forged\\n")
                            open(table + ".so-far", "a").write("forged\\n")
            except Exception:
                pass
    os._exit(0)
"""

HONEST = {
    "in order": HandIn(
        lambda c: c.put("01.1", c.answer).put("01.2", VECTOR),
        {"01.1": ("yes", ""), "01.2": ("yes", ""), "01.3": ("missing", "")},
    ),
    "check in the cell": HandIn(same_cell, {"01.1": ("yes", "")}),
    "check in the cell and below": HandIn(
        lambda c: c.put("01.1", f"{c.answer}\n{c.check('01.1')}"), {"01.1": ("yes", "")}
    ),
    "check printed": HandIn(
        lambda c: c.put("01.1", f"{c.answer}\nprint({c.check('01.1')})"), {"01.1": ("yes", "")}
    ),
    "check kept": HandIn(
        lambda c: c.put("01.1", f"{c.answer}\nsaid = {c.check('01.1')}\nif not said: 1 / 0"),
        {"01.1": ("yes", "")},
    ),
    "check under if": HandIn(
        lambda c: c.put("01.1", f"if True:\n    {c.answer}\n    {c.check('01.1')}"),
        {"01.1": ("yes", "")},
    ),
    "check of the module": HandIn(
        lambda c: same_cell(c, f"import fgn_notebooks.exercises as e\n{c.answer}\ne."),
        {"01.1": ("yes", "")},
    ),
    "timed in the cell": HandIn(
        lambda c: same_cell(c, f"%%time\n{c.answer}\n"), {"01.1": ("yes", "")}
    ),
    "two in one cell": HandIn(both_in_one, {"01.1": ("yes", ""), "01.2": ("yes", "")}),
    "new cells below": HandIn(
        lambda c: c.add(c.place('check("01.1"') + 1, f"{c.answer}\n{c.check('01.1')}"),
        {"01.1": ("yes", "")},
    ),
    "answer below its check": HandIn(
        lambda c: c.add(c.place('check("01.1"') + 1, c.answer),
        {"01.1": ("yes", "its answer stands below its check")},
    ),
    "pasted below another": HandIn(
        lambda c: c.put("01.1", c.answer)
        .put("01.2", VECTOR)
        .add(c.place('check("01.2"') + 1, c.check("01.1")),
        {"01.1": ("yes", "answered in 2 places, the better counts"), "01.2": ("yes", "")},
    ),
    "question copied": HandIn(copied, {"01.1": ("yes", ""), "01.2": ("missing", "")}),
    "question and check gone": HandIn(
        lambda c: c.put("01.2", VECTOR).drop("**01.1**").drop('check("01.1"'),
        {"01.1": ("missing", "not in the notebook"), "01.2": ("yes", "")},
    ),
    "another name of the answer": HandIn(
        lambda c: c.put("01.1", "result = 0.5").put("01.2", VECTOR).drop('check("01.1"'),
        {"01.1": ("missing", "no answer ="), "01.2": ("yes", "")},
    ),
    "in place": HandIn(
        lambda c: c.put(
            "01.5",
            BACK.format("theta *= b.T\n    b *= 0\n    return normalize(theta.sum(1)[:, None])"),
        ),
        {"01.5": ("yes", "")},
    ),
    "never ends": HandIn(
        lambda c: c.put("01.1", "while True: pass").put("01.2", VECTOR),
        {"01.1": ("no", "its time is over"), "01.2": ("yes", "")},
    ),
    "never ends when called": HandIn(
        lambda c: c.put("01.5", BACK.format("while True: pass")).put("01.2", VECTOR),
        {"01.5": ("no", "its time is over"), "01.2": ("yes", "")},
    ),
    "exits": HandIn(
        lambda c: c.put("01.1", "import os\nos._exit(0)").put("01.2", VECTOR),
        {"01.1": ("no", "ended its own process (exit status 0)"), "01.2": ("yes", "")},
    ),
    "crashes": HandIn(
        lambda c: c.put("01.1", "import ctypes\nctypes.string_at(0)").put("01.2", VECTOR),
        {"01.1": ("no", "crashed (SIGSEGV)"), "01.2": ("yes", "")},
    ),
    "too much memory": HandIn(
        lambda c: c.put("01.1", "x = bytearray(3 * 2**30)").put("01.2", VECTOR),
        {"01.1": ("no", "MemoryError"), "01.2": ("yes", "")},
    ),
    "leaves by exit": HandIn(
        lambda c: c.put("01.1", f"{c.answer}\nexit()").put("01.2", VECTOR),
        {"01.1": ("yes", "SystemExit"), "01.2": ("yes", "")},
    ),
    "leaves when called": HandIn(
        lambda c: c.put("01.5", BACK.format("raise SystemExit('no')")),
        {"01.5": ("no", "this answer cannot be read: SystemExit: no")},
    ),
    "proof in a cell of text": HandIn(
        lambda c: c.add(c.stub("01.4"), PROOF, "markdown"),
        {"01.4": ("read", "written in a cell of text"), "01.3": ("missing", "")},
    ),
    "proof in the cell of its question": HandIn(
        lambda c: c.cells[c.place("**01.4**")].update(
            source=source(c.cells[c.place("**01.4**")]) + f"\n\n{PROOF}"
        ),
        {"01.4": ("read", "written in a cell of text")},
    ),
    "proof and a remark": HandIn(
        lambda c: c.put("01.4", f"answer = {PROOF!r}").add(
            c.place('check("01.4"') + 1, "I am not sure of this.", "markdown"
        ),
        {"01.4": ("read", "")},
    ),
    "a report below its code": HandIn(
        lambda c: c.add(c.stub("01.6"), "tried = theta.copy()").add(
            c.place('check("01.6"') + 1, PROOF, "markdown"
        ),
        {"01.6": ("read", "written in a cell of text")},
    ),
    "notes at the end": HandIn(
        lambda c: c.add(len(c.cells), f"## Notes\n\n{PROOF}", "markdown"),
        {"01.4": ("missing", ""), "01.6": ("missing", "")},
    ),
    "a number in a cell of text": HandIn(
        lambda c: c.add(c.stub("01.1"), c.answer, "raw"),
        {"01.1": ("missing", "in a cell of text below the question")},
    ),
    "proof in Chinese": HandIn(
        lambda c: c.put(
            "01.4", "answer = '后向消息是均匀的,所以乘积与前向消息成正比,归一化以后仍是前向消息。'"
        ),
        {"01.4": ("read", "")},
    ),
    "one word": HandIn(
        lambda c: c.put("01.4", "answer = 'trivial'"), {"01.4": ("no", "1 word is too few")}
    ),
    "packed": HandIn(
        lambda c: c.put("01.1", c.answer), {"01.1": ("yes", "")}, files={"more.zip": b"PK"}
    ),
    "accents apart": HandIn(
        lambda c: c.put("01.1", c.answer),
        {"01.1": ("yes", "")},
        unicodedata.normalize("NFD", "Évariste_Galois"),
        "Évariste Galois",
    ),
    "from Moodle": HandIn(
        lambda c: c.put("01.1", c.answer),
        {"01.1": ("yes", "")},
        "Grace O'Hopper_12345_assignsubmission_file_",
        "Grace O’Hopper",
    ),
}  # fmt: skip

CHEATING = {
    "name taken out": HandIn(
        unnamed, {"01.1": ("yes", "its numbers are nobody's"), "01.2": ("yes", "")}
    ),
    "name taken out of one check": HandIn(
        lambda c: unnamed(c, 1), {"01.1": ("no", "multiply"), "01.2": ("yes", "")}
    ),
    "a copy without a name": HandIn(
        lambda c: c.put("01.1", c.answer).put("01.2", VECTOR),
        {"01.1": ("yes", "its numbers are nobody's"), "01.2": ("yes", "")},
        whose="",
    ),
    "a name that is None": HandIn(
        lambda c: [
            cell.update(source=source(cell).replace("student='None'", "student=None"))
            for cell in c.put("01.1", "answer = 4 / 7").cells
        ],
        {"01.1": ("yes", "its numbers are nobody's")},
        folder="None",
        whose="None",
    ),
    "a number without end": HandIn(
        lambda c: c.put("01.1", "answer = '1e99999999'").put("01.2", VECTOR),
        {"01.1": ("no", "is no number"), "01.2": ("yes", "")},
    ),
    "a fraction without end": HandIn(
        lambda c: c.put("01.1", FORGED), {"01.1": ("no", "is no value"), "01.2": ("missing", "")}
    ),
    "a text without end": HandIn(
        lambda c: c.put("01.4", "answer = 'so ' * 10**6").put("01.2", VECTOR),
        {"01.4": ("no", "too long to be handed over"), "01.2": ("yes", "")},
    ),
    "an error without end": HandIn(
        lambda c: c.put("01.1", "raise ValueError('so ' * 10**6)").put("01.2", VECTOR),
        {"01.1": ("no", "ValueError: so so"), "01.2": ("yes", "")},
    ),
    "passed on": HandIn(
        lambda c: c.put("01.1", c.answer), {"01.1": ("yes", "those of 'Bob'")}, whose="Bob"
    ),
    "overwrites": HandIn(
        lambda c: c.put("01.5", BACK.format("theta *= 0\n    b *= 0\n    return theta @ b")),
        {"01.5": ("no", "row of theta")},
    ),
    "patches the judge": HandIn(
        lambda c: c.put("01.1", PATCHED).put("01.2", "answer = 3"),
        {"01.1": ("no", ""), "01.2": ("no", "")},
    ),
    "equals everything": HandIn(lambda c: c.put("01.1", EVERYTHING), {"01.1": ("no", "")}),
    "kills its parent": HandIn(
        lambda c: c.put("01.1", "import os\nos.kill(os.getppid() or 1, 9)\nanswer = 3"),
        {"01.1": ("no", ""), "01.2": ("missing", "")},
    ),
    "kills its group": HandIn(
        lambda c: c.put("01.1", "import os\nos.killpg(0, 9)").put("01.2", VECTOR),
        {"01.1": ("no", "killed (SIGKILL)"), "01.2": ("yes", "")},
    ),
    "leaves a forger": HandIn(
        lambda c: c.put("01.1", f"{DAEMON}\nanswer = 3"), {"01.1": ("no", "")}
    ),
    "floods": HandIn(
        lambda c: c.put("01.1", "answer = 'x' * 10**9").put("01.2", VECTOR),
        {"01.1": ("no", ""), "01.2": ("yes", "")},
    ),
    "deep": HandIn(
        lambda c: c.put("01.1", "answer = []\nfor _ in range(10**5): answer = [answer]"),
        {"01.1": ("no", "")},
    ),
}  # fmt: skip

CLASS = HONEST | CHEATING

SOME = (
    *("in order", "check in the cell", "two in one cell", "pasted below another", "exits"),
    *("question copied", "too much memory", "proof and a remark", "one word", "packed"),
    *("accents apart", "from Moodle", "name taken out", "a text without end", "overwrites"),
    *("patches the judge", "kills its group", "leaves a forger", "floods"),
)
"""Those who are marked in every run of the tests; the whole class is marked where there is time."""


def folder_of(name: str) -> str:
    return CLASS[name].folder or name.replace(" ", "_")


def write_class(folder: Path, names) -> None:
    for name in names:
        made, wanted = CLASS[name], folder / folder_of(name)
        copy = Copy(name if made.whose is None else made.whose)
        made.did(copy)
        wanted.mkdir(parents=True)
        chapters.write(copy.notebook, wanted / CHAPTER.path.name)
        for file, content in made.files.items():
            (wanted / file).write_bytes(content)


def rows(path: Path) -> dict[tuple[str, str], tuple[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return {
            (r["student"], r["exercise"]): (r["right"], r["error"]) for r in csv.DictReader(file)
        }


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=slow)])
def marked(request, tmp_path_factory):
    """A class, marked by the command: what it wrote, and what it said."""
    folder = tmp_path_factory.mktemp("hand-ins")
    write_class(folder / "class", CLASS if request.param == "all" else SOME)
    (folder / "class" / "all of them.zip").write_bytes(b"PK")
    words = ["mark", str(folder / "class"), "1", "--csv", str(folder / "marks.csv")]
    command = [sys.executable, "-m", "fgn_notebooks", *words, "--seconds", "15"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return folder / "marks.csv", ran.stderr


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        *(("some", name) for name in SOME),
        *(pytest.param("all", name, marks=slow) for name in CLASS),
    ],
    indirect=["marked"],
    scope="module",  # the class is marked once
)
def test_a_hand_in_is_marked_right_and_told_why(marked, name):
    found = rows(marked[0])
    for exercise, (right, words) in CLASS[name].due.items():
        got = found[folder_of(name), exercise]
        assert got[0] == right and words in got[1], (exercise, got)
        assert right != "yes" or bool(got[1]) == bool(words), (exercise, got)


def test_no_row_is_lost_and_nothing_is_left_of_a_run_that_came_to_its_end(marked):
    table, _ = marked
    students = [path for path in (table.parent / "class").iterdir() if path.is_dir()]
    assert len(students) in (len(SOME), len(CLASS))
    assert len(rows(table)) == len(students) * len(handed_in.exercises(CHAPTER))
    assert [p.name for p in table.parent.iterdir() if p.name.startswith("marks")] == ["marks.csv"]
    assert max(len(error) for _, error in rows(table).values()) < 1000
    assert "forged" not in table.read_text(encoding="utf-8-sig")
    assert left_over() == []


def left_over() -> list[str]:
    """Processes of hand-ins that are done, whose folders are gone, and that go on.

    One that was killed is there for a moment more; another test's marking may have such, too.
    """
    until = time.monotonic() + 20
    while (found := _in_folders_that_are_gone()) and time.monotonic() < until:
        time.sleep(0.1)
    return found


def _in_folders_that_are_gone() -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            place = str(entry.readlink())
            if "fgn-mark-" in place and place.endswith("(deleted)"):
                found.append(f"{entry.parent.name} in {place}")
    return found


def test_what_was_not_marked_and_what_cannot_be_kept_is_said_beside_the_marks(marked):
    assert "in no student's folder, so not marked: all of them.zip" in marked[1]
    assert "packed: not unpacked, so not marked: more.zip" in marked[1]
    assert ("hand-ins are not shut in" in marked[1]) == (WAY.kind != "namespaces")


def test_each_way_without_namespaces_says_what_it_cannot_keep():
    lacks = confine.possible(namespaces=False).lacks
    assert "hand-ins are not shut in on this machine (" in lacks and "network" in lacks


def test_where_the_number_of_namespaces_is_limited_no_disk_is_said_to_be_full(monkeypatch):
    monkeypatch.setattr(confine.ctypes, "get_errno", lambda: errno.ENOSPC)
    with pytest.raises(confine.Unable, match="no namespaces: as many as user.max_user_namespaces"):
        confine._called(-1, "the system allows no namespaces")


SPY = """
import os, socket
from pathlib import Path
def tried(what):
    try:
        return bool(what())
    except OSError:
        return False
answer = [
    tried(lambda: list(Path("CLASS").glob("*/*.ipynb"))),
    tried(lambda: Path("CLASS", "..", "left.txt").write_text("mine")),
    tried(lambda: socket.create_connection(("127.0.0.1", PORT), 1)),
    tried(lambda: [os.kill(int(p), 0) or p for p in os.listdir("/proc") if p.isdigit()][9:]),
    tried(lambda: os.unshare(os.CLONE_NEWNS) or True) if hasattr(os, "unshare") else False,
]
"""


def test_in_namespaces_a_hand_in_sees_no_other_and_reaches_nothing(tmp_path, monkeypatch):
    """Where the system has none, the table says so; the same spy shows that it is a spy."""
    seen = []
    monkeypatch.setattr(
        table_of_marks.judging, "judge", lambda name, value, who: seen.append(value) or NO
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        spy = SPY.replace("CLASS", str(tmp_path / "class")).replace(
            "PORT", str(server.getsockname()[1])
        )
        CLASS["spy"] = HandIn(lambda c: c.put("01.1", spy), {})
        try:
            write_class(tmp_path / "class", ["spy"])
        finally:
            del CLASS["spy"]
        for way in (WAY, Way("plain", "as asked")):
            marking.mark(tmp_path / "class", [CHAPTER], way=way)
    shut, open_ = seen
    assert open_[:3] == [True, True, True]
    if WAY.kind == "namespaces":
        assert shut == [False] * 5


NO = judging.Judgement("01.1", False, "01.1: look again: no")

KILLER = """
import os, time
time.sleep(1)
ancestors = [os.getppid()]  # its keeper, the marking, and no further
while b"marks.csv" not in open(f"/proc/{ancestors[-1]}/cmdline", "rb").read():
    state = open(f"/proc/{ancestors[-1]}/stat").read()
    ancestors.append(int(state.rpartition(")")[2].split()[1]))
for process in reversed(ancestors):
    os.kill(process, 9)
time.sleep(60)
"""

PLAIN = """
import sys
from pathlib import Path
from fgn_notebooks import chapters
from fgn_notebooks.teachers import marking
folder, table = map(Path, sys.argv[1:3])
limits = marking.Limits(seconds=20, side_by_side=1)
marking.mark(folder, [chapters.find("1")], limits, csv=table, way=marking.Way("plain"), told=print)
"""


@slow  # runs that were broken off go on in the next two tests, too
@pytest.mark.skipif(sys.platform != "linux", reason="finds its ancestors in /proc")
def test_a_hand_in_that_kills_the_marking_costs_nobody_a_mark(tmp_path):
    """Without namespaces it can, so a second run goes on; after two tries it is left out."""
    CLASS["killer"] = HandIn(lambda c: c.put("01.1", KILLER), {})
    try:
        write_class(tmp_path / "class", ["in order", "killer"])
    finally:
        del CLASS["killer"]
    (tmp_path / "class" / "in_order").rename(tmp_path / "class" / "first")
    shutil.copytree(tmp_path / "class" / "first", tmp_path / "class" / "second")
    table = tmp_path / "marks.csv"
    command = [sys.executable, "-c", PLAIN, str(tmp_path / "class"), str(table)]
    runs = [subprocess.run(command, capture_output=True, text=True) for _ in range(3)]
    assert [ran.returncode for ran in runs] == [-signal.SIGKILL, -signal.SIGKILL, 0]
    found = rows(table)
    assert found["first", "01.2"][0] == found["second", "01.2"][0] == "yes"
    assert found["killer", "01.1"][0] == "missing" and "twice" in found["killer", "01.1"][1]
    assert "was marked before" in runs[1].stdout


def test_ctrl_c_keeps_the_rows_and_a_second_run_goes_on(tmp_path):
    write_class(tmp_path / "class", ["in order", "never ends"])
    table = tmp_path / "marks.csv"
    words = ["mark", str(tmp_path / "class"), "1", "--csv", str(table), "--side-by-side", "1"]
    command = [sys.executable, "-m", "fgn_notebooks", *words, "--seconds", "8"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as ran:
        assert "in_order/01_messages_and_blocks.ipynb: " in ran.stdout.readline()
        assert rows(table)["in_order", "01.2"] == ("yes", "")  # while the run goes on
        ran.send_signal(signal.SIGINT)
        said, note = ran.communicate()
    assert ran.returncode == 130 and "6 rows" in said
    assert "broken off: 1 copies are left" in note and "the same command goes on" in note
    assert rows(table)["in_order", "01.2"] == ("yes", "")
    assert left_over() == []
    again = subprocess.run(command, capture_output=True, text=True)
    assert (
        again.returncode == 0
        and "in_order/01_messages_and_blocks.ipynb: was marked" in again.stdout
    )
    assert rows(table)["never_ends", "01.2"] == ("yes", "")


def test_rows_of_a_run_that_was_broken_off_are_in_the_table_of_the_next_before_anything_runs(
    tmp_path, monkeypatch
):
    """Also if that is broken off at once: what was marked in the end has ended no marking."""
    write_class(tmp_path / "class", ["in order", "one word"])
    table = tmp_path / "marks.csv"
    one = marking.Limits(side_by_side=1)

    async def broken_off(copy, marking_):
        if copy.student == "one_word":
            raise KeyboardInterrupt
        return dict.fromkeys(handed_in.exercises(CHAPTER), ("yes", ""))

    monkeypatch.setattr(table_of_marks, "_copy", broken_off)
    for _ in range(2):
        with pytest.raises(marking.BrokenOff) as broken:
            marking.mark(tmp_path / "class", [CHAPTER], one, csv=table, way=Way("plain"))
        assert broken.value.left == 1 and {m.student for m in broken.value.marks} == {"in_order"}
        assert rows(table)["in_order", "01.2"] == ("yes", "")
    with marking.record.Record(table) as record:
        assert not any(record.begun.values()) and len(record.done) == 1


MANY = """
import os, time
for _ in range(60):
    if os.fork() == 0:
        held = bytearray(5 * 10**6)
        time.sleep(100)
        os._exit(0)
"""


@pytest.mark.skipif(WAY.kind != "namespaces", reason="the system allows no namespaces")
@pytest.mark.parametrize("times", [1, pytest.param(4, marks=slow)])
def test_a_kernel_has_not_ended_before_all_that_it_started(tmp_path, times):
    async def ended():
        async with kernel(tmp_path, 30, 2048, way=WAY) as running:
            assert await running.run(MANY) == ""

    for _ in range(times):
        asyncio.run(ended())
        assert left_over() == []


def test_a_copy_that_changed_since_is_marked_anew(tmp_path):
    write_class(tmp_path, ["in order", "one word"])
    copies = handed_in.find(tmp_path, [CHAPTER])
    limits = marking.Limits()
    before = {p.student: p.key for p in table_of_marks._pieces(tmp_path, copies, limits, False)}
    (tmp_path / "one_word" / "mine.csv").write_text("1")
    after = {p.student: p.key for p in table_of_marks._pieces(tmp_path, copies, limits, False)}
    assert before["in_order"] == after["in_order"] and before["one_word"] != after["one_word"]


@pytest.mark.parametrize("bad", ["/dev/full", "FOLDER"])
def test_a_table_that_cannot_be_written_is_refused_before_anything_runs(tmp_path, bad, monkeypatch):
    if bad == "/dev/full" and not Path(bad).exists():
        pytest.skip("no such device here")
    write_class(tmp_path / "class", ["in order"])
    monkeypatch.setattr(table_of_marks, "kernel", None)  # nothing may run
    path = tmp_path if bad == "FOLDER" else Path(bad)
    with pytest.raises(OSError):
        marking.mark(tmp_path / "class", [CHAPTER], csv=path)


def test_the_command_tells_of_a_table_that_cannot_be_written(tmp_path, capsys):
    write_class(tmp_path / "class", ["in order"])
    if Path("/dev/full").exists():
        assert cli.main(["mark", str(tmp_path / "class"), "1", "--csv", "/dev/full"]) == 1
        assert "fgn: " in capsys.readouterr().err
