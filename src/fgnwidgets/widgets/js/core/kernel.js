/* Whether Python can answer: it is there, busy, or gone. Busy and gone are two things.
 *
 *   gone   the model has lost its connection, or the host says that there is no kernel any more
 *   busy   a question has waited for its answer, and nothing says that the kernel is gone
 *
 * A host tells in its own way, if it tells at all: Jupyter's manager has a kernel with a status, and
 * marks the place of a widget that lost it; where a host has neither (a page of our own, Colab), only
 * the time without an answer speaks. */

const BUSY = 1500; // ms without an answer until that is said
const DEAD = ["dead", "terminating", "autorestarting", "restarting"];
const MARK = ".jupyter-widgets-disconnected";

/** @typedef {"ready" | "busy" | "gone"} Health */

export class Kernel {
  /**
   * @param {any} model
   * @param {() => void} changed is called when the health may have changed
   * @param {Element | null} [place] where the host puts its mark, or above
   */
  constructor(model, changed, place = null) {
    this.model = model;
    this.changed = changed;
    this.place = place;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.open = 0;
    this.late = false;
    this.parted = false;
    this.told = () => this.changed();
    this.part = () => {
      // A cell that runs again makes a new model: this one stays parted, unless its host takes it back.
      this.parted = true;
      this.changed();
      setTimeout(() => this.look(), 0);
    };
    model.on("comm_live_update", this.part);
    /** @type {any} */
    this.kernel = model.widget_manager?.kernel ?? null;
    this.hadKernel = this.kernel !== null;
    this.kernel?.statusChanged?.connect?.(this.told);
    this.kernel?.connectionStatusChanged?.connect?.(this.told);
    this.kernel?.disposed?.connect?.(this.told);
  }

  /** What the host's own mark says; a view asks once it is on the page. */
  look() {
    if (!this.place?.closest(".jupyter-widgets")) return;
    const parted = this.place.closest(MARK) !== null;
    if (parted === this.parted) return;
    this.parted = parted;
    this.changed();
  }

  remove() {
    clearTimeout(this.timer);
    this.model.off("comm_live_update", this.part);
    this.kernel?.statusChanged?.disconnect?.(this.told);
    this.kernel?.connectionStatusChanged?.disconnect?.(this.told);
    this.kernel?.disposed?.disconnect?.(this.told);
  }

  /** @returns {Health} */
  get health() {
    const { kernel } = this;
    if (this.parted) return "gone";
    if (this.hadKernel && (kernel.isDisposed || DEAD.includes(kernel.status))) return "gone";
    return this.late ? "busy" : "ready";
  }

  /** A question was asked. */
  asked() {
    this.open += 1;
    if (this.open === 1) this.wait();
  }

  /** An answer came. */
  answered() {
    this.open = Math.max(0, this.open - 1);
    clearTimeout(this.timer);
    if (this.open) this.wait();
    if (this.late) {
      this.late = false;
      this.changed();
    }
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.late = true;
      this.changed();
    }, BUSY);
  }
}

/** What a page says of a kernel that does not answer. @param {Health} health */
export const healthText = (health) =>
  ({
    ready: "",
    busy: "Python is busy and will answer: nothing that you did is lost",
    gone: "Python is gone: run this cell again. Until then nothing here can be changed",
  })[health];
