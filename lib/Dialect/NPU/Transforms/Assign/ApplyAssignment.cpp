// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ApplyAssignment.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {
namespace {

class Applier {
public:
  /// `operations` are those of the problem, in `function`, in the same order.
  Applier(FunctionOpInterface function, ArrayRef<Operation *> operations,
          const FunctionProblem &problem, const Assignment &assignment,
          const ReductionNumbers &numbers)
      : function(function), operations(operations), problem(problem),
        assignment(assignment), numbers(numbers) {}

  void apply() {
    rememberMoved();
    rememberGroups();
    for (size_t number = 0; number < operations.size(); ++number) {
      int candidate = assignment.candidates[number];
      const OperationCandidate &chosen = *problem.candidates[number][candidate];
      // Its reader says how.
      if (chosen.isInStepsOfReader) {
        if (std::optional<ConstantPad> pad = asConstantPad(operations[number]))
          padInSteps(*pad);
        else
          applyInStepsOf(lastOf.lookup(number), number);
        continue;
      }
      ownLoads = problem.ownLoads[number][candidate];
      apply(operations[number], chosen);
    }
    eraseUnused();
  }

private:
  void apply(Operation *op, const OperationCandidate &candidate) {
    if (keepsIndices(op)) {
      Value moved = valueAs(op->getOpOperand(0), candidate.results[0], op);
      replace(op, moved);
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      bring(operand, candidate);
    if (candidate.isOnHost)
      op->setAttr(hostAttrName,
                  StringAttr::get(op->getContext(),
                                  "by choice: on tiles, it and the transfers "
                                  "around it would cost more, or not fit"));
    if (candidate.readsInPlace) {
      replace(op, castInPlace(op, candidate.results[0]));
      return;
    }
    if (candidate.split) {
      replace(op, combineParts(cast<linalg::LinalgOp>(op), candidate));
      return;
    }
    for (auto [result, type] :
         llvm::zip_equal(op->getResults(), candidate.results))
      if (type)
        result.setType(type);
    // What runs in steps stores padding as well, and so does the host.
    if (problem.runsInSteps && isa<linalg::LinalgOp>(op) &&
        candidate.results[0] && !isDistributed(candidate.results[0]))
      op->removeAttr(paddingAttrName);
    if (candidate.steps)
      op->setAttr(stepsAttrName, candidate.steps->attribute(op->getContext()));
    bringCaptured(op);
  }

  const OperationCandidate &chosenBy(size_t number) const {
    return *problem.candidates[number][assignment.candidates[number]];
  }

  /// Notes for each operation that runs in the steps of another one after it
  /// which one that is, and its place in their group.
  void rememberGroups() {
    for (size_t number = 0; number < operations.size(); ++number) {
      const OperationCandidate &chosen = chosenBy(number);
      if (!chosen.isOfGroup)
        continue;
      for (auto [place, member] :
           llvm::enumerate(problem.groups[number]->members().drop_back())) {
        linalg::LinalgOp op = member.op;
        int value = problem.numberOf.lookup(op->getResult(0));
        lastOf[problem.problem.values[value].madeBy] = {number, place};
      }
    }
  }

  /// Brings what operation `number` reads in the steps of another one, and
  /// writes to it how its slices are made.
  void applyInStepsOf(std::pair<size_t, size_t> last, size_t number) {
    const OperationCandidate &chosen = chosenBy(last.first);
    Operation *op = operations[number];
    ownLoads = {};
    for (const auto &[use, type] : chosen.readBefore) {
      if (use.member != last.second)
        continue;
      OpOperand &operand = op->getOpOperand(use.operand);
      if (operand.get().getType() != type)
        operand.set(valueAs(operand, type, op));
    }
    // Nobody reads what is overwritten.
    OpOperand &init = *cast<linalg::LinalgOp>(op).getDpsInitOperand(0);
    auto made = cast<RankedTensorType>(op->getResult(0).getType());
    if (!isMadeAnywhere(init.get()) || init.get().getType() != made)
      init.set(valueAs(init, made, op, /*unread=*/true));
    op->removeAttr(paddingAttrName);
    op->setAttr(stepsAttrName, chosen.steps->attributeBefore(
                                   function.getContext(), last.second));
  }

  /// Brings what a pad reads to DDR, from where steps load slices of it.
  void padInSteps(const ConstantPad &pad) {
    Operation *op = pad.source->getOwner();
    ownLoads = {};
    auto type = withLayout(pad.sourceType(), {});
    if (pad.sourceType() != type)
      pad.source->set(valueAs(*pad.source, type, op));
    op->removeAttr(paddingAttrName);
    op->setAttr(stepsAttrName,
                OperationSteps::attributeOfPad(op->getContext()));
  }

  /// What a reduction that tiles do in parts becomes.
  Value combineParts(linalg::LinalgOp op, const OperationCandidate &candidate) {
    OpBuilder builder(op);
    Reduction reduction = *matchReduction(op);
    SplitReductionBuilder parts(builder, op, reduction, *candidate.split);
    Value rows = parts.partials(op.getDpsInputs());
    rows = make(builder, rows,
                partialsToCombine(*candidate.split, candidate.results[0]),
                /*unread=*/false);
    return parts.combine(rows, op.getDpsInitOperand(0)->get(), numbers.of(op))
        .getResult(0);
  }

  /// The transpose as a permute_cast. One that gives another label of the same
  /// boxes needs a distribution_cast after it.
  Value castInPlace(Operation *op, RankedTensorType type) {
    OpBuilder builder(op);
    SmallVector<int64_t> inOrder =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    auto cast = PermuteCastOp::create(builder, op->getLoc(), type,
                                      op->getOperand(0), inOrder);
    RankedTensorType expected = movement.expectedType(cast);
    if (expected == type ||
        movement.relation(expected, type) == Relation::Identical)
      return cast;
    cast.getResult().setType(expected);
    return DistributionCastOp::create(builder, op->getLoc(), type, cast);
  }

  /// Notes which operands are values that moves make. Such a move may turn out
  /// to be none, and then two values of the problem are one here, each of which
  /// has paid for copies of its own.
  void rememberMoved() {
    for (Operation *op : operations)
      if (keepsIndices(op))
        for (OpOperand &use : op->getResult(0).getUses())
          movedBefore[&use] = op->getResult(0);
  }

  /// What the operand was in the problem.
  Value asWritten(OpOperand &operand) const {
    Value moved = movedBefore.lookup(&operand);
    return moved ? moved : operand.get();
  }

  /// The operation's result is another value from here on.
  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    unused.insert(op);
  }

  void bring(OpOperand &operand, const OperationCandidate &candidate) {
    RankedTensorType type = candidate.operands[operand.getOperandNumber()];
    bool unread = !type;
    // An output whose entries are not read has the type of the result.
    if (auto result = tiedResult(operand); unread && result)
      type = candidate.results[*result];
    bool isOwn = llvm::is_contained(ownLoads, operand.getOperandNumber());
    if (type && (operand.get().getType() != type || isOwn))
      operand.set(valueAs(operand, type, operand.getOwner(), unread));
  }

  /// Regions that are no control flow read whole tensors in DDR.
  void bringCaptured(Operation *op) {
    if (op->getNumRegions() == 0 || isGoneInto(op))
      return;
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        bool isOutside =
            !op->isAncestor(operand.get().getParentRegion()->getParentOp());
        if (inner != op && type && isDistributed(type) && isOutside)
          operand.set(valueAs(operand, withLayout(type, {}), op));
      }
    });
  }

  /// The operand under `type`, made where it is there for all who read it: on
  /// tiles in front of the first reader, and in DDR after what makes it, so
  /// that it takes no more memory.
  Value valueAs(OpOperand &operand, RankedTensorType type, Operation *reader,
                bool unread = false) {
    Value value = operand.get(), written = asWritten(operand);
    bool isOwn = operand.getOwner() == reader &&
                 llvm::is_contained(ownLoads, operand.getOperandNumber());
    if (value.getType() == type && !isOwn)
      return value;
    // What has one value everywhere and is written over is made for each reader
    // by itself: in a buffer that is not kept for others.
    if (isMadeAnywhere(value) && tiedResult(operand)) {
      OpBuilder builder(reader);
      return make(builder, value, type, unread);
    }
    Operation *owner = isOwn ? reader : nullptr;
    // What tiles have made goes through DDR, and is stored once for all.
    if (isOwn && isDistributed(cast<RankedTensorType>(value.getType())))
      value = stored(value, written);
    if (auto known = copies.find({{written, type}, owner});
        known != copies.end() && !unread)
      return known->second;
    // Readers in other blocks come after all of the value's own.
    Block *block = value.getParentBlock();
    Operation *before = block->findAncestorOpInBlock(*reader);
    OpBuilder builder(before ? before : block->getTerminator());
    if (!isDistributed(type) &&
        isDistributed(cast<RankedTensorType>(value.getType())))
      builder.setInsertionPointAfterValue(value);
    Value made = make(builder, value, type, unread);
    // What is only written over holds no entries for others.
    if (!unread)
      copies[{{written, type}, owner}] = made;
    return made;
  }

  /// A value of tiles in DDR, where it is stored when it is made.
  Value stored(Value value, Value written) {
    RankedTensorType type =
        withLayout(cast<RankedTensorType>(value.getType()), {});
    Value &known = copies[{{written, type}, nullptr}];
    if (!known) {
      OpBuilder builder(function.getContext());
      builder.setInsertionPointAfterValue(value);
      known = make(builder, value, type, /*unread=*/false);
    }
    return known;
  }

  Value make(OpBuilder &builder, Value value, RankedTensorType type,
             bool unread) {
    Operation *maker = value.getDefiningOp();
    Location loc = value.getLoc();
    if (isMadeAnywhere(value)) {
      unused.insert(maker);
      return *cast<RematerializableOpInterface>(maker).rematerializeAs(builder,
                                                                       type);
    }
    if (unread)
      return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                     type.getElementType(), type.getEncoding());
    auto from = cast<RankedTensorType>(value.getType());
    if (from == type)
      return value;
    // The side that is an image is converted, where it is.
    if (getStorage(from) != getStorage(type) &&
        getStorage(from) != Storage::Linear)
      return make(builder,
                  ConvertStorageOp::create(
                      builder, loc, withStorage(from, Storage::Linear), value),
                  type, unread);
    if (getStorage(from) != getStorage(type))
      return ConvertStorageOp::create(
          builder, loc, type,
          make(builder, value, withStorage(type, Storage::Linear), unread));
    if (isDistributed(from) && isDistributed(type) &&
        movement.relation(from, type) != Relation::DataMoves)
      return DistributionCastOp::create(builder, loc, type, value);
    return RedistributeOp::create(builder, loc, type, value);
  }

  void eraseUnused() {
    while (!unused.empty()) {
      Operation *op = unused.pop_back_val();
      if (!isOpTriviallyDead(op))
        continue;
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          unused.insert(maker);
      op->erase();
    }
  }

  FunctionOpInterface function;
  ArrayRef<Operation *> operations;
  const FunctionProblem &problem;
  const Assignment &assignment;
  MovementCache movement;
  const ReductionNumbers &numbers;
  /// By the value, its type, and the operation whose own load it is; null where
  /// readers share it.
  llvm::DenseMap<std::pair<std::pair<Value, Type>, Operation *>, Value> copies;
  /// The operands that the current operation loads for itself.
  ArrayRef<unsigned> ownLoads;
  llvm::DenseMap<OpOperand *, Value> movedBefore;
  /// By operation, the last one of the group in whose steps it runs, and its
  /// place in that group.
  llvm::DenseMap<size_t, std::pair<size_t, size_t>> lastOf;
  llvm::SetVector<Operation *> unused;
};

} // namespace

void applyAssignment(const FunctionProblem &function,
                     const Assignment &assignment,
                     const ReductionNumbers &numbers) {
  Applier(function.function, function.operations, function, assignment, numbers)
      .apply();
}

void applyAssignmentToCopy(const FunctionProblem &function,
                           const Assignment &assignment,
                           const IRMapping &copies) {
  SmallVector<Operation *> operations;
  for (Operation *op : function.operations)
    operations.push_back(copies.lookup(op));
  FunctionOpInterface copy(
      copies.lookup(FunctionOpInterface(function.function).getOperation()));
  // Nobody looks for the reductions of a copy in another function.
  Applier(copy, operations, function, assignment, ReductionNumbers()).apply();
}

} // namespace npu
