// Software kernels that are elementwise by their name are known, as operations
// of the tensor dialect and as calls of kernels; what a SoftMax reads is not, and
// the table of what cannot be told says what it would take.
//
// RUN: not npu-translate --explain-npu-dump %s | FileCheck %s
// RUN: not npu-translate --explain-npu-dump --format=json %s | %python -c "import json, sys; d = json.load(sys.stdin); print([e['verdict'] for e in d['functions'][0]['edges']], [(u['op'], u['edges']) for u in d['unknown']])" | FileCheck %s --check-prefix=JSON
// CHECK: bad edges: 1
// CHECK-NEXT: edges: 4 the same, 0 label only, 0 a narrowing, 1 move data, 3 cannot be told
// CHECK: VPUIP.SW.Kernel
// CHECK-NEXT: from %3 to %4 in @main: data moves
// CHECK: cannot be told:
// CHECK-NEXT: edges  operation                         it takes
// CHECK-NEXT:     2  VPUIP.SW.Kernel @builtin_SoftMax  a rule for the operation: which part
// CHECK-NEXT:                                          of each operand it reads for a part
// CHECK-NEXT:                                          of its result
// CHECK-NEXT:     1  VPU.TopK                          a rule for the operation
// JSON: ['same', 'same', 'same', 'same', 'moves', 'unknown', 'unknown', 'unknown'] [('VPUIP.SW.Kernel @builtin_SoftMax', 2), ('VPU.TopK', 1)]
#NCHW = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
!Rows = !VPUIP.DistributedBuffer<1x16x8x8xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2 : i64}>
!Columns = !VPUIP.DistributedBuffer<1x16x8x8xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 1, 2], num_clusters = 2 : i64}>
!Tensor = !VPU.DistributedTensor<1x16x8x8xf16, #NCHW, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2 : i64}>
func.func @main(%arg0: !Rows, %arg1: !Rows, %tensor: !Tensor) -> !Rows {
  %0 = VPU.Mish(%tensor) : !Tensor -> !Tensor
  %b = VPURT.AllocDistributed -> !Rows
  %c = VPURT.AllocDistributed -> !Columns
  %2 = VPUIP.SW.Kernel {resultSegmentSizes = array<i32: 1, 0, 0>} @VPU.SW::@builtin_Gelu inputs(%arg0 as %a0: !Rows) outputs(%b as %a1: !Rows) on tile 0 -> !Rows {
    VPUIP.SW.Kernel.run(%a0, %a1) : !Rows, !Rows
  }
  %3 = VPUIP.SW.Kernel {resultSegmentSizes = array<i32: 1, 0, 0>} @VPU.SW::@builtin_Add inputs(%2 as %a2: !Rows, %arg1 as %a3: !Rows) outputs(%b as %a4: !Rows) on tile 0 -> !Rows {
    VPUIP.SW.Kernel.run(%a2, %a3, %a4) : !Rows, !Rows, !Rows
  }
  %4 = VPUIP.SW.Kernel {resultSegmentSizes = array<i32: 1, 0, 0>} @VPU.SW::@builtin_Tanh inputs(%3 as %a5: !Rows) outputs(%c as %a6: !Columns) on tile 0 -> !Columns {
    VPUIP.SW.Kernel.run(%a5, %a6) : !Rows, !Columns
  }
  %5 = VPUIP.SW.Kernel {resultSegmentSizes = array<i32: 1, 0, 0>} @VPU.SW::@builtin_SoftMax inputs(%3 as %a7: !Rows) outputs(%b as %a8: !Rows) on tile 0 -> !Rows {
    VPUIP.SW.Kernel.run {attrs = [0]}(%a7, %a8) : !Rows, !Rows
  }
  %6 = VPUIP.SW.Kernel {resultSegmentSizes = array<i32: 1, 0, 0>} @VPU.SW::@builtin_SoftMax inputs(%5 as %a9: !Rows) outputs(%b as %a10: !Rows) on tile 0 -> !Rows {
    VPUIP.SW.Kernel.run {attrs = [0]}(%a9, %a10) : !Rows, !Rows
  }
  %7 = VPU.TopK(%tensor) {axis = 1 : i64} : !Tensor -> !Tensor
  return %6 : !Rows
}
