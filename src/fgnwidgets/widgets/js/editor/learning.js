/* Learning in the graph editor: its settings, a button, and the likelihood of every start by epoch. */

import { Component, h, Menu } from "../core/elements.js";
import { Field } from "../core/field.js";

/** @typedef {import("../scene").EditorCurve} Curve */
/** @typedef {import("../scene").EditorScene} Scene */

const PLOT = { width: 380, height: 104, left: 62, right: 10, top: 8, bottom: 18 };

/** @type {[keyof import("../scene").LearningForm, string][]} */
const NUMBERS = [
  ["restarts", "starts"],
  ["n_epochs", "epochs"],
  ["seed", "seed"],
];

/** @extends {Component<{view: import("./view.js").EditorPage, scene: Scene, curve: Curve | null,
 *   open: any, health: string}>} */
export class Learning extends Component {
  constructor() {
    super();
    /** @type {number | null} the point of the curves that the pointer is at */
    this.cursor = null;
  }

  /** @param {any} next */
  shouldComponentUpdate(next) {
    const now = this.props;
    return (
      next.scene !== now.scene ||
      next.curve !== now.curve ||
      next.open !== now.open ||
      next.health !== now.health
    );
  }

  render() {
    const { view, scene, curve, health } = this.props;
    const { learning, rules, warnings } = scene;
    const gone = health === "gone";
    const asked = (/** @type {string} */ name) =>
      view.requests.open.some(({ do: what, with: given }) => what === "settings" && name in given);
    return h(
      "div",
      { class: "fgn-learning", role: "group", "aria-label": "learning" },
      h(
        "div",
        { class: "fgn-form" },
        h("strong", {}, "Learn"),
        h(
          "label",
          {},
          "rule",
          h(Menu, {
            name: "rule",
            value: learning.rule,
            options: /** @type {[unknown, string][]} */ (rules),
            act: (rule) => view.request("settings", { rule }),
            disabled: gone,
          }),
        ),
        ...NUMBERS.map(([name, text]) =>
          h(
            "label",
            { key: name },
            text,
            h(Field, {
              value: String(learning[name]),
              waiting: asked(name),
              commit: (/** @type {string} */ typed) => view.request("settings", { [name]: typed }),
              attributes: {
                inputMode: "numeric",
                "data-key": name,
                "aria-label": text,
                disabled: gone,
              },
            }),
          ),
        ),
        h(
          "button",
          {
            type: "button",
            class: "fgn-main",
            disabled: gone,
            onClick: () => view.request(curve?.running ? "stop" : "learn"),
          },
          curve?.running ? "Stop" : "Learn",
        ),
      ),
      curve?.lines ? this.plot(curve) : h("p", { class: "fgn-hint" }, this.hint(scene)),
      warnings.length
        ? h(
            "ul",
            { class: "fgn-warnings", "aria-label": "what a careful reader should know" },
            ...warnings.map((text) => h("li", {}, text)),
          )
        : null,
    );
  }

  /** @param {Scene} scene */
  hint({ table }) {
    return table
      ? "Learn the matrices from the table: the likelihood of every start will be drawn here."
      : "Drop a CSV file on the board: what is learned from it is drawn here.";
  }

  /** @param {Curve} curve */
  plot(curve) {
    const { width, height, left, right, top, bottom } = PLOT;
    const { epochs, lines, high, low, running } = curve;
    const best = lines[curve.best];
    const span = high - low || 1;
    const digits = Math.min(Math.max(1, Math.ceil(-Math.log10(span))), 6); // so that both ends differ
    const of = running ? curve.of : curve.last;
    const x = (/** @type {number} */ epoch) =>
      left + ((width - left - right) * epoch) / Math.max(of, 1);
    const y = (/** @type {number} */ value) =>
      top + ((height - top - bottom) * (high - Math.max(value, low))) / span;
    /** @param {(number | null)[]} values @param {string} look */
    const line = (values, look) =>
      h("polyline", {
        class: look,
        points: values
          .map((v, i) => (v == null ? "" : `${x(epochs[i]).toFixed(1)},${y(v).toFixed(1)}`))
          .join(" ")
          .trim(),
      });
    /** @param {string} text @param {number} tx @param {number} ty */
    const word = (text, tx, ty, anchor = "end") =>
      h("text", { x: tx, y: ty, "text-anchor": anchor }, text);
    const floor = height - bottom;
    const at = this.cursor === null || this.cursor >= epochs.length ? null : this.cursor;
    const told = at === null ? this.told(curve) : this.toldAt(curve, at);
    return h(
      "div",
      { class: "fgn-result" },
      h(
        "svg",
        {
          class: "fgn-curve",
          role: "img",
          viewBox: `0 0 ${width} ${height}`,
          "aria-label": `log-likelihood by epoch, a line for each start; ${this.told(curve)}`,
          onPointerMove: (/** @type {any} */ event) => this.read(event, curve, of),
          onPointerLeave: () => this.put(null),
        },
        h("path", { class: "fgn-axis", d: `M${left},${top}V${floor}H${width - right}` }),
        ...lines.map((values, i) => (i === curve.best ? null : line(values, "fgn-other"))),
        line(best, "fgn-best"),
        word(high.toFixed(digits), left - 5, top + 8),
        word(low.toFixed(digits), left - 5, floor),
        word("0", left, height - 4, "middle"),
        word(`epoch ${of}`, width - right, height - 4),
        at === null
          ? null
          : h("path", { class: "fgn-cursor", d: `M${x(epochs[at])},${top}V${floor}` }),
      ),
      h("div", { class: "fgn-ends-text" }, told),
    );
  }

  /** @param {Curve} curve */
  told({ lines, best, running, last, of }) {
    const many = lines.length === 1 ? "one start" : `best of ${lines.length} starts`;
    const when = running ? `epoch ${last} of ${of}` : `after ${last} epochs`;
    return `${when}: log-likelihood ${lines[best].at(-1)?.toFixed(2) ?? "none"}, ${many}`;
  }

  /** @param {Curve} curve @param {number} at */
  toldAt({ epochs, lines, best }, at) {
    return `epoch ${epochs[at]}: best log-likelihood ${lines[best][at]?.toFixed(3) ?? "none"}`;
  }

  /** The numbers under the pointer. @param {any} event @param {Curve} curve @param {number} of */
  read({ clientX, currentTarget }, { epochs }, of) {
    const box = currentTarget.getBoundingClientRect();
    const { width, left, right } = PLOT;
    const share = (((clientX - box.left) / box.width) * width - left) / (width - left - right);
    const far = (/** @type {number} */ i) => Math.abs(epochs[i] - share * of);
    this.put(epochs.reduce((best, _, i) => (far(i) < far(best) ? i : best), 0));
  }

  /** @param {number | null} cursor */
  put(cursor) {
    if (cursor === this.cursor) return;
    this.cursor = cursor;
    this.forceUpdate();
  }
}
