// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-opt as a function, in a tool of somebody else.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::optMain(argc, argv, [](mlir::DialectRegistry &) {});
}
