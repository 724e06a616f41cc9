// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translation of models of OpenVINO IR in a build without pugixml or the
// ONNX library.

#include "npu/Translation/OpenVino/OpenVinoTranslation.h"

#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace npu {
namespace {

LogicalResult refuse(MLIRContext *context) {
  return mlir::emitError(UnknownLoc::get(context))
         << "this build reads no OpenVINO IR: libpugixml-dev was not "
            "installed, or it has no ONNX";
}

} // namespace

OwningOpRef<ModuleOp> importOpenVino(StringRef, StringRef,
                                     const OnnxImportOptions &,
                                     MLIRContext *context) {
  (void)refuse(context);
  return {};
}

void printLayerTypes(llvm::raw_ostream &) {}

void registerOpenVinoTranslation() {
  static TranslateRegistration import(
      "import-openvino",
      "From a model of OpenVINO IR to a function on tensors (not in this "
      "build)",
      [](const std::shared_ptr<llvm::SourceMgr> &, llvm::raw_ostream &,
         MLIRContext *context) { return refuse(context); });
}

} // namespace npu
