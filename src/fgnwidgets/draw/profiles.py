"""Profiles of hidden states: the probability of every category given each state, with intervals.

Vocabulary
    row       a line of the picture: a category of an observed variable, or the variable's name; of
              two categories only the second has a row, since the first is what is left
    profile   P(category | state) along the rows; each state has a colour and a marker
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from ..algebra.arrays import Array
from ..analysis.errors import Errors
from ..analysis.families import conditions
from ..analysis.summary import hidden_variables
from ..arguments import shown as words_of
from ..data.evidence import Evidence
from ..graphs.normal_graph import as_normal
from ..inference.queries import posterior
from ..learning.run import Run
from .names import plain
from .style import LIGHT, Mark, Theme, canvas

ROW = 0.27
"""Height of a row, in inches."""
WRAP = 34
"""Most characters in a line of a label."""
IN_LEGEND = 72
"""Most characters in a line of the legend, with five for each mark and gap."""

ON_LIGHT = ("#332288", "#A8326E", "#2E7D7A", "#8A6A00", "#5A5A5A", "#7A3FB5", "#9C3B1B", "#1F6FB0")
ON_DARK = ("#A9A0F0", "#EE8DBB", "#6CCFC8", "#D9B84A", "#B8B8B8", "#C79BF2", "#EE9A7B", "#7FBDF0")
MARKERS = "osD^vPX*"


def state_mark(k: int, theme: Theme) -> Mark:
    """The colour and marker of state ``k`` of a hidden variable; they repeat after eight states."""
    colors = ON_LIGHT if theme.ink < theme.ground else ON_DARK
    return Mark(colors[k % len(colors)], MARKERS[k % len(MARKERS)])


def draw_profile(
    run: Run | Errors,
    variable: str = "",
    ax: Axes | None = None,
    *,
    level: float = 0.95,
    names: Sequence[str] | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """P(category | state) for the categories of every observed variable and all hidden states.

    A variable of two categories has one row, for the second. ``names`` are those of the hidden
    states in the legend, in their order, once they have been read off the picture.

    ``run`` may be a result of ``standard_errors`` or ``bootstrap``; then every number that has an
    error is drawn with its interval of this ``level``. ``variable`` is the hidden variable; it may
    be left out if there is only one. Given variables are averaged over. The legend has the share of
    each state in the samples. Raises ``ValueError`` if ``variable`` is not a hidden variable.
    """
    errors, run = (run, run.run) if isinstance(run, Errors) else (None, run)
    hidden = _hidden(run, variable)
    observed = [name for name in run.rows.variables if name not in as_normal(run.graph).given]
    shares = run.weight @ posterior(run.graph, run.best_theta, run.rows, hidden) / run.weight.sum()
    states = as_normal(run.graph).states(hidden)
    titles = _titles(names, hidden, states)
    profiles = _profiles(run, hidden, observed)
    ends = _intervals(errors, hidden, level)
    rows, labels, at = _rows(run, observed)
    heads = labels.keys() - {y for heights in at.values() for y in heights.values()}
    width = 2.2 + 0.068 * max(map(len, "\n".join(labels.values()).split("\n")))
    ax = canvas(ax, 3.6 + width, 1.0 + ROW * rows, theme)
    for heights in at.values():  # a band behind every category leads from its label to its points
        ax.hlines(list(heights.values()), 0, 1, color=theme.frame, linewidth=7, zorder=0)
    spread = np.linspace(-0.27, 0.27, len(shares)) if len(shares) > 1 else np.zeros(1)
    for k, share in enumerate(shares):
        mark = state_mark(k, theme)
        for name, heights in at.items():
            y, shown = np.array(list(heights.values())) + spread[k], list(heights)
            if name in ends:
                low, high = ends[name][:, k, shown]
                ax.hlines(y, low, high, color=mark.color, linewidth=1.3, alpha=0.75)
            ax.plot(profiles[name][k, shown], y, mark.marker, color=mark.color, markersize=4.6)
        label = f"{titles[k]}  ({100 * share:.0f} %)"
        ax.plot([], [], mark.marker, color=mark.color, markersize=5, label=label)
    _frame(ax, labels, rows, theme)
    for text, y in zip(ax.get_yticklabels(), labels, strict=True):
        text.set_fontweight("bold" if y in heads else "normal")
    return ax


def _titles(names: Sequence[str] | None, hidden: str, states: Sequence[object]) -> list[str]:
    """The names of the hidden states in the legend."""
    if names is None:
        return [f"{plain(hidden)} = {plain(state)}" for state in states]
    if isinstance(names, str) or len(names) != len(states):
        raise ValueError(
            f"names is {words_of(names)}: expected a name for each of the {len(states)} states of "
            f"{hidden}"
        )
    return [plain(name) for name in names]


def _profiles(run: Run, hidden: str, names: Sequence[str]) -> dict[str, Array]:
    """P(category | state), ``(M_S, M)`` by variable, averaged over given variables.

    It is NaN for a state of probability zero.
    """
    known, condition = conditions(run)
    often = np.bincount(condition, run.weight, known.n)
    chances = often[:, None] * posterior(run.graph, run.best_theta, known, hidden)
    at, state = np.nonzero(chances > 0)
    rows = {name: codes[at] for name, codes in known.codes.items()}
    said = Evidence(len(at), {**rows, hidden: state})
    found = {}
    for name in names:
        p = posterior(run.graph, run.best_theta, said, name)
        total = np.full((chances.shape[1], p.shape[1]), np.nan)
        for k in np.flatnonzero(chances.sum(axis=0)):
            total[k] = np.average(p[state == k], axis=0, weights=chances[at, state][state == k])
        found[name] = total
    return found


def _hidden(run: Run, variable: str) -> str:
    """The name of the hidden variable, checked."""
    hidden = hidden_variables(run)
    if variable in hidden or (not variable and len(hidden) == 1):
        return variable or hidden[0]
    found = f"{variable!r} is none" if variable else "there are several"
    raise ValueError(
        f"variable: {found} of the hidden variables, which are {', '.join(hidden) or 'none'}: "
        "expected one of them"
    )


def _intervals(errors: Errors | None, hidden: str, level: float) -> Mapping[str, Array]:
    """Intervals ``(2, M_S, M)`` of the variables whose only parent is the hidden variable."""
    if errors is None:
        return {}
    form = as_normal(errors.run.graph)
    found = {}
    for name, ends in errors.interval(level).items():
        for node in form.users[name]:
            parents, child = form.family(node)
            if parents == (hidden,):
                found[child] = ends
    return found


def _rows(
    run: Run, names: Sequence[str]
) -> tuple[int, dict[float, str], dict[str, dict[int, float]]]:
    """The number of rows, the label at each height, and by variable its categories' heights."""
    form = as_normal(run.graph)
    labels: dict[float, str] = {}
    at: dict[str, dict[int, float]] = {}
    here = 0.0

    def row(words: str) -> float:
        """Add a row; its height is that of the middle of its lines."""
        nonlocal here
        lines = textwrap.wrap(words, WRAP) or [""]
        place = here + (len(lines) - 1) / 2
        labels[place] = "\n".join(lines)
        here += len(lines)
        return place

    for name in names:
        states = form.states(name)
        if len(states) == 2:
            at[name] = {1: row(f"{plain(name)} = {plain(states[1])}")}
            continue
        row(plain(name))
        at[name] = {k: row(plain(state)) for k, state in enumerate(states)}
        here += 0.35
    return int(np.ceil(here)), labels, at


def _frame(ax: Axes, labels: Mapping[float, str], rows: int, theme: Theme) -> None:
    ax.set(xlim=(-0.03, 1.03), ylim=(rows - 0.3, -0.8), xlabel="probability given the state")
    ax.set_yticks(list(labels), list(labels.values()), fontsize=9)
    ax.tick_params(colors=theme.ink, length=0)
    ax.xaxis.label.set_color(theme.ink)
    for spine in ax.spines.values():
        spine.set_visible(False)
    for x in (0, 0.5, 1):
        ax.axvline(x, color=theme.muted, linewidth=0.6, alpha=0.5, zorder=0)
    entries = ax.get_legend_handles_labels()[1]
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=min(len(entries), 3, max(1, IN_LEGEND // (5 + max(map(len, entries))))),
        frameon=False,
        labelcolor=theme.ink,
        fontsize=9,
        handletextpad=0.2,
        columnspacing=1.2,
    )
