/* A scene in which what did not change is the very value of before. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { share, shareById } from "../../src/fgnwidgets/widgets/js/core/share.js";

test("what is alike is the value of before, what differs is new around it", () => {
  const old = { a: [1, 2, { b: "x" }], c: { d: null } };
  const now = share(old, { a: [1, 2, { b: "x" }], c: { d: 1 } });
  assert.notEqual(now, old);
  assert.equal(now.a, old.a);
  assert.deepEqual(now.c, { d: 1 });
  assert.equal(share(old, structuredClone(old)), old);
});

test("something more, something less, and another order are differences", () => {
  for (const [one, two] of [
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [[1, 2], [1]],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, [1]],
    [[1], { 0: 1 }],
    [null, {}],
    [{}, null],
  ]) {
    const now = share(one, structuredClone(two));
    assert.notEqual(now, one);
    assert.deepEqual(now, two);
  }
});

test("parts are shared by their ids, wherever they stand", () => {
  const old = [
    { id: "a", p: [1] },
    { id: "b", p: [2] },
  ];
  const now = shareById(old, [
    { id: "c", p: [3] },
    { id: "b", p: [2] },
    { id: "a", p: [9] },
  ]);
  assert.equal(now[1], old[1]);
  assert.deepEqual(
    now.map(({ p }) => p[0]),
    [3, 2, 9],
  );
  assert.equal(shareById(old, structuredClone(old)), old);
});
