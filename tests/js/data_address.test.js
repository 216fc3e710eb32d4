/* The address of a picture holds its bytes, and nothing else of the message that they came in. */

import assert from "node:assert/strict";
import test from "node:test";

import { dataAddress } from "../../src/fgnwidgets/widgets/js/core/data_address.js";

/** @param {number} length */
const noise = (length) => Uint8Array.from({ length }, (_, i) => (i * 2654435761) >>> 24);

const readBack = async (/** @type {string} */ address) => {
  const answer = await fetch(address);
  return { type: answer.headers.get("content-type"), bytes: await answer.arrayBuffer() };
};

for (const length of [0, 1, 2, 3, 255, 0x8000 - 1, 0x8000, 0x8000 + 1, 200_000]) {
  test(`${length} bytes come back from their address`, async () => {
    const bytes = noise(length);
    const found = await readBack(dataAddress(bytes, "image/png"));
    assert.equal(found.type, "image/png");
    assert.deepEqual(new Uint8Array(found.bytes), bytes);
  });
}

test("a view into a longer message gives its own bytes alone", async () => {
  const message = noise(1000);
  const found = await readBack(dataAddress(new DataView(message.buffer, 101, 77), "image/png"));
  assert.deepEqual(new Uint8Array(found.bytes), message.slice(101, 178));
});

test("a browser that can write base64 by itself is asked to", async () => {
  const bytes = noise(10);
  const prototype = /** @type {any} */ (Uint8Array.prototype);
  const before = Object.getOwnPropertyDescriptor(prototype, "toBase64");
  prototype.toBase64 = () => "aGVsbG8=";
  try {
    const { bytes: found } = await readBack(dataAddress(bytes, "image/png"));
    assert.equal(new TextDecoder().decode(found), "hello");
  } finally {
    delete prototype.toBase64;
    if (before) Object.defineProperty(prototype, "toBase64", before);
  }
});
