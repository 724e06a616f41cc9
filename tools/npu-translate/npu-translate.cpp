// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates formats that are not MLIR: the field compiler's logs, and dumps of
// its IR, models of ONNX and OpenVINO, tables of buffers to pack, and pages
// that show a program.

#include "npu/Support/OptionReaders.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/TranslateOutput.h"
#include "npu/Tools/Version.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"
#include "npu/Translation/Log/NpuLogTranslation.h"
#include "npu/Translation/Onnx/OnnxTranslation.h"
#include "npu/Translation/OpenVino/OpenVinoTranslation.h"
#include "npu/Translation/Packing/PackingTranslation.h"
#include "npu/Translation/Page/PageTranslation.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

/// Whether the command line asks for a translation, or for help, or for what
/// nobody knows: a mistyped translation is no reason to say that there is none,
/// and LLVM says what it may have been meant to be. Without this check, MLIR's
/// error message names none of the project's translations.
static bool asksForSomething(llvm::ArrayRef<char *> arguments) {
  const auto &known = llvm::cl::getRegisteredOptions();
  return llvm::any_of(arguments, [&](llvm::StringRef argument) {
    // "-" is standard input.
    if (!argument.starts_with("-") || argument == "-")
      return false;
    llvm::StringRef name = argument.ltrim('-').split('=').first;
    // Translations become options when the command line is parsed.
    return !known.contains(name) || name.starts_with("help") ||
           name == "version";
  });
}

/// Which translations read which options.
static llvm::ArrayRef<npu::OptionReaders> optionReaders() {
  using Names = std::vector<llvm::StringRef>;
  const Names logs{"explain-npu-log", "import-npu-log"},
      networks{"import-onnx", "import-openvino"},
      views{"npu-to-html", "npu-to-dot", "npu-to-model-explorer"},
      modules{"import-onnx", "import-openvino", "import-npu-log",
              "import-npu-dump"};
  static const std::vector<npu::OptionReaders> table{
      {"all", {"explain-npu-dump"}},
      {"capacity", {"pack-buffers"}},
      {"emit-bytecode", modules},
      {"fold", networks},
      {"format", {"explain-npu-log", "explain-npu-dump"}},
      {"input-shape", networks},
      {"input-value", networks},
      {"npu-dump-device",
       {"explain-npu-dump", "npu-to-html", "npu-to-dot",
        "npu-to-model-explorer"}},
      {"npu-log-element-type", logs},
      {"npu-log-in-order", logs},
      {"npu-log-in-shape", logs},
      {"npu-log-mem-perm", logs},
      {"npu-log-out-order", logs},
      {"npu-log-prompt-dim", {"prompt-len"}},
      {"npu-model-explorer-part", {"npu-to-model-explorer"}},
      {"npu-page-compile", views},
      {"npu-page-with", views},
      {"openvino-weights", {"import-openvino"}},
      {"prompt-len", {"explain-npu-log"}},
  };
  return table;
}

int main(int argc, char **argv) {
  if (std::optional<int> code = npu::runWithBundle("npu-translate", argc, argv))
    return *code;
  npu::addBundleOptions(llvm::cl::getGeneralCategory());
  npu::setFatalErrorHandlers("npu-translate");
  // libLLVM registers hundreds of options that have no meaning for this tool.
  for (auto &option : llvm::cl::getRegisteredOptions())
    option.second->setHiddenFlag(llvm::cl::Hidden);
  npu::registerNpuLogTranslations();
  bool foundBadEdges = false;
  npu::registerNpuDumpTranslations(foundBadEdges);
  npu::registerOnnxTranslations();
  npu::registerOpenVinoTranslation();
  npu::registerPackingTranslation();
  npu::registerPageTranslations();
  npu::setVersionPrinter("npu-translate");
  if (!asksForSomething({argv + 1, argv + argc})) {
    llvm::WithColor::error(llvm::errs(), "npu-translate")
        << "expected --import-npu-log or --explain-npu-log and a log, or "
           "--import-npu-dump or --explain-npu-dump and a dump, or "
           "--import-onnx or --import-openvino and a model, or --pack-buffers "
           "and a table, or --npu-to-html and any file that holds a program, "
           "got "
           "none of them; --help lists all options\n";
    return 1;
  }
  if (npu::Result<> read = npu::checkOptionReaders(
          optionReaders(), npu::GivenOptions(argc, argv));
      !read) {
    llvm::WithColor::error(llvm::errs(), "npu-translate")
        << read.error().message << "\n";
    return 1;
  }
  bool succeeded =
      npu::runWithPendingOutput(argc, argv, [](int argc, char **argv) {
        return mlir::succeeded(
            mlir::mlirTranslateMain(argc, argv, "Tilewright's translations\n"));
      });
  return !succeeded || foundBadEdges;
}
