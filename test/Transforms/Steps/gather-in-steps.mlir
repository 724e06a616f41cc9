// Rows of a table that data name are loads also where they run in steps, and where steps
// cut the rows: cycles, bytes and their bound are the same before and after they are loops.
//
// RUN: npu-opt %s --npu-compile=compile-to=assigned -o %t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null | FileCheck %s
// RUN: npu-opt %t.mlir --npu-run-in-steps --npu-print-costs -o /dev/null | FileCheck %s
// RUN: npu-run %s --compile --inputs=iota | FileCheck %s --check-prefix=SAME
// CHECK: {{^}}  38089  total
// CHECK: 20640 bytes from and to DDR, at least 20640
// SAME: {{^}}equal

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 512 : i64>>} {
func.func @main(%table: tensor<1000x128xbf16>, %at: tensor<40xi32>) -> tensor<128x40xbf16> {
  %e = tensor.empty() : tensor<128x40xbf16>
  %v = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0)>, affine_map<(d0,d1) -> (d1,d0)>], iterator_types = ["parallel","parallel"]} ins(%at : tensor<40xi32>) outs(%e : tensor<128x40xbf16>) {
  ^bb0(%x: i32, %o: bf16):
    %r = arith.index_cast %x : i32 to index
    %c = linalg.index 1 : index
    %t = tensor.extract %table[%r, %c] : tensor<1000x128xbf16>
    linalg.yield %t : bf16
  } -> tensor<128x40xbf16>
  return %v : tensor<128x40xbf16>
}
}
