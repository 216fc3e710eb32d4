/* A pointer that goes down and moves: a drag. One that does not move stays a click. */

export const STILL = 4; // px that a hand may shake

let gestures = 0;

/** The name of a gesture, under which Python takes all its changes back as one. */
export const newGesture = (kind = "drag") =>
  `${kind} ${++gestures} ${Math.round(performance.now())}`;

let held = newGesture("key");

/** The gesture of a key: the same as long as it is held down. @param {KeyboardEvent} event */
export const keyGesture = ({ repeat }) => {
  if (!repeat) held = newGesture("key");
  return held;
};

/**
 * Calls `moved` while a pressed pointer moves, and swallows the click at its end. Escape, and a
 * pointer that is taken away, end the drag by `ended(true)`: the caller goes back to where it began.
 *
 * @param {PointerEvent} event the press
 * @param {(event: PointerEvent, by: [number, number], gesture: string) => void} moved
 * @param {(cancelled: boolean, gesture: string) => void} ended at the end of a drag, not of a click
 */
export function drag(event, moved, ended = () => {}) {
  if (event.button !== 0) return;
  const { pointerId, clientX, clientY } = event;
  const gesture = newGesture();
  const life = new AbortController();
  let going = false;
  /** @param {string} type @param {(event: any) => void} act */
  const on = (type, act) =>
    window.addEventListener(type, act, { capture: true, signal: life.signal });
  /** @param {boolean} cancelled */
  const end = (cancelled) => {
    life.abort();
    if (!going) return;
    swallowClick(cancelled);
    ended(cancelled, gesture);
  };
  on("pointermove", (e) => {
    if (e.pointerId !== pointerId) return;
    going ||= Math.hypot(e.clientX - clientX, e.clientY - clientY) >= STILL;
    if (going) moved(e, [e.clientX - clientX, e.clientY - clientY], gesture);
  });
  on("pointerup", (e) => e.pointerId === pointerId && end(false));
  on("pointercancel", (e) => e.pointerId === pointerId && end(true));
  on("keydown", (e) => {
    if (e.key !== "Escape" || !going) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    end(true);
  });
}

/** The click of this release; after Escape the button is still down. @param {boolean} down */
function swallowClick(down) {
  const life = new AbortController();
  const { signal } = life;
  const stop = (/** @type {Event} */ e) => {
    e.stopImmediatePropagation();
    e.preventDefault();
  };
  window.addEventListener("click", stop, { capture: true, signal });
  const over = () => setTimeout(() => life.abort(), 0);
  if (down) window.addEventListener("pointerup", over, { capture: true, signal });
  else over();
}
