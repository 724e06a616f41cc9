// A program that was put into tasks runs as it stands, on scratchpads and
// without, and gives what its original gives.
//
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-from=assigned compile-to=scratchpad" --npu-run-tiles-in-parallel -o %t.planned.mlir
// RUN: FileCheck %s < %t.planned.mlir
// RUN: npu-run %t.planned.mlir --reference=%s --target=npu4000 | FileCheck %s --check-prefix=EQUAL
// RUN: npu-opt %s --npu-compile="target=npu4000 compile-from=assigned compile-to=tiles" --npu-to-buffers --npu-run-tiles-in-parallel -o %t.buffers.mlir
// RUN: npu-run %t.buffers.mlir --reference=%s | FileCheck %s --check-prefix=EQUAL

// Tasks share the buffers of arenas: a plan knows each of them once.
// CHECK-COUNT-8: memref.view
// CHECK-NOT: memref.view
// EQUAL: equal
#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 4]>
func.func @main(%x: tensor<80x80xf32, #rows>) -> tensor<80x80xf32, #columns> {
  %y = npu.redistribute %x : tensor<80x80xf32, #rows> to tensor<80x80xf32, #columns>
  return %y : tensor<80x80xf32, #columns>
}
