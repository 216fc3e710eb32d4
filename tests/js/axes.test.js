import assert from "node:assert/strict";
import { test } from "node:test";

import { Axes, spread, ticks } from "../../src/fgnwidgets/widgets/js/learning/axes.js";

test("ticks are round numbers inside the range", () => {
  assert.deepEqual(ticks(0, 30, 8), [0, 5, 10, 15, 20, 25, 30]);
  assert.deepEqual(ticks(-185.6, -179.2, 4), [-184, -182, -180]);
  assert.deepEqual(ticks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(ticks(4, 4, 4), [4]);
});

test("names that would overprint move apart, in their order, and stay in the chart", () => {
  assert.deepEqual(spread([40, 90], 10, 150), [40, 90]);
  assert.deepEqual(spread([50, 50.5], 10, 150, 13), [50, 63]);
  assert.deepEqual(spread([50.5, 50], 10, 150, 13), [63, 50]);
  assert.deepEqual(spread([149, 150], 10, 150, 13), [137, 150]);
  assert.deepEqual(spread([2, 3], 10, 150, 13), [10, 23]);
  assert.deepEqual(spread([], 10, 150), []);
});

const RUN = {
  curves: [
    { name: "ML", rule: "ml", values: [null, -900, -100, -90] },
    { name: "VAR", rule: "var", values: [-120, -110] },
  ],
  levels: [{ name: "ceiling", value: -80 }],
  last: 3,
  rows: [],
};

test("an epoch and its place are each other's inverse, and both ends are kept", () => {
  const axes = new Axes(RUN, 600);
  for (const epoch of [0, 1, 2, 3]) assert.equal(axes.epoch(axes.x(epoch)), epoch);
  assert.equal(axes.epoch(-50), 0);
  assert.equal(axes.epoch(9999), 3);
});

test("a start far below is on the foot, and what is impossible is no point", () => {
  const axes = new Axes(
    { ...RUN, curves: [{ name: "a", rule: "ml", values: [-1e6, -100, -90] }] },
    600,
  );
  assert.equal(axes.y(-1e6), axes.foot);
  assert.ok(axes.y(-90) < axes.foot && axes.y(-90) > axes.top);
  assert.equal(new Axes(RUN, 600).path([null, -100]).split("L").length, 1);
  assert.equal(new Axes(RUN, 600).path([null]), "");
});

test("a run of no epochs and equal likelihoods has a chart, too", () => {
  const still = { ...RUN, curves: [{ name: "a", rule: "ml", values: [-5] }], levels: [], last: 0 };
  const axes = new Axes(still, 300);
  assert.equal(axes.x(0), axes.left);
  assert.ok(axes.y(-5) > axes.top && axes.y(-5) < axes.foot);
  const none = new Axes({ ...still, curves: [{ name: "a", rule: "ml", values: [null] }] }, 300);
  assert.ok(Number.isFinite(none.y(-0.5)));
});
