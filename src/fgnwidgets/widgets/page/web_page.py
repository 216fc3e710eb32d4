"""One web page for what lives without Jupyter: a still picture first, and what takes its place.

Vocabulary
    still    the picture that the page shows until its script has run, and where it cannot
    data     elements that no browser shows, from which the page's script takes what it needs
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from .scripts import STATIC

MARK = re.compile(r"\{\{\w+\}\}")


def web_page(
    title: str,
    words: str,
    *,
    style: str,
    still: str,
    promise: str,
    data: Mapping[str, Any],
    elements: str,
    live: str = "",
) -> str:
    """The text of a page.

    ``words`` describe it, ``still`` is the picture as HTML, and ``promise`` says what it does with
    JavaScript. ``data`` become script elements with JSON, by their ids; ``elements`` is the rest:
    the script that starts it, and files. ``live`` is the style of the place where it is drawn.
    """
    parts = {
        "{{title}}": html.escape(title),
        "{{words}}": html.escape(words),
        "{{style}}": style,
        "{{still}}": still,
        "{{promise}}": promise,
        "{{live}}": live,
        "{{scripts}}": "\n".join([*scripts(data), elements]),
    }
    return filled("page.html", parts)


def filled(template: str, parts: Mapping[str, str]) -> str:
    """A page by its template, with the head of all pages and ``parts`` in place of their marks.

    In one go: what is put in may itself read like a mark, such as the name of a variable.
    """
    head = _read("head.html").rstrip().replace("{{title}}", parts["{{title}}"])
    every = {"{{head}}": head, **parts}
    return MARK.sub(lambda mark: every[mark[0]], _read(template))


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def scripts(data: Mapping[str, Any]) -> list[str]:
    """Script elements that hold values as JSON, by their ids."""
    return [
        f'<script type="application/json" id="{name}">{in_script(value)}</script>'
        for name, value in data.items()
    ]


def in_script(value: Any) -> str:
    """A value as JSON for a script element; without "<" it cannot end the element."""
    return json.dumps(value).replace("<", "\\u003c")


def pictured(png: str, words: str) -> str:
    """A PNG in base 64 with its words, or the words alone."""
    alt = html.escape(words)
    return (
        f'<img alt="{alt}" src="data:image/png;base64,{png}"><p>{alt}</p>'
        if png
        else f"<p>{alt}</p>"
    )
