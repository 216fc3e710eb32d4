/* A lens for drawings that are too small to read: the card or block under the pointer, or with the
 * focus, is drawn as large as it is when there is room. What is pointed at stays under the pointer. */

/** @typedef {import("./view.js").GraphPage} GraphPage */

const LEGIBLE = 0.73; // a smaller drawing has a lens

/** Pixels around such a drawing, into which the lens may reach; none where there is no room at all.
 *
 * @param {number} room */
export const margin = (room) => (room < 620 ? 0 : Math.min(80, 0.06 * room));

/** @param {number} scale */
export const tiny = (scale) => scale < LEGIBLE;

export class Lens {
  /** @param {GraphPage} view */
  constructor(view) {
    this.view = view;
    /** @type {string | null} the id of the part under it */
    this.id = null;
    this.about = [0, 0];
  }

  get scale() {
    return this.view.frame?.scale ?? 1;
  }

  /** At a part: about the pointer, or about its middle where the focus brought it.
   *
   * @param {string | null} id @param {PointerEvent | null} [pointer] */
  look(id, pointer = null) {
    if (id === this.id) return;
    const part = id === null ? undefined : this.view.partOf(id);
    const fits = part && part.kind !== "branch" && tiny(this.scale);
    if (!fits && this.id === null) return;
    this.id = fits ? part.id : null;
    if (fits) this.about = pointer ? this.pointed(pointer) : part.at;
    this.view.update();
    const group = this.id === null ? null : this.view.groupOf(this.id);
    if (group) this.raise(group);
  }

  /** Where a pointer is in the drawing. @param {PointerEvent} pointer */
  pointed({ clientX, clientY }) {
    const picture = /** @type {import("./frame.js").Frame} */ (this.view.frame).picture;
    const { left, top, width } = picture.getBoundingClientRect();
    const { x, y, width: wide } = picture.viewBox.baseVal;
    const unit = wide / width;
    return [x + (clientX - left) * unit, y + (clientY - top) * unit];
  }

  /** In front of all others; an element that is moved loses the focus, and gets it again.
   *
   * @param {any} group */
  raise(group) {
    if (group.parentNode.lastChild === group) return;
    const { active } = this.view;
    group.parentNode.append(group);
    if (active === group) group.focus();
  }

  /** How a part is enlarged, as a style. @param {string} id */
  style(id) {
    if (id !== this.id || !tiny(this.scale)) return null;
    const origin = this.about.map((at) => `${at}px`).join(" ");
    return `transform-origin: ${origin}; transform: scale(${1 / this.scale})`;
  }
}
