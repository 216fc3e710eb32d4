"""A drawing: the parts of a graph with their places, before any message is written on them.

It is the same for all evidence on the same variables, and is kept: a click only fills in numbers
(:mod:`.scene`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fgnwidgets.graphs.normal_graph import NormalGraph

from .cards import CardPart, hues


@dataclass(frozen=True)
class GraphDrawing:
    """Parts without numbers, width and height, and the place that is free whatever is observed.

    ``text`` has the parts as JSON, so that every scene gets its own, which may be changed.
    """

    name: str
    text: str
    width: float
    height: float
    spare: tuple[float, ...] | None

    @classmethod
    def of(
        cls,
        name: str,
        lines: Sequence[CardPart],
        nodes: Sequence[CardPart],
        cards: Mapping[str, CardPart],
        *places: Any,
    ) -> GraphDrawing:
        """A drawing of these parts: ``cards`` by the branch of which each shows the belief."""
        return cls(name, json.dumps({"lines": lines, "nodes": nodes, "cards": cards}), *places)

    def parts(self) -> dict[str, Any]:
        """The parts as ``lines`` (branches with empty charts, or arrows), ``nodes`` and ``cards``.

        Blocks have the names of their matrices' cells. Cards are by branch.
        """
        parts: dict[str, Any] = json.loads(self.text)
        return parts


def colours(graph: NormalGraph) -> Mapping[str, int]:
    """The hue of each variable that is no product space, the same in both forms of a graph."""
    return hues([name for name in graph.variables if name not in graph.products])
