// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model that is in memory already: one that was read from another
// format, and whose layers were translated to nodes.

#ifndef NPU_LIB_TRANSLATION_ONNX_IMPORTMODEL_H
#define NPU_LIB_TRANSLATION_ONNX_IMPORTMODEL_H

#include "Build/DataFiles.h"
#include "Model/OnnxModel.h"
#include "npu/Translation/Onnx/OnnxTranslation.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace npu {

/// What importOnnx does once a model is read. `file` is where the model was
/// written, for locations; `files` have the data of its tensors.
mlir::OwningOpRef<mlir::ModuleOp> importModel(OnnxModel model, DataFiles files,
                                              mlir::StringAttr file,
                                              const OnnxImportOptions &options);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_IMPORTMODEL_H
