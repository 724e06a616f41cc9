// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/OpAccessBuilder.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace npu {

std::optional<OpAccessBuilder> OpAccessBuilder::of(Operation *op) {
  auto fits = [](Type type) {
    auto tensor = dyn_cast<TensorType>(type);
    return !tensor || (tensor.hasRank() && tensor.hasStaticShape() &&
                       tensor.getRank() <= kMaxRank);
  };
  auto isTensorThatFits = [&](Type type) {
    return isa<TensorType>(type) && fits(type);
  };
  if (op->getNumResults() == 0 || !llvm::all_of(op->getOperandTypes(), fits) ||
      !llvm::all_of(op->getResultTypes(), isTensorThatFits))
    return std::nullopt;
  return OpAccessBuilder(op);
}

OpAccessBuilder::OpAccessBuilder(Operation *op) : context(op->getContext()) {
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
}

void OpAccessBuilder::loopOverResult() {
  const Extents &extents = access.resultMaps[0].extents;
  access.loopExtents.assign(extents.begin(), extents.end());
  access.resultMaps[0].map =
      AffineMap::getMultiDimIdentityMap(extents.size(), context);
}

unsigned OpAccessBuilder::addLoop(int64_t extent, bool reduces) {
  unsigned number = access.loopExtents.size();
  access.loopExtents.push_back(extent);
  if (reduces)
    access.reductionLoops.push_back(number);
  return number;
}

AffineExpr OpAccessBuilder::loop(unsigned number) const {
  return getAffineDimExpr(number, context);
}

AffineMap OpAccessBuilder::mapOf(ArrayRef<AffineExpr> exprs) const {
  return AffineMap::get(access.loopExtents.size(), 0, exprs, context);
}

void OpAccessBuilder::setOperand(unsigned number,
                                 ArrayRef<AffineExpr> positions) {
  setUnread(number, positions);
  access.operandMaps[number].unread = false;
}

void OpAccessBuilder::setUnread(unsigned number,
                                ArrayRef<AffineExpr> positions) {
  access.operandMaps[number].map = mapOf(positions);
}

void OpAccessBuilder::setResult(unsigned number,
                                ArrayRef<AffineExpr> positions) {
  access.resultMaps[number].map = mapOf(positions);
}

void OpAccessBuilder::setOperand(unsigned number, AffineMap map) {
  setUnread(number, map);
  access.operandMaps[number].unread = false;
}

void OpAccessBuilder::setUnread(unsigned number, AffineMap map) {
  access.operandMaps[number].map = map;
}

void OpAccessBuilder::setResult(unsigned number, AffineMap map) {
  access.resultMaps[number].map = map;
}

OpAccess OpAccessBuilder::finish() {
  // A map that was set before the last loop was added has too few dimensions.
  auto overAllLoops = [&](OpAccess::TensorMap &map) {
    if (map.map && map.map.getNumDims() != access.loopExtents.size())
      map.map = mapOf(map.map.getResults());
  };
  llvm::for_each(access.operandMaps, overAllLoops);
  llvm::for_each(access.resultMaps, overAllLoops);
  return std::move(access);
}

} // namespace npu
