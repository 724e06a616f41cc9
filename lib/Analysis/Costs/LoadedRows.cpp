// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/LoadedRows.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Target/PlanCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {
namespace {

/// The values of a body that `value` is computed from, itself among them; none
/// for a value from outside.
llvm::SetVector<Value> valuesBehind(Value value, Block *body) {
  llvm::SetVector<Value> values;
  auto add = [&](Value each) {
    if (each.getParentBlock() == body)
      values.insert(each);
  };
  add(value);
  for (size_t next = 0; next < values.size(); ++next)
    if (Operation *maker = values[next].getDefiningOp())
      llvm::for_each(maker->getOperands(), add);
  return values;
}

/// Whether a position changes with data: with an element of the operation that
/// has the body.
bool isData(Value position, Block *body) {
  return llvm::any_of(valuesBehind(position, body),
                      llvm::IsaPred<BlockArgument>);
}

/// Adds the loops along which a value of the body of `op` changes.
void addLoopsOf(Value value, linalg::LinalgOp op, llvm::SmallBitVector &loops) {
  for (Value each : valuesBehind(value, op.getBlock()))
    if (auto argument = dyn_cast<BlockArgument>(each)) {
      AffineMap map =
          op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()));
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (map.isFunctionOfDim(loop))
          loops.set(loop);
    } else if (auto index = each.getDefiningOp<linalg::IndexOp>()) {
      loops.set(index.getDim());
    }
}

/// The loop whose iterations the position counts, from 0 or, in a step, from
/// where that begins; nothing for other positions.
std::optional<unsigned> loopOf(Value position, Block *body) {
  if (auto index = position.getDefiningOp<linalg::IndexOp>())
    return index.getDim();
  auto apply = position.getDefiningOp<affine::AffineApplyOp>();
  if (!apply || apply->getNumOperands() != 2)
    return std::nullopt;
  auto sum = dyn_cast<AffineBinaryOpExpr>(apply.getAffineMap().getResult(0));
  if (!sum || sum.getKind() != AffineExprKind::Add ||
      !isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS()) ||
      !isa<AffineDimExpr, AffineSymbolExpr>(sum.getRHS()))
    return std::nullopt;
  std::optional<unsigned> loop;
  for (Value operand : apply->getOperands())
    if (auto index = operand.getDefiningOp<linalg::IndexOp>()) {
      if (loop)
        return std::nullopt;
      loop = index.getDim();
    } else if (isData(operand, body)) {
      return std::nullopt;
    }
  return loop;
}

/// Whether an operation of a body computes positions.
bool isOfPositions(Operation *op) {
  return isa<arith::ArithDialect, affine::AffineDialect>(op->getDialect()) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); });
}

} // namespace

std::optional<LoadedRows> LoadedRows::of(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || structured.getNumReductionLoops() > 0 ||
      op->getNumResults() != 1)
    return std::nullopt;
  Block &body = *structured.getBlock();
  Operation *reader = body.getTerminator()->getOperand(0).getDefiningOp();
  std::optional<EntryRead> read = entryReadBy(reader);
  if (!read || reader->getBlock() != &body || read->indices.empty() ||
      isDistributed(read->tensor.getType()) ||
      !read->tensor.getType().hasStaticShape() ||
      llvm::none_of(read->indices,
                    [&](Value position) { return isData(position, &body); }))
    return std::nullopt;
  for (Operation &inner : body.without_terminator())
    if (&inner != reader && !isa<linalg::IndexOp>(inner) &&
        !isOfPositions(&inner))
      return std::nullopt;
  llvm::SmallBitVector inRow(structured.getNumLoops()), ofData = inRow;
  for (Value position : read->indices)
    if (std::optional<unsigned> loop = loopOf(position, &body))
      inRow.set(*loop);
    else
      addLoopsOf(position, structured, ofData);
  inRow.reset(ofData);
  std::optional<unsigned> last = loopOf(read->indices.back(), &body);
  if (!last || !inRow.test(*last))
    return std::nullopt;
  return LoadedRows(read->tensor.getType().getElementType(), std::move(inRow));
}

Count LoadedRows::bytesOfRow(const IterationDomain &iteration) const {
  Count bits{elementBits(element).value_or(64)};
  for (unsigned loop : inRow.set_bits())
    bits *= Count{iteration.loops[loop].extent()};
  return dividedUp(bits, 8);
}

Count LoadedRows::rowsOf(const IterationDomain &iteration) const {
  if (iteration.empty)
    return {};
  Count rows{1};
  for (auto [loop, range] : llvm::enumerate(iteration.loops))
    if (!inRow.test(loop))
      rows *= Count{range.extent()};
  return rows;
}

int64_t LoadedRows::bytesOf(const IterationDomain &iteration) const {
  return (rowsOf(iteration) * bytesOfRow(iteration)).value;
}

int64_t LoadedRows::cyclesOf(const IterationDomain &iteration, int64_t tile,
                             const Target &target) const {
  bool crosses = target.machines().of(tile) != target.machines().of(kDdr);
  int64_t each =
      crossingTransferCycles(target, Direction::DdrToTile,
                             bytesOfRow(iteration).value, crosses ? 1 : 0);
  return (rowsOf(iteration) * Count{each}).value;
}

} // namespace npu
