// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-compile: compiles a model to an artefact.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::compileMain(argc, argv, [](mlir::DialectRegistry &) {});
}
