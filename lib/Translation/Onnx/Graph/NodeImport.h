// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of an ONNX graph while it is imported: what it says of itself, what
// its operands are, and where its results go.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_NODEIMPORT_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_NODEIMPORT_H

#include "../Build/TensorBuilder.h"

#include "mlir/IR/Diagnostics.h"

#include <onnx/onnx_pb.h>

namespace npu {

class GraphImport;

/// A node as its builder sees it. Builders return failure only after an error
/// that they have reported with `error`.
class NodeImport {
public:
  NodeImport(GraphImport &graph, const onnx::NodeProto &node,
             mlir::Location loc, mlir::OpBuilder &builder);

  GraphImport &graph;
  const onnx::NodeProto &node;
  mlir::Location loc;
  /// Builds at the node's location; integers are read as operand 0's.
  TensorBuilder build;

  /// An error at the node, which begins with its name: "node 'c1' (Conv): ".
  mlir::InFlightDiagnostic error() const;
  mlir::InFlightDiagnostic remark() const;
  /// The version of the standard operators.
  int64_t opset() const;

  // Attributes. An attribute of another type counts as absent: the checker has
  // refused it.

  bool hasAttribute(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  double real(llvm::StringRef name, double otherwise) const;
  std::string text(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<llvm::SmallVector<int64_t>>
  integers(llvm::StringRef name) const;
  std::optional<llvm::SmallVector<double>> reals(llvm::StringRef name) const;
  std::vector<std::string> texts(llvm::StringRef name) const;
  /// The attribute itself, for tensors and graphs; null where it is absent.
  const onnx::AttributeProto *attribute(llvm::StringRef name) const;

  // Operands.

  /// How many there are; a trailing one may be left out all the same.
  unsigned operandCount() const;
  bool has(unsigned operand) const;
  /// Precondition: has(operand).
  const OnnxTensor &operand(unsigned operand) const;
  /// Integers of a constant operand; an error names it where it is none, and
  /// tells how an input of the graph becomes a constant.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  constantIntegers(unsigned operand, llvm::StringRef what);
  /// What is known of the integers of an operand of up to one dimension: a
  /// constant, or what follows from shapes, entry by entry. Nothing where it is
  /// no short list of integers.
  std::optional<llvm::SmallVector<Number>> knownIntegers(unsigned operand);
  /// The same, and of floats as well where all of them are whole numbers, as
  /// the bounds of a range of floats are that ends with a prompt.
  std::optional<llvm::SmallVector<Number>> knownWholeNumbers(unsigned operand);
  /// Asserts that constant positions, an operand, are inside of dimensions that
  /// prompts are as long as. Position i of a list is one in dimension `first +
  /// i mod count` of `data`.
  void assertInside(unsigned operand, mlir::Value data, int64_t first,
                    int64_t count = 1);
  /// Asserts that two operands have as many entries in dimensions from `first`
  /// and `otherFirst` on.
  void assertEqualExtents(unsigned operand, int64_t first, unsigned other,
                          int64_t otherFirst, int64_t count);
  /// The same, with an error where one of them depends on data.
  mlir::FailureOr<llvm::SmallVector<Number>>
  integersOfShapes(unsigned operand, llvm::StringRef what);
  /// Integers of an attribute, or of an operand where later versions of the
  /// operator have one, that may follow from shapes; absent where there is
  /// neither.
  mlir::FailureOr<std::optional<llvm::SmallVector<Number>>>
  numbersOf(llvm::StringRef attribute, unsigned operand);
  mlir::FailureOr<llvm::SmallVector<double>>
  constantNumbers(unsigned operand, llvm::StringRef what);
  /// Integers of an attribute, or of an operand where later versions of the
  /// operator have one; absent where there is neither.
  mlir::FailureOr<std::optional<llvm::SmallVector<int64_t>>>
  integersOf(llvm::StringRef attribute, unsigned operand);
  /// A dimension in 0 .. rank - 1; negative ones count from the end. `rank` may
  /// be one more where a dimension is added.
  mlir::FailureOr<int64_t> dimension(int64_t axis, int64_t rank);
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  dimensions(llvm::ArrayRef<int64_t> axes, int64_t rank);

  // Results.

  unsigned resultCount() const;
  /// Whether anybody can use the result.
  bool wants(unsigned result) const;
  /// The shape that the model declares or the ONNX library has inferred for a
  /// result; nothing where one extent is unknown.
  std::optional<llvm::SmallVector<int64_t>> declaredShape(unsigned result);
  /// Sets a result; a null value is reported as operands whose shapes do not
  /// agree. The element type is operand 0's where none is given.
  mlir::LogicalResult setResult(unsigned result, mlir::Value value,
                                std::optional<OnnxElement> element = {});
  /// Sets result 0 to what `body` computes of each element of all operands
  /// that the operator has to have, which are broadcast; `element` as with
  /// `setResult`.
  mlir::LogicalResult setMapped(TensorBuilder::Body body,
                                std::optional<OnnxElement> element = {});

  /// "float 1x3x4", for messages.
  static std::string describe(const OnnxTensor &tensor);

private:
  llvm::SmallVector<std::optional<OnnxTensor>> operands;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_NODEIMPORT_H
