"""One colour, marker and dash for each meaning, the same in every figure of the project.

Vocabulary
    ground   the background colour
    ink      the colour of text and outlines
    mark     the colour, marker and dash of one meaning; they differ in more than colour
    theme    ground, inks and marks together: ``LIGHT`` and ``DARK``

The colours are those of Okabe and Ito, changed where a line would be too pale. Every line has a
contrast of at least 3 to its ground; the fill of observed values may have less, since it has an
outline. Text is in ink, and the name of a rule in the ``word`` of its mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..arguments import read_kind
from ..learning.rules import RULES

Dash = str | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class Mark:
    """The colour, marker and line of one meaning.

    ``word`` is the colour of its name, which text needs if the colour of a line is too pale for it.
    """

    color: str
    marker: str = "o"
    dash: Dash = "-"
    word: str = ""

    def __post_init__(self) -> None:
        if not self.word:
            object.__setattr__(self, "word", self.color)


@dataclass(frozen=True, repr=False)
class Theme:
    """Ground and inks, then the marks of messages, then those of the learning rules."""

    ground: str
    ink: str
    ink_on_observed: str
    muted: str  # what should not draw the eye: axes, ghosts, hints
    block: str  # a block that is learned
    shade: str  # a block that is fixed
    frame: str  # the whole length of a bar, behind it
    ghost: str  # a prior behind its posterior
    matrix: str  # name of the colour map of probabilities
    forward: Mark
    backward: Mark
    belief: Mark
    observed: Mark
    ml: Mark
    kl: Mark
    vit: Mark
    var: Mark
    reference: Mark
    others: tuple[Mark, ...]  # of further rules in ``RULES``, in turn

    def __repr__(self) -> str:
        """``LIGHT`` or ``DARK``, since it is shown as a default in the help of every drawing."""
        known = (("LIGHT", LIGHT), ("DARK", DARK))
        own = f"Theme({self.ground!r}, ...)"
        return next((name for name, theme in known if self == theme), own)

    def rule(self, name: str) -> Mark:
        """The mark of a rule in ``RULES``, in any case; of another name that of references."""
        return self.rules.get(name.lower(), self.reference)

    @property
    def rules(self) -> dict[str, Mark]:
        papers = {"ml": self.ml, "kl": self.kl, "vit": self.vit, "var": self.var}
        more = (name.lower() for name in RULES if name.lower() not in papers)
        return papers | dict(zip(more, cycle(self.others), strict=False))


LIGHT = Theme(
    ground="#FFFFFF",
    ink="#1A1A1A",
    ink_on_observed="#1A1A1A",
    muted="#767676",
    block="#FFFFFF",
    shade="#C4C4C4",
    frame="#EEEEEE",
    ghost="#C9C9C9",
    matrix="Blues",
    forward=Mark("#0072B2", "v", "-"),
    backward=Mark("#D55E00", "^", "--"),
    belief=Mark("#009E73", "D", "-"),
    observed=Mark("#E69F00", "s", "-"),
    ml=Mark("#882E72", "o", "-"),
    kl=Mark("#2B9BD9", "s", (0, (5, 1.5)), "#1F75A6"),
    vit=Mark("#9A8600", "^", (0, (3, 1.5, 1, 1.5)), "#7D6D00"),
    var=Mark("#6B6B6B", "D", (0, (1, 1.2))),
    reference=Mark("#1A1A1A", "", (0, (6, 3))),
    others=(
        Mark("#B3003C", "P", (0, (8, 1.5, 1, 1.5, 1, 1.5))),
        Mark("#006B5B", "X", (0, (2, 1))),
        Mark("#7A4B00", "*", (0, (10, 2))),
    ),
)

DARK = Theme(
    ground="#16181D",
    ink="#F2F2F2",
    ink_on_observed="#1A1A1A",
    muted="#9A9A9A",
    block="#16181D",
    shade="#4A4E57",
    frame="#262A31",
    ghost="#4A4E57",
    matrix="Blues_r",
    forward=Mark("#56B4E9", "v", "-"),
    backward=Mark("#FF7433", "^", "--"),
    belief=Mark("#6FE3BC", "D", "-"),
    observed=Mark("#FFDD73", "s", "-"),
    ml=Mark("#E39BD0", "o", "-"),
    kl=Mark("#4FB3F0", "s", (0, (5, 1.5))),
    vit=Mark("#D8C840", "^", (0, (3, 1.5, 1, 1.5))),
    var=Mark("#9A9A9A", "D", (0, (1, 1.2))),
    reference=Mark("#F2F2F2", "", (0, (6, 3))),
    others=(
        Mark("#FF8FA3", "P", (0, (8, 1.5, 1, 1.5, 1, 1.5))),
        Mark("#5FD3C0", "X", (0, (2, 1))),
        Mark("#E0B080", "*", (0, (10, 2))),
    ),
)


def canvas(
    ax: Axes | None, width: float, height: float, theme: Theme, *, full: bool = False
) -> Axes:
    """``ax``, or axes of a new figure of this size in inches, on the theme's ground.

    With ``full`` new axes fill their figure, for drawings without ticks.
    """
    read_kind(theme, "theme", Theme, "LIGHT or DARK of fgnwidgets.draw")
    if ax is not None:
        read_kind(ax, "ax", Axes, "axes of matplotlib, or None for a new figure")
    else:
        figure = Figure(figsize=(width, height), layout=None if full else "constrained")
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0)) if full else figure.add_subplot()
        figure.set_facecolor(theme.ground)
    ax.set_facecolor(theme.ground)
    return ax


def plot_frame(ax: Axes, theme: Theme) -> None:
    """Give a plot its frame: two spines, a faint grid, and text in the theme's ink."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.muted)
    ax.tick_params(colors=theme.ink, which="both")
    ax.xaxis.label.set_color(theme.ink)
    ax.yaxis.label.set_color(theme.ink)
    ax.grid(True, color=theme.muted, alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)


def figure_of(ax: Axes) -> Figure:
    """The figure that holds these axes, also if they are in a subfigure.

    From matplotlib 3.10 on this is ``ax.get_figure(root=True)``; Python in a browser has 3.8.
    """
    figure: Figure = ax.figure.figure  # the second step leads from a subfigure to its figure
    return figure


def ink_on(color: Iterable[float]) -> str:
    """Black or white for text on a colour ``(red, green, blue, ...)`` from 0 to 1."""
    red, green, blue, *_ = color
    return "#1A1A1A" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 else "#FFFFFF"
