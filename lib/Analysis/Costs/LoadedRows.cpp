// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/LoadedRows.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Target/PlanCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether a position changes with data: with an element of the operation.
bool isData(Value position) {
  if (auto argument = dyn_cast<BlockArgument>(position))
    return isa<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  Operation *maker = position.getDefiningOp();
  if (isa<linalg::IndexOp>(maker))
    return false;
  return llvm::any_of(maker->getOperands(), isData);
}

/// Adds the loops along which a value of the body of `op` changes.
void addLoopsOf(Value value, linalg::LinalgOp op, llvm::SmallBitVector &loops) {
  if (value.getParentBlock() != op.getBlock())
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    AffineMap map =
        op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()));
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.set(loop);
    return;
  }
  Operation *maker = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    loops.set(index.getDim());
  for (Value operand : maker->getOperands())
    addLoopsOf(operand, op, loops);
}

/// The loop whose iterations the position counts, from 0 or, in a step, from
/// where that begins; nothing for other positions.
std::optional<unsigned> loopOf(Value position) {
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
    } else if (isData(operand)) {
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
      !llvm::any_of(read->indices, isData))
    return std::nullopt;
  for (Operation &inner : body.without_terminator())
    if (&inner != reader && !isa<linalg::IndexOp>(inner) &&
        !isOfPositions(&inner))
      return std::nullopt;
  llvm::SmallBitVector inRow(structured.getNumLoops()), ofData = inRow;
  for (Value position : read->indices)
    if (std::optional<unsigned> loop = loopOf(position))
      inRow.set(*loop);
    else
      addLoopsOf(position, structured, ofData);
  inRow.reset(ofData);
  std::optional<unsigned> last = loopOf(read->indices.back());
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
