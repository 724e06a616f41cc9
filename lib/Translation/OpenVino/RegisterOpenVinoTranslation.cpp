// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the translations of OpenVINO IR.

#include "npu/Translation/OpenVino/OpenVinoTranslation.h"

#include "npu/Support/WriteModule.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace npu {

void registerOpenVinoTranslation() {
  registerWriteModule();
  static TranslateRegistration import(
      "import-openvino", "From a model of OpenVINO IR to a function on tensors",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        const llvm::MemoryBuffer &buffer =
            *sourceMgr->getMemoryBuffer(sourceMgr->getMainFileID());
        OwningOpRef<ModuleOp> module =
            importOpenVino(buffer.getBuffer(), buffer.getBufferIdentifier(),
                           onnxCommandLine().options(), context);
        return module ? writeModule(*module, output) : failure();
      });
  static TranslateRegistration page(
      "openvino-layer-types",
      "Writes the page of the types of OpenVINO's layers; the input is ignored",
      [](const std::shared_ptr<llvm::SourceMgr> &, llvm::raw_ostream &output,
         MLIRContext *) {
        printLayerTypes(output);
        return success();
      });
}

} // namespace npu
