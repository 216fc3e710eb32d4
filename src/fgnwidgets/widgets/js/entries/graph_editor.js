/* The bundle of the graph editor. A function that draws into an element, and ends the drawing. */

import { EditorPage } from "../editor/view.js";

/** @param {import("../core/page_view.js").Given} given */
export default (given) => {
  const view = new EditorPage(given);
  return () => view.remove();
};
