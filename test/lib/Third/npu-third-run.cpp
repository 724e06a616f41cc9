// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run that knows one more dialect.

#include "Third.h"

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) {
  return npu::runMain(argc, argv, [](mlir::DialectRegistry &registry) {
    registry.insert<third::ThirdDialect>();
    third::registerModels(registry);
  });
}
