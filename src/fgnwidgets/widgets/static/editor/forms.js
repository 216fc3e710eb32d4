/* The forms beside the drawing: all that is typed or ticked has its field here.
 *
 *   ask    sends an intent to Python
 *   key    which field has the focus, so that it has it again when the form was drawn anew
 *   now    the name of the variable that the form is of: a new one as soon as it is sent, since what
 *          leaves the field of the name may be a press on a button */

import { html } from "../graph/dom.js";

export class Forms {
  constructor(root, ask) {
    this.root = root;
    this.ask = ask;
    this.drawn = "";
  }

  /** What is selected, or how to draw; nothing where it is on show already. */
  draw(panel, table) {
    this.now = panel?.variable;
    const drawn = JSON.stringify([panel, table]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { activeElement } = this.root.getRootNode();
    const held = this.root.contains(activeElement) && (activeElement.dataset.key ?? "");
    const contents = panel?.kind === "variable" ? this.variableForm(panel)
      : panel ? this.arrowForm(panel) : this.help(table);
    this.root.replaceChildren(...contents.filter(Boolean));
    if (held === false) return;
    const again = held && this.root.querySelector(`[data-key="${CSS.escape(held)}"]`);
    (again || this.root).focus({ preventScroll: true });
  }

  help(table) {
    const item = (...text) => html("li", {}, ...text);
    const key = (text) => html("kbd", {}, text);
    return [
      html("h4", {}, "How to draw"),
      html("ul", {},
        item("Variable: double-click the ground, or ", key("n"), "."),
        item("Arrow: drag from the circle under a card to another card, or ", key("c"), ", arrow keys, ", key("Enter"), "."),
        item("Names, states, matrices: click a card, or ", key("Enter"), ", fill in the form here, and ", key("Esc"), "."),
        item("Move: drag a card, or ", key("Shift"), " and arrow keys."),
        item("Hidden or observed: the form, or ", key("h"), ". Remove: ", key("Delete"), "."),
        item("Ask: click a state to know it, or its number; ", key("0"), " forgets it.")),
      table && html("h4", {}, `${table.name}: ${table.rows} rows`),
      table && html("p", {}, `learning sees ${table.observed.join(", ") || "nothing"}`),
      table?.numbers.length > 0 && html("label", { class: "fgn-field" }, "how often a row is there",
        html("select", { "data-key": "weight", onchange: (e) => this.ask("weigh", JSON.parse(e.target.value)) },
          ...[[null, "once"], ...table.numbers.map((name) => [name, `column ${name}`])].map(([value, text]) =>
            html("option", { value: JSON.stringify(value), selected: value === (table.weight ?? null) }, text)))),
      ...(table?.free ?? []).map((name) => html("button",
        { type: "button", "data-key": `free ${name}`, onclick: () => this.ask("add", name, "") }, `Add ${name}`)),
      ...(table?.left_out ?? []).map(([, why]) => html("p", {}, `left out: ${why}`)),
      table && html("button", { type: "button", onclick: () => this.ask("no table") }, "Take the table away"),
    ];
  }

  arrowForm({ parent, child }) {
    return [
      html("h4", {}, `Arrow from ${parent} to ${child}`),
      html("p", {}, `The matrix of ${child} has rows for the states of ${parent}.`),
      html("button", { type: "button", "data-key": "turn", onclick: () => this.ask("turn", parent, child) }, "Turn it round"),
      html("button", { type: "button", "data-key": "out", onclick: () => this.ask("disconnect", parent, child) }, "Take it out"),
    ];
  }

  variableForm(panel) {
    const { variable } = panel;
    const ask = (what, ...with_) => this.ask(what, this.now, ...with_);
    const rename = (text) => {
      ask("rename", text);
      this.now = text.trim() || this.now;
    };
    const field = (words, key, value, send) => html("label", { class: "fgn-field" }, words,
      html("input", { type: "text", value, "data-key": key, onchange: (e) => send(e.target.value) }));
    const choice = (words, key, options, now, send) => html("label", { class: "fgn-field" }, words,
      html("select", { "data-key": key, onchange: (e) => send(JSON.parse(e.target.value)) },
        ...options.map(([value, text]) => html("option",
          { value: JSON.stringify(value), selected: JSON.stringify(value) === JSON.stringify(now ?? null) }, text))));
    const soft = Array.isArray(panel.known) ? [[panel.known, "soft evidence"]] : [];
    return [
      html("h4", {}, `Variable ${variable}`),
      field("name", "name", variable, rename),
      field("states", "states", panel.labels, (text) => ask("restate", text)),
      choice("in learning", "hidden", [[false, "observed"], [true, "hidden"]], panel.hidden,
        (hidden) => ask("hide", hidden)),
      panel.why && html("p", {}, `Hidden: ${panel.why}.`),
      choice("known now", "known", [[null, "nothing"], ...soft, ...panel.states.map((text, i) => [i, text])],
        panel.known, (code) => ask("evidence", code)),
      panel.parents.length > 0 && html("fieldset", {}, html("legend", {}, "parents"),
        ...panel.parents.map(([name, on]) => html("label", { class: "fgn-tick" },
          html("input", { type: "checkbox", checked: on, "data-key": `parent ${name}`,
            onchange: () => this.ask(on ? "disconnect" : "connect", name, this.now) }), name))),
      panel.cells.length > 0 && this.matrix(panel),
      panel.large && html("p", {}, "The matrix is too long for this form: set editor.theta."),
      html("button", { type: "button", "data-key": "remove", onclick: () => ask("remove") }, "Remove variable"),
    ];
  }

  matrix({ matrix, rows, cells, states, heads, variable }) {
    const input = (value, i, j) => html("td", {}, html("input", {
      type: "number", min: 0, max: 1, step: 0.05, value: Number(value.toFixed(4)), "data-key": `cell ${i} ${j}`,
      "aria-label": `P(${variable} = ${states[j]}${rows[i] ? ` | ${rows[i]}` : ""})`,
      onchange: (e) => this.ask("cell", matrix, i, j, Number(e.target.value)) }));
    return html("div", { class: "fgn-scroll" }, html("table", {},
      html("caption", {}, heads[0] ? `P(${variable} | ${heads[0]})` : `P(${variable})`),
      html("thead", {}, html("tr", {}, heads[0] ? html("th", { scope: "col" }, heads[0]) : html("td", {}),
        ...states.map((text) => html("th", { scope: "col" }, text)))),
      html("tbody", {}, ...cells.map((row, i) => html("tr", {},
        html("th", { scope: "row" }, rows[i] || "prior"), ...row.map((value, j) => input(value, i, j)))))));
  }
}
