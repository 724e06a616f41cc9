// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/BreakProgram.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// A part of a split sum: the row of partial results that `combination` adds
/// up.
struct SumPart {
  linalg::GenericOp combination;
  int64_t row;
};

/// The value before redistributions and casts.
Value beforeMoves(Value value) {
  while (keepsIndices(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The reduction that computes a part, of whose result the part is row `row`;
/// null where there is none.
linalg::LinalgOp makerOf(SumPart part, int64_t &row) {
  Value rows = beforeMoves(part.combination.getDpsInputs().front());
  row = part.row;
  // The rows may be a concatenation of several series.
  Operation *put = rows.getDefiningOp();
  auto copies = put ? modelOf<PartwiseOpInterface>(put) : PartwiseOpInterface();
  if (copies && copies.copiedOperands().size() > 1)
    for (Value series : put->getOperands()) {
      rows = beforeMoves(series);
      int64_t count = cast<RankedTensorType>(series.getType()).getDimSize(0);
      if (row < count)
        break;
      row -= count;
    }
  return rows.getDefiningOp<linalg::LinalgOp>();
}

/// Builds the condition that loop 0, which runs along the rows, is at row
/// `row`.
Value isRow(OpBuilder &builder, Location loc, int64_t row) {
  Value index = linalg::IndexOp::create(builder, loc, 0);
  Value number = arith::ConstantIndexOp::create(builder, loc, row);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index,
                               number);
}

/// Begins the sum of one row with 1.0 instead of -0.0, which is large enough
/// not to be lost by rounding.
bool spoilNeutral(const SumPart &part) {
  int64_t row = 0;
  linalg::LinalgOp maker = makerOf(part, row);
  if (!maker)
    return false;
  OpOperand *init = maker.getDpsInitOperand(0);
  Value begin = beforeMoves(init->get());
  auto start = begin.getDefiningOp<linalg::LinalgOp>();
  FloatAttr neutral;
  if (!start || dataNeedOf(begin) != DataNeed::Uniform ||
      start.getNumDpsInputs() != 1 ||
      !matchPattern(start.getDpsInputs().front(), m_Constant(&neutral)))
    return false;
  APFloat wrong = neutral.getValue();
  wrong.add(APFloat(wrong.getSemantics(), "1.0"), APFloat::rmNearestTiesToEven);
  OpBuilder builder(maker);
  auto type = cast<RankedTensorType>(init->get().getType());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto spoiled = linalg::GenericOp::create(
      builder, maker.getLoc(), TypeRange{type}, ValueRange{}, init->get(),
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(type.getRank())},
      kinds, [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Value other = arith::ConstantOp::create(
            body, loc, body.getFloatAttr(neutral.getType(), wrong));
        Value begin = arith::SelectOp::create(body, loc, isRow(body, loc, row),
                                              other, arguments[0]);
        linalg::YieldOp::create(body, loc, begin);
      });
  init->set(spoiled.getResult(0));
  return true;
}

/// Rewrites the combination: the sum after the part becomes what `spoil` makes
/// of the sums before and after it.
void spoilSum(
    SumPart part,
    llvm::function_ref<Value(OpBuilder &, Operation *, Value)> spoil) {
  Operation *yield = part.combination.getBody()->getTerminator();
  OpBuilder builder(yield);
  Value after = yield->getOperand(0);
  Value before = part.combination.getRegionOutputArgs()[0];
  Value wrong = spoil(builder, after.getDefiningOp(), before);
  yield->setOperand(
      0, arith::SelectOp::create(builder, yield->getLoc(),
                                 isRow(builder, yield->getLoc(), part.row),
                                 wrong, after));
}

void combineTwice(const SumPart &part) {
  spoilSum(part, [](OpBuilder &builder, Operation *combiner, Value before) {
    Operation *again = builder.clone(*combiner);
    again->replaceUsesOfWith(before, combiner->getResult(0));
    return again->getResult(0);
  });
}

void loseCombination(const SumPart &part) {
  spoilSum(part, [](OpBuilder &, Operation *, Value before) { return before; });
}

} // namespace

std::string spoilSplitSum(ModuleOp module, uint64_t seed) {
  SmallVector<SumPart> parts;
  module.walk([&](linalg::GenericOp op) {
    if (!op->hasAttr(splitReductionAttrName))
      return;
    Value rows = op.getDpsInputs().front();
    int64_t count = cast<RankedTensorType>(rows.getType()).getDimSize(0);
    for (int64_t row = 0; row < count; ++row)
      parts.push_back({op, row});
  });
  if (parts.empty())
    return "";
  std::size_t number = seed / 3 % parts.size();
  const SumPart &spoiled = parts[number];
  auto said = [&](const char *what) {
    return fmt::format("part {} of the {} parts of all split sums {}", number,
                       parts.size(), what);
  };
  switch (seed % 3) {
  case 0:
    loseCombination(spoiled);
    return said("is lost");
  case 1:
    combineTwice(spoiled);
    return said("is combined twice");
  default:
    return spoilNeutral(spoiled) ? said("begins with another number") : "";
  }
}

} // namespace npu
