// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the nodes of a graph, one after another, into a block.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_GRAPHIMPORT_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_GRAPHIMPORT_H

#include "../Build/TensorBuilder.h"
#include "../Model/OnnxModel.h"

#include "llvm/ADT/StringMap.h"

#include <deque>

namespace npu {

class NodeImport;

/// What all graphs of a model share.
struct ImportSession {
  const OnnxModel &model;
  /// The model's file, for locations.
  mlir::StringAttr fileName;
  /// Files with data of tensors.
  DataFiles files;
  /// Whether nodes may be folded into others where bits may change.
  bool fold = true;
  /// Whether inputs have other shapes than the model says, so that what it says
  /// of other values' extents is not true.
  bool replacesShapes = false;
  /// Counts function operators that were expanded, for names.
  int64_t expanded = 0;
  /// How many functions and graphs are around the node that is imported.
  int64_t depth = 0;
  /// How many nodes loops that are written out have made.
  int64_t writtenOut = 0;
  /// Bytes of the constants that the model has, and of those that were computed
  /// from them while nodes were imported.
  int64_t givenBytes = 0, foldedBytes = 0;
  /// The data of constants that is counted in one of both.
  llvm::DenseSet<const void *> counted = {};
  /// The nodes of functions, which are referred to while nodes are imported.
  std::deque<onnx::GraphProto> bodies = {};
};

/// A node that has been built, and the operands that it was built with, so that
/// a later node can have it built again with others.
struct BuiltNode {
  const onnx::NodeProto *node;
  mlir::Location loc;
  llvm::SmallVector<OnnxTensor> operands;
};

/// A graph: the model's own, or one in an attribute of a control-flow node.
class GraphImport {
public:
  /// `outer` is the graph around this one, whose values can be used.
  GraphImport(ImportSession &session, const onnx::GraphProto &graph,
              mlir::OpBuilder &builder, GraphImport *outer = nullptr);

  /// Imports initializers and nodes; inputs have been defined before.
  mlir::LogicalResult run();
  /// The graph's results, in order.
  mlir::FailureOr<llvm::SmallVector<OnnxTensor>> results();

  /// Defines an input of the graph, or anything by name.
  void bind(llvm::StringRef name, OnnxTensor tensor);
  /// Defines a result of a node: an error where it is too large, or where a
  /// node has defined one of that name.
  mlir::LogicalResult define(NodeImport &node, llvm::StringRef name,
                             OnnxTensor tensor);
  std::optional<OnnxTensor> lookUp(llvm::StringRef name) const;
  /// The shape that the model declares or inference has found, if it is static.
  std::optional<llvm::SmallVector<int64_t>>
  declaredShape(llvm::StringRef name) const;

  /// Integers of a value that follow from shapes (ShapeValues.h).
  std::optional<llvm::SmallVector<Number>>
  knownIntegers(mlir::Value value) const;

  /// The same of floats.
  std::optional<KnownFractions> knownFractions(mlir::Value value) const;

  /// The one node that uses a value; null where there are several, or where the
  /// value is a result of the graph.
  const onnx::NodeProto *onlyUse(llvm::StringRef name) const;

  /// The node that makes a value, and the graph that it is in; null for inputs
  /// and initializers.
  std::pair<GraphImport *, const onnx::NodeProto *>
  producer(llvm::StringRef name);

  /// Remembers what has made a value, and tells it; null where nobody has.
  void setBuilt(llvm::StringRef name, BuiltNode built);
  const BuiltNode *builtNode(llvm::StringRef name) const;

  std::string describe(const onnx::NodeProto &node) const;
  /// Counts the bytes of a constant, each once, in `bytes`.
  void countBytes(mlir::Value value, int64_t &bytes);
  void errorNotConstant(NodeImport &node, unsigned operand,
                        llvm::StringRef what) const;

  const OnnxModel &model() const { return session.model; }
  ImportSession &importSession() const { return session; }
  const onnx::GraphProto &proto() const { return graph; }
  mlir::OpBuilder &opBuilder() const { return builder; }

private:
  mlir::LogicalResult importInitializers();
  mlir::LogicalResult importNode(const onnx::NodeProto &node,
                                 mlir::Location loc);
  mlir::LogicalResult importUnknown(const onnx::NodeProto &node,
                                    mlir::Location loc);
  /// Imports the nodes that a call of a function stands for.
  mlir::LogicalResult importBody(const onnx::NodeProto &node,
                                 const onnx::GraphProto &body,
                                 mlir::Location loc);
  mlir::Location location(llvm::StringRef name) const;
  mlir::Location location(const onnx::NodeProto &node) const;
  /// The layer that a node was made of; null where it is a node of the model.
  const OnnxLayer *layerOf(const onnx::NodeProto &node) const;
  /// An error where a layer's results have other types than the model says.
  mlir::LogicalResult checkResultsOfLayer(NodeImport &node);
  /// Remembers what is known of the numbers of a node's result.
  void learnNumbers(NodeImport &node);
  /// The node at which a value stops to follow from shapes: its operands do,
  /// and its result does not. Null where there is none, as for what is computed
  /// of data.
  const onnx::NodeProto *whereUnknown(llvm::StringRef name) const;
  /// Counts what a graph in an attribute of `user` uses.
  void addInnerUses(const onnx::GraphProto &inner, const onnx::NodeProto &user);

  ImportSession &session;
  const onnx::GraphProto &graph;
  mlir::OpBuilder &builder;
  GraphImport *outer;
  llvm::StringMap<OnnxTensor> values;
  llvm::StringMap<const onnx::TypeProto *> types;
  llvm::StringMap<llvm::SmallVector<const onnx::NodeProto *, 1>> users;
  llvm::StringMap<const onnx::NodeProto *> producers;
  llvm::StringMap<BuiltNode> built;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Number>> numbers;
  llvm::DenseMap<mlir::Value, KnownFractions> fractions;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_GRAPHIMPORT_H
