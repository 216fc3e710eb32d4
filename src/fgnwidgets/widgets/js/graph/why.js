/* A note beside a number: the product or sum that made it. Beside any other mark: its name, as the legend
 * has it. Python writes both; here they are only shown, for a pointer that rests, and for the focus. */

/** @typedef {import("./view.js").GraphPage} GraphPage */

const REST = 600; // ms that a pointer rests before a note comes: who only passes by sees none

export class Why {
  /** @param {GraphPage} view */
  constructor(view) {
    this.view = view;
    /** @type {any} */
    this.seen = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    const root = /** @type {HTMLElement} */ (view.root);
    /** @type {HTMLElement} */
    this.note = /** @type {any} */ (root.querySelector(".fgn-why"));
    /** @param {any} event */
    const near = (event) => event.target.closest?.("[data-why], [data-mark]");
    root.addEventListener("pointerover", (event) => this.point(near(event)));
    root.addEventListener("pointerleave", () => this.hide());
    root.addEventListener("pointerdown", () => this.hide(), { capture: true });
    root.addEventListener("focusin", (event) => {
      const seen = near(event);
      if (!seen?.matches(":focus-visible")) this.hide();
      else if (seen.dataset.why) this.show(seen);
      else this.point(seen);
    });
    root.addEventListener("focusout", () => this.hide());
  }

  /** @param {any} number */
  point(number) {
    clearTimeout(this.timer);
    if (!number) {
      if (!this.view.handles.held) this.hide();
      return;
    }
    if (this.seen && this.seen !== number) this.hide();
    this.timer = setTimeout(() => {
      if (number.isConnected) this.show(number);
    }, REST);
  }

  hide() {
    clearTimeout(this.timer);
    this.note.hidden = true;
    this.seen = null;
  }

  /** What is on show says what is true now. */
  renew() {
    if (!this.seen) return;
    if (!this.seen.isConnected) this.hide();
    else if (this.note.textContent !== this.textOf(this.seen)) this.show(this.seen);
  }

  /** How a number came about, or what a mark is. @param {any} element @returns {string} */
  textOf({ dataset: { why, mark } }) {
    if (why) return why;
    const known = this.view.marks.find(({ key }) => key === mark);
    return known ? `${known.name}: ${known.words}` : "";
  }

  /** Beside the card, block or message that the number belongs to, over nothing of it, and over as
   * little else as can be. @param {any} number */
  show(number) {
    if (!this.view.frame || !this.view.root) return;
    const again = this.seen === number && !this.note.hidden;
    this.seen = number;
    this.note.textContent = this.textOf(number);
    this.note.hidden = this.note.textContent === "";
    if (this.note.hidden || again) return; // it follows a hand: only the number changes
    const home = this.view.root.getBoundingClientRect();
    const [top, bottom] = this.view.frame.band;
    const room = {
      left: home.left,
      top: Math.max(home.top, top),
      right: home.right,
      bottom: Math.min(home.bottom, bottom),
    };
    const about = this.subject(number).getBoundingClientRect();
    const others = [...this.view.root.querySelectorAll(DRAWN)].map((e) =>
      e.getBoundingClientRect(),
    );
    const found = WIDTHS.map((wide) => {
      this.note.style.maxWidth = wide;
      const { offsetWidth: w, offsetHeight: high } = this.note;
      return { wide, ...clearPlace([w, high], about, others, room) };
    }).reduce((best, one) => (one.cost < best.cost ? one : best));
    Object.assign(this.note.style, {
      maxWidth: found.wide,
      left: `${found.x - home.left}px`,
      top: `${found.y - home.top}px`,
    });
  }

  /** What a note must not cover: all that its number is to be seen with. @param {any} number
   * @returns {Element} */
  subject(number) {
    const part = number.closest("[data-part]") ?? this.view.groupOf(number.dataset.of);
    if (!part) return number.closest("tr") ?? number;
    const own = number.closest(".fgn-message") ?? number.closest(".fgn-strength");
    return own ?? part.querySelector(".fgn-card, .fgn-box, .fgn-arrow") ?? part;
  }
}

const DRAWN =
  ".fgn-stage :is(.fgn-card, .fgn-box, .fgn-frame, .fgn-name, .fgn-node-name), .fgn-panel :is(th, td)";
const WIDTHS = ["min(34em, 90%)", "min(19em, 90%)"]; // a narrow note fits between two cards

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

const GAP = 6; // px between a note and what it is about
const ITS_OWN = 1000; // so much more does it count to cover what the note is about
const OUT = 100; // and to reach out of sight

/**
 * The place of a note beside a box, out of eight around it, that covers least.
 *
 * @param {[number, number]} size of the note @param {Box} about @param {Box[]} others
 * @param {Box} room
 */
export function clearPlace([w, high], about, others, room) {
  const [x, y] = [(about.left + about.right - w) / 2, (about.top + about.bottom - high) / 2];
  /** @type {[string, number, number][]} */
  const places = [
    ["below", about.left, about.bottom + GAP],
    ["above", about.left, about.top - GAP - high],
    ["right", about.right + GAP, y],
    ["left", about.left - GAP - w, y],
    ["below, to the left", about.right - w, about.bottom + GAP],
    ["above, to the left", about.right - w, about.top - GAP - high],
    ["below the middle", x, about.bottom + GAP],
    ["above the middle", x, about.top - GAP - high],
  ];
  /** @param {number} at @param {number} long @param {number} from @param {number} to */
  const inside = (at, long, from, to) => Math.max(from, Math.min(at, to - long));
  const found = places.map(([side, left, top]) => {
    const at = {
      left: inside(left, w, room.left, room.right),
      top: inside(top, high, room.top, room.bottom),
      right: 0,
      bottom: 0,
    };
    Object.assign(at, { right: at.left + w, bottom: at.top + high });
    const cost =
      ITS_OWN * shared(at, about) +
      OUT * (w * high - shared(at, room)) +
      others.reduce((sum, other) => sum + shared(at, other), 0);
    return { side, x: at.left, y: at.top, cost };
  });
  return found.reduce((a, b) => (b.cost < a.cost ? b : a));
}

/** The area that two boxes have in common, in px². @param {Box} a @param {Box} b */
const shared = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
