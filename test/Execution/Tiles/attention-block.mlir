// A whole block of attention in the field's model's shape, split by head groups:
// nothing has to move between tiles, and nothing differs. The whole length runs in
// f32 here; f16 in its whole length is in attention-block-f16.mlir.
//
// RUN: sed 's/f16/f32/g; s/0xFC00/0xFF800000/' %examples/attention-block.mlir > %t.f32.mlir
// RUN: npu-opt %t.f32.mlir --npu-legalize-distributions --npu-verify-distributions=strict -o %t.legal.mlir
// RUN: npu-opt %t.legal.mlir --npu-print-transfers=format=json -o /dev/null | FileCheck %s --check-prefix=NOTHING
// RUN: npu-run -O0 %t.legal.mlir --reference=%t.f32.mlir | FileCheck %s --check-prefix=F32
// RUN: sed 's/336/48/g' %examples/attention-block.mlir > %t.f16.mlir
// RUN: npu-opt %t.f16.mlir --npu-legalize-distributions --npu-verify-distributions=strict -o %t.legal16.mlir
// RUN: npu-run -O0 %t.legal16.mlir --reference=%t.f16.mlir | FileCheck %s --check-prefix=F16
// RUN: npu-run -O0 %t.legal16.mlir | FileCheck %s --check-prefix=VALUES

// NOTHING: "redistributions": []
// F32: result #0 28x336x128xf32: 1204224 elements, 0 different
// F32-NEXT: {{^}}equal
// F16: result #0 28x48x128xf16: 172032 elements, 0 different
// F16-NEXT: {{^}}equal
// VALUES: result #0 28x48x128xf16: {{-?[0-9]}}
// VALUES-NOT: nan
// VALUES-NOT: inf
