// Places of buffers in their tile's scratchpad: what lives at one time lies
// apart, what ended is reused, what may be written over is, and each rule that
// forbids it does.
//
// RUN: npu-opt %s --npu-plan-scratchpad | FileCheck %s
// RUN: npu-opt %s --npu-plan-scratchpad -o %t.mlir
// RUN: npu-opt %t.mlir --npu-plan-scratchpad | diff %t.mlir -

// Three buffers of 64 bytes, never more than two at one time; %x stays as it is
// in DDR.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %{{.*}}: memref<16xf32>, %{{.*}}: memref<16xf32>,
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<128xi8, 1> {npu.arena = 0 : i64})
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[A]][%[[C0]]][] : memref<128xi8, 1> to memref<16xf32, 1>
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: memref.view %[[A]][%[[C64]]][]
// CHECK: %[[D0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[A]][%[[D0]]][]
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @chain(%x: memref<16xf32>, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf32, 1>
  memref.copy %a, %b : memref<16xf32, 1> to memref<16xf32, 1>
  memref.dealloc %a : memref<16xf32, 1>
  %c = memref.alloc() : memref<16xf32, 1>
  memref.copy %b, %c : memref<16xf32, 1> to memref<16xf32, 1>
  memref.copy %c, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// 4 bytes at 0 and 4 bytes at 64: offsets are aligned. Tile 2's own arena.
// CHECK-LABEL: func.func @aligned
// CHECK-SAME: memref<68xi8, 1> {npu.arena = 0 : i64}, %{{.*}}: memref<4xi8, 3> {npu.arena = 2 : i64}
func.func @aligned(%x: memref<f32>, %out: memref<f32>) {
  %a = memref.alloc() : memref<f32, 1>
  %b = memref.alloc() : memref<f32, 1>
  %c = memref.alloc() : memref<f32, 3>
  memref.copy %x, %a : memref<f32> to memref<f32, 1>
  memref.copy %x, %b : memref<f32> to memref<f32, 1>
  memref.copy %x, %c : memref<f32> to memref<f32, 3>
  memref.copy %a, %out : memref<f32, 1> to memref<f32>
  memref.copy %b, %out : memref<f32, 1> to memref<f32>
  memref.copy %c, %out : memref<f32, 3> to memref<f32>
  return
}

// exp writes over its input: 64 bytes in all.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: memref<64xi8, 1>
func.func @in_place(%x: memref<16xf32>, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf32, 1>
  linalg.exp ins(%a : memref<16xf32, 1>) outs(%b : memref<16xf32, 1>)
  memref.copy %b, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// Not where the input is read later ...
// CHECK-LABEL: func.func @still_needed
// CHECK-SAME: memref<128xi8, 1>
func.func @still_needed(%x: memref<16xf32>, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf32, 1>
  linalg.exp ins(%a : memref<16xf32, 1>) outs(%b : memref<16xf32, 1>)
  memref.copy %b, %out : memref<16xf32, 1> to memref<16xf32>
  memref.copy %a, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// ... nor through another map ...
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: memref<128xi8, 1>
func.func @transposed(%x: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %a = memref.alloc() : memref<4x4xf32, 1>
  memref.copy %x, %a : memref<4x4xf32> to memref<4x4xf32, 1>
  %b = memref.alloc() : memref<4x4xf32, 1>
  linalg.transpose ins(%a : memref<4x4xf32, 1>) outs(%b : memref<4x4xf32, 1>) permutation = [1, 0]
  memref.copy %b, %out : memref<4x4xf32, 1> to memref<4x4xf32>
  return
}

// ... nor through two maps at once, of which one is right ...
// CHECK-LABEL: func.func @twice
// CHECK-SAME: memref<128xi8, 1>
func.func @twice(%x: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %a = memref.alloc() : memref<4x4xf32, 1>
  memref.copy %x, %a : memref<4x4xf32> to memref<4x4xf32, 1>
  %b = memref.alloc() : memref<4x4xf32, 1>
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %a : memref<4x4xf32, 1>, memref<4x4xf32, 1>) outs(%b : memref<4x4xf32, 1>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %s = arith.addf %l, %r : f32
    linalg.yield %s : f32
  }
  memref.copy %b, %out : memref<4x4xf32, 1> to memref<4x4xf32>
  return
}

// ... nor where elements of it are loaded from anywhere ...
// CHECK-LABEL: func.func @loads
// CHECK-SAME: memref<128xi8, 1>
func.func @loads(%x: memref<16xf32>, %out: memref<16xf32>) {
  %c15 = arith.constant 15 : index
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf32, 1>
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%a : memref<16xf32, 1>) outs(%b : memref<16xf32, 1>) {
  ^bb0(%l: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %c15, %i : index
    %r = memref.load %a[%j] : memref<16xf32, 1>
    %s = arith.addf %l, %r : f32
    linalg.yield %s : f32
  }
  memref.copy %b, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// ... nor where bytes differ: f16 over f32 would run into what is not read yet.
// CHECK-LABEL: func.func @narrower
// CHECK-SAME: memref<96xi8, 1>
func.func @narrower(%x: memref<16xf32>, %out: memref<16xf16>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf16, 1>
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]
  } ins(%a : memref<16xf32, 1>) outs(%b : memref<16xf16, 1>) {
  ^bb0(%l: f32, %o: f16):
    %s = arith.truncf %l : f32 to f16
    linalg.yield %s : f16
  }
  memref.copy %b, %out : memref<16xf16, 1> to memref<16xf16>
  return
}

// A view keeps what it views alive: %b may not take %a's place.
// CHECK-LABEL: func.func @views
// CHECK-SAME: memref<128xi8, 1>
func.func @views(%x: memref<16xf32>, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xf32, 1> into memref<4x4xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  %b = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32, 1>
  memref.copy %b, %out : memref<16xf32, 1> to memref<16xf32>
  %w = memref.collapse_shape %v [[0, 1]] : memref<4x4xf32, 1> into memref<16xf32, 1>
  memref.copy %w, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// Both buffers of the loop are in use for all of it, and so is %a, which only
// the first half of the body reads.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: memref<192xi8, 1>
// CHECK: scf.for
// CHECK: memref.view
func.func @loop(%x: memref<16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  scf.for %i = %c0 to %c4 step %c1 {
    %b = memref.alloc() : memref<16xf32, 1>
    memref.copy %a, %b : memref<16xf32, 1> to memref<16xf32, 1>
    %c = memref.alloc() : memref<16xf32, 1>
    memref.copy %b, %c : memref<16xf32, 1> to memref<16xf32, 1>
    memref.copy %c, %out : memref<16xf32, 1> to memref<16xf32>
  }
  return
}

// With several blocks anything may follow anything.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: memref<128xi8, 1>
func.func @blocks(%x: memref<16xf32>, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  memref.copy %a, %out : memref<16xf32, 1> to memref<16xf32>
  cf.br ^next
^next:
  %b = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32, 1>
  memref.copy %b, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// A caller's buffer, and beside it room for the callee's 128 bytes.
// CHECK-LABEL: func.func @caller
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<192xi8, 1>
// CHECK: %[[ROOM:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<192xi8, 1> to memref<128xi8, 1>
// CHECK: call @chain(%{{.*}}, %{{.*}}, %[[ROOM]])
func.func @caller(%x: memref<16xf32>, %out: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32, 1>
  call @chain(%x, %out) : (memref<16xf32>, memref<16xf32>) -> ()
  memref.copy %a, %out : memref<16xf32, 1> to memref<16xf32>
  return
}

// Nothing on tiles, nothing to do; a buffer of no bytes needs no arena.
// CHECK-LABEL: func.func @plain(%{{.*}}: memref<16xf32>)
// CHECK-NEXT: memref.alloc() : memref<16xf32>
// CHECK-NEXT: memref.alloc() : memref<0x4xf32, 1>
func.func @plain(%x: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %e = memref.alloc() : memref<0x4xf32, 1>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  memref.copy %a, %x : memref<16xf32> to memref<16xf32>
  memref.copy %e, %e : memref<0x4xf32, 1> to memref<0x4xf32, 1>
  return
}
