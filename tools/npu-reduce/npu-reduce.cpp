// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-reduce: makes IR that shows something as small as it can be and still
// show it.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::reduceMain(argc, argv, [](mlir::DialectRegistry &) {});
}
