// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a value beside what it is: its reference in f64 and a bound
// of its error.

#ifndef NPU_LIB_AUDIT_TRACKERRORS_TRACKER_H
#define NPU_LIB_AUDIT_TRACKERRORS_TRACKER_H

#include "Arithmetic64.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace npu {

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

  /// What the old value is in the new function. Integers also have their copy.
  void set(mlir::Value value, const Shadow &shadow) { shadows[value] = shadow; }
  void setCopy(mlir::Value value, mlir::Value copy) { copies.map(value, copy); }

  /// The new values of a list: of a float value, error and (withMass) mass; of
  /// an integer itself, its value in f64 and its error; of others itself.
  llvm::SmallVector<mlir::Value> expand(mlir::ValueRange values, bool withMass);
  llvm::SmallVector<mlir::Type> expand(mlir::TypeRange types, bool withMass);
  /// Takes new values for old ones, in the order of `expand`.
  void bind(mlir::ValueRange values, mlir::ValueRange expanded, bool withMass);

  mlir::OpBuilder &builder;

private:
  bool trackFloat(mlir::Operation *op);
  bool trackLibrary(mlir::Operation *op);
  bool trackInteger(mlir::Operation *op);
  bool trackTensor(mlir::Operation *op);
  bool trackControl(mlir::Operation *op);
  void trackGeneric(mlir::linalg::GenericOp op);
  void trackMovement(mlir::Operation *op);
  void trackRegion(mlir::Operation *op, mlir::Value element);
  void trackFor(mlir::Operation *op);
  void trackWhile(mlir::Operation *op);
  void trackIf(mlir::Operation *op);
  /// Clones `op` without errors of its own: results have an infinite bound
  /// wherever an operand has an error.
  void trackUnknown(mlir::Operation *op);
  /// Clones an operation on integers and indices as it is.
  mlir::Operation *clonePlain(mlir::Operation *op);
  /// The sum of all errors of these values, as a scalar, or null.
  mlir::Value totalError(mlir::ValueRange values);
  /// Makes what `op` gives as unbounded as `flag` (> 0) says.
  void unboundWhere(mlir::Operation *op, mlir::Value flag);

  /// An integer in f64, as its bits are read with or without a sign.
  mlir::Value readingOf(mlir::Value integer, bool isSigned);
  /// A bound of what an error makes of that reading: infinite where the device
  /// may have wrapped around and the reference has not. Null: 0.
  mlir::Value errorOfReading(mlir::Value integer, bool isSigned);
  /// The f64 value of a sum, a difference or a product of integers, which does
  /// not wrap around where one of both readings of the operands does not.
  mlir::Value
  combined(mlir::Operation *op,
           llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  /// The f64 value of an extended integer; what had wrapped around stays
  /// outside of the operand's type.
  mlir::Value extendedInteger(mlir::Operation *op);
  /// Whether an integer has a value in f64 that its bits need not have.
  bool hasOwnNumber(mlir::Value integer) {
    return static_cast<bool>(shadows.lookup(integer).value);
  }
  /// Whether an integer's f64 value is one that its bits have as they are read.
  mlir::Value isRead(mlir::Value integer, bool isSigned);
  /// The number that an integer is meant to be, in f64: as its bits are read,
  /// or where it has wrapped around, the number that it would be.
  mlir::Value numberOf(mlir::Value integer, bool isSigned);
  /// The f64 value of an operation on the numbers of its operands, where one of
  /// them may have wrapped around; null: as its bits are read.
  mlir::Value
  widened(mlir::Operation *op, bool isSigned,
          llvm::function_ref<mlir::Value(Arithmetic64 &, mlir::ValueRange)>
              combine);
  Shadow monotone(mlir::Operation *op, double ulps, bool rounds);
  mlir::Value evaluate(mlir::Operation *op, mlir::ValueRange operands);

  mlir::IRMapping copies;
  llvm::DenseMap<mlir::Value, Shadow> shadows;
  llvm::SetVector<llvm::StringRef> &unknown;
};

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
