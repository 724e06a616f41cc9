// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers of changes of layouts. The numbers are those of
// the constraints in NPUOps.td; only local facts are checked here.

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "npu/Dialect/NPU/IR/NPUOps.cpp.inc"

namespace npu {
namespace {

LogicalResult verifySameElementType(Operation *op, RankedTensorType input,
                                    RankedTensorType result) {
  if (input.getElementType() == result.getElementType())
    return success();
  return op->emitOpError() << "expected one element type on both sides, got "
                           << input.getElementType() << " and "
                           << result.getElementType();
}

LogicalResult verifySameShape(Operation *op, RankedTensorType input,
                              RankedTensorType result) {
  if (input.getShape() == result.getShape())
    return success();
  return op->emitOpError() << "expected one shape on both sides, got " << input
                           << " and " << result;
}

std::string spell(const Permutation &order) {
  auto name = orderName(order);
  return name ? *name : toString(order);
}

} // namespace

LogicalResult PermuteCastOp::verify() {
  RankedTensorType inputType = getInput().getType();
  RankedTensorType resultType = getResult().getType();
  int64_t rank = inputType.getRank();
  // Constraint 1.
  if (resultType.getRank() != rank)
    return emitOpError() << "expected one rank on both sides, got " << rank
                         << " and " << resultType.getRank();
  if (rank > kMaxRank)
    return emitOpError() << "expected rank at most " << kMaxRank << ", got "
                         << rank;
  ArrayRef<int64_t> memPerm = getMemPerm();
  if (static_cast<int64_t>(memPerm.size()) != rank ||
      !isPermutation({memPerm.data(), memPerm.size()}))
    return emitOpError() << "expected mem_perm to be a permutation of rank "
                         << rank << ", got [" << memPerm << "]";
  // Constraint 2.
  Permutation inputDims = getInputDimensions(*this);
  Extents expected = permute(toExtents(inputType.getShape()), inputDims);
  if (expected != toExtents(resultType.getShape())) {
    auto shape = RankedTensorType::get(
        ArrayRef<int64_t>(expected.begin(), expected.size()),
        resultType.getElementType());
    return emitOpError() << "expected a result of shape " << shape
                         << " (input order " << spell(getOrder(inputType))
                         << ", mem_perm [" << memPerm << "], result order "
                         << spell(getOrder(resultType)) << "), got "
                         << resultType;
  }
  // Constraint 3.
  Extents memShape =
      permute(toExtents(inputType.getShape()), getOrder(inputType));
  if (!isTrivialMemPerm(memShape, toExtents(memPerm)))
    return emitOpError()
           << "expected a mem_perm that moves no byte (dimensions of extent "
              "other than 1 keep their order), got ["
           << memPerm << "] on memory of shape " << toString(memShape);
  // Constraint 4.
  if (failed(verifySameElementType(*this, inputType, resultType)))
    return failure();
  // Constraint 5.
  for (RankedTensorType type : {inputType, resultType})
    if (getStorage(type) != Storage::Linear)
      return emitOpError() << "expected linear tensors on both sides, got "
                           << type
                           << "; npu.convert_storage makes one of an image";
  return success();
}

LogicalResult DistributionCastOp::verify() {
  RankedTensorType inputType = getInput().getType();
  RankedTensorType resultType = getResult().getType();
  // Constraint 1.
  if (failed(verifySameShape(*this, inputType, resultType)) ||
      failed(verifySameElementType(*this, inputType, resultType)))
    return failure();
  // Constraint 2 is checked first, because it bounds the rank of orders and
  // boxes.
  for (RankedTensorType type : {inputType, resultType}) {
    if (!isDistributed(type))
      return emitOpError() << "expected distributed tensors on both sides, got "
                           << type << "; npu.redistribute loads and stores";
    if (!getPlacement(type))
      return emitOpError() << whyNoPlacement(type);
  }
  if (getOrder(inputType) != getOrder(resultType))
    return emitOpError() << "expected one order on both sides, got "
                         << spell(getOrder(inputType)) << " and "
                         << spell(getOrder(resultType))
                         << "; npu.redistribute changes orders";
  if (getStorage(inputType) != getStorage(resultType))
    return emitOpError() << "expected one storage kind on both sides, got "
                         << toString(getStorage(inputType)) << " and "
                         << toString(getStorage(resultType))
                         << "; npu.convert_storage changes it";
  // Constraint 3.
  const Placement &source = *getPlacement(inputType);
  const Placement &target = *getPlacement(resultType);
  if (getStorage(inputType) != Storage::Linear && !sameMemory(source, target))
    return emitOpError() << "expected the same memory boxes on both sides, "
                            "because a part of an image is no image, got "
                         << inputType << " and " << resultType
                         << "; npu.redistribute re-lays it";
  if (auto tile = firstNotContained(source, target)) {
    InFlightDiagnostic error =
        emitOpError()
        << "expected every tile's target memory box inside its source "
           "memory box, but tile "
        << *tile << " holds " << toString(source.memoryOf(*tile))
        << " and the target wants " << toString(target.memoryOf(*tile));
    error.attachNote() << "npu.redistribute moves data";
    return error;
  }
  return success();
}

LogicalResult RedistributeOp::verify() {
  RankedTensorType inputType = getInput().getType();
  RankedTensorType resultType = getResult().getType();
  // Constraint 1.
  if (failed(verifySameShape(*this, inputType, resultType)))
    return failure();
  return verifySameElementType(*this, inputType, resultType);
}

bool ConvertStorageOp::packs() {
  RankedTensorType result = getResult().getType();
  return hasLayout(result) ? getStorage(result) == Storage::Tiled2d
                           : result.getRank() == 5;
}

LogicalResult ConvertStorageOp::verify() {
  RankedTensorType inputType = getInput().getType();
  RankedTensorType resultType = getResult().getType();
  // Constraint 1.
  if (failed(verifySameElementType(*this, inputType, resultType)))
    return failure();
  // Constraint 3.
  if (!hasLayout(inputType) && !hasLayout(resultType)) {
    if (!(*this)->hasAttr(tileAttrName))
      return emitOpError() << "expected layouts on both sides or, in a tile "
                              "program, '"
                           << tileAttrName << "', got neither";
    RankedTensorType plain = packs() ? inputType : resultType,
                     image = packs() ? resultType : inputType;
    if (plain.getRank() != 4 || !plain.hasStaticShape() ||
        toExtents(image.getShape()) != packedShape(toExtents(plain.getShape())))
      return emitOpError()
             << "expected a tensor of rank 4 and static shape, and its image "
                "of [N, H, ceil(C/4), W, 4], got "
             << inputType << " and " << resultType;
    return success();
  }
  // Constraint 2.
  if (failed(verifySameShape(*this, inputType, resultType)))
    return failure();
  for (RankedTensorType type : {inputType, resultType})
    if (!getPlacement(type))
      return emitOpError() << "expected distributed tensors on both sides, got "
                           << type << "; a tensor in DDR is stored linearly";
  if (getStorage(inputType) == getStorage(resultType))
    return emitOpError() << "expected another storage kind, got "
                         << toString(getStorage(inputType)) << " twice";
  if (!(getLayout(inputType).getDistribution() ==
        getLayout(resultType).getDistribution()))
    return emitOpError() << "expected one distribution on both sides, got "
                         << inputType << " and " << resultType
                         << "; npu.redistribute moves data";
  return success();
}

} // namespace npu
