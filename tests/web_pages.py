"""What tests ask of written pages: their tags, their links, what they load."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fgn_notebooks.authors import site

RULES = """async (part) => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const options = { runOnly: tags, rules: { "target-size": { enabled: true } },
        resultTypes: ["violations"], selectors: false, elementRef: false };
    const found = await axe.run(part, options);
    return found.violations
        .filter(({ impact }) => ["serious", "critical"].includes(impact))
        .map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200)]);
}"""
"""What axe-core finds that is serious, on a part of a page."""


class Page(HTMLParser):
    """A page: the ids in it, and its tags with their attributes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    @property
    def ids(self) -> set[str]:
        return {attrs["id"] for _, attrs in self.tags if "id" in attrs}

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.tags if name == tag]


def loaded(page: Page) -> list[str]:
    """The addresses that a browser asks for by itself, outside the site."""
    asks = [a.get("src", "") for t, a in page.tags if t in ("script", "img", "iframe", "source")]
    asks += [a.get("href", "") for a in page.all("link") if a.get("rel") != "canonical"]
    return [address for address in asks if urlsplit(address).scheme in ("http", "https")]


def dead_links(root: Path, pages: dict[Path, Page]) -> list[str]:
    """Links and pictures of the pages that lead to no file, or to no place on a page."""
    dead = []
    ids = {path: page.ids for path, page in pages.items()}
    for page in pages.values():
        targets = [a.get("href", "") for a in page.all("a")]
        targets += [a.get("src", "") for t, a in page.tags if t in ("img", "iframe", "script")]
        for target in targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            place = page.path
            if parts.path:
                place = (page.path.parent / unquote(parts.path)).resolve()
            here = place.exists() and place.is_relative_to(root.resolve())
            if not here or (parts.fragment and unquote(parts.fragment) not in ids.get(place, ())):
                dead.append(f"{page.path.name} -> {target}")
    return dead


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a web server for a folder, on this machine only."""
    server = site.server(folder, 0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.address
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
