// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of single elements: the bodies of elementwise operations and
// reductions, without a word on floats, signed and unsigned integers at each.

#ifndef NPU_LIB_TRANSLATION_ONNX_BUILD_SCALARBUILDER_H
#define NPU_LIB_TRANSLATION_ONNX_BUILD_SCALARBUILDER_H

#include "ElementType.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace npu {

enum class Comparison {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};

/// Builds arithmetic on scalars. Operands of one call have one type. `element`
/// says how integers are read; floats are recognised by their type.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                OnnxElement element)
      : builder(builder), loc(loc), unsignedIntegers(isUnsigned(element)) {}

  /// A number of that type; an integer is rounded towards zero.
  mlir::Value constant(mlir::Type type, double number);
  mlir::Value integer(mlir::Type type, int64_t number);
  /// The smallest number of a type (minus infinity), and the largest.
  mlir::Value lowest(mlir::Type type);
  mlir::Value highest(mlir::Type type);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  /// Integers are rounded towards zero; a division by zero gives zero, and the
  /// smallest number by -1 itself, so that no input traps.
  mlir::Value div(mlir::Value a, mlir::Value b);
  /// The remainder with the sign of the dividend, as C has it; zero of a
  /// division by zero for integers.
  mlir::Value rem(mlir::Value a, mlir::Value b);
  /// NaN wherever one of two floats is NaN.
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value a);
  mlir::Value abs(mlir::Value a);
  /// Comparisons of floats are ordered, but for NotEqual: NaN differs from all.
  mlir::Value compare(Comparison kind, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// Converts as ONNX's Cast does: floats to integers are rounded towards zero,
  /// any number to a boolean is whether it is not 0. `from` is read as this
  /// builder's element, `to` as `toElement`. Numbers that do not fit saturate,
  /// and NaN becomes 0, where the standard says nothing.
  mlir::Value cast(mlir::Value from, OnnxElement to);
  /// The index as a number of that type, and a number as an index.
  mlir::Value fromIndex(mlir::Value index, mlir::Type type);
  mlir::Value toIndex(mlir::Value number);

  /// Any operation of one result type: `create<math::ExpOp>(x)`.
  template <typename Op, typename... Arguments>
  mlir::Value create(Arguments &&...arguments) {
    return Op::create(builder, loc, std::forward<Arguments>(arguments)...);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value divisor(mlir::Value a, mlir::Value b);
  mlir::Value floatToInteger(mlir::Value from, mlir::Type to, bool toUnsigned);

  bool unsignedIntegers;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_BUILD_SCALARBUILDER_H
