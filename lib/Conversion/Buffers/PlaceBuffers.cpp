// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-place-buffers: determines the memory space of each buffer before
// bufferization.

#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/Buffers/Passes.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/SignatureAttributes.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PLACEBUFFERS
#include "npu/Conversion/Buffers/Passes.h.inc"

namespace {

/// Whether bufferization would put the result of `op` into DDR because no
/// operand gives it a memory space.
bool lacksMemorySpace(Operation *op) {
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

/// Numbers the scalar results of a function that returns a scalar before a
/// tensor: tensors that it returns become arguments, which would lose the
/// order.
void numberScalarResults(func::FuncOp function) {
  bool scalarSeen = false, mixed = false;
  for (Type type : function.getResultTypes()) {
    scalarSeen |= !isa<RankedTensorType>(type);
    mixed |= scalarSeen && isa<RankedTensorType>(type);
  }
  if (!mixed)
    return;
  Builder builder(function.getContext());
  rewriteResultAttrs(function, [&](unsigned i, NamedAttrList &attributes) {
    if (!isa<RankedTensorType>(function.getResultTypes()[i]))
      attributes.set(resultNumberAttrName, builder.getI64IntegerAttr(i));
  });
}

/// The tensor of which a value is a part or another view; the value itself for
/// others.
Value viewedBy(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value viewed = viewedTensor(op);
    if (!viewed)
      break;
    value = viewed;
  }
  return value;
}

/// Copies a tensor that a loop hands on twice, because upstream takes the
/// results of a loop for separate buffers.
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
    // A loop must not get the buffer of a constant, which is read-only.
    Value tensor = viewedBy(operand.get());
    if (seen.insert(tensor).second &&
        !tensor.getDefiningOp<arith::ConstantOp>())
      continue;
    auto copy = bufferization::AllocTensorOp::create(
        builder, op->getLoc(), type, ValueRange(), operand.get());
    // The copy is in the memory space of the value.
    Operation *made = operand.get().getDefiningOp();
    if (Attribute tile = made ? made->getAttr(tileAttrName) : Attribute())
      copy->setAttr(tileAttrName, tile);
    operand.set(copy);
  }
}

/// Keeps the entries of an output that an operation does not write, where it
/// does not read the output. Upstream takes the output for overwritten, and
/// would give the operation an uninitialized buffer. So the region is made to
/// read the output, by a select that is folded after bufferization.
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

/// Copies the output of an operation in a region that runs once for each entry,
/// where it is a tensor from outside without other users after it. Upstream
/// would let the operation overwrite it, but the next entry uses it again.
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

/// Gives each use of an unwritten tensor one of its own. Upstream's CSE makes
/// one of all that have the same type, and one-shot bufferization then compares
/// every two of its uses, and those of all that is written over it.
void separateUnwritten(Operation *op) {
  if (op->hasAttr(tileAttrName) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !isUnwritten(op->getResult(0)))
    return;
  OpBuilder builder(op);
  SmallVector<OpOperand *> uses(
      llvm::make_pointer_range(op->getResult(0).getUses()));
  for (size_t i = 1; i < uses.size(); ++i)
    uses[i]->set(builder.clone(*op)->getResult(0));
}

/// Copies what a chain of operations hands on in one buffer, every few of them:
/// tensors that are inserted into, loops and branches that hand on what they
/// got. One-shot bufferization compares every two uses of such a buffer for
/// each of the operations, the third power of their number in all, while a copy
/// takes as long as one of them. Buffers of tiles are not copied, because a
/// scratchpad may have no room for it.
class LongChains {
public:
  void cut(func::FuncOp function) {
    function->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  }

private:
  /// A chain of this many operations is bufferized in some milliseconds.
  static constexpr int64_t kMostLinks = 32;

  void visit(Operation *op) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      visitLoop(loop);
    } else if (auto yield = dyn_cast<scf::YieldOp>(op);
               yield && isa<scf::IfOp, scf::IndexSwitchOp>(op->getParentOp())) {
      for (auto [operand, result] : llvm::zip_equal(
               op->getOpOperands(), op->getParentOp()->getResults()))
        links[result] = std::max(links.lookup(result), linked(operand));
    } else if (auto writer = dyn_cast<DestinationStyleOpInterface>(op)) {
      for (OpOperand &output : writer.getDpsInitsMutable())
        if (isa<RankedTensorType>(output.get().getType()) &&
            !isUnwritten(output.get()))
          links[writer.getTiedOpResult(&output)] = linked(output);
    } else if (Value viewed = viewedTensor(op)) {
      links[op->getResult(0)] = links.lookup(viewed);
    }
  }

  void visitLoop(LoopLikeOpInterface loop) {
    std::optional<ResultRange> results = loop.getLoopResults();
    Block::BlockArgListType inside = loop.getRegionIterArgs();
    MutableArrayRef<OpOperand> inits = loop.getInitsMutable();
    if (!results || results->size() != inits.size() ||
        inside.size() != inits.size())
      return;
    for (auto [init, argument, result] :
         llvm::zip_equal(inits, inside, *results))
      if (isa<RankedTensorType>(init.get().getType()))
        links[argument] = links[result] = linked(init);
  }

  /// The links of a chain with one more, which takes the operand; 1 where the
  /// operand becomes a copy.
  int64_t linked(OpOperand &operand) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    int64_t found = links.lookup(operand.get()) + 1;
    Operation *user = operand.getOwner();
    if (!type || found <= kMostLinks || user->hasAttr(tileAttrName))
      return found;
    OpBuilder builder(user);
    operand.set(bufferization::AllocTensorOp::create(
        builder, user->getLoc(), type, ValueRange(), operand.get()));
    return 1;
  }

  llvm::DenseMap<Value, int64_t> links;
};

/// Lets tiles load what steps add to before the first of them stores: what one
/// stores is not what another one loads, but upstream knows no boxes and would
/// copy the whole slice.
void loadBefore(Operation *first, Value whole) {
  Block *block = first->getBlock();
  auto isAfter = [&](Operation *op) {
    return op && op->getBlock() == block && first->isBeforeInBlock(op);
  };
  for (Operation *slice : whole.getUsers()) {
    if (!cutsOut(slice) || slice->getBlock() != block || isAfter(slice))
      continue;
    for (Operation *user : llvm::to_vector(slice->getUsers())) {
      auto load = dyn_cast<TransferOp>(user);
      if (!load || !isAfter(load))
        continue;
      SmallVector<Operation *> made;
      for (Value dest : load.getDests())
        if (isAfter(dest.getDefiningOp()))
          made.push_back(dest.getDefiningOp());
      if (!llvm::all_of(
              made, [](Operation *op) { return op->getNumOperands() == 0; }))
        continue;
      for (Operation *op : made)
        op->moveBefore(first);
      load->moveBefore(first);
    }
  }
}

/// Lets tiles store the result of a step to its place in the whole tensor,
/// instead of filling a tensor that is inserted there.
void storeInPlace(Operation *op) {
  auto place = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  auto insert = dyn_cast<DestinationStyleOpInterface>(op);
  if (!place || !insert || !op->hasAttr(stepsAttrName))
    return;
  Value part = op->getOperand(0), whole = insert.getDpsInits()[0];
  auto transfer = part.getDefiningOp<TransferOp>();
  while (transfer && part.hasOneUse() && transfer.getDests().size() == 1) {
    part = transfer.getDests()[0];
    transfer = part.getDefiningOp<TransferOp>();
  }
  Operation *maker = part.getDefiningOp();
  bool isInPlace = part != op->getOperand(0) && part.hasOneUse() && maker &&
                   isUnwritten(part) && !maker->hasAttr(tileAttrName) &&
                   DominanceInfo().properlyDominates(whole, maker);
  // Where the step's place is computed, the tensor may not be known yet.
  if (!isInPlace || !llvm::all_of(place.getOffsets(), [&](Value offset) {
        return DominanceInfo().properlyDominates(offset, maker);
      }))
    return;
  loadBefore(maker, whole);
  OpBuilder builder(maker);
  part.replaceAllUsesWith(tensor::ExtractSliceOp::create(
      builder, op->getLoc(), cast<RankedTensorType>(part.getType()), whole,
      place.getMixedOffsets(), place.getMixedSizes(), place.getMixedStrides()));
  maker->erase();
}

/// Whether `op` is a reshape that adds dimensions of one entry, where it
/// refines, or else leaves such dimensions out, and does nothing else.
bool changesOnesOnly(Operation *op, bool refines) {
  std::optional<Reassociation> shapes = op ? reassociationOf(op) : std::nullopt;
  if (!shapes || shapes->refines != refines)
    return false;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  return isRankReducedType(cast<ShapedType>(refines ? to : from),
                           cast<ShapedType>(refines ? from : to)) ==
         SliceVerificationResult::Success;
}

/// Cuts a tile's slice, or inserts it, without the dimensions of one entry that
/// a reshape beside it leaves out or adds. What is inserted where it was cut is
/// then one view, while these dimensions would have other strides in another.
void sliceInFewerDims(Operation *op) {
  if (isPutInto(op->getOpOperand(0))) {
    Operation *expand = op->getOperand(0).getDefiningOp();
    if (changesOnesOnly(expand, /*refines=*/true))
      op->setOperand(0, expand->getOperand(0));
    return;
  }
  if (!cutsOut(op) || !op->hasOneUse())
    return;
  Operation *collapse = *op->user_begin();
  if (!changesOnesOnly(collapse, /*refines=*/false))
    return;
  op->getResult(0).setType(collapse->getResult(0).getType());
  for (StringRef ofResult : {beginAttrName, orderAttrName})
    if (Attribute said = collapse->getAttr(ofResult))
      op->setAttr(ofResult, said);
    else
      op->removeAttr(ofResult);
  collapse->replaceAllUsesWith(op);
  collapse->erase();
}

struct PlaceBuffersPass : impl::PlaceBuffersBase<PlaceBuffersPass> {
  using PlaceBuffersBase::PlaceBuffersBase;

  void runOnOperation() override {
    getOperation()->walk(numberScalarResults);
    getOperation()->walk(separateUnwritten);
    getOperation()->walk(storeInPlace);
    getOperation()->walk(separateHandedOn);
    getOperation()->walk([](func::FuncOp each) { LongChains().cut(each); });
    SmallVector<linalg::LinalgOp> structured;
    SmallVector<Operation *> inside, slices;
    getOperation()->walk([&](Operation *op) {
      if (op->hasAttr(tileAttrName) && isa<OffsetSizeAndStrideOpInterface>(op))
        slices.push_back(op);
      if (auto each = dyn_cast<linalg::LinalgOp>(op))
        structured.push_back(each);
      if (runsForEachEntry(op))
        inside.push_back(op);
    });
    llvm::for_each(slices, sliceInFewerDims);
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
      } else if (lacksMemorySpace(op)) {
        Value made = op->getResult(0);
        auto alloc = allocate(builder, op, tile.getInt(), made);
        made.replaceAllUsesExcept(alloc.getResult(), alloc);
      }
    });
  }
};

} // namespace
} // namespace npu
