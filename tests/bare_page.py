"""Widgets on a page without Jupyter: the page's script asks the Python of this very process.

What is quick to try a thousand times is tried here; JupyterLab's own ways have tests of their own.
``show(page, *widgets)`` puts them side by side or below each other and returns a :class:`Bare`.
"""

import json
from typing import Any

from lab_pages import laid_out, settled

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>bare</title>
<style>body { margin: 8px; font-family: sans-serif; background: #fff; }
.beside { display: flex; flex-flow: wrap }
.beside > div { flex: 1 1 440px; min-width: 0 }
</style></head><body data-jp-theme-light="true"><main></main></body></html>"""

SCRIPT = """async (widgets) => {
    const models = [];
    const sent = window.asSent ?? ((state) => state); // a page may get it in another way
    const take = (answer) => {
        const states = sent(JSON.parse(answer));
        states.forEach((state, i) => {
            const model = models[i];
            const known = (k) => k in model.asked || model.flying.get(k);
            const news = Object.keys(state).filter((k) => !known(k) &&
                JSON.stringify(state[k]) !== JSON.stringify(model.state[k]));
            for (const key of news) model.state[key] = state[key];
            for (const key of news) for (const f of model.on_.get(`change:${key}`) ?? []) f();
        });
        window.answers = (window.answers ?? 0) + 1;
    };
    window.takeStates = take;
    window.waiting = 0; // questions without an answer
    const question = async (answer) => {
        window.waiting += 1;
        try { return await answer; } finally { window.waiting -= 1; }
    };
    for (const [i, { script, style, state }] of widgets.entries()) {
        const sheet = document.createElement("style");
        sheet.textContent = style;
        document.head.append(sheet);
        const on_ = new Map();
        const flying = new Map(); // what was set and is on its way: older news of it are none
        const model = {
            state: sent(state), asked: {}, flying, on_,
            get: (name) => model.state[name],
            set: (name, value) => { model.state[name] = value; model.asked[name] = value; },
            save_changes: async () => {
                const { asked } = model;
                model.asked = {};
                for (const key in asked) flying.set(key, (flying.get(key) ?? 0) + 1);
                const answer = await question(askPython(i, JSON.stringify(asked)));
                for (const key in asked) flying.set(key, flying.get(key) - 1);
                take(answer);
            },
            send: async (message) => take(await question(tellPython(i, JSON.stringify(message)))),
            on: (event, f) => on_.set(event, [...(on_.get(event) ?? []), f]),
            off: (event, f) => on_.set(event, (on_.get(event) ?? []).filter((g) => g !== f)),
        };
        models.push(model);
        const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        const { default: view } = await import(address);
        const place = document.createElement("div");
        document.querySelector(i && widgets.length > 2 ? ".beside" : "main").append(place);
        if (!i) {
            const beside = document.createElement("div");
            beside.className = "beside";
            document.querySelector("main").append(beside);
        }
        view.render({ model, el: place });
    }
}"""


QUIET = """async () => {
    for (let frame = 0; frame < 3; frame += 1) {
        if (window.waiting) return false;
        await new Promise(requestAnimationFrame);
    }
    return !window.waiting;
}"""


class Bare:
    """The page of some widgets; ``sync`` shows what Python changed by itself."""

    def __init__(self, page: Any, widgets: tuple[Any, ...]) -> None:
        self.page, self.widgets = page, widgets
        page.set_content(PAGE)
        page.expose_function("askPython", self._asked)
        page.expose_function("tellPython", self._told)
        given = [
            {"script": text(w, "_esm"), "style": text(w, "_css"), "state": shared(w)}
            for w in widgets
        ]
        page.evaluate(SCRIPT, given)
        laid_out(page)

    def sync(self) -> None:
        self.page.evaluate("takeStates", self._states())

    def quiet(self) -> None:
        """Until the page has its answers: a hand's next question follows within two frames."""
        settled(self.page, lambda: self.page.evaluate(QUIET))

    def _states(self) -> str:
        return json.dumps([shared(widget) for widget in self.widgets])

    def _asked(self, number: int, changes: str) -> str:
        widget = self.widgets[int(number)]
        widget.set_state(json.loads(changes))
        return self._states()

    def _told(self, number: int, message: str) -> str:
        widget = self.widgets[int(number)]
        widget._handle_custom_msg(json.loads(message), [])
        return self._states()


def shared(widget: Any) -> dict[str, Any]:
    """What a page gets to know of a widget, as it reads it."""
    state = widget.get_state()
    return {name: value for name, value in state.items() if name[0] != "_" and plain(value)}


def plain(value: Any) -> bool:
    try:
        json.dumps(value)
    except TypeError:
        return False
    return True


def text(widget: Any, name: str) -> str:
    return str(getattr(widget, name))
