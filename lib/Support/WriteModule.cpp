// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/WriteModule.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

namespace npu {

static llvm::cl::opt<bool> &emitsBytecode() {
  static llvm::cl::opt<bool> option(
      llvm::StringRef(emitBytecodeName), llvm::cl::ZeroOrMore,
      llvm::cl::desc("write modules as bytecode, not as text; also asked for "
                     "by -o FILE.mlirbc"));
  return option;
}

void registerWriteModule() { (void)emitsBytecode(); }

LogicalResult writeModule(ModuleOp module, llvm::raw_ostream &output) {
  if (emitsBytecode())
    return writeBytecodeToFile(module, output);
  module->print(output, OpPrintingFlags().enableDebugInfo());
  return success();
}

} // namespace npu
