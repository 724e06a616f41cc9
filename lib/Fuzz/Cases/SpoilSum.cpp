// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SpoilSum.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// What makes the partial result that comes in as `value`, maybe from other
/// tiles; null for what is none.
linalg::LinalgOp makerOf(Value value) {
  while (auto moved = value.getDefiningOp<RedistributeOp>())
    value = moved->getOperand(0);
  return value.getDefiningOp<linalg::LinalgOp>();
}

/// The fill that a part begins with.
linalg::FillOp startOf(linalg::GenericOp combination) {
  linalg::LinalgOp maker = makerOf(combination.getDpsInputs().front());
  if (!maker)
    return nullptr;
  Value start = maker.getDpsInits().front();
  while (auto moved = start.getDefiningOp<RedistributeOp>())
    start = moved->getOperand(0);
  return start.getDefiningOp<linalg::FillOp>();
}

/// -0.0 becomes 1.0: what is added to numbers of that size is not swallowed.
bool spoilNeutral(linalg::GenericOp combination) {
  linalg::FillOp start = startOf(combination);
  FloatAttr neutral;
  if (!start ||
      !matchPattern(start.getDpsInputs().front(), m_Constant(&neutral)))
    return false;
  APFloat wrong = neutral.getValue();
  wrong.add(APFloat(wrong.getSemantics(), "1.0"), APFloat::rmNearestTiesToEven);
  // All parts may have one constant.
  OpBuilder builder(start);
  Value constant = arith::ConstantOp::create(
      builder, start.getLoc(), builder.getFloatAttr(neutral.getType(), wrong));
  start->setOperand(0, constant);
  return true;
}

void combineTwice(linalg::GenericOp combination) {
  OpBuilder builder(combination->getContext());
  builder.setInsertionPointAfter(combination);
  Operation *again = builder.clone(*combination);
  combination.getResult(0).replaceAllUsesWith(again->getResult(0));
  cast<linalg::GenericOp>(again).setDpsInitOperand(0, combination.getResult(0));
}

void loseCombination(linalg::GenericOp combination) {
  combination.getResult(0).replaceAllUsesWith(
      combination.getDpsInits().front());
  combination.erase();
}

} // namespace

std::string spoilSplitSum(ModuleOp module, uint64_t seed) {
  // One for each part of each reduction.
  SmallVector<linalg::GenericOp> combinations;
  module.walk([&](linalg::GenericOp op) {
    if (op->hasAttr(splitReductionAttrName))
      combinations.push_back(op);
  });
  if (combinations.empty())
    return "";
  std::size_t number = seed / 3 % combinations.size();
  linalg::GenericOp spoiled = combinations[number];
  auto said = [&](const char *what) {
    return fmt::format("part {} of the {} parts of all split sums {}", number,
                       combinations.size(), what);
  };
  switch (spoiledSumOf(seed)) {
  case SpoiledSum::Lost:
    loseCombination(spoiled);
    return said("is lost");
  case SpoiledSum::Twice:
    combineTwice(spoiled);
    return said("is combined twice");
  case SpoiledSum::Neutral:
    if (!spoilNeutral(spoiled))
      return "";
    return said("begins with another number");
  }
  return "";
}

} // namespace npu
