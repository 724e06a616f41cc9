// An operation that says nothing of itself, and one that says what it reads and
// not how a part of it is made: both lower, as host fallbacks, and are counted.
// RUN: npu-third-opt %s --npu-verify-distributions --verify-diagnostics -o /dev/null
// RUN: npu-third-opt %s --npu-legalize-distributions=gather=allow --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=COUNTED
// RUN: npu-third-opt %s --npu-lower-to-tiles=gather=allow | FileCheck %s

#rows = #npu.layout<SEGMENTED, tiles = [4, 1]>

// 8x6xf32 is 192 bytes, stored and loaded by each; the function's argument and
// result pass through DDR beside that.
// COUNTED-LABEL: function @main
// COUNTED: third.hermit at {{.*}}, host fallback: it is not known which part of its operands it reads
// COUNTED-NEXT: stored {{ *}}192
// COUNTED-NEXT: loaded {{ *}}192
// COUNTED: third.half_taught at {{.*}}, host fallback: nobody says how a tile does a part of it
// COUNTED-NEXT: stored {{ *}}192
// COUNTED-NEXT: loaded {{ *}}192
// COUNTED: total
// COUNTED-NEXT: ddr {{ *}}1152
// COUNTED-NEXT: host fallback {{ *}}768
// COUNTED-NEXT: boundary {{ *}}384
// CHECK-LABEL: @main
// CHECK: third.hermit %{{.*}} : tensor<8x6xf32> -> tensor<8x6xf32>
// CHECK: third.half_taught %{{.*}} : tensor<8x6xf32> -> tensor<8x6xf32>
func.func @main(%x: tensor<8x6xf32, #rows>) -> tensor<8x6xf32, #rows> {
  // expected-warning @below {{'third.hermit' falls back to the host: it is not known which part of its operands it reads; it moves 384 bytes through DDR}}
  // expected-note @below {{docs/adding-an-op.md tells how to teach the passes an operation}}
  // expected-note @below {{npu-print-transfers lists each of them}}
  %h = third.hermit %x : tensor<8x6xf32, #rows> -> tensor<8x6xf32, #rows>
  // expected-warning @below {{'third.half_taught' falls back to the host: nobody says how a tile does a part of it; it moves 384 bytes through DDR}}
  %t = third.half_taught %h : tensor<8x6xf32, #rows> -> tensor<8x6xf32, #rows>
  return %t : tensor<8x6xf32, #rows>
}
