// A tile program runs and is equal to its original. One that lacks a transfer, or
// takes entries in other steps, is refused before it runs; where a tile computes
// something else, the difference is traced to the tile and the box.
//
// RUN: split-file %s %t
// RUN: npu-run %t/tiles.mlir --reference=%t/original.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: npu-run %t/tiles.mlir --reference=%t/original.mlir -O0 --seed=7 | FileCheck %s --check-prefix=EQUAL
// RUN: not npu-run %t/no-load.mlir --reference=%t/original.mlir 2>&1 | FileCheck %s --check-prefix=NO-LOAD
// RUN: not npu-run %t/no-store.mlir 2>&1 | FileCheck %s --check-prefix=NO-STORE
// RUN: not npu-run %t/strides.mlir 2>&1 | FileCheck %s --check-prefix=STRIDES
// RUN: not npu-run %t/original.mlir --reference=%t/strides.mlir 2>&1 | FileCheck %s --check-prefix=STRIDES
// RUN: sed 's/n1 = arith.negf/n1 = math.absf/' %t/tiles.mlir > %t/other.mlir
// RUN: not npu-run %t/other.mlir --reference=%t/original.mlir --inputs=positive | FileCheck %s --check-prefix=OTHER
// RUN: not npu-run %t/tiles.mlir --compare 2>&1 | FileCheck %s --check-prefix=NOT-UNDONE
// RUN: npu-opt %t/tiles.mlir --npu-to-buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: npu-opt %t/tiles.mlir --npu-to-llvm | FileCheck %s --check-prefix=LLVM --implicit-check-not=npu. --implicit-check-not=addrspace --implicit-check-not=bufferize

// EQUAL: result #0 4x2xf32: 8 elements, 0 different
// EQUAL-NEXT: {{^}}equal

// NO-LOAD: no-load.mlir:{{.*}}: error: 'arith.negf' reads [0:2, 0:2] of operand #0, which nobody has written (local coordinates, tile 1)
// NO-STORE: no-store.mlir:{{.*}}: error: 'func.return' reads [2:4, 0:2] of operand #0, which nobody has written (local coordinates, DDR)
// STRIDES: strides.mlir:{{.*}}: error: 'tensor.extract_slice' of tile 0: expected strides [1, 1], got [1, -1]

// OTHER: first difference at [2, 0]
// OTHER-NEXT: from transfer of box [2:4, 0:2], tile 1 -> ddr ({{.*}}other.mlir:{{.*}})
// OTHER-NEXT: from computed by math.absf on tile 1 ({{.*}}other.mlir:{{.*}})

// NOT-UNDONE: --compare: expected a file with layouts, got a tile program

// Whose buffer is whose stays visible.
// BUFFERS: func.func @main(%{{.*}}: memref<2x4xf32>, %[[OUT:.*]]: memref<4x2xf32> {bufferize.result}, %[[A0:.*]]: memref<16xi8, 1> {npu.arena = 0 : i64}, %[[A1:.*]]: memref<16xi8, 2> {npu.arena = 1 : i64}) attributes {npu.tiles = 2 : i64}
// BUFFERS: memref.view %[[A0]]{{.*}} to memref<2x2xf32, 1>
// BUFFERS: memref.view %[[A1]]{{.*}} to memref<2x2xf32, 2>
// BUFFERS: npu.transfer %{{.*}}[0, 0] from tile 1 to ddr into %[[OUT]][2, 0] box [2:4, 0:2] bytes = 16 : memref<2x2xf32, 2> to memref<4x2xf32>
// LLVM: llvm.func @main
// Tiles have memory of the arenas only.
// LLVM-NOT: llvm.call @_mlir_memref_to_llvm_alloc
// LLVM: llvm.return

//--- original.mlir
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %e = tensor.empty() : tensor<4x2xf32>
  %0 = linalg.transpose ins(%x : tensor<2x4xf32>) outs(%e : tensor<4x2xf32>) permutation = [1, 0]
  %1 = arith.negf %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

//--- tiles.mlir
// Tile 0 has columns 0 and 1 of x, tile 1 columns 2 and 3, both as rows.
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x2xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<2x2xf32>
  %e1 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 1 : i64} : tensor<2x2xf32>
  %t0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:2] bytes = 16
      {dest_order = array<i64: 1, 0>} : tensor<2x4xf32> to tensor<2x2xf32>
  %t1 = npu.transfer %x[0, 2] from ddr to tile 1 into %e1[0, 0] box [0:2, 2:4] bytes = 16
      {dest_order = array<i64: 1, 0>} : tensor<2x4xf32> to tensor<2x2xf32>
  %v0 = npu.permute_cast %t0 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 0 : i64} : tensor<2x2xf32> to tensor<2x2xf32>
  %n0 = arith.negf %v0 {npu.tile = 0 : i64} : tensor<2x2xf32>
  %v1 = npu.permute_cast %t1 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 1 : i64} : tensor<2x2xf32> to tensor<2x2xf32>
  %n1 = arith.negf %v1 {npu.tile = 1 : i64} : tensor<2x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %d0 = npu.transfer %n0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:2] bytes = 16
      : tensor<2x2xf32> to tensor<4x2xf32>
  %d1 = npu.transfer %n1[0, 0] from tile 1 to ddr into %d0[2, 0] box [2:4, 0:2] bytes = 16
      : tensor<2x2xf32> to tensor<4x2xf32>
  return %d1 : tensor<4x2xf32>
}

//--- no-load.mlir
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x2xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<2x2xf32>
  %e1 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 1 : i64} : tensor<2x2xf32>
  %t0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:2] bytes = 16
      {dest_order = array<i64: 1, 0>} : tensor<2x4xf32> to tensor<2x2xf32>
  %v0 = npu.permute_cast %t0 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 0 : i64} : tensor<2x2xf32> to tensor<2x2xf32>
  %n0 = arith.negf %v0 {npu.tile = 0 : i64} : tensor<2x2xf32>
  %v1 = npu.permute_cast %e1 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 1 : i64} : tensor<2x2xf32> to tensor<2x2xf32>
  %n1 = arith.negf %v1 {npu.tile = 1 : i64} : tensor<2x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %d0 = npu.transfer %n0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:2] bytes = 16
      : tensor<2x2xf32> to tensor<4x2xf32>
  %d1 = npu.transfer %n1[0, 0] from tile 1 to ddr into %d0[2, 0] box [2:4, 0:2] bytes = 16
      : tensor<2x2xf32> to tensor<4x2xf32>
  return %d1 : tensor<4x2xf32>
}

//--- no-store.mlir
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x2xf32> attributes {npu.tiles = 2 : i64} {
  %e0 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<2x2xf32>
  %t0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:2] bytes = 16
      {dest_order = array<i64: 1, 0>} : tensor<2x4xf32> to tensor<2x2xf32>
  %v0 = npu.permute_cast %t0 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 0 : i64} : tensor<2x2xf32> to tensor<2x2xf32>
  %n0 = arith.negf %v0 {npu.tile = 0 : i64} : tensor<2x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %d0 = npu.transfer %n0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:2, 0:2] bytes = 16
      : tensor<2x2xf32> to tensor<4x2xf32>
  return %d0 : tensor<4x2xf32>
}

//--- strides.mlir
func.func @main(%x: tensor<2x4xf32>) -> tensor<4x2xf32> attributes {npu.tiles = 1 : i64} {
  %e0 = tensor.empty() {npu.order = array<i64: 1, 0>, npu.tile = 0 : i64} : tensor<4x4xf32>
  %t0 = npu.transfer %x[0, 0] from ddr to tile 0 into %e0[0, 0] box [0:2, 0:4] bytes = 32
      {dest_order = array<i64: 1, 0>} : tensor<2x4xf32> to tensor<4x4xf32>
  %v0 = npu.permute_cast %t0 mem_perm = [0, 1] {npu.order = array<i64: 0, 1>, npu.tile = 0 : i64} : tensor<4x4xf32> to tensor<4x4xf32>
  %s0 = tensor.extract_slice %v0[0, 1] [4, 2] [1, -1] {npu.tile = 0 : i64} : tensor<4x4xf32> to tensor<4x2xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %d0 = npu.transfer %s0[0, 0] from tile 0 to ddr into %e[0, 0] box [0:4, 0:2] bytes = 32
      : tensor<4x2xf32> to tensor<4x2xf32>
  return %d0 : tensor<4x2xf32>
}
