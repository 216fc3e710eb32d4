"""The living graph: one clicks evidence, branches and rounds, and sees the messages (section 2).

Vocabulary
    scene      a plain value that the page draws, made by :func:`~fgnwidgets.widgets.scene.scene`
    round      the messages after so many rounds of the schedule (``film``); the last one is exact
    conflict   evidence that cannot all be true; the beliefs shown are then those before it

Python decides and the page draws. The traits ``evidence``, ``selected``, ``round``, ``form``,
``schedule`` and ``start`` are set from both sides. All of them, and ``messages``, can be observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import traitlets
from numpy.typing import ArrayLike

from fgnwidgets.border.bayes import BayesGraph
from fgnwidgets.border.queries import propagate
from fgnwidgets.border.theta import read_theta
from fgnwidgets.display import DPI, MOST_PIXELS, SHOWN_DPI
from fgnwidgets.draw.graph import draw_bayes, draw_normal
from fgnwidgets.draw.style import figure_of
from fgnwidgets.engine.graph import Graph, as_normal
from fgnwidgets.engine.messages import Messages

from .code import python
from .conflict import explained
from .film import SCHEDULES, Round, film
from .hands import Hands
from .history import History
from .lock import LOCK
from .observed import Cells, as_table, from_codes, read_cells, to_codes
from .scene import has_part, part_named, scene
from .scripts import STATIC, script
from .still import NARROWEST, still

WORDS = "A picture: run this cell (Shift+Enter), then click variables, branches and blocks."


class GraphView(Hands):
    """A graph that answers clicks on variables, branches and blocks, and plays its rounds.

    ``GraphView(bayes, theta, {"S": "high"})``. ``graph`` is a :class:`BayesGraph`, which can be
    shown in both forms, or a :class:`NormalGraph`.

    Traits
        evidence    variable -> state, index or likelihood vector; assign a new mapping to change it
        messages    the messages shown; may be set to any messages of this graph
        selected    ``"variable:S"``, ``"branch:I(1)"``, ``"node:S|I"``, a bare name, or None
        round       0 for the start, up to the last round of the schedule
        schedule    ``"two sweeps"`` or ``"flooding"``
        start       None for uniform messages, or the seed of random ones
        form        ``"normal"`` or ``"bayes"``
        plain       True hides the controls of the rounds
        title       a few words above the drawing
        theta       the matrices

    A value that is refused raises when it is set from Python, and nothing changes. From the page,
    the error goes to :attr:`status`, and the last good picture stays.
    """

    _esm = script("graph_view.js")
    _css = STATIC / "graph_view.css"

    scene = traitlets.Dict().tag(sync=True)
    evidence = traitlets.Dict().tag(
        sync=True,
        to_json=lambda cells, view: to_codes(view.graph, cells),
        from_json=lambda codes, view: from_codes(view.graph, codes),
    )
    selected = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    round = traitlets.Int().tag(sync=True)
    form = traitlets.Enum(("normal", "bayes"), "normal").tag(sync=True)
    schedule = traitlets.Enum(tuple(SCHEDULES), "two sweeps").tag(sync=True)
    start = traitlets.Int(None, allow_none=True).tag(sync=True)
    plain = traitlets.Bool().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    theta = traitlets.Any()
    messages = traitlets.Any()

    def __init__(
        self,
        graph: Graph,
        theta: Mapping[str, ArrayLike],
        evidence: Mapping[str, Any] | None = None,
        *,
        form: str = "normal",
        schedule: str = "two sweeps",
        start: int | None = None,
    ) -> None:
        self.graph = as_normal(graph)
        self.bayes = graph if isinstance(graph, BayesGraph) else None
        self._rounds: tuple[Round, ...] = ()
        self._good: Cells = {}  # the evidence of these rounds
        self._clash: tuple[str, tuple[str, ...]] = ("", ())  # message about a conflict, variables
        self._history = History()
        self._film_of: tuple[Any, ...] = ()
        self._film: tuple[Round, ...] = ()
        matrices = read_theta(self.graph, theta)
        cells = read_cells(self.graph, evidence or {})
        self._prior = self._before_evidence(matrices, cells)
        super().__init__(theta=matrices, evidence=cells, form=form, schedule=schedule, start=start)
        self.forget()

    @property
    def status(self) -> str:
        """The error of the last thing that the page asked for, or ""."""
        return self._fault or self._clash[0]

    @property
    def rounds(self) -> int:
        """The number of the last round of the schedule, whose messages are exact."""
        return len(self._rounds) - 1

    def code(self) -> str:
        """Python code that makes graph, matrices and evidence, and prints the same beliefs."""
        return python(self.bayes or self.graph, self.theta, self.evidence)

    def to_html(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write the view as one web page that answers clicks without Jupyter; return its path.

        ``embed`` is a folder with Pyodide, Python for browsers: with it the page needs no network.
        The other options are those of :func:`fgnwidgets.widgets.standalone.write`.
        """
        from .standalone import write  # needed by few views

        return write(self, path, **options)

    def __repr__(self) -> str:
        return f"GraphView({self.graph if self.bayes is None else self.bayes!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and a picture and a line of text to be shown without a kernel."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        png, width = self.still(WORDS)
        kept = {"image/png": png, "text/plain": f"{self!r}\n{self.scene['summary']}"}
        return {**data, **kept}, {**metadata, "image/png": {"width": width}}

    def still(self, words: str = "") -> tuple[str, int]:
        """The view as a PNG in base 64 with ``words`` above it, and its width on a page."""
        with LOCK:
            if self.bayes is not None and self.form == "bayes":
                axes = draw_bayes(self.bayes, messages=self.messages, prior=self._prior)
            else:
                axes = draw_normal(
                    self.graph, messages=self.messages, prior=self._prior, theta=self.theta
                )
            figure = figure_of(axes)
            dpi = min(DPI, MOST_PIXELS / max(figure.get_size_inches()))
            wide = max(figure.get_figwidth(), NARROWEST)
            return still(figure, words, dpi), round(wide * SHOWN_DPI)

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: Any) -> Cells:
        cells = read_cells(self.graph, proposal["value"])
        if not self._asked:
            self._make_film(cells, self.theta)
        return cells

    @traitlets.validate("theta")
    def _check_theta(self, proposal: Any) -> Any:
        theta = read_theta(self.graph, proposal["value"])
        self._film_of = ()
        if not self._asked:
            self._make_film(self.evidence, theta)
        return theta

    @traitlets.validate("form")
    def _check_form(self, proposal: Any) -> Any:
        if proposal["value"] == "bayes" and self.bayes is None:
            raise ValueError(
                "form is 'bayes': the view was made from a NormalGraph, not a BayesGraph"
            )
        return proposal["value"]

    @traitlets.validate("round")
    def _check_round(self, proposal: Any) -> Any:
        if self._rounds and not 0 <= proposal["value"] <= self.rounds:
            raise ValueError(f"round is {proposal['value']}: expected 0 to {self.rounds}")
        return proposal["value"]

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str | None:
        graph = self.messages.graph if self.messages is not None else self.graph
        return part_named(graph, proposal["value"])

    @traitlets.validate("messages")
    def _check_messages(self, proposal: Any) -> Messages:
        given = proposal["value"]
        if not isinstance(given, Messages) or tuple(given.graph.variables) != tuple(
            self.graph.variables
        ):
            raise ValueError(f"messages are {given!r}: expected Messages of {self.graph!r}")
        if given.n != 1 or any(v.ndim != 2 for v in given.f.values()):
            raise ValueError(f"messages are {given!r}: a view shows one sample, without batch axes")
        return given

    @traitlets.observe("evidence", "theta", "schedule", "start")
    def _propagate(self, change: Any) -> None:
        with LOCK:
            self._remember()
            if change["name"] == "theta" or self.graph.given:
                self._prior = self._before_evidence(self.theta, self.evidence)
            at_end = not self._rounds or self.round >= self.rounds
            try:
                self._rounds = self._make_film(self.evidence, self.theta)
            except Exception as error:
                if not self._asked:
                    raise
                self._clash = explained(self.graph, self.theta, self.evidence)
                self._fault = "" if self._clash[0] else str(error)
                return
            self._good, self._fault, self._clash = self.evidence, "", ("", ())
            if not has_part(self._rounds[0].messages.graph, self.selected):
                self.selected = None  # evidence has split the selected branch
            number = self.rounds if at_end else min(self.round, self.rounds)
            if number == self.round:
                self._show()
            else:
                self.round = number  # its observer calls _show

    @traitlets.observe("round", "selected", "form")
    def _redraw(self, change: Any) -> None:
        self._show()

    @traitlets.observe("messages")
    def _take_messages(self, change: Any) -> None:
        with LOCK:
            if all(change["new"] is not shot.messages for shot in self._rounds):
                self._rounds, self._film_of = (Round(change["new"]),), ()
                self.round = 0
                self._show()

    def _before_evidence(self, theta: Any, cells: Cells) -> Messages | None:
        """The messages without evidence but that on given variables; None if one has none."""
        given = {name: cells[name] for name in self.graph.given if name in cells}
        if len(given) < len(self.graph.given):
            return None
        return propagate(self.graph, theta, as_table(self.graph, given))

    def _make_film(self, cells: Cells, theta: Any) -> tuple[Round, ...]:
        """The film of these values. It is kept, since the check and the observer both need it."""
        key = (cells, self.schedule, self.start)
        if key != self._film_of:
            self._film = film(
                self.graph,
                theta,
                as_table(self.graph, cells),
                schedule=self.schedule,
                seed=self.start,
            )
            self._film_of = key
        return self._film

    def _show(self) -> None:
        """Send the scene of the present values; its number makes it differ from the last one."""
        with LOCK:
            if self._asked or not self._rounds:
                return
            at = self._rounds[min(self.round, self.rounds)]
            if self.messages is not at.messages:
                self.messages = at.messages
            drawn = scene(
                self.bayes if self.bayes and self.form == "bayes" else self.graph,
                at,
                evidence=to_codes(self.graph, self.evidence if self._clash[1] else self._good),
                prior=self._prior,
                selected=self.selected,
                conflict=self._clash[1],
            )
            undo = {"undo": bool(self._history.past), "redo": bool(self._history.future)}
            code, self._with_code = self.code() if self._with_code else "", False
            forms = ["normal"] if self.bayes is None else ["normal", "bayes"]
            number = self.scene.get("number", 0) + 1
            self.scene = {
                **drawn,
                **undo,
                "forms": forms,
                "status": self.status,
                "number": number,
                "wish": self._granted[-1] if self._granted else "",
                "code": code,
            }
