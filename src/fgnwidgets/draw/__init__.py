"""Drawings of graphs, messages, matrices and learning, on matplotlib axes.

Every function is ``draw_x(data, ax=None, ...) -> Axes``. Without ``ax`` it makes a new figure, the
``.figure`` of the axes that it returns. No global state of matplotlib is read or changed.

For pictures of one's own there are the parts that these are made of: a frame (``plot_frame``), a
pen for diagrams (``pen``), the sizes of their parts, how long a text is, how a name is set.
"""

from .beliefs import draw_belief
from .curves import draw_coefficients, draw_curves, draw_restarts
from .graph import draw_bayes, draw_normal, layout_flows
from .layout import Layout, layout_bayes, layout_normal
from .matrices import MatrixTable, draw_matrix, draw_theta, matrix_table
from .measures import BLOCK, DIVERTER, GAP, TERMINAL
from .names import length, name_parts
from .parts import BORDER, STEP, Pen, pen
from .profiles import draw_profile
from .questions import draw_informative, draw_sensitivity
from .reports import draw_comparison, draw_residuals
from .style import DARK, LIGHT, Mark, Theme, figure_of, ink_on, plot_frame

__all__ = [
    "BLOCK",
    "BORDER",
    "DARK",
    "DIVERTER",
    "GAP",
    "LIGHT",
    "STEP",
    "TERMINAL",
    "Layout",
    "Mark",
    "MatrixTable",
    "Pen",
    "Theme",
    "draw_bayes",
    "draw_belief",
    "draw_coefficients",
    "draw_comparison",
    "draw_curves",
    "draw_informative",
    "draw_matrix",
    "draw_normal",
    "draw_profile",
    "draw_residuals",
    "draw_restarts",
    "draw_sensitivity",
    "draw_theta",
    "figure_of",
    "ink_on",
    "layout_bayes",
    "layout_flows",
    "layout_normal",
    "length",
    "matrix_table",
    "name_parts",
    "pen",
    "plot_frame",
]
