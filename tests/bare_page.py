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

SCRIPT = """async ({ models: given, latency, views }) => {
    const models = new Map(); // by their ids
    const sent = window.asSent ?? ((state) => state); // a page may get it in another way
    const later = () => new Promise((done) => setTimeout(done, latency / 2));
    const take = async (answer) => {
        await later();
        const { states, messages } = JSON.parse(answer);
        for (const [id, state] of Object.entries(sent(states))) {
            const model = models.get(id);
            const known = (k) => k in model.asked || model.flying.get(k);
            const news = Object.keys(state).filter((k) => !known(k) &&
                JSON.stringify(state[k]) !== JSON.stringify(model.state[k]));
            for (const key of news) model.state[key] = state[key];
            for (const key of news) model.tell(`change:${key}`);
        }
        for (const [id, message] of messages) models.get(id).tell("msg:custom", message);
        window.answers = (window.answers ?? 0) + 1;
    };
    window.takeStates = take;
    window.waiting = 0; // questions without an answer
    window.bareModels = models;
    let way = Promise.resolve(); // what is said arrives in order
    const question = (ask) => {
        window.waiting += 1;
        const never = new Promise(() => {});
        const arrived = Promise.all([later(), way]).then(() => (window.silent ? never : ask()));
        way = arrived.catch(() => {});
        return arrived.then(take).finally(() => { window.waiting -= 1; });
    };
    const manager = { get_model: async (id) => models.get(id) };
    for (const { id, state } of given) {
        const on_ = new Map();
        const flying = new Map(); // what was set and is on its way: older news of it are none
        const model = {
            state: sent(state), asked: {}, flying, on_, widget_manager: manager,
            get: (name) => model.state[name],
            set: (name, value) => { model.state[name] = value; model.asked[name] = value; },
            save_changes: async () => {
                const { asked } = model;
                model.asked = {};
                for (const key in asked) flying.set(key, (flying.get(key) ?? 0) + 1);
                await question(() => {
                    for (const key in asked) flying.set(key, flying.get(key) - 1);
                    return askPython(id, JSON.stringify(asked));
                });
            },
            send: (message) => question(() => tellPython(id, JSON.stringify(message))),
            on: (event, f) => on_.set(event, [...(on_.get(event) ?? []), f]),
            off: (event, f) => on_.set(event, (on_.get(event) ?? []).filter((g) => g !== f)),
            tell: (event, ...news) => { for (const f of on_.get(event) ?? []) f(...news); },
        };
        models.set(id, model);
    }
    const shown = given.filter(({ script }) => script);
    window.given = shown; // to show them once more
    window.showBare = async ({ id, script, style }, beside) => {
        const sheet = document.createElement("style");
        sheet.textContent = style;
        document.head.append(sheet);
        const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
        const { default: view } = await import(address);
        const place = document.createElement("div");
        const home = document.querySelector(beside ? ".beside" : "main");
        if (window.inShadow) {
            home.append(place);
            place.attachShadow({ mode: "open" });
            const inner = document.createElement("div");
            place.shadowRoot.append(inner);
            return view.render({ model: models.get(id), el: inner });
        }
        home.append(place);
        return view.render({ model: models.get(id), el: place });
    };
    window.endings = [];
    for (const [i, widget] of shown.entries()) {
        for (let view = 0; view < views; view += 1) {
            window.endings.push(await window.showBare(widget, i && shown.length > 2));
        }
        if (!i) {
            const beside = document.createElement("div");
            beside.className = "beside";
            document.querySelector("main").append(beside);
        }
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
    """The page of some widgets; ``sync`` shows what Python changed by itself.

    ``latency`` are the ms between a question and its answer, ``views`` how often each is shown.
    """

    def __init__(
        self, page: Any, widgets: tuple[Any, ...], latency: float = 0, views: int = 1
    ) -> None:
        self.page, self.widgets = page, widgets
        self.models = {w.model_id: w for w in widgets}
        scripts = {w.script.model_id: w.script for w in widgets if hasattr(w, "script")}
        self.told: list[tuple[str, Any]] = []  # what Python said beside its states
        for widget in widgets:
            widget.send = lambda message, buffers=None, of=widget.model_id: self.told.append(
                (of, message)
            )
        page.set_content(PAGE)
        page.expose_function("askPython", self._asked)
        page.expose_function("tellPython", self._heard)
        given = [{"id": name, "state": shared(script)} for name, script in scripts.items()]
        given += [
            {"id": k, "script": text(w, "_esm"), "style": text(w, "_css"), "state": shared(w)}
            for k, w in self.models.items()
        ]
        page.evaluate(SCRIPT, {"models": given, "latency": latency, "views": views})
        laid_out(page)

    def sync(self) -> None:
        self.page.evaluate("takeStates", self._states())

    def quiet(self) -> None:
        """Until the page has its answers: a hand's next question follows within two frames."""
        settled(self.page, lambda: self.page.evaluate(QUIET))

    def gone(self) -> None:
        """The kernel of all widgets ends."""
        self.page.evaluate(GONE)

    def _states(self) -> str:
        states = {name: shared(widget) for name, widget in self.models.items()}
        messages, self.told = self.told, []
        return json.dumps({"states": states, "messages": messages})

    def _asked(self, name: str, changes: str) -> str:
        self.models[name].set_state(json.loads(changes))
        return self._states()

    def _heard(self, name: str, message: str) -> str:
        self.models[name]._handle_custom_msg(json.loads(message), [])
        return self._states()


GONE = """() => {
    window.silent = true;
    for (const model of window.bareModels.values()) model.tell("comm_live_update");
}"""


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
    return str(getattr(widget, name, ""))
