// The fewest bytes are counted as they would move when the function runs: what
// stands in a loop counts once per round, what several operands want counts once.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#identity = affine_map<(i, j) -> (i, j)>

// The operand as f32 moves 64 bytes, the result as f16 32. But the operand is the
// same in every round, and nobody knows how many there are.
// CHECK-LABEL: func.func @unknown_rounds
func.func @unknown_rounds(%x: tensor<8x4xf32, #rows>, %start: tensor<8x4xf16, #columns>, %n: index) -> tensor<8x4xf16, #columns> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf32, #[[ROWS]]> to tensor<8x4xf32, #[[COLUMNS]]>
  // CHECK: scf.for
  // CHECK-NOT: npu.redistribute
  // CHECK: linalg.copy ins(%[[X]]
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> tensor<8x4xf16, #columns> {
    %1 = linalg.copy ins(%x : tensor<8x4xf32, #rows>) outs(%acc : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %1 : tensor<8x4xf16, #columns>
  }
  return %0 : tensor<8x4xf16, #columns>
}

// One round: the result.
// CHECK-LABEL: func.func @one_round
func.func @one_round(%x: tensor<8x4xf32, #rows>, %start: tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK: %[[Y:.+]] = linalg.copy ins(%arg0 : tensor<8x4xf32, #[[ROWS]]>)
  // CHECK-NEXT: npu.redistribute %[[Y]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%acc = %start) -> tensor<8x4xf16, #columns> {
    %1 = linalg.copy ins(%x : tensor<8x4xf32, #rows>) outs(%acc : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %1 : tensor<8x4xf16, #columns>
  }
  return %0 : tensor<8x4xf16, #columns>
}

// Three operands that are one value: it moves once, 32 bytes, and not the result
// of twice the size.
// CHECK-LABEL: func.func @three_operands
func.func @three_operands(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf32, #columns>) -> tensor<8x4xf32, #columns> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0 : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK-NEXT: linalg.generic {{.*}} ins(%[[X]], %[[X]], %[[X]] :
  %0 = linalg.generic {indexing_maps = [#identity, #identity, #identity, #identity], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x, %x : tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>, tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf32, #columns>) {
    ^bb0(%a: f16, %b: f16, %c: f16, %out: f32):
      %1 = arith.addf %a, %b : f16
      %2 = arith.addf %1, %c : f16
      %3 = arith.extf %2 : f16 to f32
      linalg.yield %3 : f32
  } -> tensor<8x4xf32, #columns>
  return %0 : tensor<8x4xf32, #columns>
}
