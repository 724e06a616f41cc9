// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-place-buffers: whose buffer is whose, said before there are buffers.

#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/Buffers/Passes.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/RemakeableOpInterface.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PLACEBUFFERS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

/// Results that bufferization would put into DDR because no operand says
/// otherwise.
bool comesFromNowhere(Operation *op) {
  return op->getNumResults() == 1 && !isa<RegionBranchOpInterface>(op) &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
}

bufferization::AllocTensorOp allocate(OpBuilder &builder, Operation *op,
                                      int64_t tile, Value copy) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  ValueRange sizes = copy ? ValueRange() : ValueRange(op->getOperands());
  auto alloc = bufferization::AllocTensorOp::create(builder, op->getLoc(), type,
                                                    sizes, copy);
  alloc.setMemorySpaceAttr(builder.getI64IntegerAttr(tile + 1));
  alloc->setAttr(tileAttrName, builder.getI64IntegerAttr(tile));
  return alloc;
}

/// Tensors that a function returns become arguments, scalars stay results: the
/// order of the two is written down where it would be lost.
void numberScalarResults(func::FuncOp function) {
  bool scalarSeen = false, mixed = false;
  for (Type type : function.getResultTypes()) {
    scalarSeen |= !isa<RankedTensorType>(type);
    mixed |= scalarSeen && isa<RankedTensorType>(type);
  }
  if (!mixed)
    return;
  Builder builder(function.getContext());
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (!isa<RankedTensorType>(type))
      function.setResultAttr(number, resultNumberAttrName,
                             builder.getI64IntegerAttr(number));
}

/// The tensor of which a value is a part, or another view.
Value viewedBy(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value viewed = viewedTensor(op);
    if (!viewed)
      break;
    value = viewed;
  }
  return value;
}

/// What a loop hands on twice needs two buffers: upstream takes the loop's
/// results for buffers of their own.
void separateHandedOn(Operation *op) {
  if (!isa<scf::YieldOp, scf::ConditionOp>(op) ||
      isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp>(op->getParentOp()))
    return;
  OpBuilder builder(op);
  llvm::SmallPtrSet<Value, 4> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    // Of a constant a loop would be given the one that nobody may write.
    Value tensor = viewedBy(operand.get());
    if (seen.insert(tensor).second &&
        !tensor.getDefiningOp<arith::ConstantOp>())
      continue;
    auto copy = bufferization::AllocTensorOp::create(
        builder, op->getLoc(), type, ValueRange(), operand.get());
    // It lies where the value lies.
    Operation *made = operand.get().getDefiningOp();
    if (Attribute tile = made ? made->getAttr(tileAttrName) : Attribute())
      copy->setAttr(tileAttrName, tile);
    operand.set(copy);
  }
}

/// An output of which only a part is written, and nothing read, keeps the rest.
/// Upstream takes it for overwritten, and would give it a buffer that holds
/// nothing. So the region reads it: a choice that is folded away once there are
/// buffers.
void keepUnwritten(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return;
  SmallVector<unsigned> kept;
  for (OpOperand &output : op.getDpsInitsMutable())
    if (isa<RankedTensorType>(output.get().getType()) &&
        !op.payloadUsesValueFromOperand(&output) && readsOperand(op, output) &&
        !isUnwritten(output.get()))
      kept.push_back(op.getTiedOpResult(&output).getResultNumber());
  if (kept.empty())
    return;
  IRRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  Attribute tile = op->getAttr(tileAttrName);
  if (!isa<linalg::GenericOp>(op.getOperation())) {
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return;
    op = cast<linalg::LinalgOp>(generic->getOperation());
    if (tile)
      op->setAttr(tileAttrName, tile);
  }
  Operation *yield = op.getBlock()->getTerminator();
  rewriter.setInsertionPoint(yield);
  Value always = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getBoolAttr(true));
  for (unsigned number : kept) {
    Value before = op.getMatchingBlockArgument(op.getDpsInitOperand(number));
    yield->setOperand(
        number, arith::SelectOp::create(rewriter, op.getLoc(), always,
                                        yield->getOperand(number), before));
  }
}

/// The operation around `op` whose region runs once for each entry.
Operation *runsForEachEntry(Operation *op) {
  for (Operation *around = op->getParentOp(); around;
       around = around->getParentOp())
    if (around->getNumRegions() != 0 &&
        !around->hasTrait<OpTrait::IsTerminator>() &&
        !isa<RegionBranchOpInterface, FunctionOpInterface, ModuleOp>(around))
      return around;
  return nullptr;
}

/// In a region that runs once for each entry, upstream lets an operation write
/// over a tensor from outside that nobody reads afterwards: the next entry
/// does. It gets a copy of its own.
void copyIntoRegion(Operation *op) {
  Operation *around = runsForEachEntry(op);
  if (!around || asksForShapeOnly(op) || modelOf<EntryReadOpInterface>(op))
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type &&
        !around->isAncestor(operand.get().getParentBlock()->getParentOp()))
      operand.set(bufferization::AllocTensorOp::create(
          builder, op->getLoc(), type, ValueRange(), operand.get()));
  }
}

struct PlaceBuffersPass : impl::PlaceBuffersBase<PlaceBuffersPass> {
  using PlaceBuffersBase::PlaceBuffersBase;

  void runOnOperation() override {
    getOperation()->walk(numberScalarResults);
    getOperation()->walk(separateHandedOn);
    SmallVector<linalg::LinalgOp> structured;
    SmallVector<Operation *> inside;
    getOperation()->walk([&](Operation *op) {
      if (auto each = dyn_cast<linalg::LinalgOp>(op))
        structured.push_back(each);
      if (runsForEachEntry(op))
        inside.push_back(op);
    });
    llvm::for_each(inside, copyIntoRegion);
    llvm::for_each(structured, keepUnwritten);
    getOperation()->walk([](Operation *op) {
      auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
      if (!tile)
        return;
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      if (op->getNumResults() == 1 && isUnwritten(op->getResult(0))) {
        auto alloc = allocate(builder, op, tile.getInt(), Value());
        op->getResult(0).replaceAllUsesWith(alloc.getResult());
        op->erase();
      } else if (comesFromNowhere(op)) {
        Value made = op->getResult(0);
        auto alloc = allocate(builder, op, tile.getInt(), made);
        made.replaceAllUsesExcept(alloc.getResult(), alloc);
      }
    });
  }
};

} // namespace
} // namespace npu
