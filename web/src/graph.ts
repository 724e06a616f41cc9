// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function as a graph: segments one below the other, each of which opens and
// closes. What is closed is not laid out, and what is not in view is not painted.

import { html, place, svg } from "./elements";
import { foldsOf, segmentsOf, type Fold, type Segment } from "./fold";
import { boxHeight, boxWidth, Layouts, type Edge, type Node } from "./layout";
import { isEmpty } from "./boxes";
import { patternOf } from "./tensor";
import type { Problem, ProgramFunction, Type } from "./view";
import { count, nameOf, shapeText, shortBytes, verdictOfOperation, whereText, workOf } from "./words";

export interface Selection { kind: "operation" | "value"; number: number }

/** Groups beyond these begin closed. */
const openAtFirst = 3;
/** Of an operation and its result, before they are laid out. */
const typicalHeight = 32;

/** The parts of a tensor along its split, in the width of a few letters. */
function glyph(type: Type): SVGSVGElement | undefined {
  if (!type.tiles) return undefined;
  const held = type.tiles.filter((boxes) => !isEmpty(boxes[0])).length, shown = Math.min(held, 8);
  const picture = svg("svg", { class: "glyph", width: 26, height: 14, viewBox: "0 0 26 14", "aria-hidden": "true" });
  for (let tile = 0; tile < shown; ++tile)
    picture.append(svg("rect", { x: 0.5 + (25 / shown) * tile, y: 0.5, width: 25 / shown, height: 13, fill: patternOf(tile), class: "face" }));
  return picture;
}

/** A triangle that points to where an edge ends. */
function arrowHead({ points }: Edge): string {
  const end = points[points.length - 1], before = points[points.length - 2];
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const x = (end.x - before.x) / length, y = (end.y - before.y) / length;
  const corner = (side: number) => `${(end.x - 7 * x - side * y).toFixed(1)} ${(end.y - 7 * y + side * x).toFixed(1)}`;
  return `M${end.x.toFixed(1)} ${end.y.toFixed(1)}L${corner(3.5)}L${corner(-3.5)}Z`;
}

/** A thick line with a cross on it: neither needs a colour to be seen. */
function wrongEdge(edge: Edge): SVGElement[] {
  const { points } = edge, d = points.map(({ x, y }, at) => `${at === 0 ? "M" : "L"}${x.toFixed(0)} ${y.toFixed(0)}`).join("");
  const lengths = points.slice(1).map((point, at) => Math.hypot(point.x - points[at].x, point.y - points[at].y));
  let left = lengths.reduce((sum, each) => sum + each, 0) / 2, at = 0;
  while (at + 1 < lengths.length && left > lengths[at]) left -= lengths[at++];
  const part = lengths[at] > 0 ? left / lengths[at] : 0;
  const x = points[at].x + part * (points[at + 1].x - points[at].x), y = points[at].y + part * (points[at + 1].y - points[at].y);
  return [svg("path", { d, class: "edge wrong" }), svg("path", { d: arrowHead(edge), class: "arrow wrong" }),
    svg("path", { d: `M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x + 5} ${y - 5}L${x - 5} ${y + 5}`, class: "edge cross" })];
}

class SegmentView {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private readonly button?: HTMLButtonElement;
  private nodes: Node[] = [];
  private buttons: HTMLButtonElement[] = [];
  private edges: [number, number][] = [];
  isOpen = false;

  constructor(private graph: GraphPanel, readonly segment: Segment) {
    this.body = html("div", { class: "segment-body" });
    this.element = html("div", { class: "segment" });
    if (segment.isGroup) {
      this.button = html("button", { class: "segment-head", type: "button", "aria-expanded": "false", click: () => this.toggle() },
        html("span", { class: "turn", "aria-hidden": "true" }), html("span", { class: "segment-title" }, segment.title),
        html("span", { class: "quiet" }, graph.summaryOf(segment)));
      this.element.append(this.button);
    }
    this.element.append(this.body);
    if (!segment.isGroup) this.open();
  }

  toggle(): void {
    if (this.isOpen) this.close(); else this.open();
  }

  close(): void {
    this.isOpen = false;
    this.button?.setAttribute("aria-expanded", "false");
    this.body.replaceChildren();
    this.body.style.removeProperty("min-height");
    this.buttons = [];
  }

  /** Takes about the room that the segment needs. What is in it is made when it comes
   *  near to what is seen. */
  open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.button?.setAttribute("aria-expanded", "true");
    this.body.style.setProperty("min-height", `${this.segment.operations.length * typicalHeight}px`);
    this.graph.nearView(this.body, () => this.build());
  }

  build(): void {
    if (!this.isOpen || this.buttons.length > 0) return;
    const { nodes, placed } = this.graph.layouts.of(this.segment, this.graph.program);
    this.nodes = nodes;
    this.edges = placed.edges.map(({ from, to }) => [from, to]);
    const canvas = html("div", { class: "canvas" });
    place(canvas, { width: placed.width, height: placed.height });
    this.body.style.removeProperty("min-height");
    const lines = svg("svg", { class: "edges", width: placed.width, height: placed.height, "aria-hidden": "true" });
    let d = "";
    for (const edge of placed.edges) {
      const [first, ...rest] = edge.points;
      d += `M${first.x.toFixed(0)} ${first.y.toFixed(0)}`;
      for (const point of rest) d += `L${point.x.toFixed(0)} ${point.y.toFixed(0)}`;
    }
    // One path for all lines, and one for all heads of arrows.
    lines.append(svg("path", { d, class: "edge" }));
    lines.append(svg("path", { d: placed.edges.map(arrowHead).join(""), class: "arrow" }));
    for (const edge of placed.edges)
      if (this.isWrong(edge)) lines.append(...wrongEdge(edge));
    canvas.append(lines);
    this.buttons = nodes.map((node, index) => {
      const button = this.graph.nodeButton(node);
      place(button, { left: placed.at[index].x, top: placed.at[index].y, width: boxWidth, height: boxHeight });
      button.tabIndex = index === 0 ? 0 : -1;
      button.addEventListener("click", () => this.graph.select(node));
      button.addEventListener("keydown", (event) => this.move(event, index));
      canvas.append(button);
      return button;
    });
    this.body.replaceChildren(canvas);
    this.mark(this.graph.selected);
  }

  /** Whether an operation reads there what is not what it needs. */
  private isWrong({ from, to }: Edge): boolean {
    const value = this.nodes[from], reader = this.nodes[to];
    return reader.kind === "operation" && value.kind === "value" &&
      !!this.graph.program.operations[reader.number].wrong?.some((each) => each.value === value.number);
  }

  /** The arrow keys follow edges, and go to neighbours on the same line. */
  private move(event: KeyboardEvent, index: number): void {
    const next = this.neighbour(event.key, index);
    if (next === undefined) return;
    event.preventDefault();
    this.buttons.forEach((button, each) => { button.tabIndex = each === next ? 0 : -1; });
    this.buttons[next].focus();
  }

  private neighbour(key: string, index: number): number | undefined {
    if (key === "ArrowDown") return this.edges.find(([from]) => from === index)?.[1];
    if (key === "ArrowUp") return this.edges.find(([, to]) => to === index)?.[0];
    if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
    const at = (each: number) => ({ x: this.buttons[each].offsetLeft, y: this.buttons[each].offsetTop });
    const here = at(index), sign = key === "ArrowRight" ? 1 : -1;
    let best: number | undefined;
    this.buttons.forEach((_, each) => {
      const there = at(each), distance = (there.x - here.x) * sign;
      if (Math.abs(there.y - here.y) < boxHeight && distance > 0 &&
          (best === undefined || distance < (at(best).x - here.x) * sign)) best = each;
    });
    return best;
  }

  buttonOf(selection: Selection): HTMLButtonElement | undefined {
    const index = this.nodes.findIndex((node) => node.kind === selection.kind && node.number === selection.number);
    return this.buttons[index];
  }

  mark(selection: Selection | undefined): void {
    this.buttons.forEach((button, index) => {
      const node = this.nodes[index];
      button.setAttribute("aria-pressed", String(node.kind === selection?.kind && node.number === selection.number));
    });
  }
}

export class GraphPanel {
  readonly element: HTMLElement;
  readonly layouts = new Layouts();
  selected?: Selection;
  private segments: SegmentView[] = [];
  /** By the numbers of types: pictures are copied, not drawn anew. */
  private readonly glyphs = new Map<number, SVGSVGElement | undefined>();
  private readonly waiting = new Map<Element, () => void>();
  private readonly observer: IntersectionObserver;
  private folds: { fold: Fold; open: () => void }[] = [];

  constructor(readonly program: ProgramFunction, private problems: Problem[], private onSelect: (selection: Selection) => void) {
    const folds = foldsOf(segmentsOf(program));
    const groups = folds.filter((fold) => fold.segments[0].isGroup).length;
    const list = html("div", { class: "graph-scroll", tabindex: 0, role: "group", "aria-label": `Graph of ${program.name}` });
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          this.observer.unobserve(entry.target);
          this.waiting.get(entry.target)?.();
          this.waiting.delete(entry.target);
        }
    }, { root: list, rootMargin: "1000px" });
    for (const fold of folds) list.append(this.foldElement(fold, groups <= openAtFirst));
    if (folds.length === 0) list.append(html("p", { class: "quiet pad" }, "This function has no operations on tensors to draw."));
    const tools = html("div", { class: "graph-tools" });
    if (groups > 0)
      tools.append(html("button", { type: "button", class: "small", click: () => this.openAll() }, "Open all"),
        html("button", { type: "button", class: "small", click: () => this.closeAll() }, "Close all"));
    this.element = html("div", { class: "graph" }, groups > 0 && tools, list,
      program.operations.some((operation) => operation.isSource) &&
        html("p", { class: "quiet under" }, "Constants, fills and tensors that nobody has written are not drawn."));
    // What is seen first is there at once, and a wide graph begins at its first
    // operation.
    this.segments.find((view) => view.isOpen)?.build();
    requestAnimationFrame(() => {
      const first = list.querySelector<HTMLElement>(".node");
      if (!first) return;
      const box = first.getBoundingClientRect(), room = list.getBoundingClientRect();
      list.scrollBy(box.left - room.left - (room.width - box.width) / 2, box.top - room.top - 16);
    });
  }

  /** Calls `act` once, when the element comes near to what is seen. */
  nearView(element: Element, act: () => void): void {
    this.waiting.set(element, act);
    this.observer.observe(element);
  }

  private foldElement(fold: Fold, opens: boolean): HTMLElement {
    const addSegments = (into: HTMLElement) => {
      const views = fold.segments.map((segment) => new SegmentView(this, segment));
      this.segments.push(...views);
      into.append(...views.map((view) => view.element));
      return views;
    };
    if (fold.segments.length === 1) {
      const box = html("div", { class: "fold" });
      const [view] = addSegments(box);
      if (opens) view.open();
      this.folds.push({ fold, open: () => view.open() });
      return box;
    }
    const inside = html("div", { class: "fold-body" });
    const first = fold.segments[0], last = fold.segments[fold.segments.length - 1];
    const isOpen = () => button.getAttribute("aria-expanded") === "true";
    const setOpen = (open: boolean) => {
      if (open === isOpen()) return;
      button.setAttribute("aria-expanded", String(open));
      if (open) addSegments(inside);
      else {
        this.segments = this.segments.filter((view) => !fold.segments.includes(view.segment));
        inside.replaceChildren();
      }
    };
    const button = html("button", { class: "fold-head", type: "button", "aria-expanded": "false", click: () => setOpen(!isOpen()) },
      html("span", { class: "turn", "aria-hidden": "true" }), html("span", { class: "times" }, `${fold.segments.length} ×`),
      html("span", { class: "segment-title" }, `equal: ${first.title} … ${last.title}`),
      html("span", { class: "quiet" }, `each ${this.summaryOf(first)}`));
    this.folds.push({ fold, open: () => setOpen(true) });
    return html("div", { class: "fold many" }, button, inside);
  }

  summaryOf(segment: Segment): string {
    let moved = 0, cycles = 0;
    for (const number of segment.operations) {
      const operation = this.program.operations[number];
      cycles += operation.cycles ?? 0;
      if (operation.movement?.moves) moved += (operation.movement.received?.[0] ?? 0) + (operation.movement.ddrBytes ?? 0);
    }
    return [`${count(segment.operations.length)} operations`, moved > 0 && `${shortBytes(moved)} move`,
            cycles > 0 && `${count(cycles)} cycles`].filter(Boolean).join(", ");
  }

  nodeButton(node: Node): HTMLButtonElement {
    const { program } = this;
    if (node.kind === "value") {
      const value = program.values[node.number], type = program.types[value.type];
      if (!this.glyphs.has(value.type)) this.glyphs.set(value.type, glyph(type));
      return html("button", { type: "button", class: `node value ${type.layout || value.tile !== undefined ? "placed" : "in-ddr"}`,
        "aria-label": `value ${value.name}, ${shapeText(type)}, ${whereText(value, type)}` },
        html("span", { class: "line" }, html("span", { class: "value-name" }, value.name), html("span", { class: "shape" }, shapeText(type))),
        html("span", { class: "line layout" }, this.glyphs.get(value.type)?.cloneNode(true), html("span", { class: "clip" }, type.layout.replaceAll(", ", ",") || (value.tile === undefined ? "DDR" : `tile ${value.tile}`))));
    }
    const operation = program.operations[node.number];
    const verdict = verdictOfOperation(operation, program);
    const problem = this.problemOf(node.number);
    const tone = problem || verdict?.tone === "bad" ? "bad" : verdict?.tone ?? "ordinary";
    const detail = verdict?.short ?? (operation.body !== workOf(operation) && operation.body || "");
    return html("button", { type: "button", class: `node operation ${tone}`,
      "aria-label": `operation ${operation.kind}${operation.kind === "func.call" ? ` of ${workOf(operation)}` : ""}, ${nameOf(operation)}${detail ? `, ${detail}` : ""}${problem ? `, ${problem.severity}` : ""}` },
      html("span", { class: "line" }, tone === "bad" && html("span", { class: "sign", "aria-hidden": "true" }, "✕"),
        html("strong", { class: "clip" }, workOf(operation)),
        operation.tile !== undefined && html("span", { class: "shape" }, `tile ${operation.tile}`),
        !!operation.cycles && html("span", { class: "shape" }, `${count(operation.cycles)} cycles`)),
      html("span", { class: "line" }, html("span", { class: "clip detail" }, detail || nameOf(operation))));
  }

  problemOf(number: number): Problem | undefined {
    const operation = this.program.operations[number];
    if (operation.kind === "func.return") return undefined;
    return this.problems.find((problem) => problem.place !== "" && problem.place === operation.place &&
      problem.names.join() === operation.names.join() && problem.severity === "error");
  }

  select(selection: Selection): void {
    this.mark(selection);
    this.onSelect(selection);
  }

  mark(selection: Selection | undefined): void {
    this.selected = selection;
    for (const view of this.segments) view.mark(selection);
  }

  /** Opens what holds it, and brings it into view. */
  reveal(selection: Selection, how: "quietly" | "seen" | "focused" = "seen"): void {
    const holds = (segment: Segment) => shows(segment, selection, this.program);
    for (const { fold, open } of this.folds)
      if (fold.segments.some(holds)) { open(); break; }
    const view = this.segments.find((each) => holds(each.segment));
    view?.open();
    view?.build();
    this.mark(selection);
    const button = view?.buttonOf(selection);
    if (how !== "quietly") button?.scrollIntoView({ block: "center", inline: "center" });
    if (how === "focused") button?.focus();
  }

  openAll(): void {
    for (const { open } of this.folds) open();
    for (const view of this.segments) view.open();
  }

  closeAll(): void {
    for (const view of this.segments) if (view.segment.isGroup) view.close();
  }
}

/** Whether a segment shows something, be it drawn or not. */
function shows(segment: Segment, selection: Selection, program: ProgramFunction): boolean {
  if (selection.kind === "operation") return segment.operations.includes(selection.number);
  const producer = program.values[selection.number].producer;
  return producer !== undefined ? segment.operations.includes(producer)
    : segment.operations.some((number) => program.operations[number].operands.includes(selection.number));
}
