// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoadedRows.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Target/PlanCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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
      !loopOf(read->indices.back()) || !llvm::any_of(read->indices, isData))
    return std::nullopt;
  for (Operation &inner : body.without_terminator())
    if (&inner != reader && !isa<linalg::IndexOp>(inner) &&
        !isOfPositions(&inner))
      return std::nullopt;
  return LoadedRows(*read);
}

/// What the last loops read without a gap: further ones as long as those inside
/// read all of their dimensions.
Count LoadedRows::entriesOfRow(const IterationDomain &iteration) const {
  ArrayRef<int64_t> shape = read.tensor.getType().getShape();
  Count entries{1};
  for (size_t dim = shape.size(); dim-- > 0;) {
    std::optional<unsigned> loop = loopOf(read.indices[dim]);
    if (!loop)
      break;
    int64_t extent = iteration.loops[*loop].extent();
    entries *= Count{extent};
    if (extent != shape[dim])
      break;
  }
  return entries;
}

Count LoadedRows::bytesOfRow(const IterationDomain &iteration) const {
  Type type = read.tensor.getType().getElementType();
  return dividedUp(
      entriesOfRow(iteration) * Count{elementBits(type).value_or(64)}, 8);
}

Count LoadedRows::rowsOf(const IterationDomain &iteration) const {
  if (iteration.empty)
    return {};
  Count entries{1};
  for (const Range &loop : iteration.loops)
    entries *= Count{loop.extent()};
  int64_t ofRow = std::max<int64_t>(entriesOfRow(iteration).value, 1);
  return {entries.value / ofRow};
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
