// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function before and after distribution, and compares.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::runMain(argc, argv, [](mlir::DialectRegistry &) {});
}
