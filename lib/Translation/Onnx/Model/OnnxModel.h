// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model as the ONNX library reads it: checked, converted to a known
// operator set, with inferred types. The only room that calls functions of that
// library, which throw exceptions; here they become texts.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_ONNXMODEL_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_ONNXMODEL_H

#include "npu/Placement/Result.h"

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npu {

/// Extents of an input; -1 is a dynamic one.
using OnnxShape = std::vector<int64_t>;

/// Shapes by the names of inputs.
using OnnxShapes = std::map<std::string, OnnxShape, std::less<>>;

/// A layer of a model in another format that was translated to nodes.
struct OnnxLayer {
  std::string type;
  /// Where the model's text has it.
  unsigned line = 0;
};

/// A model that was read, and what has been noticed on the way.
struct OnnxModel {
  onnx::ModelProto proto;
  /// The layers of a model in another format. Each node has the name of its
  /// layer, and this layer's number as its doc_string.
  std::vector<OnnxLayer> layers;
  /// An input that holds a state from run to run, and the result that continues
  /// it.
  std::vector<std::pair<std::string, std::string>> states;
  /// The version of the standard operators, after conversion.
  int64_t opset = 0;
  /// One line for each step that was left out or changed something.
  std::vector<std::string> remarks;
};

/// Why a model cannot be read, and where in its text, if it is one.
struct UnreadableModel {
  std::string message;
  unsigned line = 0, column = 0;
};

/// Standard operators of this version and later ones have the meaning that the
/// builders know; models of earlier versions are converted to it.
inline constexpr int64_t kLeastOpset = 13;
/// The last version whose operators are known. Models of later ones are read as
/// models of this one, and a remark says so.
inline constexpr int64_t kNewestOpset = 25;

/// Reads a model: a message of protocol buffers, or text in ONNX's own syntax
/// where it begins with '<',
/// after comments. `shapes` replaces the shapes of inputs before types are
/// inferred; data in other files has to be in `directory`. Errors: bytes that
/// are no model, a model that breaks ONNX's rules (cycles, missing operands,
/// attributes of another type), an input that there is not.
Result<OnnxModel, UnreadableModel> readOnnxModel(std::string_view bytes,
                                                 const OnnxShapes &shapes,
                                                 const std::string &directory);

/// The nodes that a node of a function operator stands for, with names that
/// begin with `prefix`, and the version of the operators that they use. The
/// function is the model's own or the standard's. Nothing where the operator is
/// no function. `operandTypes` has one type for each operand.
std::optional<onnx::GraphProto>
expandOnnxFunction(const onnx::NodeProto &node, const OnnxModel &model,
                   const std::vector<onnx::TypeProto> &operandTypes,
                   const std::string &prefix);

/// Whether the standard has an operator of that name, so that a message can
/// tell a misspelt one from one that is not imported.
bool isStandardOperator(const std::string &name, int64_t opset);

/// Two operands of a node of the standard that are to have one element type but
/// have two; nothing where all agree, or where the standard has no such
/// operator. `elements` has the number of each operand's element type, 0 for
/// one that is left out.
std::optional<std::pair<int, int>>
differingOperands(const onnx::NodeProto &node, int64_t opset,
                  const std::vector<int64_t> &elements);

/// A tensor, as in the conformance suite's test_data_set folders.
std::optional<onnx::TensorProto> readOnnxTensor(std::string_view bytes);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_ONNXMODEL_H
