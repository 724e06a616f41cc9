// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One layer of OpenVINO IR while it becomes nodes of ONNX: what it says of
// itself, what its operands are, and which nodes it becomes.

#ifndef NPU_LIB_TRANSLATION_OPENVINO_LAYERS_LAYERTRANSLATION_H
#define NPU_LIB_TRANSLATION_OPENVINO_LAYERS_LAYERTRANSLATION_H

#include "../Model/IrModel.h"

#include "mlir/IR/Diagnostics.h"

#include <set>

namespace npu {

class GraphTranslation;

using Integers = llvm::SmallVector<int64_t>;

/// A value of the graph of nodes, by its name.
using NodeValue = std::string;

/// Attributes of a node.
class NodeAttributes {
public:
  NodeAttributes &set(llvm::StringRef name, int64_t number);
  NodeAttributes &set(llvm::StringRef name, double number);
  NodeAttributes &set(llvm::StringRef name, llvm::StringRef text);
  NodeAttributes &set(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);
  NodeAttributes &set(llvm::StringRef name, llvm::ArrayRef<double> numbers);
  NodeAttributes &set(llvm::StringRef name, llvm::ArrayRef<std::string> texts);
  NodeAttributes &set(llvm::StringRef name, onnx::GraphProto graph);

  llvm::SmallVector<onnx::AttributeProto, 2> list;

private:
  onnx::AttributeProto &add(llvm::StringRef name,
                            onnx::AttributeProto::AttributeType type);
};

/// Translators read attributes and operands, add nodes, and set results. What
/// they find wrong they report with `error`; an attribute that is no number or
/// none of its words is reported here, and counts as its default.
class LayerTranslation {
public:
  LayerTranslation(GraphTranslation &graph, const IrLayer &layer,
                   int64_t version);

  GraphTranslation &graph;
  const IrLayer &layer;
  /// The operation set that the layer's operation is of.
  int64_t version;

  /// An error at the layer, which begins with its name.
  mlir::InFlightDiagnostic error();
  bool hasFailed() const { return isFailed; }
  /// After an error that was reported elsewhere.
  void fail() { isFailed = true; }

  // Attributes. Those that nobody asks for are refused.

  int64_t integer(llvm::StringRef name, std::optional<int64_t> otherwise = {});
  double real(llvm::StringRef name, std::optional<double> otherwise = {});
  bool flag(llvm::StringRef name, std::optional<bool> otherwise = {});
  /// One of a few words.
  std::string word(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words,
                   std::optional<llvm::StringRef> otherwise = {});
  std::string text(llvm::StringRef name,
                   std::optional<llvm::StringRef> otherwise = {});
  Integers integers(llvm::StringRef name,
                    std::optional<Integers> otherwise = {});
  /// The number of an element type.
  int64_t element(llvm::StringRef name, std::optional<int64_t> otherwise = {});
  /// Takes notice of an attribute that says nothing new.
  void ignore(llvm::StringRef name) { asked.insert(name.str()); }
  bool hasAttribute(llvm::StringRef name) const;
  /// An error where an attribute was not asked for.
  void checkAttributes();
  /// Refuses auto_broadcast other than numpy and none.
  void checkBroadcast(llvm::StringRef name = "auto_broadcast");

  // Operands.

  unsigned operandCount() const {
    return static_cast<unsigned>(layer.inputs.size());
  }
  bool has(unsigned operand) const { return operand < operandCount(); }
  NodeValue operand(unsigned number);
  /// What the model says of it.
  const IrPort &type(unsigned operand);
  int64_t rank(unsigned operand) {
    return static_cast<int64_t>(type(operand).dims.size());
  }
  int64_t extent(unsigned operand, int64_t dim) {
    return type(operand).dims[dim];
  }
  bool isStatic(unsigned operand);
  /// Integers of a constant of up to one dimension; nothing where it is none.
  std::optional<Integers> constant(unsigned operand);
  /// The same, with an error where it is none.
  std::optional<Integers> constantOrError(unsigned operand,
                                          llvm::StringRef what);
  /// One integer, in 0 .. rank - 1 where it is an axis of operand 0.
  std::optional<int64_t> axisOperand(unsigned operand);
  /// An axis in 0 .. rank - 1; an error otherwise.
  std::optional<int64_t> axisIn(int64_t axis, int64_t rank);

  // Nodes.

  NodeValue add(llvm::StringRef type, llvm::ArrayRef<NodeValue> operands,
                NodeAttributes attributes = {});
  std::vector<NodeValue> addNode(llvm::StringRef type,
                                 llvm::ArrayRef<NodeValue> operands,
                                 unsigned results, NodeAttributes attributes,
                                 llvm::StringRef domain = "");
  /// A node of an operator that the standard has not.
  NodeValue addOwn(llvm::StringRef type, llvm::ArrayRef<NodeValue> operands,
                   NodeAttributes attributes = {});
  NodeValue cast(const NodeValue &value, int64_t element);
  /// Integers of an operand as ONNX has them, i64; and as a list, where the
  /// layer may have a single one.
  NodeValue asI64(unsigned operand);
  NodeValue asList(unsigned operand);
  /// Constants: integers i64 of one dimension, or numbers of any type.
  NodeValue list(llvm::ArrayRef<int64_t> numbers);
  NodeValue number(double number, int64_t element);
  /// `number` of the element type of an operand.
  NodeValue like(unsigned operand, double value) {
    return number(value, type(operand).element);
  }
  NodeValue reshape(const NodeValue &value, llvm::ArrayRef<int64_t> shape) {
    return add("Reshape", {value, list(shape)},
               NodeAttributes().set("allowzero", int64_t(1)));
  }
  NodeValue transpose(const NodeValue &value, llvm::ArrayRef<int64_t> order);
  NodeValue unsqueeze(const NodeValue &value, llvm::ArrayRef<int64_t> axes) {
    return axes.empty() ? value : add("Unsqueeze", {value, list(axes)});
  }

  // Results.

  void set(unsigned result, const NodeValue &value);
  bool wants(unsigned result) const { return result < layer.outputs.size(); }

private:
  const std::string *ask(llvm::StringRef name, bool isRequired);
  template <typename T>
  T bad(llvm::StringRef name, const std::string &text, llvm::StringRef expected,
        T otherwise);

  std::set<std::string> asked;
  bool isFailed = false;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_OPENVINO_LAYERS_LAYERTRANSLATION_H
