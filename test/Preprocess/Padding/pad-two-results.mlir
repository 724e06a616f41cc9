// Elementwise operations that have two results are padded like those that have one:
// each result that is used has its padding.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: FileCheck %s --check-prefix=PADDED < %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=1..8 -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 side=left poison" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=1..8 -O0 | FileCheck %s

// CHECK: high: equal
// CHECK: both: equal
// CHECK: signed: equal
// CHECK: with_carry: equal

// PADDED-LABEL: func.func @high(
// PADDED: arith.mului_extended {{.*}} : tensor<8xi32>
// PADDED: tensor.extract_slice {{.*}} : tensor<8xi32> to tensor<?xi32>
func.func @high(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %e:2 = arith.mului_extended %x, %y : tensor<?xi32>
  return %e#1 : tensor<?xi32>
}

func.func @both(%x: tensor<?x3xi32>, %y: tensor<?x3xi32>) -> (tensor<?x3xi32>, tensor<?x3xi32>) {
  %e:2 = arith.mului_extended %x, %y : tensor<?x3xi32>
  %f = arith.xori %e#0, %e#1 : tensor<?x3xi32>
  return %f, %e#0 : tensor<?x3xi32>, tensor<?x3xi32>
}

func.func @signed(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %e:2 = arith.mulsi_extended %x, %y : tensor<?xi32>
  return %e#0 : tensor<?xi32>
}

func.func @with_carry(%x: tensor<?xi32>, %y: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi1>) {
  %e:2 = arith.addui_extended %x, %y : tensor<?xi32>, tensor<?xi1>
  return %e#0, %e#1 : tensor<?xi32>, tensor<?xi1>
}

// CHECK: of_one: equal
func.func @of_one(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %s, %c = math.sincos %x : tensor<?xf32>
  return %s, %c : tensor<?xf32>, tensor<?xf32>
}
