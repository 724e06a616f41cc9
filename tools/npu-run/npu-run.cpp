// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run: runs a function before and after distribution, and compares the
// results.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::runMain(argc, argv, [](mlir::DialectRegistry &) {});
}
