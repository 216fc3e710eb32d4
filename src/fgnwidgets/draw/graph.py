"""Draw Bayesian graphs, and normal graphs as in the paper's figures 1 to 8.

Blocks are squares, grey if their matrix is fixed; a diverter is a bar with ``=``; an arrow head
shows a branch's direction; an open end is a small circle. With messages, every branch shows them:
forward and backward at its left, and the belief of each variable at the right of one branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from ..algebra.arrays import Array
from ..arguments import read_kind
from ..bayes.graph import BayesGraph
from ..graphs.nodes import Node
from ..graphs.normal_graph import NormalGraph, as_normal
from ..inference.messages import Messages
from .beliefs import one_sample, read_sample
from .layout import Layout, layout_bayes, layout_normal
from .matrices import read_matrices
from .measures import BLOCK, EM, GAP, MESSAGE, TERMINAL, Point, node_label, variable_half
from .names import length, maths
from .parts import Pen, pen
from .style import LIGHT, Theme

LIT = 7.0
"""Width of the pale line under the arrows of a loop, in line widths."""


def draw_bayes(
    bayes: BayesGraph,
    ax: Axes | None = None,
    *,
    messages: Messages | None = None,
    prior: Messages | None = None,
    sample: int = 0,
    theme: Theme = LIGHT,
) -> Axes:
    """A Bayesian graph, with an arrow from every parent to its child.

    With ``messages`` each variable is a card that shows its belief for one ``sample``; the head of
    the card is filled if the variable is observed. Beliefs of ``prior`` are pale bars behind these.
    The arrows of a loop are underlaid, since propagation needs a graph without loops.
    """
    read_kind(bayes, "bayes", BayesGraph, "a BayesGraph; draw_normal draws the others")
    _check(messages, prior, sample)
    rows = 0 if messages is None else max(b.size for b in bayes.variables.values())
    layout = layout_bayes(bayes, bars=messages is not None)
    tool = pen(ax, layout.width, layout.height, theme)
    around = set(bayes.loop)
    ends = ((parent, child) for child, parents in bayes.parents.items() for parent in parents)
    lit = [f"{p}->{c}" for p, c in ends if p in around and c in around and p not in bayes.given]
    if lit:
        tool.lines([layout.paths[name] for name in lit], LIT, theme.ghost)
    for path in layout.paths.values():
        tool.arrow(path)
    for name, (x, y) in layout.positions.items():
        half = variable_half(bayes.variables[name], rows)
        if messages is None:
            tool.variable((x, y), half)
            tool.text((x, y), maths(name), 1.15 * EM)
            continue
        observed = _observed(messages, name, sample)
        tool.card((x, y), half, observed=observed)
        ink = theme.ink_on_observed if observed else theme.ink
        tool.text((x, y - half[1] + EM), maths(name), 1.15 * EM, color=ink)
        _belief(
            tool, (x - half[0] + GAP, y - half[1] + 2 * EM + GAP), name, messages, prior, sample
        )
    return tool.ax


def draw_normal(
    graph: NormalGraph | BayesGraph,
    ax: Axes | None = None,
    *,
    messages: Messages | None = None,
    prior: Messages | None = None,
    theta: Mapping[str, Array] | None = None,
    flows: bool = False,
    sample: int = 0,
    theme: Theme = LIGHT,
) -> Axes:
    """The factor graph in normal form.

    With ``messages`` their own graph is drawn, which may have T-junctions for evidence, and every
    branch shows its messages for one ``sample``. Beliefs of ``prior`` are pale bars behind these.
    With ``theta`` the blocks show their matrices. With ``flows``, and without messages, every
    branch has the names of its two messages beside it, as in figure 1.
    """
    _check(messages, prior, sample)
    form = as_normal(graph) if messages is None else messages.graph
    if flows and messages is None:
        layout = layout_flows(form)
    else:
        layout = layout_normal(form, bars=messages is not None)
    tool = pen(ax, layout.width, layout.height, theme)
    theta = None if theta is None else read_matrices(theta)
    _branches(tool, form, layout)
    for node in form.nodes:
        _node(tool, node, layout, theta)
    if messages is not None:
        _messages(tool, layout, messages, prior, sample)
    elif flows:
        for name, (x, y, _) in layout.labels.items():
            tool.flows((x - GAP, y + 0.15), name)
    return tool.ax


def _check(messages: Messages | None, prior: Messages | None, sample: int) -> None:
    for name, given in (("messages", messages), ("prior", prior)):
        if given is not None:
            read_kind(given, name, Messages, "Messages, as propagate gives them")
    read_sample(sample)


def layout_flows(graph: NormalGraph) -> Layout:
    """The layout of ``draw_normal(graph, flows=True)``, which has room for names of messages."""
    room = {name: 0.4 + 0.7 * EM * length(name) for name in graph.branches}
    return layout_normal(graph, bars=True, room=room)


def _branches(tool: Pen, form: NormalGraph, layout: Layout) -> None:
    """The lines of the branches with their arrow heads, names and open ends."""
    tool.lines(layout.paths.values())
    tool.heads(_lower_end(path) for path in layout.paths.values())
    for name, (x, y, align) in layout.labels.items():
        tool.text((x, y), maths(name), align=align)
        path = layout.paths[name]
        if name not in form.tails:
            tool.terminal((path[0][0], path[0][1] - TERMINAL))
        if name not in form.heads:
            tool.terminal((path[-1][0], path[-1][1] + TERMINAL))


def _lower_end(path: tuple[Point, ...]) -> Point:
    """The end of a branch's vertical part: its head, or its corner at a diverter's bar."""
    return path[1] if path[0][0] == path[1][0] else path[-1]


def _node(tool: Pen, node: Node, layout: Layout, theta: Mapping[str, Array] | None) -> None:
    at = layout.positions[node.name]
    if node.copies:
        ends = [p for b in (*node.inputs, *node.outputs) for p in layout.paths[b.name]]
        across = [at[0], *(x for x, y in ends if y == at[1])]
        tool.diverter(at, min(across), max(across))
        return
    shaded = not node.learn
    tool.block(at, shaded=shaded)
    if theta is not None and node.theta:
        tool.matrix(at, _matrix(theta, node), shaded=shaded)
    label = node_label(node)
    if label:
        tool.text((at[0] + BLOCK + GAP, at[1]), maths(label), align="left")


def _matrix(theta: Mapping[str, Array], node: Node) -> Array:
    if node.theta not in theta:
        raise ValueError(f"theta has no matrix {node.theta!r}: it has {', '.join(theta)}")
    matrix = np.asarray(theta[node.theta], dtype=float).reshape(node.shape)
    return matrix


def _messages(
    tool: Pen, layout: Layout, messages: Messages, prior: Messages | None, sample: int
) -> None:
    """The messages f and b at the left of every branch, and the belief of every variable."""
    form, theme = messages.graph, tool.theme
    for name, (x, y, _) in layout.labels.items():
        line, top = x - GAP, y + 0.17
        shown = messages[name]
        left = line - 2 * MESSAGE - 2 * GAP
        for start, values, mark, way in (
            (left, shown.f, theme.forward, 1),
            (left + MESSAGE + GAP, shown.b, theme.backward, -1),
        ):
            tool.rows((start, top), MESSAGE, one_sample(values, sample), mark)
            tip = y + 0.06 * way + 0.02
            tool.heads([(start + MESSAGE / 2, tip)], mark.color, way=way)
        if name == form.variables[form.variable_of[name]][0]:
            _belief(tool, (x, top), name, messages, prior, sample)
        path = layout.paths[name]
        if _certain(messages, name, sample):
            end = (path[-1][0], path[-1][1] + TERMINAL)
            if name not in form.tails:
                end = (path[0][0], path[0][1] - TERMINAL)
            tool.terminal(end, observed=True)


def _belief(
    tool: Pen,
    corner: Point,
    name: str,
    messages: Messages,
    prior: Messages | None,
    sample: int,
) -> None:
    """The rows of a belief below a corner, the prior behind them."""
    belief = messages[name]
    values = one_sample(belief.p, sample)
    variable = messages.graph.variable_of[messages.graph.branch(name).name]
    ghost = None if prior is None else one_sample(prior[variable].p, 0)
    states: Sequence[object] = belief.states
    if not states and variable not in messages.graph.products:
        states = range(len(values))
    tool.rows(corner, MESSAGE, values, tool.theme.belief, ghost=ghost, states=states)


def _observed(messages: Messages, variable: str, sample: int) -> bool:
    return any(_certain(messages, b, sample) for b in messages.graph.variables[variable])


def _certain(messages: Messages, branch: str, sample: int) -> bool:
    """True if this is an open branch whose evidence leaves a single value possible."""
    form = messages.graph
    if branch not in form.open_branches:
        return False
    shown = messages[branch]
    evidence = one_sample(shown.b if branch in form.tails else shown.f, sample)
    return len(evidence) > 1 and np.count_nonzero(evidence) == 1
