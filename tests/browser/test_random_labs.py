"""Hundreds of random gestures at a lab in JupyterLab: it shows what its numbers say, whatever came
before, and undo leads back to the beginning."""

import random
import re

import pytest
from lab_pages import FILLED, settled
from labs_on_pages import show_all_controls
from random_moves import moves
from tiers import slow

from fgn_notebooks import labs
from fgn_notebooks.experiments import weather as weather_of

EVERY = 20  # gestures between two comparisons
DAYS = [str(day) for day in range(1, weather_of.DAYS + 1)]
KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End")
TYPED = ("3", "0.8", "0.75", "7", "99", "-1", "2.5", "", "e", "1e0")


class Hand:
    """A hand that does anything that one can do to the lab of the weather."""

    def __init__(self, page, seed):
        self.page, self.chance = page, random.Random(seed)
        self.did = []

    def move(self):
        kinds = (self.key, self.type, self.tick, self.drag, self.button, self.point, self.undo)
        kind = self.chance.choice(kinds)
        self.did.append((kind.__name__, kind()))

    def any(self, locator):
        return locator.nth(self.chance.randrange(locator.count()))

    def key(self):
        key = self.chance.choice(KEYS)
        self.any(self.page.locator(".fgn-lab [role=slider][aria-label]")).press(key)
        return key

    def type(self):
        box = self.any(self.page.get_by_role("spinbutton"))
        typed = self.chance.choice(TYPED)
        box.press("ControlOrMeta+a")
        box.press_sequentially(typed or " ")
        box.press(self.chance.choice(("Enter", "Tab", "Escape")))
        return typed

    def tick(self):
        self.any(self.page.locator(".fgn-boxes input")).click()

    def drag(self):
        handle = self.any(self.page.locator(".fgn-control .noUi-handle"))
        handle.scroll_into_view_if_needed()
        box, mouse = handle.bounding_box(), self.page.mouse
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        mouse.move(x, y)
        mouse.down()
        for _ in range(self.chance.randint(0, 4)):
            mouse.move(x + self.chance.randint(-70, 70), y)
        escaped = self.chance.random() < 0.4
        if escaped:
            self.page.keyboard.press("Escape")
            mouse.move(x + self.chance.randint(-70, 70), y)
        mouse.up()
        return escaped

    def button(self):
        names = ("Reset", "Pin", "numbers", "code", "files")
        name = self.chance.choice(names)
        self.page.locator(".fgn-lab-bar").get_by_role("button", name=name, exact=True).click()
        return name

    def point(self):
        over = self.page.locator(".fgn-over-picture")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        x = box["x"] + box["width"] * self.chance.uniform(0.05, 0.95)
        self.page.mouse.click(x, box["y"] + box["height"] * self.chance.uniform(0.05, 0.6))

    def undo(self):
        key = self.chance.choice(("ControlOrMeta+z", "ControlOrMeta+Shift+z"))
        self.page.get_by_role("button", name="Reset").press(key)
        return key


def number(page, name):
    box = page.get_by_role("spinbutton", name=re.compile(f"^{re.escape(name)}"))
    return float(box.input_value())


def shown(page):
    """What the controls of the page stand at."""
    ticked = [page.get_by_role("checkbox", name=day, exact=True).is_checked() for day in DAYS]
    return {
        "umbrellas": tuple(day for day, on in zip(DAYS, ticked, strict=True) if on),
        "until": int(number(page, "last day seen")),
        "stays": number(page, "P(stays)"),
    }


@pytest.mark.parametrize("count", [moves(20), pytest.param(moves(160), marks=slow)])
def test_hundreds_of_random_gestures_leave_a_lab_that_shows_what_its_controls_say(
    shared_notebook, count
):
    page = shared_notebook("from fgn_notebooks import labs\nlabs.weather()")
    page.wait_for_selector(".fgn-lab img[alt]")
    show_all_controls(page, labs.weather())
    page.wait_for_function(FILLED, arg=1600)
    cells, hand = page.locator(".jp-Cell").count(), Hand(page, 5)
    for number_ in range(1, count + 1):
        hand.move()
        if number_ % EVERY:
            continue
        page.mouse.move(0, 0)
        # A number that was typed and not entered, as after Escape, belongs to the lab again.
        page.get_by_role("button", name="Reset").focus()
        page.wait_for_function("document.querySelector('.fgn-lab-bar').dataset.run === 'rest'")
        try:
            settled(page, lambda: agrees(page))
        except AssertionError:
            raise AssertionError((shown(page), hand.did[-EVERY:])) from None
    assert page.locator(".jp-Cell").count() == cells  # no key has reached the notebook
    undo = page.locator(".fgn-lab-bar").get_by_role("button", name="undo")
    reset = page.get_by_role("button", name="Reset")
    for _ in range(101):  # as many changes as are kept
        if undo.is_disabled():
            break
        reset.press("ControlOrMeta+z")
    settled(page, lambda: agrees(page))  # the last of them is on its way


def agrees(page):
    """Whether the picture says what the controls stand at: answers may still be on their way."""
    try:
        words = " ".join(weather_of.weather(**shown(page)).facts().split())
    except ValueError:  # a number that was typed and will be refused
        return False
    return words in " ".join(page.locator(".fgn-lab img").get_attribute("alt").split())
