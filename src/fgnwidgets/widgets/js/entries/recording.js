/* The bundle of a recorded learning run, for a page of its own, without Python. */

import { Recording } from "../learning/recording.js";

/** @param {HTMLElement} el @param {import("../learning/recording.js").Recorded} record */
export default (el, record) => {
  new Recording(el, record);
};
