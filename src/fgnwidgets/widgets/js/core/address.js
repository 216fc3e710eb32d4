/* The address of a state, as it is copied. */

/** The address of this page with a state at its end; in a notebook, whose page reads none, the end alone.
 *
 * @param {string} state */
export const linked = (state) => {
  const { origin, protocol, pathname, search } = location;
  const live = document.getElementById("live") !== null; // a page that reads it
  return live ? `${protocol === "file:" ? "file://" : origin}${pathname}${search}${state}` : state;
};
