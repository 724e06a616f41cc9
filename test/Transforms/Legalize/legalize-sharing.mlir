// One redistribution serves all users that want the same placement, and stands
// right after its source: outside of any loop or branch that only uses it.
//
// RUN: npu-opt %s --npu-legalize-distributions --npu-verify-distributions=strict | FileCheck %s

// CHECK-DAG: #[[ROWS:.+]] = #npu.layout<SEGMENTED, tiles = [2, 1]>
// CHECK-DAG: #[[COLUMNS:.+]] = #npu.layout<SEGMENTED, tiles = [1, 2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>

// CHECK-LABEL: func.func @two_users
// CHECK-COUNT-1: npu.redistribute
// CHECK-NOT: npu.redistribute
// CHECK: return
func.func @two_users(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #columns>) -> (tensor<8x4xf16, #columns>, tensor<8x4xf16, #columns>) {
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  %1 = linalg.abs ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0, %1 : tensor<8x4xf16, #columns>, tensor<8x4xf16, #columns>
}

// Who wants the same boxes under another label, or a part of them, gets a cast
// of what was moved already.
// CHECK-LABEL: func.func @what_is_there_already
func.func @what_is_there_already(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #everywhere>, %f: tensor<8x4xf16, #columns>) -> (tensor<8x4xf16, #everywhere>, tensor<8x4xf16, #columns>) {
  // CHECK-NEXT: %[[ALL:.+]] = npu.redistribute %arg0
  // CHECK-NOT: npu.redistribute
  // CHECK: linalg.softmax dimension(0) ins(%[[ALL]]
  // CHECK: linalg.softmax dimension(0) ins(%{{.+}} : tensor<8x4xf16, #[[COLUMNS]]>)
  // CHECK: return
  %0 = linalg.softmax dimension(0) ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #everywhere>) -> tensor<8x4xf16, #everywhere>
  %1 = linalg.softmax dimension(0) ins(%x : tensor<8x4xf16, #rows>) outs(%f : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0, %1 : tensor<8x4xf16, #everywhere>, tensor<8x4xf16, #columns>
}

// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<8x4xf16, #rows>, %start: tensor<8x4xf16, #columns>, %n: index) -> tensor<8x4xf16, #columns> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[X:.+]] = npu.redistribute %arg0
  // CHECK: scf.for
  // CHECK-NOT: npu.redistribute
  // CHECK: linalg.add ins(%[[X]]
  // CHECK: scf.yield
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> tensor<8x4xf16, #columns> {
    %e = tensor.empty() : tensor<8x4xf16, #columns>
    %1 = linalg.add ins(%x, %acc : tensor<8x4xf16, #rows>, tensor<8x4xf16, #columns>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %1 : tensor<8x4xf16, #columns>
  }
  return %0 : tensor<8x4xf16, #columns>
}

// What changes in every round has to move in every round.
// CHECK-LABEL: func.func @carried
func.func @carried(%start: tensor<8x4xf16, #rows>, %n: index) -> tensor<8x4xf16, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.+]] = %arg0)
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %[[ACC]] : tensor<8x4xf16, #[[ROWS]]> to tensor<8x4xf16, #[[COLUMNS]]>
  // CHECK: %[[Y:.+]] = linalg.softmax dimension(0) ins(%[[X]] : tensor<8x4xf16, #[[COLUMNS]]>)
  // CHECK-NEXT: %[[BACK:.+]] = npu.redistribute %[[Y]] : tensor<8x4xf16, #[[COLUMNS]]> to tensor<8x4xf16, #[[ROWS]]>
  // CHECK-NEXT: scf.yield %[[BACK]] : tensor<8x4xf16, #[[ROWS]]>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %start) -> tensor<8x4xf16, #rows> {
    %e = tensor.empty() : tensor<8x4xf16, #columns>
    %1 = linalg.softmax dimension(0) ins(%acc : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    %2 = tensor.cast %1 : tensor<8x4xf16, #columns> to tensor<8x4xf16, #rows>
    scf.yield %2 : tensor<8x4xf16, #rows>
  }
  return %0 : tensor<8x4xf16, #rows>
}

// Both branches want it; one of them is in front, where both can see it.
// CHECK-LABEL: func.func @branches
func.func @branches(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #columns>, %c: i1) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: %[[X:.+]] = npu.redistribute %arg0
  // CHECK-NEXT: cf.cond_br
  // CHECK-NOT: npu.redistribute
  // CHECK: linalg.exp ins(%[[X]]
  // CHECK: linalg.abs ins(%[[X]]
  // CHECK: ^bb3(%{{.+}}: tensor<8x4xf16, #[[COLUMNS]]>):
  cf.cond_br %c, ^yes, ^no
^yes:
  %0 = linalg.exp ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  cf.br ^join(%0 : tensor<8x4xf16, #columns>)
^no:
  %1 = linalg.abs ins(%x : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  cf.br ^join(%1 : tensor<8x4xf16, #columns>)
^join(%2: tensor<8x4xf16, #columns>):
  return %2 : tensor<8x4xf16, #columns>
}

// A block's argument is moved at the head of its block.
// CHECK-LABEL: func.func @block_argument
func.func @block_argument(%x: tensor<8x4xf16, #rows>, %y: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #columns>, %c: i1) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: cf.cond_br
  // CHECK: ^bb1(%[[JOINED:[^:]+]]: tensor<8x4xf16, #[[ROWS]]>):
  // CHECK-NEXT: %[[MOVED:.+]] = npu.redistribute %[[JOINED]]
  // CHECK-NEXT: linalg.exp ins(%[[MOVED]]
  cf.cond_br %c, ^join(%x : tensor<8x4xf16, #rows>), ^join(%y : tensor<8x4xf16, #rows>)
^join(%z: tensor<8x4xf16, #rows>):
  %0 = linalg.exp ins(%z : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
  return %0 : tensor<8x4xf16, #columns>
}

// A value of a branch is not used outside of it: each has its own.
// CHECK-LABEL: func.func @nested
func.func @nested(%x: tensor<8x4xf16, #rows>, %e: tensor<8x4xf16, #columns>, %c: i1) -> tensor<8x4xf16, #columns> {
  // CHECK-NEXT: scf.if
  // CHECK: linalg.abs ins(%arg0
  // CHECK-NEXT: npu.redistribute
  // CHECK: } else {
  // CHECK: linalg.abs ins(%arg0
  // CHECK-NEXT: npu.redistribute
  %0 = scf.if %c -> tensor<8x4xf16, #columns> {
    %r = tensor.empty() : tensor<8x4xf16, #rows>
    %1 = linalg.abs ins(%x : tensor<8x4xf16, #rows>) outs(%r : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
    %2 = linalg.softmax dimension(0) ins(%1 : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %2 : tensor<8x4xf16, #columns>
  } else {
    %r = tensor.empty() : tensor<8x4xf16, #rows>
    %1 = linalg.abs ins(%x : tensor<8x4xf16, #rows>) outs(%r : tensor<8x4xf16, #rows>) -> tensor<8x4xf16, #rows>
    %2 = linalg.softmax dimension(0) ins(%1 : tensor<8x4xf16, #rows>) outs(%e : tensor<8x4xf16, #columns>) -> tensor<8x4xf16, #columns>
    scf.yield %2 : tensor<8x4xf16, #columns>
  }
  return %0 : tensor<8x4xf16, #columns>
}
