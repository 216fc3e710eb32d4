"""The living graph: one clicks evidence, branches and rounds, and sees the messages (section 2).

Vocabulary
    scene      a plain value that the page draws, made by :func:`~.scene.scene`
    document   all that is shown, one immutable value (:mod:`.edits`)
    round      the messages after so many rounds of the schedule (``rounds``); the last one is exact
    conflict   evidence that cannot all be true; the beliefs shown are then those before it

Python decides and the page draws. The traits ``evidence``, ``theta``, ``form``, ``schedule``,
``start``, ``round`` and ``selected`` are faces of the document: they can be set and observed, as
can ``messages``; what the page wants it asks for (:mod:`.protocol`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import traitlets
from numpy.typing import ArrayLike

from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.data.evidence import ImpossibleEvidence
from fgnwidgets.draw.graph import draw_bayes, draw_normal
from fgnwidgets.draw.style import figure_of
from fgnwidgets.graphs.normal_graph import Graph, as_normal
from fgnwidgets.graphs.theta import read_theta
from fgnwidgets.inference.messages import Messages
from fgnwidgets.inference.queries import propagate
from fgnwidgets.learning.run import Run

from ..page.lock import LOCK
from ..page.outputs import output, undrawn
from ..page.protocol import DocumentWidget, Held
from ..page.stored_picture import sharp_picture
from . import edits
from .asking import Asking, ask
from .code import python
from .conflict import explained
from .edits import GraphDocument, Pinned
from .legend import legend
from .link import packed, unpacked
from .observed import Cells, as_table, from_codes, read_cells, to_codes
from .origin import Cell, LearnedBy, origin
from .panel import ASK, HINT
from .rounds import SCHEDULES, Round, rounds_of
from .scene import has_part, part_named, scene, summary

WORDS = "A picture: run this cell (Shift+Enter), then click variables, branches and blocks."

FACES = (
    "theta",
    "evidence",
    "form",
    "schedule",
    "start",
    "round",
    "selected",
    "target",
    "origin",
)
"""The traits that are faces of the document."""

MADE_OF = ("theta", "evidence", "schedule", "start")
"""Those of them on which the messages depend."""


LINKED = ("evidence", "form", "schedule", "start", "round", "selected", "target")
"""Those of them that a link holds."""


class GraphView(DocumentWidget[GraphDocument]):
    """A graph that answers clicks on variables, branches and blocks, and plays its rounds.

    ``GraphView(bayes, theta, {"S": "high"})``. ``graph`` is a :class:`BayesGraph`, which can be
    shown in both forms, or a :class:`NormalGraph`. ``GraphView(run)`` or ``GraphView(graph, run)``
    shows the best matrices of a run, and says of each number which rows of the table made it.

    Traits
        evidence    variable -> state, index or likelihood vector; assign a new mapping to change it
        messages    the messages shown; may be set to any messages of this graph
        selected    ``"variable:S"``, ``"branch:I(1)"``, ``"node:S|I"``, a bare name, or None
        round       0 for the start, up to the last round of the schedule
        schedule    ``"two sweeps"`` or ``"flooding"``
        start       None for uniform messages, or the seed of random ones
        form        ``"normal"`` or ``"bayes"``
        target      a variable: every other one says what it would tell of it, or None
        plain       True hides all buttons
        title       a few words above the drawing
        theta       the matrices
        origin      (matrix, row, column): the cell whose rows of the table are listed, or None

    ``learned`` is what the matrices come from, a :class:`.origin.LearnedBy`, or None.

    A value that is refused raises when it is set from Python, and nothing changes. From the page,
    the error goes to :attr:`status`, and the last good picture stays.
    """

    BUNDLE = "graph_view"
    LIVE = "Live: click a variable, a branch or a block."  # said by a page of its own

    evidence = Held()
    selected = traitlets.Unicode(None, allow_none=True)
    round = traitlets.Int()
    form = traitlets.Enum(("normal", "bayes"), "normal")
    schedule = traitlets.Enum(tuple(SCHEDULES), "two sweeps")
    start = traitlets.Int(None, allow_none=True)
    target = traitlets.Unicode(None, allow_none=True)
    plain = traitlets.Bool()
    title = traitlets.Unicode()
    theta = Held()
    messages = Held()
    origin = Held(None, allow_none=True)
    legend: Any = traitlets.List(read_only=True).tag(sync=True)

    def __init__(
        self,
        graph: Graph | Run,
        theta: Mapping[str, ArrayLike] | Run | None = None,
        evidence: Mapping[str, Any] | None = None,
        *,
        form: str = "normal",
        schedule: str = "two sweeps",
        start: int | None = None,
    ) -> None:
        graph, matrices, self.learned = _of_run(graph, theta)
        self.graph = as_normal(graph)
        self.bayes = graph if isinstance(graph, BayesGraph) else None
        self._made_of: tuple[Any, ...] = ()
        self._made: tuple[Round, ...] = ()
        self._asking: Asking | None = None
        self._asking_of: tuple[Any, ...] = ()
        self._clash: tuple[str, tuple[str, ...]] = ("", ())  # message about a conflict, variables
        first = GraphDocument(
            self.graph,
            read_theta(self.graph, matrices),
            read_cells(self.graph, evidence or {}),
            self._a_form(form),
            _a_schedule(schedule),
            start,
        )
        self._prior = self._before_evidence(first)
        self._rounds = self._rounds_in(first)
        self._good = first.evidence  # the evidence of these rounds
        first = replace(first, round=self.rounds)
        self._begin(first)
        values = {name: getattr(first, name) for name in FACES}
        super().__init__(**values, messages=self._rounds[-1].messages)
        self.set_trait("legend", legend())
        self.on_msg(self._hear)
        self._draw()

    @property
    def status(self) -> str:
        """The error of the last thing that the page asked for, or ""."""
        return self._fault or self._clash[0]

    @property
    def rounds(self) -> int:
        """The number of the last round of the schedule, whose messages are exact."""
        return len(self._rounds) - 1

    def soften(self, variable: str, state: int, belief: float) -> None:
        """Put soft evidence on a variable so that the belief in one state becomes ``belief``.

        It replaces the evidence on the variable, but keeps the ratios between its other states.
        Raises ``ValueError`` if the rest of the evidence makes the state impossible or certain.
        """
        with LOCK:
            self._change(edits.soften(self._document, variable, state, belief))

    def edit(self, matrix: str, row: int, column: int, value: float) -> None:
        """Set one entry of a matrix; the others of its row are scaled so that it sums to one."""
        with LOCK:
            self._change(edits.edit(self._document, matrix, row, column, value))

    def pin(self) -> None:
        """Keep the beliefs that are shown now as pale bars, to be compared with what follows."""
        with LOCK:
            messages = self._at.messages
            beliefs = {name: messages[name].p[:, 0] for name in messages.graph.variables}
            words = summary(self._at, to_codes(self.graph, self._good)).rstrip(".")
            self._change(replace(self._document, pinned=Pinned(beliefs, words)))

    def unpin(self) -> None:
        """Take the pale bars of :meth:`pin` away."""
        with LOCK:
            self._change(replace(self._document, pinned=None))

    def link(self) -> str:
        """The end of an address, ``#state=...``: a page of :meth:`to_html` opens in this state.

        It holds evidence, form, schedule, start, round, selected part and target, not the matrices.
        """
        with LOCK:
            doc = self._document
            state = {name: getattr(doc, name) for name in LINKED} | {"evidence": doc.codes or None}
            if doc.round == self.rounds:
                state["round"] = None
            defaults = {"form": "normal", "schedule": "two sweeps"}
            return packed({k: v for k, v in state.items() if defaults.get(k) != v})

    def open_link(self, link: str) -> None:
        """Go to the state of a :meth:`link`, which may be the end of an address.

        Raises ``ValueError`` for a link that is not whole, or that is one of another graph.
        """
        state = {"form": "normal", "schedule": "two sweeps", "evidence": {}, **unpacked(link)}
        unknown = [name for name in state["evidence"] if name not in self.graph.variables]
        if unknown:
            raise ValueError(f"the link is of another graph: this one has no {unknown[0]!r}")
        read: dict[str, Any] = {name: state.get(name) for name in LINKED if name != "round"}
        with LOCK:
            try:
                read["evidence"] = from_codes(self.graph, state["evidence"])
                read = {name: self._read(name, value) for name, value in read.items()}
            except (IndexError, KeyError, TypeError, AttributeError, traitlets.TraitError) as error:
                raise ValueError(f"the link is of another graph: {error}") from None
            document = replace(self._document, own=None, **read)
            try:
                last = len(self._rounds_in(document)) - 1
            except ImpossibleEvidence:  # which is told, as it was where the link was made
                last = self.rounds
            number = state.get("round", last)
            if not isinstance(number, int) or not 0 <= number <= last:
                raise ValueError(f"the link is of another graph: round is {number}, of {last}")
            self._change(document)
            self._change(replace(self._document, round=min(number, self.rounds)))

    def offer_link(self, link: str) -> None:
        """The same as a page does it: an error becomes the fault, and nothing is raised."""
        with LOCK:
            self._fault, self._quiet = "", True
            try:
                self.open_link(link)
            except Exception as error:
                self._fault = str(error)
            finally:
                self._quiet = False
            self._draw()

    def offer(self, **values: Any) -> None:
        """Set traits together as a page does: an error becomes the fault, and nothing is raised."""
        with LOCK:
            faces = {name: values.pop(name) for name in FACES if name in values}
            self._fault, self._quiet = "", True
            try:
                for name, value in values.items():
                    setattr(self, name, value)
                read = {name: self._read(name, value) for name, value in faces.items()}
                self._change(replace(self._document, **read))
            except Exception as error:
                self._fault = str(error)
            finally:
                self._quiet = False
            self._draw()

    def code(self) -> str:
        """Python code that makes graph, matrices and evidence, and prints the same beliefs."""
        return python(self.bayes or self.graph, self.theta, self.evidence)

    def page_state(self) -> dict[str, Any]:
        """The values that a page of its own sets first: evidence as codes, and traits."""
        traits = ("form", "schedule", "start", "round", "selected", "target")
        cells = to_codes(self.graph, self.evidence)
        return {"evidence": cells} | {name: getattr(self, name) for name in traits}

    def answers(self) -> dict[str, Any]:
        """The scenes by which a page of its own answers clicks before Python is there."""
        from .answers import answers  # needed by few views

        return answers(self)

    def to_html(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write the view as one web page that answers clicks without Jupyter; return its path.

        ``embed`` is a folder with Pyodide, Python for browsers: with it the page needs no network.
        The other options are those of :func:`fgnwidgets.widgets.page.standalone.write`.
        """
        from ..page.standalone import write  # needed by few views

        return write(self, path, **options)

    def __repr__(self) -> str:
        return f"GraphView({self.graph if self.bayes is None else self.bayes!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and a picture and a line of text to be shown without a kernel."""
        data, metadata = output(self, super()._repr_mimebundle_, **kwargs)
        text = f"{self!r}\n{self.scene['summary']}"
        try:
            png, width = self.picture_png(WORDS)
        except Exception as error:  # of the library that draws: the cell and the live view go on
            return {**data, "text/plain": f"{text}\n{undrawn('graph', error)}"}, metadata
        kept = {"image/png": png, "text/plain": text}
        return {**data, **kept}, {**metadata, "image/png": {"width": width}}

    def picture_png(self, words: str = "") -> tuple[str, int]:
        """The view as a PNG in base 64 with ``words`` above it, and its width on a page."""
        with LOCK:
            if self.bayes is not None and self.form == "bayes":
                axes = draw_bayes(self.bayes, messages=self.messages, prior=self._prior)
            else:
                axes = draw_normal(
                    self.graph, messages=self.messages, prior=self._prior, theta=self.theta
                )
            return sharp_picture(figure_of(axes), words)

    # What the page asks for

    def _words(self) -> Mapping[str, Callable[..., None]]:
        def act(make: Callable[..., GraphDocument]) -> Callable[..., None]:
            return lambda **given: self._change(make(self._document, **given))

        acts = (edits.observe, edits.toggle, edits.cycle, edits.soften, edits.nudge, edits.edit)
        return {
            **{make.__name__: act(make) for make in (*acts, edits.step)},
            "row": self._type_row,
            "set": self._set,
            "select": self._select,
            "origin": self._ask_origin,
            "pin": self.pin,
            "unpin": self.unpin,
            "link": lambda: self._happen("link", text=self.link()),
            "go": self._go,
            "code": lambda: self._happen("code", text=self.code()),
        }

    def _set(self, **values: Any) -> None:
        """Set faces of the document; evidence comes as codes."""
        if "theta" in values:
            raise ValueError("the page sets theta: expected edit, step or row")
        if "evidence" in values:
            values["evidence"] = from_codes(self.graph, values["evidence"])
        read = {name: self._read(name, value) for name, value in values.items()}
        self._change(replace(self._document, **read))

    def _select(self, part: str | None = None) -> None:
        """Select a part, or nothing where it is selected already."""
        wanted = self._read("selected", part)
        now = self._document.selected
        self._change(replace(self._document, selected=None if wanted == now else wanted))

    def _ask_origin(self, matrix: str, row: int, column: int) -> None:
        """List the rows of the table that made a number."""
        cell = self._read("origin", (matrix, row, column))
        self._change(replace(self._document, origin=cell))

    def _go(self, by: int) -> None:
        """To another round, by so many; it stops at both ends."""
        wanted = min(max(self._document.round + int(by), 0), self.rounds)
        self._change(replace(self._document, round=wanted))

    def _type_row(self, matrix: str, row: int, typed: Mapping[str, Any]) -> None:
        """Cells of a row as they were typed; those of one visit (one gesture) belong together."""
        self._visit(
            (matrix, row),
            typed,
            lambda cells, begun: edits.type_row(self._document, matrix, row, cells, begun),
        )

    # The document and its faces

    @traitlets.validate(*FACES)
    def _check(self, proposal: Any) -> Any:
        """A value from Python: with the others as they are, the graph must answer."""
        name, value = proposal["trait"].name, proposal["value"]
        if value is getattr(self._document, name):
            return value
        value = self._read(name, value)
        if name in MADE_OF:
            self._rounds_in(replace(self._of_traits(), **{name: value}))
        return value

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

    @traitlets.observe(*FACES)
    def _follow(self, change: Any) -> None:
        """A face was set from Python, alone or together with others."""
        wanted = self._of_traits()
        if any(getattr(wanted, name) is not getattr(self._document, name) for name in FACES):
            self._fault = ""
            self._change(wanted)

    @traitlets.observe("messages")
    def _take_messages(self, change: Any) -> None:
        given = change["new"]
        with LOCK:
            if all(given is not shot.messages for shot in self._rounds):
                self._change(replace(self._document, own=given, round=0))

    @traitlets.observe("plain", "title")
    def _redraw(self, change: Any) -> None:
        self._draw()

    def _of_traits(self) -> GraphDocument:
        return replace(self._document, **{name: getattr(self, name) for name in FACES})

    def _read(self, name: str, value: Any) -> Any:
        """A value for a face, or ``ValueError``."""
        if name == "evidence":
            cells = read_cells(self.graph, value)
            return self._document.evidence if cells == self._document.evidence else cells
        if name == "theta":
            return read_theta(self.graph, value)
        if name == "form":
            return self._a_form(value)
        if name == "schedule":
            return _a_schedule(value)
        if name == "round":
            if not isinstance(value, int) or not 0 <= value <= self.rounds:
                raise ValueError(f"round is {value}: expected 0 to {self.rounds}")
            return int(value)
        if name == "selected":
            return part_named(self._rounds[0].messages.graph, value)
        if name == "origin" and value is not None:
            now, cell = self._document.origin, self._a_cell(value)
            return now if cell == now else cell
        if name == "target":
            return self._a_target(value)
        if name == "start" and value is not None and not isinstance(value, int):
            raise ValueError(f"start is {value!r}: expected None or a whole number")
        if name not in FACES:
            raise ValueError(f"the page sets {name!r}: expected {', '.join(FACES)}")
        return value

    def _a_cell(self, value: Any) -> Cell:
        """A cell of a learned matrix."""
        if self.learned is None:
            raise ValueError(
                f"origin is {value!r}: these matrices were not learned; GraphView(run) knows the "
                "rows of the table behind its numbers"
            )
        known = self.learned.matrices
        try:
            matrix, row, column = value
            wide = self.graph.matrices[matrix]
            fits = all(
                isinstance(k, int) and 0 <= k < m for k, m in zip((row, column), wide, strict=True)
            )
        except (TypeError, ValueError, KeyError):
            fits = False
        if not fits or matrix not in known:
            raise ValueError(
                f"origin is {value!r}: expected (matrix, row, column) of one that was learned: "
                f"{', '.join(known)}"
            )
        return matrix, int(row), int(column)

    def _a_target(self, name: str | None) -> str | None:
        known = [v for v in self.graph.variables if v not in self.graph.products]
        if name is not None and name not in known:
            raise ValueError(f"target is {name!r}: expected None, or one of {', '.join(known)}")
        return name

    def _a_form(self, form: Any) -> str:
        if form not in ("normal", "bayes"):
            raise traitlets.TraitError(f"form is {form!r}: expected 'normal' or 'bayes'")
        if form == "bayes" and self.bayes is None:
            raise ValueError(
                "form is 'bayes': the view was made from a NormalGraph, not a BayesGraph"
            )
        return str(form)

    def _settled(self, document: GraphDocument) -> GraphDocument:
        """The document with the round and the selection that follow from it.

        Evidence from the page that cannot be true is kept and told; the rounds stay those before.
        """
        before = self._document
        at_end = before.round >= self.rounds
        anew = any(getattr(document, n) is not getattr(before, n) for n in MADE_OF)
        if document.own is not None and document.own is not before.own:
            self._rounds, self._clash, self._good = (Round(document.own),), ("", ()), {}
            self._good = document.evidence
        elif anew:
            document = replace(document, own=None)
            try:
                self._rounds = self._rounds_in(document)
            except Exception:
                clash = explained(self.graph, document.theta, document.evidence)
                if not clash[0]:
                    raise
                self._clash = clash
                self._stay_possible(document)
            else:
                self._clash, self._good = ("", ()), document.evidence
            if document.theta is not self._prior_of or self.graph.given:
                self._prior = self._before_evidence(replace(document, evidence=self._good))
        asked = document.round != before.round
        last = self.rounds
        number = last if at_end and not asked else min(document.round, last)
        selected = document.selected
        if not has_part(self._rounds[0].messages.graph, selected):
            selected = None  # evidence has split the selected branch
        origin = document.origin
        if origin is not None:
            users = [f"node:{node.name}" for node in self.graph.users[origin[0]]]
            if selected not in users:  # it is listed below its matrix
                asked_now = origin is not before.origin
                selected, origin = (users[0], origin) if asked_now else (selected, None)
        return replace(document, round=number, selected=selected, origin=origin)

    def _stay_possible(self, document: GraphDocument) -> None:
        """In a conflict, the rounds of the evidence before it, with matrices and schedule of now.

        Matrices may have changed so that this is impossible, too: then only given variables have
        any.
        """
        try:
            self._rounds = self._rounds_in(replace(document, evidence=self._good))
        except ImpossibleEvidence:
            self._good = {k: v for k, v in self._good.items() if k in self.graph.given}
            self._rounds = self._rounds_in(replace(document, evidence=self._good))

    def _counts(self, before: GraphDocument, after: GraphDocument) -> bool:
        return after.evidence is not before.evidence or after.theta is not before.theta

    def _returned(self, past: GraphDocument) -> GraphDocument:
        return replace(self._document, evidence=past.evidence, theta=past.theta)

    def _shows(self, before: GraphDocument) -> None:
        document = self._document
        with self.hold_trait_notifications():
            for name in FACES:
                if getattr(self, name) is not getattr(document, name):
                    setattr(self, name, getattr(document, name))
            self.messages = self._at.messages

    @property
    def _at(self) -> Round:
        return self._rounds[min(self._document.round, self.rounds)]

    def _before_evidence(self, document: GraphDocument) -> Messages | None:
        """The messages without evidence but that on given variables; None if one has none."""
        cells = document.evidence
        given = {name: cells[name] for name in self.graph.given if name in cells}
        self._prior_of = document.theta  # not those of the last document: it may be a conflict
        if len(given) < len(self.graph.given):
            return None
        return propagate(self.graph, document.theta, as_table(self.graph, given))

    def _rounds_in(self, document: GraphDocument) -> tuple[Round, ...]:
        """The rounds of a document. It is kept, since checking it and going to it both need it."""
        key = tuple(getattr(document, name) for name in MADE_OF)
        known = len(key) == len(self._made_of)
        if not known or any(a is not b for a, b in zip(key, self._made_of, strict=True)):
            cells = document.evidence  # in the graph's order: a drawing shows no order of clicks
            cells = {name: cells[name] for name in self.graph.variables if name in cells}
            self._made = rounds_of(
                self.graph,
                document.theta,
                as_table(self.graph, cells),
                schedule=document.schedule,
                seed=document.start,
            )
            self._made_of = key
        return self._made

    def _asked(self, document: GraphDocument) -> Asking | None:
        """The information of all variables on the target; computed when it may have changed."""
        if document.target is None:
            return None
        key = (document.theta, self._good, document.target)
        if not all(a is b for a, b in zip(key, self._asking_of, strict=False)) or not self._asking:
            self._asking = ask(self.graph, document.theta, self._good, document.target)
            self._asking_of = key
        return self._asking

    def _scene(self) -> dict[str, Any]:
        document = self._document
        seen: Cells = document.evidence if self._clash[1] else self._good
        asking = self._asked(document)
        drawn = scene(
            self.bayes if self.bayes and document.form == "bayes" else self.graph,
            self._at,
            evidence=to_codes(self.graph, seen),
            prior=self._prior,
            selected=document.selected,
            conflict=self._clash[1],
            pinned=document.pinned.beliefs if document.pinned else {},
            asking=asking,
        )
        learned = [] if self.learned is None else self.learned.matrices
        cell = document.origin
        found = None
        if self.learned is not None and cell is not None:
            found = origin(self.learned, document.theta[cell[0]], cell)
        if any(table.get("edit") in learned for table in drawn["panel"]["tables"]):
            lines = drawn["panel"]["lines"]  # the matrix and its rows come first, and hold still
            below = [ASK] * (found is None) + lines[1:]
            drawn["panel"] |= {"lines": lines[:1], "below": below}
        return {
            **drawn,
            "learned": learned,
            "origin": found,
            "forms": ["normal"] if self.bayes is None else ["normal", "bayes"],
            "form": document.form,
            "schedule": document.schedule,
            "start": document.start,
            "selected": document.selected,
            "plain": self.plain,
            "title": self.title,
            "pinned": document.pinned.words if document.pinned else None,
            "target": document.target,
            "asked": asking.words if asking else "",
            "hint": HINT,
        }


def _of_run(
    graph: Graph | Run, theta: Mapping[str, ArrayLike] | Run | None
) -> tuple[Graph, Mapping[str, ArrayLike], LearnedBy | None]:
    """Graph and matrices, and what they were learned by where a run is given."""
    if theta is None and not isinstance(graph, Run):
        raise ValueError(f"theta is None: expected the matrices of {graph!r}, or a run of it")
    run = graph if isinstance(graph, Run) else theta
    if not isinstance(run, Run):
        return graph, theta, None  # type: ignore[return-value]
    own = run.graph if isinstance(graph, Run) else graph
    if as_normal(own) != as_normal(run.graph):
        raise ValueError(f"the run is of another graph, {run.graph!r}: expected one of {own!r}")
    if isinstance(graph, Run) and theta is not None:
        return own, theta, None  # type: ignore[return-value]
    return own, run.best_theta, LearnedBy.best(run)


def _a_schedule(schedule: Any) -> str:
    if schedule not in SCHEDULES:
        raise traitlets.TraitError(f"schedule is {schedule!r}: expected {' or '.join(SCHEDULES)}")
    return str(schedule)
