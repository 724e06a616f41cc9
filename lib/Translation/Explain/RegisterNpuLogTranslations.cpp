// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers both translations and their options.

#include "../Log/NpuLogOptions.h"
#include "../Log/ReportMessages.h"

#include "npu/Support/WriteModule.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace npu {
namespace {

struct Options {
  using Text = llvm::cl::opt<std::string>;
  Text elementType{"npu-log-element-type", llvm::cl::value_desc("type"),
                   llvm::cl::desc("Element type of the log's tensors; f16 is "
                                  "assumed when absent")};
  Text inOrder{"npu-log-in-order", llvm::cl::value_desc("order"),
               llvm::cl::desc("Memory order of the casts' inputs, as NHWC or "
                              "0,2,3,1; NCHW is assumed when absent")};
  Text outOrder{"npu-log-out-order", llvm::cl::value_desc("order"),
                llvm::cl::desc("Memory order of the casts' results; when "
                               "absent, the one that makes the boxes agree")};
  Text memPerm{"npu-log-mem-perm", llvm::cl::value_desc("order"),
               llvm::cl::desc("The casts' mem_perm; the identity is assumed "
                              "when absent")};
  Text inShape{"npu-log-in-shape", llvm::cl::value_desc("shape"),
               llvm::cl::desc("Shape of the casts' inputs, as 1x28x336x128; "
                              "needed when the log has no boxes")};
  Text promptLen{
      "prompt-len", llvm::cl::value_desc("lengths"),
      llvm::cl::desc("Ask the log's casts at other prompt lengths as "
                     "well, as 304,511 or 1..1024")};
  Text promptDim{"npu-log-prompt-dim", llvm::cl::value_desc("dimension"),
                 llvm::cl::desc("The prompt's dimension of the casts' inputs; "
                                "when absent, the one of the length that the "
                                "log says")};
};

Options *commandLine = nullptr;

/// Reads an option of the command line: no value when it is absent, and failure
/// with a message when it cannot be parsed.
template <typename Value, typename Read>
LogicalResult readOption(const Options::Text &option, Read &&read,
                         Value &value) {
  if (option.getNumOccurrences() == 0)
    return success();
  auto result = read(StringRef(option.getValue()));
  if (!result) {
    llvm::WithColor::error(llvm::errs(), "npu-translate")
        << "--" << option.ArgStr << ": " << result.error().message << '\n';
    return failure();
  }
  value = *result;
  return success();
}

FailureOr<NpuLogOptions> readOptions(MLIRContext *context) {
  NpuLogOptions options;
  options.format = chosenOutputFormat();
  auto readType = [&](StringRef text) {
    return parseElementTypeOption(text, context);
  };
  if (failed(readOption(commandLine->elementType, readType,
                        options.elementType)) ||
      failed(readOption(commandLine->inOrder, parseOrderOption,
                        options.inOrder)) ||
      failed(readOption(commandLine->outOrder, parseOrderOption,
                        options.outOrder)) ||
      failed(readOption(commandLine->memPerm, parseOrderOption,
                        options.memPerm)) ||
      failed(readOption(commandLine->inShape, parseShapeOption,
                        options.inShape)) ||
      failed(readOption(commandLine->promptLen, parseLengthsOption,
                        options.promptLengths)) ||
      failed(readOption(commandLine->promptDim, parseDimensionOption,
                        options.promptDim)))
    return failure();
  return options;
}

/// Calls `translate` with the file's text and name, and the options.
template <typename Translate>
LogicalResult translateLog(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                           Translate &&translate) {
  FailureOr<NpuLogOptions> options = readOptions(context);
  if (failed(options))
    return failure();
  showExcerpts(sourceMgr);
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  return translate(buffer->getBuffer(), buffer->getBufferIdentifier(),
                   *options);
}

} // namespace

void registerNpuLogTranslations() {
  registerWriteModule();
  static Options options;
  commandLine = &options;
  chosenOutputFormat();
  static TranslateRegistration import(
      "import-npu-log",
      "From a field compiler's log to a module that reproduces its errors",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        return translateLog(
            *sourceMgr, context,
            [&](StringRef text, StringRef file, const NpuLogOptions &options) {
              auto module = importNpuLog(text, file, options, context);
              if (!module)
                return failure();
              // Print locations without being asked to, because a log consists
              // of them.
              return writeModule(*module, output);
            });
      });
  static TranslateRegistration explain(
      "explain-npu-log",
      "From a field compiler's log to plain words: why, what it costs, what to "
      "do",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        return translateLog(
            *sourceMgr, context,
            [&](StringRef text, StringRef file, const NpuLogOptions &options) {
              FailureOr<std::string> words =
                  explainNpuLog(text, file, options, context);
              if (failed(words))
                return failure();
              output << *words;
              return success();
            });
      });
}

} // namespace npu
