/* Made from contract.py by `python -m fgnwidgets.widgets.graph.contract`: edit that. */

/** A part that can be selected; ``hue`` is the index of a variable's colour, ``at`` its middle.

    ``strength`` is that of an arrow or a block, as a share of the strongest one. */
export interface DrawnPart {
  id: string;
  kind: string;
  name: string;
  look: string;
  hue?: number | null;
  selected: boolean;
  at: number[];
  selects?: string | null;
  strength?: number;
}

/** The place of a line's arrow, and the point towards which it points. */
export interface DrawnArrow {
  x: number;
  y: number;
  towards: number[];
}

/** A name in a drawing. */
export interface DrawnLabel {
  text: any[][];
  x: number;
  y: number;
  anchor?: string;
}

/** A message as small bars; ``number`` is its turn in the round that sends it. */
export interface DrawnChart {
  x: number;
  y: number;
  w: number;
  h: number;
  direction: "f" | "b";
  towards: number[];
  values: number[];
  number?: number | null;
  waiting: boolean;
}

/** A branch, or an arrow of a Bayesian graph. */
export interface DrawnBranch {
  id: string;
  kind: string;
  name: string;
  look: string;
  hue?: number | null;
  selected: boolean;
  at: number[];
  selects?: string | null;
  strength?: number;
  points: number[][];
  arrow: DrawnArrow;
  ends: number[][];
  label?: DrawnLabel | null;
  messages: DrawnChart[];
}

/** A node; ``edit`` names its matrix where that can be changed. */
export interface DrawnNode {
  id: string;
  kind: string;
  name: string;
  look: string;
  hue?: number | null;
  selected: boolean;
  at: number[];
  selects?: string | null;
  strength?: number;
  x: number;
  y: number;
  w: number;
  h: number;
  cells: number[][];
  label: DrawnLabel;
  edit?: string;
  about?: string;
  states?: string[];
  given?: string[];
}

/** A state on a card: ``text`` is cut, ``full`` is not; ``why`` says how ``p`` came about.

    ``ghost`` is the belief that was pinned, and ``was`` the same as text. */
export interface DrawnRow {
  text: string;
  full: string;
  p: number;
  number: string;
  prior?: number | null;
  ghost?: number | null;
  was?: string | null;
  on: boolean;
  why: string;
}

/** The information of a variable on the target: bits and share as text, and the share. */
export interface DrawnTells {
  text: string;
  share: number;
  why: string;
}

/** The card of a variable; ``seen`` is its evidence: a state's index, likelihoods, or None. */
export interface DrawnCard {
  id: string;
  kind: string;
  name: string;
  look: string;
  hue?: number | null;
  selected: boolean;
  at: number[];
  selects?: string | null;
  strength?: number;
  variable: string;
  title: any[][];
  note: string;
  x: number;
  y: number;
  w: number;
  h: number;
  head: number;
  row: number;
  bar: number;
  rows: DrawnRow[];
  seen?: number | number[] | null;
  tells?: DrawnTells;
}

/** A table of the panel; ``edit`` names a matrix whose cells can be changed. */
export interface DrawnTable {
  caption: string;
  head: string[];
  rows: ((string | any[])[])[];
  look: "bars" | "heat" | "text";
  edit?: string;
}

/** The selected part in words and tables; the lines ``below`` stand under the tables. */
export interface DrawnPanel {
  title: string;
  lines: string[];
  below?: string[];
  tables: DrawnTable[];
  more?: DrawnTable;
  variable?: string;
}

/** A message from which another one is made. */
export interface DrawnSource {
  branch: string;
  direction: "f" | "b";
  values: number[];
}

/** DrawnTravel. */
export interface DrawnTravel {
  node: string;
  sign: string;
  branch: string;
  direction: "f" | "b";
  from: DrawnSource[];
  matrix?: number[][];
  shares?: number[][];
}

/** The state of the schedule, and what was sent in this round. */
export interface DrawnRounds {
  round: number;
  last: number;
  text: string;
  travels: DrawnTravel[];
}

/** Equal rows of a table behind a learned number: how many, and what they add to it.

    ``bar`` is what they add to the count of the cell, ``whole`` to that of its row of the matrix,
    both as shares of the longest bar. */
export interface DrawnOriginRow {
  id: string;
  text: string;
  count: string;
  share: string;
  adds: string;
  bar: number;
  whole: number;
}

/** The origin of a learned number: the cell, the rows that made it, and their sum. */
export interface DrawnOrigin {
  matrix: string;
  row: number;
  column: number;
  rule: string;
  title: string;
  lines: string[];
  rows: DrawnOriginRow[];
  more: string;
  adds: string;
  of: string;
}

/** All that the page of a living graph draws; ``spare`` is a free place in the drawing.

    ``pinned`` and ``asked`` say in words what is pinned, and what the target is and who tells most. */
export interface Scene {
  width: number;
  height: number;
  spare?: number[] | null;
  name: string;
  parts: (DrawnBranch | DrawnNode | DrawnCard)[];
  panel: DrawnPanel;
  rounds: DrawnRounds;
  summary: string;
  status: string;
  undo: boolean;
  redo: boolean;
  forms: string[];
  form: string;
  schedule: string;
  start?: number | null;
  selected?: string | null;
  plain: boolean;
  title: string;
  learned: string[];
  origin?: DrawnOrigin | null;
  pinned?: string | null;
  target?: string | null;
  asked: string;
  hint: string;
}

/** A mark of the drawing: its name, what it means, and an example of it. */
export interface LegendMark {
  key: string;
  name: string;
  words: string;
  part: DrawnBranch | DrawnNode | DrawnCard;
}

/** A card on a board: ``hidden`` from learning, ``lit`` where it is on a loop. */
export interface EditorCard {
  id: string;
  kind: string;
  name: string;
  look: string;
  hue?: number | null;
  selected: boolean;
  at: number[];
  selects?: string | null;
  strength?: number;
  variable: string;
  title: any[][];
  note: string;
  x: number;
  y: number;
  w: number;
  h: number;
  head: number;
  row: number;
  bar: number;
  rows: DrawnRow[];
  seen?: number | number[] | null;
  tells?: DrawnTells;
  hidden: boolean;
  lit: boolean;
}

/** An arrow on a board; ``lit`` on a loop, or on the way that a refused arrow would close. */
export interface EditorArrow {
  id: string;
  kind: string;
  name: string;
  look: string;
  hue?: number | null;
  selected: boolean;
  at: number[];
  selects?: string | null;
  strength?: number;
  points: number[][];
  arrow: DrawnArrow;
  ends: number[][];
  label?: DrawnLabel | null;
  messages: DrawnChart[];
  parent: string;
  child: string;
  lit: boolean;
}

/** The settings of a variable; ``labels`` are its states as they are typed, ``known`` is its
    evidence, and ``parents`` are all others, each with whether it is one. */
export interface VariableForm {
  kind: "variable";
  variable: string;
  labels: string;
  states: string[];
  known?: number | number[] | null;
  hidden: boolean;
  why: string;
  parents: any[][];
  matrix?: DrawnTable | null;
  large: boolean;
}

/** The settings of an arrow. */
export interface ArrowForm {
  kind: "arrow";
  parent: string;
  child: string;
}

/** A loop in words, whether it is merged, and whether it can be. */
export interface LoopForm {
  merged: boolean;
  words: string;
  can: boolean;
}

/** A table: the columns that are observed, those that are no variable yet, and why others cannot
    be one. */
export interface TableForm {
  name: string;
  rows: string;
  observed: string[];
  free: string[];
  numbers: string[];
  weight?: string | null;
  left_out: string[][];
}

/** The settings of the next run. */
export interface LearningForm {
  rule: string;
  restarts: number;
  n_epochs: number;
  seed: number;
}

/** All that the page of a graph editor draws, but for the curve. */
export interface EditorScene {
  cards: EditorCard[];
  arrows: EditorArrow[];
  width: number;
  height: number;
  panel?: VariableForm | ArrowForm | null;
  loop?: LoopForm | null;
  table?: TableForm | null;
  learning: LearningForm;
  rules: string[][];
  warnings: string[];
  summary: string;
  note: string;
  most_bytes: number;
  status: string;
  code: string;
  undo: boolean;
  redo: boolean;
}

/** Likelihoods by epoch, a line for each start; ``low``, ``high`` are the ends of the axis. */
export interface EditorCurve {
  epochs: number[];
  lines: ((number | null)[])[];
  best: number;
  last: number;
  of: number;
  low: number;
  high: number;
  running: boolean;
}

/** A restart of a run: the log-likelihood of every epoch, None where it is not finite. */
export interface DrawnCurve {
  name: string;
  rule: string;
  values: (number | null)[];
}

/** A height to compare curves with. */
export interface DrawnLevel {
  name: string;
  value: number;
}

/** The chart of a learning view, and what stays: all curves, and the table's rows. */
export interface DrawnRun {
  curves: DrawnCurve[];
  levels: DrawnLevel[];
  last: number;
  rows: string[];
}

/** The part of a run that is looked at: an epoch, one or two curves, and a row of the list. */
export interface LearningScene {
  epoch: number;
  left: number;
  right?: number | null;
  row?: number | null;
  own: boolean;
  undo: boolean;
  redo: boolean;
  status: string;
}
