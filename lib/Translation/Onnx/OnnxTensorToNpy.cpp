// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with one ONNX tensor as a NumPy file.

#include "OnnxTensorToNpy.h"

#include "InputOptions.h"

#include "npu/Host/Npy.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace npu {

LogicalResult onnxTensorToNpy(StringRef bytes, StringRef fileName,
                              llvm::raw_ostream &output, MLIRContext *context) {
  auto loc = FileLineColLoc::get(StringAttr::get(context, fileName), 0, 0);
  std::optional<onnx::TensorProto> tensor =
      readOnnxTensor({bytes.data(), bytes.size()});
  if (!tensor)
    return mlir::emitError(loc) << "expected an ONNX tensor, got "
                                << bytes.size() << " bytes that are none";
  Result<TensorData> data =
      readTensorData(*tensor, llvm::sys::path::parent_path(fileName).str());
  if (!data)
    return mlir::emitError(loc)
           << "tensor '" << tensor->name() << "': " << data.error().message;
  output << npyHeader(
      {hostType(data->element, /*keepSign=*/true), data->shape});
  output.write(data->bytes.data(), data->bytes.size());
  return success();
}

} // namespace npu
