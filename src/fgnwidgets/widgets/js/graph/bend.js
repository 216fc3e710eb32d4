/* How a block bends a message, as a small stage over it: the bars that enter stand at a side of the
 * matrix, each splits into a piece for every cell, and the pieces stack up to the bars that leave.
 *
 *   stage   the matrix with the states of the input as rows; bars of X lie at its left, of Y below it
 *   piece   what goes through one cell: its length is its share of the bar that leaves
 *
 * Forward, bars of X go into the rows and fall down the columns; backward it is the other way. */

import { svg } from "../core/svg.js";

const CELLS = 76; // px of the longer side of a matrix
const BARS = 44; // px of a bar of probability one
const GAP = 3;
const CALM = 4; // px around all

/** The size of a stage for a matrix, in px at scale one. @param {number[][]} matrix */
export function stageSize(matrix) {
  const cell = Math.min(22, CELLS / Math.max(matrix.length, matrix[0].length));
  const [wide, high] = [cell * matrix[0].length, cell * matrix.length];
  return { cell, wide, high, w: wide + BARS + GAP + 2 * CALM, h: high + BARS + GAP + 2 * CALM };
}

/** A stage with its middle at (x, y); `times` are its shares of the round: shown, split, through the
 * cells, stacked, gone. Its animation takes so many ms.
 *
 * @param {import("../scene").DrawnTravel} travel @param {number[]} middle @param {number} scale
 * @param {number[]} times @param {number} lasts */
export function bend(
  { matrix = [[]], shares = [[]], direction, from },
  [x, y],
  scale,
  times,
  lasts,
) {
  const { cell, wide, high, w, h } = stageSize(matrix);
  const [left, top] = [CALM + BARS + GAP, CALM];
  const forward = direction === "f";
  // A bar of X lies at the left of its row and grows to the left; one of Y hangs below its column.
  const ofX = (
    /** @type {number} */ i,
    /** @type {number} */ begin,
    /** @type {number} */ long,
  ) => [left - GAP - begin - long, top + (i + 0.12) * cell, long, 0.76 * cell];
  const ofY = (
    /** @type {number} */ j,
    /** @type {number} */ begin,
    /** @type {number} */ long,
  ) => [left + (j + 0.12) * cell, top + high + GAP + begin, 0.76 * cell, long];
  const within = (/** @type {number} */ i, /** @type {number} */ j, /** @type {number} */ long) =>
    forward
      ? [
          left + (j + 0.5) * cell - Math.min(long, cell) / 2,
          top + (i + 0.3) * cell,
          Math.min(long, cell),
          0.4 * cell,
        ]
      : [
          left + (j + 0.3) * cell,
          top + (i + 0.5) * cell - Math.min(long, cell) / 2,
          0.4 * cell,
          Math.min(long, cell),
        ];
  const [enters, leaves] = forward ? [ofX, ofY] : [ofY, ofX];
  const values = from[0].values;
  const through = (/** @type {number} */ i, /** @type {number} */ j) => (forward ? [i, j] : [j, i]); // of the bar that enters, of the one that leaves
  const sums = values.map((_, k) =>
    sum(matrix.flatMap((row, i) => row.filter((_, j) => through(i, j)[0] === k))),
  );
  const [came, gone] = [values.map(() => 0), (forward ? matrix[0] : matrix).map(() => 0)];
  const pieces = matrix.flatMap((row, i) =>
    row.map((theta, j) => {
      const [a, b] = through(i, j);
      const part = sums[a] > 0 ? (BARS * values[a] * theta) / sums[a] : 0;
      const share = BARS * shares[i][j];
      const ways = [enters(a, came[a], part), within(i, j, share), leaves(b, gone[b], share)];
      came[a] += part;
      gone[b] += share;
      return { ways, shade: 1 - (0.55 * a) / Math.max(values.length - 1, 1) };
    }),
  );
  const [begin, split, inside, stacked, end] = times;
  const stage = svg(
    "g",
    {
      class: `fgn-bend fgn-${direction}`,
      transform: `translate(${x - (scale * w) / 2} ${y - (scale * h) / 2}) scale(${scale})`,
    },
    svg("rect", { class: "fgn-stage-ground", width: w, height: h, rx: 4 }),
    svg(
      "g",
      { class: "fgn-stage-cells" },
      ...matrix.flatMap((row, i) =>
        row.map((theta, j) =>
          svg("rect", {
            x: left + j * cell,
            y: top + i * cell,
            width: cell,
            height: cell,
            "fill-opacity": 0.5 * theta,
          }),
        ),
      ),
    ),
    svg("rect", { class: "fgn-stage-edge", x: left, y: top, width: wide, height: high }),
  );
  const playing = pieces.map(({ ways, shade }) => {
    const piece = svg("rect", {
      class: "fgn-message fgn-piece",
      width: 1,
      height: 1,
      "fill-opacity": shade,
    });
    stage.append(piece);
    const [one, two, three] = ways.map(([px, py, pw, ph]) => ({
      transform: `translate(${px}px, ${py}px) scale(${pw}, ${ph})`,
    }));
    return piece.animate(
      [
        { ...one, offset: 0 },
        { ...one, offset: split },
        { ...two, offset: inside },
        { ...two, offset: inside + 0.04 },
        { ...three, offset: stacked },
        { ...three, offset: 1 },
      ],
      { duration: lasts, easing: "linear" },
    );
  });
  const seen = [
    { opacity: 0, offset: 0 },
    { opacity: 0, offset: begin },
    { opacity: 1, offset: begin + 0.04 },
    { opacity: 1, offset: end - 0.03 },
    { opacity: 0, offset: end },
    { opacity: 0, offset: 1 },
  ];
  playing.push(stage.animate(seen, lasts));
  Promise.all(playing.map(({ finished }) => finished)).then(
    () => stage.remove(),
    () => {},
  );
  return stage;
}

const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
