// Where a body says by data which entry it writes, or where a slice begins, padding must
// not say it: it would write after the tensor. In padding that is position 0.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.right.mlir
// RUN: FileCheck %s --check-prefix=GUARD < %t.right.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.right.mlir %s --length=1..4 --inputs=iota -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison side=left" -o %t.left.mlir
// RUN: %python %S/../../Inputs/run_every_entry.py %t.left.mlir %s --length=1..4 --inputs=iota -O0 | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK: entry: equal
// GUARD-LABEL: func.func @entry(
// GUARD: %[[AT:.*]] = arith.select {{.*}} : index
// GUARD: tensor.insert %{{.*}} into %{{.*}}[%[[AT]]]
func.func @entry(%x: tensor<?xi64>, %t: tensor<4xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %b = arith.index_cast %a : i64 to index
    %g = tensor.insert %a into %t[%b] : tensor<4xi64>
    %r = tensor.extract %g[%c0] : tensor<4xi64>
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %m : tensor<?xi64>
}

// CHECK: slice: equal
// GUARD-LABEL: func.func @slice(
// GUARD: %[[AT:.*]] = arith.select {{.*}} : index
// GUARD: tensor.extract_slice %{{.*}}[%[[AT]]] [2] [1]
func.func @slice(%x: tensor<?xi64>, %t: tensor<5xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %b = arith.index_cast %a : i64 to index
    %g = tensor.extract_slice %t[%b] [2] [1] : tensor<5xi64> to tensor<2xi64>
    %p = tensor.extract %g[%c0] : tensor<2xi64>
    %q = tensor.extract %g[%c1] : tensor<2xi64>
    %r = arith.addi %p, %q : i64
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %m : tensor<?xi64>
}

// A tensor of dynamic extent that nobody computes in the body has it, wherever an entry
// is written.
// CHECK: of_dynamic_extent: equal
func.func @of_dynamic_extent(%x: tensor<?xi64>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %zero = arith.constant dense<0> : tensor<9xi64>
  %t = tensor.cast %zero : tensor<9xi64> to tensor<?xi64>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %b = arith.index_cast %a : i64 to index
    %g = tensor.insert %a into %t[%b] : tensor<?xi64>
    %r = tensor.extract %g[%c0] : tensor<?xi64>
    linalg.yield %r : i64
  } -> tensor<?xi64>
  return %m : tensor<?xi64>
}
