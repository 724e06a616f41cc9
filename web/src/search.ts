// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds operations and values by their names, kinds, places and layouts.

import type { Selection } from "./graph";
import type { ProgramFunction } from "./view";
import { placeText, shapeText, whereText } from "./words";

export interface Found { selection: Selection; title: string; detail: string }

/** What holds every word of the text: names first, then what else matches. */
export function find(program: ProgramFunction, text: string, most: number): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked: { rank: number; found: Found }[] = [];
  const look = (selection: Selection, title: string, detail: string) => {
    const all = `${title} ${detail}`.toLowerCase();
    if (!words.every((word) => all.includes(word))) return;
    const rank = words.every((word) => title.toLowerCase().includes(word)) ? 0 : 1;
    ranked.push({ rank, found: { selection, title, detail } });
  };
  program.operations.forEach((operation, number) => {
    if (!operation.isSource) look({ kind: "operation", number }, operation.kind, placeText(operation) + (operation.body ? `, ${operation.body}` : ""));
  });
  program.values.forEach((value, number) => {
    const type = program.types[value.type], producer = value.producer;
    const isDrawn = producer === undefined || !program.operations[producer].isSource;
    if (isDrawn && type.shape) look({ kind: "value", number }, value.name, `${shapeText(type)}, ${whereText(value, type)}`);
  });
  return ranked.sort((a, b) => a.rank - b.rank).slice(0, most).map((each) => each.found);
}
