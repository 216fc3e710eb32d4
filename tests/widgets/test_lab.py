"""A lab without a browser: the path of its sliders, its errors, and what a reader takes home."""

import base64
import gc
import io
import random
import sys

import numpy as np
import PIL.Image
import pytest
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from waves import CONTROLS, draw_bars, draw_wave, growing_lab, wave, wave_lab, waves

from fgnwidgets.widgets import Integer, Lab, Pair

SETTINGS = [
    {"m_x": 5},
    {"ex": 2.5, "points": 1},
    {"lift": 0.25, "points": 20},
    {"rules": ("ml", "kl", "vit"), "start": "matrices", "split": True},
    {},
]


def pixels(png):
    return np.asarray(PIL.Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def direct(values, lift=0.0):
    """The picture of ``draw(compute(**values))`` by matplotlib's own way."""
    figure = draw_wave(wave(**values), lift=lift)
    FigureCanvasAgg(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return pixels(buffer.getvalue())


def row(lab, name):
    """The widgets of a control."""
    return lab.row(name).view.children


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
    row(moved, "m_x")[1].value = 6
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
    row(lab, "lift")[2].value = 0.1
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
    before = (lab.values, lab.result, bytes(lab.picture.value), lab.status.value)
    with pytest.raises(ValueError, match="expected|no control") as caught:
        lab.set(**change)
    assert words in str(caught.value)
    assert (lab.values, lab.result, bytes(lab.picture.value), lab.status.value) == before
    lab.set(m_x=5)
    assert np.array_equal(lab.result.heights, wave(m_x=5, rules=("ml", "kl")).heights)


def test_an_error_of_a_moved_control_is_one_line_and_the_last_picture_stays():
    lab = wave_lab()
    lab.set(points=1)
    before = (lab.result, bytes(lab.picture.value))
    row(lab, "split")[1].value = True
    assert 'role="status"' in lab.status.value
    assert "points is 1: expected at least 2 to split" in lab.status.value
    row(lab, "split")[1].value = False
    row(lab, "start")[1].value = "matrices"
    assert "ZeroDivisionError: one point has no matrices" in lab.status.value
    assert "\n" not in lab.status.value
    assert (lab.result, bytes(lab.picture.value)) == before
    row(lab, "points")[1].value = 40
    assert "done in" in lab.status.value
    assert lab.result is not before[0]


def test_a_drawing_that_fails_leaves_picture_and_result_together():
    def picky(result, fig=None, *, lift=0.0):
        figure = draw_wave(result, fig, lift=lift)
        if lift > 0.9:
            raise ValueError("lift is too much: expected less <than> 0.9")
        return figure

    lab = Lab(wave, picky, title="Picky", controls=CONTROLS)
    before = (lab.result, bytes(lab.picture.value), lab.code())
    row(lab, "lift")[2].value = 1.0
    assert "less &lt;than&gt; 0.9" in lab.status.value
    assert (lab.result, bytes(lab.picture.value), lab.code()) == before
    row(lab, "lift")[2].value = 0.0
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
    lab.asides.open("files")
    links = lab.asides.text.value
    assert links.count("download=") == 3
    start = links.index("data:text/csv;base64,") + len("data:text/csv;base64,")
    assert base64.b64decode(links[start : links.index('"', start)]).decode() == lab.csv()
    lab.set(points=9)
    assert lab.asides.text.value != links
    lab.asides.open("numbers")
    assert "9 points" in lab.asides.text.value
    lab.asides.open("code")
    assert "wave(points=9" in lab.asides.text.value
    lab.asides.open(None)
    assert lab.asides.text.value == ""


def test_a_stored_notebook_holds_the_picture_and_what_it_shows():
    lab = wave_lab()
    bundle = lab._repr_mimebundle_()
    stored = base64.b64decode(bundle["image/png"])
    shown = pixels(lab.picture.value)
    words, picture = pixels(stored)[: -len(shown)], pixels(stored)[-len(shown) :]
    assert np.sqrt(((picture - shown) ** 2).mean()) < 2  # of 255: it has fewer colours
    assert words.std() > 10  # that it is a picture, and how it comes to life
    assert bundle["text/plain"] == f"A wave\n{lab.result.facts()}"
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert wave_lab()._repr_mimebundle_()["image/png"] == bundle["image/png"]
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
    assert row(lab, "m_x")[1].disabled  # bars have no m_x
    assert not row(lab, "points")[1].disabled
    lab.set(view="one run", m_x=4)
    assert not row(lab, "m_x")[1].disabled
    assert lab.picture.size == [240, 160]


def test_a_control_that_no_function_takes_is_refused():
    with pytest.raises(ValueError, match="no function has an argument 'm_z', of wave, draw_wave"):
        Lab(wave, draw_wave, title="Odd", controls={"m_z": Integer("M_Z", 1, 2, 1)})


def test_a_thousand_changes_leave_no_figure_open_and_memory_flat():
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
    change(1000)
    assert figures() == before[0]
    assert pyplot.get_fignums() == []
    assert sys.getallocatedblocks() - before[1] < 2000  # two for each change would be a leak


def test_results_that_arrive_end_in_the_last_one():
    lab = growing_lab()
    assert (lab.result.n, lab.result.of) == (5, 5)
    lab.set(n_epochs=30)
    *_, last = waves(n_epochs=30)
    assert np.array_equal(lab.result.heights, last.heights)
    with pytest.raises(ValueError, match="epoch 4 went wrong"):
        lab.set(fail_at=4)
    assert lab.result.n == 30


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
    row(lab, "m_x")[2].value = 2.5
    assert "M_X is 2.5: expected a whole number from 1 to 8; it stays at 3" in lab.status.value
    assert lab.values == before
    row(lab, "m_x")[2].value = 4
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
    assert lab.picture.size == [0.6 * width, 0.6 * height]
