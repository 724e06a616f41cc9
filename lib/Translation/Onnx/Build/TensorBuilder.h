// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the few shapes of computation that operators of ONNX become: maps with
// NumPy's broadcasting, reductions, contractions, movements of entries. What is
// computed from constants alone becomes a constant at once.
//
// Example: a softmax over the last dimension is
//
//     Value top = build.reduce(x, {1}, maximum);   // keeps the dimension
//     Value e = build.map({x, top}, type, exponential of the difference);
//     Value sum = build.reduce(e, {1}, sum);
//     Value y = build.map({e, sum}, type, quotient);

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_TENSORBUILDER_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_TENSORBUILDER_H

#include "Numbers.h"
#include "ScalarBuilder.h"
#include "TensorData.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace npu {

/// A value of the graph with what MLIR's type does not say of its elements.
struct OnnxTensor {
  mlir::Value value;
  OnnxElement element = OnnxElement::Float;

  mlir::RankedTensorType type() const {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  llvm::ArrayRef<int64_t> shape() const { return type().getShape(); }
  int64_t rank() const { return type().getRank(); }
  mlir::Type elementType() const { return type().getElementType(); }
};

class TensorBuilder {
public:
  /// Extents: numbers where they are static, index values where not.
  using Sizes = llvm::SmallVector<Number>;
  /// The elements of a result from those of the operands.
  using Body = llvm::function_ref<mlir::Value(ScalarBuilder &,
                                              mlir::ValueRange operands)>;
  /// An element of a result from its position.
  using AtBody = llvm::function_ref<mlir::Value(ScalarBuilder &,
                                                mlir::ValueRange indices)>;
  using AtEntryBody = llvm::function_ref<mlir::Value(
      ScalarBuilder &, mlir::ValueRange at, mlir::Value entry)>;

  /// `element` says how integers are read, in the bodies of all operations.
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                OnnxElement element)
      : builder(builder), loc(loc), element(element) {}

  // Constants.

  mlir::Value constant(const TensorData &data,
                       llvm::StringRef name = "constant");
  /// A tensor whose elements all are `number`. Rank 0 without a shape.
  mlir::Value splat(mlir::Type type, double number,
                    llvm::ArrayRef<int64_t> shape = {});
  /// A constant of these numbers, each rounded to the element type.
  mlir::Value numbers(llvm::ArrayRef<double> numbers,
                      llvm::ArrayRef<int64_t> shape, OnnxElement element);
  /// Integers i64, of one dimension.
  mlir::Value integers(llvm::ArrayRef<int64_t> numbers);
  /// The same of numbers that follow from prompts.
  mlir::Value integersOfRun(llvm::ArrayRef<Number> numbers);
  /// Elements of a constant; null where the value is none.
  static mlir::ElementsAttr constantOf(mlir::Value value);
  /// Integers of a constant of up to one dimension, read as `element`.
  static std::optional<llvm::SmallVector<int64_t>>
  integersOf(mlir::Value value, OnnxElement element);
  /// Numbers of a constant of floats.
  static std::optional<llvm::SmallVector<double>> numbersOf(mlir::Value value);

  // Extents.

  /// Arithmetic on extents and on other numbers that follow from prompts.
  Numbers numbersHere(Lengths lengths = Lengths::FromOne) {
    return {builder, loc, lengths};
  }
  Sizes sizes(mlir::Value tensor);
  Sizes sizes(llvm::ArrayRef<int64_t> numbers);
  /// The extent at run time, as an element of that type.
  mlir::Value extent(mlir::Value tensor, int64_t dim);
  mlir::Value empty(const Sizes &sizes, mlir::Type type);
  /// An uninitialised tensor with all elements set to `number`.
  mlir::Value filled(const Sizes &sizes, mlir::Value scalar);
  mlir::Value scalar(mlir::Type type, double number);

  // Elements.

  /// Elementwise, with NumPy's broadcasting of the operands; null where shapes
  /// do not agree.
  mlir::Value map(mlir::ValueRange operands, mlir::Type result, Body body);
  /// Elements by their positions; the body may read other tensors with `read`.
  mlir::Value generate(const Sizes &sizes, mlir::Type result, AtBody body);
  /// The same, of entries of `operand` as well, whose dimensions are those of
  /// the result from `first` on.
  mlir::Value generateWith(mlir::Value operand, int64_t first,
                           const Sizes &sizes, mlir::Type result,
                           AtEntryBody body);
  /// One element of a tensor, in a body.
  static mlir::Value read(ScalarBuilder &scalars, mlir::Value tensor,
                          mlir::ValueRange indices);
  /// Folds dimensions `axes` with `body`, beginning with `init` (an element of
  /// type `result`), and keeps them with extent 1. The body's operands are the
  /// operand's element and the result so far.
  mlir::Value reduce(mlir::Value operand, llvm::ArrayRef<int64_t> axes,
                     mlir::Value init, Body body);
  /// Sums or maxima of dimensions, which stay with extent 1.
  mlir::Value sum(mlir::Value operand, llvm::ArrayRef<int64_t> axes);
  mlir::Value maximum(mlir::Value operand, llvm::ArrayRef<int64_t> axes);
  /// Any structured operation: `maps` are of the operands and then the result,
  /// whose first values are `init`. A loop that the result's map does not have
  /// reduces. The body's last operand is the result's.
  mlir::Value structured(mlir::ValueRange operands, mlir::Value init,
                         llvm::ArrayRef<mlir::AffineMap> maps, Body body);
  /// A structured operation that adds up products of its two operands, which
  /// are converted to the result's element type first.
  mlir::Value contract(mlir::Value a, mlir::Value b, mlir::Value init,
                       llvm::ArrayRef<mlir::AffineMap> maps);
  /// The product of matrices, with NumPy's rules for vectors and for other
  /// dimensions; null where shapes do not agree. The last two dimensions of an
  /// operand may be there in the other order; a vector has no order.
  mlir::Value matmul(mlir::Value a, mlir::Value b, bool transposeA = false,
                     bool transposeB = false);

  // Movements.

  /// The same elements in another shape of as many; null where numbers of
  /// elements differ. Dynamic extents are those of the tensor, in order; a
  /// single one may also be what is left.
  mlir::Value reshape(mlir::Value tensor, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshapeTo(mlir::Value tensor, const Sizes &sizes);
  mlir::Value transpose(mlir::Value tensor, llvm::ArrayRef<int64_t> order);
  /// NumPy's broadcast to a shape; null where it does not fit.
  mlir::Value broadcast(mlir::Value tensor, const Sizes &sizes);
  /// Part of a tensor; steps are at least 1. A dynamic size takes all of the
  /// dimension.
  mlir::Value slice(mlir::Value tensor, llvm::ArrayRef<int64_t> offsets,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> steps = {});
  mlir::Value sliceAt(mlir::Value tensor, const Sizes &offsets,
                      const Sizes &sizes, llvm::ArrayRef<int64_t> steps);
  /// Part of one dimension, from `offset` on.
  mlir::Value sliceDim(mlir::Value tensor, int64_t dim, int64_t offset,
                       int64_t size, int64_t step = 1);
  mlir::Value concat(mlir::ValueRange tensors, int64_t dim);
  /// Adds entries of one value in front and after.
  mlir::Value pad(mlir::Value tensor, llvm::ArrayRef<int64_t> low,
                  llvm::ArrayRef<int64_t> high, mlir::Value scalar);
  mlir::Value padAround(mlir::Value tensor, const Sizes &low, const Sizes &high,
                        mlir::Value scalar);
  /// The entries of one dimension at those positions, each of which is inside
  /// of it. A few runs of positions become slices, which can be distributed.
  mlir::Value take(mlir::Value tensor, int64_t dim,
                   llvm::ArrayRef<int64_t> positions);
  /// Reverses dimensions.
  mlir::Value reverse(mlir::Value tensor, llvm::ArrayRef<int64_t> dims);
  mlir::Value convert(mlir::Value tensor, OnnxElement from, OnnxElement to);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  OnnxElement element;

private:
  mlir::Value reshapeStatic(mlir::Value tensor, llvm::ArrayRef<int64_t> shape);
  /// A constant rearranged: `sources` has the number of the source's element
  /// for each of the result's, or -1 for `otherwise`.
  mlir::Value
  rearranged(mlir::Value tensor, llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> source,
             mlir::Attribute otherwise = {});
  mlir::Value simplified(mlir::Value value);
};

/// Positions of a shape, row by row: the callback gets each one.
void forEachPosition(llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// The number of an element in row-major order.
int64_t linearIndex(llvm::ArrayRef<int64_t> position,
                    llvm::ArrayRef<int64_t> shape);

/// NumPy's broadcast of shapes; nothing where they do not agree. A dynamic
/// extent agrees with all.
std::optional<llvm::SmallVector<int64_t>>
broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_TENSORBUILDER_H
