// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the translations of ONNX models and tensors and their options.

#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "OnnxTensorToNpy.h"

#include "npu/Support/WriteModule.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace npu {
namespace {

const llvm::MemoryBuffer &mainBuffer(llvm::SourceMgr &sourceMgr) {
  return *sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
}

} // namespace

void registerOnnxTranslations() {
  registerWriteModule();
  static OnnxCommandLine line(llvm::cl::getGeneralCategory());
  static TranslateRegistration import(
      "import-onnx", "From an ONNX model to a function on tensors",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        const llvm::MemoryBuffer &buffer = mainBuffer(*sourceMgr);
        OwningOpRef<ModuleOp> module =
            importOnnx(buffer.getBuffer(), buffer.getBufferIdentifier(),
                       line.options(), context);
        if (!module)
          return failure();
        return writeModule(*module, output);
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
