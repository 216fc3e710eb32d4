/* The protocol of the page, against a model that only notes what it gets. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Kernel } from "../../src/fgnwidgets/widgets/js/core/kernel.js";
import { Requests } from "../../src/fgnwidgets/widgets/js/core/requests.js";

function open(manager = {}) {
  const hears = new Map();
  const model = {
    sent: /** @type {any[]} */ ([]),
    widget_manager: manager,
    on: (/** @type {string} */ event, /** @type {any} */ f) => hears.set(event, f),
    off: (/** @type {string} */ event) => hears.delete(event),
    send: (/** @type {any} */ message) => model.sent.push(message),
  };
  const kernel = new Kernel(model, () => {});
  const events = /** @type {any[]} */ ([]);
  const requests = new Requests(
    model,
    kernel,
    (event) => events.push(event),
    () => {},
  );
  const tell = (/** @type {any} */ message) => hears.get("msg:custom")(message);
  const answer = (/** @type {number} */ n) => tell({ answer: n, from: requests.view });
  const close = () => {
    requests.remove();
    kernel.remove();
  };
  return { model, kernel, requests, events, tell, answer, close };
}

test("of a drag one request is on its way at a time, and its end is always sent", () => {
  const { model, requests, answer, close } = open();
  for (const to of [0.1, 0.2, 0.3, 0.4]) requests.make("soften", { to }, "drag 1");
  assert.deepEqual(
    model.sent.map((m) => m.with.to),
    [0.1],
  );
  answer(1);
  assert.deepEqual(
    model.sent.map((m) => m.with.to),
    [0.1, 0.4],
  );
  assert.deepEqual(
    requests.open.map((m) => m.with.to),
    [0.4],
  );
  answer(2);
  assert.deepEqual(requests.open, []);
  close();
});

test("requests that are no drag are all sent, in their order, after a drag that waits", () => {
  const { model, requests, close } = open();
  requests.make("soften", { to: 0.1 }, "drag 1");
  requests.make("soften", { to: 0.2 }, "drag 1");
  for (const _ of [1, 2, 3]) requests.make("undo");
  assert.deepEqual(
    model.sent.map((m) => m.do),
    ["soften", "soften", "undo", "undo", "undo"],
  );
  assert.deepEqual(
    model.sent.map((m) => m.request),
    [1, 2, 3, 4, 5],
  );
  close();
});

test("an event and an answer reach only the view that asked", () => {
  const { requests, events, tell, close } = open();
  requests.make("code");
  tell({ event: "code", from: "another view", text: "x" });
  tell({ answer: 1, from: "another view" });
  assert.equal(events.length, 0);
  assert.equal(requests.open.length, 1);
  tell({ event: "code", from: requests.view, text: "x" });
  assert.equal(events[0].text, "x");
  close();
});

test("a kernel that is slow is busy, and one that was shut down is gone", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const kernel = { status: "idle", isDisposed: false };
  const { kernel: seen, requests, answer, close } = open({ kernel });
  requests.make("undo");
  assert.equal(seen.health, "ready");
  t.mock.timers.tick(2000);
  assert.equal(seen.health, "busy");
  answer(1);
  assert.equal(seen.health, "ready");
  kernel.status = "dead";
  assert.equal(seen.health, "gone");
  close();
});

test("steps of one gesture that wait are added up, and none is lost", () => {
  const { model, requests, answer, close } = open();
  for (const _ of [1, 2, 3]) requests.make("nudge", { by: 0.25 }, "key 1");
  answer(1);
  assert.deepEqual(
    model.sent.map((m) => m.with.by),
    [0.25, 0.5],
  );
  close();
});

test("what counts by itself is sent at once, although it is part of a gesture", () => {
  const { model, requests, close } = open();
  for (const column of [0, 1]) requests.make("row", { column }, "row 1", true);
  assert.deepEqual(
    model.sent.map((m) => m.with.column),
    [0, 1],
  );
  close();
});

test("a gesture that is broken off sends no more of itself, and says so", () => {
  const { model, requests, answer, close } = open();
  requests.make("soften", { to: 0.1 }, "drag 1");
  requests.make("soften", { to: 0.2 }, "drag 1");
  requests.cancel("drag 1");
  answer(2);
  assert.deepEqual(
    model.sent.map((m) => [m.do, m.gesture]),
    [
      ["soften", "drag 1"],
      ["cancel", "drag 1"],
    ],
  );
  close();
});

test("nothing is asked of a kernel that is gone", () => {
  const kernel = { status: "dead", isDisposed: false };
  const { model, requests, close } = open({ kernel });
  requests.make("undo");
  assert.deepEqual(model.sent, []);
  assert.deepEqual(requests.open, []);
  close();
});
