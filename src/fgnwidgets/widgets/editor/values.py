"""The values of a graph editor, which Python can read and set: they are parts of its document.

To set one is an edit like any other: it makes a new document, and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from fgnwidgets.bayes.graph import BayesGraph
from fgnwidgets.data import Table
from fgnwidgets.graphs.normal_graph import NormalGraph
from fgnwidgets.learning.run import Run
from fgnwidgets.loops.junction_tree import MergedGraph

from . import edits
from .document import Document, Learning
from .edit_matrices import with_theta


class EditorValues:
    """The values as properties; :class:`GraphEditor` describes them."""

    document: Document
    _change: Callable[[Document], None]

    @property
    def graph(self) -> BayesGraph | None:
        return self.document.graph

    @graph.setter
    def graph(self, graph: BayesGraph | MergedGraph | None) -> None:
        self._change(edits.with_graph(self.document, graph))

    @property
    def model(self) -> BayesGraph | NormalGraph | None:
        """The graph that learns and answers: the one drawn, or its cluster tree after a merge."""
        return self.document.model

    @property
    def theta(self) -> dict[str, Any]:
        return self.document.theta

    @theta.setter
    def theta(self, theta: Mapping[str, ArrayLike]) -> None:
        self._change(with_theta(self.document, theta))

    @property
    def hidden(self) -> tuple[str, ...]:
        return tuple(v for v in self.document.variables if v in self.document.hidden)

    @hidden.setter
    def hidden(self, hidden: Sequence[str]) -> None:
        doc = self.document
        for name in dict.fromkeys([*doc.variables, *hidden]):
            doc = edits.hide(doc, name, name in hidden)
        self._change(doc)

    @property
    def table(self) -> Table | None:
        return None if self.document.data is None else self.document.data.given

    @table.setter
    def table(self, table: Table | None) -> None:
        self._change(edits.with_table(self.document, table))

    @property
    def weight(self) -> str | None:
        return None if self.document.data is None else self.document.data.weight

    @weight.setter
    def weight(self, column: str | None) -> None:
        if column is not None or self.document.data is not None:
            self._change(edits.weighed(self.document, column))

    @property
    def run(self) -> Run | None:
        return self.document.run

    @run.setter
    def run(self, run: Run | None) -> None:
        self._change(edits.with_run(self.document, run))

    @property
    def evidence(self) -> dict[str, Any]:
        return dict(self.document.evidence)

    @evidence.setter
    def evidence(self, evidence: Mapping[str, Any]) -> None:
        self._change(edits.with_evidence(self.document, evidence))

    @property
    def merge(self) -> bool:
        return self.document.merge

    @merge.setter
    def merge(self, merge: bool) -> None:
        self._change(edits.merged(self.document, merge))

    @property
    def learning(self) -> Learning:
        return self.document.learning

    @learning.setter
    def learning(self, learning: Learning) -> None:
        self._change(edits.with_learning(self.document, learning))
