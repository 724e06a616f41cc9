// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor as its tiles have it: one drawing of all parts, one for each tile, and
// the boxes as a table.

import { axisLength, computeBox, drawnDims, isEmpty, memoryBox, sameBox, splitDims, tileList, tilesByBox } from "./boxes";
import { html, svg, table } from "./elements";
import type { Box, Padding, Type } from "./view";
import { boxText, layoutText, orderText, shapeText } from "./words";

/** Tiles that get a drawing of their own, and rows of tables. */
const mostDrawings = 8, mostRows = 256;

/** The patterns by which tiles differ without their colours, once for the page. */
export function patterns(): SVGSVGElement {
  const line = (d: string) => svg("path", { d });
  const shapes: (() => SVGElement[])[] = [
    () => [line("M-2 2 L2 -2 M0 8 L8 0 M6 10 L10 6")],
    () => [svg("circle", { cx: 2, cy: 2, r: 1.1, class: "dot" }), svg("circle", { cx: 6, cy: 6, r: 1.1, class: "dot" })],
    () => [line("M0 2 H8 M0 6 H8")],
    () => [line("M6 -2 L10 2 M0 0 L8 8 M-2 6 L2 10")],
    () => [line("M0 4 H8 M4 0 V8")],
    () => [line("M2 0 V8 M6 0 V8")],
    () => [svg("circle", { cx: 4, cy: 4, r: 2.2 })],
    () => [line("M0 0 L8 8 M8 0 L0 8")],
  ];
  const make = (id: string, content: SVGElement[]) =>
    svg("pattern", { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", class: id },
      svg("rect", { width: 8, height: 8, class: "ground" }), ...content);
  return svg("svg", { class: "patterns", "aria-hidden": "true", width: 0, height: 0 },
    svg("defs", {},
      ...shapes.map((content, tile) => make(`tile-${tile}`, content())),
      make("halo", [line("M0 8 L8 0")]),
      make("padding", [line("M0 0 L8 8 M8 0 L0 8")]),
      make("waiting", [line("M-2 2 L2 -2 M0 8 L8 0 M6 10 L10 6")]),
      svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
        svg("path", { d: "M0 0.5 L7.5 4 L0 7.5 Z", class: "arrow" }))));
}

export const patternOf = (tile: number): string => `url(#tile-${tile % 8})`;

interface Drawing {
  type: Type;
  dims: number[];
  /** Places in dimensions that are split and not drawn. */
  at: Map<number, number>;
  width: number;
  height: number;
  /** Room for the names of dimensions. */
  margin: number;
}

/** Where the corners of boxes are. */
class Projection {
  readonly origin: { x: number; y: number };
  readonly down: number;
  readonly right: number;
  readonly back: number;

  constructor(private drawing: Drawing) {
    const shape = drawing.type.shape!, [v, h, d] = drawing.dims;
    const largest = Math.max(...drawing.dims.map((dim) => shape[dim]), 1);
    const { margin } = drawing, room = { x: drawing.width - margin - 14, y: drawing.height - margin * 0.5 - 8 };
    const length = (dim: number | undefined) => (dim === undefined ? 0 : axisLength(shape[dim], largest));
    // Lengths that fit the room, of which those to the back are shortened.
    const down = Math.max(length(v), 0.62), right = (length(h) || 0.5) * 1.35, slant = length(d) * 0.5;
    const scale = Math.min(room.x / (right + slant), room.y / (down + slant));
    this.down = down * scale;
    this.right = right * scale;
    this.back = slant * scale;
    const wide = this.right + this.back;
    // No taller than what is drawn.
    drawing.height = Math.ceil(this.down + this.back + margin * 0.5 + 8);
    room.y = this.down + this.back;
    this.origin = { x: margin + 1 + (room.x - wide) / 2, y: 6 + this.back };
  }

  point(v: number, h: number, d: number): [number, number] {
    return [this.origin.x + h * this.right + d * this.back, this.origin.y + v * this.down - d * this.back];
  }

  /** The range of a box along a drawn dimension, as parts of the whole. */
  range(box: Box, place: number): [number, number] {
    const dim = this.drawing.dims[place];
    if (dim === undefined) return [0, 1];
    const extent = this.drawing.type.shape![dim];
    return [box[0][dim] / extent, (box[0][dim] + box[1][dim]) / extent];
  }

  /** The faces that are seen: front, top and side. */
  faces(box: Box): { front: string; top: string; side: string; middle: [number, number]; depth: number[] } {
    const [v0, v1] = this.range(box, 0), [h0, h1] = this.range(box, 1), [d0, d1] = this.range(box, 2);
    const path = (points: [number, number][]) => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;
    const p = (v: number, h: number, d: number) => this.point(v, h, d);
    return {
      front: path([p(v0, h0, d0), p(v0, h1, d0), p(v1, h1, d0), p(v1, h0, d0)]),
      top: this.back === 0 ? "" : path([p(v0, h0, d0), p(v0, h1, d0), p(v0, h1, d1), p(v0, h0, d1)]),
      side: this.back === 0 ? "" : path([p(v0, h1, d0), p(v1, h1, d0), p(v1, h1, d1), p(v0, h1, d1)]),
      middle: p((v0 + v1) / 2, (h0 + h1) / 2, d0),
      depth: [-d0, -v0, h0],
    };
  }
}

const isCut = (drawing: Drawing, box: Box): boolean =>
  !isEmpty(box) && [...drawing.at].every(([dim, index]) => box[0][dim] <= index && index < box[0][dim] + box[1][dim]);

const canvasOf = ({ width, height }: Drawing, label: string): SVGSVGElement =>
  svg("svg", { class: "tensor", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${height}`, width, height });

function draw(drawing: Drawing, label: string, parts: { box: Box; fill: string; name?: string; kind?: string }[]): SVGSVGElement {
  const projection = new Projection(drawing), shape = drawing.type.shape!;
  const whole: Box = [shape.map(() => 0), shape];
  const picture = canvasOf(drawing, label);
  const outline = projection.faces(whole);
  picture.append(svg("path", { d: outline.top + outline.side + outline.front, class: "whole" }));
  const faced = parts.filter((part) => isCut(drawing, part.box)).map((part) => ({ part, faces: projection.faces(part.box) }));
  faced.sort((a, b) => {
    for (let place = 0; place < 3; ++place)
      if (a.faces.depth[place] !== b.faces.depth[place]) return a.faces.depth[place] - b.faces.depth[place];
    return 0;
  });
  for (const { part, faces } of faced)
    for (const [name, d] of [["front", faces.front], ["top", faces.top], ["side", faces.side]] as const)
      if (d !== "") picture.append(svg("path", { d, class: `face ${name} ${part.kind ?? ""}`, fill: part.fill }));
  for (const { part, faces } of faced) {
    if (!part.name) continue;
    const [x, y] = faces.middle, width = part.name.length * 7 + 10;
    picture.append(svg("rect", { x: x - width / 2, y: y - 8, width, height: 16, rx: 8, class: "badge" }),
      svg("text", { x, y: y + 4, class: "badge-text", "text-anchor": "middle" }, part.name));
  }
  const [v, h, d] = drawing.dims;
  const axis = (dim: number | undefined, x: number, y: number, anchor: string) => {
    if (dim !== undefined)
      picture.append(svg("text", { x, y, class: "axis", "text-anchor": anchor }, `d${dim} ${shape[dim]}`));
  };
  if (drawing.margin > 0) {
    const [x0, y1] = projection.point(1, 0, 0), [x1] = projection.point(1, 1, 0);
    axis(h, (x0 + x1) / 2, y1 + 13, "middle");
    if (v !== undefined) {
      const [x, y] = projection.point(0.5, 0, 0);
      picture.append(svg("text", { x: x - 8, y, class: "axis", "text-anchor": "middle", transform: `rotate(-90 ${x - 8} ${y})` }, `d${v} ${shape[v]}`));
    }
    const [xd, yd] = projection.point(0, 0, 0.5);
    axis(d, xd - 6, yd, "end");
  }
  return picture;
}

/** One drawing with the compute box of every tile. */
export function drawParts(type: Type, dims: number[], width = 300, height = 190, at = new Map<number, number>()): SVGSVGElement {
  const groups = tilesByBox(type);
  const label = `${shapeText(type)}, ${layoutText(type)}: ` +
    groups.slice(0, mostDrawings).map((group) => `tile ${tileList(group.tiles)} computes ${boxText(group.box)}`).join("; ");
  return draw({ type, dims, at, width, height, margin: 42 }, label, groups.map((group) => ({
    box: group.box, fill: patternOf(group.tiles[0]), name: groups.length > 24 ? undefined : tileList(group.tiles),
  })));
}

function drawTile(type: Type, tile: number, padding: Padding[], at: Map<number, number>): SVGSVGElement {
  const compute = computeBox(type, tile), memory = memoryBox(type, tile);
  const parts: { box: Box; fill: string; kind?: string }[] = [];
  if (!sameBox(compute, memory)) parts.push({ box: memory, fill: "url(#halo)", kind: "held" });
  parts.push({ box: compute, fill: patternOf(tile) });
  for (const range of padding) {
    const begin = Math.max(memory[0][range.dim], range.begin);
    const end = Math.min(memory[0][range.dim] + memory[1][range.dim], range.end);
    if (begin >= end) continue;
    const box: Box = [[...memory[0]], [...memory[1]]];
    box[0][range.dim] = begin;
    box[1][range.dim] = end - begin;
    parts.push({ box, fill: "url(#padding)", kind: "padded" });
  }
  // A tile's own drawing has the halo around the compute box, not behind it.
  return drawTilePicture({ type, dims: drawnDims(type).slice(0, 2), at, width: 104, height: 84, margin: 0 },
    `tile ${tile} computes ${boxText(compute)} and holds ${boxText(memory)}`, parts);
}

function drawTilePicture(drawing: Drawing, label: string, parts: { box: Box; fill: string; kind?: string }[]): SVGSVGElement {
  const projection = new Projection(drawing), shape = drawing.type.shape!;
  const picture = canvasOf(drawing, label);
  picture.append(svg("path", { d: projection.faces([shape.map(() => 0), shape]).front, class: "whole" }));
  for (const part of parts)
    if (isCut(drawing, part.box))
      picture.append(svg("path", { d: projection.faces(part.box).front, class: `face front ${part.kind ?? ""}`, fill: part.fill }));
  return picture;
}

/** Everything about a tensor's parts. */
export function tensorPanel(type: Type, padding: Padding[] = [], where = layoutText(type)): HTMLElement {
  const panel = html("div", { class: "tensor-panel" });
  const facts = html("dl", { class: "facts" });
  const fact = (name: string, content: string | Node) => facts.append(html("dt", {}, name), html("dd", {}, content));
  fact("Shape", shapeText(type));
  fact("Distribution", where || "none");
  if (orderText(type)) fact("Order in memory", `${orderText(type)}, slowest first`);
  if (type.storage) fact("Storage", type.storage);
  for (const range of padding) fact("Padding", `d${range.dim} from ${range.begin} to ${range.end} is padding`);
  if (type.attribute) fact("As written", html("code", {}, type.attribute));
  panel.append(facts);
  if (!type.tiles || !type.shape) return panel;
  const drawn = drawnDims(type), sliders = splitDims(type).filter((dim) => !drawn.includes(dim));
  const at = new Map(sliders.map((dim) => [dim, 0]));
  const pictures = html("div", { class: "pictures" });
  const redraw = () => {
    pictures.replaceChildren(drawParts(type, drawn, 300, 190, at));
    const tiles = html("div", { class: "tiles" });
    for (let tile = 0; tile < Math.min(type.tiles!.length, mostDrawings); ++tile)
      tiles.append(html("figure", {}, drawTile(type, tile, padding, at), html("figcaption", {}, `tile ${tile}`)));
    pictures.append(tiles);
  };
  for (const dim of sliders) {
    const shown = html("output", {}, "0");
    panel.append(html("label", { class: "slider" }, `d${dim} at `, shown,
      html("input", { type: "range", min: 0, max: type.shape[dim] - 1, value: 0, input: (event) => {
        const value = Number((event.target as HTMLInputElement).value);
        at.set(dim, value);
        shown.textContent = String(value);
        redraw();
      } })));
  }
  redraw();
  panel.append(pictures);
  const whole = type.shape.map((_, dim) => dim).filter((dim) => !drawn.includes(dim) && !sliders.includes(dim));
  if (whole.length > 0)
    panel.append(html("p", { class: "quiet" }, `Not drawn, because every tile has all of it: ${whole.map((dim) => `d${dim} (${type.shape![dim]})`).join(", ")}.`));
  const hasHalo = type.tiles.some((boxes) => boxes[1]);
  panel.append(html("p", { class: "legend" },
    html("span", { class: "key" }, swatch(patternOf(0)), "what a tile computes"),
    hasHalo && html("span", { class: "key" }, swatch("url(#halo)"), "halo: held as well, computed elsewhere"),
    padding.length > 0 && html("span", { class: "key" }, swatch("url(#padding)"), "padding")));
  const rows = type.tiles.slice(0, mostRows).map((boxes, tile) =>
    [String(tile), boxText(boxes[0]), boxes[1] ? boxText(boxes[1]) : "the same"]);
  panel.append(table("Boxes of every tile", ["Tile", "Computes", "Holds"], rows));
  if (type.tiles.length > mostRows)
    panel.append(html("p", { class: "quiet" }, `${type.tiles.length - mostRows} more tiles are not listed.`));
  return panel;
}

export function swatch(fill: string): SVGSVGElement {
  return svg("svg", { class: "swatch", width: 16, height: 16, "aria-hidden": "true" },
    svg("rect", { x: 0.5, y: 0.5, width: 15, height: 15, fill, class: "face" }));
}
