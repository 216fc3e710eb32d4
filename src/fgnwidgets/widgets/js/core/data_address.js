/* The address of bytes that an image shows: the bytes themselves, as text.
 *
 * A blob would take a third less memory, but its bytes go to the browser's own process and are fetched
 * from there: three ways between processes for every picture, which is what a hand at a slider waits
 * for. */

const PART = 0x8000; // bytes turned into letters at once: a call has no more arguments everywhere

/** @param {DataView | Uint8Array} bytes @param {string} type @returns {string} */
export function dataAddress(bytes, type) {
  const all = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `data:${type};base64,${base64(all)}`;
}

/** @param {Uint8Array & {toBase64?: () => string}} bytes */
function base64(bytes) {
  if (bytes.toBase64) return bytes.toBase64(); // since 2025
  let letters = "";
  for (let at = 0; at < bytes.length; at += PART)
    letters += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(letters);
}
