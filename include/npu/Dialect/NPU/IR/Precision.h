// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which element types an operation stores, accumulates and computes, and
// which of them go together. The numbers are those of the constraints of
// #npu.precision in NPUAttributes.td.

#ifndef NPU_DIALECT_NPU_IR_PRECISION_H
#define NPU_DIALECT_NPU_IR_PRECISION_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Placement/Result.h"

#include <array>

namespace npu {

/// The element types of one operation; a null type is not said. Example: a
/// matrix product of f16 that adds up in f32 is {f16, f32, f32}.
struct Precision {
  mlir::Type storage, accumulation, intermediate;

  bool operator==(const Precision &) const = default;
};

/// What a key of #npu.precision names, in the order of the attribute.
struct PrecisionKey {
  llvm::StringLiteral name;
  mlir::Type Precision::*type;
};

inline constexpr std::array<PrecisionKey, 3> precisionKeys = {
    PrecisionKey{"storage", &Precision::storage},
    PrecisionKey{"accumulation", &Precision::accumulation},
    PrecisionKey{"intermediate", &Precision::intermediate}};

/// "f16, bf16, f32, f64, i8, i16, i32, i64"
llvm::StringRef listPrecisionTypes();

/// The type that is spelled so; null where there is none. Constraint 2.
mlir::Type parsePrecisionType(mlir::MLIRContext *context, llvm::StringRef text);

/// Whether every number of `narrow` is a number of `wide`. Two floats or two
/// integers without a sign; anything else does not hold. Examples: f32 holds
/// f16, bf16 does not, i32 holds i8.
bool holdsEvery(mlir::Type wide, mlir::Type narrow);

/// Constraints 1 to 4 of the types that are said.
Result<> checkPrecision(const Precision &types);

/// Constraint 5: `element` is the element type of a result.
Result<> checkResult(const Precision &types, mlir::Type element);

Precision toPrecision(PrecisionAttr attr);
PrecisionAttr toAttr(mlir::MLIRContext *context, const Precision &types);

/// "storage f16, accumulation f32, intermediate f32"
std::string toString(const Precision &types);

/// "f16"
std::string toString(mlir::Type type);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_PRECISION_H
