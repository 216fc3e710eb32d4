/* The menu behind "more": what a beginner does without, in words. It lies over the page, so that nothing
 * moves; Escape, a press outside, and a focus that goes elsewhere close it. */

import { Component, createRef, h, IconButton, Menu } from "../core/elements.js";
import { onKey } from "../core/keys.js";

/** @typedef {import("./view.js").GraphPage} GraphPage */

const STEP = 1.25; // by which a drawing grows and shrinks

/** @type {[unknown, string][]} */
const FORMS = [
  ["normal", "normal form"],
  ["bayes", "Bayesian graph"],
];
/** @type {[unknown, string][]} */
const SCHEDULES = [
  ["two sweeps", "two sweeps (exact)"],
  ["flooding", "flooding (all at once)"],
];
/** @type {[unknown, string][]} */
const STARTS = [
  [null, "all alike (uniform)"],
  ...[1, 2, 3].map((n) => /** @type {[unknown, string]} */ ([n, `random numbers ${n}`])),
];

/** @extends {Component<{view: GraphPage}>} */
export class More extends Component {
  constructor() {
    super();
    /** @type {import("preact").RefObject<HTMLElement | null>} */
    this.ref = createRef();
  }

  componentDidMount() {
    const { view } = this.props;
    const root = this.ref.current;
    if (!root || !view.root || !view.frame) return;
    const [home, button] = [view.root, view.root.querySelector("[data-more-button]")].map((e) =>
      /** @type {Element} */ (e).getBoundingClientRect(),
    );
    const below = button.bottom - home.top + 4;
    const left = Math.min(button.left - home.left, home.width - root.offsetWidth - 4);
    root.style.left = `${Math.max(0, left)}px`;
    root.style.top = `${below}px`;
    root.style.maxHeight = `${Math.max(180, view.frame.band[1] - button.bottom - 12)}px`;
    /** @type {any} */ (root.querySelector("select, button"))?.focus();
  }

  /** A line with words and a list. @param {string} words @param {string} name
   * @param {"form" | "schedule" | "start" | "target"} face @param {[unknown, string][]} options */
  list(words, name, face, options) {
    const { view } = this.props;
    return h(
      "label",
      {},
      h("span", {}, words),
      h(Menu, {
        name,
        value: view.scene[face],
        options,
        act: (value) => view.request("set", { [face]: value }),
        disabled: view.health === "gone",
      }),
    );
  }

  /** @param {string} text @param {() => void} act @param {Record<string, unknown>} [more] */
  button(text, act, more = {}) {
    return h("button", { type: "button", onClick: act, ...more }, text);
  }

  render() {
    const { view } = this.props;
    const { scene, frame } = view;
    const gone = view.health === "gone";
    const asked = view.requests.open.findLast(({ do: what }) => what === "pin" || what === "unpin");
    const pinned = asked ? asked.do === "pin" : scene.pinned != null;
    const variables = scene.parts.flatMap((part) =>
      part.kind === "variable" ? [/** @type {any} */ (part).variable] : [],
    );
    /** @type {[unknown, string][]} */
    const targets = [[null, "nothing"], ...variables.map((v) => /** @type {any} */ ([v, v]))];
    return h(
      "div",
      {
        class: "fgn-menu",
        role: "dialog",
        tabindex: -1, // a press on its words stays inside
        "aria-label": "more",
        ref: this.ref,
        ...onKey(({ key, shiftKey }) => {
          const stops = [
            .../** @type {HTMLElement} */ (this.ref.current).querySelectorAll(
              ":is(select, input, button):enabled",
            ),
          ];
          const leaves = key === "Tab" && view.active === stops.at(shiftKey ? 0 : -1);
          if (key !== "Escape" && !leaves) return false;
          view.closeMore(true);
          return true;
        }),
        onFocusOut: (/** @type {any} */ { relatedTarget }) => {
          const kept = relatedTarget?.closest?.(".fgn-menu, [data-more-button]");
          if (relatedTarget && !kept) view.closeMore();
        },
      },
      scene.forms.includes("bayes") ? this.list("drawn as", "which drawing", "form", FORMS) : null,
      this.list("messages are sent in", "schedule", "schedule", SCHEDULES),
      this.list("they begin as", "start of the messages", "start", STARTS),
      this.list("ask what tells of", "target", "target", targets),
      h(
        "label",
        { class: "fgn-check" },
        h("input", {
          type: "checkbox",
          checked: view.stepping,
          onChange: (/** @type {any} */ event) => view.stepwise(event.target.checked),
        }),
        "go round by round",
      ),
      h(
        "label",
        { class: "fgn-check" },
        h("input", {
          type: "checkbox",
          checked: pinned,
          disabled: gone,
          onChange: (/** @type {any} */ event) =>
            view.request(event.target.checked ? "pin" : "unpin"),
        }),
        "pin these beliefs, to compare",
      ),
      h(
        "div",
        { class: "fgn-player" },
        h(IconButton, { icon: "smaller", name: "smaller", act: () => frame?.rescale(1 / STEP) }),
        h(IconButton, { icon: "larger", name: "larger", act: () => frame?.rescale(STEP) }),
        h(IconButton, { icon: "whole", name: "all in sight", act: () => frame?.rescale(null) }),
        h(IconButton, {
          icon: "redo",
          name: "redo (Ctrl+Shift+Z)",
          act: () => view.request("redo"),
          disabled: !scene.redo || gone,
        }),
      ),
      this.button("copy as Python", () => view.askCode("code"), {
        disabled: gone,
        "data-copy": "",
      }),
      this.button("copy a link", () => view.askCode("link"), { disabled: gone }),
      this.button("what the marks mean", () => view.openLegend()),
    );
  }
}
