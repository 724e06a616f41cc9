// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server: editors get completion, hover texts and diagnostics for
// files with this dialect and with upstream's.

#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Support/ParserLimits.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/Version.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

/// Upstream's parser, and what upstream's server calls in its place: the linker
/// swaps the two (--wrap), because the server offers no hook between a document
/// and the parser.
mlir::LogicalResult parse(
    const llvm::SourceMgr &sources, mlir::Block *block,
    const mlir::ParserConfig &config, mlir::AsmParserState *state,
    mlir::AsmParserCodeCompleteContext *completion) asm("__real_" NPU_WRAPPED);
mlir::LogicalResult parseChecked(
    const llvm::SourceMgr &sources, mlir::Block *block,
    const mlir::ParserConfig &config, mlir::AsmParserState *state,
    mlir::AsmParserCodeCompleteContext *completion) asm("__wrap_" NPU_WRAPPED);

mlir::LogicalResult
parseChecked(const llvm::SourceMgr &sources, mlir::Block *block,
             const mlir::ParserConfig &config, mlir::AsmParserState *state,
             mlir::AsmParserCodeCompleteContext *completion) {
  if (mlir::failed(
          npu::checkText(*sources.getMemoryBuffer(sources.getMainFileID()),
                         config.getContext())))
    return mlir::failure();
  return parse(sources, block, config, state, completion);
}

int main(int argc, char **argv) {
  // libLLVM registers hundreds of options that have no meaning for this tool.
  for (auto &option : llvm::cl::getRegisteredOptions())
    option.second->setHiddenFlag(llvm::cl::Hidden);
  npu::setFatalErrorHandlers("npu-lsp-server");
  npu::setVersionPrinter("npu-lsp-server");
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  npu::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
