/* The bundle of a learning view's chart. A function that draws into an element, and ends the drawing. */

import { LearningPage } from "../learning/view.js";

/** @param {import("../core/page_view.js").Given} given */
export default (given) => {
  const view = new LearningPage(given);
  return () => view.remove();
};
