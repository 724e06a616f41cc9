// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bits of an integer stand for. Integers have no sign of their own:
// operations read them with one or without, and programs wrap around on
// purpose. So errors are modulo 2^bits, and become distances of numbers only
// where an operation reads the bits; and a value in f64 has wrapped around only
// where neither reading of the operands gives a number that the type holds.

#ifndef NPU_LIB_AUDIT_TRACKERRORS_INTEGERREADINGS_H
#define NPU_LIB_AUDIT_TRACKERRORS_INTEGERREADINGS_H

#include "Tracker.h"

namespace npu {

/// An integer in f64, as its bits are read with or without a sign.
mlir::Value readingOf(Tracker &tracker, mlir::Value integer, bool isSigned);

/// A bound of what an error makes of that reading: infinite where the device
/// may have wrapped around and the reference has not. Null: 0.
mlir::Value errorOfReading(Tracker &tracker, mlir::Value integer,
                           bool isSigned);

/// The f64 value of a sum, a difference or a product of integers, which does
/// not wrap around where one of both readings of the operands does not.
mlir::Value
combined(Tracker &tracker, mlir::Operation *op,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// The f64 value of an extended integer; what had wrapped around stays outside
/// of the operand's type.
mlir::Value extendedInteger(Tracker &tracker, mlir::Operation *op);

/// The f64 value of an operation on the numbers of its operands, where one of
/// them may have wrapped around; null: as its bits are read.
mlir::Value widened(
    Tracker &tracker, mlir::Operation *op, bool isSigned,
    llvm::function_ref<mlir::Value(Arithmetic64 &, mlir::ValueRange)> combine);

} // namespace npu

#endif // NPU_LIB_AUDIT_TRACKERRORS_INTEGERREADINGS_H
