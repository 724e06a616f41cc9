// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Costs/OutputStage.h"
#include "EngineWork.h"
#include "OutputSteps.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Target/Costs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

int64_t bitsOf(Value value) {
  return elementBits(getElementTypeOrSelf(value.getType())).value_or(64);
}

bool isConversion(Operation *op) {
  return isa<CastOpInterface>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

/// Follows a value through the body and counts what the output stage has left.
class Follower {
public:
  Follower(linalg::LinalgOp op, ArrayRef<unsigned> channels,
           const EngineFigures &figures)
      : op(op), channels(channels), sums(figures.outputSums),
        products(figures.outputProducts), bounds(figures.outputBounds) {}

  /// What the next step makes of `value`, if the output stage can do it.
  Value next(Value value) {
    if (!value.hasOneUse())
      return {};
    OpOperand &use = *value.use_begin();
    Operation *step = use.getOwner();
    if (step->getBlock() != op.getBlock())
      return {};
    if (isConversion(step))
      return step->getResult(0);
    int64_t *left = leftFor(step);
    if (!left || *left == 0 ||
        !isTheSame(step->getOperand(1 - use.getOperandNumber())))
      return {};
    --*left;
    return step->getResult(0);
  }

private:
  int64_t *leftFor(Operation *step) {
    if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(step))
      return &sums;
    if (isa<arith::MulFOp, arith::MulIOp>(step))
      return &products;
    return isEngineArithmetic(step) ? &bounds : nullptr;
  }

  /// Whether `value` is one number for all entries, or one for each channel.
  bool isTheSame(Value value) {
    while (Operation *made = value.getDefiningOp()) {
      if (made->getBlock() != op.getBlock() ||
          made->hasTrait<OpTrait::ConstantLike>())
        return true;
      if (!isConversion(made))
        return false;
      value = made->getOperand(0);
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner() != op.getBlock())
      return true;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type)
      return true;
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto [extent, position] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(position);
      if (extent != 1 &&
          (!loop || !llvm::is_contained(channels, loop.getPosition())))
        return false;
    }
    return op.isDpsInput(operand);
  }

  linalg::LinalgOp op;
  ArrayRef<unsigned> channels;
  int64_t sums, products, bounds;
};

/// Whether `op` computes each entry of its only result by itself.
bool isElementwise(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation();
}

/// Whether the value is read there: an output that is only written over is
/// made where it is written.
bool isRead(OpOperand &use) {
  auto structured = dyn_cast<linalg::LinalgOp>(use.getOwner());
  return !structured || readsOperand(structured, use);
}

/// The operation that makes what `operand` reads, through casts that move
/// nothing, if nobody else reads what it makes but operations to be replaced.
Operation *onlyMakerOf(OpOperand &operand, ArrayRef<Operation *> replaced) {
  OpOperand *reader = &operand;
  while (llvm::all_of(reader->get().getUses(), [&](OpOperand &use) {
    return &use == reader || !isRead(use) ||
           llvm::is_contained(replaced, use.getOwner());
  })) {
    auto cast = reader->get().getDefiningOp<DistributionCastOp>();
    if (!cast)
      return reader->get().getDefiningOp();
    reader = &cast->getOpOperand(0);
  }
  return nullptr;
}

/// The operand as it is staged where `maker` is work of a matrix engine;
/// nothing where it is not.
std::optional<StagedOperand> madeByEngine(OpOperand &operand,
                                          Operation *maker) {
  auto structured = dyn_cast_or_null<linalg::LinalgOp>(maker);
  std::optional<OpAccess> access =
      structured ? OpAccess::get(maker) : std::nullopt;
  std::optional<EngineWork> work =
      access ? findWindowsOrProducts(structured, *access) : std::nullopt;
  if (!work || !work->parts.empty())
    return std::nullopt;
  EngineWork::Loops loops = work->outputs;
  if (work->kind != EngineKind::Contraction)
    loops.append(work->groups);
  AffineMap map =
      structured.getMatchingIndexingMap(structured.getDpsInitOperand(0));
  StagedOperand staged{operand.getOperandNumber(), work->elementBits, {}};
  for (auto [dim, position] : llvm::enumerate(map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(position);
        loop && llvm::is_contained(loops, loop.getPosition()))
      staged.channels.push_back(static_cast<int64_t>(dim));
  return staged;
}

} // namespace

OutputSteps outputStepsFrom(linalg::LinalgOp op, Value start,
                            ArrayRef<unsigned> channels, int64_t bits,
                            const CostFigures &figures) {
  Follower follower(op, channels, engineFor(figures, bits));
  OutputSteps found{{}, start};
  SmallVector<Operation *, 4> steps;
  for (Value made = follower.next(start); made; made = follower.next(made)) {
    steps.push_back(made.getDefiningOp());
    if (bitsOf(made) <= bitsOf(start))
      found = {steps, made};
  }
  return found;
}

OutputSteps stepsOf(Operation *op, const StagedOperand *staged,
                    const CostFigures &figures) {
  if (!staged)
    return {};
  auto structured = cast<linalg::LinalgOp>(op);
  OpOperand &operand = op->getOpOperand(staged->number);
  AffineMap map = structured.getMatchingIndexingMap(&operand);
  SmallVector<unsigned> loops;
  for (int64_t dim : staged->channels)
    loops.push_back(map.getDimPosition(dim));
  OutputSteps found =
      outputStepsFrom(structured, structured.getMatchingBlockArgument(&operand),
                      loops, staged->bits, figures);
  found.operand = &operand;
  return found;
}

std::optional<StagedOperand> findStagedOperand(Operation *op,
                                               const CostFigures &figures,
                                               ArrayRef<Operation *> replaced) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !isElementwise(structured))
    return std::nullopt;
  AffineMap written =
      structured.getMatchingIndexingMap(structured.getDpsInitOperand(0));
  for (OpOperand *operand : structured.getDpsInputOperands()) {
    if (structured.getMatchingIndexingMap(operand) != written)
      continue;
    Operation *maker = onlyMakerOf(*operand, replaced);
    // An engine that does the maker in steps has no whole result to go on with.
    if (!maker || maker->getBlock() != op->getBlock() || hasSteps(maker))
      continue;
    std::optional<StagedOperand> staged = madeByEngine(*operand, maker);
    if (staged && !stepsOf(op, &*staged, figures).steps.empty())
      return staged;
  }
  return std::nullopt;
}

bool isStagedByReader(Operation *op, const CostFigures &figures) {
  return op->getNumResults() == 1 &&
         llvm::any_of(op->getResult(0).getUses(), [&](OpOperand &use) {
           std::optional<StagedOperand> staged =
               findStagedOperand(use.getOwner(), figures);
           return staged && staged->number == use.getOperandNumber();
         });
}

} // namespace npu
