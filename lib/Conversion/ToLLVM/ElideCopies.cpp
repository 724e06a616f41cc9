// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-elide-copies: lets operations use the memory on the other side of a copy
// instead of a buffer of their own.

#include "../Threads/BufferAccess.h"
#include "npu/Conversion/BufferProgram.h"
#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ELIDECOPIES
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

/// The type that a view has of a source of another type; null where it has none
/// or is not known.
MemRefType typeOfView(Operation *view, MemRefType source) {
  if (auto part = dyn_cast<memref::SubViewOp>(view)) {
    return memref::SubViewOp::inferRankReducedResultType(
        part.getType().getShape(), source, part.getMixedOffsets(),
        part.getMixedSizes(), part.getMixedStrides());
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    auto type = memref::ExpandShapeOp::computeExpandedType(
        source, expand.getType().getShape(), expand.getReassociationIndices());
    return succeeded(type) ? *type : MemRefType();
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view)) {
    auto groups = collapse.getReassociationIndices();
    return memref::CollapseShapeOp::isGuaranteedCollapsible(source, groups)
               ? memref::CollapseShapeOp::computeCollapsedType(source, groups)
               : MemRefType();
  }
  return {};
}

/// A use of a buffer or of a view of it, by an operation that is no view.
struct Use {
  OpOperand *operand;
  bool writes;
};

/// Whether the operation reads or writes the memory of its operand, and does
/// not hand it on; nothing where that is not known.
std::optional<Use> useOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return Use{&operand, structured.isDpsInit(&operand)};
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return Use{&operand, &operand == &copy.getTargetMutable()};
  if (isa<memref::LoadOp>(op))
    return Use{&operand, false};
  if (auto store = dyn_cast<memref::StoreOp>(op);
      store && &operand == &store.getMemrefMutable())
    return Use{&operand, true};
  return std::nullopt;
}

/// A buffer all of whose uses are known.
struct Uses {
  SmallVector<Use> uses;
  /// What frees it.
  SmallVector<Operation *> frees;
};

/// Collects the uses of a buffer, where everything may use another buffer of
/// the type `other` instead.
LogicalResult collect(Value buffer, MemRefType other, Uses &found) {
  for (OpOperand &operand : buffer.getUses()) {
    Operation *op = operand.getOwner();
    if (isa<ViewLikeOpInterface>(op)) {
      MemRefType type = typeOfView(op, other);
      if (!type || failed(collect(op->getResult(0), type, found)))
        return failure();
    } else if (isa<memref::DeallocOp>(op)) {
      found.frees.push_back(op);
    } else if (std::optional<Use> use = useOf(operand)) {
      found.uses.push_back(*use);
    } else {
      return failure();
    }
  }
  return success();
}

/// Gives a view the type that follows from that of its source, and so on.
void retype(Operation *view) {
  auto source = cast<ViewLikeOpInterface>(view).getViewSource();
  Value result = view->getResult(0);
  result.setType(typeOfView(view, cast<MemRefType>(source.getType())));
  for (Operation *user : result.getUsers())
    if (isa<ViewLikeOpInterface>(user))
      retype(user);
}

/// Precondition: `collect` has found that all uses of `buffer` may use `other`.
void replace(Value buffer, Value other) {
  SmallVector<Operation *> users(buffer.getUsers());
  buffer.replaceAllUsesWith(other);
  for (Operation *user : users)
    if (isa<ViewLikeOpInterface>(user))
      retype(user);
}

/// Whether the operation writes every element of the buffer that is its
/// operand, and reads none of them by this operand.
bool overwrites(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return &operand == &copy.getTargetMutable();
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.isDpsInit(&operand) &&
         structured.getNumParallelLoops() == structured.getNumLoops() &&
         !structured.payloadUsesValueFromOperand(&operand) &&
         structured.getMatchingIndexingMap(&operand).isPermutation();
}

/// The operations of a block that use a view of an arena, by itself or by views
/// of it; an operation of a nested region counts as the one around it.
struct Life {
  Operation *first = nullptr, *last = nullptr;
  /// Whether the first of them writes the whole view before anything reads it,
  /// and all uses are known.
  bool isFilled = true;
};

/// Whether the operand becomes the scratchpad of a function that is called.
bool isScratchpadOfCallee(OpOperand &operand) {
  auto call = dyn_cast<func::CallOp>(operand.getOwner());
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr())
                     : func::FuncOp();
  return callee && callee.getArgAttr(operand.getOperandNumber(), arenaAttrName);
}

/// The life of a view in the block that makes it.
Life lifeOf(memref::ViewOp view) {
  Life life;
  Block *block = view->getBlock();
  SmallVector<std::pair<Value, bool>> views = {{view, true}};
  while (!views.empty()) {
    auto [value, isWhole] = views.pop_back_val();
    for (OpOperand &operand : value.getUses()) {
      Operation *op = operand.getOwner();
      if (isa<ViewLikeOpInterface>(op)) {
        views.push_back({op->getResult(0), false});
        continue;
      }
      Operation *around = block->findAncestorOpInBlock(*op);
      bool isScratch = isScratchpadOfCallee(operand);
      if (!around || !(isScratch || useOf(operand)))
        return {nullptr, nullptr, false};
      bool begins =
          isWhole && around == op && (isScratch || overwrites(operand));
      if (!life.first || around->isBeforeInBlock(life.first)) {
        life.first = around;
        life.isFilled = begins;
      } else if (around == life.first) {
        // An operation reads before it fills.
        life.isFilled &= begins;
      }
      if (!life.last || life.last->isBeforeInBlock(around))
        life.last = around;
    }
  }
  return life;
}

/// Whether nothing uses a view of an arena both before and after another one is
/// used, and neither reads what is written by the other one. The lives may have
/// one operation in common that reads the first and fills the second.
bool areApart(const Life &a, const Life &b) {
  auto ends = [](Operation *last, Operation *first) {
    return last->isBeforeInBlock(first) ||
           (last == first && isa<linalg::LinalgOp, memref::CopyOp>(last));
  };
  Block *block = a.first->getBlock();
  if (Operation *inside = block->findAncestorOpInBlock(*b.first))
    return inside == b.first ? ends(a.last, b.first) || ends(b.last, a.first)
                             : a.last->isBeforeInBlock(inside) ||
                                   inside->isBeforeInBlock(a.first);
  Operation *around = b.first->getBlock()->findAncestorOpInBlock(*a.first);
  return !around || b.last->isBeforeInBlock(around) ||
         around->isBeforeInBlock(b.first);
}

/// The copies of a block.
class BlockCopies {
public:
  explicit BlockCopies(Block &block) : block(block) {
    for (Operation &op : block) {
      numbers[&op] = static_cast<int64_t>(operations.size());
      operations.push_back(&op);
      if (!isa<ViewLikeOpInterface>(op))
        noteTouched(op);
    }
  }

  void run() {
    for (auto view : llvm::to_vector(block.getOps<memref::ViewOp>()))
      splitLives(view);
    for (auto copy : llvm::to_vector(block.getOps<memref::CopyOp>()))
      if (!elide(copy, copy.getTarget(), copy.getSource()))
        elide(copy, copy.getSource(), copy.getTarget());
  }

private:
  void noteTouched(Operation &op) {
    auto note = [&](Value buffer) {
      Value root = buffer ? accessOf(buffer, /*writes=*/false).root : Value();
      touching[root].push_back(numbers.lookup(&op));
    };
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<BaseMemRefType>(operand.getType()))
          note(operand);
      // A wait has no buffer as its operand.
      if (isa<mpi::Wait>(inner))
        note(bufferOfMessage(inner));
    });
  }

  /// The number of the operation, or of the one around it, in this block.
  int64_t numberOf(Operation *op) const {
    return numbers.lookup(block.findAncestorOpInBlock(*op));
  }

  /// A use of a view of an arena, by itself or by views of it.
  struct Range {
    int64_t first, last;
    /// Whether the use fills the whole of the view.
    bool begins;
    OpOperand *operand;
  };

  /// Gives a place in an arena one value for each time that it is filled anew,
  /// where no use is both before and after. The plan puts a result over an
  /// operand that ends there, and two equal views become one.
  void splitLives(memref::ViewOp view) {
    SmallVector<Range> ranges;
    for (OpOperand &operand : view->getUses()) {
      auto [first, last] = rangeOf(operand);
      bool begins =
          operand.getOwner()->getBlock() == &block && overwrites(operand);
      ranges.push_back({first, last, begins, &operand});
    }
    // An operation reads before it fills.
    llvm::sort(ranges, [](const Range &a, const Range &b) {
      return std::pair(a.first, a.begins) < std::pair(b.first, b.begins);
    });
    SmallVector<int64_t> lastBefore(ranges.size(), -1);
    for (size_t i = 1; i < ranges.size(); ++i)
      lastBefore[i] = std::max(lastBefore[i - 1], ranges[i - 1].last);
    size_t end = ranges.size();
    for (size_t begin = end; begin-- > 1;) {
      if (!ranges[begin].begins || lastBefore[begin] > ranges[begin].first)
        continue;
      OpBuilder builder(view);
      auto own = cast<memref::ViewOp>(builder.clone(*view));
      numbers[own] = numbers.lookup(view);
      for (; end > begin; --end)
        ranges[end - 1].operand->set(own);
    }
  }

  /// The numbers of the first and the last operation of this block that uses a
  /// buffer by the operand, itself or by views of it.
  std::pair<int64_t, int64_t> rangeOf(OpOperand &operand) const {
    Operation *op = operand.getOwner();
    if (!block.findAncestorOpInBlock(*op))
      return {0, std::numeric_limits<int64_t>::max()};
    std::pair range(numberOf(op), numberOf(op));
    if (!isa<ViewLikeOpInterface>(op))
      return range;
    for (OpOperand &use : op->getResult(0).getUses()) {
      auto [first, last] = rangeOf(use);
      range = {std::min(range.first, first), std::max(range.second, last)};
    }
    return range;
  }

  /// Whether one of the operations `from` to `to`, other than `copy`, may touch
  /// the same memory as `access`, where one of both writes it.
  bool isDisturbed(const BufferAccess &access, int64_t from, int64_t to,
                   memref::CopyOp copy) {
    for (Value root : {access.root, Value()})
      for (int64_t number : touching[root]) {
        bool isGone = !operations[number];
        if (number < from || number > to || isGone ||
            operations[number] == copy)
          continue;
        auto others = accessesOf(operations[number]);
        if (!others || llvm::any_of(*others, [&](const BufferAccess &other) {
              return conflict(access, other);
            }))
          return true;
      }
    return false;
  }

  /// Whether nothing that is written to a buffer is read by anything but the
  /// uses of the buffer, and these read nothing that was written before.
  bool isOwn(Value buffer) {
    auto view = buffer.getDefiningOp<memref::ViewOp>();
    if (!view)
      return true;
    Value arena = view.getSource();
    if (!isArena(arena) && !isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
                               arena.getDefiningOp()))
      return false;
    std::optional<Box> bytes = accessOf(buffer, /*writes=*/false).box;
    Life life = lifeIn(view);
    if (!bytes || !life.first)
      return false;
    // An arena from outside of the block may have what an earlier iteration of
    // a loop wrote.
    bool mayHoldMore = arena.getParentBlock() != &block;
    for (Operation *user : arena.getUsers()) {
      if (user == view || isa<memref::DeallocOp>(user))
        continue;
      auto other = dyn_cast<memref::ViewOp>(user);
      if (!other)
        return false;
      std::optional<Box> others = accessOf(other, /*writes=*/false).box;
      if (others && !overlap(*bytes, *others))
        continue;
      Life its = lifeIn(other);
      if (its.isFilled && !its.first)
        continue;
      if (!its.isFilled || !areApart(life, its))
        return false;
      mayHoldMore = true;
    }
    return life.isFilled || !mayHoldMore;
  }

  /// The life of a view as it is now.
  Life lifeIn(memref::ViewOp view) {
    auto [known, isNew] = lives.try_emplace(view);
    if (isNew)
      known->second = lifeOf(view);
    return known->second;
  }

  /// Forgets the life of the view of an arena that a buffer is a part of.
  void forgetLife(Value buffer) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
      lives.erase(view);
      buffer = view.getViewSource();
    }
  }

  /// Lets everything use `other` instead of `buffer`, which are the two sides
  /// of a copy, where that changes nothing: nothing else reads what is written
  /// to the buffer; from the first use of the buffer on, or from the copy on
  /// where it fills the buffer, nothing else changes `other`, and until a copy
  /// from the buffer nothing else reads it.
  bool elide(memref::CopyOp copy, Value buffer, Value other) {
    Operation *made = buffer.getDefiningOp();
    auto type = dyn_cast<MemRefType>(other.getType());
    BufferAccess access = accessOf(other, /*writes=*/false);
    Uses found;
    if (!made || made->getBlock() != &block ||
        !isa<memref::AllocOp, memref::ViewOp>(made) || !type ||
        !type.hasStaticShape() || !access.root ||
        failed(collect(buffer, type, found)))
      return false;
    bool fills = buffer == copy.getTarget();
    int64_t copied = numbers.lookup(copy), first = copied, last = copied;
    for (const Use &use : found.uses) {
      Operation *op = use.operand->getOwner();
      if (!block.findAncestorOpInBlock(*op))
        return false;
      int64_t number = numberOf(op);
      if (op != copy && use.writes && (fills || number > copied))
        return false;
      first = std::min(first, number);
      last = std::max(last, number);
    }
    if ((fills && first < copied) || isDisturbed(access, copied, last, copy))
      return false;
    access.writes = !fills;
    if (!fills && isDisturbed(access, first, copied, copy))
      return false;
    if (!isOwn(buffer))
      return false;
    if (!fills || isUsedBefore(buffer, copy))
      if (!moveBefore(other, made))
        return false;
    for (const Use &use : found.uses)
      touching[access.root].push_back(numberOf(use.operand->getOwner()));
    for (Operation *free : found.frees)
      drop(free);
    forgetLife(buffer);
    forgetLife(other);
    drop(copy);
    replace(buffer, other);
    return true;
  }

  /// Erases an operation, which the numbers of this block then miss.
  void drop(Operation *op) {
    if (op->getBlock() == &block)
      operations[numbers.lookup(op)] = nullptr;
    op->erase();
  }

  /// Whether an operation in front of the copy uses the buffer, as one does
  /// that makes a view.
  bool isUsedBefore(Value buffer, memref::CopyOp copy) const {
    int64_t copied = numbers.lookup(copy);
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      return user != copy && numberOf(user) <= copied;
    });
  }

  /// Moves views of which `value` is made in front of `place`. Fails where it
  /// is made of something else after it.
  bool moveBefore(Value value, Operation *place) {
    SmallVector<Operation *> views;
    auto isAfter = [&](Value used) {
      Operation *made = used.getDefiningOp();
      return made && made->getBlock() == &block &&
             numbers.lookup(made) >= numbers.lookup(place);
    };
    while (isAfter(value)) {
      auto view = value.getDefiningOp<ViewLikeOpInterface>();
      if (!view)
        return false;
      for (Value operand : view->getOperands())
        if (operand != view.getViewSource() && isAfter(operand))
          return false;
      views.push_back(view);
      value = view.getViewSource();
    }
    for (Operation *view : llvm::reverse(views)) {
      view->moveBefore(place);
      numbers[view] = numbers.lookup(place);
    }
    return true;
  }

  Block &block;
  /// The operations of the block and their numbers; null for those that are
  /// gone. A view that was moved has the number of what it was moved to.
  SmallVector<Operation *> operations;
  llvm::DenseMap<Operation *, int64_t> numbers;
  /// For each buffer that is known to share its memory with no other one the
  /// numbers of the operations that may touch it or a view of it; for null
  /// those that may touch any.
  llvm::DenseMap<Value, SmallVector<int64_t>> touching;
  /// What `lifeOf` says of views whose uses have not changed since.
  llvm::DenseMap<Operation *, Life> lives;
};

struct ElideCopiesPass : impl::ElideCopiesBase<ElideCopiesPass> {
  using ElideCopiesBase::ElideCopiesBase;

  void runOnOperation() override {
    llvm::SetVector<Block *> blocks;
    getOperation()->walk(
        [&](memref::CopyOp copy) { blocks.insert(copy->getBlock()); });
    for (Block *block : blocks)
      BlockCopies(*block).run();
  }
};

} // namespace
} // namespace npu
