/* A note beside a number covers nothing of what it is about. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { clearPlace } from "../../src/fgnwidgets/widgets/js/graph/why.js";

const room = { left: 0, top: 0, right: 600, bottom: 400 };
/** @param {number} left @param {number} top @param {number} right @param {number} bottom */
const box = (left, top, right, bottom) => ({ left, top, right, bottom });
/** @param {{x: number, y: number}} at @param {[number, number]} size @param {any} other */
const meet = ({ x, y }, [w, h], other) =>
  x < other.right && other.left < x + w && y < other.bottom && other.top < y + h;

test("wherever a card stands, its note lies beside it and inside the room", () => {
  /** @type {[number, number]} */
  const size = [200, 40];
  for (let left = 0; left <= 460; left += 20)
    for (let top = 0; top <= 330; top += 15) {
      const card = box(left, top, left + 140, top + 70);
      const at = clearPlace(size, card, [], room);
      assert.ok(!meet(at, size, card), `${left}, ${top}`);
      assert.ok(at.x >= 0 && at.x + 200 <= 600 && at.y >= 0 && at.y + 40 <= 400);
    }
});

test("of the free sides the one is taken where nothing else is covered", () => {
  const card = box(200, 150, 340, 220);
  const below = box(150, 225, 400, 300);
  const above = box(150, 60, 400, 145);
  const at = clearPlace([120, 40], card, [below, above], room);
  assert.equal(at.cost, 0);
  assert.ok(["left", "right"].includes(at.side));
});
