// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a function into segments that are drawn one below the other: its layers, and
// what is between them in parts of a readable size. Segments that are equal are laid
// out once and fold.

import type { Operation, ProgramFunction } from "./view";

export interface Segment {
  title: string;
  /** Numbers of operations. */
  operations: number[];
  /** Whether it is a layer or part with a heading, which opens and closes. */
  isGroup: boolean;
  /** The same for all segments that are equal. */
  kind: string;
}

/** A segment, or several equal ones that follow each other. */
export interface Fold { segments: Segment[] }

/** More than these are cut even where nothing repeats. */
export const largestSegment = 160;
/** A part is worth a heading of its own from here on. */
const smallestLayer = 4;

/** What has to be equal for two operations to look alike. */
function signature(operation: Operation, program: ProgramFunction): string {
  const types = (values: number[]) => values.map((value) => program.values[value].type).join(",");
  return `${operation.kind}|${operation.body ?? ""}|${types(operation.operands)}|${types(operation.results)}`;
}

/** Cuts the operations of a function that are drawn. */
export function segmentsOf(program: ProgramFunction): Segment[] {
  const drawn = program.operations.map((_, number) => number)
    .filter((number) => !program.operations[number].isSource);
  const signatures = new Map(drawn.map((number) => [number, signature(program.operations[number], program)]));
  const segments: Segment[] = [];
  const kinds = new Map<string, string>();
  const add = (operations: number[], title: string, isGroup: boolean) => {
    if (operations.length === 0) return;
    const text = operations.map((number) => signatures.get(number)).join(";") + edgesWithin(operations, program);
    if (!kinds.has(text)) kinds.set(text, `kind ${kinds.size}`);
    segments.push({ title, operations, isGroup, kind: kinds.get(text)! });
  };
  const addPlain = (operations: number[]) => {
    if (operations.length <= largestSegment) return add(operations, "", false);
    for (let at = 0; at < operations.length; at += largestSegment) {
      const part = operations.slice(at, at + largestSegment);
      add(part, `operations ${part[0] + 1} to ${part[part.length - 1] + 1}`, true);
    }
  };
  let from = 0;
  for (let at = 1; at <= drawn.length; ++at) {
    const { layer } = program.operations[drawn[from]];
    if (at < drawn.length && program.operations[drawn[at]].layer === layer) continue;
    const part = drawn.slice(from, at);
    if (layer === undefined || part.length < smallestLayer) addPlain(part);
    else add(part, program.layers[layer], true);
    from = at;
  }
  return segments;
}

/** Which operation reads which within a segment. */
function edgesWithin(operations: number[], program: ProgramFunction): string {
  const local = new Map(operations.map((number, place) => [number, place]));
  return operations.map((number) => program.operations[number].operands
    .map((value) => local.get(program.values[value].producer ?? -1) ?? "x").join(",")).join(";");
}

/** Puts equal groups that follow each other together. */
export function foldsOf(segments: Segment[]): Fold[] {
  const folds: Fold[] = [];
  for (const segment of segments) {
    const last = folds[folds.length - 1];
    if (last && segment.isGroup && last.segments[0].isGroup && last.segments[0].kind === segment.kind)
      last.segments.push(segment);
    else folds.push({ segments: [segment] });
  }
  return folds;
}
