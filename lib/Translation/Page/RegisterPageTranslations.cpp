// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the translations to files that show a program, and their options.

#include "npu/Translation/Page/PageTranslation.h"

#include "../Log/ReportMessages.h"
#include "WritePage.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace npu {
namespace {

struct Options {
  llvm::cl::opt<std::string> compile{
      "npu-page-compile", llvm::cl::value_desc("options"),
      llvm::cl::desc("Compile the program first with these options of "
                     "npu-compile, such as target=npu4000: it is shown as it "
                     "is, distributed, and with its schedule")};
  llvm::cl::list<std::string> later{
      "npu-page-with", llvm::cl::value_desc("file"),
      llvm::cl::desc("Show this file as a later stage of the program, beside "
                     "the one before it; may be given several times")};
  llvm::cl::opt<ModelExplorerPart> part{
      "npu-model-explorer-part",
      llvm::cl::desc("What --npu-to-model-explorer writes:"),
      llvm::cl::init(ModelExplorerPart::Graph),
      llvm::cl::values(
          clEnumValN(ModelExplorerPart::Graph, "graph", "the graphs (default)"),
          clEnumValN(ModelExplorerPart::Cycles, "cycles",
                     "node data: the cycles of operations"),
          clEnumValN(ModelExplorerPart::Bytes, "bytes",
                     "node data: the bytes that operations move"),
          clEnumValN(ModelExplorerPart::Overlays, "overlays",
                     "edge overlays: where data moves"))};
};

Options *commandLine = nullptr;

/// An error where an option of another translation was written.
LogicalResult refuse(const llvm::cl::Option &option, StringRef expected) {
  if (option.getNumOccurrences() == 0)
    return success();
  llvm::WithColor::error(llvm::errs(), "npu-translate")
      << "--" << option.ArgStr << ": expected " << expected << "\n";
  return failure();
}

/// Reads the main file and hands its view on.
LogicalResult translate(llvm::SourceMgr &sources, MLIRContext *context,
                        llvm::function_ref<void(const ProgramView &)> write) {
  showExcerpts(sources);
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerDialects(registry);
  registerLoweringInterfaces(registry);
  context->appendDialectRegistry(registry);
  ViewOptions options;
  if (commandLine->compile.getNumOccurrences() > 0)
    options.compile = commandLine->compile;
  options.later.assign(commandLine->later.begin(), commandLine->later.end());
  FailureOr<std::string> device = chosenDumpDevice();
  if (failed(device))
    return failure();
  options.dumpDevice = *device;
  FailureOr<ViewedProgram> program = readProgram(
      buffer->getBuffer(), buffer->getBufferIdentifier(), options, context);
  if (failed(program))
    return failure();
  write(program->view);
  return success();
}

LogicalResult toHtml(const std::shared_ptr<llvm::SourceMgr> &sources,
                     llvm::raw_ostream &output, MLIRContext *context) {
  if (!hasPage()) {
    llvm::WithColor::error(llvm::errs(), "npu-translate")
        << "--npu-to-html: this build has no page, because Node.js or the npm "
           "packages of web/ were missing when it was made; install nodejs and "
           "npm (scripts/install-dependencies.sh) and build again\n";
    return failure();
  }
  if (failed(refuse(commandLine->part, "--npu-to-model-explorer beside it")))
    return failure();
  return translate(*sources, context,
                   [&](const ProgramView &view) { writePage(view, output); });
}

} // namespace

void registerPageTranslations() {
  static Options options;
  commandLine = &options;
  static TranslateRegistration html(
      "npu-to-html",
      "From IR, a log, a dump or an artefact to one page that shows it in any "
      "browser",
      toHtml);
  static TranslateRegistration modelExplorer(
      "npu-to-model-explorer",
      "From IR, a log, a dump or an artefact to graphs, node data or edge "
      "overlays of Model Explorer",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         llvm::raw_ostream &output, MLIRContext *context) {
        return translate(*sources, context, [&](const ProgramView &view) {
          output << toModelExplorer(view, commandLine->part);
        });
      });
  static TranslateRegistration dot(
      "npu-to-dot",
      "From IR, a log, a dump or an artefact to a graph of Graphviz",
      [](const std::shared_ptr<llvm::SourceMgr> &sources,
         llvm::raw_ostream &output, MLIRContext *context) {
        if (failed(
                refuse(commandLine->part, "--npu-to-model-explorer beside it")))
          return failure();
        return translate(*sources, context, [&](const ProgramView &view) {
          output << toDot(view);
        });
      });
}

} // namespace npu
