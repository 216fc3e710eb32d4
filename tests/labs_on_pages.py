"""What tests of labs wait for: the controls and the words that a lab of this process has, too."""

from typing import Any

from lab_pages import settled

from fgnwidgets.widgets.lab.lab import IN_SIGHT, VIEW, Lab
from fgnwidgets.widgets.lab.rows import spoken

NAMED = """(lab) => [...lab.querySelectorAll(".fgn-control")].filter((row) => row.offsetParent)
    .map((row) => row.ariaLabel ?? row.querySelector("[role=slider], input, select")?.ariaLabel)"""
"""The names of the controls that can be seen; null is one without."""

WORDS = """(words) => {
    const plain = (text) => text.replace(/\\s+/g, " ").trim();
    const picture = document.querySelector(".fgn-lab img");
    return picture && plain(picture.alt).includes(plain(words));
}"""


def useful(lab: Lab) -> list[str]:
    """The names of the controls that do something to what a lab shows now, in order."""
    on = [control for name, control in lab.controls.items() if not _greyed(lab.row(name).view)]
    return [spoken(control.symbol, control.help) for control in on]


def _greyed(widget: Any) -> bool:
    return getattr(widget, "disabled", False) or any(map(_greyed, getattr(widget, "children", ())))


def seen(page: Any) -> list[str | None]:
    """The names of the controls that can be seen of the last lab on a page."""
    names: list[str | None] = page.locator(".fgn-lab").last.evaluate(NAMED)
    return names


def show_all_controls(page: Any, lab: Lab) -> None:
    """Show all controls of the last lab on a page, and wait until each is there with its name."""
    if len(useful(lab)) > IN_SIGHT + (VIEW in lab.controls):
        page.get_by_role("button", name="more controls").last.click()
    settled(page, lambda: sorted(map(str, seen(page))) == sorted(useful(lab)))


def wait_for_words(page: Any, words: str) -> None:
    """Until the words of the picture hold these; blanks may differ."""
    page.wait_for_function(WORDS, arg=words)
