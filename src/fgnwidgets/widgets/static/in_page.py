"""The living graph's Python inside a page without Jupyter; ``standalone`` writes it into the page.

Vocabulary
    stand-in  a module in the place of one that the page does not have: anywidget, the drawings
    state     all traits that a view shares with its page, as JSON

``begin`` makes the view and returns the function that answers the page's questions.
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
    """What a view needs of anywidget: traits tagged ``sync`` are shared with the page."""

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take in values of the page, as Jupyter's widgets do."""
        with self.hold_trait_notifications():
            for name, value in sync_data.items():
                read = self.trait_metadata(name, "from_json") or (lambda given, _: given)
                self.set_trait(name, read(value, self))

    def state(self) -> dict[str, Any]:
        """The shared traits as the page reads them."""
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
    """The view of the model in a file; the function takes changes as JSON and returns the state."""
    stand_in("anywidget", AnyWidget=AnyWidget)
    stand_in(
        "fgnwidgets.draw", __path__=["/page/fgnwidgets/draw"]
    )  # its own start loads matplotlib
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
