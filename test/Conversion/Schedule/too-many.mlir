// A loop with more rounds than a schedule has rows.

// RUN: not npu-opt %s --npu-print-schedule=target=npu4000 -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: expected at most 4000000 rows of a schedule, got more in the rounds of its loops

func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = arith.constant 9223372036854775807 : index
  scf.for %i = %c0 to %most step %c1 {
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  }
  return
}
