"""A new kernel for one copy, with limits on time and memory, and no access to the teacher's keys.

It has an environment, a home and a working folder of its own, and where the system allows,
namespaces: see ``confine``. Answers come out of it as values, and are judged in this process.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import site
import sys
import uuid
from ast import literal_eval
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import fgn_notebooks
import fgnwidgets
from fgn_notebooks.chapters import CourseError
from fgn_notebooks.exercises.judging import OWN_FILE

from . import confine, values

STARTS = 60.0
"""Seconds that a kernel may take to start; long, for a busy machine."""

BESIDE = 20 * 2**20
"""Largest size in bytes of a student's file, such as a table, that is copied for the kernel."""


ENDS = "from sys import exit, exit as quit"
"""In a notebook ``exit()`` ends the kernel a moment later, in the cell of another answer. Here it
ends its own cell alone, as it ends a program."""


class Stopped(Exception):
    """The kernel did not start, ended, or its time is over."""


class Raised(Exception):
    """An error in a student's code; the message has its type."""


class Kernel:
    """A running kernel, which has some seconds for all that it is asked to do."""

    def __init__(self, manager: Any, client: Any, seconds: float) -> None:
        self._manager, self._client = manager, client
        self._ends = asyncio.get_running_loop().time() + seconds
        self.stopped: Stopped | None = None
        """The reason why a student's function was not called, if the kernel has stopped in it."""

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

    async def value(self, expression: str) -> Any:
        """The value of an expression; functions in it are called in the kernel, from any thread.

        Raises :class:`Raised` if it has none, and :class:`values.Unreadable` if it cannot be handed
        over. Whatever calls a function of it must run in another thread than the event loop.
        """
        text = await self._inside(f"hand_over(({expression}))")
        return values.loads(text, partial(self._function, asyncio.get_running_loop()))

    def _function(self, loop: asyncio.AbstractEventLoop, key: int) -> Callable[..., Any]:
        """A function of the student's, which is called in the kernel."""

        def call(*arguments: Any) -> Any:
            asked = self._inside(f"call({key}, {values.dumps(arguments)!r})")
            try:
                text = asyncio.run_coroutine_threadsafe(asked, loop).result()
            except Stopped as stopped:
                self.stopped = stopped
                raise
            said = None
            with suppress(Exception):  # what is no mapping of texts has been tampered with
                said = json.loads(text)
            if not isinstance(said, dict) or not all(isinstance(v, str) for v in said.values()):
                raise values.Unreadable("what was handed over is no value")
            if "value" not in said:
                raise type(_name(said.get("error")), (Exception,), {})(said.get("says", ""))
            after = values.loads(said.get("after", "null"))
            if isinstance(after, tuple):
                for given, changed in zip(arguments, after, strict=False):
                    _set(given, changed)
            return values.loads(said["value"], partial(self._function, loop))

        return call

    async def _inside(self, call: str) -> str:
        """The text that a function of ``inside`` returns in the kernel."""
        module = f"__import__('{__package__}.inside', fromlist=['call'])"
        reply = await self._execute("", {"told": f"{module}.{call}"})
        result = reply.get("user_expressions", {}).get("told", {})
        if result.get("status") == "ok":
            large = False
            with suppress(Exception):  # what is no text has been tampered with
                shown = result["data"]["text/plain"]
                large = len(shown) > 3 * values.LARGEST
                if not large and isinstance(text := literal_eval(shown), str):
                    return text
            raise values.Unreadable(
                "it is too large to be handed over" if large else "what was handed over is no value"
            )
        said = f"{result.get('ename', 'error')}: {result.get('evalue', '')}".partition("\n")[0]
        if said.startswith("Unreadable: "):
            raise values.Unreadable(said.removeprefix("Unreadable: "))
        raise Raised(said)

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
                    raise Stopped(await self._ended()) from None
                continue
            if message["parent_header"].get("msg_id") == asked:
                content: dict[str, Any] = message["content"]
                return content
        raise Stopped("its time is over")

    async def _ended(self) -> str:
        """The end of the kernel's process, in words."""
        process = getattr(self._manager.provisioner, "process", None)
        status = process.poll() if process is not None else None
        if status is None:
            return "its process ended"
        if status > 128:  # how a shell, and ``confine``, tell of a signal
            status = 128 - status
        if status >= 0:
            return f"it ended its own process (exit status {status})"
        number = -status
        if number == getattr(signal, "SIGXCPU", None):
            return "its time is over"
        name = signal.Signals(number).name if number in set(signal.Signals) else str(number)
        if number == getattr(signal, "SIGKILL", None):
            return "its process was killed (SIGKILL): by itself, or by the system for its memory"
        return f"its process crashed ({name})"


def _name(text: Any) -> str:
    """The name of an error's type, as far as it is one."""
    return text if isinstance(text, str) and text.isidentifier() else "Error"


def _set(given: Any, changed: Any) -> None:
    """Give an argument the value that a call has left in it."""
    if isinstance(given, np.ndarray) and isinstance(changed, np.ndarray):
        if given.shape == changed.shape and given.flags.writeable:
            with suppress(TypeError, ValueError):
                given[...] = changed
    elif isinstance(given, list) and isinstance(changed, list):
        given[:] = changed


@asynccontextmanager
async def kernel(
    student: Path,
    seconds: float,
    memory: int,
    given: Iterable[Path] = (),
    way: confine.Way | None = None,
    hidden: Path | None = None,
) -> AsyncIterator[Kernel]:
    """A kernel that runs in a new folder with a copy of the student's files, notebooks excepted.

    ``given`` are the teacher's tables and modules, which replace files of the same names.
    ``memory`` is in megabytes, ``way`` how the kernel is kept apart, by default the strictest that
    is possible, and ``hidden`` a folder that it shall not see. Raises :class:`CourseError` if
    Jupyter is not installed, and :class:`Stopped` if the kernel does not start or goes beyond a
    limit.
    """
    way = way or confine.possible()
    try:
        from jupyter_client.manager import AsyncKernelManager

        from fgn_notebooks.kernels import this_python
    except ImportError as error:
        raise CourseError(
            f"marking needs Jupyter ({error}): pip install 'fgnwidgets[lab]'"
        ) from error
    command = [sys.executable, str(confine.__file__), "-f", "{connection_file}"]
    quiet = ["--HistoryManager.enabled=False", "--log-level=CRITICAL"]
    quiet.append(f"--IPKernelApp.exec_lines={ENDS}")
    with TemporaryDirectory(prefix="fgn-mark-", ignore_cleanup_errors=True) as made:
        manager = AsyncKernelManager(kernel_name="python3")
        manager.kernel_spec_manager = this_python([*command, *quiet])
        manager.connection_file = str(Path(made, "connection.json"))
        if os.name != "nt":  # files in its own folder: a kernel without network is reached by them
            manager.transport, manager.ip = "ipc", str(Path(made, "s"))
        home, work = Path(made) / "home", Path(made) / "work"
        work.mkdir()
        _fill(student, work)
        for path in given:
            shutil.copy(path, work)
        token = uuid.uuid4().hex
        settings = {
            "limits": [int(seconds) + 1, memory, 200],
            "own": made,
            "hidden": str(hidden.resolve()) if hidden else None,
            "kind": way.kind,
        }
        await manager.start_kernel(
            cwd=str(work),
            env=_environment(home) | {confine.SETTINGS: json.dumps(settings), confine.TOKEN: token},
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
            await _end(manager, token)


async def _end(manager: Any, token: str) -> None:
    """End a kernel, and all that its code has started."""
    process = getattr(manager.provisioner, "process", None)
    with suppress(Exception):  # the kernel may have ended already
        if process is not None and process.poll() is None and os.name != "nt":
            process.terminate()  # ``confine`` ends the rest, and then itself
            for _ in range(100):
                if process.poll() is not None:
                    break
                await asyncio.sleep(0.05)
        await manager.shutdown_kernel(now=True)
    confine.end_marked(token)


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
