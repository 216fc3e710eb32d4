"""Learning seen on the graph: curves, matrices and messages at a chosen epoch (section 7).

Vocabulary
    curve   a restart of a run; the graph shows its matrices, or two graphs those of two curves
    row     one of the different rows of the table, which is the evidence on the graph
    own     evidence that a reader has clicked in place of a row

Messages are computed from the run's recorded matrices by exact propagation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np
import traitlets
from matplotlib.figure import Figure

from fgnwidgets.data.evidence import Evidence
from fgnwidgets.draw.curves import draw_curves
from fgnwidgets.draw.graph import draw_normal
from fgnwidgets.draw.style import figure_of
from fgnwidgets.graphs.normal_graph import as_normal
from fgnwidgets.inference.queries import propagate
from fgnwidgets.learning.run import Run

from ..graph.graph_view import GraphView
from ..graph.observed import Cells, as_table, from_codes
from ..graph.origin import LearnedBy, row_codes, row_words
from ..page.lock import LOCK
from ..page.outputs import output, undrawn
from ..page.stored_picture import sharp_picture
from .curves import Curve, Curves, Look, curves_of, drawn, levels

WORDS = "A picture: run this cell (Shift+Enter), then drag the epoch and choose a row of the table."
MOST_ROWS = 300
"""The most rows that the page offers, the most frequent first; Python can set any."""

WIDEST, HIGHEST, NARROWEST, CURVES, TITLE = 9.6, 9.2, 5.6, 2.1, 0.3
"""Sizes in the stored picture, in inches: most width and height of the graphs, least width of the
picture, height of the curves and of the line above a graph."""

LEGIBLE, BESIDE = 0.9, 16
"""The least scale at which two graphs stand side by side, and the pixels beside their drawings."""

TOGETHER = ("evidence", "selected", "form", "origin")
"""The traits that two graphs side by side share."""


class LearningView(ipywidgets.VBox):  # type: ignore[misc]
    """Learning, epoch by epoch: ``LearningView(fit(graph, table, record=("loglik", "theta")))``.

    ``runs`` is a run, or several of one graph: a sequence, or a mapping from names. Each restart is
    a curve. To compare rules from the same start, give ``fit`` a tuple of rules and one seed for
    all.

    Traits
        epoch   0 for the start, up to the last epoch
        left    the index in ``curves`` of the curve whose matrices the graph shows
        right   the same for a second graph beside it, or None
        row     the index in ``run.rows`` of the row that is the evidence, or None; a given variable
                then has its state of the most frequent row

    ``views`` are the two living graphs, ``curves`` the curves in their order.
    """

    epoch = traitlets.Int()
    left = traitlets.Int()
    right = traitlets.Int(None, allow_none=True)
    row = traitlets.Int(None, allow_none=True)

    def __init__(
        self,
        runs: Run | Sequence[Run] | Mapping[str, Run],
        *,
        epoch: int | None = None,
        left: int = 0,
        right: int | None = None,
        row: int | None = None,
    ) -> None:
        self.curves = curves_of(runs)
        first = self.curves[0].run
        if any(as_normal(c.run.graph) != as_normal(first.graph) for c in self.curves):
            raise ValueError("the runs are of different graphs: a view shows one graph")
        self.graph = as_normal(first.graph)
        self.rows: Evidence = first.rows
        self._last = max(curve.run.n_epochs for curve in self.curves)
        self._busy = False
        start = self.curves[0].theta(0)
        self._order = np.argsort(-self._counts(), kind="stable")[:MOST_ROWS]  # rows on the page
        self._given: Cells = {}  # the evidence on given variables if no row is chosen
        if self.graph.given:
            often = self._cells(int(self._order[0]))
            self._given = {name: often[name] for name in self.graph.given}
        self.views = tuple(GraphView(first.graph, start, self._given) for _ in range(2))
        for view in self.views:
            view.plain = True
        listed = drawn(self.curves, [self._row_words(int(n)) for n in self._order])
        self.chart = Curves(listed, Look())
        self._graphs = ipywidgets.HBox(
            [self.views[0]],
            layout={"align_items": "flex-start", "flex_flow": "row wrap", "grid_gap": "0 14px"},
        )
        for view in self.views:  # below each other where two would be too small to read
            wide = round(LEGIBLE * view.scene["width"]) + BESIDE
            view.layout.flex = f"1 1 {wide}px"
            view.layout.min_width = "0"
        super().__init__([self.chart, self._graphs])
        self.add_class("fgn-learning-box")  # by which nbconvert knows the box as ours
        at = self._last if epoch is None else epoch
        with self.hold_trait_notifications():
            self.epoch, self.left, self.right, self.row = at, left, right, row
        self._move()
        self.observe(self._moved, ["epoch", "left", "right", "row"])
        self.chart.observe(self._asked_for, "look")
        for view in self.views:
            view.observe(self._touched, list(TOGETHER))

    def __repr__(self) -> str:
        names = dict.fromkeys(curve.name.partition(",")[0] for curve in self.curves)
        count = f"{len(self.curves)} curve{'s' * (len(self.curves) > 1)}"
        return f"LearningView({', '.join(names)}; {count}, {self._last} epochs)"

    def facts(self) -> str:
        """The view in words: epoch, row, and the likelihood of each chosen curve."""
        row = "no row" if self.row is None else self._row_words(self.row)
        lines = [f"epoch {self.epoch} of {self._last}, {row}"]
        for curve in self._chosen():
            value = curve.history[min(self.epoch, curve.run.n_epochs)]
            lines.append(f"{curve.name}: log-likelihood {value:.2f}")
        return "\n".join(lines)

    def figure(self) -> Figure:
        """The curves, and the graph with its matrices and messages, as one picture."""
        chosen = self._chosen()
        evidence = as_table(self.graph, self._cells(self.row))
        messages = [propagate(self.graph, c.theta(self.epoch), evidence) for c in chosen]
        wide, high = figure_of(draw_normal(self.graph, messages=messages[0])).get_size_inches()
        shrink = min(1.0, WIDEST / (wide * len(chosen)), HIGHEST / high)
        size = max(wide * len(chosen) * shrink, NARROWEST), high * shrink + TITLE
        figure = Figure(figsize=(size[0], size[1] + CURVES), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=[CURVES, size[1]])
        above, below = parts
        axes = above.subplots()
        draw_curves({c.name: c.history for c in chosen}, axes, reference=levels(self.curves[0].run))
        if (legend := axes.get_legend()) is not None:  # move it outside, where it hides no curve
            legend.set_loc("center left")
            legend.set_bbox_to_anchor((1.0, 0.5), axes.transAxes)
        axes.axvline(self.epoch, color="#6b3fa0", linewidth=1.2)
        # Letters are as large as the axes are when they are drawn on, so these have a place now.
        share = 1 / len(chosen)
        for k, (curve, sent) in enumerate(zip(chosen, messages, strict=True)):
            ax = below.add_axes((k * share, 0, share, 1 - TITLE / size[1]))
            ax.set_in_layout(False)
            draw_normal(self.graph, ax, messages=sent, theta=curve.theta(self.epoch))
            ax.set_title(f"{curve.name}, epoch {self.epoch}", fontsize=11)
        return figure

    def to_html(
        self,
        path: str | PathLike[str],
        *,
        epochs: int = 60,
        curves: Iterable[int] | None = None,
        title: str = "",
    ) -> Path:
        """Write the view as one web page that plays without Jupyter and Python; return its path.

        The page holds the evidence, the selected part and the listed rows that are shown now. At
        most ``epochs`` epochs are stored, all early ones and some of the later. The curves shown
        can be chosen there, and those in ``curves``, indices of ``view.curves``.
        """
        from .recording import write  # needed by few views

        return write(self, path, epochs=epochs, curves=curves, title=title)

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        with LOCK:
            text = f"{self!r}\n{self.facts()}"
            live, _ = output(self, super()._repr_mimebundle_)
            try:
                picture, width = sharp_picture(self.figure(), WORDS)
            except (
                Exception
            ) as error:  # of the library that draws: the cell and the live view go on
                return {**live, "text/plain": f"{text}\n{undrawn('learning run', error)}"}, {}
            kept = {"image/png": picture, "text/plain": text}
            return {**live, **kept}, {"image/png": {"width": width}}

    @traitlets.validate("epoch", "left", "right", "row")
    def _check(self, proposal: Any) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        most = {"epoch": self._last, "row": self.rows.n - 1}.get(name, len(self.curves) - 1)
        if value is not None and not 0 <= value <= most:
            raise ValueError(f"{name} is {value}: expected 0 to {most}")
        return value

    def _chosen(self) -> list[Curve]:
        """The curves shown, one or two."""
        places = [self.left] if self.right is None else [self.left, self.right]
        return [self.curves[place] for place in places]

    def _counts(self) -> np.ndarray:
        """The weight of each different row, summed over restarts that have their own."""
        weight = self.curves[0].run.weight
        return weight.sum(axis=0) if weight.ndim > 1 else weight

    def _cells(self, row: int | None) -> Cells:
        return self._given if row is None else from_codes(self.graph, row_codes(self.rows, row))

    def _row_words(self, row: int) -> str:
        return f"{row_words(self.curves[0].run, row)}: {self._counts()[row]:.6g} times"

    def _asked_for(self, change: Any) -> None:
        """Look at what the page asks for; it numbers the rows by how often they occur."""
        if self._busy:
            return
        with LOCK:
            old, look = change["old"], change["new"]
            self._busy = True
            try:
                self.epoch, self.left, self.right = look.epoch, look.left, look.right
                self.row = None if look.row is None else int(self._order[look.row])
            finally:
                self._busy = False
            matrices = ("epoch", "left", "right")
            self._move(only_row=all(getattr(old, k) == getattr(look, k) for k in matrices))

    def _moved(self, change: Any) -> None:
        if not self._busy:
            self._move(only_row=change["name"] == "row")

    def _move(self, only_row: bool = False) -> None:
        """Bring chart and graphs to the present values."""
        with LOCK:
            self._busy = True
            try:
                self._tell_chart()
                for view, curve in zip(self.views, self._chosen(), strict=False):
                    values: dict[str, Any] = {}
                    if not only_row:
                        values["theta"] = curve.theta(self.epoch)
                    view.learned = LearnedBy(
                        curve.run, curve.restart, min(self.epoch, curve.run.n_epochs)
                    )
                    if not self.chart.look.own:
                        values["evidence"] = self._cells(self.row)
                    elif view is not self.views[0]:
                        values["evidence"] = self.views[0].evidence
                    view.offer(**values, title=f"{curve.name}, epoch {self.epoch}")
                    self._follow_first(view)
                    if not only_row:
                        view.forget()
                shown = self.views[: len(self._chosen())]
                if self._graphs.children != shown:
                    self._graphs.children = shown
            finally:
                self._busy = False

    def _follow_first(self, view: GraphView) -> None:
        """Bring the second graph to what it was not told of the first while it was not shown."""
        news = {name: getattr(self.views[0], name) for name in TOGETHER}
        news = {name: value for name, value in news.items() if getattr(view, name) != value}
        if news:
            view.offer(**news)

    def _tell_chart(self, own: bool | None = None) -> None:
        """Bring the chart to what is looked at."""
        place = [] if self.row is None else np.flatnonzero(self._order == self.row).tolist()
        mine = self.chart.look.own if own is None else own
        row = place[0] if place else None
        look = Look(self.epoch, self.left, self.right, row, mine and self.row is None)
        if look != self.chart.look:
            self.chart.look = look

    def _touched(self, change: Any) -> None:
        """Let the other graph follow one that was clicked; new evidence replaces the row."""
        if self._busy:
            return
        with LOCK:
            self._busy = True
            try:
                name, value = change["name"], change["new"]
                for view in self.views[: len(self._chosen())]:
                    if view is not change["owner"] and getattr(view, name) != value:
                        view.offer(**{name: value})
                if name == "evidence":
                    if value != self._cells(self.row):
                        self.row = None
                    self._tell_chart(own=bool(value) and value != self._cells(self.row))
            finally:
                self._busy = False
