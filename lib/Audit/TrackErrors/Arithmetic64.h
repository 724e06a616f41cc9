// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions in f64, as operations, and the formulas of rounding.

#ifndef NPU_LIB_AUDIT_TRACKERRORS_ARITHMETIC64_H
#define NPU_LIB_AUDIT_TRACKERRORS_ARITHMETIC64_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace npu {

/// Builds scalar operations on f64. A null value in a bound is 0, of which
/// nothing is built.
class Arithmetic64 {
public:
  Arithmetic64(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value abs(mlir::Value a);
  mlir::Value sqrt(mlir::Value a);
  /// NaN where one of them is NaN.
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                      mlir::Value b);

  /// Sum and maximum of bounds, and a product with a bound; null where all are.
  mlir::Value addBounds(mlir::Value a, mlir::Value b);
  mlir::Value maxBounds(mlir::Value a, mlir::Value b);
  mlir::Value scaleBound(mlir::Value factor, mlir::Value bound);

  /// The bound of a result `value` that a device rounds to `type` with an error
  /// of at most `ulps` units in the last place, of operands whose errors alone
  /// change it by at most `propagated` (null: 0). `underflows`: the result can
  /// be below the smallest normal number without being exact. Infinite where
  /// the device's result may be infinite; 0 where `value` is not finite and
  /// what is propagated is.
  mlir::Value rounded(mlir::Value value, mlir::Value propagated,
                      mlir::FloatType type, double ulps = 0.5,
                      bool underflows = true);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace npu

#endif // NPU_LIB_AUDIT_TRACKERRORS_ARITHMETIC64_H
