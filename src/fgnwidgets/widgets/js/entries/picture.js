/* The bundle of a lab's picture. A function that draws into an element, and ends the drawing. */

import { Picture } from "../lab/picture.js";

/** @param {import("../lab/picture.js").Shown} given */
export default (given) => {
  const view = new Picture(given);
  return () => view.remove();
};
