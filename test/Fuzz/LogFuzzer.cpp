// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arbitrary bytes as a log. What is imported must be IR that parses again, and
// a log can be explained exactly when it can be imported.

#include "FuzzContext.h"

#include "npu/Translation/Log/NpuLogTranslation.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"

#include <string>

using namespace mlir;
using namespace npu;

static void readLog(StringRef text, const NpuLogOptions &options,
                    MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      importNpuLog(text, "fuzz.log", options, &context);
  FailureOr<std::string> words =
      explainNpuLog(text, "fuzz.log", options, &context);
  require(static_cast<bool>(module) == succeeded(words),
          "a log to be imported and explained, or neither");
  if (!module)
    return;
  std::string ir;
  llvm::raw_string_ostream os(ir);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  require(static_cast<bool>(parseSourceString<ModuleOp>(ir, &context)),
          "the imported module to parse");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = fuzzContext();
  StringRef text(reinterpret_cast<const char *>(data), size);
  readLog(text, {}, context);
  // Options take other ways through the same log.
  NpuLogOptions options;
  options.elementType = IntegerType::get(&context, 4);
  options.inOrder = parseOrderName("NHWC");
  options.inShape = Extents{1, 4, 3, 5};
  readLog(text, options, context);
  return 0;
}
