// An elementwise operation writes over an input in DDR that ends with it, and
// over no other.
//
// RUN: npu-opt %s --npu-reuse-buffers | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// The example of the pass, and a chain: all of it is in one buffer.
// CHECK-LABEL: func.func @chain
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NEXT: linalg.exp ins(%arg0 {{.*}}outs(%[[A]]
// CHECK-NEXT: linalg.tanh ins(%[[A]] {{.*}}outs(%[[A]]
// CHECK-NEXT: linalg.negf ins(%[[A]] {{.*}}outs(%[[A]]
// CHECK-NEXT: linalg.log ins(%[[A]] {{.*}}outs(%arg1
func.func @chain(%x: memref<4xf32>, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.tanh ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  %c = memref.alloc() : memref<4xf32>
  linalg.negf ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  linalg.log ins(%c : memref<4xf32>) outs(%out : memref<4xf32>)
  return
}

// %a is used later, through a view.
// CHECK-LABEL: func.func @later
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: linalg.tanh ins(%[[A]] {{.*}}outs(%[[B]]
func.func @later(%x: memref<4xf32>, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %view = memref.subview %a[0] [4] [1] : memref<4xf32> to memref<4xf32, strided<[1]>>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.tanh ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  linalg.add ins(%b, %view : memref<4xf32>, memref<4xf32, strided<[1]>>) outs(%out : memref<4xf32>)
  return
}

// One of two that end here is written over, and not by two results.
// CHECK-LABEL: func.func @two
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: linalg.add ins(%[[A]], %[[B]] {{.*}}outs(%[[A]]
// CHECK: %[[D:.*]] = memref.alloc
// CHECK: linalg.generic {{.*}} ins(%[[A]] {{.*}}outs(%[[A]], %[[D]]
func.func @two(%x: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.tanh ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %c = memref.alloc() : memref<4x4xf32>
  linalg.add ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  %d = memref.alloc() : memref<4x4xf32>
  %e = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<4x4xf32>) outs(%d, %e : memref<4x4xf32>, memref<4x4xf32>) {
    ^bb0(%in: f32, %o: f32, %p: f32):
      %n = arith.negf %in : f32
      linalg.yield %n, %in : f32, f32
  }
  linalg.add ins(%d, %e : memref<4x4xf32>, memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  return
}

// What is read in another order, what is freed, arguments, buffers of tiles and
// results that are read before they are written stay as they are.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-6: memref.alloc
// CHECK-NOT: memref.alloc
func.func @kept(%x: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [#transposed, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) {
    ^bb0(%in: f32, %o: f32):
      linalg.yield %in : f32
  }
  %c = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%b : memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  memref.dealloc %b : memref<4x4xf32>
  %t = memref.alloc() : memref<4x4xf32, 1>
  linalg.exp ins(%c : memref<4x4xf32>) outs(%t : memref<4x4xf32, 1>)
  %u = memref.alloc() : memref<4x4xf32, 1>
  linalg.exp ins(%t : memref<4x4xf32, 1>) outs(%u : memref<4x4xf32, 1>)
  %d = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  linalg.add ins(%d, %u : memref<4x4xf32>, memref<4x4xf32, 1>) outs(%out : memref<4x4xf32>)
  return
}

// In a loop, another iteration uses the buffer again.
// CHECK-LABEL: func.func @loop
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: scf.for
// CHECK: %[[B:.*]] = memref.alloc
// CHECK: linalg.exp ins(%[[A]] {{.*}}outs(%[[B]]
func.func @loop(%x: memref<4xf32>, %out: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<4xf32>
    linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
    linalg.add ins(%b, %out : memref<4xf32>, memref<4xf32>) outs(%out : memref<4xf32>)
  }
  return
}
