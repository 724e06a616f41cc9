// Converting a result back to bf16 may make a number below the smallest normal one 0,
// also where a maximum or a minimum has rounded nothing: that is no fault.
//
// RUN: npu-run %s --audit | FileCheck %s --implicit-check-not=STRUCTURAL
// RUN: not npu-run %s --audit --entry=normal --inject-fault=dropped-row#1 | FileCheck %s --check-prefix=FAULT
//
// CHECK: verdict: {{ROUNDING|EXACT}}
// FAULT: verdict: STRUCTURAL

func.func @main() -> (tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
  %a = arith.constant dense<[0x007F, 0x3F80, 0x807F]> : tensor<3xbf16>
  %b = arith.constant dense<[0x0010, 0x3F80, 0x8010]> : tensor<3xbf16>
  %0 = arith.maximumf %a, %b : tensor<3xbf16>
  %1 = arith.minimumf %a, %b : tensor<3xbf16>
  %2 = arith.maxnumf %a, %b : tensor<3xbf16>
  %3 = arith.minnumf %a, %b : tensor<3xbf16>
  return %0, %1, %2, %3 : tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>
}

// Of numbers that are not that small, a maximum has no error.
func.func @normal() -> tensor<3xbf16> {
  %a = arith.constant dense<[0x0080, 0x0081, 0x0082]> : tensor<3xbf16>
  %e = tensor.empty() : tensor<3xbf16>
  %0 = linalg.max ins(%a, %a : tensor<3xbf16>, tensor<3xbf16>) outs(%e : tensor<3xbf16>) -> tensor<3xbf16>
  return %0 : tensor<3xbf16>
}
