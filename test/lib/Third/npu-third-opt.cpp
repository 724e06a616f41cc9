// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-opt that knows one more dialect.

#include "Third.h"

#include "npu/Tools/Mains.h"

#include <cstring>

int main(int argc, char **argv) {
  // What happens to a user who forgets to register what the dialect promises.
  bool models = true;
  if (argc > 1 && std::strcmp(argv[1], "--without-models") == 0) {
    models = false;
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  return npu::optMain(argc, argv, [&](mlir::DialectRegistry &registry) {
    registry.insert<third::ThirdDialect>();
    if (models)
      third::registerModels(registry);
  });
}
