/* The forms beside the board: all that is typed or ticked has its field here.
 *
 *   form   of the selected variable or arrow; without one, how to draw, and the table
 *
 * A name is that of the variable since its last request (`view.now`), as what leaves the field of the name
 * may be a press on a button. */

import { Component, h, Menu, same } from "../core/elements.js";
import { Field } from "../core/field.js";
import { Rows, refusedBelow } from "../core/matrix.js";
import { drawTable } from "../graph/parts.js";

/** @typedef {import("./view.js").EditorPage} EditorPage */
/** @typedef {import("../scene").VariableForm} VariableForm */
/** @typedef {import("../scene").TableForm} TableForm */

/** @type {[unknown, string][]} */
const LEARNING = [
  [false, "observed"],
  [true, "hidden"],
];

/** @extends {Component<{view: EditorPage, form: any, table: TableForm | null, open: any, fault: any,
 *   health: string, id: number}>} */
export class Forms extends Component {
  /** @param {any} props */
  constructor(props) {
    super(props);
    this.matrix = new Rows(props.view);
  }

  /** @param {any} next */
  shouldComponentUpdate(next) {
    const now = /** @type {any} */ (this.props);
    return ["form", "table", "open", "fault", "health", "id"].some((k) => next[k] !== now[k]);
  }

  render() {
    const { form, table, id } = this.props;
    const contents =
      form?.kind === "variable"
        ? this.variable(form)
        : form
          ? this.arrow(form)
          : this.help(table ?? null);
    return h(
      "div",
      {
        class: "fgn-panel",
        role: "region",
        "aria-label": "what is selected",
        tabindex: 0,
        onFocusOut: (/** @type {any} */ event) => this.matrix.left(event),
      },
      h("div", { key: id, class: "fgn-own" }, ...contents.filter(Boolean)),
    );
  }

  get gone() {
    return this.props.health === "gone";
  }

  /** @param {string} text @param {() => void} act @param {string} [key] */
  button(text, act, key) {
    return h(
      "button",
      { type: "button", onClick: act, disabled: this.gone, "data-key": key },
      text,
    );
  }

  /** @param {TableForm | null} table */
  help(table) {
    const { view } = this.props;
    const key = (/** @type {string} */ text) => h("kbd", {}, text);
    const item = (/** @type {any[]} */ ...text) => h("li", {}, ...text);
    return [
      h("h4", {}, "How to draw"),
      h(
        "ul",
        {},
        item("Variable: double-click the ground, or ", key("n"), "."),
        item(
          ...["Arrow: drag from the circle under a card to another card, or ", key("c"), ", "],
          ...["arrow keys, ", key("Enter"), "."],
        ),
        item("Known: click a state, or ", key("1"), " to ", key("9"), "; ", key("0"), " forgets."),
        item("Hidden from learning: ", key("h"), ". Turn an arrow round: ", key("t"), "."),
        item(
          ...["Move: drag a card, or ", key("Shift"), " and arrow keys; ", key("Esc"), " in a "],
          "drag takes it back.",
        ),
        item("Name, states, matrix: click a card's name, or ", key("Enter"), "."),
        item("Take away: ", key("Delete"), ". Back: ", key("Ctrl"), " ", key("Z"), "."),
      ),
      table && h("h4", {}, `${table.name}: ${table.rows} rows`),
      table && h("p", {}, `observed: ${table.observed.join(", ") || "nothing"}`),
      table?.numbers.length
        ? h(
            "label",
            { class: "fgn-field" },
            "rows count",
            h(Menu, {
              name: "how often a row is there",
              value: table.weight,
              options: [
                [null, "once"],
                ...table.numbers.map(
                  (name) => /** @type {[unknown, string]} */ ([name, `column ${name}`]),
                ),
              ],
              act: (column) => view.request("weigh", { column }),
              disabled: this.gone,
              "data-key": "weight",
            }),
          )
        : null,
      ...(table?.free ?? []).map((name) =>
        this.button(`Add ${name}`, () => view.request("add", { name, states: "" }), `add ${name}`),
      ),
      ...(table?.left_out ?? []).map(([, why]) => h("p", {}, `left out: ${why}`)),
      table && this.button("Take the table away", () => view.request("no table"), "no table"),
    ];
  }

  /** @param {{parent: string, child: string}} form */
  arrow({ parent, child }) {
    const { view } = this.props;
    return [
      h("h4", {}, `Arrow from ${parent} to ${child}`),
      h("p", {}, `The matrix of ${child} has rows for the states of ${parent}.`),
      this.button("Turn it round", () => view.request("turn", { parent, child }), "turn"),
      this.button("Take it out", () => view.request("disconnect", { parent, child }), "out"),
    ];
  }

  /** @param {VariableForm} form */
  variable(form) {
    const { view, id, fault } = this.props;
    const { variable, matrix } = form;
    const open = view.requests.open;
    // What is typed goes to this variable, also when the form of another one is there already.
    const now = () => (id === view.formId ? view.now : variable);
    /** @param {string} words @param {string} key @param {string} value
     * @param {string} what @param {(typed: string) => void} commit */
    const field = (words, key, value, what, commit) =>
      h(
        "label",
        { class: "fgn-field", key },
        words,
        h(Field, {
          value,
          waiting: open.some(({ do: asked }) => asked === what),
          commit,
          attributes: { "data-key": key, "aria-label": words, disabled: this.gone },
        }),
      );
    /** @param {string} words @param {string} key @param {unknown} value
     * @param {[unknown, string][]} options @param {(value: any) => void} act */
    const choice = (words, key, value, options, act) =>
      h(
        "label",
        { class: "fgn-field", key },
        words,
        h(Menu, { name: words, value, options, act, "data-key": key, disabled: this.gone }),
      );
    /** @type {[unknown, string][]} */
    const states = form.states.map((text, i) => [i, text]);
    /** @type {[unknown, string][]} */
    const soft = Array.isArray(form.known) ? [[form.known, "soft evidence"]] : [];
    return [
      h("h4", {}, `Variable ${variable}`),
      field("name", "name", variable, "rename", (typed) => view.rename(now(), typed, id)),
      field("states", "states", form.labels, "restate", (text) =>
        view.request("restate", { name: now(), text }),
      ),
      choice("in learning", "hidden", form.hidden, LEARNING, (hidden) =>
        view.request("hide", { name: now(), hidden }),
      ),
      form.why ? h("p", { key: "why" }, `Hidden: ${form.why}.`) : null,
      choice("known now", "known", form.known, [[null, "nothing"], ...soft, ...states], (cell) =>
        view.request("observe", { variable: now(), cell }),
      ),
      matrix
        ? h(
            "div",
            { class: "fgn-scroll", key: "matrix" },
            drawTable(matrix, {
              field: this.matrix.field(matrix, fault),
              below: refusedBelow(matrix, fault),
            }),
          )
        : null,
      form.large
        ? h("p", { key: "large" }, "The matrix is too long for this form: set editor.theta.")
        : null,
      form.parents.length ? this.parents(form.parents, now) : null,
      this.button("Remove variable", () => view.request("remove", { name: now() }), "remove"),
    ];
  }

  /** @param {any[][]} parents each with whether it is one @param {() => string} now */
  parents(parents, now) {
    const { view } = this.props;
    return h(
      "fieldset",
      { key: "parents" },
      h("legend", {}, "parents"),
      ...parents.map(([name, on]) =>
        h(
          "label",
          { class: "fgn-tick", key: name },
          h("input", {
            type: "checkbox",
            checked: on,
            "data-key": `parent ${name}`,
            disabled: this.gone,
            onChange: () =>
              view.request(on ? "disconnect" : "connect", { parent: name, child: now() }),
          }),
          name,
        ),
      ),
    );
  }
}

/** A form of a variable before Python has sent it, of what its card shows.
 *
 * @param {string} variable @param {import("../scene").EditorScene} scene @returns {VariableForm} */
export function provisional(variable, { cards, arrows }) {
  const card = cards.find((one) => one.variable === variable);
  const states = card?.rows.map(({ full }) => full) ?? ["0", "1"];
  const plain = same(
    states,
    states.map((_, i) => String(i)),
  );
  const above = new Set(arrows.filter(({ child }) => child === variable).map((a) => a.parent));
  return {
    kind: "variable",
    variable,
    labels: plain ? String(states.length) : states.join(", "),
    states,
    known: card?.seen ?? null,
    hidden: card?.hidden ?? false,
    why: "",
    parents: cards
      .filter((one) => one.variable !== variable)
      .map((one) => [one.variable, above.has(one.variable)]),
    matrix: null,
    large: false,
  };
}
