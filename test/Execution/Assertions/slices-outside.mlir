// A slice that is outside of its tensor is an error where it stands, and nothing is
// read: of a constant stride before anything runs, of indices of the run as an
// assertion that fails, in the program, in an artefact and on threads.
//
// RUN: split-file %s %t
// RUN: not npu-run %t/far.mlir 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not npu-run %t/near.mlir 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not npu-compile %t/near.mlir --target=npu4000 -o %t/near.npub 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not npu-run %t/of-run.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not npu-run %t/of-run.mlir --inputs=iota --tiles=parallel 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: npu-compile %t/of-run.mlir --target=npu4000 -o %t/run.npub
// RUN: not npu-run %t/run.npub --inputs=iota 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: not npu-run %t/entry.mlir --inputs=iota 2>&1 | FileCheck %s --check-prefix=ENTRY

//--- far.mlir
func.func @main(%x: tensor<4x4xf32>) -> tensor<2x2xf32> {
  // FAR: far.mlir:3:8: error: expected a slice inside the 4 entries of dimension 0, got 2 entries from 0 in steps of -1000000000
  %0 = tensor.extract_slice %x[0, 0] [2, 2] [-1000000000, -1] : tensor<4x4xf32> to tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

//--- near.mlir
func.func @main(%x: tensor<4x4xf32>) -> tensor<2x2xf32> {
  // NEAR: near.mlir:3:8: error: expected a slice inside the 4 entries of dimension 1, got 2 entries from 0 in steps of -1
  %0 = tensor.extract_slice %x[2, 0] [2, 2] [-1, -1] : tensor<4x4xf32> to tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

//--- of-run.mlir
func.func @main(%x: tensor<4x4xf32>, %i: index, %at: index) -> tensor<2x2xf32> {
  %three = arith.constant 3 : index
  %from = arith.addi %i, %three : index
  // LATER: of-run.mlir:5:8: error: assertion failed: expected a slice inside the 4 entries of dimension 1
  %0 = tensor.extract_slice %x[0, %from] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

//--- entry.mlir
func.func @main(%x: tensor<4xf32>, %i: tensor<6xindex>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %0 = linalg.map ins(%i : tensor<6xindex>) outs(%e : tensor<6xf32>) (%at: index, %o: f32) {
    // ENTRY: entry.mlir:5:10: error: assertion failed: expected an index of the 4 entries of dimension 0
    %1 = tensor.extract %x[%at] : tensor<4xf32>
    linalg.yield %1 : f32
  }
  return %0 : tensor<6xf32>
}
