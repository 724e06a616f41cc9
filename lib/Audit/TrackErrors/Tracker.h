// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a value beside what it is: its reference in f64 and a bound
// of its error.

#ifndef NPU_LIB_AUDIT_TRACKERRORS_TRACKER_H
#define NPU_LIB_AUDIT_TRACKERRORS_TRACKER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

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

/// A number, or a tensor of numbers, on both sides.
struct Shadow {
  /// What the reference has, in f64. While there is no error, a float may be in
  /// its own type; of an integer, null means its value as it is.
  mlir::Value value;
  /// A bound of |device's - value|, in f64; null: 0.
  mlir::Value error;
  /// The sum of the magnitudes of what was added up to the value, in f64; null:
  /// the magnitude of the value.
  mlir::Value mass;
};

/// Whether the type is a float, or a tensor of floats.
bool isFloatLike(mlir::Type type);

/// The type with f64 for its element type.
mlir::Type inF64(mlir::Type type);

/// Rewrites the operations of one function. Values are those of the old
/// function; what is built is in the new one.
class Tracker {
public:
  Tracker(mlir::OpBuilder &builder, llvm::SetVector<llvm::StringRef> &unknown)
      : builder(builder), unknown(unknown) {}

  /// Builds the operations of a block, without its terminator.
  void trackBlock(mlir::Block &block);
  void track(mlir::Operation *op);

  /// A float scalar's or an integer's shadow; an integer's value is in f64.
  Shadow scalar(mlir::Value value);
  /// Of a tensor (or scalar): all of it in f64, with an error and, where asked
  /// for, a mass.
  Shadow whole(mlir::Value value, bool withMass = false);
  /// A value in its own type: what integers are anyway, and floats rounded.
  mlir::Value own(mlir::Value value);
  /// The bound of an integer's or a float's error, or null. Of an integer of n
  /// bits, it bounds the distance modulo 2^n.
  mlir::Value errorOf(mlir::Value value);

  /// The sum of all errors of these values, as a scalar, or null.
  mlir::Value totalError(mlir::ValueRange values);

  /// What the old value is in the new function. Integers also have their copy.
  void set(mlir::Value value, const Shadow &shadow) { shadows[value] = shadow; }
  void setCopy(mlir::Value value, mlir::Value copy) {
    newValues.map(value, copy);
  }
  /// What `set` has said of it; nulls where it was not called.
  Shadow shadowOf(mlir::Value value) const { return shadows.lookup(value); }
  /// What `setCopy` has said of all values.
  const mlir::IRMapping &copies() const { return newValues; }

  /// Clones an operation on integers and indices as it is.
  mlir::Operation *clonePlain(mlir::Operation *op);
  /// Makes what `op` gives as unbounded as `flag` (> 0) says.
  void unboundWhere(mlir::Operation *op, mlir::Value flag);

  /// The new values of a list: of a float value, error and (withMass) mass; of
  /// an integer itself, its value in f64 and its error; of others itself.
  llvm::SmallVector<mlir::Value> expand(mlir::ValueRange values, bool withMass);
  llvm::SmallVector<mlir::Type> expand(mlir::TypeRange types, bool withMass);
  /// Takes new values for old ones, in the order of `expand`.
  void bind(mlir::ValueRange values, mlir::ValueRange expanded, bool withMass);

  mlir::OpBuilder &builder;

private:
  /// Clones `op` without errors of its own: results have an infinite bound
  /// wherever an operand has an error.
  void trackUnknown(mlir::Operation *op);

  mlir::IRMapping newValues;
  llvm::DenseMap<mlir::Value, Shadow> shadows;
  llvm::SetVector<llvm::StringRef> &unknown;
};

/// The rules, a file for each kind of operation: builds what `op` becomes.
/// False where that file has no rule for it.
bool trackFloat(Tracker &tracker, mlir::Operation *op);
bool trackLibrary(Tracker &tracker, mlir::Operation *op);
bool trackInteger(Tracker &tracker, mlir::Operation *op);
bool trackTensor(Tracker &tracker, mlir::Operation *op);
bool trackControl(Tracker &tracker, mlir::Operation *op);

/// A linalg.generic that computes each element of its result from those of its
/// inputs, all of one shape; `type` is the result's element type.
mlir::Value mapElements(
    mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange inputs,
    mlir::Type type,
    llvm::function_ref<mlir::Value(Arithmetic64 &, mlir::ValueRange)> build);

/// A tensor (or scalar) of that type, f64, with one value.
mlir::Value splat64(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Type type, mlir::Value value);

} // namespace npu

#endif // NPU_LIB_AUDIT_TRACKERRORS_TRACKER_H
