// A gather at the positions of a prompt is padded as a lookup. Padded positions name row 0; columns
// are read from the first to the last there too, so that each row is one load.

// RUN: npu-opt %s --npu-pad-to-max-prompt-len=max-prompt-len=16 | FileCheck %s
// RUN: npu-opt %s --npu-compile="max-prompt-len=16 compile-to=legal gather=allow" -o %t.mlir
// RUN: npu-opt %t.mlir --npu-print-costs -o /dev/null | FileCheck %s --check-prefix=COSTS
// RUN: npu-run %s --compile="max-prompt-len=16 gather=allow" --length=1,5,16 --inputs=small-integers --seed=3 | FileCheck %s --check-prefix=EQUAL
// EQUAL: 3 lengths, 0 different

// CHECK: %[[REAL:.*]] = arith.cmpi slt, %{{.*}}, %dim
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[ROW:.*]] = arith.select %[[REAL]], %{{.*}}, %c0
// CHECK: tensor.extract %arg0[%[[ROW]], %[[COLUMN]]]

// 16 rows of 128 bytes, 4 on each of 4 tiles.
// COSTS: operation linalg.generic 0 2048
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"NPU" = #dlti.target_device_spec<"npu.name" = "small", "npu.like" = "npu4000", "npu.scratchpad_bytes" = 2048 : i64>>} {
func.func @main(%table: tensor<500x64xf16>, %at: tensor<?x1xi32>) -> tensor<?x64xf16> {
  %rows = npu.gather %table at %at : tensor<500x64xf16>, tensor<?x1xi32> -> tensor<?x64xf16>
  return %rows : tensor<?x64xf16>
}
}
