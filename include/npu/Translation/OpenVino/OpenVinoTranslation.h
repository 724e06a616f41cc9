// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation of models of OpenVINO IR to functions on tensors.

#ifndef NPU_TRANSLATION_OPENVINO_OPENVINOTRANSLATION_H
#define NPU_TRANSLATION_OPENVINO_OPENVINOTRANSLATION_H

#include "npu/Translation/Onnx/OnnxTranslation.h"

namespace npu {

/// A module with one function @main, as importOnnx makes it, from the text of
/// the XML file of a model of OpenVINO IR. Arguments and results are the
/// Parameters and Results in order, then the states; every operation has the
/// location of the layer that it comes from. Large constants refer to the file
/// of weights, which stays mapped until they are dropped. That file is
/// `options.weights`, or the one beside `fileName` with the ending .bin. Null
/// after a located error.
mlir::OwningOpRef<mlir::ModuleOp>
importOpenVino(llvm::StringRef text, llvm::StringRef fileName,
               const OnnxImportOptions &options, mlir::MLIRContext *context);

/// Registers --import-openvino with mlirTranslateMain. Where the project is
/// built without pugixml or the ONNX library, the translation is there and says
/// so.
void registerOpenVinoTranslation();

/// The page that lists the types of layers, what each takes and refuses.
void printLayerTypes(llvm::raw_ostream &output);

} // namespace npu

#endif // NPU_TRANSLATION_OPENVINO_OPENVINOTRANSLATION_H
