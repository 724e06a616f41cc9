// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of PaddingOpInterface for operations of tensor that are neither
// slices, reshapes, pads nor concatenations.

#include "../Models.h"
#include "EntryCode.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

struct CastPadding
    : PaddingOpInterface::ExternalModel<CastPadding, tensor::CastOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    if (!isa<RankedTensorType>(op->getResult(0).getType()))
      return Refusal("its result has no rank");
    PaddingState state = transfer.of(op->getOperand(0));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    keepConstantExtents(type, transfer.realExtents(op->getOperand(0)), state);
    // The type may say again what another cast has hidden.
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    for (auto [dim, padded] : llvm::enumerate(state))
      if (padded && !padded->hasPadding() && source.isDynamicDim(dim) &&
          !type.isDynamicDim(dim))
        padded.reset();
    transfer.setResult(op->getResult(0), std::move(state));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    Value source = operands.padded(op->getOperand(0), op->getLoc());
    if (source.getType() == operands.paddedType(op->getResult(0)))
      return {source};
    return cloneOnPadded(op, operands);
  }
};

struct EmptyPadding
    : PaddingOpInterface::ExternalModel<EmptyPadding, tensor::EmptyOp> {
  bool makesEntries(Operation *) const { return true; }

  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto empty = cast<tensor::EmptyOp>(op);
    PaddingState state;
    SmallVector<AffineExpr> extents = transfer.exprsOf(empty.getMixedSizes());
    if (MaybeRefused why = transfer.stateOf(extents, state))
      return why;
    keepConstantExtents(empty.getType(), extents, state);
    // A tensor.empty that cannot be padded stays dynamic until a padded
    // operation uses it.
    if (transfer.refusePartly(empty, state))
      state.clear();
    transfer.setResult(empty, std::move(state));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    RankedTensorType type = operands.paddedType(op->getResult(0));
    return {tensor::EmptyOp::create(operands.getBuilder(), op->getLoc(),
                                    type.getShape(), type.getElementType(),
                                    type.getEncoding())};
  }
};

/// The extents of the result: static ones, and those that operands give.
SmallVector<AffineExpr> extentsOfMade(RankedTensorType type,
                                      ValueRange dynamicExtents,
                                      const PaddingTransfer &transfer) {
  SmallVector<AffineExpr> extents;
  for (int64_t extent : type.getShape())
    if (ShapedType::isDynamic(extent)) {
      extents.push_back(transfer.exprOf(dynamicExtents.front()));
      dynamicExtents = dynamicExtents.drop_front();
    } else {
      extents.push_back(getAffineConstantExpr(extent, type.getContext()));
    }
  return extents;
}

/// Operations that make entries of no others.
template <typename Model, typename Op>
struct MadePadding : PaddingOpInterface::ExternalModel<Model, Op> {
  bool makesEntries(Operation *) const { return true; }

  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    if (transfer.followsPrompt(op))
      return Refusal("it is made of as many entries as the prompt has");
    return unknownPaddingTransfer();
  }
};

struct GeneratePadding : MadePadding<GeneratePadding, tensor::GenerateOp> {
  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto generate = cast<tensor::GenerateOp>(op);
    return extentsOfMade(generate.getType(), generate.getDynamicExtents(),
                         transfer);
  }

  Value entryAt(Operation *op, EntryReader &reader,
                ArrayRef<Value> position) const {
    return EntryCode(reader, op->getLoc())
        .copyBlock(cast<tensor::GenerateOp>(op).getBody().front(), position);
  }
};

struct SplatPadding : MadePadding<SplatPadding, tensor::SplatOp> {
  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto splat = cast<tensor::SplatOp>(op);
    return extentsOfMade(splat.getType(), splat.getDynamicSizes(), transfer);
  }

  Value entryAt(Operation *op, EntryReader &, ArrayRef<Value>) const {
    return cast<tensor::SplatOp>(op).getInput();
  }
};

struct GatherPadding
    : PaddingOpInterface::ExternalModel<GatherPadding, tensor::GatherOp> {
  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    auto gather = cast<tensor::GatherOp>(op);
    SmallVector<AffineExpr> extents = transfer.realExtents(gather.getIndices());
    extents.pop_back();
    SmallVector<AffineExpr> source = transfer.realExtents(gather.getSource());
    bool reduced = int64_t(extents.size() + source.size()) !=
                   gather.getResultType().getRank();
    for (auto [dim, extent] : llvm::enumerate(source)) {
      if (!llvm::is_contained(gather.getGatherDims(), int64_t(dim)))
        extents.push_back(extent);
      else if (!reduced)
        extents.push_back(getAffineConstantExpr(1, op->getContext()));
    }
    return extents;
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto gather = cast<tensor::GatherOp>(op);
    EntryCode code(reader, op->getLoc());
    OpBuilder &builder = reader.getBuilder();
    auto source = gather.getSourceType();
    unsigned batch = gather.getIndicesType().getRank() - 1;
    bool reduced =
        int64_t(batch) + source.getRank() != gather.getResultType().getRank();
    ArrayRef<Value> kept = at.drop_front(batch);
    SmallVector<Value> from;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      const auto *found = llvm::find(gather.getGatherDims(), dim);
      bool gathered = found != gather.getGatherDims().end();
      if (!gathered) {
        from.push_back(kept.front());
      } else {
        SmallVector<Value> which(at.take_front(batch));
        which.push_back(
            code.number(int64_t(found - gather.getGatherDims().begin())));
        Value position = code.read(gather.getIndices(), which);
        if (!position.getType().isIndex())
          position = arith::IndexCastOp::create(
              builder, op->getLoc(), builder.getIndexType(), position);
        from.push_back(position);
      }
      if (!gathered || !reduced)
        kept = kept.drop_front();
    }
    return code.read(gather.getSource(), from);
  }
};

struct InsertPadding
    : PaddingOpInterface::ExternalModel<InsertPadding, tensor::InsertOp> {
  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    return transfer.realExtents(cast<tensor::InsertOp>(op).getDest());
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value> at) const {
    auto insert = cast<tensor::InsertOp>(op);
    EntryCode code(reader, op->getLoc());
    Value there;
    for (auto [position, wanted] : llvm::zip(at, insert.getIndices()))
      there = code.both(
          there, code.compare(arith::CmpIPredicate::eq, position, wanted));
    return code.choose(there, insert.getScalar(),
                       reader.inPlace(insert.getDest()));
  }
};

} // namespace

void registerTensorPaddingModels(DialectRegistry &registry) {
  registerSlicePaddingModels(registry);
  registerReshapePaddingModels(registry);
  registerPadPaddingModels(registry);
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::CastOp::attachInterface<CastPadding>(*context);
    tensor::EmptyOp::attachInterface<EmptyPadding>(*context);
    tensor::GenerateOp::attachInterface<GeneratePadding>(*context);
    tensor::SplatOp::attachInterface<SplatPadding>(*context);
    tensor::GatherOp::attachInterface<GatherPadding>(*context);
    tensor::InsertOp::attachInterface<InsertPadding>(*context);
  });
}

} // namespace npu
