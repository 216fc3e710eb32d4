"""A lab: controls beside a picture, around two functions that work without it.

Vocabulary
    pair     ``compute(**values) -> result`` and ``draw(result, fig=None) -> Figure``
    stream   results that are shown as they arrive
    values   those of the controls; each is passed to the function that has an argument of its name
    shown    the result in the picture with its values, which may be older than the controls' while
             a run goes on, or after one failed
    pinned   an earlier picture, whose curves stay pale behind the present one's

Whatever a lab shows, ``draw(compute(**values))`` shows too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import ipywidgets

from ..page.lock import LOCK
from ..page.outputs import output, reopen, with_parts
from ..page.plain import layout, plain
from ..page.stored_picture import sharp_picture
from . import web_page
from .bar import Page
from .control_rows import ControlRows
from .controls import Choice, Control
from .export import Pair, Shown, refuse_orphans
from .figure_image import Draw, FigureImage
from .picture_map import EPOCHS
from .rows import Row, spoken
from .run_view import Going, RunView

NOTHING: Mapping[str, Any] = MappingProxyType({})
VIEW = "view"
"""The name of the control that chooses one of several pairs."""

IN_SIGHT = 3
"""The number of other controls that are always in sight; the rest is in a drawer."""

NEWS = 160
"""The most letters of a picture's words that a screen reader is told when hands rest."""

WORDS = "A picture: run this cell (Shift+Enter), then move the controls of the lab."


class Lab(ipywidgets.VBox):  # type: ignore[misc]
    """Controls, and a picture that follows them.

    ``compute``    ``compute(**values) -> result``
    ``draw``       ``draw(result, fig=None) -> Figure``
    ``controls``   argument -> :class:`Integer`, :class:`Real`, :class:`Exponent`, :class:`Choice`,
                   :class:`Many` or :class:`Toggle`
    ``more``       further pairs by name, chosen by a control ``view``; the first is called ``name``
    ``given``      arguments of ``compute`` that no control changes, such as a reader's graph
    ``main``       the controls to be in sight, of which the first three that the pair takes are;
                   by default the first of ``controls``
    ``live``       False computes only when a slider is released, for work that takes long

    ``stream``, ``facts``, ``table``, ``progress``, ``keeps_axes``, ``steps`` and ``cursor`` say
    more of the two functions: see :class:`Pair`.
    """

    def __init__(
        self,
        compute: Callable[..., Any],
        draw: Draw,
        *,
        title: str,
        controls: Mapping[str, Control],
        name: str = "one run",
        more: Mapping[str, Pair] = NOTHING,
        given: Mapping[str, Any] = NOTHING,
        main: Sequence[str] = (),
        live: bool = True,
        stream: Callable[..., Iterator[Any]] | None = None,
        facts: Callable[..., str] | None = None,
        table: Callable[..., Mapping[str, Any]] | None = None,
        progress: Callable[[Any], tuple[int, int, str]] | None = None,
        keeps_axes: bool | None = None,
        steps: Sequence[str] = EPOCHS,
        cursor: str = "",
    ) -> None:
        self.title = title
        self.controls = dict(controls)
        _read_controls(title, self.controls, main)
        self._order = tuple(dict.fromkeys([*main, *controls]))
        first = Pair(compute, draw, stream, facts, table, progress, keeps_axes, steps, cursor)
        self._pairs = {name: first, **more}
        if more:
            view = Choice("show", tuple(self._pairs), name, "which experiment")
            self.controls = {VIEW: view, **self.controls}
        self._given = dict(given)
        refuse_orphans(title, self._pairs.values(), [*controls, *given])
        self._rows: dict[str, Row] = {key: c.row(live) for key, c in self.controls.items()}
        self._first = self.values
        self._quiet = False
        self._asked: dict[str, Any] = {}  # the values of the present or last run
        self._shown = Shown(self._pair({}), {}, self._given, None, whole=False)
        self._described = self._shown  # what the words beside the picture are about
        self._pinned: Shown | None = None
        self._painted: tuple[Going, int] | None = None  # the run in the picture, and its result
        self.picture = FigureImage()
        self.page = Page(
            title,
            [spoken(c.symbol, c.help) for c in self.controls.values()],
            self.values,
            {"numbers": self._numbers, "code": self.code, "files": lambda: self._shown.files()},
            {
                "reset": self._reset_pressed,
                "pin": self._pin_pressed,
                "hold": lambda: self.run_view.hold(),
                "go on": lambda: self.run_view.go_on(),
                "stop": lambda: self.run_view.stop(),
                "step": self._stepped,
            },
            self._went,
        )
        self.run_view = RunView(self._arrived, self._failed, self._share_done, self.page.tell)
        for number, row in enumerate(self._rows.values()):
            row.view.add_class(f"fgn-control-{number}")  # so the page finds its name (``Page``)
        self._controls = ControlRows()
        self._start(wait=True)
        for key, row in self._rows.items():
            row.on_change(self._moved)
            row.on_refused(partial(self._refused, self.controls[key].symbol))
        self.picture.observe(lambda _: self._pointed(), "cursor")
        # The controls are a column beside the picture, or rows above it if the page is narrow.
        body = plain(ipywidgets.HBox, [self._controls, self.picture])
        body.add_class("fgn-lab-body")
        super().__init__([self.page, body], layout=layout())
        self.add_class("fgn-lab")

    @property
    def values(self) -> dict[str, Any]:
        """The values of the controls, by argument."""
        return {key: row.value for key, row in self._rows.items()}

    @property
    def result(self) -> Any:
        """The result shown: what ``compute`` returned, or the latest that it has yielded."""
        return self._shown.result

    @property
    def said(self) -> str:
        """The line of the lab above its picture: an error, how far a run is, or nothing."""
        return self.page.said

    def set(self, **values: Any) -> None:
        """Move controls together, and wait for the picture.

        Raises ``ValueError`` for an unknown name or a value out of range, and what ``compute`` or
        ``draw`` raise; then nothing is changed.
        """
        with LOCK:
            checked = {key: self._check(key, value) for key, value in values.items()}
            before = self.values
            self._place({**before, **checked})
            try:
                self._start(wait=True)
            except BaseException:
                self._place(before)
                raise
            self.page.moved(self.values, by_hand=False)

    def reset(self) -> None:
        """Go back to the first values."""
        self.set(**self._first)

    def undo(self) -> None:
        """Go back to the values before the last change; a drag of a slider is one change."""
        self.page.undo()

    def redo(self) -> None:
        """Make the change again that :meth:`undo` took back last."""
        self.page.redo()

    def pin(self) -> None:
        """Keep what the present picture shows in all later ones.

        Its curves are pale behind those of now; a cell of a matrix has a square of its colour.
        """
        with LOCK:
            self._pinned = self._shown
            self.picture.pin(self.picture.shown)
            self._say_pinned()

    def unpin(self) -> None:
        """Take away what :meth:`pin` keeps."""
        with LOCK:
            self._pinned = None
            self.picture.pin(None)
            self._say_pinned()

    def code(self) -> str:
        """Python code that makes the figure shown without the lab; what is pinned is not in it."""
        return self._shown.code()

    def csv(self) -> str:
        """The data behind the picture, as comma-separated values."""
        return self._shown.csv()

    def row(self, name: str) -> Row:
        """The widgets of a control, to be placed or observed elsewhere."""
        return self._rows[name]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture (``.png``, ``.svg``) or its data (``.csv``)."""
        kind = Path(path).suffix
        with LOCK:
            if kind not in (".png", ".svg", ".csv"):
                raise ValueError(
                    f"path is {str(path)!r}: expected it to end with .png, .svg or .csv"
                )
            content = self.csv().encode() if kind == ".csv" else self._shown.file(kind[1:])
            Path(path).write_bytes(content)

    def to_html(self, path: str | os.PathLike[str], *, title: str = "") -> Path:
        """Write the lab as one web page that needs no network; returns its path.

        The page has the picture, which answers a pointer and keys as it does in a notebook, its
        numbers, the code that makes it, and its data as a file. Its controls are told, not moved:
        a page without Python cannot compute.
        """
        with LOCK:
            told = [
                (control.symbol, control.help, self._written(key))
                for key, control in self.controls.items()
                if key == VIEW or self._pair(self.values).takes(key)
            ]
            page = web_page.page(title or self.title, self.picture, self._shown, told)
            written = Path(path)
            written.write_text(page, encoding="utf-8")
            return written

    def close(self) -> None:
        """Close the lab, with the controls that its present view does not show, and its run."""
        for run in filter(None, [getattr(self, "run_view", None)]):  # it may never have begun
            run.cut()
        for part in self._own():
            part.close()
        super().close()
        self.__dict__.pop("_repr_mimebundle_", None)  # who shows it again opens it again

    def open(self) -> None:
        """Open the lab, again if it was closed."""
        for row in getattr(self, "_rows", {}).values():
            reopen(row.view)
        super().open()

    def _own(self) -> list[ipywidgets.Widget]:
        rows = getattr(self, "_rows", {})
        return [part for row in rows.values() for part in with_parts(row.view)]

    def __repr__(self) -> str:
        return f"Lab({self.title!r})"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        with LOCK:
            text = f"{self.title}\n{self.picture.text}".strip()
            picture, width = sharp_picture(self._shown.figure(), WORDS)
            live, _ = output(self, super()._repr_mimebundle_)
            shown = {**live, "image/png": picture, "text/plain": text}
            return shown, {"image/png": {"width": width}}

    def _pair(self, values: Mapping[str, Any]) -> Pair:
        return self._pairs[values[VIEW]] if VIEW in values else next(iter(self._pairs.values()))

    def _check(self, key: str, value: Any) -> Any:
        if key not in self.controls:
            raise ValueError(
                f"{self!r} has no control {key!r}: these are {', '.join(self.controls)}"
            )
        try:
            return self.controls[key].check(value)
        except ValueError as error:
            raise ValueError(f"{key} {error}") from None

    def _place(self, values: Mapping[str, Any]) -> None:
        """Move the controls without computing anything."""
        self._quiet = True
        try:
            for key, value in values.items():
                self._rows[key].value = value
        finally:
            self._quiet = False

    def _moved(self) -> None:
        """Answer a control that was moved; errors are shown in the lab, as nobody catches them.

        The bar hears of all that a move brings at once: each message is drawn, and delays the next
        move.
        """
        with LOCK, self.page.hold_sync():
            if self._quiet or self.values == self._asked:
                return
            self._follow()
            self.page.moved(self.values)

    def _went(self, values: Mapping[str, Any]) -> None:
        """Follow the bar to the values of an undo."""
        self._place(values)
        self._follow()

    def _follow(self) -> None:
        try:
            self._start(wait=False)
        except Exception as error:
            self._failed(error)

    def _start(self, *, wait: bool) -> None:
        """Compute and draw for the values of the controls; a run in progress is given up."""
        before, self._asked = self._asked, self.values
        try:
            self.run_view.start(self._results(wait), wait=wait)
        except BaseException:
            if wait:
                self._asked = before
            raise
        finally:
            self._arrange()  # also where it failed: another value of these controls may do

    def _results(self, wait: bool) -> Iterator[Any]:
        """The results for the values asked for; the present one if only the drawing changes."""
        pair, shown = self._pair(self._asked), self._shown
        arguments = pair.computing({**self._given, **self._asked})
        known = pair.computing({**self._given, **shown.values})
        if shown.whole and pair.compute is shown.pair.compute and arguments == known:
            return iter([shown.result])
        return pair.results(arguments, wait=wait)

    def _arrange(self) -> None:
        """Show the controls that the pair takes, a few in sight and the others in the drawer."""
        pair = self._pair(self._asked)
        taken = [key for key in self._order if pair.takes(key)]
        front = [VIEW] * (VIEW in self._rows) + taken[:IN_SIGHT]
        back = taken[IN_SIGHT:]
        for key, row in self._rows.items():
            row.enable(key in front or key in back)
        self._controls.show(*([self._rows[key].view for key in keys] for keys in (front, back)))

    def _arrived(self, run: Going) -> None:
        """Draw the latest result of a run, with the values of that run."""
        pair, before = self._pair(self._asked), self._shown
        values = self._with_cursor(pair, self._asked)
        step = (run, run.count)  # not the result itself: a stream may yield one that it lets grow
        if step != self._painted or (pair, values) != (before.pair, before.values):
            self.picture.paint(pair.drawn, run.latest, pair.drawing(values))
            self._painted = step
        self._shown = Shown(pair, values, self._given, run.latest, run.over, self.picture._pin)
        done, of, unit = self._progressed(run)
        far = f"{unit} {done} of {of}"
        if run.over:
            self.page.say("")
        elif self.run_view.held:
            self.page.say(f"paused at {far}")
        elif not self.run_view.running:
            self.page.say(f"stopped at {far}")
        else:
            self.page.say(far)
            return  # numbers and files are made when the run ends or pauses
        self._describe()

    def _with_cursor(self, pair: Pair, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values of controls, and with them the step at the cursor, if the drawing takes it."""
        return {**values, **({pair.cursor: self.picture.cursor} if pair.cursor else {})}

    def _pointed(self) -> None:
        """Draw what is shown for the step at the cursor, if the drawing takes it.

        After a run that failed, that is not what the controls say.
        """
        with LOCK:
            shown = self._shown
            values = self._with_cursor(shown.pair, shown.values)
            if not shown.pair.cursor or values == shown.values:
                return
            self.picture.paint(shown.pair.drawn, shown.result, shown.pair.drawing(values))
            pin = self.picture._pin
            self._shown = Shown(shown.pair, values, shown.given, shown.result, shown.whole, pin)
            self._describe()

    def _describe(self) -> None:
        """Say in words what the picture shows, and make anew what stands beside it."""
        self.picture.text = self._shown.facts()
        self.picture.alt = f"{self.title}. {self.picture.text}"
        self.page.news = " ".join(self.picture.text.split())[:NEWS]
        self.page.refresh()
        self._say_pinned()
        self._described = self._shown

    def _say_pinned(self) -> None:
        """Say what differs between the pinned picture and the present one."""
        self._shown = Shown(
            self._shown.pair,
            self._shown.values,
            self._shown.given,
            self._shown.result,
            self._shown.whole,
            self.picture._pin,
        )
        self.page.pinned = ""
        if self._pinned is not None:
            then, now = self._pinned.values, self._shown.values
            changed = [key for key in self.controls if then.get(key) != now.get(key)]
            told = ", ".join(f"{self.controls[key].symbol} {_short(then[key])}" for key in changed)
            self.page.pinned = f"pale: {told}" if told else "pale: the same"
        self.page._draw()

    def _numbers(self) -> str:
        """The numbers of the picture, and below them those of the pinned one."""
        if self._pinned is None:
            return self.picture.text
        return f"{self.picture.text}\n\npinned ({self.page.pinned}):\n{self._pinned.facts()}"

    def _written(self, key: str) -> str:
        return _short(self._asked[key])

    def _progressed(self, run: Going) -> tuple[int, int, str]:
        """The part of a run that is done, the whole, and the unit."""
        said = self._pair(self._asked).done(run.latest)
        return said or (run.count, run.count + (not run.over), "result")

    def _share_done(self, run: Going) -> float:
        done, of, _ = self._progressed(run)
        return done / max(of, 1)

    def _failed(self, error: Exception) -> None:
        """Show an error; the last good picture stays, and words and numbers are those of it."""
        self.run_view.cut()
        if self._described is not self._shown:
            with suppress(Exception):  # what says it may be what failed
                self._describe()
        self.page.complain(error)

    def _stepped(self, row: int, by: int) -> None:
        """Move a slider by an arrow key, which the page has caught."""
        list(self._rows.values())[row].step(by)

    def _refused(self, symbol: str, why: str) -> None:
        self.page.complain(ValueError(f"{symbol} {why}"))

    def _pin_pressed(self) -> None:
        (self.pin if self._pinned is None else self.unpin)()

    def _reset_pressed(self) -> None:
        with LOCK:
            self._place(self._first)
            self._asked = {}
            self._moved()


def _read_controls(title: str, controls: Mapping[str, Any], main: Sequence[str]) -> None:
    """Refuse what is no control, names that are none, and main controls that are not there."""
    for key, control in controls.items():
        if not all(hasattr(control, name) for name in ("symbol", "help", "check", "row")):
            raise ValueError(
                f"{title}: control {key!r} is {control!r}: expected one such as "
                f"Integer({key!r}, 1, 10, 3)"
            )
        if key == VIEW:
            raise ValueError(f"{title}: a control cannot be called {VIEW!r}, which chooses pairs")
    for key in main:
        if key not in controls:
            raise ValueError(f"{title}: main names {key!r}: the controls are {', '.join(controls)}")


def _short(value: Any) -> str:
    """A value of a control in a few letters."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
