// Legal input comes out as it went in, to the letter: dead code, locations and
// spellings included, however little sense it makes.
//
// RUN: npu-opt %s --mlir-print-debuginfo > %t.in
// RUN: npu-opt %s --npu-legalize-distributions --mlir-print-debuginfo > %t.out
// RUN: diff %t.in %t.out
// RUN: npu-opt %s --npu-insert-redistributions --mlir-print-debuginfo > %t.out
// RUN: diff %t.in %t.out
// RUN: npu-opt %s --npu-verify-distributions=strict --mlir-print-debuginfo > %t.out
// RUN: diff %t.in %t.out

#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>
#rows = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1], order = NHWC>
#boxes = #npu.layout<SEGMENTED, order = NHWC, tiles = [1, 1, 4, 1],
    compute = [[0:1, 0:128, 0:7, 0:336], [0:1, 0:128, 7:14, 0:336], [0:1, 0:128, 14:21, 0:336], [0:1, 0:128, 21:28, 0:336]]>
#half = #npu.layout<SEGMENTED, tiles = [2, 1]>
#everywhere = #npu.layout<DUPLICATED, tiles = 2>
#halo = #npu.layout<OVERLAPPED, tiles = [2, 1], window = [[0, 3, 1, 1, 1]]>

func.func private @somewhere_else(tensor<8x4xf16, #half>) -> tensor<8x4xf16, #halo>

func.func @attention(%x: tensor<1x28x336x128xf16, #heads>) -> (tensor<1x128x28x336xf16, #rows>, tensor<1x128x28x336xf16, #boxes>) {
  %0 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #rows>
  // The same in other words, which strict comparison takes for the same.
  %1 = npu.permute_cast %x mem_perm = [0, 1, 2, 3] : tensor<1x28x336x128xf16, #heads> to tensor<1x128x28x336xf16, #boxes>
  return %0, %1 : tensor<1x128x28x336xf16, #rows>, tensor<1x128x28x336xf16, #boxes>
}

func.func @everything_else(%x: tensor<8x4xf16, #half>, %w: tensor<4x6xf16, #everywhere>, %n: index, %c: i1) -> tensor<8x6xf16, #half> {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %dead = arith.constant dense<1.0> : tensor<8x4xf16, #halo>
  %there = npu.redistribute %x : tensor<8x4xf16, #half> to tensor<8x4xf16, #everywhere>
  %and_back = npu.redistribute %there : tensor<8x4xf16, #everywhere> to tensor<8x4xf16, #half>
  %and_back_again = npu.distribution_cast %and_back : tensor<8x4xf16, #half> to tensor<8x4xf16, #half>
  %called = call @somewhere_else(%and_back_again) : (tensor<8x4xf16, #half>) -> tensor<8x4xf16, #halo>
  %unused = arith.addf %called, %dead : tensor<8x4xf16, #halo>
  %e = tensor.empty() : tensor<8x6xf16, #half>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8x6xf16, #half>) -> tensor<8x6xf16, #half>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %f) -> tensor<8x6xf16, #half> {
    %m = linalg.matmul ins(%and_back, %w : tensor<8x4xf16, #half>, tensor<4x6xf16, #everywhere>) outs(%acc : tensor<8x6xf16, #half>) -> tensor<8x6xf16, #half>
    scf.yield %m : tensor<8x6xf16, #half>
  }
  cf.cond_br %c, ^a(%r : tensor<8x6xf16, #half>), ^b
^a(%y: tensor<8x6xf16, #half>):
  return %y : tensor<8x6xf16, #half>
^b:
  return %f : tensor<8x6xf16, #half>
}
