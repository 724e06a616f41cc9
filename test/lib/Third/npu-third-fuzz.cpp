// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-fuzz that makes up functions with one more dialect.

#include "Steps.h"
#include "Third.h"

#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu-fuzz/FuzzMain.h"

int main(int argc, char **argv) {
  auto registerMore = [](mlir::DialectRegistry &registry) {
    registry.insert<third::ThirdDialect>();
    third::registerModels(registry);
  };
  return npu::fuzzMain(argc, argv,
                       {third::stepKinds(), registerMore, third::magnitudeOf});
}
