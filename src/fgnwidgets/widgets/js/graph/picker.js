/* The popover with all evidence that one variable can have: a state, likelihoods as bars to drag,
 * nothing. It keeps Tab inside for as long as there is something in it to go to; Tab beyond its ends
 * closes it, and so does whatever takes the focus elsewhere. */

import { newGesture } from "../core/drag.js";
import { Component, createRef, h } from "../core/elements.js";
import { onKey } from "../core/keys.js";
import { number, percent } from "../core/numbers.js";

/** @typedef {import("./view.js").GraphPage} GraphPage */

/** @extends {Component<{view: GraphPage, part: import("../scene").DrawnCard}>} */
export class Picker extends Component {
  constructor() {
    super();
    /** @type {import("preact").RefObject<HTMLElement | null>} */
    this.ref = createRef();
    this.gesture = newGesture("pick"); // names one drag of a bar after the other
  }

  componentDidMount() {
    this.place();
    this.ref.current?.querySelector("button")?.focus();
  }

  componentDidUpdate() {
    // A bar in someone's hand stays where the hand is.
    for (const bar of this.bars())
      if (bar !== this.props.view.active) bar.value = bar.dataset.to ?? "";
  }

  /** @returns {HTMLInputElement[]} */
  bars() {
    return [...(this.ref.current?.querySelectorAll("input") ?? [])];
  }

  /** Over the panel, where it hides no beliefs; below the card where the panel is not beside. */
  place() {
    const { view, part } = this.props;
    const root = this.ref.current;
    const frame = view.groupOf(part.id)?.querySelector(".fgn-card");
    if (!root || !frame || !view.root || !view.frame) return;
    const [home, panel, card] = [view.root, view.frame.panel, frame].map((e) =>
      e.getBoundingClientRect(),
    );
    const beside = view.frame.place !== "below";
    const left = (beside ? panel.left + 8 : card.left) - home.left;
    const first = view.frame.place === "inside" ? panel.top + 8 : card.top;
    const top = (beside ? first : card.bottom + 6) - home.top;
    const [above, below] = view.frame.band.map((edge) => edge - home.top);
    const { style } = root;
    style.maxHeight = `${Math.max(120, Math.min(320, below - above - 8))}px`;
    const { offsetWidth, offsetHeight } = root;
    const highest = Math.max(0, above + 4);
    const lowest = Math.min(home.height, below) - offsetHeight - 4;
    style.left = `${Math.max(0, Math.min(left, home.width - offsetWidth - 4))}px`;
    style.top = `${Math.max(highest, Math.min(top, lowest))}px`;
  }

  soften() {
    const values = this.bars().map(({ value }) => Number(value) / 100);
    const { view, part } = this.props;
    if (values.some((value) => value > 0))
      view.request("observe", { variable: part.variable, cell: values }, this.gesture);
  }

  /** @param {KeyboardEvent} event */
  key({ key, shiftKey }) {
    const { view } = this.props;
    if (key === "Escape") {
      view.closePicker(true);
      return true;
    }
    if (key !== "Tab") return false;
    const stops = [...(this.ref.current?.querySelectorAll("button, input") ?? [])];
    if (view.active !== stops.at(shiftKey ? 0 : -1)) return false;
    view.closePicker(true);
    return true;
  }

  render() {
    const { view, part } = this.props;
    const now = part.seen ?? null;
    /** @param {string} text @param {number | null} cell */
    const button = (text, cell) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(now === cell),
          onClick: () => view.request("observe", { variable: part.variable, cell }),
        },
        text,
      );
    return h(
      "div",
      {
        class: "fgn-picker",
        role: "dialog",
        tabindex: -1, // a press on its words stays inside
        "aria-label": `evidence on ${part.variable}`,
        ref: this.ref,
        ...onKey((event) => this.key(event)),
        onFocusOut: (/** @type {any} */ { relatedTarget }) => {
          if (relatedTarget && !this.ref.current?.contains(relatedTarget)) view.closePicker();
        },
      },
      h("strong", {}, part.variable),
      h("span", { class: "fgn-hint" }, "pick a state, or drag likelihoods"),
      ...part.rows.flatMap(({ full }, i) => {
        const value = Array.isArray(now) ? now[i] : now === null || now === i ? 1 : 0;
        return [
          button(full, i),
          h("input", {
            type: "range",
            min: 0,
            max: 100,
            defaultValue: String(Math.round(100 * value)),
            "data-to": Math.round(100 * value),
            "aria-label": `likelihood of ${full}`,
            style: `--v:${percent(value)}`,
            onInput: () => this.soften(),
            onChange: () => {
              this.gesture = newGesture("pick");
            },
          }),
          h("span", { class: "fgn-number" }, number(value)),
        ];
      }),
      button("nothing observed", null),
      h(
        "button",
        {
          type: "button",
          "aria-pressed": String(view.scene.target === part.variable),
          onClick: () => {
            const asked = view.scene.target === part.variable;
            view.request("set", { target: asked ? null : part.variable });
          },
        },
        `ask what tells of ${part.variable}`,
      ),
    );
  }
}
