"""A merged graph as a junction tree: clusters of variables, separators between them (chapter 17).

Vocabulary
    cluster     variables that are looked at together: a product space that is part of no other, or
                a child with its parents where a block leads from one part of the tree to another
    separator   what two neighbouring clusters have in common; it divides the tree
    holds       the matrices whose families lie in a cluster
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import fill

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from fgnwidgets import BayesGraph
from fgnwidgets.draw import LIGHT

from .sheets import SMALL, axes, sheet

Members = tuple[str, ...]

WIDE, HIGH, STEP = 1.95, 0.78, 1.45
"""Width and height of a cluster and the distance of two levels, in inches."""


@dataclass(frozen=True)
class JunctionTree:
    """Clusters with what each holds, and ``(cluster, separator, cluster)`` for each edge."""

    holds: Mapping[Members, tuple[str, ...]]
    edges: tuple[tuple[Members, Members, Members], ...]


def junction_tree(graph: BayesGraph) -> JunctionTree:
    """The junction tree of ``graph.merged()``.

    In the merged graph a product space and its parts are neighbours, and so are both ends of a
    block. Here parts that divide two clusters are separators, and all others are left out.
    """
    merged, order = graph.merged(), {name: k for k, name in enumerate(graph.variables)}

    def members(branch_name: str) -> Members:
        name = merged.variable_of[branch_name]
        return tuple(sorted(merged.products.get(name, (name,)), key=order.__getitem__))

    families = {n.name: tuple(dict.fromkeys((*merged.family(n)[0], merged.family(n)[1])))
                for n in merged.nodes if n.theta}  # fmt: skip
    near: dict[Members, set[Members]] = {members(name): set() for name in merged.branches}
    for node in merged.nodes:
        if node.inputs and node.outputs and not node.copies:
            ends = [members(branch.name) for branch in (*node.inputs, *node.outputs)]
            whole = max(ends, key=len)
            if node.name in families:
                whole = tuple(sorted(families[node.name], key=order.__getitem__))
            for end in ends:
                if end != whole:
                    near.setdefault(whole, set()).add(end)
                    near[end].add(whole)
    clusters = [v for v in near if not any(set(v) < set(other) for other in near[v])]
    edges = tuple(_edges(near, clusters))
    holds: dict[Members, list[str]] = {cluster: [] for cluster in clusters}
    for name, family in families.items():
        home = next(c for c in sorted(clusters, key=len) if set(family) <= set(c))
        holds[home].append(name)
    return JunctionTree({c: tuple(names) for c, names in holds.items()}, edges)


def _edges(
    near: Mapping[Members, set[Members]], clusters: list[Members]
) -> Iterator[tuple[Members, Members, Members]]:
    """Two clusters and what divides them, walking from cluster to cluster over smaller sets."""
    seen, waiting = {clusters[0]}, [clusters[0]]
    while waiting:
        one = waiting.pop(0)
        paths: list[tuple[Members, ...]] = [(one,)]
        while paths:
            path = paths.pop()
            for other in sorted(near[path[-1]] - set(path) - seen):
                if other in clusters:
                    seen.add(other)
                    waiting.append(other)
                    yield one, tuple(v for v in one if v in other), other
                else:
                    paths.append((*path, other))


def draw_junction_tree(tree: JunctionTree, fig: Figure | None = None) -> Figure:
    """Clusters as rounded boxes with the matrices that they hold, separators as small squares."""
    children: dict[Members, list[Members]] = {c: [] for c in tree.holds}
    for one, _, other in tree.edges:
        children[one].append(other)
        children[other].append(one)
    root = max(children, key=lambda c: (len(children[c]), len(c)))
    at: dict[Members, tuple[float, float]] = {}

    def place(cluster: Members, above: Members | None, left: float, level: int) -> float:
        """Place a cluster over its children, the first of them at ``left``; the right end."""
        right = left
        below = [c for c in children[cluster] if c != above]
        for child in below:
            right = place(child, cluster, right, level + 1)
        right = max(right, left + WIDE + 0.25)
        middle = sum(at[c][0] for c in below) / len(below) if below else left + (WIDE + 0.25) / 2
        at[cluster] = middle, -level * STEP
        return right

    width = place(root, None, 0.0, 0)
    depth = -min(y for _, y in at.values())
    fig = sheet(fig, width + 0.2, depth + HIGH + 0.5)
    ax = axes(fig, (0, 0, width + 0.2, depth + HIGH + 0.5))
    ax.set(xlim=(-0.1, width + 0.1), ylim=(-depth - HIGH / 2 - 0.2, HIGH / 2 + 0.3))
    ax.axis("off")
    for one, between, other in tree.edges:
        (x, y), (u, v) = at[one], at[other]
        ax.plot([x, u], [y, v], color=LIGHT.ink, linewidth=1.2, zorder=1)
        ax.text((x + u) / 2, (y + v) / 2, ", ".join(between), fontsize=SMALL + 0.5, ha="center",
                va="center", color=LIGHT.ink, zorder=2,
                bbox={"boxstyle": "square,pad=0.35", "fc": LIGHT.frame, "ec": LIGHT.ink,
                      "lw": 0.9})  # fmt: skip
    for cluster, names in tree.holds.items():
        x, y = at[cluster]
        box = FancyBboxPatch((x - WIDE / 2, y - HIGH / 2), WIDE, HIGH,
                             boxstyle="round,pad=0,rounding_size=0.22", fc=LIGHT.ground,
                             ec=LIGHT.forward.color, linewidth=1.6, zorder=3)  # fmt: skip
        ax.add_patch(box)
        ax.text(x, y + (0.2 if names else 0), ", ".join(cluster), fontsize=10, fontweight="bold",
                ha="center", va="center", color=LIGHT.ink, zorder=4)  # fmt: skip
        matrices = "  ".join(f"P({name})" for name in names)
        ax.text(x, y - 0.13, fill(matrices, 28), fontsize=SMALL, ha="center", va="center",
                color=LIGHT.ink, zorder=4)  # fmt: skip
    return fig


def words(tree: JunctionTree) -> str:
    """The tree in lines: two clusters and their separator."""
    return "\n".join(f"{', '.join(a)}  --[{', '.join(s)}]--  {', '.join(b)}"
                     for a, s, b in tree.edges)  # fmt: skip
