// The extent of a computed dimension is chosen among those of all dimensions. A
// number that is no dimension's, undefined upstream, gives the first: npu-run's
// random %w is one, and the function as it is must agree with the padded one.
//
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison" -o %t.mlir
// RUN: npu-run %t.mlir --reference=%s --length=1..8 -O0 | FileCheck %s
// RUN: npu-run %t.mlir --reference=%s --length=1..8 --inputs=iota -O0 | FileCheck %s
// RUN: npu-opt %s --npu-pad-to-max-prompt-len="max-prompt-len=8 poison side=left static-signature" -o /dev/null
// CHECK: 8 lengths, 0 different
// CHECK-NEXT: equal

func.func @main(%x: tensor<?x3xf32>, %w: index) -> tensor<?x3xf32> {
  %n = tensor.dim %x, %w : tensor<?x3xf32>
  %k = arith.index_cast %n : index to i32
  %f = arith.sitofp %k : i32 to f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%m) : tensor<?x3xf32>
  %g = linalg.fill ins(%f : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = arith.addf %x, %g : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
