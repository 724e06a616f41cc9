// What is no .npy file of the argument's shape and type is refused with the file's
// name and the reason: data after the array, i1 other than 0 and 1, headers with a
// mistake. Versions 1, 2 and 3 are read.
//
// RUN: %python %S/Inputs/bad_npy.py %s %t | FileCheck %s --check-prefix=TABLE
// RUN: %python %S/Inputs/bad_npy.py %s %t 100 1 | FileCheck %s --check-prefix=MUTATED

// TABLE: {{[0-9]+}} files
// MUTATED: 100 files
func.func @f4(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %a : tensor<2x3xf32>
}
func.func @b1(%a: tensor<2x3xi1>) -> tensor<2x3xi1> {
  return %a : tensor<2x3xi1>
}
