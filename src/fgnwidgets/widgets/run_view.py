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

import ipywidgets

from .lock import LOCK

FIRST_SLICE, SLICE = 0.01, 0.1
"""Seconds of the first slice, and least seconds of the others."""

DRAWING = 1 / 3
"""Most time for drawing as a share of the time for computing; if it takes longer, slices grow."""

LAST = 1.5
"""If a run probably ends within this many slices, its next slice is longer."""

BREATH = 0.01
"""Seconds between two slices, in which messages of the page come in."""


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


class RunView(ipywidgets.HBox):  # type: ignore[misc]
    """A progress bar with toggles to pause and stop; hidden while nothing runs.

    ``show(run)`` is called after every slice, and ``fail(error)`` if one raises; ``progress(run)``
    returns the share that is done. They are toggles because a button waits until the running cell
    has ended, and a toggle does not.
    """

    def __init__(
        self,
        show: Callable[[Going], None],
        fail: Callable[[Exception], None],
        progress: Callable[[Going], float],
    ) -> None:
        self._show_run, self._fail, self._progress = show, fail, progress
        self._run: Going | None = None
        self._task: asyncio.Task[None] | None = None
        self._drawn_in = 0.0
        self.bar = ipywidgets.FloatProgress(0.0, min=0.0, max=1.0, layout={"width": "76px"})
        self.pause = ipywidgets.ToggleButton(
            description="Pause", tooltip="Hold the run, and go on later"
        )
        self.stop = ipywidgets.ToggleButton(
            description="Stop", tooltip="End the run and keep what there is"
        )
        for toggle in (self.pause, self.stop):
            toggle.layout.width = "62px"
            toggle.disabled = True
        self.pause.observe(self._paused, "value")
        self.stop.observe(self._stopped, "value")
        super().__init__(
            [self.bar, self.pause, self.stop],
            layout={"visibility": "hidden", "flex": "0 0 auto", "align_items": "center"},
        )

    @property
    def running(self) -> bool:
        """Whether results are still to come, paused or not."""
        return self._run is not None

    def start(self, results: Iterator[Any], *, wait: bool) -> None:
        """Begin a run; one in progress is given up.

        With ``wait``, or if no event loop is running, the run is over when this returns. Otherwise
        its first slice is shown, and the others follow later. Raises what the run or ``show`` raise
        until then.
        """
        with LOCK:
            self._run = self._task = None
            self.pause.value = self.stop.value = False
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

    def _rest(self) -> None:
        """Hide the bar and reset the toggles."""
        self.layout.visibility = "hidden"
        self.pause.value = self.stop.value = False
        self.pause.disabled = self.stop.disabled = True

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
            self.bar.value = self._progress(run)

    def _follow(self, run: Going) -> None:
        """Show the bar, and let the other slices of a run follow."""
        # A widget that was sent from this thread also delivers its messages to this thread.
        self.pause.disabled = self.stop.disabled = False
        self.layout.visibility = "visible"
        self._task = asyncio.get_running_loop().create_task(self._slices(run))

    async def _slices(self, run: Going) -> None:
        while True:
            await asyncio.sleep(BREATH)
            with LOCK:
                if self._task is not asyncio.current_task() or self.pause.value:
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

    def _paused(self, _: Any) -> None:
        with LOCK:
            self.pause.description = "Go on" if self.pause.value else "Pause"
            if self._run is not None:
                if self.pause.value:
                    self._show_run(self._run)
                elif _loop_is_running():
                    self._follow(self._run)

    def _stopped(self, _: Any) -> None:
        with LOCK:
            run = self._run
            if self.stop.value and run is not None:
                self.cut()
                self._show_run(run)


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
