// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadModel.h"

#include "OldSpellings.h"
#include "npu/Support/ModelKind.h"
#include "npu/Support/ParserCrash.h"
#include "npu/Support/ParserLimits.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace npu {
namespace {

/// Parses the model in `buffer`, which `sources` keeps for the diagnostics of
/// its context. Null, after an error, where it is nested too deeply or is not
/// MLIR; a note says where it has the spelling of an older release.
OwningOpRef<ModuleOp> parseModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                 llvm::SourceMgr &sources,
                                 MLIRContext &context) {
  llvm::MemoryBufferRef text = *buffer;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (failed(checkText(text, &context)))
    return nullptr;
  ParserCrashIsError parsing(text.getBufferIdentifier());
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    noteOldSpelling(text, llvm::errs());
  else if (isBytecode(text) && failed(checkNesting(module->getOperation())))
    return nullptr;
  return module;
}

} // namespace

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
    return parseModel(std::move(buffer), sources, context);
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
