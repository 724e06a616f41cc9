// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers both translations of dumps and their options.

#include "npu/Translation/Dump/NpuDumpTranslation.h"

#include "DumpReader.h"

#include "npu/Support/WriteModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace npu {
namespace {

llvm::cl::opt<std::string> &deviceOption() {
  static llvm::cl::opt<std::string> device{
      "npu-dump-device", llvm::cl::value_desc("name"),
      llvm::cl::desc("The device that a dump is for, such as NPU37XX, instead "
                     "of the one that it names")};
  return device;
}

/// The file that is translated; an error where it is no dump.
FailureOr<llvm::MemoryBufferRef> mainBuffer(llvm::SourceMgr &sourceMgr,
                                            MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  if (holdsNpuDump(buffer->getBuffer()))
    return buffer->getMemBufferRef();
  InFlightDiagnostic error = emitError(
      FileLineColLoc::get(context, buffer->getBufferIdentifier(), 1, 1),
      "expected a dump of the field compiler's IR, found no module, no "
      "function and no distributed type");
  if (buffer->getBuffer().contains("distributions are incompatible"))
    error.attachNote() << "this looks like a log of the field compiler, which "
                          "--explain-npu-log reads";
  return error;
}

} // namespace

FailureOr<std::string> chosenDumpDevice() {
  const llvm::cl::opt<std::string> &device = deviceOption();
  if (device.getNumOccurrences() > 0 && !isDumpDevice(device)) {
    llvm::WithColor::error(llvm::errs(), "npu-translate")
        << "--npu-dump-device: expected a device such as NPU37XX or NPU40XX, "
           "got '"
        << device << "'\n";
    return failure();
  }
  return device.getValue();
}

void registerNpuDumpTranslations(bool &foundBadEdges) {
  registerWriteModule();
  static llvm::cl::opt<bool> all{
      "all", llvm::cl::desc("Let --explain-npu-dump list every value and edge, "
                            "not only the bad ones")};
  deviceOption();
  chosenOutputFormat();
  static TranslateRegistration explain(
      "explain-npu-dump",
      "From a dump of the field compiler's IR to plain words: which tile holds "
      "what, which edges do not agree, what to do",
      [&foundBadEdges](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
                       llvm::raw_ostream &output, MLIRContext *context) {
        FailureOr<std::string> device = chosenDumpDevice();
        if (failed(device))
          return failure();
        DumpOptions chosen{chosenOutputFormat(), all, *device};
        FailureOr<llvm::MemoryBufferRef> buffer =
            mainBuffer(*sourceMgr, context);
        if (failed(buffer))
          return failure();
        foundBadEdges |=
            explainNpuDump(buffer->getBuffer(), buffer->getBufferIdentifier(),
                           chosen, output, context) > 0;
        return success();
      });
  static TranslateRegistration import(
      "import-npu-dump",
      "From a dump of the field compiler's IR to a module that passes run on",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        FailureOr<llvm::MemoryBufferRef> buffer =
            mainBuffer(*sourceMgr, context);
        if (failed(buffer))
          return failure();
        OwningOpRef<ModuleOp> module = importNpuDump(
            buffer->getBuffer(), buffer->getBufferIdentifier(), context);
        if (!module)
          return failure();
        return writeModule(*module, output);
      });
}

} // namespace npu
