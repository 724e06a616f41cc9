// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file that a user calls a model is, by its first bytes, and which tools
// read it.

#ifndef NPU_SUPPORT_MODELKIND_H
#define NPU_SUPPORT_MODELKIND_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace npu {

enum class ModelKind { Text, Bytecode, Onnx, OpenVino, Artefact };

/// What the bytes of a file of that name are. What nothing else claims is text
/// of IR, unless the name ends in .onnx or .xml.
ModelKind kindOfModel(llvm::StringRef bytes, llvm::StringRef name);

/// "an ONNX model, which npu-compile and npu-run take as it is, and of which
/// npu-translate --import-onnx makes IR": the end of an error of a tool that
/// reads something else.
std::string describe(ModelKind kind);

/// Whether bytes begin like a model in ONNX's text syntax: with '<' and a field
/// of a model, after spaces and comments. No message of protocol buffers does,
/// and no IR.
bool isOnnxText(llvm::StringRef bytes);

/// The first bytes of an artefact.
inline constexpr llvm::StringLiteral artefactMagic = "NPUBIN\r\n";

} // namespace npu

#endif // NPU_SUPPORT_MODELKIND_H
