/* Answers before Python is there: scenes as Python made them, and the way to Python when it comes. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Answering, Evidence } from "../../src/fgnwidgets/widgets/js/entries/answers.js";

/** Two variables with two states each; a part says which evidence it was made for. */
function given() {
  const cells = [null, 0, 1];
  const states = /** @type {Record<string, any>} */ ({});
  const parts = /** @type {any[]} */ ([]);
  const summaries = /** @type {string[]} */ ([]);
  for (const a of cells)
    for (const b of cells) {
      if (a === 1 && b === 1) continue; // impossible: left to Python
      const place = parts.length;
      parts.push({ id: "variable:A", made: `${a},${b}`, selected: false });
      summaries.push(
        a === null && b === null ? "Nothing observed." : `Observed: all. log P(e) = ${place}`,
      );
      states[JSON.stringify([a, b])] = {
        parts: [place],
        panels: [0, 1, 2],
        others: { summary: place },
      };
    }
  return {
    variables: { A: 2, B: 2 },
    evidence: {},
    states,
    parts,
    panels: ["nothing", "panel of A", "panel of B"],
    others: { summary: summaries },
    said: { A: { 0: "A = no", 1: "A = yes" }, B: { 0: "B = no", 1: "B = yes" } },
    legend: [],
    scene: { selected: null, parts: [parts[0]], summary: "Nothing observed." },
  };
}

const request = (/** @type {string} */ what, /** @type {any} */ to = {}, gesture = "") => ({
  do: what,
  with: to,
  gesture,
});

test("a click goes through the states, selects, and can be undone and redone", () => {
  const evidence = new Evidence(given());
  const made = (/** @type {any} */ w) => evidence.take(w)?.parts[0].made;
  assert.equal(made(request("cycle", { variable: "A" })), "0,null");
  assert.equal(made(request("cycle", { variable: "A" })), "1,null");
  assert.equal(made(request("toggle", { variable: "B", state: 0 })), "1,0");
  assert.deepEqual([evidence.selected, evidence.codes], ["variable:B", { A: 1, B: 0 }]);
  assert.equal(made(request("undo")), "1,null");
  const last = evidence.take(request("redo"));
  assert.deepEqual([last.parts[0].made, last.undo, last.redo], ["1,0", true, false]);
  assert.equal(made(request("set", { evidence: {} })), "null,null");
});

test("the summary names the evidence in the order of the clicks", () => {
  const evidence = new Evidence(given());
  evidence.take(request("toggle", { variable: "B", state: 0 }));
  const scene = evidence.take(request("toggle", { variable: "A", state: 1 }));
  assert.equal(scene.summary, "Observed: B = no, A = yes. log P(e) = 7");
  assert.deepEqual(
    [scene.selected, scene.parts[0].selected, scene.panel],
    ["variable:A", true, "panel of A"],
  );
});

test("changes of one gesture are undone together", () => {
  const evidence = new Evidence(given());
  evidence.take(request("toggle", { variable: "A", state: 0 }, "drag 1"));
  evidence.take(request("observe", { variable: "A", cell: null }, "drag 1"));
  assert.equal(evidence.past.length, 1);
});

test("what has no answer changes nothing", () => {
  const evidence = new Evidence(given());
  evidence.take(request("toggle", { variable: "A", state: 1 }));
  assert.equal(evidence.take(request("toggle", { variable: "B", state: 1 })), null);
  assert.equal(evidence.take(request("soften", { variable: "A", state: 0, belief: 0.3 })), null);
  assert.equal(evidence.take(request("observe", { variable: "A", cell: [0.1, 1] })), null);
  assert.deepEqual([evidence.codes, evidence.past.length], [{ A: 1 }, 1]);
});

test("Python gets every request in its order, and its last answer alone changes the page", async () => {
  let wanted = 0;
  const model = new Answering(given(), () => {
    wanted += 1;
  });
  const heard = /** @type {string[]} */ ([]);
  model.on("change:scene", () => heard.push("scene"));
  model.on("msg:custom", (message) => heard.push(`answer ${message.answer}`));
  model.send({ request: 1, from: "v", ...request("toggle", { variable: "A", state: 1 }) });
  assert.deepEqual(heard, []); // not while it is being made
  await Promise.resolve();
  assert.deepEqual(heard, ["scene", "answer 1"]);
  model.send({ request: 2, from: "v", ...request("code") });
  model.send({ request: 3, from: "v", ...request("toggle", { variable: "A", state: 0 }) }); // it waits, too
  await Promise.resolve();
  assert.deepEqual([heard.length, wanted], [2, 1]);
  const asked = /** @type {any[]} */ ([]);
  model.connect({ scene: "first" }, (message) => asked.push(message.request));
  assert.deepEqual(asked, [1, 2, 3]);
  const answer = (/** @type {number} */ n) => ({
    state: { scene: `scene ${n}` },
    said: [{ answer: n, from: "v" }],
  });
  model.take(answer(1));
  model.take(answer(2));
  assert.ok(model.get("scene").parts); // still the page's own
  model.take(answer(3));
  assert.equal(model.get("scene"), "scene 3");
  assert.deepEqual(heard.slice(2), ["answer 1", "answer 2", "scene", "answer 3"]);
  model.send({ request: 4, from: "v", ...request("cycle", { variable: "A" }) });
  assert.deepEqual(asked, [1, 2, 3, 4]);
});

test("Python that comes before any click, with the same scene, changes nothing", () => {
  const own = given();
  const model = new Answering(own, () => {});
  model.on("change:scene", () => assert.fail("the page was drawn anew"));
  model.connect({ scene: structuredClone(own.scene), legend: [] }, () => {});
  assert.equal(model.open, 0);
});

test("where Python never comes, what waited is answered or refused, and the page goes on", async () => {
  const model = new Answering(given(), () => {});
  /** @type {any[]} */
  const said = [];
  model.on("msg:custom", (message) => said.push(message));
  const ask = (/** @type {number} */ number, /** @type {any} */ of) =>
    model.send({ ...of, request: number, from: "v" });
  ask(1, request("select", { part: "node:A" }));
  ask(2, request("cycle", { variable: "A" }));
  await null;
  assert.deepEqual(said, []); // they wait for Python, in their order
  model.without("Python could not start.");
  ask(3, request("soften", { variable: "A", state: 0, belief: 0.3 }));
  await null;
  const faults = said.map(({ answer, fault }) => [answer, fault]);
  assert.deepEqual(faults, [
    [1, "Python could not start."],
    [2, ""],
    [3, "Python could not start."],
  ]);
  assert.equal(model.get("scene").parts[0].made, "0,null");
  assert.equal(model.get("scene").status, "Python could not start.");
  ask(4, request("cycle", { variable: "A" }));
  await null;
  assert.deepEqual([model.get("scene").parts[0].made, model.get("scene").status], ["1,null", ""]);
});
