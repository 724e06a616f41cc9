// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arbitrary bytes as an ONNX model. There is a module that parses again, or an
// error; and never a module beside an error.

#include "FuzzContext.h"

#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"

#include <string>

using namespace mlir;
using namespace npu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = fuzzContext();
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  bool hasError = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OwningOpRef<ModuleOp> module =
      importOnnx(bytes, "fuzz.onnx", OnnxImportOptions(), &context);
  require(hasError != static_cast<bool>(module), "a module, or an error");
  if (!module)
    return 0;
  std::string ir;
  llvm::raw_string_ostream os(ir);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  require(static_cast<bool>(parseSourceString<ModuleOp>(ir, &context)),
          "the imported module to parse");
  return 0;
}
