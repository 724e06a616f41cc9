// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that follow from the extents of prompts: extents, bounds of slices,
// trip counts. A number is a constant or an index value, which is an affine
// expression of the prompts' extents (affine.apply) wherever that can be.
//
// Example: for x of 1x?x4, the end of `x[:, :n - 1]` with n = Shape(x)[1] is
//
//     Number extent = numbers.extentOf(x, 1);        // tensor.dim %x, 1
//     Number end = numbers.sub(extent, number(1));   // affine.apply s0 - 1

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_NUMBERS_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_NUMBERS_H

#include "NumberBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace npu {

/// A constant (an index attribute) or an index value; null where it is not
/// known.
using Number = mlir::OpFoldResult;

/// Integers of a tensor of up to one dimension; null stands for one that is
/// known at run time only.
using KnownIntegers = llvm::SmallVector<Number>;

/// Floats that follow from shapes: integers that are divided by one number,
/// which is at least 1.
struct KnownFractions {
  KnownIntegers dividends;
  int64_t divisor = 1;
};

class Numbers {
public:
  /// Answers are for all of these lengths.
  Numbers(mlir::OpBuilder &builder, mlir::Location loc,
          Lengths lengths = Lengths::FromOne)
      : builder(builder), loc(loc), lengths(lengths) {}

  Number constant(int64_t number) { return builder.getIndexAttr(number); }
  /// The number as an index value.
  mlir::Value valueOf(Number number);

  // Arithmetic. What is computed of null, or would not fit 64 bits, is null.

  Number add(Number a, Number b);
  Number sub(Number a, Number b);
  Number mul(Number a, Number b);
  /// Rounded down, and rounded up; null unless `by` is a constant above 0.
  Number floorDiv(Number a, Number by);
  Number ceilDiv(Number a, Number by);
  /// Rounded towards zero.
  Number truncDiv(Number a, Number by);
  /// What floorDiv leaves over: at least 0.
  Number mod(Number a, Number by);
  /// One of both where it is known which; an expression where they never differ
  /// by much; else the number of run time.
  Number min(Number a, Number b);
  Number max(Number a, Number b);

  /// The extent of a dimension, as an expression of the prompts where the
  /// operations that have made the tensor say so.
  Number extentOf(mlir::Value tensor, int64_t dim);

  /// Whether a number is at least `bound`, or at most, at every length that is
  /// asked for. Of several prompts one may be empty in a run, as a cache is at
  /// first: where the answer is yes, but not for empty prompts, the program
  /// asserts it.
  bool ensureAtLeast(Number number, int64_t bound);
  bool ensureAtMost(Number number, int64_t bound) {
    Number negated = sub(constant(0), number);
    return negated && ensureAtLeast(negated, -bound);
  }
  /// The position of an entry of a dimension, counted from its begin where
  /// `index` counts from the end. Null, with nothing asserted, where the entry
  /// is not inside at every length that is asked for.
  Number entryAt(Number index, Number extent);
  /// Asserts in the program that a number is at least `bound`, where that does
  /// not hold at all lengths of runs.
  void assertAtLeast(Number number, int64_t bound);
  /// Asserts in the program that two numbers are equal, or that the first one
  /// is equal to the other or 1, where that does not hold at all lengths.
  void assertEqual(Number a, Number b);
  void assertEqualOrOne(Number number, Number other);
  /// Whether two numbers are the same at every length.
  bool areEqual(Number a, Number b);
  /// The number as a type has it: dynamic where it is no constant.
  static int64_t inType(Number number) {
    return mlir::getConstantIntValue(number).value_or(
        mlir::ShapedType::kDynamic);
  }
  static llvm::SmallVector<int64_t> inType(llvm::ArrayRef<Number> numbers) {
    return llvm::map_to_vector(numbers,
                               [](Number each) { return inType(each); });
  }

  /// A product: a constant times values that are no products themselves.
  struct Product {
    int64_t factor = 1;
    llvm::SmallVector<Number> values;
  };
  /// The product of numbers, in factors; nothing where one is not known, or
  /// where the constant would not fit.
  std::optional<Product> productOf(llvm::ArrayRef<Number> numbers);
  /// `whole / part`; nothing where `part` does not divide `whole` at every
  /// length.
  std::optional<Product> quotient(const Product &whole, const Product &part);
  Number numberOf(const Product &product);

private:
  Number composed(mlir::AffineExpr expr, Number a, Number b);
  Number positivePart(Number number);
  mlir::Value compared(mlir::arith::CmpIPredicate predicate, Number a,
                       Number b);
  /// The larger of both, or the smaller one, as an expression; null where it is
  /// none. What holds only while no prompt is empty is asked for last.
  Number extremum(Number a, Number b, bool isMax);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  Lengths lengths;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_NUMBERS_H
