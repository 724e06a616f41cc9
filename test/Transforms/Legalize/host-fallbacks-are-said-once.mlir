// What falls back to the host is said by default, by whichever pass sees it
// first, once for each operation name and reason; the bytes are those of all of
// them. It can be an error, or nothing.
//
// RUN: npu-opt %s --npu-verify-distributions -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: npu-opt %s --npu-legalize-distributions -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: npu-opt %s --npu-lower-to-tiles -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: npu-opt %s --npu-verify-distributions --npu-legalize-distributions --npu-verify-distributions=strict --npu-lower-to-tiles -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: npu-opt %s --npu-verify-distributions=gather=allow --npu-legalize-distributions=gather=allow --npu-lower-to-tiles=gather=allow -o /dev/null 2>&1 | count 0
// RUN: not npu-opt %s --npu-verify-distributions=gather=error 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-legalize-distributions=gather=error 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-insert-redistributions=gather=error 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-lower-to-tiles=gather=error 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not=func.func
// RUN: not npu-opt %s --npu-lower-to-tiles=gather=maybe 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: gather option: Cannot find option named 'maybe'
// A pass that is nested in functions says it of each.
// RUN: npu-opt %s --pass-pipeline='builtin.module(func.func(npu-verify-distributions))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED-COUNT-2: warning: 'tensor.gather' falls back to the host
// Nobody has to ask: a run says it as well.
// RUN: npu-run %s --entry=reshape --compare 2>&1 | FileCheck %s --check-prefix=SAYS
// SAYS: warning: 'tensor.expand_shape' falls back to the host
// SAYS: equal

#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#everything = #npu.layout<DUPLICATED, tiles = 2>
#inner = #npu.layout<SEGMENTED, tiles = [1, 2]>

// 64 bytes are stored and 24 loaded, three times.
// CHECK: [[@LINE+5]]:8: warning: 'tensor.gather' falls back to the host: it is not known which part of its operands it reads; 3 of them move 264 bytes through DDR
// CHECK: note: docs/adding-an-op.md tells how to teach the passes an operation
// CHECK: note: npu-print-transfers lists each of them
// ERROR: [[@LINE+2]]:8: error: 'tensor.gather' falls back to the host: it is not known which part of its operands it reads; 3 of them move 264 bytes through DDR
func.func @gather(%x: tensor<8x4xf16, #rows>, %at: tensor<3x1xindex>) -> tensor<3x4xf16, #rows> {
  %0 = tensor.gather %x[%at] gather_dims([0]) : (tensor<8x4xf16, #rows>, tensor<3x1xindex>) -> tensor<3x4xf16, #rows>
  return %0 : tensor<3x4xf16, #rows>
}

func.func @two_more(%x: tensor<8x4xf16, #rows>, %at: tensor<3x1xindex>) -> (tensor<3x4xf16, #rows>, tensor<3x4xf16, #rows>) {
  %0 = tensor.gather %x[%at] gather_dims([0]) : (tensor<8x4xf16, #rows>, tensor<3x1xindex>) -> tensor<3x4xf16, #rows>
  %1 = tensor.gather %x[%at] gather_dims([0]) : (tensor<8x4xf16, #rows>, tensor<3x1xindex>) -> tensor<3x4xf16, #rows>
  return %0, %1 : tensor<3x4xf16, #rows>, tensor<3x4xf16, #rows>
}

// Each tile's part of the result is no run of what it is made from.
// CHECK: [[@LINE+3]]:8: warning: 'tensor.expand_shape' falls back to the host: a tile's part of its result is not one run of its operand; it moves 96 bytes through DDR
// ERROR: [[@LINE+2]]:8: error: 'tensor.expand_shape' falls back to the host
func.func @reshape(%x: tensor<12xf32, #everything>) -> tensor<3x4xf32, #inner> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [3, 4] : tensor<12xf32, #everything> into tensor<3x4xf32, #inner>
  return %0 : tensor<3x4xf32, #inner>
}

// A stride is another reason than the reshape's, and another kind.
// CHECK: [[@LINE+2]]:8: warning: 'tensor.insert_slice' falls back to the host: it writes with a stride other than 1; it moves 320 bytes through DDR
func.func @stride(%x: tensor<4x4xf32, #rows>, %y: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = tensor.insert_slice %x into %y[0, 0] [4, 4] [2, 1] : tensor<4x4xf32, #rows> into tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// A stride and a reshape of what nobody has written, and a question for a shape:
// nothing moves, and nothing is said.
func.func @nothing_moves(%x: tensor<8x4xf32, #rows>, %i: index) -> index {
  %e = tensor.empty() : tensor<12xf32, #everything>
  %0 = tensor.expand_shape %e [[0, 1]] output_shape [3, 4] : tensor<12xf32, #everything> into tensor<3x4xf32, #inner>
  %1 = tensor.dim %x, %i : tensor<8x4xf32, #rows>
  return %1 : index
}
