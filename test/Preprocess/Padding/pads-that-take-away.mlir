// A pad that takes entries away at its ends, by numbers that may be known at run time
// only, keeps the rest, and writes nothing after what was allocated. A result of no
// entries is printed as such; one of fewer is none.
//
// RUN: %python %S/../../Inputs/run_every_entry.py %s %s --length=3..9 --inputs=iota | FileCheck %s --check-prefix=RAN
// RAN-COUNT-5: equal
// RUN: npu-run -O0 %s --entry=front --length=5 --inputs=iota | FileCheck %s --check-prefix=FRONT
// RUN: npu-run -O0 %s --entry=after --length=5 --inputs=iota | FileCheck %s --check-prefix=AFTER
// RUN: npu-run -O0 %s --entry=moved --length=5 --inputs=iota | FileCheck %s --check-prefix=MOVED
// RUN: npu-run -O0 %s --entry=by_length --length=5 --inputs=iota | FileCheck %s --check-prefix=CUT
// RUN: npu-run -O0 %s --entry=by_length --length=2 --inputs=iota | FileCheck %s --check-prefix=FILLED
// RUN: npu-run -O0 %s --entry=all_gone --length=5 --inputs=iota | FileCheck %s --check-prefix=GONE
// RUN: npu-run -O0 %s --entry=all_gone --length=3 | FileCheck %s --check-prefix=NOTHING
// RUN: not npu-run %s --entry=front --length=1 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=9 poison" -o %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=3..9 | FileCheck %s --check-prefix=RAN
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=9 poison side=left" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=3..9 | FileCheck %s --check-prefix=RAN

// LESS: error: expected at least 0 entries in dimension 0 of result #0, got -1 at length 1
// FRONT: result #0 3xf32: 2 3 4
func.func @front(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 7.0 : f32
  %p = tensor.pad %x low[-2] high[0] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// AFTER: result #0 3xf32: 0 1 2
func.func @after(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 7.0 : f32
  %p = tensor.pad %x low[0] high[-2] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// MOVED: result #0 4xf32: 7 7 0 1
func.func @moved(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 7.0 : f32
  %p = tensor.pad %x low[2] high[-3] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// CUT: result #0 3xf32: 0 1 2
// FILLED: result #0 3xf32: 0 1 7
func.func @by_length(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 7.0 : f32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %h = arith.subi %c3, %n : index
  %p = tensor.pad %x low[0] high[%h] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// All of the source, and more: what is left is added.
// GONE: result #0 2xf32: 7 7
// NOTHING: result #0 0xf32:
func.func @all_gone(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = arith.constant 7.0 : f32
  %p = tensor.pad %x low[-12] high[9] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}
