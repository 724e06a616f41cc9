// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers are segments, and equal ones that follow each other fold.
import assert from "node:assert/strict";
import test from "node:test";
import { foldsOf, segmentsOf } from "../src/fold";
import { layOut, nodesOf, boxHeight, boxWidth } from "../src/layout";
import type { Operation, ProgramFunction } from "../src/view";

/** A chain of operations of these kinds, each with one result, in layers. */
function chain(kinds: string[], layer: (at: number) => number | undefined = () => undefined): ProgramFunction {
  const operations: Operation[] = kinds.map((kind, at) => ({ kind, names: [], place: `f:${at}:1`, operands: [at], results: [at + 1], layer: layer(at) }));
  return { layers: Array.from({ length: 40 }, (_, at) => `layer ${at}`), name: "f", names: [], place: "", types: [{ text: "tensor<4xf32>", short: "4xf32", layout: "", shape: [4] }], operations,
           values: [{ name: "%arg0", type: 0 }, ...kinds.map((_, at) => ({ name: `%${at}`, type: 0, producer: at }))] };
}
const times = (count: number, words: string[]) => Array.from({ length: count }, () => words).flat();

test("a short part is no layer", () => {
  assert.deepEqual(segmentsOf(chain(["a", "b", "a", "b"], (at) => Math.floor(at / 2))).map((segment) => segment.isGroup), [false, false]);
});

test("28 equal layers are one fold", () => {
  const program = chain(["in.put", ...times(28, ["a.a", "a.b", "a.c", "a.d", "a.e", "a.f"]), "out.put"], (at) => (at === 0 || at === 169 ? undefined : Math.floor((at - 1) / 6)));
  const folds = foldsOf(segmentsOf(program));
  assert.deepEqual(folds.map((fold) => fold.segments.length), [1, 28, 1]);
  const drawn = folds.flatMap((fold) => fold.segments.flatMap((segment) => segment.operations));
  assert.deepEqual(drawn, program.operations.map((_, number) => number));
});

test("one layer that differs does not fold with the others", () => {
  const kinds = times(6, ["a.a", "a.b", "a.c", "a.d"]);
  kinds[9] = "a.other";
  const folds = foldsOf(segmentsOf(chain(kinds, (at) => Math.floor(at / 4))));
  assert.deepEqual(folds.map((fold) => fold.segments.length), [2, 1, 3]);
  assert.equal(folds[1].segments[0].title, "layer 2");
});

test("long parts are cut", () => {
  const kinds = Array.from({ length: 500 }, (_, at) => `k.${at}`);
  const segments = segmentsOf(chain(kinds));
  assert.deepEqual(segments.map((segment) => segment.operations.length), [160, 160, 160, 20]);
});

test("sources are not drawn, and no boxes overlap", () => {
  const program = chain(["a.constant", "a.b", "a.c", "a.d", "a.e"]);
  program.operations[0].isSource = true;
  program.operations[3].operands = [1, 2, 3];
  const [segment] = segmentsOf(program);
  const { nodes, edges } = nodesOf(segment, program);
  assert.ok(!nodes.some((node) => node.kind === "operation" && node.number === 0));
  const { at } = layOut(nodes.length, edges);
  for (let a = 0; a < at.length; ++a)
    for (let b = a + 1; b < at.length; ++b)
      assert.ok(Math.abs(at[a].x - at[b].x) >= boxWidth || Math.abs(at[a].y - at[b].y) >= boxHeight, `boxes ${a} and ${b}`);
});
