"""Labs, graphs and learning views in what ``jupyter nbconvert --to html`` makes: their pictures.

Where a notebook stores the state of its widgets, nbconvert writes only that, and a page that cannot
fetch the programs of the widgets from the network stays blank. A page without Python could not
answer a hand anyway. So here each output of ours becomes the picture that it stores, too, with its
text for who cannot see it; and the text alone where the graph is too large for a picture.

nbconvert finds this by ``jupyter_nbconvert_config.json``, which the wheel installs in
``etc/jupyter``.
"""

from __future__ import annotations

import html
from typing import Any

from nbconvert.preprocessors import Preprocessor

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
BOXES = {"fgn-lab", "fgn-learning-box"}
"""Classes of the boxes of labs and learning views, whose models are those of ipywidgets."""


class Pictures(Preprocessor):
    """Puts the stored picture in the place of every lab, graph and learning view of a notebook."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """The notebook without views of ours; it is changed in place."""
        states = nb.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
        for output in _outputs(nb):
            data = output.get("data", {})
            model = states.get(data.get(VIEW, {}).get("model_id"), {})
            if not _ours(model.get("state", {})) or not {"image/png", "text/plain"} & set(data):
                continue
            del data[VIEW]
            if "image/png" in data:  # by a tag of our own: nbconvert gives pictures no text
                width = output.get("metadata", {}).get("image/png", {}).get("width", "")
                data["text/html"] = (
                    f'<img alt="{html.escape(data.get("text/plain", ""))}" width="{width}" '
                    f'src="data:image/png;base64,{data["image/png"]}">'
                )
        if not any(VIEW in output.get("data", {}) for output in _outputs(nb)):
            nb.metadata.pop("widgets", None)  # nothing is left that needs it
        return nb, resources


def _outputs(nb: Any) -> list[Any]:
    return [output for cell in nb.cells for output in cell.get("outputs", ())]


def _ours(state: dict[str, Any]) -> bool:
    """True if a model is one of this package."""
    name = str(state.get("_anywidget_id", ""))
    return name.startswith("fgnwidgets.") or not BOXES.isdisjoint(state.get("_dom_classes", ()))
