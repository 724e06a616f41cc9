// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences, boxes and figures are what they should be.
import assert from "node:assert/strict";
import test from "node:test";
import { drawnDims, splitDims, tileList, tilesByBox } from "../src/boxes";
import { find } from "../src/search";
import { failuresOf } from "../src/summary";
import { usedAt } from "../src/timeline";
import type { Box, Movement, Operation, ProgramFunction, Run, Stage, Type } from "../src/view";
import { boxText, bytes, orderText, placeText, shapeText, shortBytes, time, verdictOf, verdictOfOperation, workOf } from "../src/words";

const rows = (begin: number, count: number): Box => [[begin, 0], [count, 8]];
const segmented: Type = { text: "", short: "4x8xf16", layout: "SEGMENTED [2, 1]", mode: "SEGMENTED", shape: [4, 8], tiles: [[rows(0, 2)], [rows(2, 2)]] };
const overlapped: Type = { ...segmented, layout: "OVERLAPPED [2, 1]", mode: "OVERLAPPED", tiles: [[rows(0, 2), rows(0, 3)], [rows(2, 2), rows(1, 3)]] };
const cast = (relation: Movement["relation"]): Movement => ({ have: 0, want: 1, relation, moves: false, bytesThroughDdr: 128, received: [relation === "moves" ? 32 : 0, 0] });

test("numbers", () => {
  assert.equal(bytes(1), "1 byte");
  assert.equal(bytes(4816896), "4,816,896 bytes");
  assert.equal(shortBytes(917504), "918 kB");
  assert.equal(shortBytes(12), "12 B");
  assert.equal(time(0.0000188), "18.8 µs");
  assert.equal(time(0.00357), "3.57 ms");
});

test("boxes and shapes", () => {
  assert.equal(boxText(rows(2, 2)), "[2:4, 0:8]");
  assert.equal(boxText(rows(2, 0)), "nothing");
  assert.equal(shapeText(segmented), "4 × 8 f16");
  assert.equal(orderText({ ...segmented, shape: [1, 2, 3, 4], order: [0, 2, 3, 1] }), "d0, d2, d3, d1 (NHWC)");
  assert.deepEqual(splitDims(segmented), [0]);
  assert.deepEqual(drawnDims({ ...segmented, shape: [1, 4, 336, 128, 2], tiles: undefined }), [2, 3, 1]);
  assert.deepEqual(tilesByBox({ ...segmented, tiles: [[rows(0, 4)], [rows(0, 4)]] }).map((group) => group.tiles), [[0, 1]]);
  assert.equal(tileList([0, 1, 2, 3]), "0 to 3");
});

test("a difference in names alone is bad, and 0 bytes differ", () => {
  const verdict = verdictOf(cast("label"), [segmented, overlapped]);
  assert.equal(verdict.tone, "bad");
  assert.match(verdict.title, /0 bytes differ/);
  assert.match(verdict.sentence, /SEGMENTED and OVERLAPPED/);
  assert.equal(verdictOf(cast("same"), [segmented, segmented]).tone, "good");
  assert.match(verdictOf(cast("moves"), [segmented, overlapped]).title, /32 bytes/);
});

const operation = (kind: string, place: string, movement?: Movement): Operation => ({ kind, names: ["Add"], place, operands: [0], results: [1], movement });
const program: ProgramFunction = { layers: [], name: "f", names: [], place: "", types: [segmented, overlapped],
  values: [{ name: "%arg0", type: 0 }, { name: "%0", type: 1, producer: 0 }], operations: [operation("npu.permute_cast", "log:3:1", cast("label"))] };

test("what only an explanation knows to be wrong is wrong, whatever moves", () => {
  const wrong = [{ value: 0, reason: "tile 0 holds nothing", bytes: 32 }];
  const call: Operation = { ...operation("func.call", "dump:1:1"), body: "VPU.Slice", wrong };
  assert.deepEqual([verdictOfOperation(call, program)?.tone, verdictOfOperation(call, program)?.title], ["bad", "Tiles lack 32 bytes"]);
  assert.match(verdictOfOperation(call, program)!.sentence, /%arg0: tile 0 holds nothing/);
  const renamed: Operation = { ...operation("npu.distribution_cast", "dump:2:1", { ...cast("narrow"), renames: true }), wrong: [{ ...wrong[0], bytes: 0 }] };
  assert.equal(verdictOfOperation(renamed, program)?.tone, "bad");
  assert.equal(verdictOfOperation({ ...renamed, wrong: undefined }, program)?.tone, "good");
  assert.equal(workOf(call), "VPU.Slice");
});

test("the operation that an error is about is the failure", () => {
  const stage: Stage = { title: "", explanation: "", functions: [program], decisions: [], missing: [],
    problems: [{ severity: "error", text: "refused", names: ["Add"], place: "log:3:1", notes: [] }, { severity: "error", text: "another", names: [], place: "log:9:1", notes: [] }] };
  const found = failuresOf(stage);
  assert.deepEqual(found.failures.map((failure) => failure.number), [0]);
  assert.deepEqual(found.others.map((problem) => problem.text), ["another"]);
});

test("search finds by names, kinds and layouts", () => {
  const titles = (text: string) => find(program, text, 9).map((each) => each.title);
  assert.deepEqual(titles("permute"), ["npu.permute_cast"]);
  assert.deepEqual(titles("overlapped"), ["%0"]);
  assert.deepEqual(titles("add log:3"), ["npu.permute_cast"]);
  assert.deepEqual(titles("nowhere"), []);
});

test("places without a location say so", () => {
  assert.equal(placeText({ names: [], place: "" }), "no location");
  assert.equal(placeText({ names: ["a"], place: "f:1:2" }), "a at f:1:2");
});

const run: Run = { target: "t", scratchpadBytes: 100, total: 30, seconds: 1, computeBound: 1, ddrBound: 1, ddrBytes: 1, ddrBytesBound: 1, computeWaiting: 0,
  transferWaiting: 0, rowsLeftOut: 0, usesLeftOut: 0, engines: ["tile 0 matrix", "dma 0"], works: ["load", "matmul"], places: [{ names: [], place: "a" }, { names: [], place: "b" }],
  rows: [], times: [], placesLeftOut: 0, uses: [[0, 0, 10, 0, 15, 0], [0, 5, 20, 5, 30, 1], [1, 0, 4, 0, 3, 0]] };

test("bytes that two rows share count once", () => {
  assert.equal(usedAt(run, 10).get(0), 20);
  assert.equal(usedAt(run, 20).get(0), 15);
  assert.equal(usedAt(run, 20).has(1), false);
});
