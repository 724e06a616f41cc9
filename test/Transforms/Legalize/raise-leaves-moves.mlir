// A transpose between tiles moves data: raising it would hide that. It is left
// for legalization, with a remark.
//
// RUN: npu-opt %s --npu-raise-permute-casts --remarks-filter=npu --remark-format=emitRemark 2>&1 | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#rows_of_columns = #npu.layout<SEGMENTED, tiles = [2, 1], order = [1, 0]>

// CHECK: remark: [Analysis] left-alone {{.*}}Reason="data moves between tiles"
// CHECK-LABEL: func.func @other_boxes
// CHECK: linalg.transpose
func.func @other_boxes(%x: tensor<4x6xf32, #rows>) -> tensor<6x4xf32, #rows_of_columns> {
  %e = tensor.empty() : tensor<6x4xf32, #rows_of_columns>
  %0 = linalg.transpose ins(%x : tensor<4x6xf32, #rows>) outs(%e : tensor<6x4xf32, #rows_of_columns>)
      permutation = [1, 0]
  return %0 : tensor<6x4xf32, #rows_of_columns>
}
