"""Long work on a page: it comes in slices, is cut when a control moves, waits, stops and fails."""

import asyncio
import time

import numpy as np
import pytest
from waves import Wave, draw_wave, growing_lab, wave, waves

from fgnwidgets.widgets import Integer, Lab
from fgnwidgets.widgets.lab.run_view import SLICE, Going, RunView

STEP = 0.02


def slow(*, n_epochs=50, height=1.0):
    for n in range(1, n_epochs + 1):
        time.sleep(STEP)
        yield Wave(height * np.ones(n), n, n_epochs)


def slow_lab():
    controls = {"n_epochs": Integer("Ne", 1, 500, 2), "height": Integer("h", 1, 100, 1)}
    return Lab(slow, draw_wave, title="Slow", controls=controls)


def move(lab, **values):
    """What a page does: the boxes change, one message after the other."""
    for name, value in values.items():
        lab.row(name).value = value


def on_a_page(scenario):
    """Run ``scenario(lab)`` where an event loop is running, as in a kernel."""

    async def run():
        lab = slow_lab()
        await scenario(lab)

    asyncio.run(run())


async def until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.01)


def test_the_first_result_is_there_at_once_and_the_last_in_the_end():
    async def scenario(lab):
        move(lab, n_epochs=60)
        assert 0 < lab.result.n < 60
        assert lab.page.scene["run"]["state"] == "running"
        assert f"epoch {lab.result.n} of 60" in lab.said
        seen = []
        await until(lambda: seen.append(lab.result.n) or not lab.run_view.running)
        assert lab.result.n == 60
        assert seen == sorted(seen)
        assert len(set(seen)) > 2  # there was something between them, however slow the machine
        assert lab.said == ""
        assert lab.page.scene["run"]["state"] == ""

    on_a_page(scenario)


def test_a_control_that_moves_cuts_the_run_and_the_newest_values_win():
    async def scenario(lab):
        shown = []
        lab.picture.observe(lambda _: shown.append((lab.row("height").value, lab.result)), "value")
        for height in range(2, 42):
            move(lab, n_epochs=200 + height, height=height)
            await asyncio.sleep(0)
        assert lab.result.of == 241
        heights = [result.heights[0] for _, result in shown]
        assert heights == sorted(heights)  # never older than what was shown before
        move(lab, n_epochs=3)
        await until(lambda: not lab.run_view.running)
        assert (lab.result.n, lab.result.of, lab.result.heights[0]) == (3, 3, 41)

    on_a_page(scenario)


@pytest.mark.parametrize("pause", [0.05, 0.2], ids=["a drag", "a key pressed again and again"])
def test_while_a_hand_moves_only_first_pictures_are_drawn_and_the_rest_when_it_rests(pause):
    async def scenario():
        shown = []
        view = RunView(lambda run: shown.append(run.latest), lambda error: None, lambda run: 0.5)

        def run(name):
            for n in range(3):
                time.sleep(SLICE)
                yield name, n

        view.start(run("one"), wait=False)  # a key that is pressed once is followed at once
        await until(lambda: len(shown) > 1)
        moves = [f"move {k}" for k in range(4)]
        for name in moves:
            view.start(run(name), wait=False)
            await asyncio.sleep(pause)  # less than a hand rests
        assert [result for result in shown if result[0] != "one"] == [(name, 0) for name in moves]
        await until(lambda: not view.running)
        assert shown[-1] == (moves[-1], 2)

    asyncio.run(scenario())


def test_a_run_pauses_and_goes_on():
    async def scenario(lab):
        move(lab, n_epochs=40)
        lab.run_view.hold()
        await asyncio.sleep(0.1)
        at = lab.result.n
        assert f"paused at epoch {at} of 40" in lab.said
        await asyncio.sleep(0.3)
        assert lab.result.n == at < 40
        assert "points" in lab.picture.text  # a paused run can be read, and taken home
        lab.run_view.go_on()
        await until(lambda: lab.result.n == 40)

    on_a_page(scenario)


def test_a_run_stops_and_keeps_what_there_is():
    async def scenario(lab):
        move(lab, n_epochs=400)
        lab.run_view.stop()
        at = lab.result.n
        await asyncio.sleep(0.3)
        assert lab.result.n == at < 400
        assert not lab.run_view.running
        assert f"stopped at epoch {at} of 400" in lab.said
        move(lab, n_epochs=3)
        await until(lambda: lab.result.n == 3)

    on_a_page(scenario)


def test_set_waits_for_the_end_while_others_would_not():
    async def scenario(lab):
        move(lab, n_epochs=100)
        lab.set(n_epochs=12)
        assert lab.result.n == 12
        assert not lab.run_view.running
        before = lab.result
        await asyncio.sleep(0.2)
        assert lab.result is before  # nothing of the run that was cut comes after

    on_a_page(scenario)


def test_an_error_on_the_way_keeps_the_last_good_picture():
    def failing(*, n_epochs=1):
        for n in range(1, n_epochs + 1):
            time.sleep(STEP)
            if n == 20:
                raise ValueError("epoch 20 went wrong")
            yield Wave(np.ones(n), n, n_epochs)

    async def scenario():
        lab = Lab(failing, draw_wave, title="F", controls={"n_epochs": Integer("Ne", 1, 99, 1)})
        move(lab, n_epochs=50)
        await until(lambda: not lab.run_view.running)
        assert "epoch 20 went wrong" in lab.said
        assert 0 < lab.result.n < 20
        assert lab.page.scene["run"]["state"] == ""

    asyncio.run(scenario())


def test_without_an_event_loop_a_moved_control_runs_to_the_end():
    lab = growing_lab()
    move(lab, n_epochs=40)
    assert lab.result.n == 40
    move(lab, fail_at=20)
    assert "epoch 20 went wrong" in lab.said
    assert lab.result.n == 40


def test_a_run_without_results_is_an_error():
    with pytest.raises(ValueError, match="the run ended without a result"):
        Lab(waves, draw_wave, title="None", controls={"n_epochs": Integer("Ne", 0, 9, 0)})


def test_a_lab_shows_the_stream_on_a_page_and_ends_with_what_the_function_gives():
    def heavy(*, points=2):
        return wave(points=points)

    def stream(*, points=2):
        for n in range(1, points + 1):
            time.sleep(1 / 300)
            yield Wave(wave(points=points).heights[:n], n, points)

    heavy.stream = stream

    async def scenario():
        controls = {"points": Integer("N", 1, 500, 2)}
        lab = Lab(heavy, draw_wave, title="Heavy", controls=controls)
        move(lab, points=160)
        assert 0 < len(lab.result.heights) < 160
        assert f"epoch {len(lab.result.heights)} of 160" in lab.said
        await until(lambda: not lab.run_view.running)
        assert len(lab.result.heights) == 160
        assert "result = heavy(points=160)" in lab.code()
        lab.set(points=90)  # whoever waits needs nothing on the way
        assert len(lab.result.heights) == 90

    asyncio.run(scenario())


@pytest.mark.parametrize(("done", "slices"), [(0.0, 1), (0.5, 1), (0.84, 1), (0.88, 2), (0.99, 2)])
def test_a_run_that_ends_soon_is_not_stopped_for_one_more_picture(done, slices):
    view = RunView(lambda run: None, lambda error: None, lambda run: done)
    run = Going(iter([]))
    run.spent = done  # a second in all
    assert view._slice(run) == slices * SLICE
