// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places the operations and values of a segment. Boxes have one size, so that
// segments of one kind have one layout, which is found once.

import dagre from "@dagrejs/dagre";
import type { Segment } from "./fold";
import type { ProgramFunction } from "./view";

export const boxWidth = 232, boxHeight = 52;

/** An operation, or a value at its place in a segment. */
export interface Node { kind: "operation" | "value"; number: number }

export interface Placed { width: number; height: number; at: { x: number; y: number }[]; edges: Edge[] }
export interface Edge { from: number; to: number; points: { x: number; y: number }[] }

/** The nodes of a segment: operations, the values that they make, and those that
 *  come from elsewhere. */
export function nodesOf(segment: Segment, program: ProgramFunction): { nodes: Node[]; edges: [number, number][] } {
  const nodes: Node[] = [], edges: [number, number][] = [];
  const places = new Map<number, number>();
  const valueAt = (value: number): number => {
    if (!places.has(value)) {
      places.set(value, nodes.length);
      nodes.push({ kind: "value", number: value });
    }
    return places.get(value)!;
  };
  const isDrawn = (value: number): boolean => {
    const producer = program.values[value].producer;
    return producer === undefined || !program.operations[producer].isSource;
  };
  for (const number of segment.operations) {
    const operation = program.operations[number];
    const operands = [...new Set(operation.operands.filter(isDrawn))].map(valueAt);
    const self = nodes.length;
    nodes.push({ kind: "operation", number });
    for (const operand of operands) edges.push([operand, self]);
    for (const result of operation.results) edges.push([self, valueAt(result)]);
  }
  return { nodes, edges };
}

/** Lays a graph of boxes out from top to bottom. */
export function layOut(count: number, edges: [number, number][]): Placed {
  const graph = new dagre.graphlib.Graph({ multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: 20, ranksep: 30, edgesep: 12, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (let node = 0; node < count; ++node)
    graph.setNode(String(node), { width: boxWidth, height: boxHeight });
  for (const [from, to] of edges) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  const at = [];
  for (let node = 0; node < count; ++node) {
    const { x, y } = graph.node(String(node));
    at.push({ x: Math.round(x - boxWidth / 2), y: Math.round(y - boxHeight / 2) });
  }
  const size = graph.graph();
  return {
    width: Math.ceil(size.width ?? boxWidth), height: Math.ceil(size.height ?? boxHeight), at,
    edges: edges.map(([from, to]) => ({ from, to, points: graph.edge(String(from), String(to)).points })),
  };
}

/** Layouts by the kinds of segments. */
export class Layouts {
  private known = new Map<string, Placed>();

  of(segment: Segment, program: ProgramFunction): { nodes: Node[]; placed: Placed } {
    const { nodes, edges } = nodesOf(segment, program);
    const shape = `${nodes.length}:${edges.map((edge) => edge.join("-")).join(",")}`;
    let placed = this.known.get(shape);
    if (!placed) {
      placed = layOut(nodes.length, edges);
      this.known.set(shape, placed);
    }
    return { nodes, placed };
  }
}
