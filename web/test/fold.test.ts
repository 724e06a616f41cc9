// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers are found by their names and by what repeats, and equal ones fold.
import assert from "node:assert/strict";
import test from "node:test";
import { findRepetition, foldsOf, layerOf, segmentsOf } from "../src/fold";
import { layOut, nodesOf, boxHeight, boxWidth } from "../src/layout";
import type { Operation, ProgramFunction } from "../src/view";

/** A chain of operations of these kinds, each with one result. */
function chain(kinds: string[], names: (at: number) => string[] = () => []): ProgramFunction {
  const operations: Operation[] = kinds.map((kind, at) => ({ kind, names: names(at), place: `f:${at}:1`, operands: [at], results: [at + 1] }));
  return { name: "f", names: [], place: "", types: [{ text: "tensor<4xf32>", short: "4xf32", layout: "", shape: [4] }], operations,
           values: [{ name: "%arg0", type: 0 }, ...kinds.map((_, at) => ({ name: `%${at}`, type: 0, producer: at }))] };
}
const times = (count: number, words: string[]) => Array.from({ length: count }, () => words).flat();

test("a repetition is found wherever it begins", () => {
  const words = ["x", ...times(5, ["a", "b", "c", "d", "e"]), "y", "z"];
  assert.deepEqual(findRepetition(words), { start: 1, period: 5, times: 5 });
});

test("the shortest of equal repetitions counts", () => {
  assert.deepEqual(findRepetition(times(8, ["a", "b", "c", "d"])), { start: 0, period: 4, times: 8 });
});

test("what repeats too little is no layer", () => {
  assert.equal(findRepetition(["a", "b", "a", "b", "c"]), undefined);
  assert.equal(segmentsOf(chain(["a", "b", "a", "b"])).length, 1);
});

test("28 equal layers are one fold", () => {
  const program = chain(["in.put", ...times(28, ["a.a", "a.b", "a.c", "a.d", "a.e", "a.f"]), "out.put"]);
  const folds = foldsOf(segmentsOf(program));
  assert.deepEqual(folds.map((fold) => fold.segments.length), [1, 28, 1]);
  const drawn = folds.flatMap((fold) => fold.segments.flatMap((segment) => segment.operations));
  assert.deepEqual(drawn, program.operations.map((_, number) => number));
});

test("one layer that differs does not fold with the others", () => {
  const kinds = times(6, ["a.a", "a.b", "a.c", "a.d"]);
  kinds[9] = "a.other";
  const name = (at: number) => [`/model/layers.${Math.floor(at / 4)}/op/Kind`];
  const folds = foldsOf(segmentsOf(chain(kinds, name)));
  assert.deepEqual(folds.map((fold) => fold.segments.length), [2, 1, 3]);
  assert.equal(folds[1].segments[0].title, "model/layers.2");
});

test("layers by their names", () => {
  const of = (name: string) => layerOf({ kind: "k", names: [name], place: "", operands: [], results: [] });
  assert.equal(of("/model/layers.3/self_attn/MatMul"), "model/layers.3");
  assert.equal(of("encoder.block_11.conv"), "encoder.block_11");
  assert.equal(of("transformer.h.7.mlp"), "transformer.h.7");
  assert.equal(of("Add_1106"), "");
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
