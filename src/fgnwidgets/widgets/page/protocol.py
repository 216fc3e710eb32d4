"""The protocol of a page and its Python: requests, answers, events, and one document.

Vocabulary
    document   all that a widget shows, one immutable value; traits are its faces, and whatever
               changes them makes a new document
    request    what a hand on the page wants: a number, the view that asks, a word with its
               arguments, and the name of the gesture that it is part of::

                   {"request": 7, "from": view, "do": "edit", "with": {...}, "gesture": "drag 3"}

    answer     ``{"answer": 7, "from": view, "fault": ""}``: the request was carried out, or refused
               with a reason. What it changed is in ``scene`` already, which went before
    event      ``{"event": "code", "from": view, "text": ...}``: what happens once and is no state.
               A page that is opened again, or a second view, never gets one
    scene      a plain value with all that the page draws (:mod:`.contract`)

Requests are carried out in their order, each once. A page sets no trait.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import traitlets

from .lock import LOCK
from .scripts import Scripted

MOST_VIEWS = 200
"""Of so many views the number of the last request is kept; who is silent for longest goes first."""

Doc = TypeVar("Doc")
State = TypeVar("State")
Act = Callable[..., None]


class History(Generic[State]):
    """The states before the present one, and those that were undone.

    ``gesture`` is the name of the gesture that made the last change, such as one drag, or "". All
    changes of one gesture are undone together.
    """

    def __init__(self) -> None:
        self.past: list[State] = []
        self.future: list[State] = []
        self.gesture = ""

    def changed(self, before: State, gesture: str = "") -> None:
        """Note that ``before`` was replaced by a new state; states that were undone are gone."""
        if not gesture or gesture != self.gesture:
            self.past.append(before)
        self.gesture = gesture
        self.future.clear()

    def begun(self, present: State, gesture: str) -> State:
        """The state in which a gesture began: the present one if it has changed nothing yet."""
        return self.past[-1] if gesture and gesture == self.gesture and self.past else present

    def cancelled(self, gesture: str) -> bool:
        """Forget the changes of a gesture; False if the last change was none of its."""
        if not gesture or gesture != self.gesture or not self.past:
            return False
        self.past.pop()
        self.gesture = ""
        return True

    def walk(self, present: State, go: Callable[[State], None], *, back: bool) -> bool:
        """Undo (``back``) or redo: call ``go`` with the state to go to; False if there is none.

        ``go`` may note the change by :meth:`changed`, which has no effect here.
        """
        source, target = (self.past, self.future) if back else (self.future, self.past)
        if not source:
            return False
        rest, known = source[:-1], [*target, present]
        go(source[-1])
        source[:], target[:] = rest, known
        self.gesture = ""
        return True


class Held(traitlets.Any):
    """A trait whose values are compared by identity: arrays in them are never compared."""

    def set(self, obj: Any, value: Any) -> None:
        new = self._validate(obj, value)
        old = obj._trait_values.get(self.name, self.default_value)
        obj._trait_values[self.name] = new
        if new is not old:
            obj._notify_trait(self.name, old, new)


class DocumentWidget(Scripted, Generic[Doc]):
    """A widget with one document, which hears requests, carries them out, answers, and undoes.

    A subclass calls :meth:`_begin` with its first document, and says

    ``_words()``                 what a page may ask for: words, and what carries them out. These
                                 raise what they refuse, and give :meth:`_change` a new document
    ``_scene()``                 what the page draws of the present document
    ``_shows(before)``           brings the traits to the present document
    ``_settled(document)``       a document with all that follows from it; raises if it is refused
    ``_counts(before, after)``   whether a change can be undone: by default every one
    ``_returned(past)``          what undo goes to: by default the past document itself
    """

    scene = traitlets.Dict().tag(sync=True)

    def _begin(self, document: Doc) -> None:
        self._document = document
        self._history: History[Doc] = History()
        self._heard: OrderedDict[str, int] = OrderedDict()  # view -> the number of its last request
        self._view = self._gesture = self._fault = (
            ""  # of the request that is carried out, or was last
        )
        self._typed: dict[Any, Mapping[str, Any]] = {}  # a visit -> what was typed in it
        self._quiet = (
            False  # while a request is carried out; then the scene is drawn once, at its end
        )

    def __setattr__(self, name: str, value: Any) -> None:
        # While another thread takes in a message, traitlets checks no values: so wait for it.
        with LOCK:
            super().__setattr__(name, value)

    # What a subclass says

    def _words(self) -> Mapping[str, Act]:
        raise NotImplementedError

    def _scene(self) -> dict[str, Any]:
        raise NotImplementedError

    def _shows(self, before: Doc) -> None:
        raise NotImplementedError

    def _settled(self, document: Doc) -> Doc:
        return document

    def _counts(self, before: Doc, after: Doc) -> bool:
        return before is not after

    def _returned(self, past: Doc) -> Doc:
        return past

    # What everybody can do

    @property
    def status(self) -> str:
        """The error of the last thing that the page asked for, or ""."""
        return self._fault

    def undo(self) -> None:
        """Take back the last change, if there is one."""
        self._walk(back=True)

    def redo(self) -> None:
        """Make the change again that :meth:`undo` took back last."""
        self._walk(back=False)

    def forget(self) -> None:
        """Begin a new history, so that earlier changes cannot be undone."""
        with LOCK:
            self._history = History()
            self._draw()

    # Changes

    def _change(self, document: Doc) -> None:
        """Go to a new document, note the change, and show it; raises what ``_settled`` refuses."""
        with LOCK:
            before, after = self._document, self._settled(document)
            self._document = after
            if self._counts(before, after):
                self._history.changed(before, self._gesture)
            self._draw()
            self._shows(before)

    def _visit(
        self, place: Any, typed: Mapping[str, Any], make: Callable[[Mapping[str, Any], Doc], Doc]
    ) -> None:
        """Change by all that was typed at a place in one visit, which is one gesture.

        ``make`` gets that, and the document in which the visit began. What is refused is not kept.
        """
        visit = (self._gesture, place)
        known = self._typed.get(visit, {}) if self._history.gesture == self._gesture else {}
        cells = {**known, **typed}
        self._change(make(cells, self._history.begun(self._document, self._gesture)))
        self._typed = {visit: cells}

    def _walk(self, *, back: bool) -> None:
        with LOCK:
            gesture, self._gesture = self._gesture, ""
            try:
                self._history.walk(
                    self._document, lambda past: self._change(self._returned(past)), back=back
                )
            finally:
                self._gesture = gesture
            self._draw()  # what there is to undo has changed

    def _cancel(self) -> None:
        """Go back to before the gesture that the page has broken off."""
        past = self._history.begun(self._document, self._gesture)
        if self._history.cancelled(self._gesture):
            before, self._document = self._document, self._settled(self._returned(past))
            self._shows(before)

    def _draw(self) -> None:
        """Bring the scene to the present document."""
        with LOCK:
            if not self._quiet:
                undo = {"undo": bool(self._history.past), "redo": bool(self._history.future)}
                self.scene = {**self._scene(), **undo, "status": self.status}

    # Requests

    def _hear(self, _: Any, message: Any, __: Any = None) -> None:
        """Carry out a request of the page, unless it was heard before, and answer it."""
        if not isinstance(message, Mapping) or "request" not in message:
            return
        number, view = int(message["request"]), str(message.get("from", ""))
        with LOCK:
            if number > self._heard.get(view, 0):
                self._heard[view] = number
                self._heard.move_to_end(view)
                if len(self._heard) > MOST_VIEWS:
                    self._heard.popitem(last=False)
                self._carry_out(view, message)
            self.send({"answer": number, "from": view, "fault": self._fault})

    def _carry_out(self, view: str, message: Mapping[str, Any]) -> None:
        """Carry out a request; an error changes nothing and goes to the status."""
        words = {
            "undo": self.undo,
            "redo": self.redo,
            "cancel": self._cancel,
            **self._words(),
        }
        what, arguments = message.get("do"), message.get("with") or {}
        self._view, self._gesture, self._fault = view, str(message.get("gesture") or ""), ""
        self._quiet = True
        try:
            if what not in words:
                raise ValueError(f"the page asks for {what!r}: expected {', '.join(words)}")
            words[what](**arguments)
        except Exception as error:  # raised in a callback, it would be seen only in a log
            self._fault = str(error) or type(error).__name__
        finally:
            self._quiet, self._gesture = False, ""
        self._draw()

    def _happen(self, event: str, **contents: Any) -> None:
        """Tell the view that asked, and no other, of something that happens once."""
        self.send({"event": event, "from": self._view, **contents})
