"""Sphinx's settings; the pages beside it are written anew for each build."""

import json
from pathlib import Path
from typing import Any

import fgnwidgets
from fgn_notebooks.authors.site import docstrings, formulas, heads

HERE = Path(__file__).parent

project = "fgnwidgets"
author = "fgnwidgets authors"
copyright = "fgnwidgets authors, MIT licence"
release = version = fgnwidgets.__version__
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["extra"]
nb_execution_mode = "off"  # chapters are shown as they are stored
nb_render_markdown_format = "myst"
nb_merge_streams = True
myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # an answer that is folded away may hold a heading's only text

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
default_role = "literal"
napoleon_google_docstring = False
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = "fgnwidgets"
html_math_renderer = "fgn_mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_extra_path = ["extra"]
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_permalinks_icon = "#"
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 8,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars: dict[str, list[str]] = {
    "index": [],
    "living_graph": [],
    "ledger": [],
    "figures": [],
    "teacher/slides_*": [],
}


def setup(app: Any) -> None:
    """Set up in Sphinx what it lacks: MathML, our docstrings, a description on every page."""
    formulas.setup(app)
    docstrings.setup(app, set(json.loads((HERE / "items.json").read_text(encoding="utf-8"))))
    heads.setup(app)
