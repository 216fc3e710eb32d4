/* What a picture's map says of the place that is pointed at. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Plot } from "../../src/fgnwidgets/widgets/js/lab/plot.js";

/** A picture of one matrix with one cell, and perhaps with what was pinned of it.
 * @param {number[]} rows @param {"cells" | "line"} [kind] */
function plotOf(rows, kind = "cells") {
  const axes = /** @type {any} */ ([
    { box: [0, 0, 100, 100], x: [0, 1, "linear"], y: [0, 1, "linear"], title: "", xlabel: "" },
  ]);
  const parts = rows.length - 1;
  const curve = {
    label: "ML",
    kind,
    color: "#000",
    byEpoch: false,
    axes: 0,
    start: 0,
    count: 1,
    parts,
  };
  return new Plot({ axes, curves: [curve] }, new DataView(Float32Array.from(rows).buffer));
}

/** @param {Plot} plot */
const said = (plot) => plot.say(/** @type {any} */ (plot.nearest([50, 50])));

test("a cell of a matrix is said with what was pinned of it", () => {
  assert.equal(said(plotOf([0, 0, 1, 1, 0.25])), "ML: 0.250");
  assert.equal(said(plotOf([0, 0, 1, 1, 0.25, 0.75])), "ML: 0.250, pinned 0.750");
});

test("a small number is never said to be zero", () => {
  assert.equal(said(plotOf([0, 0, 1, 1, 5e-30])), "ML: <0.001");
  assert.equal(said(plotOf([0, 0, 1, 1, 0])), "ML: 0");
  assert.equal(said(plotOf([0, 0, 1, 1, Number.NaN])), "ML: none");
});
