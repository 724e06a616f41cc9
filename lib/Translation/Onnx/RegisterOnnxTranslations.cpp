// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the translations of ONNX models and tensors and their options.

#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "InputOptions.h"
#include "npu/Host/Npy.h"
#include "npu/Support/WriteModule.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {
namespace {

/// Writes the .npy file; an error where the bytes are no tensor, or one of
/// strings or complex numbers.
LogicalResult onnxTensorToNpy(StringRef bytes, StringRef fileName,
                              llvm::raw_ostream &output, MLIRContext *context) {
  auto loc = FileLineColLoc::get(StringAttr::get(context, fileName), 0, 0);
  std::optional<onnx::TensorProto> tensor =
      readOnnxTensor({bytes.data(), bytes.size()});
  if (!tensor)
    return emitError(loc) << "expected an ONNX tensor, got " << bytes.size()
                          << " bytes that are none";
  DataFiles files(llvm::sys::path::parent_path(fileName).str());
  Result<TensorData> data = readTensorData(*tensor, files);
  if (!data)
    return emitError(loc) << "tensor '" << tensor->name()
                          << "': " << data.error().message;
  // Files have a byte for each element of 4 bits.
  if (bitsOf(data->element) == 4)
    data = unpacked(*data);
  output << npyHeader(
      {hostType(data->element, /*keepSign=*/true), data->shape});
  output.write(data->content().data(), data->content().size());
  return success();
}

const llvm::MemoryBuffer &mainBuffer(llvm::SourceMgr &sourceMgr) {
  return *sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
}

} // namespace

void registerOnnxTranslations() {
  registerWriteModule();
  (void)onnxCommandLine();
  static TranslateRegistration import(
      "import-onnx", "From an ONNX model to a function on tensors",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
         llvm::raw_ostream &output, MLIRContext *context) {
        const llvm::MemoryBuffer &buffer = mainBuffer(*sourceMgr);
        OwningOpRef<ModuleOp> module =
            importOnnx(buffer.getBuffer(), buffer.getBufferIdentifier(),
                       onnxCommandLine().options(), context);
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
