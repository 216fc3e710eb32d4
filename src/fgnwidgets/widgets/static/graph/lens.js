/* A lens for drawings that are too small to read: the card or block under the pointer, or with the
 * focus, is drawn as large as it is when there is room. What is pointed at stays under the pointer. */

const LEGIBLE = 0.75; // a smaller drawing has a lens

/** Pixels around such a drawing, into which the lens may reach; none where there is no room at all. */
export const margin = (room) => (room < 620 ? 0 : Math.min(80, 0.06 * room));

export const tiny = (scale) => scale < LEGIBLE;

export class Lens {
  constructor(view) {
    this.view = view;
    this.group = null;
    const { layer, root } = view;
    layer.addEventListener("pointerover", (event) => this.look(event.target.closest("[data-part]"), event));
    layer.addEventListener("pointerleave", () => this.look(null));
    root.addEventListener("focusin", ({ target }) => {
      const of = target.place?.part?.id ?? target.dataset.part;
      if (target.matches(":focus-visible")) this.look(view.groups.get(of) ?? null);
    });
  }

  /** At a group: about the pointer, or about its middle where the focus brought it. */
  look(group, pointer = null) {
    if (group === this.group) return;
    this.clear();
    const part = group && this.view.scene.parts.find(({ id }) => id === group.dataset.part);
    if (!part || part.kind === "branch" || !tiny(this.view.frame.scale)) return;
    this.group = group;
    const { left, top, width } = this.view.picture.getBoundingClientRect();
    const { x, width: wide } = this.view.picture.viewBox.baseVal;
    const unit = wide / width;
    const y = this.view.picture.viewBox.baseVal.y;
    this.about = pointer ? [x + (pointer.clientX - left) * unit, y + (pointer.clientY - top) * unit] : part.at;
    this.draw();
  }

  draw() {
    if (!this.group) return;
    if (!this.group.isConnected || !tiny(this.view.frame.scale)) return this.clear();
    const { style } = this.group;
    style.transformOrigin = this.about.map((at) => `${at}px`).join(" ");
    style.transform = `scale(${1 / this.view.frame.scale})`;
    this.group.classList.add("fgn-lens");
    this.view.raise(this.group);
  }

  clear() {
    if (!this.group) return;
    this.group.style.transform = "";
    this.group.classList.remove("fgn-lens");
    this.group = null;
  }
}
