// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modelled run: what every engine does when, where compute engines wait, and
// what is in the scratchpads meanwhile. Keys step through the rows.

import { html, table } from "./elements";
import type { Run } from "./view";
import { bytes, count, placeText, shortBytes, shortKind, time } from "./words";

const laneHeight = 22, useHeight = 54, gap = 6, axisHeight = 22;

type Kind = "matrix" | "vector" | "load" | "store" | "move";
const kinds: [Kind, string][] = [["matrix", "matrix work"], ["vector", "vector work"], ["load", "load"], ["store", "store"], ["move", "tile to tile"]];

/** The bytes that each tile has in use at a time. */
export function usedAt(run: Run, at: number): Map<number, number> {
  const ranges = new Map<number, [number, number][]>();
  for (const [tile, first, end, begin, last] of run.uses)
    if (begin <= at && at < last) {
      if (!ranges.has(tile)) ranges.set(tile, []);
      ranges.get(tile)!.push([first, end]);
    }
  const used = new Map<number, number>();
  for (const [tile, all] of ranges) {
    all.sort((a, b) => a[0] - b[0]);
    let sum = 0, covered = 0;
    for (const [first, end] of all) {
      sum += Math.max(0, end - Math.max(first, covered));
      covered = Math.max(covered, end);
    }
    used.set(tile, sum);
  }
  return used;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly readout: HTMLElement;
  private readonly lanes: number[];
  private readonly tiles: number[];
  private readonly peak: number;
  private current = 0;
  private from = 0;
  private to: number;
  private label = 104;

  private readonly run: Run;

  constructor(whole: Run, private onPlace: (place: number) => void) {
    const run = { ...whole, rows: whole.rows.filter((row) => row[1] !== row[2]) };
    this.run = run;
    this.to = Math.max(run.total, 1);
    const rank = (name: string) => (name.startsWith("tile") ? 1 : 0);
    this.lanes = run.engines.map((_, lane) => lane).sort((a, b) =>
      rank(run.engines[a]) - rank(run.engines[b]) || run.engines[a].localeCompare(run.engines[b], "en", { numeric: true }));
    this.tiles = [...new Set(run.uses.map((use) => use[0]))].sort((a, b) => a - b);
    this.peak = Math.max(1, ...run.uses.map((use) => use[2]));
    this.canvas = html("canvas", { class: "time", tabindex: 0, role: "application",
      "aria-label": `Timeline of ${run.total} cycles on ${run.target}. Left and right step through the rows, up and down change the engine, plus and minus zoom.`,
      keydown: (event) => this.key(event as KeyboardEvent), click: (event) => this.click(event as MouseEvent) });
    this.readout = html("p", { class: "readout", "aria-live": "polite" });
    const button = (label: string, text: string, act: () => void) =>
      html("button", { type: "button", class: "small", "aria-label": label, title: label, click: act }, text);
    this.element = html("div", { class: "timeline" },
      this.figures(),
      html("div", { class: "time-tools", role: "group", "aria-label": "Steps and zoom" },
        button("first row", "first", () => this.step(-this.current)), button("previous row", "◀ step", () => this.step(-1)),
        button("next row", "step ▶", () => this.step(1)), button("last row", "last", () => this.step(run.rows.length)),
        button("zoom in", "zoom +", () => this.zoom(0.5)), button("zoom out", "zoom −", () => this.zoom(2)),
        button("the whole run", "whole run", () => { this.from = 0; this.to = Math.max(run.total, 1); this.draw(); })),
      this.readout, this.canvas, this.legend());
    const idle = whole.rows.length - run.rows.length;
    if (run.rows.length === 0) {
      this.element.replaceChildren(this.figures(),
        html("p", { class: "readout" }, "Nothing runs: no engine has work, and no byte moves. It takes no time."));
      return;
    }
    if (idle > 0)
      this.element.append(html("p", { class: "quiet" }, idle === 1 ? "1 row that takes no cycles, such as a fill, is not shown." : `${count(idle)} rows that take no cycles, such as fills, are not shown.`));
    if (run.rowsLeftOut > 0)
      this.element.append(html("p", { class: "notice" }, `${count(run.rowsLeftOut)} of ${count(run.rowsLeftOut + run.rows.length)} rows are left out, the shortest ones; npu-print-schedule=format=json has all of them.`));
    if (run.usesLeftOut > 0)
      this.element.append(html("p", { class: "notice" }, `Of what scratchpads hold, the ${count(run.usesLeftOut)} smallest and shortest parts are left out.`));
    this.element.append(html("h3", {}, "What waits, and where the time goes"),
      html("p", { class: "quiet" }, "Cycles of all engines added up: they work at the same time, so that sums may be more than the total."),
      table("Cycles of all tiles by operation, those that wait longest first", ["Operation", "Where", "Waiting before it", "Work", "Transfers"],
        run.times.map(([where, what, work, moved, waited]) => [shortKind(run.works[what]), placeText(run.places[where]), count(waited), count(work), count(moved)]), [2, 3, 4]));
    if (run.placesLeftOut > 0) this.element.append(html("p", { class: "quiet" }, `${count(run.placesLeftOut)} more operations wait less.`));
    new ResizeObserver(() => this.draw()).observe(this.element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.say();
  }

  private figures(): HTMLElement {
    const { run } = this;
    const figure = (name: string, value: string, more: string) =>
      html("div", { class: "figure" }, html("span", { class: "figure-name" }, name), html("strong", {}, value), html("span", { class: "quiet" }, more));
    return html("div", { class: "figures" },
      figure("Total, modelled", time(run.seconds), `${count(run.total)} cycles on ${run.target}`),
      figure("Compute", share(run.computeBound, run.total), "of the total, at the least"),
      figure("DDR", share(run.ddrBound, run.total), `of the total, at the least; ${shortBytes(run.ddrBytes)} moved, at least ${shortBytes(run.ddrBytesBound)}`),
      figure("Waiting", `${count(run.computeWaiting)} cycles`, "of the busiest tile"));
  }

  private legend(): HTMLElement {
    const legend = html("p", { class: "legend" });
    for (const [kind, text] of [...kinds, ["waiting", "an engine waits"] as const])
      legend.append(html("span", { class: "key" }, html("canvas", { class: `swatch kind-${kind}`, width: 16, height: 16, "aria-hidden": "true" }), text));
    return legend;
  }

  /** The kind of a row, by its engine and work. */
  private kindOf(row: Run["rows"][number]): Kind {
    if (row[6]) return this.run.engines[row[0]].endsWith("matrix") ? "matrix" : "vector";
    const work = this.run.works[row[3]];
    return work === "load" || work === "store" ? work : "move";
  }

  private step(by: number): void {
    if (this.run.rows.length === 0) return;
    this.current = Math.min(Math.max(this.current + by, 0), this.run.rows.length - 1);
    const [, begin, end] = this.run.rows[this.current], width = this.to - this.from;
    if (begin < this.from || end > this.to) {
      this.from = Math.max(0, Math.min(begin - width / 4, this.run.total - width));
      this.to = this.from + width;
    }
    this.draw();
    this.say();
    this.onPlace(this.run.rows[this.current][4]);
  }

  private say(): void {
    const { run } = this, row = run.rows[this.current];
    if (!row) { this.readout.textContent = "Nothing runs."; return; }
    const [engine, begin, end, work, where, ddr, , waited] = row;
    const used = [...usedAt(run, begin)].sort((a, b) => a[0] - b[0]).slice(0, 8).map(([tile, sum]) => `tile ${tile} ${bytes(sum)}`).join(", ");
    this.readout.replaceChildren(
      html("strong", {}, `Row ${count(this.current + 1)} of ${count(run.rows.length)}: ${shortKind(run.works[work])}`), ` on ${run.engines[engine]}, cycles ${count(begin)} to ${count(end)}`,
      ddr > 0 ? `, ${bytes(ddr)} of DDR` : "", `. ${placeText(run.places[where])}.`,
      waited ? ` Its engine waited ${count(waited)} cycles before it.` : "",
      used ? ` In use then: ${used}.` : "");
  }

  private zoom(by: number): void {
    const row = this.run.rows[this.current], middle = row ? (row[1] + row[2]) / 2 : (this.from + this.to) / 2;
    const width = Math.min(Math.max((this.to - this.from) * by, 20), Math.max(this.run.total, 1));
    this.from = Math.max(0, Math.min(middle - width / 2, this.run.total - width));
    this.to = this.from + width;
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    const act: Record<string, () => void> = {
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), Home: () => this.step(-this.current),
      End: () => this.step(this.run.rows.length), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      ArrowDown: () => this.changeLane(1), ArrowUp: () => this.changeLane(-1),
    };
    if (!act[event.key]) return;
    event.preventDefault();
    act[event.key]();
  }

  /** The row of the next engine that is at work, or is next. */
  private changeLane(by: number): void {
    const row = this.run.rows[this.current];
    if (!row) return;
    const lane = this.lanes[this.lanes.indexOf(row[0]) + by];
    if (lane === undefined) return;
    let best = -1;
    this.run.rows.forEach((each, number) => {
      if (each[0] === lane && (best < 0 || Math.abs(each[1] - row[1]) < Math.abs(this.run.rows[best][1] - row[1]))) best = number;
    });
    if (best >= 0) this.step(best - this.current);
  }

  private click(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect(), y = event.clientY - box.top;
    const at = this.from + ((event.clientX - box.left - this.label) / (box.width - this.label)) * (this.to - this.from);
    const lane = this.lanes[Math.floor((y - axisHeight) / laneHeight)];
    const found = this.run.rows.findIndex((row) => row[0] === lane && row[1] <= at && at <= row[2]);
    if (found >= 0) this.step(found - this.current);
  }

  /** Draws everything anew: what is out of view is skipped. */
  draw(): void {
    const width = this.readout.clientWidth;
    if (width === 0) return;
    this.label = width < 480 ? 76 : 104;
    const height = axisHeight + this.lanes.length * laneHeight + (this.tiles.length > 0 ? 30 + this.tiles.length * (useHeight + gap) : 0);
    const scale = devicePixelRatio || 1, canvas = this.canvas;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.setProperty("width", `${width}px`);
    canvas.style.setProperty("height", `${height}px`);
    const ink = canvas.getContext("2d")!;
    ink.scale(scale, scale);
    const colour = colours(this.element);
    const fills = new Map<string, CanvasPattern | string>(kinds.map(([kind]) => [kind, hatch(ink, kind, colour(kind), colour("panel"))]));
    fills.set("waiting", hatch(ink, "waiting", colour("quiet"), colour("panel")));
    this.element.querySelectorAll<HTMLCanvasElement>("canvas.swatch").forEach((each) => {
      const kind = each.className.replace(/.*kind-/, ""), small = each.getContext("2d")!;
      small.fillStyle = hatch(small, kind, colour(kind === "waiting" ? "quiet" : kind), colour("panel"));
      small.fillRect(0, 0, 16, 16);
      small.strokeStyle = colour("line");
      small.strokeRect(0.5, 0.5, 15, 15);
    });
    ink.font = `12px ${getComputedStyle(this.element).fontFamily}`;
    ink.textBaseline = "middle";
    const x = (cycle: number) => this.label + ((cycle - this.from) / (this.to - this.from)) * (width - this.label - 1);
    this.drawAxis(ink, colour, x, width, height);
    this.lanes.forEach((lane, place) => {
      const y = axisHeight + place * laneHeight;
      ink.fillStyle = colour("text");
      ink.fillText(this.run.engines[lane], 0, y + laneHeight / 2, this.label - 8);
      ink.strokeStyle = colour("line");
      ink.beginPath(); ink.moveTo(this.label, y + laneHeight - 0.5); ink.lineTo(width, y + laneHeight - 0.5); ink.stroke();
    });
    const yOf = new Map(this.lanes.map((lane, place) => [lane, axisHeight + place * laneHeight + 3]));
    const bar = (lane: number, begin: number, end: number, fill: string, border: boolean) => {
      if (end < this.from || begin > this.to || begin === end) return;
      const left = Math.max(x(begin), this.label), right = Math.min(Math.max(x(end), left + 1), width), y = yOf.get(lane)!;
      ink.fillStyle = fills.get(fill)!;
      ink.fillRect(left, y, right - left, laneHeight - 6);
      if (border && right - left > 3) {
        ink.strokeStyle = colour(fill);
        ink.strokeRect(left + 0.5, y + 0.5, right - left - 1, laneHeight - 7);
      }
    };
    for (const row of this.run.rows) if (row[7]) bar(row[0], row[1] - row[7], row[1], "waiting", false);
    for (const row of this.run.rows) bar(row[0], row[1], row[2], this.kindOf(row), true);
    const row = this.run.rows[this.current];
    if (row) {
      ink.strokeStyle = colour("focus");
      ink.lineWidth = 2;
      const left = Math.max(x(row[1]), this.label), y = yOf.get(row[0])!;
      ink.strokeRect(left - 1, y - 2, Math.max(Math.min(x(row[2]), width) - left, 2) + 2, laneHeight - 2);
      ink.lineWidth = 1;
      ink.setLineDash([4, 3]);
      ink.beginPath(); ink.moveTo(left + 0.5, axisHeight); ink.lineTo(left + 0.5, height); ink.stroke();
      ink.setLineDash([]);
    }
    this.drawUses(ink, colour, x, width);
  }

  private drawAxis(ink: CanvasRenderingContext2D, colour: (name: string) => string, x: (cycle: number) => number, width: number, height: number): void {
    const span = this.to - this.from, rough = span / Math.max(2, (width - this.label) / 130);
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough)!;
    ink.fillStyle = colour("quiet");
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      ink.strokeStyle = colour("line");
      ink.beginPath(); ink.moveTo(x(at) + 0.5, axisHeight - 6); ink.lineTo(x(at) + 0.5, height); ink.stroke();
      const text = count(Math.round(at)), room = ink.measureText(text).width;
      ink.fillText(text, Math.min(x(at) + 4, width - room - 2), 8);
    }
    ink.fillText("cycles", 0, 8);
  }

  private drawUses(ink: CanvasRenderingContext2D, colour: (name: string) => string, x: (cycle: number) => number, width: number): void {
    if (this.tiles.length === 0) return;
    const top = axisHeight + this.lanes.length * laneHeight + 30;
    const title = `Scratchpads: bytes in use, up to ${shortBytes(this.peak)}; each has ${shortBytes(this.run.scratchpadBytes)}`;
    // No line of the axis goes through it.
    ink.fillStyle = colour("panel");
    ink.fillRect(0, top - 23, ink.measureText(title).width + 6, 20);
    ink.fillStyle = colour("quiet");
    ink.fillText(title, 0, top - 13);
    const yOf = new Map(this.tiles.map((tile, place) => [tile, top + place * (useHeight + gap)]));
    for (const tile of this.tiles) {
      const y = yOf.get(tile)!;
      ink.fillStyle = colour("sunken");
      ink.fillRect(this.label, y, width - this.label, useHeight);
      ink.fillStyle = colour("text");
      ink.fillText(`tile ${tile}`, 0, y + useHeight / 2, this.label - 8);
    }
    ink.fillStyle = colour("use");
    ink.strokeStyle = colour("use-line");
    for (const [tile, first, end, begin, last] of this.run.uses) {
      if (last < this.from || begin > this.to) continue;
      const left = Math.max(x(begin), this.label), right = Math.min(Math.max(x(last), left + 1), width);
      const y = yOf.get(tile)! + useHeight * (1 - end / this.peak), high = Math.max(1, (useHeight * (end - first)) / this.peak);
      ink.fillRect(left, y, right - left, high);
      if (high > 3 && right - left > 3) ink.strokeRect(left + 0.5, y + 0.5, right - left - 1, high - 1);
    }
  }
}

const share = (part: number, whole: number): string => (whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`);

function colours(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element), known = new Map<string, string>();
  return (name) => {
    if (!known.has(name)) known.set(name, style.getPropertyValue(`--${name}`).trim() || "gray");
    return known.get(name)!;
  };
}

/** A pattern for each kind, so that they differ in black and white. */
function hatch(ink: CanvasRenderingContext2D, kind: string, colour: string, ground: string): CanvasPattern | string {
  if (kind === "matrix") return colour;
  const small = document.createElement("canvas");
  small.width = small.height = 8;
  const pen = small.getContext("2d")!;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = kind === "waiting" ? 0.7 : 2;
  const line = (...points: number[]) => { pen.beginPath(); pen.moveTo(points[0], points[1]); pen.lineTo(points[2], points[3]); pen.stroke(); };
  if (kind === "vector" || kind === "waiting") { line(-2, 2, 2, -2); line(0, 8, 8, 0); line(6, 10, 10, 6); }
  else if (kind === "load") { line(0, 2, 8, 2); line(0, 6, 8, 6); }
  else if (kind === "store") { line(2, 0, 2, 8); line(6, 0, 6, 8); }
  else { pen.fillRect(0, 0, 4, 4); pen.fillRect(4, 4, 4, 4); }
  return ink.createPattern(small, "repeat") ?? colour;
}
