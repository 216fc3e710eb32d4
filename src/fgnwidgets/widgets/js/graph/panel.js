/* The panel beside the drawing: what is selected, in words and tables, some of which can be edited. */

import { Component, h } from "../core/elements.js";
import { Rows, refusedBelow } from "../core/matrix.js";
import { OriginView } from "./origin.js";
import { drawTable } from "./parts.js";

/** @typedef {import("./view.js").GraphPage} GraphPage */

/** @extends {Component<{view: GraphPage, panel: import("../scene").DrawnPanel, rows: any[] | null,
 *   origin: import("../scene").DrawnOrigin | null, open: any, fault: any, health: string}>} */
export class Panel extends Component {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.unfolded = false; // whether all messages are on show
    const ask = (/** @type {[string, number, number]} */ ...cell) => props.view.askOrigin(...cell);
    this.matrix = new Rows(props.view, ask);
  }

  /** @param {any} next */
  shouldComponentUpdate(next) {
    const now = this.props;
    return (
      next.panel !== now.panel ||
      next.rows !== now.rows ||
      next.origin !== now.origin ||
      next.open !== now.open ||
      next.fault !== now.fault ||
      next.health !== now.health
    );
  }

  /** The name of a state in the panel: large enough for any finger, however small the drawing is.
   *
   * @param {string} variable @param {string} text @param {number} i */
  stateButton(variable, text, i) {
    const { view, rows } = this.props;
    return h(
      "button",
      {
        type: "button",
        "aria-pressed": String(!!rows?.[i]?.on),
        "data-state": i + 1,
        onClick: () => view.request("toggle", { variable, state: i }),
      },
      text,
    );
  }

  render() {
    const { view, panel, fault, origin } = this.props;
    const { title, lines, below: under, tables, more, variable } = panel;
    const first =
      variable == null
        ? undefined
        : (/** @type {string} */ text, /** @type {number} */ i) =>
            this.stateButton(variable, text, i);
    return h(
      "div",
      {
        class: "fgn-panel",
        role: "region",
        "aria-label": "what is selected",
        tabindex: 0,
        onFocusOut: (/** @type {any} */ event) => this.matrix.left(event),
      },
      h("h4", {}, title),
      ...lines.map((line) => h("p", {}, line)),
      // Tables of another part are other elements: no field is taken over by another number.
      h(
        "div",
        { key: title },
        ...tables.map((table) =>
          drawTable(table, {
            first,
            field: table.edit ? this.matrix.field(table, fault) : undefined,
            below: refusedBelow(table, fault),
          }),
        ),
      ),
      origin
        ? h(OriginView, {
            origin,
            close: () => view.request("set", { origin: null }),
            target: () =>
              view.root?.querySelector(`.fgn-panel [data-cell="${origin.row},${origin.column}"]`) ??
              null,
          })
        : null,
      ...(under ?? []).map((line) => h("p", {}, line)),
      more
        ? h(
            "details",
            {
              open: this.unfolded,
              onToggle: (/** @type {any} */ e) => {
                this.unfolded = e.target.open;
                this.forceUpdate();
              },
            },
            h("summary", {}, more.caption),
            this.unfolded ? drawTable({ ...more, caption: "" }) : null,
          )
        : null,
    );
  }
}
