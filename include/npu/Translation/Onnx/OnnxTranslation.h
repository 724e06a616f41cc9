// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation of ONNX models to functions on tensors.

#ifndef NPU_TRANSLATION_ONNX_ONNXTRANSLATION_H
#define NPU_TRANSLATION_ONNX_ONNXTRANSLATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/CommandLine.h"

#include <string>
#include <vector>

namespace npu {

struct OnnxImportOptions {
  /// NAME:1x3x48x192 for each input whose shape is given; ? is a dynamic
  /// extent, a prompt.
  std::vector<std::string> inputShapes;
  /// NAME=FILE or NAME=1,2,3 for each input that becomes a constant.
  std::vector<std::string> inputValues;
  /// Whether operators are folded into others where bits may change: a batch
  /// normalization into the convolution in front of it.
  bool fold = true;
  /// Whether dimensions that the model names are prompts where no option gives
  /// their input a shape. A batch is none: it needs a number.
  bool namedPrompts = false;
  /// The file with the weights of a model of OpenVINO IR; empty for the one
  /// beside it.
  std::string weights = {};
};

/// A module with one function @main on tensors of linalg, tensor, arith, math
/// and scf, from the bytes of an ONNX model. Arguments and results are the
/// graph's inputs and outputs in order; every operation has the location of the
/// node that it comes from, which begins with the node's name. Constants of
/// more than 1,024 elements are resources. Null after a located error: bytes
/// that are no model, operators out of scope or not imported, shapes that do
/// not agree. Data in other files is read from the folder of `fileName`.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef bytes,
                                             llvm::StringRef fileName,
                                             const OnnxImportOptions &options,
                                             mlir::MLIRContext *context);

/// The options of the importer on the command line of a tool.
class OnnxCommandLine {
public:
  explicit OnnxCommandLine(llvm::cl::OptionCategory &category);
  OnnxImportOptions options() const;
  /// Makes dimensions with names prompts (OnnxImportOptions::namedPrompts).
  void markPrompts() { namedPrompts = true; }
  /// The first of the options that was written, or null: whoever reads no ONNX
  /// model refuses it.
  const llvm::cl::Option *given() const;
  /// The option that names the weights of a model of OpenVINO IR if it was
  /// written, or null: whoever reads no such model refuses it.
  const llvm::cl::Option *givenWeights() const;

private:
  llvm::cl::list<std::string> inputShapes;
  llvm::cl::list<std::string> inputValues;
  llvm::cl::opt<bool> fold;
  llvm::cl::opt<std::string> weights;
  bool namedPrompts = false;
};

/// The options on the command line of npu-translate, for all its importers of
/// networks.
OnnxCommandLine &onnxCommandLine();

/// Registers --import-onnx, --onnx-tensor-to-npy and their options with
/// mlirTranslateMain. Where the project is built without the ONNX library, the
/// translations are there and say so.
void registerOnnxTranslations();

} // namespace npu

#endif // NPU_TRANSLATION_ONNX_ONNXTRANSLATION_H
