// What the reports make of less usual values: multicasts, regions, blocks, casts
// of all kinds, elements of no known size, and files to write to.
//
// RUN: npu-opt %s --npu-print-transfers -o /dev/null | FileCheck %s
// RUN: npu-opt %s --npu-print-distributions -o /dev/null | FileCheck %s --check-prefix=VALUES
// Both are JSON whatever is in them.
// RUN: npu-opt %s --npu-print-transfers=format=json -o /dev/null | %python -c "import json, sys; json.load(sys.stdin)"
// RUN: npu-opt %s --npu-print-distributions=format=json -o /dev/null | %python -c "import json, sys; json.load(sys.stdin)"
// The IR and a report in a file do not get in each other's way.
// RUN: npu-opt %s --npu-print-distributions=output-file=%t.txt > %t.out.mlir
// RUN: npu-opt %s > %t.mlir
// RUN: diff %t.mlir %t.out.mlir
// RUN: FileCheck %s --check-prefix=VALUES < %t.txt
// RUN: not npu-opt %s --npu-print-distributions=output-file=%t.missing/file 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot open output file '{{.*}}missing/file': No such file or directory

#rows = #npu.layout<SEGMENTED, tiles = [3, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 3>
#transposed = #npu.layout<SEGMENTED, tiles = [3, 1], order = [1, 0]>
#order = #npu.layout<order = [1, 0]>

// Three tiles with two rows of 4 bytes each want all of them: each row leaves its
// owner once, to two others.
// CHECK-LABEL: function @multicast
// CHECK: npu.redistribute at {{.*}}print-reports-of-anything.mlir:[[@LINE+10]]:8
// CHECK-NEXT: received 48 (at least 48)
// CHECK-NEXT: max tile received 16 (at least 16)
// CHECK-NEXT: injected 24 (at least 24)
// CHECK-NEXT: max tile sent 8 (at least 8)
// CHECK: 0 -> 1, 2 : [0:2, 0:4], 8 bytes
// CHECK-NEXT: 1 -> 0, 2 : [2:4, 0:4], 8 bytes
// CHECK-NEXT: 2 -> 0, 1 : [4:6, 0:4], 8 bytes
func.func @multicast(%x: tensor<6x4xi8, #rows>) {
  %y = tensor.empty() : tensor<6x4xi8>
  %0 = npu.redistribute %x : tensor<6x4xi8, #rows> to tensor<6x4xi8, #everywhere>
  // CHECK: npu.redistribute
  // CHECK: ddr 24
  // CHECK: ddr -> 0, 1, 2 : [0:6, 0:4], 24 bytes
  %1 = npu.redistribute %y : tensor<6x4xi8> to tensor<6x4xi8, #everywhere>
  // Everybody has everything: stored by all of them, in equal parts.
  // CHECK: npu.redistribute
  // CHECK: ddr 24
  // CHECK-COUNT-3: -> ddr : {{.*}}, 8 bytes
  %2 = npu.redistribute %0 : tensor<6x4xi8, #everywhere> to tensor<6x4xi8>
  // To DDR in another order: that is DDR's affair.
  // CHECK: npu.redistribute
  // CHECK: relaid 0
  %3 = npu.redistribute %0 : tensor<6x4xi8, #everywhere> to tensor<6x4xi8, #order>
  return
}

// Other boxes and another order: both figures.
// CHECK-LABEL: function @moved_and_relaid
// CHECK: received 48
// CHECK: relaid 72
func.func @moved_and_relaid(%x: tensor<6x4xi8, #rows>) {
  %0 = npu.redistribute %x : tensor<6x4xi8, #rows> to tensor<6x4xi8, #npu.layout<DUPLICATED, tiles = 3, order = [1, 0]>>
  return
}

// A permute_cast moves nothing, wherever it stands; a tensor.cast between layouts
// does, and one that is about the shape only is no row.
// CHECK-LABEL: function @casts
// CHECK: npu.permute_cast at
// CHECK-NEXT: moves nothing
// CHECK-NEXT: tensor.cast at
// CHECK-NEXT: received 16
// CHECK-NOT: tensor.cast
func.func @casts(%x: tensor<6x4xi8, #rows>, %y: tensor<?x4xi8>, %c: i1) {
  scf.if %c {
    %0 = npu.permute_cast %x mem_perm = [0, 1] : tensor<6x4xi8, #rows> to tensor<4x6xi8, #npu.layout<SEGMENTED, tiles = [1, 3], order = [1, 0]>>
  }
  %1 = tensor.cast %x : tensor<6x4xi8, #rows> to tensor<6x4xi8, #npu.layout<SEGMENTED, tiles = [1, 3]>>
  %2 = tensor.cast %y : tensor<?x4xi8> to tensor<6x4xi8>
  return
}

// CHECK-LABEL: function @bits
// Two bits each: 6 bytes are on each of three tiles, and of these two thirds go
// elsewhere.
// CHECK: received 12 (at least 12)
func.func @bits(%x: tensor<6x12xi2, #rows>) {
  %0 = npu.redistribute %x : tensor<6x12xi2, #rows> to tensor<6x12xi2, #npu.layout<SEGMENTED, tiles = [1, 3]>>
  return
}

// Values of blocks and regions in the order in which they are written; tensors of
// no known size or rank have fewer figures, or none.
// VALUES-LABEL: function @everywhere
// VALUES-NEXT: %arg0 : tensor<6x4xcomplex<f32>, #npu.layout<SEGMENTED, tiles = [3, 1]>>
// VALUES-NEXT: tile 0: compute [0:2, 0:4]
// VALUES: fullest tile: 64 bytes
// VALUES-NEXT: %arg1 : tensor<2xvector<4xf32>, #npu.layout<DUPLICATED, tiles = 1>>
// VALUES-NEXT: tile 0: compute [0:2]
// VALUES-NEXT: %0 : tensor<6x4xcomplex<f32>, #npu.layout<SEGMENTED, tiles = [3, 1]>>
// VALUES: %arg5 : tensor<6x4xcomplex<f32>, #npu.layout<SEGMENTED, tiles = [3, 1]>>
// VALUES: %1 : tensor<6x4xcomplex<f32>, #npu.layout<SEGMENTED, tiles = [3, 1]>>
func.func @everywhere(%x: tensor<6x4xcomplex<f32>, #rows>, %v: tensor<2xvector<4xf32>, #npu.layout<DUPLICATED, tiles = 1>>, %u: tensor<*xf32>, %n: index) -> tensor<6x4xcomplex<f32>, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<6x4xcomplex<f32>, #rows> {
    scf.yield %acc : tensor<6x4xcomplex<f32>, #rows>
  }
  cf.br ^end(%0 : tensor<6x4xcomplex<f32>, #rows>)
^end(%1: tensor<6x4xcomplex<f32>, #rows>):
  return %1 : tensor<6x4xcomplex<f32>, #rows>
}
