"""Live views for notebooks: graphs that answer clicks, labs, and an editor of graphs.

The pages draw what they are sent and report what a reader does; Python decides everything.
"""

from .editor.document import Learning
from .editor.graph_editor import GraphEditor
from .graph.graph_view import GraphView
from .lab.controls import Choice, Control, Exponent, Integer, Many, Real, Toggle
from .lab.export import Pair
from .lab.figure_image import FigureImage
from .lab.lab import Lab
from .learning.learning_view import LearningView
from .page.standalone import PUBLIC as PYODIDE
from .page.standalone import PYTHON as PYTHON_ZIP
from .page.standalone import python_files

__all__ = [
    "PYODIDE",
    "PYTHON_ZIP",
    "Choice",
    "Control",
    "Exponent",
    "FigureImage",
    "GraphEditor",
    "GraphView",
    "Integer",
    "Lab",
    "Learning",
    "LearningView",
    "Many",
    "Pair",
    "Real",
    "Toggle",
    "python_files",
]
