// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EngineWork.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Target/Count.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace npu {

bool isEngineArithmetic(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
             arith::MulFOp, arith::MulIOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinimumFOp,
             arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(op);
}

namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

int64_t bitsOf(Value tensor) {
  return elementBits(cast<RankedTensorType>(tensor.getType()).getElementType())
      .value_or(64);
}

/// The operand that an argument of the body stands for; null where `value` is
/// no argument of the body.
OpOperand *operandAfter(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return nullptr;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingBlockArgument(&operand) == argument)
      return &operand;
  return nullptr;
}

/// Whether `value` is the same in all iterations.
bool isInvariant(linalg::LinalgOp op, Value value) {
  if (Operation *made = value.getDefiningOp())
    return made->hasTrait<OpTrait::ConstantLike>() ||
           made->getBlock() != op.getBlock();
  OpOperand *operand = operandAfter(op, value);
  return !operand || !isTensor(operand->get());
}

/// What `value` is converted from, in any number of steps.
Value beforeConversions(Value value) {
  while (auto cast = value.getDefiningOp<CastOpInterface>()) {
    if (cast->getNumOperands() != 1)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

/// Whether `value` is the same for several entries of `of`: an invariant, or a
/// tensor along some of the loops of `of` alone, as scales and zero points of
/// channels or of groups are.
bool isShared(linalg::LinalgOp op, Value value, OpOperand *of) {
  value = beforeConversions(value);
  if (isInvariant(op, value))
    return true;
  OpOperand *operand = operandAfter(op, value);
  if (!operand || !of || operand == of)
    return false;
  AffineMap shared = op.getMatchingIndexingMap(operand),
            all = op.getMatchingIndexingMap(of);
  bool isLess = false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (shared.isFunctionOfDim(loop) && !all.isFunctionOfDim(loop))
      return false;
    isLess |= all.isFunctionOfDim(loop) && !shared.isFunctionOfDim(loop);
  }
  return isLess;
}

/// What `value` was before it was widened: converted, less a zero point, and, a
/// quantized integer, times a scale. Zero points and scales are shared by
/// entries.
Value beforeWidening(linalg::LinalgOp op, Value value) {
  value = beforeConversions(value);
  Operation *made = value.getDefiningOp();
  auto of = [&](unsigned main, unsigned other) {
    Value narrow = beforeWidening(op, made->getOperand(main));
    OpOperand *operand = operandAfter(op, narrow);
    bool isScaled = isa<arith::MulFOp>(made);
    if (isScaled && !narrow.getType().isInteger())
      return Value();
    return isShared(op, made->getOperand(other), operand) ? narrow : Value();
  };
  Value narrow;
  if (isa_and_nonnull<arith::SubIOp, arith::SubFOp>(made))
    narrow = of(0, 1);
  else if (isa_and_nonnull<arith::MulFOp>(made) && !(narrow = of(0, 1)))
    narrow = of(1, 0);
  return narrow ? narrow : value;
}

/// What the only output is made of in each iteration; null where there are
/// several outputs.
Value yielded(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op->getNumResults() != 1)
    return {};
  Operation *terminator = op.getBlock()->getTerminator();
  return terminator->getNumOperands() == 1 ? terminator->getOperand(0)
                                           : Value();
}

bool isAccumulator(linalg::LinalgOp op, Value value) {
  return beforeConversions(value) == op.getRegionOutputArgs()[0];
}

/// What `combining`, an operation on two values, combines with the accumulator;
/// null where it does not.
Value combinedWith(linalg::LinalgOp op, Operation *combining) {
  if (isAccumulator(op, combining->getOperand(0)))
    return combining->getOperand(1);
  if (isAccumulator(op, combining->getOperand(1)))
    return combining->getOperand(0);
  return {};
}

using Pair = std::optional<std::pair<OpOperand *, OpOperand *>>;

/// The two tensor inputs after two values, in the order of operands.
Pair tensorsAfter(linalg::LinalgOp op, Value first, Value second) {
  OpOperand *a = operandAfter(op, beforeWidening(op, first));
  OpOperand *b = operandAfter(op, beforeWidening(op, second));
  if (!a || !b || a == b || !isTensor(a->get()) || !isTensor(b->get()) ||
      !op.isDpsInput(a) || !op.isDpsInput(b))
    return std::nullopt;
  if (a->getOperandNumber() > b->getOperandNumber())
    std::swap(a, b);
  return std::pair{a, b};
}

/// The two tensor operands, in their order, of which `op` sums up products.
/// Between, both may be widened.
Pair summedProduct(linalg::LinalgOp op) {
  Value result = yielded(op);
  if (!result)
    return std::nullopt;
  Operation *sum = beforeConversions(result).getDefiningOp();
  if (auto fused = dyn_cast_or_null<math::FmaOp>(sum))
    return isAccumulator(op, fused.getC())
               ? tensorsAfter(op, fused.getA(), fused.getB())
               : std::nullopt;
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value term = combinedWith(op, sum);
  Operation *product = term ? beforeConversions(term).getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  return tensorsAfter(op, product->getOperand(0), product->getOperand(1));
}

/// The only tensor of which `op` combines entries, by a sum, the largest or the
/// least; null where it does anything else.
OpOperand *combinedTensor(linalg::LinalgOp op) {
  Value result = yielded(op);
  if (!result)
    return nullptr;
  Operation *combining = beforeConversions(result).getDefiningOp();
  if (!combining || !isEngineArithmetic(combining) ||
      isa<arith::MulFOp, arith::MulIOp, arith::SubFOp, arith::SubIOp>(
          combining))
    return nullptr;
  Value term = combinedWith(op, combining);
  OpOperand *operand =
      term ? operandAfter(op, beforeConversions(term)) : nullptr;
  bool isInput = operand && isTensor(operand->get()) && op.isDpsInput(operand);
  return isInput ? operand : nullptr;
}

/// The operand that `value` is, or that the steps `before` make it of.
OpOperand *operandBefore(linalg::LinalgOp op, Value value,
                         const OutputSteps &before) {
  if (!before.steps.empty() && value == before.made)
    return before.operand;
  return operandAfter(op, value);
}

/// The two tensor operands of which the body of `op` is one operation that the
/// engine can do, after the steps `before` and followed by steps of its output
/// stage alone.
Pair onlyArithmetic(linalg::LinalgOp op, const OutputSteps &before,
                    const CostFigures &figures) {
  Value result = yielded(op);
  if (!result)
    return std::nullopt;
  for (Operation &each : op.getBlock()->without_terminator()) {
    if (!isEngineArithmetic(&each) || before.has(&each))
      continue;
    OpOperand *a = operandBefore(op, each.getOperand(0), before);
    OpOperand *b = operandBefore(op, each.getOperand(1), before);
    if (!a || !b || !isTensor(a->get()) || !isTensor(b->get()))
      return std::nullopt;
    int64_t bits = std::max(bitsOf(a->get()), bitsOf(b->get()));
    OutputSteps after =
        outputStepsFrom(op, each.getResult(0), {}, bits, figures);
    size_t steps = before.steps.size() + 1 + after.steps.size();
    size_t all = llvm::count_if(
        op.getBlock()->without_terminator(), [](Operation &other) {
          return !other.hasTrait<OpTrait::ConstantLike>();
        });
    if (after.made != result || steps != all)
      return std::nullopt;
    return std::pair{a, b};
  }
  return std::nullopt;
}

using Loops = EngineWork::Loops;

/// Whether a position of the tensor is a sum that `loop` is a part of: a window
/// slides over it.
bool slides(AffineMap map, unsigned loop) {
  return llvm::any_of(map.getResults(), [&](AffineExpr position) {
    return !isa<AffineDimExpr>(position) && position.isFunctionOfDim(loop);
  });
}

bool slidesAnywhere(AffineMap map) {
  return llvm::any_of(map.getResults(), [](AffineExpr position) {
    return !isa<AffineDimExpr, AffineConstantExpr>(position);
  });
}

/// The product of the extents of some loops.
Count extentOf(const Loops &loops, const IterationDomain &iteration) {
  Count product{1};
  for (unsigned loop : loops)
    product *= Count{iteration.loops[loop].extent()};
  return product;
}

/// The number of dimension `loop` of a result; nothing where the result has
/// none.
std::optional<unsigned> positionOf(AffineMap result, unsigned loop) {
  return result.getResultPosition(getAffineDimExpr(loop, result.getContext()));
}

/// The map of an operand, where a loop that runs through a part of a sum stands
/// for the whole position, `step * part + loop`.
AffineMap mapInPart(linalg::LinalgOp op, OpOperand *operand,
                    const llvm::SmallBitVector &cut) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<AffineExpr> positions(map.getResults());
  for (AffineExpr &position : positions)
    for (unsigned loop : cut.set_bits())
      if (position.isFunctionOfDim(loop))
        position = getAffineDimExpr(loop, map.getContext());
  return AffineMap::get(map.getNumDims(), 0, positions, map.getContext());
}

/// Says of each loop what it is there for where products of `image` and
/// `weights` are summed up.
void assignLoops(linalg::LinalgOp op, AffineMap image, AffineMap weights,
                 AffineMap result, EngineWork &work) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool ofImage = image.isFunctionOfDim(loop);
    bool ofWeights = weights.isFunctionOfDim(loop);
    if (llvm::is_contained(work.parts, loop))
      continue;
    if (!positionOf(result, loop))
      (slides(image, loop) ? work.window : work.inputs).push_back(loop);
    else if (ofImage && !ofWeights)
      work.rows.push_back(loop);
    else if (ofWeights && !ofImage)
      work.outputs.push_back(loop);
    else
      work.groups.push_back(loop);
  }
}

/// The bits of the elements that an engine multiplies: those of the wider
/// factor. Integers that are multiplied as floats are floats of 16 bits there.
int64_t bitsOfProduct(linalg::LinalgOp op, OpOperand &image,
                      OpOperand &weights) {
  int64_t bits = std::max(bitsOf(image.get()), bitsOf(weights.get()));
  bool isFloat =
      isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  constexpr int64_t kLeastOfFloats = 16;
  return isFloat ? std::max(bits, kLeastOfFloats) : bits;
}

std::optional<EngineWork> findContraction(linalg::LinalgOp op,
                                          const OpAccess &access) {
  auto factors = summedProduct(op);
  if (!factors || op.getNumReductionLoops() == 0)
    return std::nullopt;
  auto [image, weights] = *factors;
  llvm::SmallBitVector cut = loopsOfParts(op);
  if (slidesAnywhere(mapInPart(op, weights, cut)))
    std::swap(image, weights);
  AffineMap imageMap = mapInPart(op, image, cut);
  AffineMap weightsMap = mapInPart(op, weights, cut);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!weightsMap.isProjectedPermutation() || !result.isProjectedPermutation())
    return std::nullopt;
  EngineWork work{EngineKind::Contraction, bitsOfProduct(op, *image, *weights),
                  image->getOperandNumber(), weights->getOperandNumber()};
  if (cut.any())
    work.parts = {0};
  assignLoops(op, imageMap, weightsMap, result, work);
  // Of one input channel for each group there is nothing to sum up but the
  // window. Without a window, rows and outputs, no two results share what is
  // read, and the engine has nothing to gain.
  if (work.groups.empty())
    return work;
  if (!work.window.empty() &&
      extentOf(work.inputs, access.domain()) == Count{1})
    work.kind = EngineKind::Depthwise;
  else if (work.window.empty() && work.rows.empty() && work.outputs.empty())
    return std::nullopt;
  return work;
}

/// Of the loops that no window slides along, the last dimension of the result
/// is channels, and the others are images.
std::optional<EngineWork> findPooling(linalg::LinalgOp op) {
  OpOperand *image = combinedTensor(op);
  // A part of a sum is no window, although it begins where the part does.
  if (!image || op.getNumReductionLoops() == 0 || loopsOfParts(op).any())
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(image);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!result.isProjectedPermutation())
    return std::nullopt;
  EngineWork work{EngineKind::Pooling, bitsOf(image->get()),
                  image->getOperandNumber()};
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!positionOf(result, loop)) {
      if (!slides(map, loop))
        return std::nullopt;
      work.window.push_back(loop);
    }
  for (AffineExpr position : result.getResults()) {
    unsigned loop = cast<AffineDimExpr>(position).getPosition();
    bool isChannel = map.isFunctionOfDim(loop) && !slides(map, loop);
    if (isChannel) {
      work.rows.append(work.groups);
      work.groups = {loop};
    } else {
      work.rows.push_back(loop);
    }
  }
  return work;
}

std::optional<EngineWork> findElementwise(linalg::LinalgOp op,
                                          const OutputSteps &before,
                                          const CostFigures &figures) {
  auto operands = onlyArithmetic(op, before, figures);
  if (!operands || op.getNumReductionLoops() != 0)
    return std::nullopt;
  auto [a, b] = *operands;
  // A tensor that is repeated along a loop has another shape than the result.
  for (OpOperand *operand : {a, b, op.getDpsInitOperand(0)})
    if (!op.getMatchingIndexingMap(operand).isPermutation())
      return std::nullopt;
  return EngineWork{
      EngineKind::Elementwise,
      std::max({bitsOf(a->get()), bitsOf(b->get()), bitsOf(op->getResult(0))}),
      a->getOperandNumber()};
}

std::optional<EngineWork> findElementwise(Operation *op) {
  if (!isEngineArithmetic(op) ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  return EngineWork{EngineKind::Elementwise, bitsOf(op->getResult(0))};
}

int64_t elementwiseCycles(const EngineWork &work, const Box &part,
                          RankedTensorType resultType,
                          const CostFigures &figures) {
  Count pixels{1}, channels{1};
  Permutation order = getOrder(resultType);
  for (auto [place, dim] : llvm::enumerate(order))
    (place + 1 == order.size() ? channels : pixels) *=
        Count{part[dim].extent()};
  return npu::elementwiseCycles(figures, pixels.value, channels.value,
                                work.elementBits);
}

/// Pixels of the image that a tile reads: its elements without the channels.
int64_t pixelsRead(const EngineWork &work, const OpAccess &access,
                   const IterationDomain &iteration) {
  Count channels{1};
  AffineMap map = access.mapOf(work.image);
  for (const Loops *loops : {&work.groups, &work.inputs})
    for (unsigned loop : *loops)
      if (map.isFunctionOfDim(loop))
        channels *= Count{iteration.loops[loop].extent()};
  return dividedUp({access.read(work.image, iteration).volume()},
                   std::max<int64_t>(channels.value, 1))
      .value;
}

} // namespace

std::optional<EngineWork> findWindowsOrProducts(linalg::LinalgOp op,
                                                const OpAccess &access) {
  if (auto work = findContraction(op, access))
    return work;
  return findPooling(op);
}

std::optional<EngineWork> findEngineWork(Operation *op, const OpAccess &access,
                                         const OutputSteps &before,
                                         const CostFigures &figures) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return findElementwise(op);
  if (auto work = findWindowsOrProducts(structured, access))
    return work;
  return findElementwise(structured, before, figures);
}

int64_t engineCycles(const EngineWork &work, const OpAccess &access,
                     const IterationDomain &iteration,
                     RankedTensorType resultType, const CostFigures &figures) {
  if (iteration.empty)
    return 0;
  if (work.kind == EngineKind::Elementwise)
    return elementwiseCycles(work, access.produced(0, iteration), resultType,
                             figures);
  auto extent = [&](const Loops &loops) { return extentOf(loops, iteration); };
  if (work.kind == EngineKind::Contraction)
    return (extent(work.parts) * extent(work.groups) *
            Count{contractionCycles(
                figures, {.rows = extent(work.rows).value,
                          .inputChannels = extent(work.inputs).value,
                          .outputChannels = extent(work.outputs).value,
                          .elementBits = work.elementBits,
                          .window = extent(work.window).value})})
        .value;
  WindowPart part{.pixels = extent(work.rows).value,
                  .pixelsRead = pixelsRead(work, access, iteration),
                  .channels = (extent(work.parts) * extent(work.groups) *
                               extent(work.outputs))
                                  .value,
                  .window = extent(work.window).value,
                  .elementBits = work.elementBits};
  return work.kind == EngineKind::Depthwise ? depthwiseCycles(figures, part)
                                            : poolingCycles(figures, part);
}

} // namespace npu
