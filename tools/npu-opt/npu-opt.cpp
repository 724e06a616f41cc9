// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt on this project's dialect and passes.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::optMain(argc, argv, [](mlir::DialectRegistry &) {});
}
