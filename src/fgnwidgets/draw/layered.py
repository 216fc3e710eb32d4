"""Places in layers for a directed graph with loops: parents above, few crossings (section 2).

Vocabulary
    layer   variables whose longest way from a root has the same number of arrows
    bend    a point of an arrow that passes a layer: it takes a place there, as a variable does
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SWEEPS = 12
"""How often the order of the layers is gone through, down and up."""

BEND = 0.15
"""Half the room of a bend."""

APART = 0.3
"""Between two things of a layer."""


def layered(
    parents: Mapping[str, Sequence[str]], halves: Mapping[str, float]
) -> tuple[dict[str, tuple[float, int]], dict[tuple[str, str], list[tuple[float, int]]], float]:
    """Where each variable is, ``(x, layer)``; the bends of each arrow; and the width of it all."""
    depth: dict[str, int] = {}

    def layer_of(name: str) -> int:
        way = [name]
        while way:  # a long chain would exceed the recursion limit
            missing = [p for p in parents.get(way[-1], ()) if p not in depth]
            if missing:
                way.append(missing[0])
                continue
            here = way.pop()
            depth[here] = 1 + max((depth[p] for p in parents.get(here, ())), default=-1)
        return depth[name]

    layers: list[list[str]] = []
    room = dict(halves)
    near: dict[str, tuple[list[str], list[str]]] = {}  # what is joined above, and below
    bends: dict[tuple[str, str], list[str]] = {}

    def put(name: str, layer: int) -> None:
        while len(layers) <= layer:
            layers.append([])
        layers[layer].append(name)
        near[name] = ([], [])

    for name in halves:
        put(name, layer_of(name))
    for child, own in parents.items():
        for parent in own:
            chain = [parent]
            for layer in range(depth[parent] + 1, depth[child]):
                bend = f"{parent}->{child}@{layer}"
                room[bend] = BEND
                put(bend, layer)
                chain.append(bend)
            bends[parent, child] = chain[1:]
            for above, below in zip(chain, [*chain[1:], child], strict=True):
                near[above][1].append(below)
                near[below][0].append(above)
    _ordered(layers, near)
    x = _placed(layers, near, room)
    left = min(x[name] - room[name] for name in x)
    width = max(x[name] + room[name] for name in x) - left
    level = {name: k for k, layer in enumerate(layers) for name in layer}
    at = {name: (x[name] - left, level[name]) for name in x}
    return {v: at[v] for v in halves}, {e: [at[b] for b in own] for e, own in bends.items()}, width


def _ordered(
    layers: list[list[str]], near: Mapping[str, tuple[list[str], list[str]]]
) -> None:
    """Each layer in the order of the means of its neighbours, from above and then from below."""
    for sweep in range(SWEEPS):
        side = sweep % 2
        for layer in layers if side == 0 else reversed(layers):
            place = {n: k / max(1, len(row) - 1) for row in layers for k, n in enumerate(row)}
            layer.sort(key=lambda n: _mean([place[m] for m in near[n][side]], place[n]))


def _placed(
    layers: list[list[str]],
    near: Mapping[str, tuple[list[str], list[str]]],
    room: Mapping[str, float],
) -> dict[str, float]:
    """Near the mean of the neighbours, in this order, with room between."""
    x: dict[str, float] = {}
    for layer in layers:
        _spread(layer, dict.fromkeys(layer, 0.0), room, x)
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = {n: _mean([x[m] for side in near[n] for m in side], x[n]) for n in layer}
            _spread(layer, wanted, room, x)
    return x


def _spread(
    layer: Sequence[str],
    wanted: Mapping[str, float],
    room: Mapping[str, float],
    x: dict[str, float],
) -> None:
    """Each where it is wanted or further right; then all moved back by what that is on the mean."""
    end = -float("inf")
    for name in layer:
        x[name] = max(wanted[name], end + APART + room[name])
        end = x[name] + room[name]
    off = _mean([x[name] - wanted[name] for name in layer], 0.0)
    for name in layer:
        x[name] -= off


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
