/* The bar of a lab: its title, what can be done, how far a run is, and what is said.
 *
 * It also looks after the whole lab that it stands in, whose controls are those of ipywidgets: gives
 * them names for screen readers, moves sliders by keys, which Jupyter would take away, tells Python
 * which changes belong to one gesture, and says where Python is busy or gone. A row of controls of the
 * class fgn-control-3 has the fourth name. */

import { drag, newGesture } from "../core/drag.js";
import { Fragment, h, IconButton } from "../core/elements.js";
import { listenForKeys } from "../core/keys.js";
import { PageView } from "../core/page_view.js";

/** @typedef {import("../core/page_view.js").Given} Given */
/**
 * @typedef {object} BarScene
 * @property {string} title @property {string} said @property {boolean} wrong
 * @property {{state: "" | "running" | "held", share: number}} run
 * @property {string} pinned @property {string[]} panels @property {string} open
 * @property {string} text @property {[string, string, string][]} files @property {string} news
 * @property {boolean} undo @property {boolean} redo @property {string} status
 */

const WATCHED = ["class", "aria-valuenow", "src"];
const TIPS = /** @type {Record<string, string>} */ ({
  numbers: "What the picture shows, in numbers",
  code: "The lines of Python that give the same figure without the lab",
  files: "Download the data and the picture",
});
const PAGES = 10; // positions of a slider that a page key moves it

/** By how many positions a key moves a slider. @type {Record<string, number>} */
const STEPS = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
  PageUp: PAGES,
  PageDown: -PAGES,
  Home: -1e6,
  End: 1e6,
};

/** @param {Element | null | undefined} node @param {string} attribute @param {string} text */
function put(node, attribute, text) {
  if (node && node.getAttribute(attribute) !== text) node.setAttribute(attribute, text);
}

/** No listener below the window hears of a moving pointer until its button is up.
 *
 * @param {AbortSignal} signal */
function deafen(signal) {
  const life = new AbortController();
  const options = { capture: true, signal: AbortSignal.any([signal, life.signal]) };
  for (const kind of ["pointermove", "mousemove", "touchmove"])
    window.addEventListener(kind, (event) => event.stopImmediatePropagation(), options);
  for (const kind of ["pointerup", "pointercancel"])
    window.addEventListener(kind, () => life.abort(), options);
}

/** The number in the class of a row. @param {Element} row */
const numberOf = (row) => Number(/fgn-control-(\d+)/.exec(row.className)?.[1]);

/** @extends {PageView<BarScene>} */
export class LabBar extends PageView {
  /** @param {Given} given */
  constructor(given) {
    super(given);
    /** @type {HTMLElement | null} */
    this.lab = null;
    this.copied = "";
    this.keyed = "";
    this.begin();
    const { signal } = this.life;
    const watch = new MutationObserver(() => this.name());
    const find = setInterval(() => {
      this.lab = this.el.isConnected ? this.el.closest(".fgn-lab") : null;
      if (!this.lab) return;
      clearInterval(find);
      this.settle(this.lab);
      // Widgets arrive one by one, and some are made anew: look again whenever the page changes. A
      // number's box changes without a sign after its slider has moved: the picture is the sign.
      const what = { subtree: true, childList: true, attributes: true, attributeFilter: WATCHED };
      watch.observe(this.lab, what);
      this.name();
    }, 50);
    signal.addEventListener("abort", () => {
      clearInterval(find);
      watch.disconnect();
    });
  }

  /* -- the lab around the bar -- */

  /** @param {HTMLElement} lab */
  settle(lab) {
    const { signal } = this.life;
    const options = { signal, capture: true };
    // Each press and each key, however long it is held, is one gesture; undo takes it back as one.
    lab.addEventListener(
      "pointerdown",
      (event) => {
        const name = newGesture("grip");
        this.request("grip", { name });
        const slider = /** @type {any} */ (event.target)?.closest?.(".noUi-target");
        if (slider?.noUiSlider) this.follow(event, slider, name);
      },
      options,
    );
    for (const kind of ["input", "change", "pointerup"]) {
      lab.addEventListener(kind, () => this.requests.make("ping", {}, "ping"), options);
    }
    lab.addEventListener(
      "fgnkey",
      (/** @type {any} */ asked) => {
        if (!asked.defaultPrevented && this.key(asked.detail, asked.target)) asked.preventDefault();
      },
      { signal },
    );
    listenForKeys(
      () => this.lab,
      signal,
      () => this.dragging,
    );
  }

  /** A slider is dragged, which ipywidgets does by noUiSlider. Escape takes it back: the knob, and what
   * Python has made of it; nothing moves it further until the button is up.
   *
   * @param {PointerEvent} event @param {any} slider @param {string} name of the gesture */
  follow(event, slider, name) {
    const before = slider.noUiSlider.get(true);
    drag(
      event,
      () => {
        this.dragging = true;
      },
      (cancelled) => {
        this.dragging = false;
        if (!cancelled) return;
        deafen(this.life.signal);
        slider.noUiSlider.set(before);
        this.requests.cancel(name);
      },
    );
  }

  /** @param {KeyboardEvent} event @param {any} target @returns {boolean} */
  key(event, target) {
    const { key, shiftKey, altKey } = event;
    if ((event.ctrlKey || event.metaKey) && !altKey) {
      const typed = target.matches?.("input[type=number]") && target.value !== this.entered(target);
      const word = { z: shiftKey ? "redo" : "undo", y: "redo" }[key.toLowerCase()];
      if (!word || typed) return false;
      this.request(word);
      return true;
    }
    const slider = target.closest?.("[role=slider]");
    const row = slider?.closest(".fgn-control");
    if (!row || !(key in STEPS) || altKey) return false;
    if (!event.repeat) this.keyed = newGesture("key");
    this.request("step", { row: numberOf(row), by: STEPS[key] }, this.keyed, false);
    return true;
  }

  /** What stands in a number's box while nobody types: ipywidgets writes it as the slider says.
   * @param {HTMLInputElement} box */
  entered(box) {
    return box.dataset.fgnEntered ?? box.value;
  }

  /** Names what ipywidgets leaves without a name. */
  name() {
    const { lab } = this;
    if (!lab || this.life.signal.aborted) return;
    this.kernel.look();
    lab.classList.toggle("fgn-lost", this.health === "gone");
    const names = this.model.get("names");
    for (const row of lab.querySelectorAll(".fgn-control")) {
      const text = names[numberOf(row)] ?? "";
      for (const node of row.querySelectorAll(
        "[role=slider], input:not([type=checkbox]), select",
      )) {
        put(node, "aria-label", text);
      }
      /** @type {HTMLInputElement | null} */
      const box = row.querySelector("input[type=number]"); // a slider's own number is a position
      if (box) {
        put(row.querySelector("[role=slider]"), "aria-valuetext", box.value);
        if (box.getRootNode() instanceof Document && document.activeElement !== box)
          box.dataset.fgnEntered = box.value;
      }
      const ticks = row.querySelectorAll("[type=checkbox]");
      if (row.matches(".fgn-boxes")) {
        put(row, "role", "group");
        put(row, "aria-label", text);
      } else if (ticks.length === 1) put(ticks[0], "aria-label", text);
    }
    for (const node of lab.querySelectorAll(".widget-toggle-button")) {
      put(node, "aria-pressed", String(node.classList.contains("mod-active")));
    }
    for (const icon of lab.querySelectorAll("i.fa")) {
      const [, what] = /fa-(play|pause|stop|repeat|retweet)/.exec(icon.className) ?? [];
      if (what) put(icon.closest("button"), "aria-label", what);
    }
  }

  update() {
    super.update();
    this.lab?.classList.toggle("fgn-lost", this.health === "gone");
  }

  /* -- what is drawn -- */

  get news() {
    const { said, wrong, news } = this.scene;
    const health = this.health === "ready" ? "" : this.told;
    return health || this.scene.status || (wrong ? said : this.quietly(said)) || news;
  }

  /** Of a run only its ends and pauses are told, not each epoch. @param {string} said */
  quietly(said) {
    return this.scene.run.state === "running" ? "" : said;
  }

  tree() {
    const { scene } = this;
    const gone = this.health === "gone";
    const told = this.told;
    const alarm = gone || (!told && scene.wrong) || (!!told && told === scene.status);
    return h(
      "div",
      { class: "fgn-widget fgn-lab-bar", "data-run": scene.run.state || "rest" },
      h(
        "div",
        { class: "fgn-bar" },
        h("strong", { class: "fgn-lab-title" }, scene.title),
        h(
          "span",
          { class: "fgn-player" },
          h(IconButton, {
            icon: "undo",
            name: "undo",
            act: () => this.request("undo"),
            disabled: gone || !scene.undo,
          }),
          h(IconButton, {
            icon: "redo",
            name: "redo",
            act: () => this.request("redo"),
            disabled: gone || !scene.redo,
          }),
        ),
        this.button("Reset", "Back to the first values", () => this.request("reset")),
        this.button(
          "Pin",
          "Keep the curves of this picture, pale, and the colours of its matrices, as small squares",
          () => this.request("pin"),
          scene.pinned !== "",
        ),
        h(
          "span",
          { class: "fgn-lab-panels" },
          scene.panels.map((name) =>
            this.button(
              name,
              TIPS[name] ?? name,
              () => this.request("panel", { name }),
              scene.open === name,
            ),
          ),
        ),
        this.running(),
        h(
          "span",
          { class: "fgn-lab-said", "data-alarm": alarm || undefined },
          told || scene.said || scene.pinned,
        ),
      ),
      this.panel(),
      h("div", { class: "fgn-spoken", role: "status" }),
    );
  }

  /** @param {string} text @param {string} tip @param {() => void} act @param {boolean} [pressed] */
  button(text, tip, act, pressed) {
    const attributes = {
      type: "button",
      title: tip,
      onClick: act,
      disabled: this.health === "gone",
    };
    return h("button", { ...attributes, "aria-pressed": pressed }, text);
  }

  /** The progress of a run, which keeps its place. */
  running() {
    const { state, share } = this.scene.run;
    const held = state === "held";
    return h(
      "span",
      { class: "fgn-lab-run", style: { visibility: state ? "visible" : "hidden" } },
      h("progress", { value: share, "aria-label": "share of the run that is done" }),
      this.button(held ? "Go on" : "Pause", "Hold the run, and go on later", () =>
        this.request(held ? "go on" : "hold"),
      ),
      this.button("Stop", "End the run and keep what there is", () => this.request("stop")),
    );
  }

  panel() {
    const { open, text, files } = this.scene;
    if (!open) return null;
    if (files.length) {
      const link = (/** @type {[string, string, string]} */ [name, type, data]) =>
        h(
          Fragment,
          null,
          h("a", { download: name, href: `data:${type};base64,${data}` }, name),
          " ",
        );
      return h("p", { class: "fgn-lab-files" }, files.map(link));
    }
    return h(
      "div",
      { class: "fgn-lab-panel" },
      h("pre", { tabindex: 0 }, text),
      h(
        "button",
        { type: "button", onClick: () => this.copy(text) },
        this.copied === text ? "Copied" : "Copy",
      ),
    );
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.copied = text;
      this.update();
    } catch {
      // not on a secure page: select it, so that a key copies it
      const pre = this.root?.querySelector(".fgn-lab-panel pre");
      if (pre) getSelection()?.selectAllChildren(pre);
    }
  }
}
