"""A finger on a page: unlike a mouse, it scrolls what lies under it unless that takes its moves."""

from typing import Any


def swipe(page: Any, *points: tuple[float, float]) -> None:
    """Put a finger down, move it from point to point, and lift it."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for kind, at in zip(["touchStart", *["touchMove"] * len(points)], points, strict=False):
        places = [{"x": at[0], "y": at[1]}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
