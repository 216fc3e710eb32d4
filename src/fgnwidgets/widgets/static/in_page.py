"""The Python part of a page without Jupyter, into which ``standalone`` writes it.

Vocabulary
    stand-in   a module in place of one that the page does not have: anywidget, matplotlib's
    state      all traits that a view shares with its page, as JSON
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, "/page")

import traitlets


class AnyWidget(traitlets.HasTraits):
    """The part of ``anywidget.AnyWidget`` that a view needs: sharing traits tagged ``sync``."""

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Set traits to values from the page."""
        with self.hold_trait_notifications():
            for name, value in sync_data.items():
                read = self.trait_metadata(name, "from_json") or (lambda given, _: given)
                self.set_trait(name, read(value, self))

    def state(self) -> dict[str, Any]:
        """The shared traits as values for JSON."""
        shared = {}
        for name in self.trait_names(sync=True):
            write = self.trait_metadata(name, "to_json") or (lambda given, _: given)
            shared[name] = write(getattr(self, name), self)
        return shared


def stand_in(name: str, **contents: Any) -> None:
    """Put a module with these contents in the place of ``name``."""
    module = ModuleType(name)
    module.__dict__.update(contents)
    sys.modules[name] = module


def begin(model: str, state: str) -> Callable[[str], str]:
    """Make the view of the model in the file ``model`` and set its first ``state``.

    Returns the function by which the page talks to it: it takes changed traits as JSON, and returns
    the state.
    """
    stand_in("anywidget", AnyWidget=AnyWidget)
    # the package's own __init__ would import matplotlib
    stand_in("fgnwidgets.draw", __path__=["/page/fgnwidgets/draw"])
    stand_in("fgnwidgets.draw.graph", draw_bayes=None, draw_normal=None)
    stand_in("fgnwidgets.draw.style", figure_of=None)
    stand_in("fgnwidgets.widgets", __path__=["/page/fgnwidgets/widgets"])
    stand_in("fgnwidgets.widgets.still", NARROWEST=0.0, still=None)
    stand_in("fgnwidgets.widgets.scripts", STATIC=Path("/page"), script=str)  # the page has them
    import fgnwidgets
    from fgnwidgets.widgets.graph_view import GraphView

    graph, theta = fgnwidgets.load(model)
    view: Any = GraphView(graph, theta)

    def answer(changes: str) -> str:
        if asked := json.loads(changes):
            view.set_state(asked)
        return json.dumps(view.state())

    answer(state)
    return answer
