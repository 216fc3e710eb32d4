/* What is pressed stays as it is until it is released: an element that was drawn anew meanwhile would
 * get no click, and a kernel often answers between the two.
 *
 *   inside   says whether an element is one of those that are drawn anew
 *   draw     draws; it waits for the end of a press, and a hand that moves is no click */

import { STILL } from "./hand.js";

export class Press {
  constructor(root, inside, draw, signal) {
    Object.assign(this, { draw, held: null, late: false });
    const quietly = { capture: true, passive: true, signal };
    root.addEventListener("pointerdown", ({ button, target, clientX, clientY }) => {
      if (button === 0 && inside(target)) this.held = [clientX, clientY];
    }, quietly);
    window.addEventListener("pointermove", ({ clientX, clientY }) => {
      const [x, y] = this.held ?? [clientX, clientY];
      if (Math.hypot(clientX - x, clientY - y) >= STILL) this.end();
    }, quietly);
    window.addEventListener("pointerup", () => {
      const { held } = this;
      const over = () => { if (this.held === held) this.end(); }; // unless the next press has begun
      if (held) setTimeout(over, 0); // the click comes first
    }, quietly);
    window.addEventListener("pointercancel", () => this.end(), quietly);
  }

  /** Draw now, or at the end of a press. */
  ask() {
    if (this.held) this.late = true;
    else this.draw();
  }

  end() {
    this.held = null;
    if (!this.late) return;
    this.late = false;
    this.draw();
  }
}
