// A result without elements has no worst one.
//
// RUN: npu-run %s --audit | FileCheck %s
// RUN: npu-run %s --audit --format=json | FileCheck %s --check-prefix=JSON

// CHECK: NOT_AUDITED scf.execute_region
// CHECK-NEXT: result 3x0xi1, which has no elements
// CHECK: verdict: NOT_AUDITED
// JSON: "NOT_AUDITED"

func.func @main(%x: tensor<3x0xi1>) -> tensor<3x0xi1> {
  %0 = scf.execute_region -> tensor<3x0xi1> {
    scf.yield %x : tensor<3x0xi1>
  }
  return %0 : tensor<3x0xi1>
}
