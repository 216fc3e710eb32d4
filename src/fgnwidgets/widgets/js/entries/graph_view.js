/* The bundle of the living graph. A function that draws into an element, and ends the drawing. */

import { GraphPage } from "../graph/view.js";

/** @param {import("../core/page_view.js").Given} given */
export default (given) => {
  const view = new GraphPage(given);
  return () => view.remove();
};
