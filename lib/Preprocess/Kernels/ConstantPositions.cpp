// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstantPositions.h"

#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace npu {
namespace {

/// More positions are not computed at compile time.
constexpr int64_t kMostComputed = 4096;
/// More slices are not made of one operation.
constexpr int64_t kMostSlices = 16;

/// What a body yields at a point of its loops, by folding its operations;
/// nothing where one does not fold to an integer.
std::optional<APInt> yieldedAt(linalg::GenericOp op, ArrayRef<int64_t> point) {
  llvm::DenseMap<Value, Attribute> known;
  Builder builder(op.getContext());
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      known[index] = builder.getIndexAttr(point[index.getDim()]);
      continue;
    }
    SmallVector<Attribute> operands;
    for (Value operand : inner.getOperands()) {
      Attribute constant = known.lookup(operand);
      if (!constant)
        matchPattern(operand, m_Constant(&constant));
      operands.push_back(constant);
    }
    SmallVector<OpFoldResult> results;
    Attribute constant;
    if (matchPattern(&inner, m_Constant(&constant)))
      results.push_back(constant);
    else if (failed(inner.fold(operands, results)) || results.empty())
      return std::nullopt;
    auto attr = dyn_cast<Attribute>(results.front());
    if (auto value = dyn_cast<Value>(results.front()))
      attr = known.lookup(value);
    if (!attr || inner.getNumResults() != 1)
      return std::nullopt;
    known[inner.getResult(0)] = attr;
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  auto number = dyn_cast_or_null<IntegerAttr>(known.lookup(yielded));
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// The positions that a generic without inputs makes; null where they are many,
/// or where its body does not fold.
DenseElementsAttr foldedPositions(Value positions) {
  auto op = positions.getDefiningOp<linalg::GenericOp>();
  auto type = cast<RankedTensorType>(positions.getType());
  if (!op || op.getNumDpsInputs() != 0 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 || type.getEncoding() ||
      !type.hasStaticShape() || type.getNumElements() == 0 ||
      type.getNumElements() > kMostComputed ||
      !op.getIndexingMapsArray().front().isIdentity())
    return {};
  SmallVector<APInt> numbers;
  SmallVector<int64_t> point(type.getRank(), 0);
  while (static_cast<int64_t>(numbers.size()) < type.getNumElements()) {
    std::optional<APInt> number = yieldedAt(op, point);
    if (!number)
      return {};
    numbers.push_back(*number);
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      if (++point[dim] < type.getDimSize(dim))
        break;
      point[dim] = 0;
    }
  }
  return DenseElementsAttr::get(type, numbers);
}

template <typename Op>
LogicalResult verifyConstantPositions(Op op, RankedTensorType slices) {
  DenseIntElementsAttr indices;
  bool surelyRuns = isa<FunctionOpInterface>(op->getParentOp());
  if (!surelyRuns || !matchPattern(op.getIndices(), m_Constant(&indices)) ||
      !slices.hasStaticShape() || slices.getNumElements() == 0)
    return success();
  ArrayRef<int64_t> extents =
      op.getData().getType().getShape().slice(op.getBatchDims(), op.getDepth());
  // Of a splat, each coordinate of one tuple is as good as all.
  int64_t count = indices.isSplat() ? op.getDepth() : indices.getNumElements();
  for (auto [number, index] : llvm::enumerate(
           llvm::make_range(indices.value_begin<APInt>(),
                            indices.value_begin<APInt>() + count))) {
    int64_t dim = number % op.getDepth(), extent = extents[dim];
    int64_t at = index.getSExtValue();
    if (!ShapedType::isDynamic(extent) && (at < -extent || at >= extent))
      return op->emitError()
             << "'" << op->getName() << "': expected an index of the " << extent
             << " entries of dimension " << op.getBatchDims() + dim << ", got "
             << at;
  }
  return success();
}

/// The slices of one operation, tuple by tuple.
template <typename Op>
class Slices {
public:
  Slices(OpBuilder &builder, Op op) : builder(builder), op(op) {}

  /// How many there are; 0 where the operation is not made of slices.
  int64_t count() {
    auto isPlain = [](Type type) {
      auto tensor = cast<RankedTensorType>(type);
      return tensor.hasStaticShape() && !tensor.getEncoding() &&
             tensor.getNumElements() > 0;
    };
    if (op.getBatchDims() != 0 ||
        !matchPattern(op.getIndices(), m_Constant(&indices)) ||
        !llvm::all_of(op->getOperandTypes(), isPlain) ||
        !isPlain(op->getResult(0).getType()))
      return 0;
    int64_t tuples = indices.getNumElements() / op.getDepth();
    return tuples <= kMostSlices ? tuples : 0;
  }

  /// Copies slice number `tuple` of one tensor into another: of the data, whose
  /// first dimensions tuples are positions in, and of the tensor that has a
  /// slice for each tuple.
  Value copy(int64_t tuple, Value from, bool isFromData, Value into) {
    SmallVector<int64_t> inData(op.getDepth()), inTuples;
    for (int64_t number = 0; number < op.getDepth(); ++number) {
      int64_t at = indices.getValues<APInt>()[tuple * op.getDepth() + number]
                       .getSExtValue();
      inData[number] =
          at < 0 ? at + op.getData().getType().getDimSize(number) : at;
    }
    ArrayRef<int64_t> tuples = op.getIndices().getType().getShape().drop_back();
    int64_t rest = tuple;
    for (int64_t extent : llvm::reverse(tuples)) {
      inTuples.insert(inTuples.begin(), rest % extent);
      rest /= extent;
    }
    RankedTensorType data = op.getData().getType();
    ArrayRef<int64_t> whole = data.getShape().drop_front(op.getDepth());
    auto slice = RankedTensorType::get(whole, data.getElementType());
    auto sizesAfter = [&](SmallVector<int64_t> &offsets) {
      SmallVector<int64_t> sizes(offsets.size(), 1);
      llvm::append_range(sizes, whole);
      offsets.resize(sizes.size(), 0);
      return sizes;
    };
    SmallVector<int64_t> sizesInData = sizesAfter(inData),
                         sizesInTuples = sizesAfter(inTuples);
    auto &source = isFromData ? inData : inTuples;
    auto &target = isFromData ? inTuples : inData;
    auto &sizes = isFromData ? sizesInData : sizesInTuples;
    auto &sizesOfTarget = isFromData ? sizesInTuples : sizesInData;
    Value taken = tensor::ExtractSliceOp::create(
        builder, op.getLoc(), slice, from, ValueRange(), ValueRange(),
        ValueRange(), source, sizes, SmallVector<int64_t>(source.size(), 1));
    return tensor::InsertSliceOp::create(
        builder, op.getLoc(), taken, into, ValueRange(), ValueRange(),
        ValueRange(), target, sizesOfTarget,
        SmallVector<int64_t>(target.size(), 1));
  }

private:
  OpBuilder &builder;
  Op op;
  DenseIntElementsAttr indices;
};

} // namespace

void foldPositions(ModuleOp module) {
  SmallVector<Operation *> folded;
  module.walk([&](Operation *op) {
    std::optional<unsigned> number = positionsOperand(op);
    if (!number)
      return;
    OpOperand &positions = op->getOpOperand(*number);
    DenseElementsAttr constant = foldedPositions(positions.get());
    if (!constant)
      return;
    OpBuilder builder(op);
    positions.set(arith::ConstantOp::create(builder, op->getLoc(), constant));
    folded.push_back(op);
  });
  if (folded.empty())
    return;
  RewritePatternSet patterns(module.getContext());
  GatherOp::getCanonicalizationPatterns(patterns, module.getContext());
  ScatterOp::getCanonicalizationPatterns(patterns, module.getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps)
      .enableFolding(false)
      .enableConstantCSE(false);
  (void)applyOpPatternsGreedily(folded, std::move(patterns), config);
}

LogicalResult verifyConstantPositions(ModuleOp module) {
  WalkResult walk = module.walk([](Operation *op) -> WalkResult {
    if (auto gather = dyn_cast<GatherOp>(op))
      return WalkResult(verifyConstantPositions(gather, gather.getType()));
    if (auto scatter = dyn_cast<ScatterOp>(op))
      return WalkResult(
          verifyConstantPositions(scatter, scatter.getUpdates().getType()));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

std::pair<Value, int64_t> sliceBySlice(OpBuilder &builder, Operation *op) {
  if (auto gather = dyn_cast<GatherOp>(op)) {
    Slices<GatherOp> slices(builder, gather);
    int64_t count = slices.count();
    if (count == 0)
      return {};
    Value made = tensor::EmptyOp::create(builder, op->getLoc(),
                                         gather.getType().getShape(),
                                         gather.getType().getElementType());
    for (int64_t tuple = 0; tuple < count; ++tuple)
      made = slices.copy(tuple, gather.getData(), /*isFromData=*/true, made);
    return {made, count};
  }
  auto scatter = dyn_cast<ScatterOp>(op);
  if (!scatter || scatter.getOrigin())
    return {};
  Slices<ScatterOp> slices(builder, scatter);
  int64_t count = slices.count();
  Value made = scatter.getData();
  for (int64_t tuple = 0; tuple < count; ++tuple)
    made = slices.copy(tuple, scatter.getUpdates(), /*isFromData=*/false, made);
  return {count > 0 ? made : Value(), count};
}

} // namespace npu
