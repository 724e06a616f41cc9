// An embedding: rows of a table in DDR that data name. Each tile loads its rows,
// with their bytes and one latency each, and the rest of the table stays where it
// is. What does anything else with the rows, or reads single entries, is work of a
// vector engine.

// RUN: npu-opt %s --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-opt %s --npu-compile="compile-from=legal compile-to=scratchpad" --npu-print-schedule="format=json output-file=%t.json" -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: %S/../../check_schedule.py %t.json | FileCheck %s --check-prefix=CHECKED

// Four rows of 2048 bytes at 765 + 2048 * 1000 / 34000 cycles on each tile and port.
// COSTS: function @rows on npu4000
// COSTS: 3304 operation linalg.generic 0 16384
// COSTS: function @columns on npu4000
// COSTS: 4495 operation linalg.generic 0 16384
// CHECK: "what": "load"
// CHECK: "engine": "dma 0"
// CHECK: "end": 3304,
// CHECK: "what": "load"
// CHECK-NEXT: "location": "{{.*}}embedding.mlir
// CHECK-NEXT: "bytes": 8192,
// CHECKED: nothing wrong

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#at = #npu.layout<SEGMENTED, tiles = [2]>
#all = #npu.layout<DUPLICATED, tiles = 2>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} {
  func.func @rows(%table: tensor<50000x1024xf16>, %at: tensor<8xi32, #at>) -> tensor<8x1024xf16, #rows> {
    %e = tensor.empty() : tensor<8x1024xf16, #rows>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%at : tensor<8xi32, #at>) outs(%e : tensor<8x1024xf16, #rows>) {
    ^bb0(%row: i32, %out: f16):
      %r = arith.index_cast %row : i32 to index
      %c = linalg.index 1 : index
      %x = tensor.extract %table[%r, %c] : tensor<50000x1024xf16>
      linalg.yield %x : f16
    } -> tensor<8x1024xf16, #rows>
    return %0 : tensor<8x1024xf16, #rows>
  }

  func.func @columns(%table: tensor<1024x50000xf16>, %at: tensor<8xi32, #all>) -> tensor<8x1024xf16, #columns> {
    %e = tensor.empty() : tensor<8x1024xf16, #columns>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%at : tensor<8xi32, #all>) outs(%e : tensor<8x1024xf16, #columns>) {
    ^bb0(%column: i32, %out: f16):
      %c = arith.index_cast %column : i32 to index
      %r = linalg.index 1 : index
      %x = tensor.extract %table[%r, %c] : tensor<1024x50000xf16>
      linalg.yield %x : f16
    } -> tensor<8x1024xf16, #columns>
    return %0 : tensor<8x1024xf16, #columns>
  }
}
