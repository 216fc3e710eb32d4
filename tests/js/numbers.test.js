/* Numbers as a graph writes them: the same as `number` of draw/names.py, whose test has these cases. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { equals, number } from "../../src/fgnwidgets/widgets/js/core/numbers.js";

test("only what is exactly 0 or 1 is written so, and small numbers have one form", () => {
  /** @type {[number, string][]} */
  const cases = [
    [0, "0"],
    [5e-324, "<0.001"],
    [3e-8, "<0.001"],
    [0.000499, "<0.001"],
    [0.0005, "0.001"],
    [0.25, "0.250"],
    [0.9994, "0.999"],
    [0.99951, ">0.999"],
    [1 - 1e-16, ">0.999"],
    [1, "1"],
  ];
  for (const [value, text] of cases) assert.equal(number(value), text);
});

test("after a name there is one sign", () => {
  assert.equal(equals(0.25), " = 0.250");
  assert.equal(equals(1e-9), " < 0.001");
  assert.equal(equals(0.99999), " > 0.999");
});
