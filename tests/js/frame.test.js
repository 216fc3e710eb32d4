import assert from "node:assert/strict";
import { test } from "node:test";

import { firstVariable } from "../../src/fgnwidgets/widgets/js/graph/frame.js";

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
