// Programs run in one arena per tile, at the offsets that were planned. These
// may be edited: a plan that lays a buffer over another that lives, or outside
// its arena, is refused before anything runs, and any other gives the same.
//
// RUN: split-file %s %t
// RUN: npu-opt %t/layouts.mlir --npu-strip-layouts -o %t/original.mlir
// RUN: npu-opt %t/layouts.mlir --npu-lower-to-tiles --npu-to-buffers -o %t/planned.mlir
// RUN: FileCheck %s --check-prefix=PLAN --input-file=%t/planned.mlir
// RUN: npu-run %t/planned.mlir --reference=%t/original.mlir | FileCheck %s --check-prefix=EQUAL
//
// %k moves from 704 to 640, over the last rows of %q at 320:704; to 768, beyond
// the arena's end; to a place that no cache line begins at.
// RUN: sed 's/arith.constant 704 : index/arith.constant 640 : index/' %t/planned.mlir > %t/overlaid.mlir
// RUN: not npu-run %t/overlaid.mlir --reference=%t/original.mlir 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not npu-opt %t/overlaid.mlir --npu-verify-scratchpad-plan 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not npu-opt %t/overlaid.mlir --npu-to-llvm 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/arith.constant 704 : index/arith.constant 768 : index/' %t/planned.mlir > %t/outside.mlir
// RUN: not npu-run %t/outside.mlir 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not npu-opt %t/outside.mlir --npu-to-llvm 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sed 's/arith.constant 704 : index/arith.constant 700 : index/' %t/planned.mlir > %t/askew.mlir
// RUN: not npu-run %t/askew.mlir 2>&1 | FileCheck %s --check-prefix=ASKEW
// RUN: sed 's/1088xi8/1152xi8/g; s/arith.constant 704 : index/arith.constant 768 : index/' %t/planned.mlir > %t/moved.mlir
// RUN: npu-run %t/moved.mlir --reference=%t/original.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: not npu-run %t/overlaid.mlir --memory-report 2>&1 | FileCheck %s --check-prefix=WRONG
//
// RUN: npu-run %t/layouts.mlir --target=npu4000 --memory-report --reference=%t/original.mlir | FileCheck %s --check-prefix=REPORT
// RUN: npu-run %t/planned.mlir --target=npu4000 --memory-report | FileCheck %s --check-prefix=REPORT-AGAIN
// RUN: not npu-run %t/layouts.mlir --target=npu 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not npu-run %t/small.mlir --reference=%t/original.mlir 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: npu-run %t/small.mlir --reference=%t/original.mlir --target=npu4000 | FileCheck %s --check-prefix=EQUAL
// RUN: not npu-run %t/planned.mlir --compare 2>&1 | FileCheck %s --check-prefix=COMPARE
//
// RUN: npu-opt %t/calls.mlir --npu-plan-scratchpad -o %t/calls-planned.mlir
// RUN: FileCheck %s --check-prefix=CALLS-PLAN --input-file=%t/calls-planned.mlir
// RUN: npu-run %t/calls-planned.mlir | FileCheck %s --check-prefix=CALLS
// RUN: npu-run %t/calls.mlir | FileCheck %s --check-prefix=CALLS
// RUN: not npu-run %t/order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not npu-run %t/strided.mlir 2>&1 | FileCheck %s --check-prefix=STRIDED
// RUN: npu-run %t/frees.mlir | FileCheck %s --check-prefix=FREES
// RUN: npu-run %t/unwritten.mlir | FileCheck %s --check-prefix=UNWRITTEN

// PLAN: %{{.*}}: memref<4x6x8xf32> {bufferize.result}, %{{.*}}: memref<1088xi8, 1> {npu.arena = 0 : i64}, %{{.*}}: memref<1088xi8, 2> {npu.arena = 1 : i64})
// PLAN-COUNT-4: arith.constant 704 : index
// PLAN-NOT: memref.alloc
// EQUAL: 0 different
// EQUAL: {{^}}equal
// OUTSIDE: outside.mlir:[[#]]:[[#]]: error: expected a buffer inside the 1088 bytes of tile 0's arena, got 384 bytes at offset 768
// ASKEW: askew.mlir:[[#]]:[[#]]: error: expected a multiple of 64 as offset in tile 0's arena, got 700
// WRONG: error: the plan of tile 0's scratchpad is wrong: buffer {{[0-9]+}}: expected bytes 640:1024 to be free, got buffer {{[0-9]+}} there
// REPORT: tile 0: 1088 bytes at the peak of 1474560 on npu4000, at least 1056
// REPORT-NEXT: most in use at linalg.batch_matmul
// REPORT: {{^}}equal
// REPORT-AGAIN: tile 1: 1088 bytes at the peak of 1474560 on npu4000
// REPORT-AGAIN: 'main' ran
// UNKNOWN: error: unknown target 'npu', expected npu3720, npu4000
// SMALL: small.mlir:[[#]]:[[#]]: error: 'linalg.batch_matmul' on tile 0: expected 'main' to need at most 1087 bytes, the scratchpad of npu4000, got 1088
// SMALL: note: on 2 tiles the program needs more than there is
// COMPARE: --compare: expected a file with layouts, got a program on buffers, which cannot be undone
// CALLS-PLAN: call @negate(%{{.*}}, %{{.*}}, %{{.*}}) : (memref<2xf32>, memref<2xf32>, memref<8xi8, 1>) -> ()
// CALLS: result #0 2xf32: 0 0
// ORDER: error: expected inputs, then results ('bufferize.result'), then arenas ('npu.arena'), got an input as argument #1 of 'main'
// STRIDED: error: expected buffers of static shape and identity layout
// FREES: 'main' ran: (2xf32) -> (2xf32)
// Poison, not zero: nobody wrote it.
// UNWRITTEN: result #0 2xf32: nan (0xFFFBFFFB) nan (0xFFFBFFFB)

//--- layouts.mlir
#heads = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>
!q = tensor<4x6x8xf32, #heads>
!k = tensor<4x8x6xf32, #heads>
!s = tensor<4x6x6xf32, #heads>
func.func @main(%q: !q, %k: !k, %v: !q) -> !q {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : !s
  %f = linalg.fill ins(%z : f32) outs(%e : !s) -> !s
  %s = linalg.batch_matmul ins(%q, %k : !q, !k) outs(%f : !s) -> !s
  %x = linalg.exp ins(%s : !s) outs(%e : !s) -> !s
  %y = linalg.add ins(%x, %s : !s, !s) outs(%e : !s) -> !s
  %e2 = tensor.empty() : !q
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : !q) -> !q
  %o = linalg.batch_matmul ins(%y, %v : !s, !q) outs(%f2 : !q) -> !q
  return %o : !q
}

//--- small.mlir
#heads = #npu.layout<SEGMENTED, tiles = [2, 1, 1]>
!q = tensor<4x6x8xf32, #heads>
!k = tensor<4x8x6xf32, #heads>
!s = tensor<4x6x6xf32, #heads>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<
    "npu.name" = "npu4000", "npu.scratchpad_bytes" = 1087>>} {
  func.func @main(%q: !q, %k: !k, %v: !q) -> !q {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : !s
    %f = linalg.fill ins(%z : f32) outs(%e : !s) -> !s
    %s = linalg.batch_matmul ins(%q, %k : !q, !k) outs(%f : !s) -> !s
    %x = linalg.exp ins(%s : !s) outs(%e : !s) -> !s
    %y = linalg.add ins(%x, %s : !s, !s) outs(%e : !s) -> !s
    %e2 = tensor.empty() : !q
    %f2 = linalg.fill ins(%z : f32) outs(%e2 : !q) -> !q
    %o = linalg.batch_matmul ins(%y, %v : !s, !q) outs(%f2 : !q) -> !q
    return %o : !q
  }
}

//--- calls.mlir
// x - x, where a buffer of the caller lives across the call.
func.func private @negate(%x: memref<2xf32>, %out: memref<2xf32>) {
  %a = memref.alloc() : memref<2xf32, 1>
  memref.copy %x, %a : memref<2xf32> to memref<2xf32, 1>
  %b = memref.alloc() : memref<2xf32, 1>
  linalg.negf ins(%a : memref<2xf32, 1>) outs(%b : memref<2xf32, 1>)
  memref.copy %b, %out : memref<2xf32, 1> to memref<2xf32>
  return
}
func.func @main(%x: memref<2xf32>, %out: memref<2xf32> {bufferize.result}) {
  %a = memref.alloc() : memref<2xf32, 1>
  memref.copy %x, %a : memref<2xf32> to memref<2xf32, 1>
  call @negate(%x, %out) : (memref<2xf32>, memref<2xf32>) -> ()
  %b = memref.alloc() : memref<2xf32, 1>
  memref.copy %out, %b : memref<2xf32> to memref<2xf32, 1>
  %c = memref.alloc() : memref<2xf32, 1>
  linalg.add ins(%a, %b : memref<2xf32, 1>, memref<2xf32, 1>) outs(%c : memref<2xf32, 1>)
  memref.copy %c, %out : memref<2xf32, 1> to memref<2xf32>
  return
}

//--- order.mlir
func.func @main(%out: memref<2xf32> {bufferize.result}, %x: memref<2xf32>) {
  memref.copy %x, %out : memref<2xf32> to memref<2xf32>
  return
}

//--- strided.mlir
func.func @main(%x: memref<2xf32, strided<[2]>>, %out: memref<2xf32> {bufferize.result}) {
  memref.copy %x, %out : memref<2xf32, strided<[2]>> to memref<2xf32>
  return
}

//--- frees.mlir
func.func @main(%x: memref<2xf32>, %out: memref<2xf32> {bufferize.result}) {
  %a = memref.alloc() : memref<2xf32>
  memref.copy %x, %a : memref<2xf32> to memref<2xf32>
  memref.copy %a, %out : memref<2xf32> to memref<2xf32>
  memref.dealloc %a : memref<2xf32>
  return
}

//--- unwritten.mlir
func.func @main(%out: memref<2xf32> {bufferize.result}, %arena: memref<64xi8, 1> {npu.arena = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<64xi8, 1> to memref<2xf32, 1>
  memref.copy %a, %out : memref<2xf32, 1> to memref<2xf32>
  return
}
