// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimensions of a tensor a drawing has, and where boxes are in it.

import type { Box, Type } from "./view";

export const computeBox = (type: Type, tile: number): Box => type.tiles![tile][0];
export const memoryBox = (type: Type, tile: number): Box => type.tiles![tile][1] ?? type.tiles![tile][0];
export const isEmpty = (box: Box): boolean => box[1].some((size) => size === 0);
export const sameBox = (a: Box, b: Box): boolean =>
  isEmpty(a) ? isEmpty(b) : a[0].every((each, dim) => each === b[0][dim]) && a[1].every((each, dim) => each === b[1][dim]);

/** The dimensions along which tiles have different parts. */
export function splitDims(type: Type): number[] {
  if (!type.tiles || !type.shape) return [];
  return type.shape.map((_, dim) => dim).filter((dim) =>
    type.tiles!.some((tile) => !isEmpty(tile[0]) &&
      (tile[0][1][dim] !== type.shape![dim] || (tile[1] ?? tile[0])[1][dim] !== type.shape![dim])));
}

/** At most three dimensions that a drawing has: those that are split first, then
 *  the longest. The first runs down, the second to the right, the third back. With
 *  two types of one shape, both are drawn alike. */
export function drawnDims(type: Type, other: Type = type): number[] {
  const shape = type.shape ?? [];
  const split = new Set([...splitDims(type), ...splitDims(other)]);
  const dims = shape.map((_, dim) => dim).filter((dim) => shape[dim] > 1 || split.has(dim));
  dims.sort((a, b) => Number(split.has(b)) - Number(split.has(a)) || (split.has(a) ? 0 : shape[b] - shape[a]) || a - b);
  // A matrix has its rows one below the other.
  return dims.length === 2 ? dims.sort((a, b) => a - b) : dims.slice(0, 3);
}

/** Groups tiles whose compute boxes are equal, as copies are. */
export function tilesByBox(type: Type): { box: Box; tiles: number[] }[] {
  const groups: { box: Box; tiles: number[] }[] = [];
  const known = new Map<string, { box: Box; tiles: number[] }>();
  type.tiles?.forEach((boxes, tile) => {
    if (isEmpty(boxes[0])) return;
    const key = JSON.stringify(boxes[0]);
    let group = known.get(key);
    if (!group) {
      group = { box: boxes[0], tiles: [] };
      known.set(key, group);
      groups.push(group);
    }
    group.tiles.push(tile);
  });
  return groups;
}

/** "0, 1", "0 to 3" */
export function tileList(tiles: number[]): string {
  const isRun = tiles.length > 2 && tiles.every((tile, place) => tile === tiles[0] + place);
  return isRun ? `${tiles[0]} to ${tiles[tiles.length - 1]}` : tiles.join(", ");
}

/** Lengths of axes: large extents are longer, and none is too short to see. */
export function axisLength(extent: number, largest: number): number {
  return Math.max(0.34, Math.pow(extent / largest, 0.3));
}
