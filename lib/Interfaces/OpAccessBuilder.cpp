// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpAccessBuilder.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace npu {

std::optional<OpAccess> OpAccess::get(Operation *op) {
  return OpAccessBuilder(op).build();
}

std::optional<OpAccess> OpAccessBuilder::build() {
  // Ranks and static shapes first: everything below relies on them.
  auto fits = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return !tensor || (tensor.hasRank() && tensor.hasStaticShape() &&
                       tensor.getRank() <= kMaxRank);
  };
  if (op->getNumResults() == 0 || !llvm::all_of(op->getOperandTypes(), fits) ||
      !llvm::all_of(op->getResultTypes(), [&](Type type) {
        return fits(type) && isa<TensorType>(type);
      }))
    return std::nullopt;

  auto extentsOf = [](Type type) {
    Extents extents;
    if (auto tensor = dyn_cast<TensorType>(type))
      for (int64_t extent : tensor.getShape())
        extents.push_back(extent);
    return extents;
  };
  for (Type type : op->getOperandTypes())
    access.operandMaps.push_back({AffineMap(), extentsOf(type), true});
  for (Type type : op->getResultTypes())
    access.resultMaps.push_back({AffineMap(), extentsOf(type), false});

  bool understood =
      TypeSwitch<Operation *, bool>(op)
          .Case([&](linalg::LinalgOp op) { return buildStructured(op); })
          .Case([&](linalg::SoftmaxOp op) { return buildSoftmax(op); })
          .Case(
              [&](tensor::ExtractSliceOp op) { return buildExtractSlice(op); })
          .Case([&](tensor::InsertSliceOp op) { return buildInsertSlice(op); })
          .Case([&](tensor::PadOp op) { return buildPad(op); })
          .Case([&](tensor::ConcatOp op) { return buildConcat(op); })
          .Case([&](tensor::ExpandShapeOp op) { return buildExpandShape(op); })
          .Case([&](tensor::CollapseShapeOp op) {
            return buildCollapseShape(op);
          })
          .Default([&](Operation *) { return buildElementwise(); });
  if (!understood)
    return std::nullopt;
  return std::move(access);
}

AffineExpr OpAccessBuilder::loop(unsigned i) const {
  return getAffineDimExpr(i, op->getContext());
}

AffineMap OpAccessBuilder::mapOf(ArrayRef<AffineExpr> exprs) const {
  return AffineMap::get(access.loopExtents.size(), 0, exprs, op->getContext());
}

void OpAccessBuilder::setOperand(unsigned operand, ArrayRef<AffineExpr> exprs) {
  access.operandMaps[operand].map = mapOf(exprs);
  access.operandMaps[operand].unread = false;
}

void OpAccessBuilder::loopOverResult() {
  const Extents &extents = access.resultMaps[0].extents;
  access.loopExtents.assign(extents.begin(), extents.end());
  access.resultMaps[0].map =
      AffineMap::getMultiDimIdentityMap(extents.size(), op->getContext());
}

/// Whether a map divides by nothing but positive constants; by zero nobody can
/// divide, and of anything else upstream says that it is undefined.
static bool dividesProperly(AffineMap map) {
  bool properly = true;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || expr.getKind() == AffineExprKind::Add ||
        expr.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    properly &= divisor && divisor.getValue() > 0;
  });
  return properly;
}

bool OpAccessBuilder::buildStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      !llvm::all_of(op.getIndexingMapsArray(), dividesProperly))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return false;
  access.loopExtents.assign(ranges.begin(), ranges.end());
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      access.reductionLoops.push_back(i);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto &map = access.operandMaps[operand.getOperandNumber()];
    map.map = op.getMatchingIndexingMap(&operand);
    map.unread = !readsOperand(op, operand);
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    access.resultMaps[op.getTiedOpResult(&init).getResultNumber()].map =
        op.getMatchingIndexingMap(&init);
  return true;
}

bool OpAccessBuilder::buildSoftmax(linalg::SoftmaxOp op) {
  if (!op.hasPureTensorSemantics())
    return false;
  // One loop more than dimensions: every output along the softmax dimension
  // reads all inputs along it.
  const Extents &extents = access.resultMaps[0].extents;
  unsigned rank = extents.size();
  uint64_t dim = op.getDimension();
  access.loopExtents.assign(extents.begin(), extents.end());
  access.loopExtents.push_back(extents[dim]);
  access.reductionLoops.push_back(rank);
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < rank; ++i)
    exprs.push_back(loop(i));
  access.resultMaps[0].map = mapOf(exprs);
  access.operandMaps[1].map = mapOf(exprs);
  exprs[dim] = loop(rank);
  setOperand(0, exprs);
  return true;
}

bool OpAccessBuilder::buildElementwise() {
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return false;
  loopOverResult();
  for (auto &result : access.resultMaps)
    result.map = access.resultMaps[0].map;
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (isa<TensorType>(type)) {
      access.operandMaps[i].map = access.resultMaps[0].map;
      access.operandMaps[i].unread = false;
    }
  return true;
}

/// A static stride that leads from one entry to a later one. Upstream allows 0,
/// too, and what is below it.
static bool isStep(int64_t stride) {
  return !ShapedType::isDynamic(stride) && stride > 0;
}

bool OpAccessBuilder::buildExtractSlice(tensor::ExtractSliceOp op) {
  if (op.getStaticOffsets().empty() && op.getSourceType().getRank() != 0)
    return false;
  if (llvm::any_of(op.getStaticOffsets(), ShapedType::isDynamic) ||
      !llvm::all_of(op.getStaticStrides(), isStep))
    return false;
  loopOverResult();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<AffineExpr> exprs;
  unsigned resultDim = 0;
  for (auto [dim, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides())) {
    AffineExpr start = getAffineConstantExpr(offset, op.getContext());
    exprs.push_back(dropped[dim] ? start : loop(resultDim++) * stride + start);
  }
  setOperand(0, exprs);
  return true;
}

bool OpAccessBuilder::buildInsertSlice(tensor::InsertSliceOp op) {
  if (llvm::any_of(op.getStaticOffsets(), ShapedType::isDynamic) ||
      !llvm::all_of(op.getStaticStrides(), isStep))
    return false;
  loopOverResult();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<AffineExpr> exprs;
  for (auto [dim, offset, stride] :
       llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides()))
    if (!dropped[dim])
      exprs.push_back((loop(dim) - offset).floorDiv(stride));
  setOperand(0, exprs);
  access.operandMaps[1].map = access.resultMaps[0].map;
  access.operandMaps[1].unread = false;
  return true;
}

bool OpAccessBuilder::buildPad(tensor::PadOp op) {
  if (llvm::any_of(op.getStaticLow(), ShapedType::isDynamic))
    return false;
  loopOverResult();
  SmallVector<AffineExpr> exprs;
  for (auto [dim, low] : llvm::enumerate(op.getStaticLow()))
    exprs.push_back(loop(dim) - low);
  setOperand(0, exprs);
  return true;
}

bool OpAccessBuilder::buildConcat(tensor::ConcatOp op) {
  loopOverResult();
  uint64_t dim = op.getDim();
  int64_t offset = 0;
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i < access.loopExtents.size(); ++i)
      exprs.push_back(i == dim ? loop(i) - offset : loop(i));
    setOperand(operand, exprs);
    offset += access.operandMaps[operand].extents[dim];
  }
  return true;
}

bool OpAccessBuilder::buildExpandShape(tensor::ExpandShapeOp op) {
  loopOverResult();
  SmallVector<AffineExpr> exprs;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    AffineExpr linear = getAffineConstantExpr(0, op.getContext());
    for (int64_t dim : group)
      linear = linear * access.loopExtents[dim] + loop(dim);
    exprs.push_back(linear);
  }
  setOperand(0, exprs);
  return true;
}

bool OpAccessBuilder::buildCollapseShape(tensor::CollapseShapeOp op) {
  loopOverResult();
  const Extents &source = access.operandMaps[0].extents;
  SmallVector<AffineExpr> exprs(source.size());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    AffineExpr rest = loop(dim);
    for (int64_t sourceDim : llvm::reverse(group)) {
      bool outermost = sourceDim == group.front();
      // A dimension of extent 0 would divide by zero; there is nothing to read.
      int64_t extent = std::max<int64_t>(source[sourceDim], 1);
      exprs[sourceDim] = outermost ? rest : rest % extent;
      rest = rest.floorDiv(extent);
    }
  }
  // Dimensions of no group are of extent 1.
  for (AffineExpr &expr : exprs)
    if (!expr)
      expr = getAffineConstantExpr(0, op.getContext());
  setOperand(0, exprs);
  return true;
}

} // namespace npu
