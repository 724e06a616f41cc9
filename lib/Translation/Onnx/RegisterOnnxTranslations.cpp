// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the translations of ONNX models and tensors and their options.

#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "OnnxTensorToNpy.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace npu {
namespace {

struct Options {
  llvm::cl::list<std::string> inputShapes{
      "input-shape",
      llvm::cl::desc("The shape of an input for --import-onnx; ? is an extent "
                     "that stays dynamic"),
      llvm::cl::value_desc("NAME:1x3x48x192")};
  llvm::cl::list<std::string> inputValues{
      "input-value",
      llvm::cl::desc("Makes an input a constant for --import-onnx: numbers, a "
                     ".npy file, or a .pb file with an ONNX tensor"),
      llvm::cl::value_desc("NAME=1,2|NAME=FILE")};
  llvm::cl::opt<bool> fold{
      "fold",
      llvm::cl::desc("Let --import-onnx fold operators into others where bits "
                     "may change (default: true)"),
      llvm::cl::init(true)};
};

const llvm::MemoryBuffer &mainBuffer(llvm::SourceMgr &sourceMgr) {
  return *sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
}

} // namespace

void registerOnnxTranslations() {
  static Options options;
  static TranslateRegistration import(
      "import-onnx", "From an ONNX model to a function on tensors",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        const llvm::MemoryBuffer &buffer = mainBuffer(*sourceMgr);
        OnnxImportOptions chosen{options.inputShapes, options.inputValues,
                                 options.fold};
        OwningOpRef<ModuleOp> module = importOnnx(
            buffer.getBuffer(), buffer.getBufferIdentifier(), chosen, context);
        if (!module)
          return failure();
        module->print(output, OpPrintingFlags().enableDebugInfo());
        return success();
      });
  static TranslateRegistration tensor(
      "onnx-tensor-to-npy", "From a file with one ONNX tensor to a .npy file",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        const llvm::MemoryBuffer &buffer = mainBuffer(*sourceMgr);
        return onnxTensorToNpy(buffer.getBuffer(), buffer.getBufferIdentifier(),
                               output, context);
      });
}

} // namespace npu
