// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translations of ONNX models in a build without the ONNX library.

#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace npu {
namespace {

LogicalResult refuse(MLIRContext *context) {
  return mlir::emitError(UnknownLoc::get(context))
         << "this build has no ONNX: it was configured with "
            "NPU_ENABLE_ONNX=OFF, or without libonnx-dev and libprotobuf-dev";
}

} // namespace

OwningOpRef<ModuleOp> importOnnx(StringRef, StringRef,
                                 const OnnxImportOptions &,
                                 MLIRContext *context) {
  (void)refuse(context);
  return {};
}

void registerOnnxTranslations() {
  for (auto [name, what] :
       {std::pair("import-onnx", "From an ONNX model to a function on tensors "
                                 "(not in this build)"),
        std::pair("onnx-tensor-to-npy", "From a file with one ONNX tensor to a "
                                        ".npy file (not in this build)")})
    new TranslateRegistration(
        name, what,
        [](const std::shared_ptr<llvm::SourceMgr> &, llvm::raw_ostream &,
           MLIRContext *context) { return refuse(context); });
}

} // namespace npu
