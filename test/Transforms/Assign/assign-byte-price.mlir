// A product of 512 rows that runs in steps: in the least time, or with a price
// that is higher than the time of any byte, with every tensor through DDR once.
//
// RUN: npu-opt %s --npu-assign-distributions=target=npu3720 --npu-print-costs=target=npu3720 -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=TIME
// RUN: npu-opt %s --npu-assign-distributions="target=npu3720 byte-price=4000" --npu-print-costs=target=npu3720 -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=BYTES
// RUN: npu-opt %s --npu-compile="target=npu3720 byte-price=4000 compile-to=assigned" --npu-print-costs=target=npu3720 -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=BYTES
//
// TIME: bytes from and to DDR, at least 158859264 {{.*}}: {{1.[1-9]|2}}
// BYTES: 158859264 bytes from and to DDR, at least 158859264 {{.*}}: 1.00 times

func.func @main(%a: tensor<512x3584xf16>, %b: tensor<3584x18944xf16>) -> tensor<512x18944xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<512x18944xf16>
  %filled = linalg.fill ins(%zero : f16) outs(%empty : tensor<512x18944xf16>) -> tensor<512x18944xf16>
  %sum = linalg.matmul ins(%a, %b : tensor<512x3584xf16>, tensor<3584x18944xf16>) outs(%filled : tensor<512x18944xf16>) -> tensor<512x18944xf16>
  return %sum : tensor<512x18944xf16>
}
