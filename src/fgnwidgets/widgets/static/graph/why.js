/* A note beside a number: the product or sum that made it. Python writes it; here it is only shown,
 * for a pointer that rests on the number, and for the focus. */

import { html } from "./dom.js";

const REST = 120; // ms that a pointer rests before the note comes

export class Why {
  constructor(view) {
    this.view = view;
    this.root = html("div", { class: "fgn-why", role: "tooltip", hidden: true });
    const near = (event) => event.target.closest?.("[data-why]");
    const { root } = view;
    root.addEventListener("pointerover", (event) => this.point(near(event)));
    root.addEventListener("pointerleave", () => this.hide());
    root.addEventListener("pointerdown", () => this.hide(), { capture: true });
    root.addEventListener("focusin", (event) => {
      const seen = near(event);
      if (seen?.matches(":focus-visible")) this.show(seen);
      else this.hide();
    });
    root.addEventListener("focusout", () => this.hide());
    root.append(this.root);
  }

  point(number) {
    clearTimeout(this.timer);
    if (!number) return this.hide();
    this.timer = setTimeout(() => { if (number.isConnected) this.show(number); }, REST);
  }

  hide() {
    clearTimeout(this.timer);
    this.root.hidden = true;
    this.seen = null;
  }

  /** What is on show says what is true now. */
  renew() {
    if (this.seen?.isConnected && this.root.textContent !== this.seen.dataset.why) this.show(this.seen);
  }

  /** Below the number, or above it where the window ends; never over it. Of a cell inside a block it
   * stands beside the block, where it hides no other cell. */
  show(number) {
    this.seen = number;
    this.root.textContent = number.dataset.why;
    this.root.hidden = false;
    const part = number.dataset.place ? number.closest("[data-part]") : this.view.groups.get(number.place?.part.id);
    const block = number.dataset.place || number.dataset.entry ? part?.querySelector(".fgn-box") : null;
    const [home, at] = [this.view.root, block ?? number].map((e) => e.getBoundingClientRect());
    const { offsetWidth, offsetHeight } = this.root;
    const below = at.bottom + offsetHeight + 8 < this.view.frame.band[1];
    const [x, y] = block ? [at.right + 8, (at.top + at.bottom - offsetHeight) / 2]
      : [at.left, below ? at.bottom + 5 : at.top - offsetHeight - 5];
    this.root.style.left = `${Math.max(0, Math.min(x, home.right - offsetWidth - 4) - home.left)}px`;
    this.root.style.top = `${y - home.top}px`;
  }
}
