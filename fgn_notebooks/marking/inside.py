"""The part of marking that runs inside the kernel of a copy: its limits, and the judge."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any

MEGABYTE = 2**20
LIMITS = "FGN_LIMITS"
"""The environment variable of the limits: CPU seconds, megabytes of memory, and of a file."""


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


def judge(name: str, answer: Any, student: str) -> str:
    """The judgement of an answer as JSON, as ``Kernel.judge`` reads it; it counts no try."""
    from fgn_notebooks.exercises import judging

    if answer is None or answer is ...:
        return json.dumps({"right": None, "answered": False, "says": "no answer"})
    judged = judging.judge(name, answer, student)
    says = judged.says.removeprefix(f"{name}: ").partition("\n")[0]
    return json.dumps({"right": judged.right, "answered": True, "says": says})


def main() -> None:
    """Start a kernel within the limits."""
    limit(*map(int, os.environ.pop(LIMITS).split()))
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance(sys.argv)


if __name__ == "__main__":
    main()
