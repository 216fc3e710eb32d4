"""The Python part of a page without Jupyter, into which ``standalone`` writes it.

Vocabulary
    stand-in   a module in place of one that the page does not have: anywidget, matplotlib's
    state      all traits that a view shares with its page, as JSON: its scene
"""

import json
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

sys.path.insert(0, "/page")

import traitlets


class AnyWidget(traitlets.HasTraits):
    """The part of a widget that a view needs: it hears messages, says some, and has a state."""

    BUNDLE = ""

    def on_msg(self, hear: Callable[[Any, Any, Any], None]) -> None:
        """Call ``hear`` with what the page says."""
        self._hears = hear
        self._said: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        """Say something to the page, with the next answer."""
        self._said.append(message)

    def take(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """Hear what the page says; what is said to it."""
        self._hears(self, message, [])
        said, self._said = self._said, []
        return said

    def state(self) -> dict[str, Any]:
        """The shared traits, which are values for JSON."""
        return {name: getattr(self, name) for name in self.trait_names(sync=True)}


def stand_in(name: str, **contents: Any) -> None:
    """Put a module with these contents in the place of ``name``."""
    module = ModuleType(name)
    module.__dict__.update(contents)
    sys.modules[name] = module


def begin(model: str, state: str, link: str = "") -> Callable[[str], str]:
    """Make the view of the model in the file ``model`` and set its first ``state``.

    A ``link``, the end of the page's address, says another state; a bad one is told, and the page
    is as it was written.

    Returns the function by which the page talks to it: it takes a message as JSON, and returns the
    state and what is said to the page.
    """
    stand_in("anywidget", AnyWidget=AnyWidget)
    # the package's own __init__ would import matplotlib
    stand_in("fgnwidgets.draw", __path__=["/page/fgnwidgets/draw"])
    stand_in("fgnwidgets.draw.graph", draw_bayes=None, draw_normal=None)
    stand_in("fgnwidgets.draw.style", figure_of=None)
    stand_in("fgnwidgets.widgets", __path__=["/page/fgnwidgets/widgets"])
    stand_in("fgnwidgets.widgets.page.stored_picture", sharp_picture=None)
    # the page has the scripts, and shows no output of a cell
    stand_in("fgnwidgets.widgets.page.scripts", Scripted=AnyWidget)
    stand_in("fgnwidgets.widgets.page.outputs", output=None, undrawn=None)
    stand_in("fgnwidgets.widgets.editor.picture", WORDS="", pictured=None)
    first = json.loads(state)
    if first.get("kind") == "editor":
        from fgnwidgets.widgets.editor.graph_editor import GraphEditor
        from fgnwidgets.widgets.editor.page import opened

        editor: Any = GraphEditor()
        editor.document = opened(model, first)
        if link:
            editor.offer_link(link)
        editor.forget()
        return answers(editor)
    import fgnwidgets
    from fgnwidgets.widgets.graph.graph_view import GraphView
    from fgnwidgets.widgets.graph.observed import from_codes

    graph, theta = fgnwidgets.load(model)
    view: Any = GraphView(graph, theta)

    first["evidence"] = from_codes(view.graph, first["evidence"])
    view.offer(**first)
    if link:
        view.offer_link(link)
    view.forget()
    return answers(view)


def answers(view: Any) -> Callable[[str], str]:
    """The function by which the page talks to a view."""

    def answer(message: str) -> str:
        said = view.take(asked) if (asked := json.loads(message)) else []
        return json.dumps({"state": view.state(), "said": said})

    return answer
