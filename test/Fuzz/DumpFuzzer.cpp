// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arbitrary bytes as a dump. It can always be explained, as text and as JSON
// that parses, with as many bad edges in both; and what is imported is IR that
// parses again.

#include "FuzzContext.h"

#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"

#include <string>

using namespace mlir;
using namespace npu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = fuzzContext();
  StringRef text(reinterpret_cast<const char *>(data), size);
  std::string words, json;
  llvm::raw_string_ostream wordsStream(words), jsonStream(json);
  DumpOptions listed;
  listed.all = true;
  DumpOptions asJson;
  asJson.format = DumpOptions::Format::Json;
  int64_t bad =
      explainNpuDump(text, "fuzz.mlir", listed, wordsStream, &context);
  require(bad ==
              explainNpuDump(text, "fuzz.mlir", asJson, jsonStream, &context),
          "as many bad edges in both forms");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
  require(static_cast<bool>(value), "JSON that parses");
  OwningOpRef<ModuleOp> module = importNpuDump(text, "fuzz.mlir", &context);
  require(static_cast<bool>(module), "a dump to be imported");
  std::string ir;
  llvm::raw_string_ostream os(ir);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  require(static_cast<bool>(parseSourceString<ModuleOp>(ir, &context)),
          "the imported module to parse");
  return 0;
}
