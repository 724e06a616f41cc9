// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar expressions of a region, put together from their operands.

#ifndef NPU_FUZZ_BODIES_MAKEEXPRS_H
#define NPU_FUZZ_BODIES_MAKEEXPRS_H

#include "npu-fuzz/Bodies/BodyRecipe.h"

namespace npu {

/// A constant of that type.
BodyExpr number(BodyType type, double value);
/// A number of type index.
BodyExpr indexNumber(int64_t value);
/// The entry of an input of the operation.
BodyExpr input(BodyType type, int64_t number);
/// The operation `name`, whose result has the type of its first operand.
BodyExpr simple(std::string name, std::vector<BodyExpr> operands);
/// An arith.select.
BodyExpr choose(BodyExpr condition, BodyExpr yes, BodyExpr no);
/// A comparison, of type i1.
BodyExpr comparison(std::string predicate, BodyExpr a, BodyExpr b);
/// The conversion `name` to that type.
BodyExpr cast(std::string name, BodyType type, BodyExpr operand);
/// A position, converted to that type.
BodyExpr positionAs(BodyType type, BodyExpr position);

} // namespace npu

#endif // NPU_FUZZ_BODIES_MAKEEXPRS_H
