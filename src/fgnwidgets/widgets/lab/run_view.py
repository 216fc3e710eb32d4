"""Run an iterator of results in slices, so that the page can answer in between.

Vocabulary
    run     an iterator of results; each can be drawn, and the last one is the final result
    slice   the results that are computed without a pause
    cut     to end a run before its end
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..page.lock import LOCK

FIRST_SLICE, SLICE = 0.01, 0.1
"""Seconds of the first slice, and least seconds of the others."""

DRAWING = 1 / 3
"""Most time for drawing as a share of the time for computing; if it takes longer, slices grow."""

LAST = 1.5
"""If a run probably ends within this many slices, its next slice is longer."""

BREATH = 0.01
"""Seconds between two slices, in which messages of the page come in."""

MOVING, REST = 0.5, 0.3
"""Runs that begin within so many seconds of each other are a hand that moves, such as a drag or a
key pressed again and again: of each the first picture is shown, and the rest only follows when the
hand has rested for so long. A second slice in between would delay the next picture."""


class Going:
    """A run in progress: the number of its results so far, the latest one, whether it is over."""

    def __init__(self, results: Iterator[Any]) -> None:
        self.results = results
        self.count = 0
        self.latest: Any = None
        self.over = False
        self.spent = 0.0  # seconds of computing

    def take(self, seconds: float | None) -> Any:
        """Take results for this time, but at least one; with None, all. Returns the latest."""
        begun = time.monotonic()
        while not self.over:
            try:
                self.latest = next(self.results)
                self.count += 1
            except StopIteration:
                self.over = True
            if seconds is not None and time.monotonic() - begun >= seconds and self.count:
                break
        self.spent += time.monotonic() - begun
        if self.count == 0:
            raise ValueError("the run ended without a result: expected an iterator of results")
        return self.latest


class RunView:
    """A run in slices, which can be held, stopped, or given up for another one.

    ``show(run)`` is called after every slice, and ``fail(error)`` if one raises; ``progress(run)``
    returns the share that is done, and ``tell(state, share)`` is called when it or the state has
    changed, which is ``"running"``, ``"held"``, or ``""`` while nothing runs.
    """

    def __init__(
        self,
        show: Callable[[Going], None],
        fail: Callable[[Exception], None],
        progress: Callable[[Going], float],
        tell: Callable[[str, float], None] = lambda state, share: None,
    ) -> None:
        self._show_run, self._fail, self._progress, self._tell = show, fail, progress, tell
        self._run: Going | None = None
        self._task: asyncio.Task[None] | None = None
        self._drawn_in = 0.0
        self._begun = -math.inf
        self._moving = False
        self.held = False

    @property
    def running(self) -> bool:
        """True while results are still to come, paused or not."""
        return self._run is not None

    def start(self, results: Iterator[Any], *, wait: bool) -> None:
        """Begin a run; one in progress is given up.

        With ``wait``, or if no event loop is running, the run is over when this returns. Otherwise
        its first slice is shown, and the others follow later. Raises what the run or ``show`` raise
        until then.
        """
        with LOCK:
            self._run = self._task = None
            self.held = False
            now = time.monotonic()
            self._moving, self._begun = now - self._begun < MOVING, now
            run = self._run = Going(results)
            wait = wait or not _loop_is_running()
            try:
                run.take(None if wait else FIRST_SLICE)
                self._show(run)
            except BaseException:
                self.cut()
                raise
            if self._run is run:
                self._follow(run)

    def cut(self) -> None:
        """End the run in progress."""
        with LOCK:
            self._run = self._task = None
            self._rest()

    def hold(self) -> None:
        """Hold the run in progress, until :meth:`go_on`."""
        with LOCK:
            if self._run is not None:
                self.held = True
                self._tell("held", self._progress(self._run))
                self._show_run(self._run)

    def go_on(self) -> None:
        """Go on with a run that is held."""
        with LOCK:
            if self._run is not None and self.held:
                self.held = False
                if _loop_is_running():
                    self._follow(self._run)

    def stop(self) -> None:
        """End the run in progress, and keep what there is."""
        with LOCK:
            if (run := self._run) is not None:
                self.cut()
                self._show_run(run)

    def _rest(self) -> None:
        self.held = False
        self._tell("", 0.0)

    def _show(self, run: Going) -> None:
        """Show a run's latest result; ``show`` may start another run or cut this one."""
        if run.over:
            self._run = self._task = None
        begun = time.monotonic()
        self._show_run(run)  # before anything else is sent, so that the picture is not delayed
        self._drawn_in = time.monotonic() - begun
        if self._run is None:
            self._rest()
        elif self._run is run:
            self._tell("held" if self.held else "running", self._progress(run))

    def _follow(self, run: Going) -> None:
        """Let the other slices of a run follow."""
        # A widget that was sent from this thread also delivers its messages to this thread.
        self._tell("running", self._progress(run))
        self._task = asyncio.get_running_loop().create_task(self._slices(run))

    async def _slices(self, run: Going) -> None:
        pause = REST if self._moving else BREATH
        while True:
            await asyncio.sleep(pause)
            pause = BREATH
            with LOCK:
                if self._task is not asyncio.current_task() or self.held:
                    return
                try:
                    run.take(self._slice(run))
                    self._show(run)
                except Exception as error:  # raised in a task, it would be seen only in a log
                    self.cut()
                    self._fail(error)

    def _slice(self, run: Going) -> float:
        """Seconds of the next slice; twice as many if the run would end soon after it."""
        seconds = max(SLICE, self._drawn_in / DRAWING)
        share = self._progress(run)
        left = run.spent * (1 - share) / share if share > 0 else math.inf
        return seconds if left > LAST * seconds else 2 * seconds


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
