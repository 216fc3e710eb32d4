"""A lab: controls beside a picture, around two functions that work without it.

Vocabulary
    pair      ``compute(**values) -> result`` and ``draw(result, fig=None) -> Figure``
    stream    results that are shown as they arrive: ``compute`` returns an iterator of them, or has
              a function ``compute.stream`` that does
    values    those of the controls; each is passed to the function that has an argument of its name
    shown     the result in the picture with its values, which may be older than the controls' while
              a run goes on, or after one failed

Whatever a lab shows, ``draw(compute(**values))`` shows too.
"""

from __future__ import annotations

import html
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import ipywidgets

from .asides import Asides, preformatted
from .controls import Choice, Control
from .drawer import Drawer
from .export import Pair, Shown, refuse_orphans
from .figure_image import Draw, FigureImage
from .lock import LOCK
from .page import Page
from .rows import Row, spoken
from .run_view import Going, RunView
from .status import Status
from .still import still

NOTHING: Mapping[str, Any] = MappingProxyType({})
VIEW = "view"
"""The name of the control that chooses one of several pairs."""

IN_SIGHT = 3
"""How many other controls are always in sight; the rest is in a drawer."""

WORDS = "A picture: run this cell (Shift+Enter), then move the controls of the lab."


class Lab(ipywidgets.VBox):  # type: ignore[misc]
    """Controls, a picture that follows them, and a line with the time taken or an error.

    ``controls``   argument -> :class:`Integer`, :class:`Real`, :class:`Exponent`, :class:`Choice`,
                   :class:`Many` or :class:`Toggle`
    ``more``       further pairs by name, chosen by a control ``view``; the first is called ``name``
    ``given``      arguments of ``compute`` that no control changes, such as a reader's graph
    ``main``       the controls to be in sight, of which the first three that the pair takes are;
                   by default the first of ``controls``
    ``live``       False computes only when a slider is released, for work that takes long

    A result may have ``facts() -> str``, what its picture shows in words; ``table()``, its columns
    for a CSV file; and ``progress``, how much is done of how much, such as ``(30, 600, "epoch")``.
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
    ) -> None:
        self.title = title
        self.controls = dict(controls)
        self._order = tuple(dict.fromkeys([*main, *controls]))
        self._pairs = {name: Pair(compute, draw), **more}
        if more:
            view = Choice("show", tuple(self._pairs), name, "which experiment")
            self.controls = {VIEW: view, **self.controls}
        self._given = dict(given)
        refuse_orphans(title, self._pairs.values(), [*controls, *given])
        self._rows: dict[str, Row] = {key: c.row(live) for key, c in self.controls.items()}
        self._first = self.values
        self._quiet = False
        self._begun = 0.0
        self._asked: dict[str, Any] = {}  # the values of the present or last run
        self._shown = Shown(self._pair({}), {}, self._given, None, whole=False)
        self.picture = FigureImage()
        self.run_view = RunView(self._arrived, self._failed, self._share_done)
        self.status = Status()
        self.asides = Asides(
            {
                "numbers": lambda: preformatted(self.picture.text),
                "code": lambda: preformatted(self.code()),
                "files": lambda: self._shown.links(),
            }
        )
        self.page = Page([spoken(c.symbol, c.help) for c in self.controls.values()])
        for number, row in enumerate(self._rows.values()):
            row.view.add_class(f"fgn-control-{number}")  # so the page finds its name (``Page``)
        self._drawer = Drawer()
        self.page.on_msg(self._stepped)
        self._start(wait=True)
        for key, row in self._rows.items():
            row.on_change(self._moved)
            row.on_refused(partial(self._refused, self.controls[key].symbol))
        super().__init__(self._parts(), layout={"width": "100%", "padding": "8px 0"})
        self.add_class("fgn-lab")

    @property
    def values(self) -> dict[str, Any]:
        """The values of the controls, by argument."""
        return {key: row.value for key, row in self._rows.items()}

    @property
    def result(self) -> Any:
        """The result shown: what ``compute`` returned, or the latest that it has yielded."""
        return self._shown.result

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

    def reset(self) -> None:
        """Go back to the first values."""
        self.set(**self._first)

    def code(self) -> str:
        """Python code that makes the figure shown without the lab."""
        return self._shown.code()

    def csv(self) -> str:
        """The data behind the picture, as comma-separated values."""
        return self._shown.csv()

    def row(self, name: str) -> Row:
        """The widgets of a control, to be placed or observed elsewhere."""
        return self._rows[name]

    def save(self, path: str | Path) -> None:
        """Write the picture (``.png``, ``.svg``) or its data (``.csv``)."""
        kind = Path(path).suffix
        with LOCK:
            if kind not in (".png", ".svg", ".csv"):
                raise ValueError(
                    f"path is {str(path)!r}: expected it to end with .png, .svg or .csv"
                )
            content = self.csv().encode() if kind == ".csv" else self._shown.file(kind[1:])
            Path(path).write_bytes(content)

    def __repr__(self) -> str:
        return f"Lab({self.title!r})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        with LOCK:
            text = f"{self.title}\n{self.picture.text}".strip()
            picture = still(self._shown.figure(), WORDS)
            return {**super()._repr_mimebundle_(), "image/png": picture, "text/plain": text}

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
        """Answer a control that was moved; errors are shown in the lab, as nobody catches them."""
        with LOCK:
            if self._quiet or self.values == self._asked:
                return
            try:
                self._start(wait=False)
            except Exception as error:
                self._failed(error)

    def _start(self, *, wait: bool) -> None:
        """Compute and draw for the values of the controls; a run in progress is given up."""
        before, self._asked = self._asked, self.values
        self._begun = time.monotonic()
        try:
            self.run_view.start(self._results(wait), wait=wait)
        except BaseException:
            if wait:
                self._asked = before
            raise
        self._arrange()

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
        self._drawer.show(*([self._rows[key].view for key in keys] for keys in (front, back)))

    def _arrived(self, run: Going) -> None:
        """Draw the latest result of a run, with the values of that run."""
        pair, before = self._pair(self._asked), self._shown
        if run.latest is not before.result or (pair, self._asked) != (before.pair, before.values):
            self.picture.draw(pair.draw, run.latest, **pair.drawing(self._asked))
        self._shown = Shown(pair, self._asked, self._given, run.latest, whole=run.over)
        done, of, unit = self._progressed(run)
        far = f"{unit} {done} of {of}"
        if run.over:
            self.status.say(f"done in {1000 * (time.monotonic() - self._begun):.0f} ms")
        elif self.run_view.pause.value:
            self.status.say(f"paused at {far}")
        elif not self.run_view.running:
            self.status.say(f"stopped at {far}")
        else:
            self.status.say(far)
            return  # numbers and files are made when the run ends or pauses
        self.picture.text = self._shown.facts()
        self.picture.alt = f"{self.title}. {self.picture.text}"
        self.asides.refresh()

    def _progressed(self, run: Going) -> tuple[int, int, str]:
        """How much of a run is done, of how much, and the unit."""
        said: tuple[int, int, str] | None = getattr(run.latest, "progress", None)
        return said or (run.count, run.count + (not run.over), "result")

    def _share_done(self, run: Going) -> float:
        done, of, _ = self._progressed(run)
        return done / max(of, 1)

    def _failed(self, error: Exception) -> None:
        """Show an error; the last good picture stays."""
        self.run_view.cut()
        self.status.complain(error)

    def _parts(self) -> list[ipywidgets.Widget]:
        head = ipywidgets.HTML(f"<b>{html.escape(self.title)}</b>", layout={"margin": "0"})
        reset = ipywidgets.Button(
            description="Reset", tooltip="Back to the first values", layout={"width": "auto"}
        )
        reset.on_click(self._reset_pressed)
        line = ipywidgets.HBox(
            [self.status, self.run_view, self.asides.toggles, reset],
            layout={"flex_flow": "row wrap", "align_items": "center", "min_height": "34px"},
        )
        right = ipywidgets.VBox([line, self.asides.text, self.picture])
        # The controls are a column beside the picture, or rows above it if the page is narrow.
        body = ipywidgets.HBox([self._drawer, right])
        for part, name in ((self._drawer, "rows"), (right, "right"), (body, "body")):
            part.add_class(f"fgn-lab-{name}")
        return [head, body, self.page]

    def _stepped(self, _: Any, message: Any, __: Any) -> None:
        """Move a slider by an arrow key, which the page has caught."""
        list(self._rows.values())[message["row"]].step(message["by"])

    def _refused(self, symbol: str, why: str) -> None:
        self.status.complain(ValueError(f"{symbol} {why}"))

    def _reset_pressed(self, _: Any) -> None:
        with LOCK:
            self._place(self._first)
            self._asked = {}
            self._moved()
