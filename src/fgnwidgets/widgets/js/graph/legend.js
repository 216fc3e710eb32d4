/* The legend: all marks of a drawing, each with its name and an example that is drawn by the functions
 * that draw the graph. Python has the words. */

import { Component, createRef, h, IconButton, looks } from "../core/elements.js";
import { onKey } from "../core/keys.js";
import { drawPart } from "./parts.js";

/** @typedef {import("../scene").LegendMark} LegendMark */

/** @param {LegendMark["part"]} part */
function example(part) {
  const [wide, high] =
    part.kind === "variable"
      ? [/** @type {any} */ (part).w + 2, /** @type {any} */ (part).h + 10]
      : [120, 56];
  return h(
    "svg",
    { viewBox: `-1 -1 ${wide + 2} ${high + 2}`, width: wide, height: high, "aria-hidden": "true" },
    h(
      "g",
      {
        class: looks("part", part.kind, part.look),
        style: part.hue == null ? null : `--hue: var(--fgn-hue-${part.hue})`,
      },
      ...drawPart(part),
    ),
  );
}

/** @extends {Component<{marks: LegendMark[], close: () => void}>} */
export class Legend extends Component {
  constructor() {
    super();
    /** @type {import("preact").RefObject<HTMLElement | null>} */
    this.ref = createRef();
  }

  componentDidMount() {
    this.ref.current?.querySelector("button")?.focus();
  }

  shouldComponentUpdate() {
    return false; // it never changes
  }

  render() {
    const { marks, close } = this.props;
    return h(
      "div",
      {
        class: "fgn-legend",
        role: "dialog",
        tabindex: -1,
        "aria-label": "what the marks mean",
        ref: this.ref,
        ...onKey(({ key }) => {
          if (key !== "Escape") return false;
          close();
          return true;
        }),
      },
      h(
        "div",
        { class: "fgn-bar" },
        h("strong", {}, "What the marks mean"),
        h(IconButton, { icon: "close", name: "close", act: close }),
      ),
      h(
        "dl",
        { tabindex: 0, "aria-label": "marks" },
        ...marks.map(({ key, name, words, part }) =>
          h(
            "div",
            { key, "data-key": key },
            h("dt", {}, example(part), h("strong", {}, name)),
            h("dd", {}, words),
          ),
        ),
      ),
    );
  }
}
