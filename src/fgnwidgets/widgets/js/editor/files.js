/* A file on its way to Python, in slices: a notebook's socket takes 10 MiB at a time. The next slice goes
 * when the last one is there, so that everything else is still heard in between. */

const SLICE = 2e6; // bytes, of which base 64 makes a third more

/** Bytes in base 64. @param {Uint8Array} bytes */
export function base64(bytes) {
  let letters = "";
  // A call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192)
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters);
}

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Why a file is not sent, or "". @param {{name: string, size: number}} file
 * @param {number} most bytes that Python takes */
export const refusal = ({ name, size }, most) =>
  size > most
    ? `${name} has ${megabytes(size)} MB: a page takes up to ${most / 1e6} MB; read it in Python, and set editor.table`
    : size < 1
      ? `${name} is empty: expected a table with a line of names`
      : "";

/** What is sent and where it is; `told` says how far. */
export class Sending {
  /** @param {File} file */
  constructor(file) {
    this.file = file;
    this.at = 0; // bytes that have been sent
  }

  get over() {
    return this.at >= this.file.size;
  }

  get told() {
    const { name, size } = this.file;
    if (this.over) return size > SLICE ? `${name} is there and is being read` : "";
    return `${name}: ${megabytes(this.at)} of ${megabytes(size)} MB sent`;
  }

  /** The next slice as Python takes it. */
  async next() {
    const { name, size } = this.file;
    const { at } = this;
    const bytes = new Uint8Array(await this.file.slice(at, at + SLICE).arrayBuffer());
    this.at = at + bytes.length;
    return { name, size, at, part: base64(bytes) };
  }
}
