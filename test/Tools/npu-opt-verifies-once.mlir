// What npu-opt prints was verified by the parser and after every pass, and is
// printed in the operations' own form without a third time. Where one of the
// two is switched off, the printer looks by itself: what is not valid is
// printed in the generic form, whose printer expects nothing.
//
// RUN: not npu-opt %s 2>&1 | FileCheck %s --check-prefix=VERIFIED
// RUN: npu-opt %s --mlir-very-unsafe-disable-verifier-on-parsing | FileCheck %s --check-prefix=GENERIC
// RUN: npu-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --mlir-print-assume-verified | FileCheck %s --check-prefix=TRUSTED
//
// A pass that fails leaves IR that nobody has verified.
//
// RUN: not npu-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --npu-lower-to-tiles --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=FAILED
//
// npu-compile verifies the IR at the ends of its phases, and the pass manager does not do
// so after each pass; the phases verify it whatever the pass manager does.
//
// RUN: not npu-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --npu-compile="target=npu4000 compile-from=legal compile-to=legal" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not npu-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --npu-compile="target=npu4000 compile-from=legal compile-to=legal" --verify-each=false 2>&1 | FileCheck %s --check-prefix=PHASE
//
// PHASE: error: 'npu.redistribute' op expected one shape on both sides
// PHASE: note: a module of phase 'legal' of npu-compile has to hold this
//
// VERIFIED: error: 'npu.redistribute' op expected one shape on both sides
// GENERIC: "func.func"
// GENERIC: "npu.redistribute"
// TRUSTED: func.func @shapes_differ
// TRUSTED: = npu.redistribute
// FAILED: IR Dump After {{.*}} Failed
// FAILED: "npu.redistribute"
#rows = #npu.layout<SEGMENTED, tiles = [2, 1]>
#columns = #npu.layout<SEGMENTED, tiles = [1, 2]>
func.func @shapes_differ(%x: tensor<4x4xf16, #rows>) -> tensor<4x8xf16, #columns> {
  %0 = npu.redistribute %x : tensor<4x4xf16, #rows> to tensor<4x8xf16, #columns>
  return %0 : tensor<4x8xf16, #columns>
}
