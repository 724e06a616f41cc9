// Folds and canonicalizations: no data moves twice or for nothing, casts chain
// into one, and what would hide a mismatch or a change of order stays.
//
// RUN: npu-opt %s --npu-canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: npu-opt %s --canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: npu-opt %s --npu-canonicalize | npu-opt --npu-canonicalize -o %t.twice
// RUN: npu-opt %s --npu-canonicalize -o %t.once
// RUN: diff %t.once %t.twice

#heads = #npu.layout<SEGMENTED, tiles = [1, 2, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#sequence = #npu.layout<SEGMENTED, tiles = [1, 1, 2]>
#heads_overlapped = #npu.layout<OVERLAPPED, tiles = [1, 2, 1]>
#heads_transposed = #npu.layout<SEGMENTED, tiles = [1, 2, 1], order = [0, 2, 1]>

// There and back again.
// CHECK-LABEL: func.func @inverse_pair
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-NEXT: return %[[X]]
func.func @inverse_pair(%x: tensor<1x4x6xf32, #heads>) -> tensor<1x4x6xf32, #heads> {
  %0 = npu.permute_cast %x mem_perm = [1, 2, 0]
      : tensor<1x4x6xf32, #heads> to tensor<4x6x1xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>>
  %1 = npu.permute_cast %0 mem_perm = [2, 0, 1]
      : tensor<4x6x1xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>> to tensor<1x4x6xf32, #heads>
  return %1 : tensor<1x4x6xf32, #heads>
}

// A chain is one cast, at both places.
// CHECK-LABEL: func.func @chain
// CHECK: npu.permute_cast %{{.*}} mem_perm = [1, 0, 2] : {{.*}} to tensor<4x1x6xf32, {{.*}}> loc(fused["first", "second"])
// CHECK-NOT: npu.permute_cast
func.func @chain(%x: tensor<1x4x6xf32, #heads>) -> tensor<4x1x6xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>> {
  %0 = npu.permute_cast %x mem_perm = [1, 2, 0]
      : tensor<1x4x6xf32, #heads> to tensor<4x6x1xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>> loc("first")
  %1 = npu.permute_cast %0 mem_perm = [0, 2, 1]
      : tensor<4x6x1xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>> to tensor<4x1x6xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>> loc("second")
  return %1 : tensor<4x1x6xf32, #npu.layout<SEGMENTED, tiles = [2, 1, 1]>>
}

// The value between claims what memory does not have: the verifier must see it.
// CHECK-LABEL: func.func @incompatible_middle
// CHECK-COUNT-2: npu.permute_cast
func.func @incompatible_middle(%x: tensor<1x4x6xf32, #heads>) -> tensor<1x4x6xf32, #heads> {
  %0 = npu.permute_cast %x mem_perm = [1, 2, 0]
      : tensor<1x4x6xf32, #heads> to tensor<4x6x1xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>>
  %1 = npu.permute_cast %0 mem_perm = [2, 0, 1]
      : tensor<4x6x1xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>> to tensor<1x4x6xf32, #heads>
  return %1 : tensor<1x4x6xf32, #heads>
}

// CHECK-LABEL: func.func @distribution_casts
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-NEXT: npu.distribution_cast %[[X]] : tensor<1x4x6xf32, #npu.layout<DUPLICATED, tiles = 2>> to tensor<1x4x6xf32, #npu.layout<OVERLAPPED, tiles = [1, 2, 1]>>
// CHECK-NEXT: return
func.func @distribution_casts(%x: tensor<1x4x6xf32, #everywhere>) -> tensor<1x4x6xf32, #heads_overlapped> {
  %0 = npu.distribution_cast %x : tensor<1x4x6xf32, #everywhere> to tensor<1x4x6xf32, #heads>
  %1 = npu.distribution_cast %0 : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #heads_overlapped>
  return %1 : tensor<1x4x6xf32, #heads_overlapped>
}

// Equal boxes, or a part of what is there: nothing moves.
// CHECK-LABEL: func.func @nothing_to_move
// CHECK-NOT: npu.redistribute
// CHECK-COUNT-2: npu.distribution_cast
// CHECK-NOT: npu.redistribute
// CHECK: return
func.func @nothing_to_move(%x: tensor<1x4x6xf32, #heads>, %y: tensor<1x4x6xf32, #everywhere>)
    -> (tensor<1x4x6xf32, #heads_overlapped>, tensor<1x4x6xf32, #sequence>) {
  %0 = npu.redistribute %x : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #heads_overlapped>
  %1 = npu.redistribute %y : tensor<1x4x6xf32, #everywhere> to tensor<1x4x6xf32, #sequence>
  return %0, %1 : tensor<1x4x6xf32, #heads_overlapped>, tensor<1x4x6xf32, #sequence>
}

// A change of order re-lays bytes: it never folds away, whatever the boxes.
// CHECK-LABEL: func.func @order_changes
// CHECK: npu.redistribute
func.func @order_changes(%x: tensor<1x4x6xf32, #heads>) -> tensor<1x4x6xf32, #heads_transposed> {
  %0 = npu.redistribute %x : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #heads_transposed>
  return %0 : tensor<1x4x6xf32, #heads_transposed>
}

// Straight there, at both places.
// CHECK-LABEL: func.func @redistribute_twice
// CHECK-NEXT: npu.redistribute %{{.*}} : tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>> to tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 2]>> loc(fused["first", "second"])
// CHECK-NEXT: return
func.func @redistribute_twice(%x: tensor<1x4x6xf32, #heads>) -> tensor<1x4x6xf32, #sequence> {
  %0 = npu.redistribute %x : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #everywhere> loc("first")
  %1 = npu.redistribute %0 : tensor<1x4x6xf32, #everywhere> to tensor<1x4x6xf32, #sequence> loc("second")
  return %1 : tensor<1x4x6xf32, #sequence>
}

// Stored and loaded again: from tile to tile instead.
// CHECK-LABEL: func.func @through_ddr
// CHECK-NEXT: npu.redistribute %{{.*}} : tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>> to tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 2]>>
// CHECK-NEXT: return
func.func @through_ddr(%x: tensor<1x4x6xf32, #heads>) -> tensor<1x4x6xf32, #sequence> {
  %0 = npu.redistribute %x : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32>
  %1 = npu.redistribute %0 : tensor<1x4x6xf32> to tensor<1x4x6xf32, #sequence>
  return %1 : tensor<1x4x6xf32, #sequence>
}

// The first one is wanted by itself, too: what it gives is there already, and
// narrowing it costs nothing.
// CHECK-LABEL: func.func @first_has_other_users
// CHECK: %[[ALL:.*]] = npu.redistribute %{{.*}} to tensor<1x4x6xf32, #npu.layout<DUPLICATED, tiles = 2>>
// CHECK: npu.distribution_cast %[[ALL]]
func.func @first_has_other_users(%x: tensor<1x4x6xf32, #heads>)
    -> (tensor<1x4x6xf32, #everywhere>, tensor<1x4x6xf32, #sequence>) {
  %0 = npu.redistribute %x : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #everywhere>
  %1 = npu.redistribute %0 : tensor<1x4x6xf32, #everywhere> to tensor<1x4x6xf32, #sequence>
  return %0, %1 : tensor<1x4x6xf32, #everywhere>, tensor<1x4x6xf32, #sequence>
}

// Only what the cast leaves is moved.
// CHECK-LABEL: func.func @cast_of_redistribute
// CHECK-NEXT: npu.redistribute %{{.*}} : tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 2, 1]>> to tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 2]>>
// CHECK-NEXT: return
func.func @cast_of_redistribute(%x: tensor<1x4x6xf32, #heads>) -> tensor<1x4x6xf32, #sequence> {
  %0 = npu.redistribute %x : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #everywhere>
  %1 = npu.distribution_cast %0 : tensor<1x4x6xf32, #everywhere> to tensor<1x4x6xf32, #sequence>
  return %1 : tensor<1x4x6xf32, #sequence>
}

// And from all that there was before a cast.
// CHECK-LABEL: func.func @redistribute_of_cast
// CHECK-SAME: (%[[X:[^:]*]]:
// CHECK-NEXT: npu.distribution_cast %[[X]] : tensor<1x4x6xf32, #npu.layout<DUPLICATED, tiles = 2>> to tensor<1x4x6xf32, #npu.layout<SEGMENTED, tiles = [1, 1, 2]>>
// CHECK-NEXT: return
func.func @redistribute_of_cast(%x: tensor<1x4x6xf32, #everywhere>) -> tensor<1x4x6xf32, #sequence> {
  %0 = npu.distribution_cast %x : tensor<1x4x6xf32, #everywhere> to tensor<1x4x6xf32, #heads>
  %1 = npu.redistribute %0 : tensor<1x4x6xf32, #heads> to tensor<1x4x6xf32, #sequence>
  return %1 : tensor<1x4x6xf32, #sequence>
}
