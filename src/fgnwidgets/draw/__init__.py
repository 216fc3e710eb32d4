"""Drawings of graphs, messages, matrices and learning, on matplotlib axes.

Every function is ``draw_x(data, ax=None, ...) -> Axes``. Without ``ax`` it makes a new figure, the
``.figure`` of the axes that it returns. No global state of matplotlib is read or changed.
"""

from .beliefs import draw_belief
from .curves import draw_coefficients, draw_curves, draw_restarts
from .graph import draw_bayes, draw_normal
from .layout import Layout, layout_bayes, layout_normal
from .matrices import MatrixTable, draw_matrix, draw_theta, matrix_table
from .profiles import draw_profile
from .reports import draw_comparison, draw_residuals
from .style import DARK, LIGHT, Mark, Theme

__all__ = [
    "DARK",
    "LIGHT",
    "Layout",
    "Mark",
    "MatrixTable",
    "Theme",
    "draw_bayes",
    "draw_belief",
    "draw_coefficients",
    "draw_comparison",
    "draw_curves",
    "draw_matrix",
    "draw_normal",
    "draw_profile",
    "draw_residuals",
    "draw_restarts",
    "draw_theta",
    "layout_bayes",
    "layout_normal",
    "matrix_table",
]
