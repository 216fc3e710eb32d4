/* What a hand wants that is no value of a trait: undo, a dragged bar, evidence on one variable.
 *
 *   wish   {ask, ..., number}; ``scene.wish`` is the number of the last one that Python granted
 *   open   those that have no answer yet. Of a trait only the newest value reaches a kernel that is
 *          slow, so they go together, but for older ones of the same hand; Python grants each once
 *
 * What was clicked last counts for the next click, whether or not its answer is there. */

export class Wishes {
  constructor(view) { this.view = view; }

  get open() {
    const all = this.view.model.get("wish")?.all ?? [];
    return all.slice(all.findIndex(({ number }) => number === this.view.scene.wish) + 1);
  }

  make(what, traits = {}) {
    const { open } = this;
    const last = open.at(-1);
    if (what.hand && last?.hand === what.hand && last.ask === what.ask) open.pop();
    const number = `${Date.now()} ${Math.random()}`;
    this.view.ask({ ...traits, wish: { all: [...open, { ...what, number }] } });
  }

  /** Evidence in one gesture of the hand; what is chosen next wins, also where both arrive at once. */
  see(variable, cell, hand = "") {
    this.make({ ask: "observe", variable, cell, hand }, { selected: `variable:${variable}` });
  }

  /** What is observed of a variable, or was wished and has no answer yet. */
  evidenceOn(variable) {
    const back = ["undo", "redo"];
    const last = this.open.findLast((wish) => wish.variable === variable || back.includes(wish.ask));
    return last?.ask === "observe" ? last.cell : this.view.model.get("evidence")[variable] ?? null;
  }

  /** To a state, or from it to nothing. */
  toggle(variable, i) { this.see(variable, this.evidenceOn(variable) === i ? null : i); }

  /** A row of a card was clicked; a second click at once clears, and both are undone as one. */
  pick({ variable }, i, clicks) {
    if (clicks < 2) this.gesture = `click ${Date.now()}`;
    this.see(variable, clicks > 1 || this.evidenceOn(variable) === i ? null : i, this.gesture);
  }

  /** None, the first state, ..., the last, none. */
  cycle({ variable, rows }) {
    const now = this.evidenceOn(variable);
    if (now === null) this.see(variable, 0);
    else this.see(variable, Number.isInteger(now) && now + 1 < rows.length ? now + 1 : null);
  }
}
