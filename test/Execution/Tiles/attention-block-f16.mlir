// The field's length in the field's type. A processor without f16 arithmetic takes
// its time, so this runs when it is asked for: lit --param large=1.
//
// REQUIRES: large
// RUN: npu-opt %examples/attention-block.mlir --npu-legalize-distributions --npu-verify-distributions=strict -o %t.mlir
// RUN: npu-run %t.mlir --reference=%examples/attention-block.mlir | FileCheck %s

// CHECK: result #0 28x336x128xf16: 1204224 elements, 0 different
// CHECK-NEXT: {{^}}equal
