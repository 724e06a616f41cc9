// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves from tile to tile, and whether the two sides of a cast agree.

import { drawnDims, isEmpty, memoryBox, sameBox } from "./boxes";
import { html, table } from "./elements";
import { drawParts } from "./tensor";
import type { Box, Movement, Operation, ProgramFunction, Type } from "./view";
import { boxText, bytes, count, layoutText, shortBytes, verdictOfOperation } from "./words";

const nothing: Box = [[0], [0]];

/** Left what tiles hold, right what is declared: the picture of a failure. */
export function bothSides(movement: Movement, types: Type[]): HTMLElement {
  const have = types[movement.have], want = types[movement.want];
  const side = (title: string, type: Type) => html("figure", { class: "side" },
    html("figcaption", {}, html("span", { class: "side-title" }, title),
      html("strong", {}, type.mode ?? "DDR"), html("span", { class: "quiet" }, layoutText(type).replace(`${type.mode} `, "on "))),
    type.tiles ? drawParts(type, drawnDims(have.tiles ? have : want, want.tiles ? want : have), 260, 170) : html("p", { class: "quiet" }, "the whole tensor, in DDR"));
  const differs = movement.relation === "moves";
  const holdsMore = movement.relation === "narrow";
  const names = have.mode !== want.mode && !movement.moves;
  return html("div", { class: "sides" },
    side(movement.moves ? "Before" : "What tiles hold", have),
    html("p", { class: `between ${movement.moves ? "moving" : differs ? "unequal" : "equal"}` },
      html("span", { class: "sign", "aria-hidden": "true" }, movement.moves ? "→" : differs ? "≠" : holdsMore ? "⊃" : "="),
      html("span", {}, movement.moves ? "moves" : differs ? "other boxes" : holdsMore ? "tiles hold more" : "same boxes"),
      names && !differs && html("span", { class: "names" }, html("span", { class: "sign", "aria-hidden": "true" }, "≠"), "other names")),
    side(movement.moves ? "After" : "What is declared", want));
}

function sideTable(movement: Movement, types: Type[]): HTMLElement | undefined {
  const have = types[movement.have], want = types[movement.want];
  if (!have.tiles || !want.tiles) return undefined;
  const tiles = Math.max(have.tiles.length, want.tiles.length);
  const rows = Array.from({ length: Math.min(tiles, 64) }, (_, tile) => {
    const left = have.tiles![tile] ? memoryBox(have, tile) : nothing;
    const right = want.tiles![tile] ? memoryBox(want, tile) : nothing;
    const same = sameBox(left, right) || (isEmpty(left) && isEmpty(right));
    return [String(tile), boxText(left), boxText(right), same ? "yes" : "no"];
  });
  return table("What each tile holds on both sides", ["Tile", "Holds", "Declared", "Equal"], rows);
}

/** Bytes from each tile to each: rows send, columns receive. */
export function trafficMatrix(movement: Movement): HTMLElement | undefined {
  const transfers = movement.transfers ?? [];
  if (transfers.length === 0) return undefined;
  const ends = [...new Set(transfers.flatMap((transfer) => [transfer.from, ...transfer.to]))].sort((a, b) => (a < 0 ? 1e9 : a) - (b < 0 ? 1e9 : b));
  if (ends.length > 33) return html("p", { class: "quiet" }, `Transfers between ${ends.length} tiles: too many for a table.`);
  const sums = new Map<string, number>();
  let most = 0;
  for (const transfer of transfers)
    for (const to of transfer.to) {
      const key = `${transfer.from},${to}`;
      const sum = (sums.get(key) ?? 0) + transfer.bytes;
      sums.set(key, sum);
      most = Math.max(most, sum);
    }
  const name = (end: number) => (end < 0 ? "DDR" : `tile ${end}`);
  const senders = ends.filter((end) => transfers.some((transfer) => transfer.from === end));
  const receivers = ends.filter((end) => transfers.some((transfer) => transfer.to.includes(end)));
  return html("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "Traffic from tile to tile" },
    html("table", { class: "matrix" },
      html("caption", {}, "Bytes from each sender (row) to each receiver (column)"),
      html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "from \\ to"), ...receivers.map((end) => html("th", { scope: "col" }, name(end))))),
      html("tbody", {}, ...senders.map((from) => html("tr", {}, html("th", { scope: "row" }, name(from)),
        ...receivers.map((to) => {
          const sum = sums.get(`${from},${to}`) ?? 0;
          const level = sum === 0 ? 0 : Math.max(1, Math.ceil((4 * sum) / most));
          return html("td", { class: `number level-${level}`, title: bytes(sum) }, sum === 0 ? "·" : shortBytes(sum));
        }))))));
}

/** All of a movement or a cast. */
export function movementPanel(operation: Operation, program: ProgramFunction): HTMLElement | undefined {
  const movement = operation.movement, verdict = verdictOfOperation(operation, program);
  if (!movement || !verdict) return undefined;
  const panel = html("section", { class: "movement", "aria-label": "What moves" },
    html("p", { class: `verdict ${verdict.tone}` }, html("strong", {}, verdict.title)),
    html("p", {}, verdict.sentence));
  panel.append(bothSides(movement, program.types));
  const figures: [string, [number, number] | undefined][] = [
    ["Received by all tiles", movement.received],
    ["By the tile that receives most", movement.maxTileReceived],
    ["Sent by the tile that sends most", movement.maxTileSent],
  ];
  const rows = figures.filter(([, figure]) => figure && !(movement.ddrBytes && figure[0] === 0 && figure[1] === 0)).map(([name, figure]) => [name, count(figure![0]), count(figure![1])]);
  if (movement.ddrBytes) rows.push(["Through DDR", count(movement.ddrBytes), ""]);
  if (movement.relaidBytes) rows.push(["Re-laid-out inside tiles", count(movement.relaidBytes), ""]);
  if (movement.bytesThroughDdr && !movement.ddrBytes && movement.received)
    rows.push(["A round trip through DDR instead", count(movement.bytesThroughDdr), ""]);
  if (rows.length > 0) panel.append(table("Bytes and bounds", ["Bytes", "Moved", "At least"], rows, [1, 2]));
  const matrix = trafficMatrix(movement);
  if (matrix) panel.append(html("h4", {}, "Traffic"), matrix);
  if (movement.transfersLeftOut) panel.append(html("p", { class: "quiet" }, `${count(movement.transfersLeftOut)} more transfers are left out.`));
  const tiles = sideTable(movement, program.types);
  if (tiles && !movement.moves) panel.append(html("h4", {}, "Tile by tile"), tiles);
  return panel;
}
