"""A learning run as one web page that plays without Python: scenes of its epochs (section 7).

Vocabulary
    scene    what a graph shows at one epoch of one curve, for one row of the table
    change   what differs from the first scene of a curve: ``[value]`` is a new value, a dict has
             the changes inside a dict or a list
    record   the chart, the first scenes and their changes, compressed in the page

What was not stored, such as other evidence, cannot be asked for on the page, which says so.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from fgnwidgets.arguments import read_count

from ..graph.graph_view import GraphView
from ..graph.origin import LearnedBy
from ..graph.panel import without_hints
from ..page.outputs import undrawn
from ..page.scripts import STATIC, bundle
from ..page.stored_picture import stored_picture
from ..page.web_page import pictured, web_page


def write(
    view: Any,
    path: str | os.PathLike[str],
    *,
    epochs: int = 60,
    curves: Iterable[int] | None = None,
    title: str = "",
) -> Path:
    """Write a learning view as a page; see :meth:`LearningView.to_html`."""
    most = read_count(epochs, "epochs", least=2)
    chosen = _curves(view, curves)
    kept = thinned(max(curve.run.n_epochs for curve in view.curves), most, view.epoch)
    record = {
        "drawn": view.chart.drawn,
        "look": asdict(view.chart.look),
        "epochs": kept,
        "curves": [_recorded(view, number, kept) for number in chosen],
        "told": _told(view, kept, chosen),
    }
    names = ", ".join(view.curves[number].name for number in chosen)
    name = title or f"Learning, epoch by epoch: {names}"
    drawing, style = bundle("recording")
    text = json.dumps(record, separators=(",", ":")).encode()
    packed = base64.b64encode(gzip.compress(text, 9, mtime=0)).decode()
    starts = (STATIC / "recording_start.js").read_text(encoding="utf-8")
    page = web_page(
        name,
        view.facts(),
        style=style,
        still=_still(view),
        promise="the run plays",
        live=f"--wide: {re.sub(r'[^0-9]', '', str(view.views[0].layout.flex).split()[-1])}px",
        data={"view": drawing},
        elements="\n".join(
            [
                f'<script type="text/plain" id="record">{packed}</script>',
                f'<script type="module">\n{starts}</script>',
            ]
        ),
    )
    written = Path(path)
    written.write_text(page, encoding="utf-8")
    return written


def thinned(last: int, most: int, wanted: int = 0) -> list[int]:
    """About ``most`` of the epochs from 0 to ``last``, with ``wanted``: the early ones, where most
    happens, then some at equal distances."""
    if last < most:
        return list(range(last + 1))
    early = most // 2
    later = np.linspace(early, last, most - early).round().astype(int)
    return sorted({*range(early), *later.tolist(), wanted})


def changes(old: Any, new: Any) -> Any:
    """The difference of ``new`` from ``old``; an empty dict where there is none."""
    pairs: list[tuple[str, Any, Any]]
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        pairs = [(name, old[name], new[name]) for name in new]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(str(i), *pair) for i, pair in enumerate(zip(old, new, strict=True))]
    else:
        return {} if type(old) is type(new) and old == new else [new]
    found = ((name, changes(a, b)) for name, a, b in pairs)
    return {name: change for name, change in found if change != {}}


def _curves(view: Any, curves: Iterable[int] | None) -> list[int]:
    """The curves that can be chosen on the page, those that are shown first."""
    shown = [view.left, *([] if view.right is None else [view.right])]
    given = [] if curves is None else list(curves)
    for number in given:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise ValueError(f"curves hold {number!r}: expected indices of view.curves")
        if not 0 <= number < len(view.curves):
            raise ValueError(f"curves hold {number}: expected 0 to {len(view.curves) - 1}")
    return list(dict.fromkeys([*shown, *map(int, given)]))


def _recorded(view: Any, number: int, kept: list[int]) -> dict[str, Any]:
    """The scenes of a curve."""
    curve, like = view.curves[number], view.views[0]
    own = GraphView(curve.run.graph, curve.theta(kept[0]), like.evidence, form=like.form)
    own.plain = True
    scenes = []
    for epoch in kept:
        if like.origin is not None:
            own.learned = LearnedBy(curve.run, curve.restart, min(epoch, curve.run.n_epochs))
        own.offer(
            theta=curve.theta(epoch),
            title=f"{curve.name}, epoch {epoch}",
            selected=like.selected,
            origin=like.origin,
        )
        own.forget()
        # Hints say what the page cannot do.
        scenes.append({**own.scene, "hint": "", "panel": without_hints(own.scene["panel"])})
    first = json.loads(json.dumps(scenes[0]))
    later = (json.loads(json.dumps(scene)) for scene in scenes)
    return {"curve": number, "first": first, "changes": [changes(first, s) for s in later]}


def _told(view: Any, kept: list[int], chosen: list[int]) -> str:
    """The content of the page, in words."""
    last = max(curve.run.n_epochs for curve in view.curves)
    some = "all epochs" if len(kept) == last + 1 else f"{len(kept)} of {last + 1} epochs"
    names = ", ".join(view.curves[number].name for number in chosen)
    return f"A recording without Python: {some} of {names}. Drag the epoch, or play it."


def _still(view: Any) -> str:
    words = view.facts()
    try:
        return pictured(stored_picture(view.figure(), ""), words)
    except Exception as error:  # of the library that draws: the page plays all the same
        return pictured("", f"{words} {undrawn('learning run', error)}")
