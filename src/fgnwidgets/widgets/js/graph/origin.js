/* Where a learned number came from: the rows of the table that made it, and their sum.
 *
 *   bar    what equal rows add to the count of the cell, inside what they add to that of its row of
 *          the matrix
 *   fly    when a number is asked for, its rows' bars glide into the cell; who asked for less motion
 *          sees them where they are */

import { Component, calm, createRef, h, IconButton } from "../core/elements.js";
import { percent } from "../core/numbers.js";

/** @typedef {import("../scene").DrawnOrigin} Origin */

const GLIDE = 900; // ms of a bar's way
const AFTER = 70; // ms between two bars

/** The cell of a matrix as text. @param {Origin} origin */
const cellOf = ({ matrix, row, column }) => `${matrix} ${row} ${column}`;

/** @extends {Component<{origin: Origin, close: () => void, target: () => Element | null}>} */
export class OriginView extends Component {
  /** @type {import("preact").RefObject<HTMLElement | null>} */
  ref = createRef();

  /** @param {{origin: Origin}} next */
  shouldComponentUpdate(next) {
    return next.origin !== this.props.origin;
  }

  componentDidMount() {
    this.fly();
  }

  /** Another epoch of the same cell is no new question. @param {{origin: Origin}} before */
  componentDidUpdate({ origin }) {
    if (cellOf(origin) !== cellOf(this.props.origin)) this.fly();
  }

  /** The rows' bars glide into the cell. */
  fly() {
    const own = this.ref.current;
    const target = this.props.target();
    if (!own || !target || calm()) return;
    const home = own.getBoundingClientRect();
    const to = target.getBoundingClientRect();
    [...own.querySelectorAll(".fgn-adds")].forEach((bar, i) => {
      const from = bar.getBoundingClientRect();
      if (!from.width) return;
      const flying = document.createElement("i");
      flying.className = "fgn-flying";
      flying.style.cssText = `left:${from.left - home.left}px;top:${from.top - home.top}px;width:${from.width}px;height:${from.height}px`;
      own.append(flying);
      const [dx, dy] = [to.left - from.left, to.top + to.height / 2 - from.top - from.height / 2];
      const small = Math.min(1, to.width / from.width);
      const motion = flying.animate(
        [
          { transform: "none", opacity: 0.9 },
          { transform: `translate(${dx}px, ${dy}px) scaleX(${small})`, opacity: 0.9, offset: 0.9 },
          { transform: `translate(${dx}px, ${dy}px) scaleX(${small})`, opacity: 0 },
        ],
        { duration: GLIDE, delay: AFTER * i, easing: "ease-in-out", fill: "backwards" },
      );
      const end = () => flying.remove();
      motion.finished.then(end, end);
    });
  }

  render() {
    const { origin, close } = this.props;
    const { title, lines, rows, more, adds } = origin;
    return h(
      "section",
      { class: "fgn-origin", "aria-label": title, ref: this.ref },
      h(
        "div",
        { class: "fgn-origin-head" },
        h("strong", {}, title),
        h(IconButton, { icon: "close", name: "close the rows of this number", act: close }),
      ),
      rows.length ? h("p", { class: "fgn-origin-sum" }, lines[0]) : null,
      rows.length
        ? h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col" }, "row of the table"),
                h("th", { scope: "col" }, "times"),
                h(
                  "th",
                  { scope: "col" },
                  origin.rule === "ML" ? "responsibility" : `count of ${origin.rule}`,
                ),
                h("th", { scope: "col" }, "adds"),
              ),
            ),
            h("tbody", {}, ...rows.map((row) => drawRow(row))),
            h(
              "tfoot",
              {},
              more ? h("tr", {}, h("th", { scope: "row", colSpan: 4 }, more)) : null,
              h("tr", {}, h("th", { scope: "row", colSpan: 3 }, "sum"), h("td", {}, adds)),
            ),
          )
        : null,
      ...lines.slice(rows.length ? 1 : 0).map((line) => h("p", {}, line)),
    );
  }
}

/** @param {import("../scene").DrawnOriginRow} row */
const drawRow = ({ id, text, count, share, adds, bar, whole }) =>
  h(
    "tr",
    { key: id },
    h(
      "th",
      { scope: "row" },
      text,
      h(
        "span",
        { class: "fgn-origin-bar", "aria-hidden": "true" },
        h("i", { class: "fgn-whole", style: `width:${percent(whole)}` }),
        h("i", { class: "fgn-adds", style: `width:${percent(bar)}` }),
      ),
    ),
    h("td", {}, count),
    h("td", {}, share),
    h("td", {}, adds),
  );
