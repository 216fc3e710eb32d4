"""An editor of graphs: draw a graph, learn it from a table, ask for beliefs, and get the code.

Vocabulary
    document   the contents of the editor, one immutable value (:mod:`.document`)
    edit       a function from a document to a new one (:mod:`.edits`)
    intent     what the page asks for: a word and its arguments (:mod:`.intents`)
    watch      learning in progress, epoch by epoch (:mod:`.watching`)

The page draws scenes and sends intents; everything is decided here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import ArrayLike

from fgnwidgets.border.bayes import BayesGraph
from fgnwidgets.border.merging import MergedGraph
from fgnwidgets.border.run import Run
from fgnwidgets.engine.rules import RULES
from fgnwidgets.tables import Table

from . import edits
from .document import Document
from .edit_matrices import with_theta
from .editor_scene import editor_scene, part_of, summary
from .editor_still import pictured
from .editor_values import EditorValues
from .history import History
from .intents import INTENTS, chosen_after, unanswered, way
from .lock import LOCK
from .recipe import python
from .scripts import STATIC, script
from .watching import Watch, curve

SLICE, BREATH = 0.1, 0.01
"""Seconds of learning between two drawings of its curve, and seconds of rest after each."""


class GraphEditor(EditorValues, anywidget.AnyWidget):
    """A graph that is drawn with the mouse or the keyboard, learned, and asked for beliefs.

    ``GraphEditor()`` is empty, and ``GraphEditor(table=frame)`` has a variable for every column.
    ``GraphEditor(graph, table)`` begins with a :class:`BayesGraph` or :class:`MergedGraph`; columns
    that are none of its variables are not added. When a table is set or dropped later, all of its
    columns become variables.

    Values, each of which can be read and set at any time
        graph      the :class:`BayesGraph`, None while the editor is empty
        theta      its matrices by name
        hidden     the names of the variables that learning does not observe
        table      any table that ``fit`` takes, or None
        weight     the column of the table that says how often each row is there, or None
        run        the last :class:`Run`; its best matrices become ``theta``
        evidence   variable -> state or likelihood vector, on which the beliefs depend
        merge      whether loops are merged into product variables
        learning   rule, restarts, n_epochs and seed of the next run
        selected   ``"variable:S"``, ``"arrow:S->X"`` or None

    ``document`` is all of these as one value; it can be observed. ``undo()`` and ``redo()`` go
    through its history, and ``code()`` is Python that makes the same. A value that is refused
    raises when it is set from Python; from the page, the error goes to :attr:`status`.
    """

    _esm = script("graph_editor.js")
    _css = (STATIC / "graph_view.css").read_text(encoding="utf-8") + (
        STATIC / "graph_editor.css"
    ).read_text(encoding="utf-8")

    scene = traitlets.Dict().tag(sync=True)
    curve = traitlets.Dict().tag(sync=True)
    document = traitlets.Instance(Document)
    selected = traitlets.Unicode(None, allow_none=True)

    def __init__(
        self,
        graph: BayesGraph | MergedGraph | None = None,
        table: Table | None = None,
        *,
        weight: str | None = None,
        theta: Mapping[str, ArrayLike] | None = None,
        hidden: Sequence[str] = (),
        evidence: Mapping[str, Any] | None = None,
        run: Run | None = None,
    ) -> None:
        doc = Document()
        if graph is not None:
            doc = edits.with_graph(doc, graph)
        for name in hidden:  # before the table comes: they keep their states
            doc = edits.hide(doc, name) if name in doc.variables else doc
        if table is not None:
            doc = edits.with_table(doc, table, bring=graph is None, weight=weight)
        for name in hidden:
            doc = edits.hide(doc, name)
        if run is not None:
            doc = edits.with_run(doc, run)
        if theta is not None:
            doc = with_theta(doc, theta)
        if evidence:
            doc = edits.with_evidence(doc, evidence)
        self._history = History[Document]()
        self._watch: Watch | None = None
        self._task: asyncio.Task[None] | None = None
        self._fault = ""
        self._lit: tuple[str, ...] = ()
        self._asked = False  # True while an intent is carried out: then nothing is shown
        super().__init__(document=doc)
        self._history = History[Document]()  # the first document is no change
        self._show()
        self.on_msg(self._told)

    @property
    def status(self) -> str:
        """The error of the last intent of the page, or ""."""
        return self._fault

    def edit(self, what: str, *arguments: Any) -> None:
        """Make an edit by its word, such as ``editor.edit("connect", "S", "X")``.

        The words are add, remove, rename, restate, connect, disconnect, turn, hide, row, draw,
        flat, merge, place, tidy and weigh; :mod:`fgnwidgets.widgets.edits` says what each takes.
        """
        if what not in edits.EDITS:
            raise ValueError(f"no edit {what!r}: there are {', '.join(edits.EDITS)}")
        self.document = edits.EDITS[what](self.document, *arguments)

    def learn(self, **settings: Any) -> Run:
        """Learn, and take over the best matrices; ``settings`` are fields of ``learning``."""
        with LOCK:
            if settings:
                self.learning = replace(self.learning, **settings)
            watch = Watch(self.document)
            watch.take(None)
            self._finish(watch)
            assert self.run is not None
            return self.run

    def undo(self) -> None:
        """Take back the last edit, if there is one."""
        self._walk(back=True)

    def redo(self) -> None:
        """Make the edit again that :meth:`undo` took back last."""
        self._walk(back=False)

    def code(self, *, again: bool = False) -> str:
        """Python code that makes this graph, these matrices and this run.

        With ``again`` its last line opens an editor with them.
        """
        return python(self.document, again=again)

    def __repr__(self) -> str:
        return f"GraphEditor({self.graph or ''})"

    def __setattr__(self, name: str, value: Any) -> None:
        with LOCK:
            super().__setattr__(name, value)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live editor, and a picture and a line of text to be shown without a kernel."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        with LOCK:
            png, width = pictured(self.document)
            kept = {"image/png": png, "text/plain": f"{self!r}\n{summary(self.document)}"}
        return {**data, **kept}, {**metadata, "image/png": {"width": width}}

    # What the page asks for

    def _told(self, _: Any, message: Mapping[str, Any], __: Any) -> None:
        """Carry out an intent of the page; an error changes nothing and goes to the status."""
        with LOCK:
            what, arguments = message["do"], message.get("with", [])
            self._fault, self._lit, self._asked = "", (), True
            try:
                if what in INTENTS:
                    self.document = INTENTS[what](self.document, *arguments)
                    self.selected = chosen_after(what, arguments, self.document) or self.selected
                else:
                    own: dict[str, Callable[..., Any]] = {
                        "select": self._select,
                        "undo": self.undo,
                        "redo": self.redo,
                        "learn": self._begin,
                        "stop": self._stop,
                    }
                    own[what](*arguments)
            except Exception as error:  # raised in a callback, it would be seen only in a log
                self._fault = str(error)
                if what == "connect":
                    self._lit = way(self.document, *arguments)
            finally:
                self._asked = False
            self._show()

    def _select(self, part: str | None) -> None:
        self.selected = part

    def _begin(self) -> None:
        """Begin to learn in slices; without an event loop, learn to the end."""
        watch = Watch(self.document)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            watch.take(None)
            return self._finish(watch)
        watch.take(BREATH)
        self._watch = watch
        self._task = loop.create_task(self._slices(watch))
        self._draw_curve()
        return None

    def _stop(self) -> None:
        """End learning, and keep what was learned so far."""
        if self._watch is not None:
            self._finish(self._watch)

    async def _slices(self, watch: Watch) -> None:
        while True:
            await asyncio.sleep(BREATH)
            with LOCK:
                if self._watch is not watch:
                    return
                try:
                    watch.take(SLICE)
                    if watch.over:
                        self._finish(watch)
                    else:
                        self._draw_curve()
                except Exception as error:
                    self._watch, self._fault = None, str(error)
                    self._show()

    def _finish(self, watch: Watch) -> None:
        self._watch = None
        run, how = watch.run()
        self.document = replace(edits.with_run(self.document, run), how=how)

    # What the page shows

    def _walk(self, *, back: bool) -> None:
        def go(document: Document) -> None:
            self.document = document

        with LOCK:
            if self._history.walk(self.document, go, back=back):
                self._show()

    @traitlets.observe("document")
    def _changed(self, change: Any) -> None:
        with LOCK:
            self._watch = None  # it learns for another document
            if isinstance(change["old"], Document):
                self._history.changed(change["old"])
            self._show()

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str | None:
        return part_of(self.document, proposal["value"])

    @traitlets.observe("selected")
    def _selected(self, _: Any) -> None:
        self._show()

    def _show(self) -> None:
        """Send the scene of the document; its number makes it differ from the last one."""
        if self._asked:
            return
        try:
            chosen = part_of(self.document, self.selected)
        except ValueError:  # the selected part no longer exists
            chosen = None
        drawn = editor_scene(self.document, chosen, self._lit)
        self.scene = {
            **drawn,
            "undo": bool(self._history.past),
            "redo": bool(self._history.future),
            "status": self._fault or unanswered(self.document),
            "code": self.code(),
            "rules": [[name, rule.name.upper()] for name, rule in RULES.items()],
            "number": self.scene.get("number", 0) + 1,
        }
        self._draw_curve()

    def _draw_curve(self) -> None:
        watch, run = self._watch, self.run
        if watch is not None:
            total = self.learning.n_epochs
            self.curve = curve(np.array(watch.loglik), total, watch.n, running=True)
        elif run is not None:
            self.curve = curve(run.loglik, run.n_epochs, run.n, running=False)
        else:
            self.curve = {}
