/* The bundle of a lab's bar. A function that draws into an element, and ends the drawing. */

import { LabBar } from "../lab/bar.js";

/** @param {import("../core/page_view.js").Given} given */
export default (given) => {
  const view = new LabBar(given);
  return () => view.remove();
};
