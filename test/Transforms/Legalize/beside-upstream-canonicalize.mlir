// Upstream's canonicalize does not look at layouts. For each of its five
// patterns that matter: what it does today, that this project's own
// npu-canonicalize leaves the operation alone, and what becomes of upstream's
// result here.
//
// RUN: split-file %s %t

// 1. A transpose of a transpose becomes its source, which lies elsewhere:
// upstream breaks the function.
// RUN: not npu-opt %t/transposes.mlir --canonicalize 2>&1 | FileCheck %s --check-prefix=BREAKS
// RUN: npu-opt %t/transposes.mlir --npu-canonicalize | FileCheck %s --check-prefix=KEEPS
// BREAKS: error: type of return operand 0 {{.*}} doesn't match function result type
// KEEPS-COUNT-2: linalg.transpose

// 2. An identity generic between layouts becomes a tensor.cast, which is
// understood as the redistribution that it stands for.
// RUN: npu-opt %t/identity.mlir --canonicalize | FileCheck %s --check-prefix=CAST
// RUN: npu-opt %t/identity.mlir --npu-canonicalize | FileCheck %s --check-prefix=GENERIC
// RUN: npu-opt %t/identity.mlir --canonicalize --npu-verify-distributions -o /dev/null
// RUN: npu-opt %t/identity.mlir --canonicalize --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=BYTES
// RUN: npu-opt %t/identity.mlir --canonicalize --npu-legalize-distributions | FileCheck %s --check-prefix=MOVES --implicit-check-not=tensor.cast
// CAST: tensor.cast
// GENERIC: linalg.generic
// BYTES: tensor.cast at
// BYTES-NEXT: received 64 (at least 64)
// MOVES: npu.redistribute

// 3. Two collapses become one, over the layout between them; ours does not,
// and legalization of either moves what has to.
// RUN: npu-opt %t/collapses.mlir --canonicalize | FileCheck %s --check-prefix=MERGED
// RUN: npu-opt %t/collapses.mlir --npu-canonicalize | FileCheck %s --check-prefix=TWO
// RUN: npu-opt %t/collapses.mlir --canonicalize --npu-legalize-distributions --npu-verify-distributions=strict -o /dev/null
// MERGED: tensor.collapse_shape {{.*}} {{\[\[}}0, 1, 2]]
// TWO-COUNT-2: tensor.collapse_shape

// 4. A fill moves through a reshape; it is made again wherever it is wanted.
// RUN: npu-opt %t/fill.mlir --canonicalize | FileCheck %s --check-prefix=THROUGH
// RUN: npu-opt %t/fill.mlir --npu-canonicalize | FileCheck %s --check-prefix=BEFORE
// RUN: npu-opt %t/fill.mlir --canonicalize --npu-legalize-distributions --npu-verify-distributions=strict --npu-print-transfers -o /dev/null | FileCheck %s --check-prefix=NOTHING --implicit-check-not=received
// THROUGH: tensor.expand_shape
// THROUGH: linalg.fill
// BEFORE: linalg.fill
// BEFORE: tensor.expand_shape
// NOTHING: function @main
// NOTHING-NEXT: total

// 5. A slice of constant size gets its source's encoding, which does not fit
// the smaller shape: an error with a place, never a crash.
// RUN: npu-opt %t/slice.mlir --npu-canonicalize --npu-verify-distributions -o /dev/null 2>&1 | FileCheck %s --check-prefix=FINE --implicit-check-not=error:
// RUN: not npu-opt %t/slice.mlir --canonicalize --npu-verify-distributions -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not npu-opt %t/slice.mlir --canonicalize --npu-legalize-distributions -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not npu-opt %t/slice.mlir --canonicalize --npu-print-distributions -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not npu-opt %t/slice.mlir --canonicalize --npu-insert-redistributions -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not npu-opt %t/slice.mlir --canonicalize --npu-raise-permute-casts -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNFIT
// RUN: not npu-opt %t/slice.mlir --canonicalize --npu-print-transfers=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNFIT
// FINE: slice.mlir:6:8: warning: 'tensor.extract_slice' falls back to the host
// UNFIT: slice.mlir:6:8: error: expected a layout that fits the tensor %{{.*}} of type {{.*}}: expected boxes inside [0:2, 0:4], got compute box [0:4, 0:4] on tile 0

// Our own operations are safe under upstream's canonicalize and cse.
// RUN: npu-opt %t/ours.mlir --canonicalize --cse --npu-verify-distributions=strict | FileCheck %s --check-prefix=OURS
// OURS: %[[A:.*]] = npu.redistribute
// OURS-NEXT: return %[[A]], %[[A]]

//--- transposes.mlir
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
func.func @main(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #columns> {
  %e = tensor.empty() : tensor<4x8xf32, #columns>
  %0 = linalg.transpose ins(%x : tensor<8x4xf32, #rows>) outs(%e : tensor<4x8xf32, #columns>) permutation = [1, 0]
  %f = tensor.empty() : tensor<8x4xf32, #columns>
  %1 = linalg.transpose ins(%0 : tensor<4x8xf32, #columns>) outs(%f : tensor<8x4xf32, #columns>) permutation = [1, 0]
  return %1 : tensor<8x4xf32, #columns>
}

//--- identity.mlir
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #columns> {
  %e = tensor.empty() : tensor<8x4xf32, #columns>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x4xf32, #rows>) outs(%e : tensor<8x4xf32, #columns>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x4xf32, #columns>
  return %0 : tensor<8x4xf32, #columns>
}

//--- collapses.mlir
#inner = #npu.layout<SEGMENTED, tiles = [1, 1, 2]>
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#flat = #npu.layout<SEGMENTED, tiles = [2]>
func.func @main(%x: tensor<2x4x8xf32, #inner>) -> tensor<64xf32, #flat> {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x8xf32, #inner> into tensor<8x8xf32, #rows>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<8x8xf32, #rows> into tensor<64xf32, #flat>
  return %1 : tensor<64xf32, #flat>
}

//--- fill.mlir
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#inner = #npu.layout<SEGMENTED, tiles = [1, 2, 1]>
func.func @main() -> tensor<4x2x4xf32, #inner> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x4xf32, #rows>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows>
  %0 = tensor.expand_shape %f [[0, 1], [2]] output_shape [4, 2, 4] : tensor<8x4xf32, #rows> into tensor<4x2x4xf32, #inner>
  return %0 : tensor<4x2x4xf32, #inner>
}

//--- slice.mlir
#boxes = #npu.layout<OVERLAPPED, compute = [[0:4, 0:4], [4:8, 0:4]]>
func.func @main(%x: tensor<8x4xf32, #boxes>) -> tensor<?x4xf32> {
  %two = arith.constant 2 : index
  // The dynamic size becomes a constant, and the result's type is inferred anew
  // from the source's.
  %0 = tensor.extract_slice %x[0, 0] [%two, 4] [1, 1] : tensor<8x4xf32, #boxes> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

//--- ours.mlir
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
func.func @main(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #columns>, tensor<8x4xf32, #columns>) {
  %0 = npu.redistribute %x : tensor<8x4xf32, #rows> to tensor<8x4xf32, #columns>
  %1 = npu.redistribute %x : tensor<8x4xf32, #rows> to tensor<8x4xf32, #columns>
  %2 = npu.distribution_cast %1 : tensor<8x4xf32, #columns> to tensor<8x4xf32, #columns>
  return %0, %2 : tensor<8x4xf32, #columns>, tensor<8x4xf32, #columns>
}
