"""A Sphinx extension: a description for search engines in the head of every page."""

from __future__ import annotations

from html import escape
from typing import Any

MOST = 200
"""Letters; search engines and screen readers cut what is longer."""

OTHERS = {"genindex": "Every name of the library and the course.", "search": "Search this site."}


def description(doctree: Any) -> str:
    """The first paragraph of a page that is long enough, shortened if it is too long."""
    from docutils.nodes import paragraph

    for node in doctree.findall(paragraph):
        text = " ".join(node.astext().split())
        if len(text) > 20:
            return text if len(text) <= MOST else text[: MOST - 1].rpartition(" ")[0] + "…"
    return ""


def setup(app: Any) -> None:
    """Set up the extension."""

    def on_page(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
        title = context.get("title", "")
        text = description(doctree) if doctree is not None else OTHERS.get(name, "")
        text = text or f"{title}: a page of the course on hidden variables in normal graphs."
        context["metatags"] = (
            f'{context.get("metatags", "")}\n<meta name="description" content="{escape(text)}">\n'
        )

    app.connect("html-page-context", on_page)
