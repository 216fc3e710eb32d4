"""A new kernel for one copy, with limits on time and memory, and no access to the teacher's keys.

It has an environment, a home and a working folder of its own. Its processes form a group, which is
ended with it. This is no sandbox: the code runs as the teacher's user, and can read files and use
the network, as the teacher's page on marking says.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
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
"""Seconds that a kernel may take to start; long, for a busy machine."""

BESIDE = 20 * 2**20
"""Largest size in bytes of a student's file, such as a table, that is copied for the kernel."""


class Stopped(Exception):
    """The kernel did not start, died, or its time is over."""


class Kernel:
    """A running kernel, which has some seconds for all that it is asked to do."""

    def __init__(self, manager: Any, client: Any, seconds: float) -> None:
        self._manager, self._client = manager, client
        self._ends = asyncio.get_running_loop().time() + seconds

    async def run(self, text: str) -> str:
        """Run a cell; return its error, or an empty string."""
        try:
            text.encode()
        except UnicodeEncodeError as error:  # Jupyter cannot send such a text to any kernel
            return f"SyntaxError: the cell holds half a character, {text[error.start]!a}"
        reply = await self._execute(text, {})
        if reply["status"] == "ok":
            return ""
        said = f"{reply.get('ename', 'stopped')}: {reply.get('evalue', '')}".partition("\n")[0]
        return re.sub(
            r"\(\d+\.py, line", "(line", said
        )  # what the kernel calls a cell says nothing

    async def judge(self, name: str, expression: str, student: str) -> Mapping[str, Any]:
        """Judge the answer to an exercise, an expression that the kernel evaluates.

        ``right`` is True, False, or None if a person must read the answer; ``answered`` whether
        there is one; and ``says`` what the check says.
        """
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
            except Exception as error:  # ``Empty``, but its module depends on jupyter_client
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
    """A kernel that runs in a new folder with a copy of the student's files, notebooks excepted.

    ``given`` are the teacher's tables, which replace files of the same names. ``memory`` is in
    megabytes. Raises :class:`CourseError` if Jupyter is not installed, and :class:`Stopped` if the
    kernel does not start or goes beyond a limit.
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
            try:
                await client.wait_for_ready(timeout=STARTS)
            except RuntimeError:
                raise Stopped("the kernel did not start") from None
            yield Kernel(manager, client, seconds)
        finally:
            client.stop_channels()
            with suppress(Exception):  # the kernel may have ended already
                await manager.shutdown_kernel(now=True)


def _environment(home: Path) -> dict[str, str]:
    """The environment of a kernel, without the teacher's keys, proxies and settings."""
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
    kept = ("SYSTEMROOT", "FGN_CHAPTERS")  # Windows starts no program without the first
    return made | {name: os.environ[name] for name in kept if name in os.environ}


def _lend_fonts(settings: Path) -> None:
    """Copy matplotlib's list of fonts, which takes seconds to make."""
    import matplotlib

    with suppress(OSError):
        for known in Path(matplotlib.get_cachedir()).glob("fontlist-*.json"):
            shutil.copy(known, settings)


def _fill(student: Path, work: Path) -> None:
    """Copy a student's files, except notebooks and exercises, which must be the teacher's."""
    for path in student.iterdir():
        with suppress(OSError):
            usable = path.is_file() and not path.is_symlink() and path.stat().st_size <= BESIDE
            left_out = path.suffix.casefold() == ".ipynb" or path.name == OWN_FILE
            if usable and not left_out and not path.name.startswith("."):
                shutil.copy(path, work)
