"""Values as the last line of a cell: a picture in a notebook, text in a terminal."""

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from matplotlib.figure import Figure
from matplotlib.image import imread
from PIL import Image

from fgnwidgets import BayesGraph, display, fit, propagate, random_theta, sample

BAYES = BayesGraph({"S": 2, "X": 3, "Y": 2}, {"X": "S", "Y": "S"})
THETA = random_theta(BAYES, np.random.default_rng(0))


@pytest.fixture
def bundle(monkeypatch):
    """What a front end gets for a value, in a shell of its own."""
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    display.register()
    return shell.display_formatter.format


def values():
    table = {
        k: v for k, v in sample(BAYES, THETA, 30, np.random.default_rng(1)).items() if k != "S"
    }
    messages = propagate(BAYES, THETA, {"X": [2]})
    run = fit(BAYES, table, n_epochs=3, restarts=3, progress=False)
    one = fit(BAYES, table, n_epochs=3, restarts=1, progress=False)
    return [BAYES, BAYES.normal_form(), messages, messages["S"], run, one]


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_a_value_is_a_picture_with_its_plain_text(bundle, value, tmp_path):
    data, metadata = bundle(value)
    assert set(data) == {"text/plain", "image/png"}
    assert data["text/plain"] == repr(value) and " at 0x" not in repr(value)
    path = tmp_path / "picture.png"
    path.write_bytes(data["image/png"])
    picture = imread(path)
    shown = metadata["image/png"]
    assert picture.shape[1] == pytest.approx(2 * shown["width"], abs=2)  # sharp at ratio 2
    assert (picture[..., 3] == 1).all() and (picture[0, 0, :3] > 0.9).all()  # opaque and light
    assert picture[..., :3].min() < 0.3  # something is on it


def test_a_picture_is_the_same_every_time(bundle):
    graph = BAYES.normal_form()
    assert bundle(graph)[0] == bundle(graph)[0]


def noted(png):
    """Whether a PNG says that it is a drawing on white."""
    with Image.open(io.BytesIO(png)) as image:
        return image.info.get("Ground") == "white"


def plotted(ground="white", colours=None):
    figure = Figure(figsize=(3, 2), facecolor=ground)
    ax = figure.add_subplot()
    ax.plot([1, 3, 2])
    if colours is not None:
        ax.imshow(colours)
    return figure


def test_a_drawing_on_white_says_so_where_the_style_sheet_of_jupyter_looks_for_it(bundle):
    png = bundle(BAYES)[0]["image/png"]
    address = base64.b64encode(png).decode()
    script = Path(display.__file__).parent / "labextensions/fgnwidgets-figures/static/style.js"
    (note,) = re.findall(r'NOTE = "(.*)"', script.read_text(encoding="utf-8"))
    assert noted(png) and note in address


def test_a_photograph_and_a_drawing_on_black_keep_their_colours(bundle):
    photograph = np.random.default_rng(0).random((8, 8, 3))
    assert noted(bundle(plotted())[0]["image/png"])
    assert noted(bundle(plotted(colours=photograph[..., 0]))[0]["image/png"])
    assert not noted(bundle(plotted(colours=photograph))[0]["image/png"])
    assert not noted(bundle(plotted("black"))[0]["image/png"])


def test_few_colours_are_kept_exactly_and_many_stay_near():
    inks = np.array([[255, 255, 255], [26, 26, 26], [0, 114, 178], [1, 114, 178]], np.uint8)
    exact = inks[np.random.default_rng(1).integers(4, size=(30, 40))]
    with Image.open(io.BytesIO(display.encoded(Image.fromarray(exact)))) as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), exact)
    across, down = np.meshgrid(np.arange(256), np.arange(200))
    shades = np.stack([across, down, (across + down) // 2], axis=-1).astype(np.uint8)
    with Image.open(io.BytesIO(display.encoded(Image.fromarray(shades)))) as image:
        assert len(image.getcolors()) <= display.COLOURS
        off = np.asarray(image.convert("RGB"), float) - shades
    assert np.sqrt((off**2).mean()) < 16 and np.abs(off).max() < 60  # 64 of 51,200 colours


def test_a_picture_of_a_page_of_text_has_a_bounded_number_of_dots(bundle):
    data, metadata = bundle(Figure(figsize=(10, 12)))
    with Image.open(io.BytesIO(data["image/png"])) as image:
        assert image.width * image.height == pytest.approx(display.MOST_DOTS, rel=0.01)
    assert metadata["image/png"] == {"width": 960, "height": 1152}


def test_what_no_single_picture_shows_is_text(bundle):
    several = propagate(BAYES, THETA, {"X": [2, 1]})
    batch = propagate(BAYES, random_theta(BAYES, np.random.default_rng(0), (2,)))
    for value in (several, batch, batch["S"]):
        assert set(bundle(value)[0]) == {"text/plain"}
    assert "image/png" in bundle(several["S"])[0]  # a heat map


def test_a_graph_of_hundreds_of_variables_is_scaled_to_a_picture_of_a_sane_size(bundle):
    wide = BayesGraph(
        {"S": 2, **{f"X{k}": 2 for k in range(150)}}, {f"X{k}": "S" for k in range(150)}
    )
    data, _ = bundle(wide)
    width = int.from_bytes(data["image/png"][16:20], "big")
    assert 1000 < width <= display.MOST_PIXELS


def test_the_package_registers_itself_and_imports_no_matplotlib_for_it():
    code = (
        "import sys, IPython\n"
        "shell = IPython.core.interactiveshell.InteractiveShell.instance()\n"
        "import fgnwidgets\n"
        "assert 'matplotlib' not in sys.modules and 'networkx' not in sys.modules\n"
        "graph = fgnwidgets.BayesGraph({'S': 2})\n"
        "assert 'image/png' in shell.display_formatter.format(graph)[0]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_ipython_nothing_is_imported_or_registered():
    code = (
        "import sys, fgnwidgets\n"
        "assert not {'IPython', 'matplotlib', 'networkx'} & set(sys.modules)\n"
        "print(fgnwidgets.BayesGraph({'S': 2}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "BayesGraph(S)\n"
