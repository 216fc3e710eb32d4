/* Buttons and a slider that go through steps: the rounds of a rounds, the epochs of a run.
 *
 *   unit      what a step is called, "round" or "epoch"
 *   beat      ms between two steps of what plays
 *   go        asks whoever decides for a step by so many
 *   ask       asks for a step by its number
 *   waiting   whether an answer is still to come: the next step of what plays comes after it, so a slow
 *             kernel is never flooded */

import { Component, h, IconButton } from "./elements.js";

/**
 * @typedef {object} PlayerProps
 * @property {string} unit @property {number} beat @property {number} at @property {number} last
 * @property {string} text @property {boolean} waiting @property {boolean} able
 * @property {boolean} [steps] whether there are more buttons than the one that plays
 * @property {(by: number) => void} go @property {(at: number) => void} ask
 */

/** @extends {Component<PlayerProps>} */
export class Player extends Component {
  constructor() {
    super();
    this.playing = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  componentDidUpdate() {
    this.next();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  /** @param {() => void} act */
  still(act) {
    this.pause();
    act();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.playing) return;
    this.playing = false;
    this.forceUpdate();
  }

  toggle() {
    const { at, last, ask } = this.props;
    if (this.playing) return this.pause();
    if (last < 1) return; // there is nothing to play
    this.playing = true;
    if (at >= last) ask(0);
    this.forceUpdate();
  }

  next() {
    const { at, last, beat, waiting, able } = this.props;
    if (!this.playing) return;
    if (!able || (at >= last && !waiting)) return this.pause();
    if (waiting || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.props.ask(this.props.at + 1);
    }, beat);
  }

  render() {
    const { unit, at, last, text, go, ask, steps = true } = this.props;
    const play = h(IconButton, {
      icon: this.playing ? "pause" : "play",
      name: this.playing ? "pause" : "play",
      act: () => this.toggle(),
      disabled: last < 1,
    });
    if (!steps) return h("span", { class: "fgn-player fgn-rounds" }, play);
    return h(
      "span",
      { class: "fgn-player fgn-rounds" },
      play,
      h(IconButton, { icon: "first", name: `first ${unit}`, act: () => this.still(() => ask(0)) }),
      h(IconButton, {
        icon: "back",
        name: `one ${unit} back`,
        act: () => this.still(() => go(-1)),
      }),
      h(IconButton, { icon: "on", name: `one ${unit} on`, act: () => this.still(() => go(1)) }),
      h("input", {
        type: "range",
        min: 0,
        max: last,
        step: 1,
        value: at,
        "aria-label": unit,
        "aria-valuetext": text,
        onInput: (/** @type {any} */ event) => this.still(() => ask(Number(event.target.value))),
      }),
      h("span", { class: "fgn-counter" }, text),
    );
  }
}
