// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/ModelKind.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace npu {

bool isOnnxText(llvm::StringRef bytes) {
  bytes = bytes.ltrim();
  while (bytes.starts_with("#"))
    bytes = bytes.drop_until([](char c) { return c == '\n'; }).ltrim();
  if (!bytes.consume_front("<"))
    return false;
  bytes = bytes.ltrim();
  llvm::StringRef field =
      bytes.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return !field.empty() &&
         bytes.drop_front(field.size()).ltrim().starts_with(":");
}

/// Whether bytes begin like an XML file, after a byte order mark, spaces and
/// comments.
static bool isXml(llvm::StringRef bytes) {
  bytes.consume_front("\xef\xbb\xbf");
  bytes = bytes.ltrim();
  return bytes.starts_with("<?xml") || bytes.starts_with("<!--") ||
         bytes.starts_with("<net ") || bytes.starts_with("<net>");
}

ModelKind kindOfModel(llvm::StringRef bytes, llvm::StringRef name) {
  if (bytes.starts_with(artefactMagic))
    return ModelKind::Artefact;
  if (mlir::isBytecode(llvm::MemoryBufferRef(bytes, name)))
    return ModelKind::Bytecode;
  // A model begins with its first field, the version of the format: a number,
  // which text of IR cannot begin with.
  constexpr char irVersion = '\x08';
  if (bytes.starts_with(llvm::StringRef(&irVersion, 1)) || isOnnxText(bytes) ||
      name.ends_with(".onnx"))
    return ModelKind::Onnx;
  if (isXml(bytes) || name.ends_with(".xml"))
    return ModelKind::OpenVino;
  return ModelKind::Text;
}

std::string describe(ModelKind kind) {
  switch (kind) {
  case ModelKind::Text:
    return "text, which is no model of ONNX or OpenVINO: npu-opt, npu-compile "
           "and npu-run read IR";
  case ModelKind::Bytecode:
    return "bytecode of MLIR, which npu-opt, npu-compile and npu-run read";
  case ModelKind::Onnx:
    return "an ONNX model, which npu-compile and npu-run take as it is, and of "
           "which npu-translate --import-onnx makes IR";
  case ModelKind::OpenVino:
    return "a model of OpenVINO IR, which npu-compile and npu-run take as it "
           "is, and of which npu-translate --import-openvino makes IR";
  case ModelKind::Artefact:
    return "an artefact, which npu-run runs and npu-inspect describes";
  }
  return "";
}

} // namespace npu
