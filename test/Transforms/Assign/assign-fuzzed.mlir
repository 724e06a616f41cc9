// Functions whose assignments were wrong once, as npu-fuzz found and reduced
// them: each verifies, legalization leaves it as it is, it costs what was told,
// and it computes the same.
//
// RUN: npu-opt %s --npu-assign-distributions=target=npu4000 -o %t.mlir 2>/dev/null
// RUN: npu-opt %t.mlir --npu-verify-distributions=strict -o /dev/null
// RUN: npu-opt %t.mlir --npu-legalize-distributions -o %t.legal
// RUN: diff %t.mlir %t.legal
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=MOVES
// RUN: %python %S/../../Inputs/check_assigned_costs.py npu-opt %s %t
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=moved_nowhere | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=moved_twice | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=moved_in_vain | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=two_returns | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=in_order | FileCheck %s
// RUN: npu-run %t.mlir --reference=%s --entry=cast_to_tiles | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=pinned_destination | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=pinned_splat | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=other_label | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=other_order | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=moved_where_it_is | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=cast_of_pinned | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=caller | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=pinned_caller | FileCheck %s
// RUN: npu-run -O0 %t.mlir --reference=%s --entry=tensors_in_body | FileCheck %s
// CHECK: {{^}}equal

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#both = #npu.layout<DUPLICATED, tiles = 2>
#boxes = #npu.layout<SEGMENTED, compute = [[0:4, 0:8]], order = [1, 0]>
#order = #npu.layout<DUPLICATED, tiles = 2, order = [1, 0]>
#turned = #npu.layout<order = [1, 0]>

// A move to where a tensor is, beside the tensor.
func.func @moved_nowhere(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y = npu.redistribute %x : tensor<8x8xf32> to tensor<8x8xf32>
  %z = arith.minimumf %y, %x : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// One move, written twice, once in a loop.
// MOVES-LABEL: func.func @moved_twice(
// MOVES: npu.redistribute %arg0 : tensor<8x8xf32> to tensor<8x8xf32, #
// MOVES: scf.for
// MOVES-NOT: npu.redistribute %arg0
// MOVES: return
func.func @moved_twice(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<8x8xf32>
  %first = npu.redistribute %x : tensor<8x8xf32> to tensor<8x8xf32, #rows>
  %p = tensor.empty() : tensor<8x8xf32, #rows>
  %y = linalg.exp ins(%first : tensor<8x8xf32, #rows>) outs(%p : tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<8x8xf32>) {
    %second = npu.redistribute %x : tensor<8x8xf32> to tensor<8x8xf32, #rows>
    %z = linalg.add ins(%t, %second : tensor<8x8xf32>, tensor<8x8xf32, #rows>)
        outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %z : tensor<8x8xf32>
  }
  %back = npu.redistribute %y : tensor<8x8xf32, #rows> to tensor<8x8xf32>
  return %r, %back : tensor<8x8xf32>, tensor<8x8xf32>
}

// What nobody reads is not moved, and not paid.
func.func @moved_in_vain(%x: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows> {
  %r = scf.execute_region -> tensor<8x8xf32, #rows> {
    %unread = arith.addf %x, %x : tensor<8x8xf32, #rows>
    scf.yield %x : tensor<8x8xf32, #rows>
  }
  return %r : tensor<8x8xf32, #rows>
}

// A tensor that two blocks want in one form is brought there before both.
func.func @two_returns(%x: tensor<8xf32>, %c: i1) -> tensor<f32> {
  %lowest = arith.constant -9.0 : f32
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%lowest : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) dimensions = [0]
  cf.cond_br %c, ^first, ^second
^first:
  return %r : tensor<f32>
^second:
  return %r : tensor<f32>
}

// The shape of a cast's result follows from its memory order, also in DDR.
func.func @in_order(%x: tensor<4x6xf16>) -> tensor<6x4xf16, #turned> {
  %y = npu.permute_cast %x mem_perm = [0, 1] : tensor<4x6xf16> to tensor<6x4xf16, #turned>
  return %y : tensor<6x4xf16, #turned>
}

// A cast whose operand does not lie on the tiles that hold its result.
func.func @cast_to_tiles(%x: tensor<8xf32>) -> tensor<8xf32, #both> {
  %y = npu.permute_cast %x mem_perm = [0] : tensor<8xf32> to tensor<8xf32, #both>
  return %y : tensor<8xf32, #both>
}

// A destination that is pinned with its result is made where it is written.
func.func @pinned_destination(%x: tensor<1x8xi8>) -> tensor<8x1xi8, #both> {
  %e = tensor.empty() : tensor<8x1xi8, #both>
  %y = linalg.transpose ins(%x : tensor<1x8xi8>) outs(%e : tensor<8x1xi8, #both>) permutation = [1, 0]
  return %y : tensor<8x1xi8, #both>
}
func.func @pinned_splat(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32, #both>) {
  %one = arith.constant dense<1.0> : tensor<8x8xf32, #both>
  %e = tensor.empty() : tensor<8x8xf32>
  %y = linalg.add ins(%x, %one : tensor<8x8xf32>, tensor<8x8xf32, #both>)
      outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %one : tensor<8x8xf32>, tensor<8x8xf32, #both>
}

// A transpose that memory is read again for, and a result of another label.
func.func @other_label(%x: tensor<8x4xf32>) -> tensor<4x8xf32, #boxes> {
  %e = tensor.empty() : tensor<4x8xf32, #boxes>
  %y = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%e : tensor<4x8xf32, #boxes>) permutation = [1, 0]
  return %y : tensor<4x8xf32, #boxes>
}

// Tiles work on another order than the written one, which costs what it costs
// them.
func.func @other_order(%x: tensor<4x6xf32, #order>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x6xf32, #order>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// What a call takes and gives goes through DDR, which is paid.
func.func private @called(%x: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows> {
  %y = arith.addf %x, %x : tensor<8x8xf32, #rows>
  return %y : tensor<8x8xf32, #rows>
}
func.func @caller(%x: tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows> {
  %y = func.call @called(%x) : (tensor<8x8xf32, #rows>) -> tensor<8x8xf32, #rows>
  return %y : tensor<8x8xf32, #rows>
}

// A pinned argument is given, as it lies, to a function that takes it so.
// MOVES-LABEL: func.func @pinned_caller(
// MOVES-NEXT: call @takes_rows(%arg0)
func.func private @takes_rows(%x: tensor<8x8xf32> {npu.layout = #rows}) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}
func.func @pinned_caller(%x: tensor<8x8xf32> {npu.layout = #rows}) -> tensor<8x8xf32> {
  %y = func.call @takes_rows(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Tensors that a body makes for each entry are a part of the operation.
func.func @tensors_in_body(%x: tensor<1xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %y = tensor.generate {
  ^bb0(%i: index):
    %entry = tensor.extract %x[%c0] : tensor<1xf32>
    %all = tensor.insert %entry into %x[%c0] : tensor<1xf32>
    %new = tensor.extract %all[%c0] : tensor<1xf32>
    tensor.yield %new : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// A move to where the tensor is made is none. Who reads it and who reads the tensor
// have each paid for a copy in a third layout, and there are two.
func.func @moved_where_it_is(%x: tensor<8x12xbf16>) -> tensor<bf16> {
  %low = arith.constant -9.0 : bf16
  %e = tensor.empty() : tensor<12xbf16>
  %f = linalg.fill ins(%low : bf16) outs(%e : tensor<12xbf16>) -> tensor<12xbf16>
  %0 = linalg.reduce { arith.maximumf } ins(%x : tensor<8x12xbf16>) outs(%f : tensor<12xbf16>) dimensions = [0]
  %1 = npu.redistribute %0 : tensor<12xbf16> to tensor<12xbf16, #npu.layout<SEGMENTED, tiles = [2]>>
  %zero = arith.constant 0.0 : bf16
  %e1 = tensor.empty() : tensor<bf16>
  %f1 = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<bf16>) -> tensor<bf16>
  %2 = linalg.dot ins(%0, %1 : tensor<12xbf16>, tensor<12xbf16, #npu.layout<SEGMENTED, tiles = [2]>>) outs(%f1 : tensor<bf16>) -> tensor<bf16>
  return %2 : tensor<bf16>
}

// What a permute_cast makes follows from the order of what it reads, which is not
// that of the argument's own layout.
func.func @cast_of_pinned(%x: tensor<3x8xf32> {npu.layout = #npu.layout<SEGMENTED, tiles = [1, 2], order = [1, 0]>}) -> tensor<3x8xf32> {
  %y = npu.permute_cast %x mem_perm = [0, 1] : tensor<3x8xf32> to tensor<3x8xf32, #npu.layout<DUPLICATED, tiles = 2>>
  %z = npu.redistribute %y : tensor<3x8xf32, #npu.layout<DUPLICATED, tiles = 2>> to tensor<3x8xf32>
  return %z : tensor<3x8xf32>
}
