"""Live views for notebooks: graphs that answer clicks, labs, and an editor of graphs.

The pages draw what they are sent and report what a reader does; Python decides everything.
"""

from .controls import Choice, Exponent, Integer, Many, Real, Toggle
from .document import Learning
from .export import Pair
from .figure_image import FigureImage
from .graph_editor import GraphEditor
from .graph_view import GraphView
from .lab import Lab
from .learning_view import LearningView

__all__ = [
    "Choice",
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
]
