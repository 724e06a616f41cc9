// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnknownNumbers.h"

#include "npu/Interfaces/PaddingState.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The most lengths at which a number is computed.
constexpr int64_t kMostLengths = 4096;

/// Computes numbers at one length.
class NumberAtLength {
public:
  NumberAtLength(int64_t length, ExprOfValue exprOf)
      : length(length), exprOf(exprOf) {}

  std::optional<int64_t> of(OpFoldResult number) {
    if (std::optional<int64_t> constant = getConstantIntValue(number))
      return constant;
    auto value = cast<Value>(number);
    if (auto known = numbers.find(value); known != numbers.end())
      return known->second;
    std::optional<int64_t> result = compute(value);
    numbers[value] = result;
    return result;
  }

private:
  std::optional<int64_t> compute(Value value) {
    if (AffineExpr expr = exprOf(value))
      return valueOf(expr, 0, length);
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() > 0)
      return std::nullopt;
    SmallVector<int64_t> operands;
    if (!isa<affine::AffineApplyOp, arith::MinSIOp, arith::MaxSIOp,
             arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(
            op))
      return std::nullopt;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> number = of(operand);
      constexpr int64_t most = int64_t(1) << 30;
      if (!number || *number < -most || *number > most)
        return std::nullopt;
      operands.push_back(*number);
    }
    return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
        .Case([&](affine::AffineApplyOp apply) {
          return valueOf(apply.getAffineMap().getResult(0),
                         apply.getAffineMap().getNumDims(), operands);
        })
        .Case(
            [&](arith::MinSIOp) { return std::min(operands[0], operands[1]); })
        .Case(
            [&](arith::MaxSIOp) { return std::max(operands[0], operands[1]); })
        .Case([&](arith::AddIOp) { return operands[0] + operands[1]; })
        .Case([&](arith::SubIOp) { return operands[0] - operands[1]; })
        .Case([&](arith::MulIOp) { return operands[0] * operands[1]; })
        .Default([&](Operation *) { return operands[0]; });
  }

  /// The value of an expression of dimensions and, after them, symbols.
  static std::optional<int64_t> valueOf(AffineExpr expr, unsigned dims,
                                        ArrayRef<int64_t> numbers) {
    SmallVector<AffineExpr> all;
    for (int64_t number : numbers)
      all.push_back(getAffineConstantExpr(number, expr.getContext()));
    auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
        expr.replaceDimsAndSymbols(ArrayRef(all).take_front(dims),
                                   ArrayRef(all).drop_front(dims)),
        0, 0));
    return constant ? std::optional<int64_t>(constant.getValue())
                    : std::nullopt;
  }

  int64_t length;
  ExprOfValue exprOf;
  llvm::DenseMap<Value, std::optional<int64_t>> numbers;
};

/// What a number is at the lengths 1, 2, ...; nothing where it is not computed
/// of the length.
std::optional<SmallVector<int64_t>>
numbersAtLengths(OpFoldResult number, int64_t maxLength, ExprOfValue exprOf) {
  SmallVector<int64_t> numbers;
  for (int64_t length = 1; length <= std::min(maxLength, kMostLengths);
       ++length) {
    std::optional<int64_t> found = NumberAtLength(length, exprOf).of(number);
    if (!found)
      return std::nullopt;
    numbers.push_back(*found);
  }
  return numbers;
}

} // namespace

void noteUnknownSize(InFlightDiagnostic &error, Operation *op,
                     int64_t maxLength, ExprOfValue exprOf) {
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  if (!slice)
    return;
  for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
    if (getConstantIntValue(size) || exprOf(cast<Value>(size)))
      continue;
    auto numbers = numbersAtLengths(size, maxLength, exprOf);
    if (!numbers)
      continue;
    const auto *none = llvm::find_if(*numbers, [](int64_t n) { return n < 1; });
    if (none != numbers->end()) {
      error.attachNote() << "along dimension " << dim << ", it has " << *none
                         << " entries at length "
                         << none - numbers->begin() + 1;
      return;
    }
    // Up to some length it grows as with the first ones.
    size_t known = 1;
    int64_t factor = numbers->size() > 1 ? (*numbers)[1] - (*numbers)[0] : 0;
    while (known < numbers->size() &&
           (*numbers)[known] - (*numbers)[known - 1] == factor)
      ++known;
    if (known == numbers->size())
      continue;
    AffineExpr length = getAffineSymbolExpr(0, op->getContext());
    error.attachNote() << "along dimension " << dim << ", it has "
                       << spell(length * factor + ((*numbers)[0] - factor))
                       << " entries up to length " << known << ", and "
                       << (*numbers)[known] << " at length " << known + 1
                       << ": with max-prompt-len = " << known
                       << " that is known";
    return;
  }
}

} // namespace npu
