// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates the layers of a graph, one after another, to nodes.

#ifndef NPU_LIB_TRANSLATION_OPENVINO_LAYERS_GRAPHTRANSLATION_H
#define NPU_LIB_TRANSLATION_OPENVINO_LAYERS_GRAPHTRANSLATION_H

#include "LayerTranslation.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace npu {

/// A state of a model, which layers ReadValue and Assign call a variable.
struct IrState {
  /// The input that holds it, and the result that continues it.
  NodeValue name, next;
  int64_t element = 0;
  Integers dims;
  bool isRead = false, isAssigned = false;
};

/// What all graphs of a model share.
struct TranslationSession {
  /// The model's file, for locations.
  mlir::StringAttr file;
  /// The file with the data of constants, and its name; null where there is
  /// none.
  const llvm::MemoryBuffer *weights = nullptr;
  std::string weightsName;
  /// Becomes the nodes of the outermost graph, and the constants of all.
  OnnxModel model;
  std::set<std::string> usedNames = {};
  std::map<std::string, IrState> states = {};

  /// A name that no value has, which begins with `wanted`.
  std::string fresh(llvm::StringRef wanted);
  mlir::InFlightDiagnostic errorAt(const IrLayer &layer);
  onnx::GraphProto &outermost() { return *model.proto.mutable_graph(); }

private:
  llvm::StringMap<unsigned> counts;
};

class GraphTranslation {
public:
  /// `proto` gets the nodes; `isBody` is whether the graph is in a layer.
  GraphTranslation(TranslationSession &session, const IrGraph &graph,
                   onnx::GraphProto &proto, bool isBody = false);

  /// Translates all layers but Parameters and Results, whose values are bound
  /// before; false after errors.
  bool run();

  /// The value of a layer's output.
  void bind(std::size_t layer, std::size_t port, const NodeValue &value);
  const NodeValue &value(const IrSource &source) const;
  const NodeValue &valueOf(const IrLayer &layer, unsigned operand) const;
  const IrPort &typeOf(const IrLayer &layer, unsigned operand) const;
  /// The layer that makes an operand.
  const IrLayer &producer(const IrLayer &layer, unsigned operand) const;

  TranslationSession &session;
  const IrGraph &graph;
  onnx::GraphProto &proto;
  bool isBody;

  /// The number of the layer that is translated, as nodes have it.
  std::string currentLayer;

private:
  bool translate(std::size_t number);

  std::vector<std::vector<NodeValue>> values;
};

/// The bytes of a Const layer; an error where it says none that there are.
std::optional<llvm::StringRef> bytesOfConstant(TranslationSession &session,
                                               const IrLayer &layer,
                                               int64_t &element,
                                               Integers &shape);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_OPENVINO_LAYERS_GRAPHTRANSLATION_H
