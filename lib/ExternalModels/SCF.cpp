// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of PaddingOpInterface for the scf.if that upstream's lowering of
// TOSA makes for every dynamic shape: a broadcast that repeats nothing where
// extents follow the prompt length.

#include "Models.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The operation scf.if (%measured == 1) { the only entry of `source` along
/// `dim`, `wanted` times } else { `source` }.
struct BroadcastChoice {
  Value source, measured;
  unsigned dim;
  OpFoldResult wanted;
};

/// The dimension along which `op` repeats one entry of its only input, if it
/// copies the input along all others.
std::optional<unsigned> repeatedDim(linalg::GenericOp op) {
  Block *body = op.getBody();
  bool copies = op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
                op.getNumReductionLoops() == 0 &&
                op.getIndexingMapsArray()[1].isIdentity() &&
                body->getTerminator()->getOperand(0) == body->getArgument(0);
  AffineMap map = op.getIndexingMapsArray()[0];
  if (!copies || map.getNumResults() != map.getNumDims())
    return std::nullopt;
  std::optional<unsigned> repeated;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (expr == getAffineDimExpr(dim, op.getContext()))
      continue;
    if (repeated || expr != getAffineConstantExpr(0, op.getContext()))
      return std::nullopt;
    repeated = dim;
  }
  return repeated;
}

std::optional<BroadcastChoice> matchBroadcast(scf::IfOp choice) {
  auto asks = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (choice.getNumResults() != 1 || !asks ||
      asks.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(asks.getRhs(), m_One()))
    return std::nullopt;
  auto repeats =
      choice.thenYield().getOperand(0).getDefiningOp<linalg::GenericOp>();
  Value source = choice.elseYield().getOperand(0);
  if (!isMemoryEffectFree(choice) || !repeats ||
      repeats->getParentOp() != choice || repeats->getOperand(0) != source ||
      source.getType() != choice.getResult(0).getType())
    return std::nullopt;
  std::optional<unsigned> dim = repeatedDim(repeats);
  auto into = repeats->getOperand(1).getDefiningOp<tensor::EmptyOp>();
  if (!dim || !into)
    return std::nullopt;
  return BroadcastChoice{source, asks.getLhs(), *dim,
                         into.getMixedSizes()[*dim]};
}

Refusal refuse(std::string rule, Value operand = {}) {
  return Refusal(std::move(rule), operand, Refusal::WorkOnRealPart);
}

struct IfPadding : PaddingOpInterface::ExternalModel<IfPadding, scf::IfOp> {
  /// Where as many entries are wanted as the source has, both branches give the
  /// source.
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    std::optional<BroadcastChoice> broadcast =
        matchBroadcast(cast<scf::IfOp>(op));
    if (!broadcast)
      return refuse("it is not known what it does with padding; expected a "
                    "choice that repeats one entry along a dimension where "
                    "there is one");
    AffineExpr have = transfer.realExtent(broadcast->source, broadcast->dim);
    AffineExpr measured = transfer.exprOf(broadcast->measured);
    if (!have || have != measured)
      return refuse(
          fmt::format("it is not known what it does with padding; "
                      "expected it to ask for the extent of dimension {} "
                      "of {{}}, {}, got {}",
                      broadcast->dim, have ? spell(have) : "?",
                      measured ? spell(measured) : "?"),
          broadcast->source);
    AffineExpr want = transfer.exprOf(broadcast->wanted);
    if (have != want)
      return refuse(fmt::format(
          "dimension {} is repeated where it has one entry; expected as many "
          "entries to be wanted as there are, got {} of {}",
          broadcast->dim, want ? spell(want) : "?", spell(have)));
    transfer.setResult(op->getResult(0), transfer.of(broadcast->source));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    std::optional<BroadcastChoice> broadcast =
        matchBroadcast(cast<scf::IfOp>(op));
    if (!broadcast)
      return {};
    return {operands.padded(broadcast->source, op->getLoc())};
  }
};

} // namespace

void registerSCFModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::IfOp::attachInterface<IfPadding>(*context);
  });
}

} // namespace npu
