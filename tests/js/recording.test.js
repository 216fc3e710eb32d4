import assert from "node:assert/strict";
import { test } from "node:test";

import {
  changed,
  nearest,
  stepped,
  Tape,
} from "../../src/fgnwidgets/widgets/js/learning/recording.js";

test("changes go into their places, and all else is the very value of before", () => {
  const first = { a: [1, { b: 2 }, [3]], c: { d: null }, e: "x" };
  const now = changed(first, { a: { 1: { b: [5] } }, c: [[7]] });
  assert.deepEqual(now, { a: [1, { b: 5 }, [3]], c: [7], e: "x" });
  assert.equal(now.a[2], first.a[2]);
  assert.deepEqual(first.a[1], { b: 2 });
  assert.deepEqual(changed(first, {}), first);
});

test("of the epochs that were stored the nearest is shown, and steps go to the next", () => {
  const epochs = [0, 1, 2, 10, 20];
  assert.deepEqual(
    [0, 4, 8, 17, 99].map((e) => nearest(epochs, e)),
    [0, 2, 10, 20, 20],
  );
  assert.equal(stepped(epochs, 2, 1), 10);
  assert.equal(stepped(epochs, 10, -2), 1);
  assert.equal(stepped(epochs, 20, 5), 20);
  assert.equal(stepped(epochs, 1, -5), 0);
});

test("a tape answers every request, and those who have left are not told", async () => {
  /** @type {any[]} */
  const said = [];
  const tape = new Tape({ scene: 1 }, (what) => (what === "no" ? "refused" : ""));
  const hear = (/** @type {any} */ news) => said.push(news);
  tape.on("msg:custom", hear);
  tape.send({ request: 1, from: "page", do: "yes", with: {} });
  tape.send({ request: 2, from: "page", do: "no", with: {} });
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(
    said.map(({ answer, fault }) => [answer, fault]),
    [
      [1, ""],
      [2, "refused"],
    ],
  );
  tape.off("msg:custom", hear);
  tape.call("msg:custom", {});
  assert.equal(said.length, 2);
});
