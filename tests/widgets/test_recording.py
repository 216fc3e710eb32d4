"""A learning run as a page: what is stored is what the live view shows."""

import base64
import gzip
import json
import re

import pytest
from learning_run import made

from fgnwidgets.widgets.learning.recording import changes, thinned


def record_of(path):
    page = path.read_text(encoding="utf-8")
    packed = re.search(r'id="record">(.*?)</script>', page, re.DOTALL)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def changed(value, change):
    """What the page's script does with a change, written again."""
    if isinstance(change, list):
        return change[0]
    for name, inner in change.items():
        place = int(name) if isinstance(value, list) else name
        new = changed(value[place], inner)
        value = [*value] if isinstance(value, list) else {**value}
        value[place] = new
    return value


ACTS = ("Click a number", "Type a number", "Drag a bar", "A variable's name", "Keys:")


@pytest.mark.parametrize("selected", [None, "node:A|S", "variable:S", "node:S="])
def test_a_recording_says_nothing_of_what_a_hand_could_do_to_a_living_graph(tmp_path, selected):
    view = made(right=None)
    view.views[0].selected = selected
    record = record_of(view.to_html(tmp_path / "run.html"))
    panel = record["curves"][0]["first"]["panel"]
    told = [*panel["lines"], *panel.get("below", [])]
    assert not any(line.startswith(ACTS) for line in told)
    assert not record["curves"][0]["first"]["hint"]


@pytest.mark.parametrize("together", [True, False])
def test_every_stored_scene_is_the_one_that_the_live_view_shows(tmp_path, together):
    view = made(epoch=3, right=1 if together else None, row=2)
    view.views[0].origin = ("A|S", 1, 1)
    record = record_of(view.to_html(tmp_path / "run.html"))
    assert record["epochs"] == list(range(31))
    assert [one["curve"] for one in record["curves"]] == ([0, 1] if together else [0])
    assert record["drawn"] == json.loads(json.dumps(view.chart.drawn))
    for epoch in (0, 3, 17, 30):
        view.epoch = epoch
        for one in record["curves"]:
            live = json.loads(json.dumps(view.views[one["curve"]].scene))
            for place in ("lines", "below"):  # but for what a hand cannot do there
                live["panel"][place] = [
                    line for line in live["panel"].get(place, []) if not line.startswith(ACTS)
                ]
            stored = changed(one["first"], one["changes"][epoch])
            passing = ("undo", "redo", "hint")
            assert {k: v for k, v in stored.items() if k not in passing} == {
                k: v for k, v in live.items() if k not in passing
            }


def test_of_a_long_run_the_early_epochs_and_some_of_the_later_are_stored(tmp_path):
    view = made(epoch=13, right=None)
    path = view.to_html(tmp_path / "run.html", epochs=10, curves=[1])
    record = record_of(path)
    assert record["epochs"][:5] == [0, 1, 2, 3, 4]
    assert {13, 30} <= set(record["epochs"]) and len(record["epochs"]) <= 11
    assert [one["curve"] for one in record["curves"]] == [0, 1]
    assert "of 31 epochs of ML, VAR" in record["told"]
    assert path.stat().st_size < 300_000


def test_epochs_are_thinned_and_those_that_are_shown_stay():
    assert thinned(5, 60) == [0, 1, 2, 3, 4, 5]
    some = thinned(1000, 20, wanted=333)
    assert some[:10] == list(range(10)) and some[-1] == 1000 and 333 in some
    assert len(some) <= 21 and some == sorted(set(some))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"a": 1}, {"a": 1}),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": None}]}),
        ({"a": [1]}, {"a": [1, 2]}),
        ({"a": {"b": 1}}, {"a": {"c": 1}}),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": []}),
        ({"a": []}, {"a": {}}),
    ],
)
def test_changes_bring_the_old_value_to_the_new_one(old, new):
    found = changed(old, changes(old, new))
    assert found == new and json.dumps(found) == json.dumps(new)


def test_texts_of_users_cannot_leave_their_place(tmp_path):
    evil = "</script><img src=x>{{view}}"
    page = made(right=None).to_html(tmp_path / "run.html", title=evil).read_text(encoding="utf-8")
    assert "</script><img" not in page
    assert "<title>&lt;/script&gt;&lt;img src=x&gt;{{view}}</title>" in page


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"epochs": 1}, "epochs is 1: expected at least 2"),
        ({"curves": [5]}, "curves hold 5: expected 0 to 1"),
        ({"curves": ["ML"]}, "curves hold 'ML': expected indices"),
    ],
)
def test_what_cannot_be_stored_is_refused(tmp_path, how, says):
    with pytest.raises(ValueError, match=says):
        made().to_html(tmp_path / "run.html", **how)
    assert not (tmp_path / "run.html").exists()
