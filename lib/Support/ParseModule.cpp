// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/ParseModule.h"

#include "npu/Support/OldSpellings.h"
#include "npu/Support/ParserCrash.h"
#include "npu/Support/ParserLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace npu {

OwningOpRef<ModuleOp> parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                  llvm::SourceMgr &sources,
                                  MLIRContext *context) {
  llvm::MemoryBufferRef text = *buffer;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (failed(checkText(text, context)))
    return nullptr;
  ParserCrashIsError parsing(text.getBufferIdentifier());
  auto module = parseSourceFile<ModuleOp>(sources, context);
  if (!module)
    noteOldSpelling(text, llvm::errs());
  // checkText() has seen how deep a text is.
  else if (isBytecode(text) && failed(checkNesting(module->getOperation())))
    return nullptr;
  return module;
}

} // namespace npu
