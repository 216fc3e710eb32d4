import assert from "node:assert/strict";
import { test } from "node:test";

import { Frame, firstVariable } from "../../src/fgnwidgets/widgets/js/graph/frame.js";

/** @param {string} kind @param {string} ref @param {[number, number]} at @returns {any} */
const part = (kind, ref, at) => ({ kind, ref, at });

test("a drawing that scrolls opens at its highest variable, not at a source above it", () => {
  const source = part("node", "pi_D", [700, 10]);
  const d = part("variable", "D", [700, 60]);
  const i = part("variable", "I", [480, 60]);
  const s = part("variable", "S", [280, 200]);
  assert.equal(firstVariable({ parts: [source, d, i, s] }), i);
  assert.equal(firstVariable({ parts: [source, s] }), s);
  assert.equal(firstVariable({ parts: [source] }), source);
  assert.equal(firstVariable({ parts: [] }), null);
});

test("a panel is narrower where all of the drawing is then in sight, and never too narrow", () => {
  const giving = (/** @type {number} */ width, zoom = null) =>
    Frame.prototype.givesWay.call({ legible: 0.74, scene: { width }, zoom }, 286, 919);
  assert.equal(giving(800), 286); // there is room for both
  const panel = giving(857); // the first graph of the course beside the file browser
  assert.ok(0.74 * 857 <= 919 - 12 - panel && panel > 262);
  assert.equal(giving(900), 286); // it would scroll all the same
  assert.equal(giving(857, /** @type {any} */ (1)), 286);
});
