/* Buttons and a slider that go through steps: the rounds of a film, the epochs of a run.
 *
 *   unit   what a step is called, "round" or "epoch"
 *   beat   ms between two steps of what plays
 *   ask    says to whoever decides which step is wanted; the answer comes back by `draw`
 *   now    the step that was wanted last, whether or not its answer is there */

import { change, html, iconButton, ICONS } from "./dom.js";

export class Player {
  constructor({ unit, beat, ask, now = () => this.at }) {
    Object.assign(this, { beat, ask, now, at: 0, last: 0 });
    this.button = iconButton("play", "play", () => this.toggle());
    this.slider = html("input", { type: "range", min: 0, step: 1, "aria-label": unit,
      oninput: () => { this.pause(); this.ask(Number(this.slider.value)); } });
    this.counter = html("span", { class: "fgn-counter" });
    this.root = html("span", { class: "fgn-film" },
      iconButton("first", `first ${unit}`, () => this.step(-Infinity)),
      iconButton("back", `one ${unit} back`, () => this.step(-1)),
      this.button, iconButton("on", `one ${unit} on`, () => this.step(1)), this.slider, this.counter);
  }

  draw({ at, last, text }) {
    Object.assign(this, { at, last });
    change(this.slider, { max: last, "aria-valuetext": text });
    if (Number(this.slider.value) !== at) this.slider.value = at;
    this.counter.textContent = text;
  }

  step(by) {
    this.pause();
    this.ask(Math.min(this.last, Math.max(0, this.now() + by)));
  }

  toggle() {
    if (this.playing) return this.pause();
    this.show("pause");
    if (this.at >= this.last) this.ask(0);
    else this.next();
  }

  pause() { this.show("play"); }

  /** What the button does next: play or pause. */
  show(name) {
    clearTimeout(this.timer);
    this.playing = name === "pause";
    change(this.button, { "aria-label": name, title: name });
    this.button.querySelector("path").setAttribute("d", ICONS[name]);
  }

  /** The next step comes after the answer to the last one, so a slow kernel is never flooded. */
  next() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    if (this.at >= this.last) this.pause();
    else this.timer = setTimeout(() => this.ask(this.at + 1), this.beat);
  }
}
