// The length of a function does not depend on the number of tiles that share its
// sums: where parts are of one size, and where they are not (600 hidden columns over
// 16 or 64 tiles).
//
// RUN: sed 's/TILES/4/g; s/HIDDEN/512/g' %s | npu-opt --npu-legalize-distributions -o %t.4.mlir
// RUN: sed 's/TILES/64/g; s/HIDDEN/512/g' %s | npu-opt --npu-legalize-distributions -o %t.64.mlir
// RUN: sed 's/TILES/16/g; s/HIDDEN/600/g' %s | npu-opt --npu-legalize-distributions -o %t.uneven16.mlir
// RUN: sed 's/TILES/64/g; s/HIDDEN/600/g' %s | npu-opt --npu-legalize-distributions -o %t.uneven64.mlir
// RUN: grep -c '' %t.4.mlir > %t.4.lines
// RUN: grep -c '' %t.64.mlir > %t.64.lines
// RUN: diff %t.4.lines %t.64.lines
// RUN: grep -c '' %t.uneven16.mlir > %t.uneven16.lines
// RUN: grep -c '' %t.uneven64.mlir > %t.uneven64.lines
// RUN: diff %t.uneven16.lines %t.uneven64.lines
// RUN: FileCheck %s --input-file=%t.64.mlir
// RUN: FileCheck %s --input-file=%t.uneven64.mlir --check-prefix=UNEVEN
// RUN: npu-opt %t.64.mlir --npu-verify-distributions=strict --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES
//
// CHECK: -> tensor<64x64x128xf32,
// CHECK: npu.redistribute {{.*}} to tensor<64x64x128xf32,
// CHECK: npu.split_reduction = {{.*}} parts = 64 : i64
// CHECK-NOT: linalg.generic
// CHECK: return
//
// 24 parts of 10 columns and 40 of 9.
// UNEVEN: -> tensor<24x64x128xf32,
// UNEVEN: -> tensor<40x64x128xf32,
// UNEVEN: tensor.concat dim(0) {{.*}} -> tensor<64x64x128xf32,
// UNEVEN: npu.split_reduction
// UNEVEN-NOT: linalg.generic
// UNEVEN: return
//
// Each of 64 tiles combines one row of 128 numbers, of which it has one of 64 parts,
// and then gets the other 63 rows.
// BYTES: {{^ *}}received 2064384 (at least 2064384)
// BYTES: {{^ *}}received 2064384 (at least 2064384)
// BYTES: {{^ *}}total
// BYTES-NEXT: {{^ *}}received 4128768{{$}}

#all = #npu.layout<DUPLICATED, tiles = TILES>
#columns = #npu.layout<SEGMENTED, tiles = [1, TILES]>
#rows = #npu.layout<SEGMENTED, tiles = [TILES, 1]>

func.func @mlp(%x: tensor<64x128xf32, #all>, %w1: tensor<128xHIDDENxf32, #columns>, %w2: tensor<HIDDENx128xf32, #rows>) -> tensor<64x128xf32, #all> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xHIDDENxf32, #columns>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xHIDDENxf32, #columns>) -> tensor<64xHIDDENxf32, #columns>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x128xf32, #all>, tensor<128xHIDDENxf32, #columns>) outs(%f : tensor<64xHIDDENxf32, #columns>) -> tensor<64xHIDDENxf32, #columns>
  %t = math.tanh %h : tensor<64xHIDDENxf32, #columns>
  %e2 = tensor.empty() : tensor<64x128xf32, #all>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x128xf32, #all>) -> tensor<64x128xf32, #all>
  %y = linalg.matmul ins(%t, %w2 : tensor<64xHIDDENxf32, #columns>, tensor<HIDDENx128xf32, #rows>) outs(%f2 : tensor<64x128xf32, #all>) -> tensor<64x128xf32, #all>
  return %y : tensor<64x128xf32, #all>
}
