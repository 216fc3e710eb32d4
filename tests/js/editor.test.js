/* The parts of the graph editor that need no page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { linePath } from "../../src/fgnwidgets/widgets/js/editor/cards.js";
import { base64, refusal, Sending } from "../../src/fgnwidgets/widgets/js/editor/files.js";

test("a line goes through its points and is round where it turns", () => {
  assert.equal(
    linePath([
      [0, 0],
      [0, 50],
    ]),
    "M0.0,0.0L0.0,50.0",
  );
  const turned = linePath([
    [0, 0],
    [0, 50],
    [50, 50],
  ]);
  assert.match(turned, /^M0.0,0.0L0.0,41.0Q0.0,50.0 9.0,50.0L50.0,50.0$/);
});

test("points that lie on each other make no line of NaN", () => {
  const path = linePath([
    [3, 3],
    [3, 3],
    [3, 3],
  ]);
  assert.doesNotMatch(path, /NaN|Infinity/);
});

test("bytes of all kinds travel in base 64, however many", () => {
  const bytes = Uint8Array.from({ length: 100_003 }, (_, i) => (i * 7) % 256);
  assert.deepEqual(new Uint8Array(Buffer.from(base64(bytes), "base64")), bytes);
});

test("a file is sent in slices that follow on each other, and says how far it is", async () => {
  const file = new File([new Uint8Array(4_500_000)], "large.csv");
  const sending = new Sending(file);
  const slices = [];
  while (!sending.over) {
    slices.push(await sending.next());
    if (!sending.over) assert.match(sending.told, /large.csv: \d\.\d of 4\.5 MB sent/);
  }
  assert.deepEqual(
    slices.map(({ at, part }) => [at, Buffer.from(part, "base64").length]),
    [
      [0, 2_000_000],
      [2_000_000, 2_000_000],
      [4_000_000, 500_000],
    ],
  );
});

const MOST = 20e6;

test("a file that is too large or empty is refused with its size", () => {
  assert.equal(refusal({ name: "a.csv", size: MOST }, MOST), "");
  assert.match(refusal({ name: "a.csv", size: MOST + 1e6 }, MOST), /a.csv has 21.0 MB.* 20 MB/);
  assert.match(refusal({ name: "a.csv", size: 0 }, MOST), /a.csv is empty/);
});
