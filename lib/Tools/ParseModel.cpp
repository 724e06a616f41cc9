// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ParseModel.h"
#include "OldSpellings.h"
#include "npu/Support/Nesting.h"
#include "npu/Support/ParserCrash.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace npu {

OwningOpRef<ModuleOp> parseModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                 llvm::SourceMgr &sources,
                                 MLIRContext &context) {
  llvm::MemoryBufferRef text = *buffer;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (failed(checkNesting(text, &context)))
    return nullptr;
  ParserCrashIsError parsing(text.getBufferIdentifier());
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    noteOldSpelling(text, llvm::errs());
  else if (isBytecode(text) && failed(checkNesting(module->getOperation())))
    return nullptr;
  return module;
}

} // namespace npu
