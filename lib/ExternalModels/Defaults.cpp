// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Default models of padding, rematerialization and structured forms.

#include "Defaults.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace npu {
namespace {

/// The model of elementwise operations, which compute each entry from the
/// entries of operands at the same position: the padding of one operand is that
/// of all, and of results.
struct ElementwisePadding
    : PaddingOpInterface::FallbackModel<ElementwisePadding> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    if (op->getNumRegions() != 0 || op->getNumResults() == 0 ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return unknownPaddingTransfer();
    PaddingState loops;
    for (OpOperand &operand : op->getOpOperands()) {
      const PaddingState &state = transfer.of(operand.get());
      loops.resize(std::max(loops.size(), state.size()));
      for (auto [dim, padded] : llvm::enumerate(state))
        if (padded)
          if (MaybeRefused why =
                  joinLoop(op, dim, *padded, operand.getOperandNumber(), loops))
            return why;
    }
    // A divisor in padding may be 0, or -1 beside the smallest number of the
    // type.
    if (hasHarmlessOperand(op))
      return Refusal("an integer division of padding can trap; as a "
                     "linalg.generic it can be guarded "
                     "(convert-elementwise-to-linalg)");
    for (Value operand : op->getOperands())
      if (MaybeRefused why = transfer.refusePartly(operand, loops)) {
        why->way = Refusal::WorkOnRealPart;
        return why;
      }
    for (auto &dim : loops)
      if (dim)
        dim->content = {};
    for (Value result : op->getResults())
      transfer.setResult(result, loops);
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    return cloneOnPadded(op, operands, &operands.of(op->getResult(0)));
  }

  SmallVector<AffineExpr> realExtents(Operation *op,
                                      const PaddingTransfer &transfer) const {
    if (op->getNumRegions() == 0 && op->getNumResults() == 1)
      for (Value operand : op->getOperands())
        if (isPadded(transfer.of(operand)))
          return transfer.realExtents(operand);
    return {};
  }

  Value entryAt(Operation *op, EntryReader &reader, ArrayRef<Value>) const {
    SmallVector<Value> entries =
        llvm::map_to_vector(op->getOperands(), [&](Value operand) {
          return isa<RankedTensorType>(operand.getType())
                     ? reader.inPlace(operand)
                     : operand;
        });
    OperationState state(op->getLoc(), op->getName(), entries,
                         getElementTypeOrSelf(op->getResult(0).getType()),
                         op->getAttrs());
    return reader.getBuilder().create(state)->getResult(0);
  }

  bool makesEntries(Operation *) const { return false; }
};

} // namespace

void attachPaddingDefault(RegisteredOperationName name) {
  if (isElementwise(name))
    name.attachInterface<ElementwisePadding>();
}

namespace {

/// The model of structured operations that compute their result from scalars
/// and positions alone.
struct StructuredRematerialization
    : RematerializableOpInterface::FallbackModel<StructuredRematerialization> {
  DataNeed getDataNeed(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    bool readsNone =
        op->getNumResults() == 1 && structured.hasPureTensorSemantics() &&
        llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
          return isa<TensorType>(operand.get().getType()) &&
                 readsOperand(structured, operand);
        });
    if (!readsNone)
      return DataNeed::Computed;
    return structured.hasIndexSemantics() ? DataNeed::Positions
                                          : DataNeed::Uniform;
  }

  FailureOr<Value> rematerializeAs(Operation *op, OpBuilder &builder,
                                   RankedTensorType type) const {
    DataNeed need = getDataNeed(op);
    if (need == DataNeed::Computed)
      return failure();
    auto structured = cast<linalg::LinalgOp>(op);
    SmallVector<Value> operands(op->getOperands());
    OpOperand *output = structured.getDpsInitOperand(0);
    Value empty =
        tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                type.getElementType(), type.getEncoding());
    operands[output->getOperandNumber()] = empty;
    bool hasInputs =
        llvm::any_of(structured.getDpsInputOperands(), [](OpOperand *input) {
          return isa<RankedTensorType>(input->get().getType());
        });
    auto whole = cast<RankedTensorType>(op->getResult(0).getType());
    if (need == DataNeed::Uniform && hasInputs &&
        whole.getShape() != type.getShape())
      return withoutInputs(structured, builder, empty);
    return clone(builder, op, TypeRange{type}, operands)->getResult(0);
  }

  /// The value that the operation writes everywhere, into `output`. Inputs that
  /// it does not read have the extents of its own result.
  static Value withoutInputs(linalg::LinalgOp op, OpBuilder &builder,
                             Value output) {
    auto type = cast<RankedTensorType>(output.getType());
    auto rank = static_cast<unsigned>(type.getRank());
    return linalg::GenericOp::create(
               builder, op.getLoc(), type, ValueRange(), output,
               builder.getMultiDimIdentityMap(rank),
               SmallVector<utils::IteratorType>(rank,
                                                utils::IteratorType::parallel),
               [&](OpBuilder &inner, Location, ValueRange) {
                 IRMapping mapping;
                 for (Operation &each : *op.getBlock())
                   inner.clone(each, mapping);
               })
        ->getResult(0);
  }

  Value getUniformValue(Operation *op) const {
    auto fill = dyn_cast<linalg::FillOp>(op);
    return fill ? fill.getInputs()[0] : Value();
  }
};

} // namespace

void attachRematerializableDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::LinalgOp>())
    name.attachInterface<StructuredRematerialization>();
}

namespace {

struct AggregatedForm
    : StructuredFormOpInterface::FallbackModel<AggregatedForm> {
  bool hasStructuredForm(Operation *) const { return true; }
  bool keepsLayouts(Operation *) const { return false; }

  LogicalResult rewriteAsStructured(Operation *op,
                                    RewriterBase &rewriter) const {
    FailureOr<SmallVector<Value>> values =
        cast<linalg::AggregatedOpInterface>(op).decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

} // namespace

void attachStructuredFormDefault(RegisteredOperationName name) {
  if (name.hasInterface<linalg::AggregatedOpInterface>())
    name.attachInterface<AggregatedForm>();
}

} // namespace npu
