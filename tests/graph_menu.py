"""The menu of a living graph, as a person uses it."""

from typing import Any


def more(page: Any) -> Any:
    """The menu behind "more", open."""
    menu = page.get_by_role("dialog", name="more", exact=True)
    if not menu.count():
        page.get_by_role("button", name="more", exact=True).first.click()
    menu.wait_for()
    return menu


def choose(page: Any, name: str, option: str) -> None:
    """An option of one of its lists; the menu closes."""
    more(page).get_by_label(name, exact=True).select_option(option)
    page.keyboard.press("Escape")


def press(page: Any, name: str) -> None:
    """One of its buttons; the menu closes, if the button has not closed it."""
    menu = more(page)
    menu.get_by_role("button", name=name).click()
    if menu.count():
        page.keyboard.press("Escape")


def tick(page: Any, name: str, on: bool = True) -> None:
    """One of its boxes; the menu closes."""
    more(page).get_by_label(name).set_checked(on)
    page.keyboard.press("Escape")
