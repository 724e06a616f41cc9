// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries operations of tensor read and write by position, what they
// cost, and how they are made again.

#include "../Models.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/ScalarOpInterface.h"
#include "npu/Interfaces/WorkOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

struct ExtractRead
    : EntryReadOpInterface::ExternalModel<ExtractRead, tensor::ExtractOp> {
  OpOperand &getReadTensor(Operation *op) const {
    return cast<tensor::ExtractOp>(op).getTensorMutable();
  }

  MutableOperandRange getReadPosition(Operation *op) const {
    return cast<tensor::ExtractOp>(op).getIndicesMutable();
  }
};

/// The harmless number of an operation whose operands from `first` on are the
/// position of an entry.
std::optional<int64_t> harmlessPosition(Operation *op, unsigned number,
                                        unsigned first,
                                        RankedTensorType tensor) {
  if (number < first)
    return std::nullopt;
  std::optional<int64_t> position = getConstantIntValue(op->getOperand(number));
  int64_t extent = tensor.getDimSize(number - first);
  bool isThere = position && *position >= 0 && !ShapedType::isDynamic(extent) &&
                 *position < extent;
  return isThere ? std::nullopt : std::optional<int64_t>(0);
}

struct ExtractFacts
    : ScalarOpInterface::ExternalModel<ExtractFacts, tensor::ExtractOp> {
  std::optional<int64_t> getHarmlessOperand(Operation *op,
                                            unsigned number) const {
    return harmlessPosition(op, number, 1,
                            cast<tensor::ExtractOp>(op).getTensor().getType());
  }
};

struct InsertFacts
    : ScalarOpInterface::ExternalModel<InsertFacts, tensor::InsertOp> {
  std::optional<int64_t> getHarmlessOperand(Operation *op,
                                            unsigned number) const {
    return harmlessPosition(op, number, 2,
                            cast<tensor::InsertOp>(op).getDest().getType());
  }
};

/// What it does not insert is in place.
struct InsertSliceWork
    : WorkOpInterface::ExternalModel<InsertSliceWork, tensor::InsertSliceOp> {
  std::optional<unsigned> getElementOperand(Operation *) const { return 0; }
};

/// A copy, and a border.
struct PadWork : WorkOpInterface::ExternalModel<PadWork, tensor::PadOp> {
  AddedZeros getAddedZeros(Operation *op) const {
    auto pad = cast<tensor::PadOp>(op);
    Value value = pad.getConstantPaddingValue();
    bool isZero = value && (matchPattern(value, m_PosZeroFloat()) ||
                            matchPattern(value, m_Zero()));
    if (!isZero || !pad.getLow().empty() || !pad.getHigh().empty())
      return {};
    AddedZeros added;
    for (auto [low, high] :
         llvm::zip_equal(pad.getStaticLow(), pad.getStaticHigh()))
      added.emplace_back(low, high);
    return added;
  }
};

struct EmptyRematerialization
    : RematerializableOpInterface::ExternalModel<EmptyRematerialization,
                                                 tensor::EmptyOp> {
  DataNeed getDataNeed(Operation *) const { return DataNeed::Unwritten; }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    auto again =
        tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    again->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return again.getResult();
  }
};

struct SplatRematerialization
    : RematerializableOpInterface::ExternalModel<SplatRematerialization,
                                                 tensor::SplatOp> {
  DataNeed getDataNeed(Operation *) const { return DataNeed::Uniform; }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    return clone(builder, op, TypeRange{type}, op->getOperands())->getResult(0);
  }
};

} // namespace

void registerTensorEntryModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::ExtractOp::attachInterface<ExtractRead, ExtractFacts>(*context);
    tensor::InsertOp::attachInterface<InsertFacts>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceWork>(*context);
    tensor::PadOp::attachInterface<PadWork>(*context);
    tensor::EmptyOp::attachInterface<EmptyRematerialization>(*context);
    tensor::SplatOp::attachInterface<SplatRematerialization>(*context);
  });
}

} // namespace npu
