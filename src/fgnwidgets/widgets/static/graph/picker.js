/* The popover with all evidence that one variable can have. */

import { html, percent } from "./dom.js";

/** All evidence that one variable can have: a state, likelihoods as bars to drag, nothing. */
export class Picker {
  constructor(view, variable) {
    this.view = view;
    this.variable = variable;
    this.moves = performance.now(); // names one drag after the other
    const button = (text, value) => html("button",
      { type: "button", onclick: () => view.wishes.see(variable, value) }, text);
    this.rows = this.part.rows.map(({ full }, i) => ({
      button: button(full, i),
      bar: html("input", { type: "range", min: 0, max: 100, "aria-label": `likelihood of ${full}`,
        oninput: () => this.soften(`pick ${this.moves}`),
        onchange: () => { this.moves = performance.now(); } }),
      number: html("span", { class: "fgn-number" }),
    }));
    this.none = button("nothing observed", null);
    const named = { role: "dialog", "aria-label": `evidence on ${variable}` };
    this.root = html("div", { class: "fgn-picker", ...named },
      html("strong", {}, variable),
      html("span", { class: "fgn-hint" }, "pick a state, or drag likelihoods"),
      ...this.rows.flatMap(({ button, bar, number }) => [button, bar, number]), this.none);
    view.root.append(this.root);
    this.fill();
    this.place();
    this.rows[0].button.focus();
  }

  get part() { return this.view.scene.parts.find((part) => part.variable === this.variable); }

  /** Over the panel, where it hides no beliefs; below the card where the panel is not beside. */
  place() {
    const { root: whole, stage: drawn, panel: words, groups } = this.view;
    const { root } = this;
    const frame = groups.get(this.part.id).querySelector(".fgn-card");
    const [home, stage, panel, card] =
      [whole, drawn, words, frame].map((e) => e.getBoundingClientRect());
    const beside = panel.left >= stage.right;
    const left = (beside ? panel.left + 8 : card.left) - home.left;
    const top = (beside ? card.top : card.bottom + 6) - home.top;
    const [above, below] = this.view.frame.band.map((edge) => edge - home.top);
    const { style } = root;
    style.maxHeight = `${Math.max(120, Math.min(320, below - above - 8))}px`;
    const { offsetWidth, offsetHeight } = root;
    const highest = Math.max(0, above + 4);
    const lowest = Math.min(home.height, below) - offsetHeight - 4;
    style.left = `${Math.max(0, Math.min(left, home.width - offsetWidth - 4))}px`;
    style.top = `${Math.max(highest, Math.min(top, lowest))}px`;
  }

  fill() {
    if (!this.part) return this.view.closePicker();
    const now = this.view.wishes.evidenceOn(this.variable);
    const active = this.root.getRootNode().activeElement;
    for (const [i, { button, bar, number }] of this.rows.entries()) {
      const value = Array.isArray(now) ? now[i] : now === null || now === i ? 1 : 0;
      button.setAttribute("aria-pressed", String(now === i));
      bar.style.setProperty("--v", percent(value));
      if (bar !== active) bar.value = Math.round(100 * value); // else it may be in someone's hand
      number.textContent = value.toFixed(2);
    }
    this.none.setAttribute("aria-pressed", String(now === null));
  }

  soften(hand) {
    const values = this.rows.map(({ bar }) => Number(bar.value) / 100);
    if (values.some((value) => value > 0)) this.view.wishes.see(this.variable, values, hand);
  }
}
