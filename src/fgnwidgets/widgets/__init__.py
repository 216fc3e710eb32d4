"""Live views for notebooks: they draw values and report what is moved, and decide nothing."""

from .controls import Choice, Exponent, Integer, Many, Real, Toggle
from .export import Pair
from .figure_image import FigureImage
from .graph_view import GraphView
from .lab import Lab
from .learning_view import LearningView

__all__ = [
    "Choice",
    "Exponent",
    "FigureImage",
    "GraphView",
    "Integer",
    "Lab",
    "LearningView",
    "Many",
    "Pair",
    "Real",
    "Toggle",
]
