// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadModel.h"

#include "npu/Support/ModelKind.h"
#include "npu/Support/ParseModule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace npu {
void ModelReader::fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), tool) << message << "\n";
}

OwningOpRef<ModuleOp> ModelReader::read(StringRef path,
                                        llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer) {
    fail(message);
    return nullptr;
  }
  StringRef name = buffer->getBufferIdentifier();
  switch (ModelKind kind = kindOfModel(buffer->getBuffer(), name)) {
  case ModelKind::Artefact:
    fail(path + ": expected IR or a model of ONNX or OpenVINO, got " +
         describe(kind));
    return nullptr;
  case ModelKind::Onnx:
    hasReadOnnx = true;
    return importOnnx(buffer->getBuffer(), name, onnx.options(), &context);
  case ModelKind::OpenVino:
    hasReadOnnx = hasReadOpenVino = true;
    return importOpenVino(buffer->getBuffer(), name, onnx.options(), &context);
  case ModelKind::Text:
  case ModelKind::Bytecode:
    return parseModule(std::move(buffer), sources, &context);
  }
  return nullptr;
}

LogicalResult ModelReader::verifyOptions() {
  if (const llvm::cl::Option *given = onnx.givenWeights();
      given && !hasReadOpenVino) {
    fail("--" + given->ArgStr + ": expected a model of OpenVINO IR, got none");
    return failure();
  }
  const llvm::cl::Option *given = onnx.given();
  if (!given || hasReadOnnx)
    return success();
  fail("--" + given->ArgStr +
       ": expected a model of ONNX or OpenVINO, got none");
  return failure();
}

} // namespace npu
