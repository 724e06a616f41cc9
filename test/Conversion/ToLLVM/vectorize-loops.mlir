// The shape of loops over vectors: what is loaded once, what is copied into a
// panel, how short floats are computed, and what stays.
//
// RUN: npu-opt %s --npu-vectorize-loops=fewest-steps=0 --canonicalize --cse --split-input-file | FileCheck %s
// RUN: npu-opt %s --npu-vectorize-loops --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=FEW

// The example of the pass's description, which has few steps.
// CHECK-LABEL: func.func @example
// CHECK: scf.for %[[I:.*]] = %c0 to %c32 step %c16 {
// CHECK-NEXT: %[[X:.*]] = vector.load %{{.*}}[%[[I]]] : memref<32xf32>, vector<16xf32>
// CHECK-NEXT: %[[Y:.*]] = math.exp %[[X]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[Y]], %{{.*}}[%[[I]]] : memref<32xf32>, vector<16xf32>
// FEW-LABEL: func.func @example
// FEW: linalg.exp
func.func @example(%x: memref<32xf32>, %y: memref<32xf32>) {
  linalg.exp ins(%x : memref<32xf32>) outs(%y : memref<32xf32>)
  return
}

// -----

// Columns of the right-hand side are copied into a panel for 256 steps of the
// sum; six rows read it, and the last two.
// CHECK-LABEL: func.func @panel
// CHECK: %[[PANEL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256x16xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %c400 step %c256 {
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %c0 to %c32 step %c16 {
// CHECK: scf.for %{{.*}} = %[[K]] to %[[END]] step %c1 {
// CHECK: vector.load %arg1
// CHECK: vector.store %{{.*}}, %[[PANEL]]
// CHECK: scf.for %{{.*}} = %c0 to %c24 step %c6 {
// CHECK-COUNT-6: vector.load %arg2
// CHECK: scf.for %{{.*}} = %[[K]] to %[[END]] step %c1 iter_args
// CHECK-COUNT-1: vector.load %[[PANEL]]
// CHECK-COUNT-6: arith.addf {{.*}} : vector<16xf32>
// CHECK-COUNT-6: vector.store {{.*}}, %arg2
// CHECK-COUNT-2: vector.load %arg2
// CHECK: memref.dealloc %[[PANEL]]
// FEW-LABEL: func.func @panel
// FEW-NOT: linalg
func.func @panel(%a: memref<26x400xf32>, %b: memref<400x32xf32>, %c: memref<26x32xf32>) {
  linalg.matmul ins(%a, %b : memref<26x400xf32>, memref<400x32xf32>) outs(%c : memref<26x32xf32>)
  return
}

// -----

// Products and sums of f16 are rounded one by one; the panel is wide.
// CHECK-LABEL: func.func @half
// FEW-LABEL: func.func @half
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<30x16xf32>
// CHECK: vector.load %arg1{{.*}} vector<16xf16>
// CHECK-NEXT: arith.extf
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[P:.*]] = arith.mulf {{.*}} : vector<16xf32>
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[P]] : vector<16xf32> to vector<16xf16>
// CHECK-NEXT: %[[R:.*]] = arith.extf %[[H]] : vector<16xf16> to vector<16xf32>
// CHECK-NEXT: %[[S:.*]] = arith.addf %{{.*}}, %[[R]] : vector<16xf32>
// CHECK-NEXT: arith.truncf %[[S]] : vector<16xf32> to vector<16xf16>
func.func @half(%a: memref<18x30xf16>, %b: memref<30x32xf16>, %c: memref<18x32xf16>) {
  linalg.matmul ins(%a, %b : memref<18x30xf16>, memref<30x32xf16>) outs(%c : memref<18x32xf16>)
  return
}

// -----

// What makes no new digits is narrowed when it is stored, and that is exact.
// CHECK-LABEL: func.func @exact
// CHECK: arith.maximumf {{.*}} : vector<16xf32>
// CHECK-NEXT: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK-NOT: arith.extf
// CHECK: vector.store {{.*}} vector<16xbf16>
func.func @exact(%a: memref<32xbf16>, %b: memref<32xbf16>, %c: memref<32xbf16>) {
  linalg.max ins(%a, %b : memref<32xbf16>, memref<32xbf16>) outs(%c : memref<32xbf16>)
  return
}

// -----

// Calls of the C library take one number.
// CHECK-LABEL: func.func @calls
// CHECK: linalg.generic
// CHECK: math.sin
func.func @calls(%x: memref<32xf32>, %y: memref<32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<32xf32>) outs(%y : memref<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// Sums of rows: eight rows are loaded in blocks of eight steps and transposed.
// The last block begins before the end of the one in front of it, and its first
// five steps are not added again.
// CHECK-LABEL: func.func @rows
// CHECK: vector.load %arg1{{.*}} vector<8xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c8 iter_args
// CHECK-COUNT-8: vector.load %arg0{{.*}} vector<8xf32>
// CHECK-COUNT-24: vector.shuffle
// CHECK-COUNT-8: arith.addf {{.*}} : vector<8xf32>
// CHECK: scf.yield
// CHECK-COUNT-24: memref.load %arg0
// CHECK-COUNT-3: arith.addf {{.*}} : vector<8xf32>
// CHECK-NOT: arith.addf
// CHECK: return
func.func @rows(%a: memref<8x19xf32>, %c: memref<8xf32>) {
  linalg.reduce {arith.addf} ins(%a : memref<8x19xf32>) outs(%c : memref<8xf32>) dimensions = [1]
  return
}
