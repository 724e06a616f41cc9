// What an audit refuses, and what is refused without one.
//
// RUN: not npu-run %s --audit --entry=dynamic 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not npu-run %s --audit --entry=recursive 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not npu-run %s --audit --entry=on_tiles 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: not npu-run %s --audit --entry=good --repeat=3 2>&1 | FileCheck %s --check-prefix=REPEAT
// RUN: not npu-run %s --audit --entry=good --output=%t.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not npu-run %s --audit --entry=good --format=xml 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not npu-run %s --entry=good --format=json 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not npu-run %s --entry=good --emit-reproducer=%t.mlir 2>&1 | FileCheck %s --check-prefix=REPRODUCER
// RUN: not npu-run %s --audit --entry=good --output-file=%t/no/such/folder 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not npu-run %s --audit --entry=good --inputs=%t.no.npy 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not npu-run %s --audit --entry=missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not npu-run %s --audit --entry=blocks 2>&1 | FileCheck %s --check-prefix=BLOCKS

//
// An audit writes over nothing that it reads, nor one output over the other.
// RUN: rm -rf %t.files && mkdir -p "%t.files/a b" && cp %s %t.files/m.mlir && touch %t.files/in.0.npy
// RUN: not npu-run %t.files/m.mlir --audit --entry=good --emit-reproducer=%t.files/m.mlir 2>&1 | FileCheck %s --check-prefix=MODEL
// RUN: not npu-run %t.files/m.mlir --audit --entry=good --output-file=%t.files/m.mlir 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not npu-run %t.files/m.mlir --audit --entry=good --inputs=%t.files/in.0.npy --emit-reproducer=%t.files/in.mlir 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: not npu-run %t.files/m.mlir --audit --entry=good --output-file=%t.files/r --emit-reproducer=%t.files/r 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: diff %s %t.files/m.mlir
//
// The command that is reported can be given to a shell.
// RUN: npu-run %t.files/m.mlir --audit --entry=good --emit-reproducer="%t.files/a b/r.mlir" | FileCheck %s --check-prefix=QUOTED

// MODEL: error: --emit-reproducer: expected another file than the model, got '{{.*}}m.mlir'
// REPORT: error: --output-file: expected another file than the model, got '{{.*}}m.mlir'
// OPERAND: error: --emit-reproducer: expected another file than one of --inputs, got '{{.*}}in.0.npy'
// BOTH: error: --emit-reproducer: expected another file than that of --output-file, got '{{.*}}r'
// QUOTED: reproducer: npu-run '{{.*}}a b/r.mlir' --audit

// REPEAT: error: --repeat: expected no --audit beside it, which does not read it
// OUTPUT: error: --output: expected no --audit beside it
// FORMAT: error: --format: expected text or json, got 'xml'
// ALONE: error: --format: expected --audit beside it
// REPRODUCER: error: --emit-reproducer: expected --audit beside it
// FILE: error: {{.*}}no/such/folder
// INPUT: error: argument #0: {{.*}}no.npy
// MISSING: error: expected a function 'missing' (--entry), got 'good'
func.func @good(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// DYNAMIC: bad-input.mlir:[[#@LINE+2]]:8: error: --audit: expected tensors of static shape, got 'tensor<?xf32>'
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.mulf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// RECURSIVE: bad-input.mlir:[[#@LINE+2]]:8: error: --audit: expected calls that can be inlined, got a call of a function that calls itself or may not be inlined
func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// TILES: bad-input.mlir:[[#@LINE+1]]:1: error: --audit: expected a function on whole tensors, with or without layouts, got a tile program, whose operations are parts of others
func.func @on_tiles(%x: tensor<4xf32>) -> tensor<4xf32> attributes {npu.tiles = 1 : i64} {
  %e = tensor.empty() {npu.tile = 0 : i64} : tensor<4xf32>
  %0 = npu.transfer %x[0] from ddr to tile 0 into %e[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  %1 = linalg.exp {npu.tile = 0 : i64} ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.empty() : tensor<4xf32>
  %2 = npu.transfer %1[0] from tile 0 to ddr into %r[0] box [0:4] bytes = 16 : tensor<4xf32> to tensor<4xf32>
  return %2 : tensor<4xf32>
}

// BLOCKS: bad-input.mlir:[[#@LINE+1]]:1: error: --audit: expected a function of one block, got 2
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}
