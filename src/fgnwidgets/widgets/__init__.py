"""Live views for notebooks: they draw values and report what is moved, and decide nothing."""

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
