// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of PaddingOpInterface for the scf.if that upstream's lowering of TOSA
// makes for every dynamic shape, a broadcast that repeats nothing where extents
// follow the prompt length; and for loops over a prompt, which read and write
// its entries one after the other.

#include "Models.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The operation scf.if (%measured == 1) { the only entry of `source` along
/// `dim`, `wanted` times } else { `source` }.
struct BroadcastChoice {
  Value source, measured;
  unsigned dim;
  OpFoldResult wanted;
};

/// The dimension along which `op` repeats one entry of its only input, if it
/// copies the input along all others.
std::optional<unsigned> repeatedDim(linalg::GenericOp op) {
  Block *body = op.getBody();
  bool copies = op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
                op.getNumReductionLoops() == 0 &&
                op.getIndexingMapsArray()[1].isIdentity() &&
                body->getTerminator()->getOperand(0) == body->getArgument(0);
  AffineMap map = op.getIndexingMapsArray()[0];
  if (!copies || map.getNumResults() != map.getNumDims())
    return std::nullopt;
  std::optional<unsigned> repeated;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (expr == getAffineDimExpr(dim, op.getContext()))
      continue;
    if (repeated || expr != getAffineConstantExpr(0, op.getContext()))
      return std::nullopt;
    repeated = dim;
  }
  return repeated;
}

std::optional<BroadcastChoice> matchBroadcast(scf::IfOp choice) {
  auto asks = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  if (choice.getNumResults() != 1 || !asks ||
      asks.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(asks.getRhs(), m_One()))
    return std::nullopt;
  auto repeats =
      choice.thenYield().getOperand(0).getDefiningOp<linalg::GenericOp>();
  Value source = choice.elseYield().getOperand(0);
  if (!isMemoryEffectFree(choice) || !repeats ||
      repeats->getParentOp() != choice || repeats->getOperand(0) != source ||
      source.getType() != choice.getResult(0).getType())
    return std::nullopt;
  std::optional<unsigned> dim = repeatedDim(repeats);
  auto into = repeats->getOperand(1).getDefiningOp<tensor::EmptyOp>();
  if (!dim || !into)
    return std::nullopt;
  return BroadcastChoice{source, asks.getLhs(), *dim,
                         into.getMixedSizes()[*dim]};
}

Refusal refuse(std::string rule, Value operand = {}) {
  return Refusal(std::move(rule), operand, Refusal::WorkOnRealPart);
}

struct IfPadding : PaddingOpInterface::ExternalModel<IfPadding, scf::IfOp> {
  /// Where as many entries are wanted as the source has, both branches give the
  /// source.
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    std::optional<BroadcastChoice> broadcast =
        matchBroadcast(cast<scf::IfOp>(op));
    if (!broadcast)
      return refuse("it is not known what it does with padding; expected a "
                    "choice that repeats one entry along a dimension where "
                    "there is one");
    AffineExpr have = transfer.realExtent(broadcast->source, broadcast->dim);
    AffineExpr measured = transfer.exprOf(broadcast->measured);
    if (!have || have != measured)
      return refuse(
          fmt::format("it is not known what it does with padding; "
                      "expected it to ask for the extent of dimension {} "
                      "of {{}}, {}, got {}",
                      broadcast->dim, have ? spell(have) : "?",
                      measured ? spell(measured) : "?"),
          broadcast->source);
    AffineExpr want = transfer.exprOf(broadcast->wanted);
    if (have != want)
      return refuse(fmt::format(
          "dimension {} is repeated where it has one entry; expected as many "
          "entries to be wanted as there are, got {} of {}",
          broadcast->dim, want ? spell(want) : "?", spell(have)));
    transfer.setResult(op->getResult(0), transfer.of(broadcast->source));
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    std::optional<BroadcastChoice> broadcast =
        matchBroadcast(cast<scf::IfOp>(op));
    if (!broadcast)
      return {};
    return {operands.padded(broadcast->source, op->getLoc())};
  }
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A tensor with padding that the body of a loop reads or writes: one from
/// outside, or one that is carried.
struct LoopTensor {
  PaddingState state;
  /// The number of the carried value; nothing for tensors from outside.
  std::optional<unsigned> carried;
};

/// Whether a slice has one entry of each padded dimension.
bool isSingle(OffsetSizeAndStrideOpInterface slice, const PaddingState &state) {
  for (auto [dim, padded] : llvm::enumerate(state))
    if (padded && (!isConstantIntValue(slice.getMixedSizes()[dim], 1) ||
                   !isConstantIntValue(slice.getMixedStrides()[dim], 1)))
      return false;
  return true;
}

/// The tensors with padding in the body of a loop. Operations on them are reads
/// of single entries or of slices with one entry of each padded dimension, and
/// insertions of such slices into what is carried.
class LoopBody {
public:
  LoopBody(scf::ForOp loop, llvm::function_ref<PaddingState(Value)> stateOf)
      : loop(loop) {
    for (auto [number, init, argument] :
         llvm::enumerate(loop.getInits(), loop.getRegionIterArgs()))
      if (PaddingState state = stateOf(init); isPadded(state))
        tensors[argument] = {state, static_cast<unsigned>(number)};
    loop.getBody()->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!tensors.contains(operand))
          if (PaddingState state = stateOf(operand); isPadded(state))
            tensors[operand] = {state, std::nullopt};
      // A carried tensor after an insertion is carried on.
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
        if (auto into = tensors.find(insert.getDest());
            into != tensors.end() && into->second.carried) {
          LoopTensor carried = into->second;
          tensors[insert.getResult()] = carried;
        }
    });
  }

  /// Why the body needs more of padded tensors than single entries.
  MaybeRefused check() {
    MaybeRefused why;
    loop.getBody()->walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (auto found = tensors.find(operand.get());
            found != tensors.end() && !isAllowed(operand, found->second)) {
          why = refuse(fmt::format("in its body, '{}' uses {{}} otherwise than "
                                   "entry by entry of the prompt",
                                   op->getName().getStringRef().str()),
                       operand.get());
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return why;
  }

  const LoopTensor *find(Value value) const {
    auto found = tensors.find(value);
    return found == tensors.end() ? nullptr : &found->second;
  }

private:
  bool isAllowed(OpOperand &operand, const LoopTensor &tensor) {
    Operation *op = operand.getOwner();
    if (auto read = modelOf<EntryReadOpInterface>(op))
      return &read.getReadTensor() == &operand;
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return operand.getOperandNumber() == 0 && isSingle(slice, tensor.state);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      return &operand == &insert.getDestMutable() && tensor.carried &&
             op->getParentOp() == loop && isSingle(insert, tensor.state);
    // Each carried tensor goes on as itself.
    return isa<scf::YieldOp>(op) && op->getParentOp() == loop &&
           tensor.carried == operand.getOperandNumber();
  }

  scf::ForOp loop;
  llvm::DenseMap<Value, LoopTensor> tensors;
};

struct ForPadding : PaddingOpInterface::ExternalModel<ForPadding, scf::ForOp> {
  MaybeRefused transferPadding(Operation *op, PaddingTransfer &transfer) const {
    auto loop = cast<scf::ForOp>(op);
    auto stateOf = [&](Value value) { return transfer.of(value); };
    LoopBody body(loop, stateOf);
    if (MaybeRefused why = body.check())
      return why;
    for (auto [number, init, result] :
         llvm::enumerate(loop.getInits(), loop.getResults())) {
      PaddingState state = transfer.of(init);
      const LoopTensor *yielded =
          body.find(loop.getBody()->getTerminator()->getOperand(number));
      if (isPadded(state) ? !yielded || yielded->carried != number
                          : yielded != nullptr)
        return refuse(fmt::format("it carries {{}}, which has a prompt, and "
                                  "hands on another tensor as value #{}",
                                  number),
                      init);
      for (auto &dim : state)
        if (dim)
          dim->content = {};
      transfer.setResult(result, std::move(state));
    }
    return std::nullopt;
  }

  SmallVector<Value> pad(Operation *op, PaddedOperands &operands) const {
    auto loop = cast<scf::ForOp>(op);
    Location loc = op->getLoc();
    OpBuilder &builder = operands.getBuilder();
    auto stateOf = [&](Value value) { return operands.of(value); };
    LoopBody body(loop, stateOf);
    SmallVector<Value> inits;
    for (Value init : loop.getInits())
      inits.push_back(isa<RankedTensorType>(init.getType())
                          ? operands.padded(init, loc)
                          : init);
    IRMapping mapping;
    auto padded =
        scf::ForOp::create(builder, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    // Tensors from outside are made in front of the loop.
    loop.getBody()->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (const LoopTensor *tensor = body.find(operand);
            tensor && !tensor->carried && !mapping.contains(operand)) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPoint(padded);
          mapping.map(operand, operands.padded(operand, loc));
        }
    });
    mapping.map(loop.getInductionVar(), padded.getInductionVar());
    mapping.map(loop.getRegionIterArgs(), padded.getRegionIterArgs());
    OpBuilder::InsertionGuard guard(builder);
    if (!padded.getBody()->empty())
      padded.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(padded.getBody());
    for (Operation &inner : *loop.getBody()) {
      Operation *copy = builder.clone(inner, mapping);
      Operation *placed = place(&inner, copy, body, operands);
      mapping.map(inner.getResults(), placed->getResults());
    }
    return SmallVector<Value>(padded.getResults());
  }

private:
  /// Moves the positions of what `copy` and operations in it read and write to
  /// where real entries stand; `original` is the operation that it is a copy
  /// of. Gives what stands in its place.
  static Operation *place(Operation *original, Operation *copy,
                          const LoopBody &body, PaddedOperands &operands) {
    SmallVector<Operation *> before, after;
    original->walk([&](Operation *op) { before.push_back(op); });
    copy->walk([&](Operation *op) { after.push_back(op); });
    for (auto [from, to] : llvm::zip_equal(before, after)) {
      OpBuilder builder(to);
      auto moved = [&](Value at, const PaddedDim &dim) {
        return positionWithPadding(builder, to->getLoc(), at, dim, operands);
      };
      if (auto read = modelOf<EntryReadOpInterface>(from)) {
        const LoopTensor *tensor = body.find(read.getReadTensor().get());
        if (!tensor)
          continue;
        auto target = modelOf<EntryReadOpInterface>(to);
        for (auto [dim, padded] : llvm::enumerate(tensor->state))
          if (padded) {
            OpOperand &index = target.getReadPosition()[dim];
            index.set(moved(index.get(), *padded));
          }
        continue;
      }
      auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(to);
      Value whole;
      if (auto extract = dyn_cast<tensor::ExtractSliceOp>(from))
        whole = extract.getSource();
      else if (auto insert = dyn_cast<tensor::InsertSliceOp>(from))
        whole = insert.getDest();
      const LoopTensor *tensor = slice && whole ? body.find(whole) : nullptr;
      if (!tensor)
        continue;
      SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
      for (auto [dim, padded] : llvm::enumerate(tensor->state))
        if (padded)
          offsets[dim] = moved(getValueOrCreateConstantIndexOp(
                                   builder, to->getLoc(), offsets[dim]),
                               *padded);
      Operation *made;
      if (auto extract = dyn_cast<tensor::ExtractSliceOp>(to))
        made = tensor::ExtractSliceOp::create(
            builder, to->getLoc(), extract.getType(), extract.getSource(),
            offsets, extract.getMixedSizes(), extract.getMixedStrides());
      else {
        auto insert = cast<tensor::InsertSliceOp>(to);
        made = tensor::InsertSliceOp::create(
            builder, to->getLoc(), insert.getSource(), insert.getDest(),
            offsets, insert.getMixedSizes(), insert.getMixedStrides());
      }
      to->replaceAllUsesWith(made);
      to->erase();
      if (to == copy)
        return made;
    }
    return copy;
  }
};

} // namespace

void registerSCFModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::IfOp::attachInterface<IfPadding>(*context);
    scf::ForOp::attachInterface<ForPadding>(*context);
  });
}

} // namespace npu
