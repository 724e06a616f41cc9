// A slice that is not inside its tensor at a length would touch other memory: it
// is refused at that length, and runs at others.
//
// RUN: not npu-run %s --entry=insertion --length=2..4 2>&1 | FileCheck %s --check-prefix=INSERTION
// RUN: npu-run %s --entry=insertion --length=5 | FileCheck %s --check-prefix=RUNS
// RUN: not npu-run %s --entry=slice --length=3 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: npu-run %s --entry=slice --length=4 | FileCheck %s --check-prefix=RUNS
// RUN: npu-run %s --entry=not_reached --length=1 | FileCheck %s --check-prefix=RUNS
//
// RUNS: ran:
// INSERTION: slice-outside-at-length.mlir:[[@LINE+3]]:8: error: expected a slice inside the 2 entries of dimension 0 at length 2, got 2 entries from 3 in steps of 1
// INSERTION-NOT: error:
func.func @insertion(%x: tensor<?x2xf32>, %y: tensor<2x2xf32>) -> tensor<?x2xf32> {
  %r = tensor.insert_slice %y into %x[3, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// SLICE: slice-outside-at-length.mlir:[[@LINE+3]]:8: error: expected a slice inside the 3 entries of dimension 0 at length 3, got 2 entries from 1 in steps of 2
// SLICE-NOT: error:
func.func @slice(%x: tensor<?x2xf32>) -> tensor<2x2xf32> {
  %r = tensor.extract_slice %x[1, 0] [2, 2] [2, 1] : tensor<?x2xf32> to tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// After a condition that is false at this length nothing is read.
func.func @not_reached(%x: tensor<?xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %fits = arith.cmpi sge, %n, %c2 : index
  %r = scf.if %fits -> tensor<2xf32> {
    %s = tensor.extract_slice %x[0] [2] [1] : tensor<?xf32> to tensor<2xf32>
    scf.yield %s : tensor<2xf32>
  } else {
    scf.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
