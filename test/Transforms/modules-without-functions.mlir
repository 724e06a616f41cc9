// Empty modules, declarations and modules inside of modules are no reason to
// stop; a report on them lists what there is.
//
// RUN: npu-opt %s --npu-raise-permute-casts --npu-legalize-distributions --npu-canonicalize \
// RUN:   --npu-verify-distributions=strict --split-input-file | FileCheck %s
// RUN: npu-opt %s --npu-print-distributions -o /dev/null --split-input-file | FileCheck %s --check-prefix=VALUES
// RUN: npu-opt %s --npu-print-transfers=format=json -o /dev/null --split-input-file | FileCheck %s --check-prefix=JSON
// RUN: npu-opt %s --npu-print-costs="format=json target=npu4000" -o /dev/null --split-input-file | FileCheck %s --check-prefix=COSTS

// CHECK: module {
// CHECK-NEXT: }
// JSON: {
// JSON-NEXT: "functions": []
// JSON-NEXT: }
// COSTS: {
// COSTS-NEXT: "functions": []
// COSTS-NEXT: }
module {
}

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>

// CHECK: func.func private @declared(tensor<8x4xf16, #segmented>) -> tensor<8x4xf16, #segmented>
// VALUES: function @declared
// VALUES-NOT: tile
// JSON: "name": "declared",
// JSON-NEXT: "redistributions": []
func.func private @declared(tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>

// -----

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>

// CHECK: module @inner
// CHECK: npu.redistribute
// VALUES: function @nested
// VALUES-NEXT: %arg0
// JSON: "name": "nested"
// JSON: "bytes_received": 32
module @inner {
  func.func @nested(%x: tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #columns> {
    %0 = tensor.cast %x : tensor<8x4xf16, #rows> to tensor<8x4xf16, #columns>
    return %0 : tensor<8x4xf16, #columns>
  }
}
