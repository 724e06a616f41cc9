// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tool hands to the page: lib/Translation/Page/ViewJson.cpp writes it.

/** Offset and size of a part of a tensor, in whole-tensor coordinates. */
export type Box = [offset: number[], size: number[]];

/** The names of a location, and its first place in a file. */
export interface Place { names: string[]; place: string }

export interface Type {
  text: string;
  short: string;
  /** "SEGMENTED [1, 4, 1, 1]"; empty in DDR. */
  layout: string;
  shape?: number[];
  bits?: number;
  attribute?: string;
  mode?: string;
  order?: number[];
  storage?: string;
  /** The compute box of each tile, and its memory box where that is larger. */
  tiles?: (readonly [Box] | readonly [Box, Box])[];
}

export interface Padding { dim: number; begin: number; end: number }
export interface Value {
  name: string;
  type: number;
  producer?: number;
  /** The tile that has it, in a tile program. */
  tile?: number;
  padding?: Padding[];
}

export interface Transfer { from: number; to: number[]; box: Box; bytes: number }

export interface Movement {
  /** What tiles hold, and what is declared: numbers of types. */
  have: number;
  want: number;
  relation: "same" | "label" | "narrow" | "moves";
  moves: boolean;
  renames?: boolean;
  bytesThroughDdr: number;
  received?: [number, number];
  maxTileReceived?: [number, number];
  maxTileSent?: [number, number];
  ddrBytes?: number;
  relaidBytes?: number;
  transfers?: Transfer[];
  transfersLeftOut?: number;
}

export interface Operation extends Place {
  kind: string;
  body?: string;
  operands: number[];
  results: number[];
  isSource?: boolean;
  cycles?: number;
  tile?: number;
  /** The number of its layer. */
  layer?: number;
  movement?: Movement;
  /** Operands that are not what the operation needs, and that only the explanation
   *  of a dump knows to be wrong. */
  wrong?: { value: number; reason: string; bytes: number }[];
}

export interface Run {
  target: string;
  scratchpadBytes: number;
  total: number;
  seconds: number;
  computeBound: number;
  ddrBound: number;
  ddrBytes: number;
  ddrBytesBound: number;
  computeWaiting: number;
  transferWaiting: number;
  rowsLeftOut: number;
  usesLeftOut: number;
  /** [engine, begin, end, work, place, bytes of DDR, whether it computes, how long
   *  its engine waited before it] */
  rows: [number, number, number, number, number, number, number, number][];
  /** [tile, first byte, end byte, begin, end, place] */
  uses: [number, number, number, number, number, number][];
  /** [place, what works there, work, transfers, waiting], of the operations that wait
   *  longest. */
  times: [number, number, number, number, number][];
  placesLeftOut: number;
  engines: string[];
  works: string[];
  places: Place[];
}

export interface ProgramFunction extends Place {
  name: string;
  types: Type[];
  values: Value[];
  operations: Operation[];
  /** "model/layers.3", or "part 3 of 28 alike". */
  layers: string[];
  operationsLeftOut?: number;
  whyLeftOut?: string;
  run?: Run;
}

export interface Problem extends Place { severity: string; text: string; notes: string[] }

export interface Decision extends Place {
  name: string;
  function: string;
  reason: string;
  figures: Record<string, string>;
}

export interface Stage {
  title: string;
  explanation: string;
  functions: ProgramFunction[];
  problems: Problem[];
  decisions: Decision[];
  missing: string[];
}

export interface View {
  file: string;
  kind: string;
  /** What the tool explains in words. */
  words?: string;
  stages: Stage[];
}

export interface Licence { name: string; version: string; licence: string; text: string }
