"""A lab without a browser: the path of its sliders, its errors, and what a reader takes home."""

import asyncio
import base64
import gc
import io
import random
import sys

import numpy as np
import PIL.Image
import pytest
from ipywidgets.widgets.widget import Widget, _instances
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from tiers import slow
from waves import CONTROLS, draw_bars, draw_wave, growing_lab, wave, wave_lab, waves

from fgnwidgets.widgets import Integer, Lab, Pair, Real
from fgnwidgets.widgets.lab import run_view
from fgnwidgets.widgets.lab.figure_image import LEAST, FigureImage
from fgnwidgets.widgets.page.outputs import with_parts

SETTINGS = [
    {"m_x": 5},
    {"ex": 2.5, "points": 1},
    {"lift": 0.25, "points": 20},
    {"rules": ("ml", "kl", "vit"), "start": "matrices", "split": True},
    {},
]


def pixels(png):
    return np.asarray(PIL.Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def canvas_pixels(figure):
    """A figure as matplotlib draws it."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def direct(values, lift=0.0):
    """The picture of ``draw(compute(**values))`` by matplotlib's own way."""
    figure = draw_wave(wave(**values), lift=lift)
    FigureCanvasAgg(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return pixels(buffer.getvalue())


def handle(lab, name):
    """What moves a control: its slider, or its only widget."""
    view = lab.row(name).view
    return view.children[0] if hasattr(view, "children") else view


def box(lab, name):
    """The box for the exact value of a number."""
    return lab.row(name).view.children[1]


def test_set_gives_what_compute_gives_and_draws_what_draw_draws():
    lab = wave_lab()
    values = {name: control.value for name, control in CONTROLS.items()}
    for change in SETTINGS:
        lab.set(**change)
        values |= change
        assert lab.values == values
        lift = values["lift"]
        asked = {name: value for name, value in values.items() if name != "lift"}
        assert np.array_equal(lab.result.heights, wave(**asked).heights)
        assert np.array_equal(pixels(lab.picture.value), direct(asked, lift))
        assert np.array_equal(pixels(lab.picture.png), direct(asked, lift))


def test_a_slider_and_set_take_the_same_path():
    moved, told = wave_lab(), wave_lab()
    handle(moved, "m_x").value = 6
    told.set(m_x=6)
    assert moved.values == told.values
    assert bytes(moved.picture.value) == bytes(told.picture.value)
    assert bytes(moved.picture.value) != bytes(wave_lab().picture.value)


def test_a_control_of_the_drawing_computes_nothing():
    calls = []

    def counted(*, m_x=3):
        calls.append(m_x)
        return wave(m_x=m_x)

    controls = {name: CONTROLS[name] for name in ("m_x", "lift")}
    lab = Lab(counted, draw_wave, title="Counted", controls=controls)
    lab.set(lift=0.5)
    lab.set(lift=-0.5)
    assert calls == [3]
    lab.set(m_x=4)
    assert calls == [3, 4]
    box(lab, "lift").value = 0.1
    assert calls == [3, 4]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m_y": 3}, "Lab('A wave') has no control 'm_y': these are m_x, ex, points, lift"),
        ({"m_x": 9}, "m_x is 9: expected from 1 to 8"),
        ({"lift": 0.5, "rules": ("var",)}, "rules is ('var',): expected some of 'ml', 'kl', 'vit'"),
        ({"split": True, "points": 1}, "points is 1: expected at least 2 to split"),
    ],
)
def test_a_set_that_fails_says_why_and_changes_nothing(change, words):
    lab = wave_lab()
    lab.set(m_x=2)
    before = (lab.values, lab.result, bytes(lab.picture.value), lab.said)
    with pytest.raises(ValueError, match="expected|no control") as caught:
        lab.set(**change)
    assert words in str(caught.value)
    assert (lab.values, lab.result, bytes(lab.picture.value), lab.said) == before
    lab.set(m_x=5)
    assert np.array_equal(lab.result.heights, wave(m_x=5, rules=("ml", "kl")).heights)


def test_an_error_of_a_moved_control_is_one_line_and_the_last_picture_stays():
    lab = wave_lab()
    lab.set(points=1)
    before = (lab.result, bytes(lab.picture.value))
    handle(lab, "split").value = True
    assert "points is 1: expected at least 2 to split" in lab.said
    handle(lab, "split").value = False
    handle(lab, "start").value = "matrices"
    assert "ZeroDivisionError: one point has no matrices" in lab.said
    assert "\n" not in lab.said
    assert (lab.result, bytes(lab.picture.value)) == before
    handle(lab, "points").value = 40
    assert lab.said == ""
    assert lab.result is not before[0]


def test_a_drawing_that_fails_leaves_picture_and_result_together():
    def picky(result, fig=None, *, lift=0.0):
        figure = draw_wave(result, fig, lift=lift)
        if lift > 0.9:
            raise ValueError("lift is too much: expected less <than> 0.9")
        return figure

    lab = Lab(wave, picky, title="Picky", controls=CONTROLS)
    before = (lab.result, bytes(lab.picture.value), lab.code())
    box(lab, "lift").value = 1.0
    assert "less <than> 0.9" in lab.said
    assert (lab.result, bytes(lab.picture.value), lab.code()) == before
    box(lab, "lift").value = 0.0
    assert bytes(lab.picture.value) == before[1]


def test_reset_goes_back_to_the_first_values():
    lab = wave_lab()
    first = lab.values
    lab.set(m_x=8, rules=("vit",), split=True)
    lab.reset()
    assert lab.values == first
    assert bytes(lab.picture.value) == bytes(wave_lab().picture.value)


def test_the_code_of_a_lab_gives_its_result_and_its_picture():
    lab = wave_lab()
    lab.set(m_x=5, ex=2.0, rules=("vit",), start="matrices", lift=0.5)
    text = lab.code()
    assert text.splitlines()[0] == "from waves import wave, draw_wave"
    assert "split" not in text  # what is left alone is not said
    found = {}
    exec(text, found)
    assert np.array_equal(found["result"].heights, lab.result.heights)
    buffer = io.BytesIO()
    found["figure"].savefig(buffer, format="png")
    assert np.array_equal(pixels(buffer.getvalue()), pixels(lab.picture.value))


def test_the_code_of_a_lab_that_grows_runs_to_the_end():
    lab = growing_lab()
    lab.set(n_epochs=7)
    found = {}
    exec(lab.code(), found)
    assert found["result"].n == lab.result.n == 7


def test_the_code_names_what_is_the_readers_own():
    def scaled(*, table, m_x=3):
        return wave(m_x=m_x * table["factor"])

    table = {"factor": 2}
    lab = Lab(
        scaled,
        draw_wave,
        title="Own",
        controls={"m_x": Integer("M_X", 1, 8, 3)},
        given={"table": table},
    )
    assert np.array_equal(lab.result.heights, wave(m_x=6).heights)
    assert "# table: your own\nresult = scaled(table=table)" in lab.code()


def test_a_text_with_an_apostrophe_is_python_in_the_code_too():
    def named(*, name="", m_x=3):
        return wave(m_x=m_x)

    controls = {"m_x": Integer("M_X", 1, 8, 3)}
    lab = Lab(named, draw_wave, title="Own", controls=controls, given={"name": "Bayes's"})
    assert """named(name="Bayes's")""" in lab.code()


def test_data_and_pictures_are_saved(tmp_path):
    lab = wave_lab()
    lab.set(points=3)
    lab.save(tmp_path / "a.csv")
    rows = (tmp_path / "a.csv").read_text().splitlines()
    assert rows[0] == "place,height"
    assert [float(line.split(",")[1]) for line in rows[1:]] == list(lab.result.heights)
    lab.save(tmp_path / "a.png")
    assert np.array_equal(pixels((tmp_path / "a.png").read_bytes()), pixels(lab.picture.value))
    lab.save(str(tmp_path / "a.svg"))
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
    with pytest.raises(ValueError, match=r"expected it to end with .png, .svg or .csv"):
        lab.save(tmp_path / "a.pdf")


def test_files_are_offered_without_a_server():
    lab = wave_lab()
    lab.page.panel("files")
    files = {name: base64.b64decode(data) for name, _, data in lab.page.contents}
    assert list(files) == ["wave.png", "wave.svg", "wave.csv"]
    assert files["wave.csv"].decode() == lab.csv()
    lab.set(points=9)
    assert base64.b64decode(lab.page.contents[2][2]).decode() == lab.csv()
    lab.page.panel("numbers")
    assert "9 points" in lab.page.contents
    lab.page.panel("code")
    assert "wave(points=9" in lab.page.contents
    lab.page.panel(None)
    assert lab.page.contents == ""


def test_a_stored_notebook_holds_the_picture_and_what_it_shows():
    lab = wave_lab()
    bundle, told = lab._repr_mimebundle_()
    stored = pixels(base64.b64decode(bundle["image/png"]))
    figure = draw_wave(lab.result)
    figure.set_dpi(2 * told["image/png"]["width"] / figure.get_figwidth())  # sharp on a fine screen
    shown = canvas_pixels(figure)
    words, picture = stored[: -len(shown)], stored[-len(shown) :]
    assert np.sqrt(((picture - shown) ** 2).mean()) < 2  # of 255: it has fewer colours
    assert words.std() > 10  # that it is a picture, and how it comes to life
    assert bundle["text/plain"] == f"A wave\n{lab.result.facts()}"
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert wave_lab()._repr_mimebundle_()[0]["image/png"] == bundle["image/png"]
    assert repr(lab) == "Lab('A wave')"


def test_several_experiments_share_their_controls():
    def bars(*, points=50):
        return wave(points=points)

    lab = Lab(wave, draw_wave, title="Two", controls=CONTROLS, more={"bars": Pair(bars, draw_bars)})
    assert next(iter(lab.values)) == "view"
    lab.set(points=7)
    lab.set(view="bars")
    assert len(lab.result.heights) == 7
    assert "draw_bars(result)" in lab.code()
    assert lab.picture.size == [160, 160]
    assert handle(lab, "m_x").disabled  # bars have no m_x
    assert not handle(lab, "points").disabled
    lab.set(view="one run", m_x=4)
    assert not handle(lab, "m_x").disabled
    assert lab.picture.size == [240, 160]


def test_a_control_that_no_function_takes_is_refused():
    with pytest.raises(ValueError, match="no function has an argument 'm_z', of wave, draw_wave"):
        Lab(wave, draw_wave, title="Odd", controls={"m_z": Integer("M_Z", 1, 2, 1)})


@pytest.mark.parametrize(("times", "leak"), [(150, 5), pytest.param(1000, 2, marks=slow)])
def test_a_thousand_changes_leave_no_figure_open_and_memory_flat(times, leak):
    def draw_bare(result, fig=None, *, lift=0.0):
        if fig is None:
            fig = Figure(figsize=(1, 1), dpi=40)
        fig.clear()
        ax = fig.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        ax.plot(result.heights + lift)
        return fig

    lab = Lab(wave, draw_bare, title="Bare", controls=CONTROLS)
    chance = random.Random(0)

    def change(times):
        for _ in range(times):
            lab.set(
                m_x=chance.randint(1, 8),
                ex=chance.uniform(0.1, 100),
                points=chance.randint(2, 60),
                lift=chance.uniform(-1, 1),
                split=chance.random() < 0.5,
            )
        gc.collect()

    def figures():
        return sum(isinstance(thing, Figure) for thing in gc.get_objects())

    change(50)  # caches of fonts and paths fill
    before = figures(), sys.getallocatedblocks()
    change(times)
    assert figures() == before[0]
    assert pyplot.get_fignums() == []
    assert (
        sys.getallocatedblocks() - before[1] < leak * times
    )  # so many for each change would be one


def test_results_that_arrive_end_in_the_last_one():
    lab = growing_lab()
    assert (lab.result.n, lab.result.of) == (5, 5)
    lab.set(n_epochs=30)
    *_, last = waves(n_epochs=30)
    assert np.array_equal(lab.result.heights, last.heights)
    with pytest.raises(ValueError, match="epoch 4 went wrong"):
        lab.set(fail_at=4)
    assert lab.result.n == 30


def test_a_slider_that_moves_sends_one_picture_and_then_the_bar_once_though_a_run_goes_on(
    monkeypatch,
):
    monkeypatch.setattr(run_view, "FIRST_SLICE", 0.0)  # no machine ends the run at once
    lab = growing_lab()
    slider, sent = handle(lab, "n_epochs"), []

    async def move():
        slider.set_state({"value": 2000})  # as a page does
        assert lab.run_view.running
        lab.run_view.stop()

    def note(widget, message, buffers=None):
        if lab.run_view.running:  # what stop() sends is another matter
            sent.extend((widget, name) for name in message["state"])

    monkeypatch.setattr(Widget, "_send", note)
    asyncio.run(move())
    own = [name for widget, name in sent if widget in (lab.picture, lab.page)]
    assert own.count("map") == 1  # its pixels travel beside it
    assert own.count("scene") == 1
    assert own[-1] == "scene"  # the picture is not delayed
    assert lab.page.scene["run"]["state"] == ""


def test_a_readers_own_drawing_is_that_of_its_code_however_often_it_is_drawn_anew():
    def plain(result, fig=None):
        fig = fig or Figure(figsize=(3, 2), dpi=80)
        ax = fig.axes[0] if fig.axes else fig.add_subplot()
        ax.plot(result.heights)
        ax.axvspan(0, 1, alpha=0.2)
        return fig

    controls = {"m_x": CONTROLS["m_x"]}
    lab = Lab(wave, plain, title="Plain", controls=controls)
    for m_x in (4, 7, 2):
        lab.set(m_x=m_x)
        buffer = io.BytesIO()
        plain(lab.result).savefig(buffer, format="png")
        assert np.array_equal(pixels(buffer.getvalue()), pixels(lab.picture.value))


def test_a_typed_value_that_is_refused_is_said_in_the_lab():
    lab = wave_lab()
    before = lab.values
    box(lab, "m_x").value = 2.5
    assert "M_X is 2.5: expected a whole number from 1 to 8; it stays at 3" in lab.said
    assert lab.values == before
    box(lab, "m_x").value = 4
    assert lab.values["m_x"] == 4


def test_a_picture_is_drawn_as_large_and_as_fine_as_the_page_says():
    lab = wave_lab()
    own = bytes(lab.picture.value)
    height, width, _ = pixels(own).shape
    lab.picture.look = {"dark": False, "width": round(1.5 * width), "ratio": 2}
    assert pixels(lab.picture.value).shape == (3 * height, 3 * width, 3)
    assert lab.picture.size == [1.5 * width, 1.5 * height]
    lab.picture.look = {"dark": False, "width": width, "ratio": 1}
    assert bytes(lab.picture.value) == own
    code = {}
    exec(lab.code(), code)
    lab.picture.look = {"dark": False, "width": 10 * width, "ratio": 9}
    assert lab.picture.size == [1.6 * width, 1.6 * height]  # bounds for the eye and for the time
    lab.picture.look = {
        "dark": False,
        "width": 10 * width,
        "high": round(1.25 * height),
        "ratio": 1,
    }
    assert lab.picture.size == [1.25 * width, 1.25 * height]  # seen whole, below its controls
    lab.picture.look = {"dark": False, "width": width, "high": 10, "ratio": 1}
    assert lab.picture.size == pytest.approx([LEAST * width, LEAST * height], abs=1)


def numbers(*, n=5):
    return list(range(n))


def draw_alone(result):
    fig = Figure(figsize=(2, 2), dpi=50)
    fig.add_subplot().plot(result)
    return fig


N = {"n": Integer("n", 1, 50, 5)}


def test_a_drawing_that_only_takes_the_result_is_enough():
    lab = Lab(numbers, draw_alone, title="Short", controls=N)
    before = bytes(lab.picture.value)
    lab.set(n=9)
    assert bytes(lab.picture.value) != before
    assert "figure = draw_alone(result)" in lab.code()
    assert lab.picture.text == ""


def test_axes_that_a_drawing_returns_stand_for_their_figure():
    lab = Lab(numbers, lambda result: draw_alone(result).axes[0], title="Axes", controls=N)
    assert np.array_equal(
        pixels(lab.picture.value),
        pixels(Lab(numbers, draw_alone, title="F", controls=N).picture.value),
    )


def test_figures_of_pyplot_are_closed_after_they_were_drawn():
    def draw(result):
        fig, ax = pyplot.subplots()
        ax.plot(result)
        return fig

    mine = pyplot.figure()  # of the reader, and none of the lab's business
    lab = Lab(numbers, draw, title="Pyplot", controls=N)
    for n in range(1, 26):
        lab.set(n=n)
    lab._repr_mimebundle_()
    assert pyplot.get_fignums() == [mine.number]
    pyplot.close(mine)


def no_return(result):
    Figure()


def needs(*, n, other):
    return n


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: Lab(numbers, no_return, title="T", controls=N),
            "no_return returned None: a matplotlib Figure was expected. Does it end with return",
        ),
        (
            lambda: Lab(numbers, lambda result: 3, title="T", controls=N),
            "returned a int: a matplotlib Figure was expected",
        ),
        (
            lambda: Lab(lambda n: None, draw_alone, title="T", controls=N),
            "returned None: a result was expected. Does it end with return?",
        ),
        (
            lambda: Lab(numbers, lambda: 3, title="T", controls=N),
            "takes no argument: expected draw(result, fig=None)",
        ),
        (
            lambda: Lab(numbers, lambda fig: fig, title="T", controls=N),
            "has 'fig' as its first argument",
        ),
        (
            lambda: Lab(numbers, lambda result, fig: fig, title="T", controls=N),
            "has an argument fig without a default: write fig=None",
        ),
        (
            lambda: Lab(needs, draw_alone, title="T", controls=N),
            "T: needs needs an argument 'other', and no control gives it",
        ),
        (
            lambda: Lab(numbers, draw_alone, title="T", controls={"n": 5}),
            "T: control 'n' is 5: expected one such as Integer('n', 1, 10, 3)",
        ),
        (
            lambda: Lab(numbers, draw_alone, title="T", controls=N, main=("m",)),
            "T: main names 'm': the controls are n",
        ),
        (
            lambda: Lab(numbers, draw_alone, title="T", controls=N, cursor="at"),
            "cursor is 'at': draw_alone has no argument of this name",
        ),
        (
            lambda: Lab(numbers, draw_alone, title="T", controls=N, facts="words"),
            "facts is 'words': expected a function",
        ),
        (
            lambda: Lab(numbers, draw_alone, title="T", controls=N, steps="epoch"),
            "steps is 'epoch': expected words",
        ),
    ],
)
def test_a_lab_that_cannot_be_says_why_and_what_to_write(make, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        make()
    assert words in str(caught.value)


def test_what_a_lab_knows_of_its_functions_can_be_named_arguments():
    def growing(*, n=5):
        for k in range(1, n + 1):
            yield list(range(k))

    def draw(result, fig=None, *, at=None):
        fig = fig or Figure(figsize=(2, 2), dpi=50)
        fig.add_subplot(xlabel="day").plot(result, label="it")
        return fig

    lab = Lab(
        numbers,
        draw,
        title="Named",
        controls=N,
        stream=growing,
        facts=lambda result, n: f"{len(result)} days of {n}",
        table=lambda result: {"day": result},
        progress=lambda result: (len(result), 5, "day"),
        steps=("day",),
        cursor="at",
    )
    assert lab.picture.text == "5 days of 5"
    assert lab.csv() == "day\n0\n1\n2\n3\n4\n"
    (curve,), (axes,) = lab.picture.map["curves"], lab.picture.map["axes"]
    assert curve["byEpoch"] and axes["unit"] == "day"
    lab.picture.cursor = 3
    assert "draw(result, at=3)" in lab.code()


def test_undo_goes_back_change_by_change_and_a_gesture_is_one():
    lab = wave_lab()
    first = lab.values
    lab.page._hear(None, {"request": 1, "from": "v", "do": "grip", "with": {"name": "drag 1"}})
    for m_x in (4, 5, 6):
        handle(lab, "m_x").value = m_x
    lab.page._hear(None, {"request": 2, "from": "v", "do": "grip", "with": {"name": "drag 2"}})
    box(lab, "ex").value = 2.5
    lab.set(points=9, split=True)
    lab.reset()
    assert lab.values == first
    seen = []
    while lab.page.scene["undo"]:
        lab.undo()
        seen.append((lab.values["m_x"], lab.values["ex"], lab.values["points"]))
    assert seen == [(6, 2.5, 9), (6, 2.5, 50), (6, 1.0, 50), (3, 1.0, 50)]
    assert bytes(lab.picture.value) == bytes(wave_lab().picture.value)
    lab.redo()
    assert lab.values["m_x"] == 6
    assert np.array_equal(lab.result.heights, wave(m_x=6, rules=("ml", "kl")).heights)


def test_pinned_curves_are_those_of_the_earlier_picture_on_the_new_one_s_axes():
    lab = wave_lab()
    lab.pin()
    same = bytes(lab.picture.value)
    assert lab.page.pinned == "pale: the same"
    lab.set(m_x=5)
    assert lab.page.pinned == "pale: M_X 3"
    with_pin, plain = bytes(lab.picture.value), None
    stored = base64.b64decode(lab._repr_mimebundle_()[0]["image/png"])
    map_with = lab.picture.map
    lab.unpin()
    plain = bytes(lab.picture.value)
    assert lab.picture.map == map_with  # what is pinned answers no pointer, and moves no axis
    assert lab.page.pinned == ""
    told = wave_lab()
    told.set(m_x=5)
    assert plain == bytes(told.picture.value)  # nothing of it stays
    changed = (pixels(with_pin) != pixels(plain)).any(axis=-1)
    assert 50 < changed.sum() < 0.2 * changed.size
    box_ = map_with["axes"][0]["box"]
    rows, columns = np.nonzero(changed)
    assert box_[0] - 1 <= columns.min() and columns.max() <= box_[2] + 1
    assert box_[1] - 1 <= rows.min() and rows.max() <= box_[3] + 1
    assert stored != base64.b64decode(lab._repr_mimebundle_()[0]["image/png"])
    assert same != plain


def test_a_pinned_line_lies_where_its_numbers_are():
    lab = wave_lab()
    lab.set(lift=0.5)
    numbers_then = np.frombuffer(lab.picture.numbers, np.float32).reshape(2, -1)
    lab.pin()
    lab.set(lift=0.7)
    with_pin = pixels(lab.picture.value)
    ax = lab.picture.map["axes"][0]
    lab.unpin()
    changed = (with_pin != pixels(lab.picture.value)).any(axis=-1)
    left, top, right, bottom = ax["box"]
    (x0, x1, _), (y0, y1, _) = ax["x"], ax["y"]
    for x, y in numbers_then.T[5:45:5]:
        column = left + (right - left) * (x - x0) / (x1 - x0)
        row = bottom + (top - bottom) * (y - y0) / (y1 - y0)
        if top + 2 < row < bottom - 2:
            near = changed[int(row) - 2 : int(row) + 3, int(column) - 2 : int(column) + 3]
            assert near.any()


def test_one_page_has_the_picture_its_numbers_its_code_and_its_data(tmp_path):
    lab = wave_lab()
    lab.set(points=7, rules=("vit",))
    path = lab.to_html(tmp_path / "wave.html", title="{{state}} & <more>")
    text = path.read_text()
    assert base64.b64encode(bytes(lab.picture.value)).decode() in text
    assert "{{state}} &amp; &lt;more&gt;" in text  # a title cannot be taken for a place of the page
    assert "wave(points=7" in text and "7 points" in text
    assert "<th>N</th><td>7</td>" in text and "<th>rules</th><td>vit</td>" in text
    assert base64.b64encode(lab.csv().encode()).decode() in text
    assert "http" not in text.replace("http://www.w3.org", "").replace("https://matplotlib", "")


class Shell:
    """A kernel that runs cells, as far as widgets ask."""

    def __init__(self):
        self.kernel, self.events, self.hooks = self, self, []
        self.cell, self.execution = "", 0

    def register(self, _, hook):
        self.hooks.append(hook)

    def get_parent(self, _):
        return {"metadata": {"cellId": self.cell}, "header": {"msg_id": str(self.execution)}}

    def run(self, cell, show):
        self.cell, self.execution = cell, self.execution + 1
        show()
        for hook in self.hooks:
            hook()


def test_a_cell_that_runs_twelve_times_keeps_the_models_of_one_lab(monkeypatch):
    IPython = pytest.importorskip("IPython")
    shell = Shell()
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    kept, counts = [], []

    def show():
        kept.append(wave_lab())
        kept[-1]._repr_mimebundle_()

    for _ in range(12):
        shell.run("one", show)
        counts.append(len(_instances))
    assert len(set(counts[1:])) == 1  # before the first there may be none that all share
    first, last = kept[0], kept[-1]
    assert first.comm is None and last.comm is not None
    shell.run("two", lambda: first._repr_mimebundle_())  # shown again, it comes back, all of it
    first.set(m_x=7)
    assert all(w.comm is not None for w in with_parts(first))
    assert first.row("ex").view.children[0].comm is not None
    shell.run("one", show)
    assert first.comm is not None  # another cell shows it


def heat(*, a=0.2, b=0.7):
    return np.array([[a, 1 - a], [b, 1 - b]])


def draw_heat(result, fig=None):
    figure = Figure(figsize=(4, 2), dpi=100)
    left, right = figure.subplots(1, 2)
    left.pcolormesh(result, cmap="Blues", vmin=0, vmax=1)
    cells = [[(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1)] for i, j in np.ndindex(2, 2)]
    drawn = PolyCollection(cells, cmap="Blues", label="ML")
    drawn.set_array(result.ravel())
    drawn.set_clim(0, 1)
    right.add_collection(drawn, autolim=False)
    right.set(xlim=(0, 2), ylim=(0, 2))
    right.axis("off")
    return figure


def test_a_pinned_matrix_stays_as_squares_inside_its_cells_where_something_changed():
    controls = {"a": Real("a", 0, 1, 0.2), "b": Real("b", 0, 1, 0.7)}
    lab = Lab(heat, draw_heat, title="Heat", controls=controls)
    before = pixels(lab.picture.value)
    lab.pin()
    assert np.array_equal(pixels(lab.picture.value), before)  # nothing has changed: nothing is seen
    lab.set(a=0.9)
    with_pin, found = pixels(lab.picture.value), lab.picture.map
    numbers = np.frombuffer(lab.picture.numbers, np.float32)
    for curve in found["curves"]:  # what the pointer reads: the cell's value, and what was pinned
        own = numbers[curve["start"] :][: 6 * curve["count"]].reshape(6, -1)
        np.testing.assert_allclose(own[4], [0.9, 0.1, 0.7, 0.3], rtol=1e-6)
        np.testing.assert_allclose(own[5], [0.2, 0.8, 0.7, 0.3], rtol=1e-6)
    lab.unpin()
    plain = pixels(lab.picture.value)
    changed = (with_pin != plain).any(axis=-1)
    for ax in found["axes"]:
        x0, y0, x1, y1 = ax["box"]
        for i, j in np.ndindex(2, 2):  # rows of a mesh go up
            y, x = y1 - (i + 0.5) * (y1 - y0) / 2, x0 + (j + 0.5) * (x1 - x0) / 2
            row, column = round(y), round(x)
            assert changed[row, column] == (i == 0)  # the middle of a cell that changed
            assert not changed[round(y - 0.4 * (y1 - y0) / 2), column]  # its rim is what is now
            assert np.abs(with_pin[row, column] - before[row, column]).max() <= 2


def test_a_matrix_of_another_size_is_not_pinned_onto_cells_that_are_not_its_own():
    pin = FigureImage()
    pin.draw(draw_heat, np.full((2, 2), 0.5))
    wide = FigureImage()
    wide.draw(mesh_only, np.full((3, 4), 0.5))
    plain = bytes(wide.value)
    wide.pin(pin.shown)
    assert bytes(wide.value) == plain


def mesh_only(result, fig=None):
    figure = Figure(figsize=(4, 2), dpi=100)
    figure.subplots().pcolormesh(result, cmap="Blues", vmin=0, vmax=1)
    return figure


def test_reset_after_a_run_that_failed_computes_again_also_where_no_control_moves():
    """The first values may be those that failed: what broke once may work now."""
    breaks = []

    def compute(*, n=3):
        if breaks:
            raise RuntimeError("the file is not there yet")
        return wave(points=n + 1)

    lab = Lab(compute, draw_wave, title="Breaks", controls={"n": Integer("n", 1, 9, 3)})
    first = lab.result
    handle(lab, "n").value = 5
    breaks.append(1)
    lab._reset_pressed()
    assert "not there yet" in lab.said and lab.values == {"n": 3}
    breaks.clear()
    lab._reset_pressed()
    assert lab.said == "" and lab.result is not first
    np.testing.assert_array_equal(lab.result.heights, first.heights)


@pytest.mark.parametrize("back", ["reset", "undo", "set", "hand"])
def test_after_a_run_that_failed_every_way_back_gives_what_its_values_say(back):
    def compute(*, n=3):
        if n == 7:
            raise RuntimeError("seven does not work")
        return wave(points=n + 1)

    lab = Lab(compute, draw_wave, title="Seven", controls={"n": Integer("n", 1, 9, 3)})
    handle(lab, "n").value = 7
    assert "seven does not work" in lab.said and len(lab.result.heights) == 4
    if back == "set":
        lab.set(n=3)
    elif back == "hand":
        handle(lab, "n").value = 3
    else:
        getattr(lab, back)()
    assert lab.said == "" and lab.values == {"n": 3}
    np.testing.assert_array_equal(lab.result.heights, wave(points=4).heights)
    handle(lab, "n").value = 5  # and the next change is a change again
    assert len(lab.result.heights) == 6


def test_a_run_that_fails_on_its_way_leaves_words_of_the_picture_that_stays(monkeypatch):
    monkeypatch.setattr(run_view, "FIRST_SLICE", 0.0)  # no machine ends the run at once
    lab = growing_lab()
    lab.page.panel("numbers")

    async def fail():
        lab.set(n_epochs=30)
        handle(lab, "fail_at").value = 4
        for _ in range(200):
            await asyncio.sleep(0.01)
            if not lab.run_view.running:
                break

    asyncio.run(fail())
    assert "epoch 4 went wrong" in lab.said
    assert (lab.result.n, lab.result.of) == (1, 30)
    assert "1 points" in lab.picture.text and "1 points" in lab.picture.alt
    assert lab.picture.text == lab._shown.facts()
    assert lab.page.contents == lab.picture.text


def test_a_result_that_grows_in_place_is_drawn_each_time_that_it_is_yielded():
    drawn = []

    def stream(*, n=3):
        got = []
        for k in range(n):
            got.append(k)
            yield got

    def draw(result, fig=None):
        drawn.append(len(result))
        fig = fig or Figure(figsize=(3, 2))
        fig.subplots().plot(result)
        return fig

    async def scenario():
        lab = Lab(
            lambda *, n=3: list(range(n)),
            draw,
            title="Grows",
            controls={"n": Integer("n", 1, 9, 3)},
            stream=stream,
        )
        handle(lab, "n").value = 5
        for _ in range(200):
            await asyncio.sleep(0.01)
            if not lab.run_view.running:
                break
        assert len(lab.result) == 5

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_view, "FIRST_SLICE", 0.0)
        asyncio.run(scenario())
    assert drawn[-1] == 5


def test_after_a_run_that_failed_the_cursor_and_the_code_go_on_with_what_is_shown():
    def compute(*, n=3):
        if n == 7:
            raise RuntimeError("seven does not work")
        return n

    def draw(result, fig=None, at=None):
        fig = fig or Figure(figsize=(3, 2))
        axes = fig.subplots()
        axes.plot(range(5), range(5))
        axes.set(xlabel="epoch", title=f"{result} at {at}")
        return fig

    controls = {"n": Integer("n", 1, 9, 3)}
    lab = Lab(compute, draw, title="Seven", controls=controls, cursor="at")
    handle(lab, "n").value = 7
    lab.picture.cursor = 2
    assert "compute(n=7)" not in lab.code()
    assert "at=2" in lab.code()


def test_controls_of_a_view_whose_first_run_fails_are_there_to_mend_it():
    def second(*, m=1):
        if m < 3:
            raise ValueError("m is too small")
        return wave(points=m)

    controls = {"n": Integer("n", 1, 9, 3), "m": Integer("m", 1, 9, 1)}
    more = {"second": Pair(second, draw_wave)}
    lab = Lab(lambda *, n=3: wave(points=n), draw_wave, title="V", controls=controls, more=more)
    lab.row("view").value = "second"
    assert lab.said == "m is too small"
    assert not box(lab, "m").disabled and box(lab, "n").disabled
    handle(lab, "m").value = 5
    assert lab.said == "" and len(lab.result.heights) == 5
