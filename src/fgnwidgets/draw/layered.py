"""Layered places for an acyclic directed graph whose arrows form loops (section 2).

This is the method of Sugiyama: put variables in layers, parents above their children; order each
layer by the mean of the neighbours, so that few arrows cross; then choose the x of each.

Vocabulary
    layer   the variables to which the longest directed path has the same number of arrows
    bend    a point of an arrow in a layer that it passes; it takes room there as a variable does
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter

SWEEPS = 12
"""The number of sweeps over the layers, down and up by turns."""

BEND = 0.15
"""Half the width of a bend."""

APART = 0.3
"""The distance between neighbours in a layer."""


def layered(
    parents: Mapping[str, Sequence[str]], halves: Mapping[str, float]
) -> tuple[dict[str, tuple[float, int]], dict[tuple[str, str], list[tuple[float, int]]], float]:
    """Places ``(x, layer)`` of the variables and of the bends of each arrow, and the width of all.

    ``halves`` has half the width of each variable. ``parents`` need not have those without parents.
    """
    depth = dict.fromkeys(halves, 0)
    for name in TopologicalSorter(parents).static_order():
        depth[name] = 1 + max((depth[p] for p in parents.get(name, ())), default=-1)
    layers: list[list[str]] = []
    room = dict(halves)
    near: dict[str, tuple[list[str], list[str]]] = {}  # neighbours in the layer above, and below
    bends: dict[tuple[str, str], list[str]] = {}

    def put(name: str, layer: int) -> None:
        while len(layers) <= layer:
            layers.append([])
        layers[layer].append(name)
        near[name] = ([], [])

    for name in halves:
        put(name, depth[name])
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


def _ordered(layers: list[list[str]], near: Mapping[str, tuple[list[str], list[str]]]) -> None:
    """Sort each layer by the mean place of the neighbours above; upwards, of those below."""
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
    """The x of each, as near to the mean of its neighbours as order and widths of a layer allow."""
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
    """Set the x of a layer: each where it is ``wanted`` or further right, if there is no room.

    Then the layer is moved to the left by the mean of what its members were moved to the right.
    """
    end = -float("inf")
    for name in layer:
        x[name] = max(wanted[name], end + APART + room[name])
        end = x[name] + room[name]
    off = _mean([x[name] - wanted[name] for name in layer], 0.0)
    for name in layer:
        x[name] -= off


def _mean(values: Sequence[float], otherwise: float) -> float:
    """The mean of some numbers, or ``otherwise`` of none."""
    return sum(values) / len(values) if values else otherwise
