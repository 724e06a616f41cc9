// The JSON of an explanation, whole, for a small dump.
//
// RUN: npu-translate --explain-npu-dump %s --format=json | FileCheck %s
// RUN: npu-translate --explain-npu-dump %s --format=json | %python -c "import json, sys; d = json.load(sys.stdin); assert list(d) == ['functions', 'types', 'types_read', 'skipped', 'unknown', 'devices']; f = d['functions'][0]; assert list(f) == ['name', 'line', 'values', 'edges']; assert list(f['values'][1]) == ['name', 'line', 'op', 'shape', 'element', 'order', 'layout', 'tiles']; assert list(f['edges'][0]) == ['line', 'op', 'from', 'to', 'verdict', 'bytes', 'bytes_bound', 'bytes_received', 'max_tile_received', 'reason', 'bad']"

#NHWC = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
!Rows = !VPU.DistributedTensor<1x16x5x4xf16, #NHWC, @CMX_NN, {mode = "SEGMENTED", num_tiles = [1, 1, 2, 1], num_clusters = 2 : i64}>
!All = !VPU.DistributedTensor<1x16x5x4xf16, #NHWC, @CMX_NN, {mode = "DUPLICATED", num_clusters = 2 : i64}>
func.func @rows(%arg0: tensor<1x16x5x4xf16, {order = #NHWC}>) -> !All {
  %0 = VPU.Copy(%arg0) {out_mem_space = @CMX_NN} : tensor<1x16x5x4xf16, {order = #NHWC}> -> !Rows
  %1 = VPU.Copy(%0) {out_mem_space = @CMX_NN} : !Rows -> !All
  return %1 : !All
}

// CHECK:      "name": "rows",
// CHECK-NEXT: "line": 9,
// CHECK:      "name": "%arg0",
// CHECK-NEXT: "line": 9,
// CHECK-NEXT: "op": "func.func",
// CHECK:      "layout": null,
// CHECK-NEXT: "tiles": []
// CHECK:      "name": "%0",
// CHECK-NEXT: "line": 10,
// CHECK-NEXT: "op": "VPU.Copy",
// CHECK:      "element": "f16",
// CHECK-NEXT: "order": [
// CHECK-NEXT:   0,
// CHECK-NEXT:   2,
// CHECK-NEXT:   3,
// CHECK-NEXT:   1
// CHECK-NEXT: ],
// CHECK-NEXT: "layout": "#npu.layout<SEGMENTED, tiles = [1, 1, 2, 1], split = ceil, order = NHWC>",
// CHECK:      "tile": 1,
// CHECK:      "verdict": "moves",
// CHECK-NEXT: "bytes": 640,
// CHECK-NEXT: "bytes_bound": 640,
// CHECK-NEXT: "bytes_received": 640,
// CHECK-NEXT: "max_tile_received": 384,
// CHECK-NEXT: "reason": "tiles load from DDR, which reads 640 bytes; they receive 640 bytes in all, at most 384 bytes each",
// CHECK-NEXT: "bad": false
// CHECK:      "op": "VPU.Copy",
// CHECK-NEXT: "from": "%0",
// CHECK-NEXT: "to": "%1",
// CHECK-NEXT: "verdict": "moves",
// CHECK-NEXT: "bytes": 640,
// CHECK:      "reason": "tile 0 holds [0:1, 0:16, 0:3, 0:4], and gets [0:1, 0:16, 0:5, 0:4]",
// CHECK:      "types": 2,
// CHECK-NEXT: "types_read": 2,
// CHECK-NEXT: "skipped": []
