// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Loop and Scan have in common: a graph that is run again and again, with
// values that one iteration hands to the next and values that are stacked.
//
// Short loops are written out, because operations in a loop stay where they are
// while those that are written out can be distributed, and because the number
// of an iteration is a constant then. Longer ones become scf.for, and loops
// whose end depends on data scf.while.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_ITERATIONS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_ITERATIONS_H

#include "../Graph/GraphImport.h"
#include "../Graph/NodeImport.h"

namespace npu {

using Tensors = llvm::SmallVector<OnnxTensor>;

/// The graph that a node runs again and again.
class IteratedGraph {
public:
  /// An iteration hands its first `carried` values to the next one.
  IteratedGraph(NodeImport &node, const onnx::GraphProto &graph,
                std::size_t carried)
      : node(node), graph(graph), carried(carried) {}

  /// Imports the graph once more, where the builder stands.
  mlir::FailureOr<Tensors> import(llvm::ArrayRef<OnnxTensor> arguments);

  /// Whether so many iterations are to be written out: loops of a model are,
  /// until they make too many nodes.
  bool isWrittenOut(int64_t count);

  NodeImport &node;
  const onnx::GraphProto &graph;
  std::size_t carried;
};

/// Along which dimension values are stacked, and whether from the end.
struct Stacking {
  int64_t axis = 0;
  bool isReverse = false;
};

/// Iterations of a graph.
struct Iterations {
  IteratedGraph &graph;
  Number count;
  /// The values that the first iteration gets.
  Tensors carried;
  /// One for each stacked value.
  llvm::SmallVector<Stacking> stackings;
  /// The arguments of an iteration; its number is constant, or an index.
  llvm::function_ref<Tensors(mlir::OpFoldResult number,
                             llvm::ArrayRef<OnnxTensor> carried)>
      arguments;
  /// Whether there is a next iteration, where that is known. Of all results of
  /// the graph, it leaves those that are carried and then those that are
  /// stacked.
  llvm::function_ref<std::optional<bool>(Tensors &results)> continues;
};

/// The last carried values, and then the stacked ones. Nothing where the number
/// of iterations depends on data. A constant number of iterations is at least
/// one.
mlir::FailureOr<std::optional<Tensors>> runIterations(Iterations iterations);

/// Iterations as long as `flag` and at most `most` (null: any number): the
/// graph gets the number of the iteration, true, and carried values; it gives
/// whether there is a next iteration, and carried values.
mlir::FailureOr<Tensors> runWhile(IteratedGraph &graph, mlir::Value flag,
                                  mlir::Value most, Tensors carried);

/// The number of an iteration as a tensor of rank 0.
OnnxTensor iterationNumber(TensorBuilder &build, mlir::OpFoldResult number);
/// A constant boolean of rank 0.
OnnxTensor constantTrue(TensorBuilder &build);

/// Values of one type, as entries of a new dimension.
mlir::FailureOr<OnnxTensor>
stack(NodeImport &node, llvm::ArrayRef<OnnxTensor> entries, Stacking stacking);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_ITERATIONS_H
