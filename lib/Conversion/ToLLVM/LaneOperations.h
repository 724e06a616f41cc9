// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a structured operation's body on vectors, whose lanes have
// the bits that scalars would have.
//
// Floats of less than 32 bits are computed as LLVM computes scalars of them
// where a processor has no such arithmetic: in f32, and rounded to the short
// type after every operation. f32 has more than twice their digits and two
// more, so that rounding twice gives the sum, difference, product, quotient and
// root that rounding once would give (Figueroa, "When is double rounding
// innocuous?", SIGNUM 30:3, 1995). LLVM has no code for most operations on
// vectors of short floats, and it has all of them for f32.

#ifndef NPU_LIB_CONVERSION_TOLLVM_LANEOPERATIONS_H
#define NPU_LIB_CONVERSION_TOLLVM_LANEOPERATIONS_H

#include "mlir/IR/Builders.h"

namespace npu {

/// The bits of an element; of an index, those that it has on this machine.
int64_t bitsOf(mlir::Type type);

/// f32 for shorter floats, or else the type itself: what values of an element
/// type are while they are computed. A short float in f32 is a number that the
/// short type has.
mlir::Type computedType(mlir::Type element);

/// Whether `buildLanes` has the operation.
bool isLanewise(mlir::Operation &op);

/// About how many instructions a vector of the operation is.
int64_t weightOf(mlir::Operation &op);

/// Consecutive lanes that one vector holds, and the first of them.
struct LanePart {
  int64_t first, width;
};

/// Divides lanes of a type of `bits` bits into vectors that LLVM has code for:
/// it takes vectors apart, number by number, which are neither a power of two
/// long nor fit a register.
llvm::SmallVector<LanePart> divideLanes(int64_t width, int64_t bits);

/// `width` lanes of a type; for 1, the type.
mlir::Type lanesOf(mlir::Type element, int64_t width);

/// Lanes that are all the same number.
mlir::Value broadcastLanes(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value scalar, int64_t width);

/// Takes lanes of an element type to the type in which they are computed.
mlir::Value widenLanes(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value lanes);

/// Takes computed lanes to their element type, which is exact.
mlir::Value narrowLanes(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value lanes, mlir::Type element);

/// Transposes as many vectors as each has lanes, a power of two: lane i of
/// vector j of the result is lane j of vector i.
llvm::SmallVector<mlir::Value>
transposeLanes(mlir::OpBuilder &builder, mlir::Location loc,
               llvm::ArrayRef<mlir::Value> vectors);

/// Builds an operation of a body on computed lanes; returns computed lanes.
mlir::Value buildLanes(mlir::OpBuilder &builder, mlir::Operation &op,
                       mlir::ValueRange operands, int64_t width);

} // namespace npu

#endif // NPU_LIB_CONVERSION_TOLLVM_LANEOPERATIONS_H
