"""Axes that are drawn on again and again, and take back what they had.

Vocabulary
    call    what was asked of the axes with its style: all that an artist is made by but numbers
            and words
    spare   artists of the last drawing by their calls, which the present drawing may take back

To make a line or a text takes matplotlib longer than to draw it, and what a lab draws after a step
it has nearly all drawn before, with other numbers. So a call that comes again gets the artist that
it got the last time, in the same order. The picture is the one that new axes would show: an artist
is only taken back by a call that would make its like.
"""

# What matplotlib has is typed, what it keeps for itself is not.
# mypy: disable-error-code="attr-defined"

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Transform

Call = tuple[Hashable, ...]
Made = TypeVar("Made", bound=Collection)

NUMBERS = "iuf"
"""Kinds of arrays whose numbers can be exchanged; others have units, or are masked."""


class KeptAxes(Axes):
    """Axes whose lines, texts and bars are taken back after :meth:`empty`.

    Who changes what these methods return must do so in every drawing.
    """

    def clear(self) -> None:
        """Begin as new axes do."""
        self._made: list[tuple[Call, Any, list[Artist]]] = []  # in the present drawing
        self._spare: dict[Call, list[tuple[Any, list[Artist]]]] = {}
        self._told: dict[tuple[Any, ...], Any] = {}  # what ticks were told last
        super().clear()

    def empty(self) -> None:
        """Take off all but ticks and labels; what is not taken back then is gone."""
        self._spare = {}
        for call, given, artists in self._made:
            self._spare.setdefault(call, []).append((given, artists))
        may_come = {id(artist) for *_, artists in self._made for artist in artists}
        self._made = []
        for artist in [artist for artist in self._children if id(artist) not in may_come]:
            artist.remove()
        self._children.clear()  # at once: to remove one, matplotlib looks for it among all
        self.containers.clear()
        if (legend := self.get_legend()) is not None:
            legend.remove()
        self.set_prop_cycle(None)
        self.relim()
        self.autoscale(True)
        self.set_visible(True)

    # What is drawn

    def plot(self, *args: Any, **style: Any) -> list[Line2D]:
        """As of all axes."""
        *values, last = args
        mark = last if isinstance(last, str) else ""
        data = None if "color" not in style else _columns(values if mark else args)
        call = None if data is None else _call("plot", mark, len(data[1]), style)
        lines: list[Line2D] | None = self._taken(call)
        if lines is None:
            lines = super().plot(*args, **style)
            self._note(call, lines, lines)
        elif data is not None:
            x, ys = data
            for line, y in zip(lines, ys, strict=True):
                line.set_data(x, y)
                self._reaches(line)
        return lines

    def text(
        self, x: Any, y: Any, s: Any, fontdict: Mapping[str, Any] | None = None, **style: Any
    ) -> Text:
        """As of all axes."""
        call = None if fontdict is not None else _call("text", "", 1, style)
        text: Text | None = self._taken(call)
        if text is None:
            text = super().text(x, y, s, fontdict, **style)  # type: ignore[arg-type]
            self._note(call, text, [text])
        else:
            text.set_position((x, y))
            text.set_text(s)
        return text

    def bar(
        self, x: Any, height: Any, width: Any = 0.8, bottom: Any = None, **style: Any
    ) -> BarContainer:
        """As of all axes; ``barh`` comes here, too."""
        level = style.get("orientation") == "horizontal"
        start, length = (x, width) if level else (bottom, height)
        place, broad = (bottom, height) if level else (x, width)
        at = np.asarray(place)
        free = start is None and at.ndim == 1 and at.dtype.kind in NUMBERS
        free = free and np.ndim(length) == 1 and not np.ma.isMaskedArray(length)
        call = _call("bar", (at.tobytes(), broad), len(at), style) if free else None
        bars: BarContainer | None = self._taken(call)
        if bars is None:
            bars = super().bar(x, height, width, bottom, **style)
            self._note(call, bars, list(bars.patches))
            return bars
        for patch, value in zip(bars.patches, length, strict=True):
            (patch.set_width if level else patch.set_height)(value)
        bars.datavalues = np.asarray(length)
        self.containers.append(bars)
        if self._grows():
            for patch in bars.patches:
                self._update_patch_limits(patch)
            self._request_autoscale_view()
        return bars

    def tick_params(self, axis: Any = "both", **told: Any) -> None:
        """As of all axes; what ticks were told last they are not told again."""
        which = axis, told.get("which", "major")
        new = {(*which, name): value for name, value in told.items()}
        if told.get("reset") or any(self._told.get(name, _NOTHING) != v for name, v in new.items()):
            super().tick_params(axis, **told)
            self._told.update(new)

    def again(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """A collection that the last drawing had under this name, or the one that ``make`` makes.

        The limits do not follow it.
        """
        call = ("again", what)
        artist: Made | None = self._taken(call)
        if artist is None:
            artist = make()
            self.add_collection(artist, autolim=False)
            self._note(call, artist, [artist])
        return artist

    # What is taken back

    def _taken(self, call: Call | None) -> Any:
        """What a call got the last time, back on the axes; None if it is to be made."""
        spare = self._spare.get(call) if call is not None else None
        if not spare:
            return None
        given, artists = spare.pop(0)
        self._children.extend(artists)
        self._note(call, given, artists)
        return given

    def _note(self, call: Call | None, given: Any, artists: Sequence[Artist]) -> None:
        if call is not None:
            self._made.append((call, given, list(artists)))

    def _grows(self) -> bool:
        """True if limits follow what is drawn."""
        return bool(self.get_autoscalex_on() or self.get_autoscaley_on())

    def _reaches(self, line: Line2D) -> None:
        """Let the limits follow a line with new numbers."""
        if self._grows():
            self._update_line_limits(line)
            self._request_autoscale_view()


def again(ax: Axes, what: Hashable, make: Callable[[], Made]) -> Made:
    """:meth:`KeptAxes.again`; on other axes a collection is made."""
    if isinstance(ax, KeptAxes):
        return ax.again(what, make)
    made = make()
    ax.add_collection(made, autolim=False)
    return made


def ruled(
    ax: Axes, what: Hashable, *, x: Sequence[float] = (), y: Sequence[float] = (), **style: Any
) -> None:
    """Lines across the axes at these places, as one artist: what ``axvline`` and ``axhline`` draw,
    each of which takes a millisecond or two. The limits do not follow them."""
    across = ax.get_xaxis_transform() if len(x) else ax.get_yaxis_transform()
    cap = "projecting" if style.get("linestyles", "-") == "-" else "butt"  # that of lines
    lines = again(
        ax,
        ("ruled", what, len(x) > 0),
        lambda: LineCollection([], transform=across, capstyle=cap, zorder=2, **style),
    )
    lines.set_segments([[(at, 0), (at, 1)] for at in x] or [[(0, at), (1, at)] for at in y])


_NOTHING = object()


def _call(method: str, more: Hashable, count: int, style: Mapping[str, Any]) -> Call | None:
    """A call as a value; None if its style is none, such as an array."""
    # Transforms are compared by what they do now; those of the axes are always the same ones.
    told = ((k, id(v) if isinstance(v, Transform) else v) for k, v in sorted(style.items()))
    call = method, more, count, *told
    try:
        hash(call)
    except TypeError:
        return None
    return call


def _columns(values: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """The x and the y of every line of a call of ``plot``, ``(points,)`` and ``(lines, points)``.

    None if they are to be read by matplotlib itself.
    """
    arrays = [np.asarray(v) for v in values if not np.ma.isMaskedArray(v)]
    if not len(values) == len(arrays) in (1, 2):
        return None
    if any(array.dtype.kind not in NUMBERS for array in arrays):
        return None
    y: np.ndarray = np.atleast_1d(arrays[-1])
    x: np.ndarray = np.atleast_1d(arrays[0]) if len(arrays) == 2 else np.arange(len(y))
    if x.ndim != 1 or y.ndim > 2 or len(x) != len(y):
        return None
    return x, y.reshape(len(y), -1).T
