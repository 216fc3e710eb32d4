/* A pointer that goes down and moves: a drag. One that does not move stays a click. */

export const STILL = 4; // px that a hand may shake

let drags = 0;

/** Calls `moved(event, dx)` while a pressed pointer moves, and swallows the click at its end. The
 * listeners are the window's, since what was pressed may be drawn anew meanwhile. Every drag gets a
 * name of its own, under which Python takes all its changes back as one; `ended` follows its end. */
export function drag(event, moved, ended = () => {}) {
  if (event.button !== 0) return;
  const { pointerId, clientX } = event;
  const hand = `drag ${++drags} ${Math.round(performance.now())}`;
  const life = new AbortController();
  const { signal } = life;
  let going = false;
  const on = (type, act) => window.addEventListener(type, act, { capture: true, signal });
  on("pointermove", (e) => {
    if (e.pointerId !== pointerId) return;
    going ||= Math.abs(e.clientX - clientX) >= STILL;
    if (going) moved(e, e.clientX - clientX, hand);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    on(end, (e) => {
      if (e.pointerId !== pointerId) return;
      life.abort();
      if (!going) return;
      swallow();
      ended();
    });
  }
}

function swallow() {
  const life = new AbortController();
  const stop = (e) => { e.stopImmediatePropagation(); e.preventDefault(); };
  window.addEventListener("click", stop, { capture: true, signal: life.signal });
  setTimeout(() => life.abort(), 0);
}
