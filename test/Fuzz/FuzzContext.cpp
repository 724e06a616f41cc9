// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FuzzContext.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace mlir;

/// The packaged libMLIR and this project's storage classes disagree on
/// poisoning (docs/debugging.md). Here, so that a finding can be run by hand.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

namespace npu {

MLIRContext &fuzzContext() {
  constexpr int inputsPerContext = 256;
  static std::unique_ptr<MLIRContext> context;
  static int inputs = 0;
  if (!context || ++inputs > inputsPerContext) {
    inputs = 0;
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<NPUDialect, func::FuncDialect>();
    context->getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
  }
  return *context;
}

void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

} // namespace npu
