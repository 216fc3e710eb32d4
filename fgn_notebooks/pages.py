"""Chapters as web pages that need no network: stored outputs, and formulas as MathML."""

import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fgn_notebooks.chapters import Chapter, CourseError

# Jupyter's page without the scripts that it loads from the network, and with words for pictures.
PAGE = """{%- extends 'index.html.j2' -%}
{%- block html_head_js_requirejs -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block data_png scoped -%}
{%- set words = output.data.get('text/plain', '<') -%}
{%- if words.startswith('<') -%}
{%- set words = 'Figure; the text beside it says what it shows' -%}
{%- endif -%}
<div class="jp-RenderedImage jp-OutputArea-output">
{%- set width = output | get_metadata('width', 'image/png') %}
<img src="data:image/png;base64,{{ output.data['image/png'] }}" alt="{{ words | e }}"
{%- if width is not none %} width="{{ width }}"{% endif %}>
</div>
{%- endblock -%}
"""


def write(chosen: Iterable[Chapter], dest: Path) -> list[Path]:
    """Write one page for each chapter into ``dest``, as it is stored; nothing is run.

    Links between chapters lead from page to page.
    """
    try:
        import nbformat
        from nbconvert import HTMLExporter
    except ImportError as error:
        raise CourseError(f"fgn html needs Jupyter ({error}): pip install jupyterlab") from error
    exporter = HTMLExporter(raw_template=PAGE)  # type: ignore[no-untyped-call]
    exporter.register_filter("markdown2html", _markdown())  # type: ignore[no-untyped-call]
    dest.mkdir(parents=True, exist_ok=True)
    pages = []
    for chapter in chosen:
        notebook = nbformat.read(chapter.path, as_version=4)  # type: ignore[no-untyped-call]
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _to_pages(cell.source)
            for output in cell.get("outputs", ()):
                if "text/markdown" in (data := output.get("data", {})):
                    data["text/markdown"] = _to_pages(data["text/markdown"])
        resources = {"metadata": {"name": chapter.title}}
        page, _ = exporter.from_notebook_node(notebook, resources=resources)
        pages.append(dest / f"{chapter.path.stem}.html")
        pages[-1].write_text(page, encoding="utf-8")
    return pages


def _to_pages(text: str) -> str:
    return re.sub(r"(\]\((?:\d\d|[A-Z])_\w+)\.ipynb", r"\1.html", text)


def mathml(tex: str, display: str) -> str:
    """A formula as MathML, which browsers draw by themselves; what it cannot say stays TeX."""
    from latex2mathml.converter import convert

    # Without braces latex2mathml names a style that no browser knows, and bold is lost.
    tex = re.sub(r"\\(mathbf|mathcal) (\w)", r"\\\1{\2}", tex)
    # latex2mathml lays out `align`, and reads `aligned` as letters.
    tex = re.sub(r"\\(begin|end)\{(aligned|split|equation\*?)\}", _environment, tex)
    try:
        return str(convert(tex, display=display))
    except Exception:  # its errors have no common base; a page with one raw formula is still a page
        return f"<code>{html.escape(tex)}</code>"


def _environment(match: re.Match[str]) -> str:
    return "" if "equation" in match[2] else f"\\{match[1]}{{align*}}"


def _markdown() -> Any:
    try:
        import latex2mathml  # noqa: F401
    except ImportError as error:
        raise CourseError(
            "fgn html needs latex2mathml for formulas: pip install latex2mathml"
        ) from error
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):
        """Jupyter's Markdown with formulas drawn by us."""

        def inline_math(self, body: str) -> str:
            return mathml(body, "inline")

        def block_math(self, body: str) -> str:
            return mathml(body, "block")

        def latex_environment(self, name: str, body: str) -> str:
            return mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")

    return lambda text: MarkdownWithMath(renderer=Renderer(escape=False)).render(text)
