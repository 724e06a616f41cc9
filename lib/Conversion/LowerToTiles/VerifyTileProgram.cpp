// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-verify-tile-program: a tile touches only what is its own, and reads only
// what has been written.

#include "npu/Conversion/LowerToTiles.h"
#include "npu/Conversion/Passes.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_VERIFYTILEPROGRAM
#include "npu/Conversion/Passes.h.inc"

namespace {

/// The tile of an operation, or DDR.
int64_t tileOf(Operation *op) {
  auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
  return tile ? tile.getInt() : TransferOp::ddr;
}

std::string nameOfPlace(int64_t tile) {
  return tile == TransferOp::ddr ? "DDR" : nameOfTile(tile);
}

/// Whose a tensor is; nothing for arguments of loops, which may be anybody's.
std::optional<int64_t> ownerOf(Value value) {
  if (auto transfer = value.getDefiningOp<TransferOp>())
    return transfer.getTo()[cast<OpResult>(value).getResultNumber()];
  if (Operation *op = value.getDefiningOp())
    return isa<RegionBranchOpInterface>(op) ? std::nullopt
                                            : std::optional(tileOf(op));
  Operation *parent = value.getParentRegion()->getParentOp();
  if (isa<FunctionOpInterface>(parent))
    return TransferOp::ddr;
  return std::nullopt;
}

/// The boxes, in local coordinates, that were written into a tensor since it
/// was empty; nothing when all of it has been.
std::optional<SmallVector<Box>> writtenBoxes(Value value) {
  SmallVector<Box> boxes;
  while (true) {
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>()) {
      // Padding may be anything, and is read as that.
      if (empty->getAttrOfType<UnitAttr>(paddingAttrName))
        return std::nullopt;
      if (Padding padding = paddingOf(value); !padding.empty())
        for (Box &box : paddingIn(
                 Box::whole(toExtents(empty.getType().getShape())), padding))
          boxes.push_back(std::move(box));
      return boxes;
    }
    if (auto transfer = value.getDefiningOp<TransferOp>()) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      boxes.push_back(
          Box::fromOffsetsAndSizes(toExtents(transfer.getDestOffset(number)),
                                   toExtents(transfer.getDestSizes())));
      value = transfer.getDests()[number];
    } else if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
      if (ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
          ShapedType::isDynamicShape(insert.getStaticSizes()) ||
          !insert.hasUnitStride())
        return std::nullopt;
      boxes.push_back(
          Box::fromOffsetsAndSizes(toExtents(insert.getStaticOffsets()),
                                   toExtents(insert.getStaticSizes())));
      value = insert.getDest();
    } else {
      return std::nullopt;
    }
  }
}

struct VerifyTileProgramPass
    : impl::VerifyTileProgramBase<VerifyTileProgramPass> {
  void runOnOperation() override {
    bool fine = true;
    getOperation()->walk([&](Operation *op) {
      if (isa<TransferOp>(op) || op->hasAttr(tileAttrName))
        fine &= succeeded(verifyOwners(op)) && succeeded(verifyWritten(op));
    });
    if (!fine)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  static LogicalResult verifyOwner(Operation *op, OpOperand &operand,
                                   int64_t expected) {
    if (!isa<TensorType>(operand.get().getType()))
      return success();
    std::optional<int64_t> owner = ownerOf(operand.get());
    if (!owner || *owner == expected)
      return success();
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' of " << nameOfPlace(expected)
           << " uses operand #" << operand.getOperandNumber() << " of "
           << nameOfPlace(*owner) << "; only npu.transfer crosses tiles";
  }

  static LogicalResult verifyOwners(Operation *op) {
    auto transfer = dyn_cast<TransferOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      int64_t expected = tileOf(op);
      if (transfer) {
        unsigned number = operand.getOperandNumber();
        expected = number == 0 ? static_cast<int64_t>(transfer.getFrom())
                               : transfer.getTo()[number - 1];
      }
      if (failed(verifyOwner(op, operand, expected)))
        return failure();
    }
    return success();
  }

  /// Reads of a tensor that transfers put together.
  static LogicalResult verifyWritten(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || type.getRank() > kMaxRank || !type.hasStaticShape() ||
          !readsValue(op, operand))
        continue;
      std::optional<SmallVector<Box>> written = writtenBoxes(operand.get());
      if (!written)
        continue;
      Box wanted = Box::whole(toExtents(type.getShape()));
      if (auto transfer = dyn_cast<TransferOp>(op))
        wanted = Box::fromOffsetsAndSizes(toExtents(transfer.getSourceOffset()),
                                          toExtents(transfer.getSourceSizes()));
      else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
               slice && slice.hasUnitStride())
        wanted = Box::fromOffsetsAndSizes(toExtents(slice.getStaticOffsets()),
                                          toExtents(slice.getStaticSizes()));
      bool gaveUp = false;
      std::optional<Box> missing =
          findUncovered(wanted, {written->data(), written->size()}, gaveUp);
      if (!missing)
        continue;
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' reads " << toString(*missing)
             << " of operand #" << operand.getOperandNumber()
             << ", which nobody has written (local coordinates, "
             << nameOfPlace(tileOf(op)) << ")";
    }
    return success();
  }

  /// False for outputs that are overwritten, and where only the shape counts (a
  /// pooling window).
  static bool readsValue(Operation *op, OpOperand &operand) {
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return structured.payloadUsesValueFromOperand(&operand);
    auto style = dyn_cast<DestinationStyleOpInterface>(op);
    return !style || !style.isDpsInit(&operand);
  }
};

} // namespace
} // namespace npu
