// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a model for the tools that take any: text or bytecode of IR, or a model
// of ONNX or OpenVINO, which is imported in this process.

#ifndef NPU_LIB_TOOLS_READMODEL_H
#define NPU_LIB_TOOLS_READMODEL_H

#include "npu/Translation/Onnx/OnnxTranslation.h"
#include "npu/Translation/OpenVino/OpenVinoTranslation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace npu {

/// Reads the models that a tool is given. `tool` is its name, for errors.
class ModelReader {
public:
  ModelReader(llvm::StringRef tool, llvm::cl::OptionCategory &category)
      : tool(tool), onnx(category) {}

  /// The module of a file, - for standard input; null after an error, which
  /// names what reads the file where this does not.
  mlir::OwningOpRef<mlir::ModuleOp> read(llvm::StringRef path,
                                         llvm::SourceMgr &sources,
                                         mlir::MLIRContext &context);

  /// Makes dimensions that ONNX models name prompts, which are padded.
  void markPrompts() { onnx.markPrompts(); }

  /// An error where an option for ONNX models was written, and none was read.
  mlir::LogicalResult verifyOptions();

private:
  void fail(const llvm::Twine &message);

  std::string tool;
  OnnxCommandLine onnx;
  bool hasReadOnnx = false, hasReadOpenVino = false;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_READMODEL_H
