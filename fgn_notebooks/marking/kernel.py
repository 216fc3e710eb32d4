"""A fresh kernel for one copy, with limits on time and memory, and nothing of the teacher's.

It gets an empty environment, a home and a folder of its own, and a session of its own, so that it
ends with all that it started. What this does not protect from is said in the site's page on
marking: the code runs as the teacher's user, and may read files and use the network.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import site
import sys
from ast import literal_eval
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fgn_notebooks
import fgnwidgets
from fgn_notebooks.chapters import CourseError
from fgn_notebooks.exercises.judging import OWN_FILE

from .inside import LIMITS

STARTS = 60.0
"""Seconds that a kernel may take to start, on a machine that does other things too."""

BESIDE = 20 * 2**20
"""Bytes of a file beside a copy, such as a table, up to which the copy finds it when it is run."""

NO_ANSWER = "no answer"


class Stopped(Exception):
    """The kernel does not go on: its time is over, or it died."""


class Kernel:
    """A running kernel: ``run`` a cell, ``judge`` an expression."""

    def __init__(self, manager: Any, client: Any, seconds: float) -> None:
        self._manager, self._client = manager, client
        self._ends = asyncio.get_running_loop().time() + seconds

    async def run(self, text: str) -> str:
        """Run a cell; the error that it ended with, or an empty string."""
        try:
            text.encode()
        except UnicodeEncodeError as error:  # Jupyter could not send it, from a notebook neither
            return f"SyntaxError: the cell holds half a character, {text[error.start]!a}"
        reply = await self._execute(text, {})
        if reply["status"] == "ok":
            return ""
        return f"{reply.get('ename', 'stopped')}: {reply.get('evalue', '')}".partition("\n")[0]

    async def judge(self, name: str, expression: str, student: str) -> Mapping[str, Any]:
        """``right``, ``answered`` and ``says`` of an expression of the notebook."""
        module = "__import__('fgn_notebooks.marking.inside', fromlist=['judge'])"
        asked = f"{module}.judge({name!r}, ({expression}), {student!r})"
        reply = await self._execute("", {"judged": asked})
        result = reply.get("user_expressions", {}).get("judged", {})
        if result.get("status") == "ok":
            judged: Mapping[str, Any] = json.loads(literal_eval(result["data"]["text/plain"]))
            return judged
        says = f"{result.get('ename', 'error')}: {result.get('evalue', '')}".partition("\n")[0]
        return {"right": False, "answered": True, "says": says}

    async def _execute(self, text: str, expressions: Mapping[str, str]) -> dict[str, Any]:
        asked = self._client.execute(
            text,
            store_history=False,
            allow_stdin=False,
            stop_on_error=False,
            user_expressions=dict(expressions),
        )
        while (left := self._ends - asyncio.get_running_loop().time()) > 0:
            try:
                message = await self._client.get_shell_msg(timeout=min(left, 1.0))
            except Exception as error:  # queue.Empty of whichever queue this client has
                if type(error).__name__ != "Empty":
                    raise
                if not await self._manager.is_alive():
                    raise Stopped("the kernel died: out of memory, or of its time") from None
                continue
            if message["parent_header"].get("msg_id") == asked:
                content: dict[str, Any] = message["content"]
                return content
        raise Stopped("its time is over")


@asynccontextmanager
async def kernel(
    student: Path, seconds: float, memory: int, given: Iterable[Path] = ()
) -> AsyncIterator[Kernel]:
    """A kernel that works in a copy of what a student's folder holds beside notebooks.

    ``given`` are the teacher's tables. They are there whether or not the student handed them in,
    and as the teacher has them.

    Raises
    ------
    CourseError
        if Jupyter is not installed.
    Stopped
        if it does not start, or does not end in so many seconds with so many megabytes.
    """
    try:
        from jupyter_client.manager import AsyncKernelManager

        from fgn_notebooks.build import this_python
    except ImportError as error:
        raise CourseError(
            f"marking needs Jupyter ({error}): pip install 'fgnwidgets[lab]'"
        ) from error
    manager = AsyncKernelManager(kernel_name="python3")
    command = [sys.executable, "-m", "fgn_notebooks.marking.inside", "-f", "{connection_file}"]
    quiet = ["--HistoryManager.enabled=False", "--log-level=CRITICAL"]
    manager.kernel_spec_manager = this_python([*command, *quiet])
    with TemporaryDirectory(prefix="fgn-mark-", ignore_cleanup_errors=True) as made:
        home, work = Path(made) / "home", Path(made) / "work"
        work.mkdir()
        _fill(student, work)
        for path in given:
            shutil.copy(path, work)
        limits = f"{int(seconds) + 1} {memory} 200"
        await manager.start_kernel(
            cwd=str(work),
            env=_environment(home) | {LIMITS: limits},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        client = manager.client()
        client.start_channels(stdin=False)
        try:
            with _named(RuntimeError, "the kernel did not start"):
                await client.wait_for_ready(timeout=STARTS)
            yield Kernel(manager, client, seconds)
        finally:
            client.stop_channels()
            with suppress(Exception):  # it may be gone already
                await manager.shutdown_kernel(now=True)


class _named:
    """Turns one kind of error into :class:`Stopped`."""

    def __init__(self, kind: type[Exception], says: str) -> None:
        self.kind, self.says = kind, says

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, self.kind):
            raise Stopped(self.says) from None


def _environment(home: Path) -> dict[str, str]:
    """Nothing of the teacher's: no keys, no proxies, no settings."""
    settings = home / "matplotlib"
    settings.mkdir(parents=True)
    _lend_fonts(settings)
    packages = {
        str(Path(str(module.__file__)).parents[1]) for module in (fgnwidgets, fgn_notebooks)
    }
    made = {
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(settings),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(sorted(packages)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",
        "TMPDIR": str(home),
    }
    if site.ENABLE_USER_SITE:
        made["PYTHONUSERBASE"] = site.getuserbase()
    kept = ("SYSTEMROOT", "FGN_CHAPTERS")  # Windows does not start a program without the first
    return made | {name: os.environ[name] for name in kept if name in os.environ}


def _lend_fonts(settings: Path) -> None:
    """The list of fonts, which matplotlib would make anew in every home, and takes seconds for."""
    import matplotlib

    with suppress(OSError):
        for known in Path(matplotlib.get_cachedir()).glob("fontlist-*.json"):
            shutil.copy(known, settings)


def _fill(student: Path, work: Path) -> None:
    """What a copy stands beside; not its exercises, which are judged as the teacher has them."""
    for path in student.iterdir():
        with suppress(OSError):
            usable = path.is_file() and not path.is_symlink() and path.stat().st_size <= BESIDE
            left_out = path.suffix.casefold() == ".ipynb" or path.name == OWN_FILE
            if usable and not left_out and not path.name.startswith("."):
                shutil.copy(path, work)
