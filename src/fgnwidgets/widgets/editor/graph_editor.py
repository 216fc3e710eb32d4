"""An editor of graphs: draw a graph, learn it from a table, ask for beliefs, and get the code.

Vocabulary
    document   the contents of the editor, one immutable value (:mod:`.document`)
    edit       a function from a document to a new one (:mod:`.edits`)
    request    what the page asks for: a word, arguments (:mod:`.intents`, :mod:`.protocol`)
    watch      learning in progress, epoch by epoch (:mod:`.watching`)

The page draws scenes and says what a hand wants; everything is decided here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.data import Table
from fgnwidgets.data.text import read_text
from fgnwidgets.learning.rules import RULES
from fgnwidgets.learning.run import Run
from fgnwidgets.loops.junction_tree import MergedGraph

from ..graph import edits as graph_edits
from ..page.lock import LOCK
from ..page.outputs import output, undrawn
from ..page.protocol import DocumentWidget, Held
from . import edits
from .document import Document
from .edit_matrices import with_theta
from .incoming import MOST_BYTES, SlicedFile, begun
from .intents import WORDS as DOCUMENT_WORDS
from .intents import matrix_named, unanswered, way
from .page import link_of, linked, page_state
from .picture import WORDS, pictured
from .recipe import python
from .scene import editor_scene, part_of, summary
from .values import EditorValues
from .watching import Watch, curve, refuse_slow

SLICE, BREATH = 0.1, 0.01
"""Seconds of learning between two drawings of its curve, and seconds of rest after each."""

LEARNED_FROM = ("graph", "hidden", "matrices", "merge", "data")
"""The parts of a document on which a run depends; while they change, none can go on."""

WRITTEN = (*LEARNED_FROM, "seed", "run", "how", "evidence")
"""The parts of a document that its code writes down."""


class GraphEditor(EditorValues, DocumentWidget[Document]):
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
    ``to_html(path)`` writes the editor as one web page that works without Jupyter.
    """

    BUNDLE = "graph_editor"
    LIVE = "Live: draw, or drop a CSV file."  # said by a page of its own

    curve = traitlets.Dict().tag(sync=True)
    document = Held()
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
        _refuse_theta(graph, table)
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
        self._watch: Watch | None = None
        self._task: asyncio.Task[None] | None = None
        self._incoming: dict[str, SlicedFile] = {}  # the file that each view sends
        self._lit: tuple[str, ...] = ()  # arrows that a refused one would close to a circle
        self._note = ""  # what is said beside the status, in no colour of alarm
        self._written: tuple[Document, str] | None = None
        self._begin(self._settled(doc))
        super().__init__(document=self._document)
        self._draw()
        self.on_msg(self._hear)

    @property
    def status(self) -> str:
        """The error of the last thing that the page asked for, why nothing answers, or ""."""
        return self._fault or unanswered(self._document)

    def edit(self, what: str, *arguments: Any) -> None:
        """Make an edit by its word, such as ``editor.edit("connect", "S", "X")``.

        The words are add, remove, rename, restate, connect, disconnect, turn, hide, row, draw,
        flat, merge, place, tidy and weigh; :mod:`.edits` says what each takes.
        """
        if what not in edits.EDITS:
            raise ValueError(f"no edit {what!r}: there are {', '.join(edits.EDITS)}")
        self._change(edits.EDITS[what](self.document, *arguments))

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

    def code(self, *, again: bool = False) -> str:
        """Python code that makes this graph, these matrices and this run.

        With ``again`` its last line opens an editor with them.
        """
        return python(self.document, again=again)

    def link(self) -> str:
        """The end of an address, ``#state=...``: a page of :meth:`to_html` opens with this graph.

        It holds graph, matrices, evidence, places and settings, and no table. Raises ``ValueError``
        for a graph that is too large for an address.
        """
        with LOCK:
            return link_of(self._document)

    def open_link(self, link: str) -> None:
        """Go to the graph of a :meth:`link`, which may be the end of an address.

        Raises ``ValueError`` for a link that is not whole, or that is none of an editor.
        """
        with LOCK:
            self._change(linked(link))

    def offer_link(self, link: str) -> None:
        """The same as a page does it: an error becomes the status, and nothing is raised."""
        with LOCK:
            try:
                self._fault = ""
                self.open_link(link)
            except Exception as error:
                self._fault = str(error)
            self._draw()

    def page_state(self) -> dict[str, Any]:
        """The document as a page of its own sets it first."""
        return page_state(self.document)

    def to_html(self, path: str | PathLike[str], **options: Any) -> Path:
        """Write the editor as one web page that works without Jupyter; return its path.

        It has graph, matrices, evidence and settings, and no table: the page takes a CSV file that
        is dropped. ``embed`` is a folder with Pyodide, Python for browsers: with it the page needs
        no network. The other options are those of :func:`fgnwidgets.widgets.page.standalone.write`.
        """
        from ..page.standalone import write  # needed by few editors

        return write(self, path, **options)

    def picture_png(self) -> tuple[str, int]:
        """The graph as a PNG in base 64, and its width on a page."""
        return pictured(self.document)

    def __repr__(self) -> str:
        return f"GraphEditor({self.graph or ''})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live editor, and a picture and a line of text to be shown without a kernel."""
        data, metadata = output(self, super()._repr_mimebundle_, **kwargs)
        text = f"{self!r}\n{summary(self.document)}"
        with LOCK:
            try:
                png, width = pictured(self.document, WORDS)
            except Exception as error:  # of the library that draws: the cell and the editor go on
                return {**data, "text/plain": f"{text}\n{undrawn('graph', error)}"}, metadata
        kept = {"image/png": png, "text/plain": text}
        return {**data, **kept}, {**metadata, "image/png": {"width": width}}

    # What the page asks for

    def _words(self) -> Mapping[str, Callable[..., None]]:
        def act(make: Callable[..., Document]) -> Callable[..., None]:
            return lambda **given: self._change(make(self._document, **given))

        return {
            **{word: act(make) for word, make in DOCUMENT_WORDS.items()},
            "connect": self._connect,
            "row": self._type_row,
            "select": self._select,
            "file": self._take_file,
            "learn": self._learn,
            "stop": self._stop,
            "link": lambda: self._happen("link", text=self.link()),
        }

    def _carry_out(self, view: str, message: Mapping[str, Any]) -> None:
        self._lit, self._note = (), ""
        super()._carry_out(view, message)

    def _connect(self, parent: str, child: str) -> None:
        try:
            self._change(edits.connect(self._document, parent, child))
        except ValueError:
            self._lit = way(self._document, parent, child)
            raise

    def _type_row(self, matrix: str, row: int, typed: Mapping[str, Any], of: str = "") -> None:
        """Cells of a row as they were typed; those of one visit (one gesture) belong together."""
        matrix = matrix_named(self._document, matrix, of)
        self._visit(
            (matrix, row),
            typed,
            lambda cells, begun: graph_edits.type_row(self._document, matrix, row, cells, begun),
        )

    def _select(self, part: str | None = None) -> None:
        self._change(self._document.keeping_answers(selected=part_of(self._document, part)))

    def _take_file(self, name: str, size: int, at: int, part: str) -> None:
        """A slice of a file that is dropped; with the last one its table is there."""
        if at == 0:
            self._incoming[self._view] = begun(name, size)
        file = self._incoming.get(self._view)
        if file is None or file.name != name:
            raise ValueError(f"{name} did not arrive whole: drop it once more")
        try:
            data = file.take(at, part)
        except ValueError:
            del self._incoming[self._view]
            raise
        if data is not None:
            del self._incoming[self._view]
            table, said = read_text(data, name)
            self._change(edits.with_table(self._document, table, name, said=said))
            self._note = " ".join(said)

    def _learn(self) -> None:
        """Begin to learn in slices; without an event loop, learn to the end."""
        refuse_slow(self._document)
        watch = Watch(self._document)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            watch.take(None)
            return self._finish(watch)
        watch.take(BREATH)
        self._watch = watch
        self._task = loop.create_task(self._slices(watch))
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
                except Exception as error:  # raised in a task, it would be seen only in a log
                    self._watch, self._fault = None, str(error)
                    self._draw()

    def _finish(self, watch: Watch) -> None:
        self._watch = None
        run, how = watch.run()
        self._change(replace(edits.with_run(self._document, run), how=how))

    # The document and its faces

    @traitlets.validate("document")
    def _check(self, proposal: Any) -> Document:
        if not isinstance(proposal["value"], Document):
            raise TypeError(f"document is {proposal['value']!r}: expected a Document of an editor")
        return proposal["value"]

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str | None:
        return part_of(self._document, proposal["value"])

    @traitlets.observe("document")
    def _follow(self, change: Any) -> None:
        """The document was set from Python."""
        if change["new"] is not self._document:
            self._change(change["new"])

    @traitlets.observe("selected")
    def _follow_selected(self, change: Any) -> None:
        if change["new"] != self._document.selected:
            self._change(self._document.keeping_answers(selected=change["new"]))

    def _settled(self, document: Document) -> Document:
        """The document without a selected part that is gone; learning for another one ends."""
        watch = self._watch
        if watch is not None and any(_other(document, watch.doc, name) for name in LEARNED_FROM):
            self._watch = None
            self._note = "Learning has ended: what it learned from has changed."
        try:
            part_of(document, document.selected)
        except ValueError:
            document = document.keeping_answers(selected=None)
        return document

    def _counts(self, before: Document, after: Document) -> bool:
        return before != after

    def _returned(self, past: Document) -> Document:
        return past.keeping_answers(selected=self._document.selected)

    def _shows(self, before: Document) -> None:
        with self.hold_trait_notifications():
            self.document = self._document
            self.selected = self._document.selected

    # What the page shows

    def _draw(self) -> None:
        super()._draw()
        if not self._quiet:
            self._draw_curve()

    def _scene(self) -> dict[str, Any]:
        document = self._document
        known = self._written
        if known is None or any(_other(document, known[0], name) for name in WRITTEN):
            known = self._written = (document, python(document))
        return {
            **editor_scene(document, self._lit),
            "note": self._note,
            "most_bytes": MOST_BYTES,
            "code": known[1],
            "rules": [[name, rule.name.upper()] for name, rule in RULES.items()],
        }

    def _draw_curve(self) -> None:
        watch, run = self._watch, self._document.run
        if watch is not None:
            total = watch.doc.learning.n_epochs
            self.curve = curve(np.array(watch.loglik), total, watch.n, running=True)
        elif run is not None:
            self.curve = curve(run.loglik, run.n_epochs, float(run.weight.sum()), running=False)
        else:
            self.curve = {}


def _other(one: Document, two: Document, name: str) -> bool:
    return getattr(one, name) is not getattr(two, name)


def _refuse_theta(graph: Any, table: Any) -> None:
    """Matrices in the place of the table are told by their names."""
    bayes = graph.bayes if isinstance(graph, MergedGraph) else graph
    if not isinstance(bayes, BayesGraph) or not isinstance(table, Mapping) or not table:
        return
    if set(table) <= set(bayes.theta.values()) and not set(table) <= set(bayes.variables):
        raise TypeError(
            f"table has {', '.join(map(repr, table))}, which are matrices of the graph: expected a "
            "table; GraphEditor(graph, theta=theta) takes matrices"
        )
