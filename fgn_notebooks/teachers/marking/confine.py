"""Start a program that cannot outlive its hand-in, nor reach beyond it where the system allows.

On Linux the program gets namespaces of its own, without root: it sees no process but its own,
writes into its own folder alone, has no network, and all that it started ends with it. Where
namespaces are not to be had, its descendants are looked for and ended, a program of root's runs as
nobody, and what cannot be kept is said in words. Only the standard library is imported, since this
runs before the program does.

The chain of processes is: marking, *keeper*, and with namespaces *first*, then the program.

keeper
    waits for the program, ends all that is left of it, and exits as it did
first
    the first process of a new namespace: when it ends, the system ends everything in there
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

MEGABYTE = 2**20
SETTINGS = "FGN_CONFINED"
"""The environment variable of the settings: a JSON object, the arguments of :func:`main`."""

TOKEN = "FGN_HAND_IN"
"""The environment variable by which processes of a hand-in are found."""

NOBODY = 65534

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x1000, 0x4000, 0x40000, 2, 4, 8
MOUNT_ATTR_RDONLY, AT_FDCWD, AT_RECURSIVE, SYS_MOUNT_SETATTR = 1, -100, 0x8000, 442
PDEATHSIG, CAPBSET_DROP, NO_NEW_PRIVS, CHILD_SUBREAPER = 1, 24, 38, 36
CAPABILITIES_3 = 0x20080522


class Unable(Exception):
    """The system refuses a step; the message says which and why."""


def limit(seconds: int, memory: int, file: int) -> None:
    """Limit this process and all that it starts, as far as the system can."""
    try:
        import resource
    except ImportError:  # on Windows, where only the time limit of ``Kernel`` holds
        return
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory * MEGABYTE),
        (resource.RLIMIT_FSIZE, file * MEGABYTE),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # the system does not have this limit
            resource.setrlimit(kind, (most, most))


@dataclass(frozen=True)
class Way:
    """The way in which hand-ins are kept apart on this machine.

    ``kind`` is "namespaces", "nobody" (root's marking, its hand-ins as nobody) or "plain", and
    ``lacks`` says in words what is not kept with it.
    """

    kind: str
    lacks: str = ""


def possible(namespaces: bool = True) -> Way:
    """The strictest way that this machine allows, found by trying; False tries no namespaces."""
    if not hasattr(os, "fork"):
        why = f"{sys.platform} has no namespaces"
        return Way("plain", f"{_OPEN} ({why}): {_AS_YOU}; {_OUTLIVES}, and memory has no limit")
    why = "namespaces were not asked for"
    if namespaces:
        tried = _tried("namespaces")
        if tried == "":
            return Way("namespaces")
        why = tried
    if os.geteuid() == 0 and _tried("nobody") == "":
        can = "it can use the network, and read what everybody may read"
        return Way("nobody", f"{_OPEN} ({why}): each runs as nobody, and {can}")
    outlives = "" if sys.platform == "linux" else f"; {_OUTLIVES}"
    return Way("plain", f"{_OPEN} ({why}): {_AS_YOU}{outlives}")


_OPEN = "hand-ins are not shut in on this machine"
_AS_YOU = "each runs as you, and could end the marking, use the network, and change your files"
_OUTLIVES = "a program that it starts may go on after it"


def _tried(kind: str) -> str:
    """The reason why a way does not work here, or an empty text: a program is started in it."""
    with tempfile.TemporaryDirectory(prefix="fgn-mark-") as made:
        settings = {"limits": [60, 2048, 200], "own": made, "hidden": None, "kind": kind}
        ran = subprocess.run(
            [sys.executable, __file__, "try"],
            env={
                **os.environ,
                SETTINGS: json.dumps(settings),
                "PYTHONSAFEPATH": "1",
                "TMPDIR": made,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
    if ran.returncode == 0:
        return ""
    return (ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"])[-1]


def confine(program: Callable[[], None], own: Path, hidden: Path | None, kind: str) -> int:
    """Run ``program`` in a child process; return its exit status, ``-number`` after a signal.

    own     the one folder in which it may write
    hidden  a folder that it must not see, such as that of the class
    kind    that of a :class:`Way`
    """
    if kind == "namespaces":
        _unshare()
        inside = os.fork()
        if inside == 0:
            _first(program, own, hidden)
        _end_with(signal.SIGTERM, lambda: _killed(inside))
        status = _wait(inside)
        return 128 - status if status > 128 else status
    _prctl(CHILD_SUBREAPER, 1)
    inside = os.fork()
    if inside == 0:
        with suppress(OSError):
            os.setpgid(0, 0)
        if kind == "nobody":
            _as_nobody(own)
        _prctl(PDEATHSIG, signal.SIGKILL)
        _run(program)
    _end_with(signal.SIGTERM, lambda: _end_descendants(inside))
    status = _wait(inside)
    _end_descendants(inside)
    return status


# ---- namespaces -----------------------------------------------------------------------------


def _unshare() -> None:
    """Give this process namespaces of its own; raise :class:`Unable` where that is not allowed."""
    if sys.platform != "linux":
        raise Unable(f"{sys.platform} has no namespaces")
    user, group = os.getuid(), os.getgid()
    wanted = NEWUSER | NEWNS | NEWPID | NEWNET | NEWIPC | NEWUTS
    _called(_c().unshare(wanted), "the system allows no namespaces")
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        try:
            Path("/proc/self", file).write_text(text)
        except OSError as error:
            raise Unable(f"the system allows no namespaces: {error.strerror}") from error


def _first(program: Callable[[], None], own: Path, hidden: Path | None) -> None:
    """The first process of the namespace: shut it in, start the program, exit as it does."""
    try:
        _prctl(PDEATHSIG, signal.SIGKILL)
        _mount(own, hidden)
        _give_up_rights()
    except (Unable, OSError) as error:
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(1)
    inside = os.fork()
    if inside == 0:
        with suppress(OSError):
            os.setpgid(0, 0)
        _run(program)
    _exit_as(_wait(inside))


def _mount(own: Path, hidden: Path | None) -> None:
    """Everything is read-only but the own folder; other processes and ``hidden`` are not seen."""
    _mounted(None, "/", None, MS_REC | MS_PRIVATE)
    _mounted(str(own), str(own), None, MS_BIND)
    _mounted("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    _attributes("/", AT_RECURSIVE, on=MOUNT_ATTR_RDONLY)
    _attributes(str(own), 0, off=MOUNT_ATTR_RDONLY)
    if Path("/dev/shm").is_dir():  # where processes that work together share their memory
        _mounted("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "size=200m")
    if hidden is not None:
        _mounted("tmpfs", str(hidden), "tmpfs", MS_NOSUID | MS_NODEV, "size=4k,mode=555")


def _mounted(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    words = [word and os.fsencode(word) for word in (source, target, kind, data)]
    done = _c().mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3])
    _called(done, f"{target} cannot be mounted")


def _attributes(target: str, flags: int, on: int = 0, off: int = 0) -> None:
    asked = (ctypes.c_uint64 * 4)(on, off, 0, 0)
    done = _c().syscall(
        ctypes.c_long(SYS_MOUNT_SETATTR),
        ctypes.c_int(AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(flags),
        ctypes.byref(asked),
        ctypes.c_size_t(ctypes.sizeof(asked)),
    )
    _called(done, "files cannot be made read-only (Linux before 5.12)")


def _give_up_rights() -> None:
    """Without capabilities nothing of this can be undone, also by a program of root's."""
    _prctl(NO_NEW_PRIVS, 1)
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        _prctl(CAPBSET_DROP, capability)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0)
    none = (ctypes.c_uint32 * 6)()
    _called(_c().capset(ctypes.byref(header), ctypes.byref(none)), "rights cannot be given up")


# ---- processes ------------------------------------------------------------------------------


def _run(program: Callable[[], None]) -> None:
    """Run the program in this child process, and end it."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    status = 1
    try:
        program()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(status)


def _wait(child: int) -> int:
    """Wait for a child, and reap orphans meanwhile; its exit status, ``-number`` after a signal."""
    while True:
        try:
            ended, status = os.wait()
        except InterruptedError:
            continue
        except ChildProcessError:
            return 1
        if ended == child:
            return os.waitstatus_to_exitcode(status)


def _killed(child: int) -> None:
    """Kill a child and wait for its end: that of a namespace comes after all in it have ended."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _exit_as(status: int) -> None:
    """End as a child did; the first process of a namespace is deaf to signals, so by a number."""
    os._exit(status if status >= 0 else 128 - status)


def _end_with(number: signal.Signals, end: Callable[[], None]) -> None:
    """On this signal, or when the parent dies, call ``end`` and exit."""

    def handler(got: int, frame: FrameType | None) -> None:
        with suppress(OSError):
            end()
        os._exit(128 + got)

    signal.signal(number, handler)
    _prctl(PDEATHSIG, number)


def _end_descendants(child: int) -> None:
    """End a child, its process group, and all that came from it, also in sessions of their own.

    Orphans become children of this process (a *subreaper*), so that they are found among those.
    """
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    for _ in range(1000):
        found = _descendants(os.getpid())
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not found:
            return


def _descendants(process: int) -> list[int]:
    """Processes that came from this one and are alive, as ``/proc`` lists them."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            state, parent = entry.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state not in "ZX":
                children.setdefault(int(parent), []).append(int(entry.parent.name))
    found, left = [], [process]
    while left:
        more = children.get(left.pop(), [])
        found += more
        left += more
    return found


def end_marked(token: str) -> None:
    """End processes of a hand-in whose keeper was killed: their environment has its token."""
    mark = f"{TOKEN}={token}".encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError, ValueError):
            if mark in entry.read_bytes().split(b"\0"):
                os.kill(int(entry.parent.name), signal.SIGKILL)


def _as_nobody(own: Path) -> None:
    """A program of root's could end the marking and write anywhere: run it as nobody."""
    for folder, _, files in os.walk(own):
        os.chown(folder, NOBODY, NOBODY)
        for file in files:
            os.chown(os.path.join(folder, file), NOBODY, NOBODY, follow_symlinks=False)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


# ---- C --------------------------------------------------------------------------------------


def _c() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _called(result: int, refused: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        full = "as many as user.max_user_namespaces are there"  # for unshare no disk is full then
        raise Unable(f"{refused}: {full if number == errno.ENOSPC else os.strerror(number)}")


def _prctl(option: int, value: int) -> None:
    """Linux's ``prctl``; elsewhere nothing."""
    if sys.platform == "linux":
        _c().prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def _kernel() -> None:
    from ipykernel.kernelapp import launch_new_instance

    sys.path.append(os.getcwd())  # a student's modules come last, and are in nobody's place
    launch_new_instance(sys.argv)


def _nothing() -> None:
    """A program to try a way with: it imports what a hand-in needs, and writes into its folder."""
    import ipykernel  # noqa: F401

    import fgn_notebooks  # noqa: F401

    with tempfile.TemporaryFile():
        pass


def main() -> None:
    """Start a kernel as the environment says, wait for it, and exit as it did."""
    settings = json.loads(os.environ.pop(SETTINGS))
    os.environ.pop("JPY_PARENT_PID", None)  # of the first process ipykernel would take 1 for none
    limit(*settings["limits"])
    program = _nothing if sys.argv[1:] == ["try"] else _kernel
    if not hasattr(os, "fork"):
        program()
        return
    hidden = settings["hidden"] and Path(settings["hidden"])
    try:
        status = confine(program, Path(settings["own"]), hidden, settings["kind"])
    except Unable as error:
        raise SystemExit(str(error)) from None
    sys.stdout.flush()
    _exit_as(status)


if __name__ == "__main__":
    main()
