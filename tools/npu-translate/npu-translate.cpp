// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates formats that are not MLIR: the field compiler's logs, and dumps of
// its IR, and ONNX models.

#include "npu/Tools/TranslateOutput.h"
#include "npu/Tools/Version.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"
#include "npu/Translation/Log/NpuLogTranslation.h"
#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

/// Whether the command line asks for a translation, or for help. Without this
/// check, MLIR's error message names neither of the project's translations.
static bool asksForSomething(llvm::ArrayRef<char *> arguments) {
  return llvm::any_of(arguments, [](llvm::StringRef argument) {
    argument = argument.ltrim('-');
    return argument.starts_with("import-npu-log") ||
           argument.starts_with("explain-npu-log") ||
           argument.starts_with("import-npu-dump") ||
           argument.starts_with("explain-npu-dump") ||
           argument.starts_with("import-onnx") ||
           argument.starts_with("onnx-tensor-to-npy") ||
           argument.starts_with("help") || argument.starts_with("version");
  });
}

int main(int argc, char **argv) {
  // libLLVM registers hundreds of options that have no meaning for this tool.
  for (auto &option : llvm::cl::getRegisteredOptions())
    option.second->setHiddenFlag(llvm::cl::Hidden);
  npu::registerNpuLogTranslations();
  bool foundBadEdges = false;
  npu::registerNpuDumpTranslations(foundBadEdges);
  npu::registerOnnxTranslations();
  npu::setVersionPrinter("npu-translate");
  if (!asksForSomething({argv + 1, argv + argc})) {
    llvm::WithColor::error(llvm::errs(), "npu-translate")
        << "expected --import-npu-log or --explain-npu-log and a log, or "
           "--import-npu-dump or --explain-npu-dump and a dump, or "
           "--import-onnx and a model, got none of them; --help lists all "
           "options\n";
    return 1;
  }
  bool succeeded =
      npu::runWithPendingOutput(argc, argv, [](int argc, char **argv) {
        return mlir::succeeded(
            mlir::mlirTranslateMain(argc, argv, "Tilewright's translations\n"));
      });
  return !succeeded || foundBadEdges;
}
