// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexRanges.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// How many operations are looked through: enough for what computes an index,
/// and few enough where operands are shared.
constexpr unsigned deepest = 8;

ConstantIntRanges allOf(Type type) {
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(type));
}

/// The range of the induction variable of a loop over the numbers
/// [first, first + count).
ConstantIntRanges rangeOfLoop(Type type, int64_t first, int64_t count) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(type);
  return ConstantIntRanges::fromSigned(
      APInt(width, first, /*isSigned=*/true),
      APInt(width, first + std::max<int64_t>(count - 1, 0), /*isSigned=*/true));
}

ConstantIntRanges rangeOfArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar() || loop.getUnsignedCmp())
    return allOf(argument.getType());
  auto first = getConstantIntValue(loop.getLowerBound()),
       end = getConstantIntValue(loop.getUpperBound());
  int64_t count = 0;
  if (!first || !end || llvm::SubOverflow(*end, *first, count))
    return allOf(argument.getType());
  return rangeOfLoop(argument.getType(), *first, count);
}

ConstantIntRanges rangeOf(Value value, unsigned depth) {
  Type type = value.getType();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return rangeOfArgument(argument);
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return ConstantIntRanges::constant(number);
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto structured = op->getParentOfType<linalg::LinalgOp>();
    if (!structured)
      return allOf(type);
    int64_t count = structured.getStaticLoopRanges()[index.getDim()];
    return ShapedType::isDynamic(count) ? allOf(type)
                                        : rangeOfLoop(type, 0, count);
  }
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable || depth == 0 ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return type.isIntOrIndex(); }))
    return allOf(type);
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(rangeOf(operand, depth - 1));
  ConstantIntRanges found = allOf(type);
  inferable.inferResultRanges(
      operands, [&](Value result, const ConstantIntRanges &range) {
        if (result == value)
          found = range;
      });
  return found;
}

} // namespace

ConstantIntRanges rangeOf(Value value) { return rangeOf(value, deepest); }

bool isWithin(Value value, int64_t first, int64_t last) {
  ConstantIntRanges range = rangeOf(value);
  return range.smin().sge(first) && range.smax().sle(last);
}

} // namespace npu
