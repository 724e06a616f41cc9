// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the page says in sentences.

import type { Box, Movement, Operation, Place, ProgramFunction, Type, Value } from "./view";

const grouped = new Intl.NumberFormat("en-US");

/** "4,816,896" */
export const count = (number: number): string => grouped.format(number);
/** "1 byte", "4,816,896 bytes" */
export const bytes = (number: number): string => `${count(number)} ${number === 1 ? "byte" : "bytes"}`;

/** "588 kB": for where there is little room. */
export function shortBytes(number: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (number >= 1000 && unit + 1 < units.length) { number /= 1000; ++unit; }
  return `${number >= 100 || unit === 0 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
}

/** "0.094 ms" */
export function time(seconds: number): string {
  const ms = seconds * 1000;
  return ms >= 100 ? `${ms.toFixed(0)} ms` : ms >= 1 ? `${ms.toFixed(2)} ms` : `${(ms * 1000).toFixed(1)} µs`;
}

/** "[0:1, 7:14]", or "nothing". */
export const boxText = ([offset, size]: Box): string =>
  size.some((each) => each === 0) ? "nothing"
    : `[${offset.map((each, dim) => `${each}:${each + size[dim]}`).join(", ")}]`;

/** The name of an operation without its dialect. */
export const shortKind = (kind: string): string => kind.slice(kind.indexOf(".") + 1);

/** What an operation does: of a call, the name of what it calls. */
export const workOf = (operation: Operation): string =>
  operation.kind === "func.call" && operation.body ? operation.body : shortKind(operation.kind);

/** "Add_1106, _mem_permute_1", or where it is, or what it is. */
export function nameOf(operation: Operation): string {
  return operation.names.length > 0 ? operation.names.join(", ") : operation.place || operation.kind;
}

/** "Add_1106 at prompt-336.log:3:85" */
export function placeText(place: Place): string {
  const names = place.names.join(", ");
  if (names === "") return place.place || "no location";
  return place.place === "" ? names : `${names} at ${place.place}`;
}

/** "1 × 28 × 336 × 128, f16" */
export function shapeText(type: Type): string {
  const found = /^((?:[\d?]+x)*)(.*)$/.exec(type.short);
  if (!type.shape || !found) return type.short;
  const extents = found[1].split("x").filter((extent) => extent !== "").join(" × ");
  return extents === "" ? found[2] : `${extents} ${found[2]}`;
}

/** Where a tensor of a type is. */
export const layoutText = (type: Type): string => type.layout || (type.shape ? "in DDR, not distributed" : "");
/** Where a value is: in a tile program, on one tile. */
export const whereText = (value: Value, type: Type): string => (value.tile === undefined ? layoutText(type) : `on tile ${value.tile}`);

const orderNames: Record<string, string> = { "0,1,2,3": "NCHW", "0,2,3,1": "NHWC", "0,3,1,2": "NWCH", "0,2,1,3": "NHCW", "0,1,3,2": "NCWH", "0,3,2,1": "NWHC" };

/** How the dimensions lie in memory, slowest first. */
export function orderText(type: Type): string {
  if (!type.shape || type.shape.length < 2) return "";
  const order = type.order ?? type.shape.map((_, dim) => dim);
  const name = orderNames[order.join(",")];
  return `${order.map((dim) => `d${dim}`).join(", ")}${name ? ` (${name})` : ""}`;
}

/** What a movement or a cast comes to. */
export interface Verdict {
  /** "bad": both sides differ where they may not. */
  tone: "good" | "bad" | "moves";
  /** For the operation's box. */
  short: string;
  title: string;
  sentence: string;
}

export function verdictOf(movement: Movement, types: Type[]): Verdict {
  const have = types[movement.have], want = types[movement.want];
  const received = movement.received?.[0];
  if (movement.moves) {
    const total = (received ?? 0) + (movement.ddrBytes ?? 0);
    return {
      tone: "moves",
      short: received === undefined ? "data moves" : `${shortBytes(total)} move`,
      title: received === undefined ? "Data moves" : `${bytes(total)} move`,
      sentence: !have.layout ? `Tiles load their parts from DDR: ${bytes(movement.ddrBytes ?? 0)}.`
        : !want.layout ? `Tiles store their parts to DDR: ${bytes(movement.ddrBytes ?? 0)}.`
          : received === undefined ? "Tiles send each other what they lack."
            : `Tiles receive ${bytes(received)} from each other; at least ${bytes(movement.received![1])} have to move.`,
    };
  }
  const words = `${have.mode ?? "no distribution"} and ${want.mode ?? "no distribution"}`;
  switch (movement.relation) {
  case "same":
    return { tone: "good", short: "both sides agree", title: "Both sides agree",
             sentence: "Every tile has what the result declares, under the same name." };
  case "label":
    return { tone: "bad", short: "0 bytes differ", title: "The sides differ in name only: 0 bytes differ",
             sentence: `Every tile holds the same boxes on both sides. Only the names differ: ${words}.` };
  case "narrow":
    return { tone: "bad", short: "tiles hold more", title: "Tiles hold more than is declared",
             sentence: `Every tile holds what the result declares, and more; nothing has to move, but ${words} are not the same.` };
  case "moves":
    return { tone: "bad", short: received === undefined ? "tiles lack data" : `${shortBytes(received)} lacking`,
             title: received === undefined ? "Tiles lack data" : `Tiles lack ${bytes(received)}`,
             sentence: "The cast moves nothing, and tiles do not hold what its result declares." };
  }
}

/** The verdict of an operation that moves data, changes a layout, or reads what is
 *  not there. */
export function verdictOfOperation(operation: Operation, program: ProgramFunction): Verdict | undefined {
  const isTold = operation.movement && !operation.movement.moves && !operation.movement.renames;
  if (operation.wrong && !isTold) {
    const lacking = operation.wrong.reduce((sum, each) => sum + each.bytes, 0);
    return { tone: "bad", short: lacking > 0 ? `${shortBytes(lacking)} lacking` : "0 bytes lacking, refused",
             title: lacking > 0 ? `Tiles lack ${bytes(lacking)}` : "The field compiler refuses this: 0 bytes are lacking",
             sentence: operation.wrong.map((each) => `${program.values[each.value].name}: ${each.reason}.`).join(" ") };
  }
  if (!operation.movement) return undefined;
  const verdict = verdictOf(operation.movement, program.types);
  if (operation.movement.renames && operation.movement.relation !== "moves")
    return { ...verdict, tone: "good", short: "new name, 0 bytes", title: "A new name for the same data: 0 bytes move" };
  return verdict;
}
