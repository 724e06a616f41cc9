// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-opt: mlir-opt with this project's dialect and passes.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::optMain(argc, argv, [](mlir::DialectRegistry &) {});
}
