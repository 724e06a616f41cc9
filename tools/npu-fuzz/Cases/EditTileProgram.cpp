// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/BreakProgram.h"

#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The attributes of numbers that say where something is.
constexpr StringLiteral kNumbers[] = {"static_offsets", "static_sizes",
                                      "static_strides", "source_offset",
                                      "dest_offsets",   "offset",
                                      "size",           "bytes",
                                      "from",           "to",
                                      "mem_perm",       tilesAttrName,
                                      "source_order",   "dest_order",
                                      tileAttrName,     beginAttrName,
                                      offsetAttrName,   orderAttrName,
                                      ofAttrName,       extentsAttrName,
                                      paddingAttrName,  paddingsAttrName};
/// Those from here on can be left out.
constexpr std::size_t kFirstOptional = 12;

/// The extents of an expand_shape's result beside its type.
constexpr StringLiteral kListedExtents = "static_output_shape";

/// Whether the operation puts a slice into another tensor.
bool isInsertion(Operation *op) {
  return op->getNumResults() == 1 &&
         llvm::any_of(op->getOpOperands(), isFilledBySlice);
}

/// Whether the operation moves entries within a tile, or to another one.
bool moves(Operation *op) {
  return isa<TransferOp>(op) ||
         (op->hasAttr(tileAttrName) &&
          (cutsOut(op) || isInsertion(op) || isa<PermuteCastOp>(op)));
}

/// The transfer if it loads from DDR; null otherwise.
TransferOp loadOf(Operation *op) {
  auto load = dyn_cast_or_null<TransferOp>(op);
  return load && static_cast<int64_t>(load.getFrom()) == TransferOp::ddr
             ? load
             : TransferOp();
}

/// The tile that a value is on, or DDR; nothing where control flow hands it on.
std::optional<int64_t> placeOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(value.getParentBlock()->getParentOp()) &&
                   value.getParentBlock()->isEntryBlock()
               ? std::optional(TransferOp::ddr)
               : std::nullopt;
  if (auto transfer = dyn_cast<TransferOp>(op))
    return transfer.getTo()[cast<OpResult>(value).getResultNumber()];
  if (isa<RegionBranchOpInterface>(op))
    return std::nullopt;
  auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
  return tile ? tile.getInt() : TransferOp::ddr;
}

/// The tensor that a transfer or an insertion of a tile writes `value` over;
/// null where another operation makes it.
Value writtenBefore(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto transfer = dyn_cast_or_null<TransferOp>(op))
    return transfer.getDests()[cast<OpResult>(value).getResultNumber()];
  return op && isInsertion(op) && op->hasAttr(tileAttrName) ? writtenOver(op)
                                                            : Value();
}

/// What a tensor was before something was written to it, if it is put together
/// from nothing: by insertions first, and then by transfers. What the model
/// inserts into a tensor that has been written, or loaded, is what it computes.
SmallVector<Value> valuesBefore(Value value) {
  SmallVector<Value> values;
  bool inserted = false;
  while (Value into = writtenBefore(value)) {
    bool isTransfer = isa<TransferOp>(value.getDefiningOp());
    if (inserted && isTransfer)
      return {};
    inserted |= !isTransfer;
    values.push_back(into);
    value = into;
  }
  return isUnwritten(value) ? values : SmallVector<Value>();
}

std::string spell(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().skipRegions().useLocalScope());
  return text;
}

/// A tensor that nobody has written, beside `like` and with this shape.
Value emptyLike(Operation *like, ArrayRef<int64_t> shape) {
  OpBuilder builder(like);
  auto type = cast<RankedTensorType>(like->getResult(0).getType());
  Operation *empty = tensor::EmptyOp::create(builder, like->getLoc(), shape,
                                             type.getElementType());
  empty->setDiscardableAttrs(like->getDiscardableAttrDictionary());
  return empty->getResult(0);
}

/// Whether `value` is loaded at once by one transfer, or unwritten.
bool canBeShorter(Value value) {
  return isUnwritten(value) ||
         (loadOf(value.getDefiningOp()) && isUnwritten(writtenBefore(value)));
}

/// `value` with one entry less in dimension `dim`, for its tile alone.
Value shorter(Value value, int64_t dim) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  --shape[dim];
  TransferOp load = loadOf(value.getDefiningOp());
  if (!load)
    return emptyLike(value.getDefiningOp(), shape);
  unsigned number = cast<OpResult>(value).getResultNumber();
  Value empty = emptyLike(load.getDests()[number].getDefiningOp(), shape);
  SmallVector<int64_t> sizes(load.getSize());
  int64_t &shortened = sizes[load.getDestOrderOrIdentity()[dim]];
  int64_t bytes =
      static_cast<int64_t>(load.getBytes()) / shortened * (shortened - 1);
  --shortened;
  OpBuilder builder(load);
  return TransferOp::create(
             builder, load.getLoc(), TypeRange{empty.getType()},
             load.getSource(), ValueRange{empty}, load.getSourceOffset(),
             load.getFrom(), ArrayRef<int64_t>{load.getTo()[number]},
             load.getDestOffset(number), load.getOffset(), sizes, bytes,
             load.getSourceOrderAttr(), load.getDestOrderAttr())
      .getResult(0);
}

/// Each edit returns false where it cannot be made; the program is then what it
/// was.
class Editor {
public:
  Editor(ModuleOp program, uint64_t seed) : random(seed, 0) {
    program.walk([&](Operation *op) {
      // The regions of structured operations compute.
      if (isa_and_nonnull<func::FuncOp, RegionBranchOpInterface>(
              op->getParentOp()) ||
          (isa<func::FuncOp>(op) && op->hasAttr(tilesAttrName)))
        operations.push_back(op);
    });
  }

  std::string edit() {
    struct Edit {
      bool (Editor::*make)(Operation *);
      /// What becomes of an operation that is gone, or stays as it is.
      const char *became = nullptr;
    };
    // An edit that should be made more often is listed several times.
    constexpr Edit kEdits[] = {
        {&Editor::editNumber},
        {&Editor::editNumber},
        {&Editor::editNumber},
        {&Editor::leaveAttributeOut},
        {&Editor::editOperand},
        {&Editor::editOperand},
        {&Editor::leaveOut, "nothing"},
        {&Editor::makeTwice, "two"},
        {&Editor::takeFromElsewhere},
        {&Editor::loadElsewhere},
        {&Editor::storeElsewhere},
        {&Editor::reduceLess},
        {&Editor::callPadding, "padding"},
        {&Editor::editInFrontOfReshape},
        {&Editor::editInFrontOfReshape},
    };
    constexpr int tries = 200;
    for (int i = 0; !operations.empty() && i < tries; ++i) {
      Operation *op = oneOf(operations);
      std::string before = spell(op);
      const Edit &edit = kEdits[random.below(std::size(kEdits))];
      if ((this->*edit.make)(op))
        return before + "\n  became " + (edit.became ? edit.became : spell(op));
    }
    return "";
  }

private:
  template <typename Items>
  typename Items::value_type &oneOf(Items &items) {
    return items[random.below(static_cast<int64_t>(items.size()))];
  }
  template <typename Numbers>
  static Attribute listOf(Operation *op, const Numbers &numbers) {
    return DenseI64ArrayAttr::get(op->getContext(), numbers);
  }

  SmallVector<StringRef> present(Operation *op, ArrayRef<StringLiteral> names) {
    SmallVector<StringRef> found;
    for (StringRef name : names)
      if (op->getAttr(name) && (moves(op) || name.starts_with("npu.")))
        found.push_back(name);
    return found;
  }

  int64_t other(int64_t number) {
    switch (random.below(8)) {
    case 0:
      return number == 0 ? -1 : 0;
    case 1:
      return -1 - number;
    case 2:
      return number + 2;
    case 3:
      return number + (random.oneIn(2) ? 1000000000 : -1000000000);
    default:
      return random.oneIn(2) ? number + 1 : number - 1;
    }
  }

  /// The attribute with one other number, or, of a list, with two neighbours
  /// exchanged.
  Attribute other(Attribute attr) {
    if (auto number = dyn_cast<IntegerAttr>(attr))
      return IntegerAttr::get(number.getType(), other(number.getInt()));
    if (auto lists = dyn_cast<ArrayAttr>(attr); lists && !lists.empty()) {
      SmallVector<Attribute> each(lists.getValue());
      Attribute &chosen = oneOf(each);
      chosen = other(chosen);
      return ArrayAttr::get(attr.getContext(), each);
    }
    auto array = dyn_cast<DenseI64ArrayAttr>(attr);
    if (!array || array.empty())
      return attr;
    SmallVector<int64_t> numbers(array.asArrayRef());
    std::size_t at = random.below(std::ssize(numbers)),
                next = (at + 1) % numbers.size();
    if (random.oneIn(3) && numbers[at] != numbers[next])
      std::swap(numbers[at], numbers[next]);
    else
      numbers[at] = other(numbers[at]);
    return DenseI64ArrayAttr::get(attr.getContext(), numbers);
  }

  bool editNumber(Operation *op) {
    SmallVector<StringRef> names = present(op, kNumbers);
    if (op->hasAttr(tileAttrName) && op->getAttr(kListedExtents))
      names.push_back(kListedExtents);
    if (names.empty())
      return false;
    StringRef name = oneOf(names);
    Attribute before = op->getAttr(name), after = other(before);
    op->setAttr(name, after);
    // A slice of another size has another type.
    if (auto sizes = dyn_cast<DenseI64ArrayAttr>(after);
        name == "static_sizes" && isSliceOfSameRank(op) &&
        llvm::all_of(sizes.asArrayRef(),
                     [](int64_t size) { return size >= 0; }))
      op->getResult(0).setType(RankedTensorType::get(
          sizes.asArrayRef(), getElementTypeOrSelf(op->getResult(0))));
    return after != before;
  }

  bool leaveAttributeOut(Operation *op) {
    SmallVector<StringRef> names =
        present(op, ArrayRef(kNumbers).drop_front(kFirstOptional));
    if (names.empty())
      return false;
    op->removeAttr(oneOf(names));
    return true;
  }

  /// Another box to load, or another number, where what the operation moves is
  /// reshaped, mostly after operations that compute with it.
  bool editInFrontOfReshape(Operation *op) {
    constexpr int steps = 4;
    SmallVector<Operation *> users = {op};
    for (int step = 0; moves(op) && step < steps; ++step) {
      SmallVector<Operation *> next;
      for (Operation *each : users)
        llvm::append_range(next, each->getUsers());
      if (llvm::any_of(next, [](Operation *each) {
            return reassociationOf(each).has_value();
          }))
        return random.oneIn(2) ? loadElsewhere(op) : editNumber(op);
      users = std::move(next);
    }
    return false;
  }

  /// The values of the type of `value` in front of `op` whose place is one of
  /// `places`.
  SmallVector<Value> valuesAt(Operation *op, Value value,
                              function_ref<bool(int64_t)> places) {
    SmallVector<Value> values;
    DominanceInfo dominance;
    auto function = op->getParentOfType<func::FuncOp>();
    auto consider = [&](Value other) {
      std::optional<int64_t> at = placeOf(other);
      if (at && places(*at) && other.getType() == value.getType() &&
          dominance.properlyDominates(other, op))
        values.push_back(other);
    };
    llvm::for_each(function.getArguments(), consider);
    for (Operation *other : operations)
      if (other->getParentOfType<func::FuncOp>() == function)
        llvm::for_each(other->getResults(), consider);
    return values;
  }

  bool editOperand(Operation *op) {
    if (op->getNumOperands() == 0 || isa<func::FuncOp>(op))
      return false;
    OpOperand &operand = op->getOpOperand(random.below(op->getNumOperands()));
    std::optional<int64_t> place = placeOf(operand.get());
    if (!isa<RankedTensorType>(operand.get().getType()) || !place)
      return false;
    SmallVector<Value> others = valuesBefore(operand.get());
    llvm::append_range(others, valuesAt(op, operand.get(), [&](int64_t at) {
                         return at != *place;
                       }));
    return setToOneOf(operand, others);
  }

  /// A transfer into another tensor of the type at the same place.
  bool storeElsewhere(Operation *op) {
    auto transfer = dyn_cast<TransferOp>(op);
    if (!transfer)
      return false;
    int64_t number = random.below(transfer.getTo().size());
    OpOperand &dest = transfer.getDestsMutable()[number];
    SmallVector<Value> others = valuesAt(op, dest.get(), [&](int64_t place) {
      return place == transfer.getTo()[number];
    });
    llvm::erase(others, dest.get());
    return setToOneOf(dest, others);
  }

  bool setToOneOf(OpOperand &operand, SmallVector<Value> &values) {
    if (values.empty())
      return false;
    operand.set(oneOf(values));
    return true;
  }

  /// Adds a number in one dimension of an attribute.
  static void shift(Operation *op, StringRef name, std::size_t dim,
                    int64_t by) {
    SmallVector<int64_t> numbers(
        op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef());
    numbers[dim] += by;
    op->setAttr(name, listOf(op, numbers));
  }

  /// A slice or an insertion at another offset of its part and, by as much, of
  /// the whole tensor. Where no other tile has a part of the same operand or
  /// result, the model would have another offset.
  bool takeFromElsewhere(Operation *op) {
    Attribute of = op->getAttr(ofAttrName);
    auto offsets = op->getAttrOfType<DenseI64ArrayAttr>("static_offsets");
    if (!of || !offsets || offsets.empty() ||
        llvm::none_of(operations, [&](Operation *each) {
          return each != op && each->getAttr(ofAttrName) == of &&
                 each->getParentOfType<func::FuncOp>() ==
                     op->getParentOfType<func::FuncOp>();
        }))
      return false;
    std::size_t dim = random.below(offsets.size());
    int64_t by = other(offsets[dim]) - offsets[dim];
    shift(op, "static_offsets", dim, by);
    shift(op, offsetAttrName, dim, by);
    return true;
  }

  /// A load of another box, from where that is.
  bool loadElsewhere(Operation *op) {
    TransferOp load = loadOf(op);
    if (!load || load.getOffset().empty())
      return false;
    std::size_t dim = random.below(load.getOffset().size());
    int64_t logical = load.getSourceOrderOrIdentity()[dim];
    int64_t begin = load.getOffset()[logical], by = other(begin) - begin;
    shift(op, "source_offset", dim, by);
    shift(op, "offset", logical, by);
    return true;
  }

  /// Lets a tile run fewer iterations of a loop that it reduces: every operand
  /// that the loop reads as it is gets one entry less, from its load on, or
  /// where nobody has written it (the window of a pooling). Not possible where
  /// one of them is made in another way.
  ///
  /// Example: a tile that loads [0:4, 0:6] of a tensor and adds up its columns
  /// loads [0:4, 0:5] and adds up five.
  bool reduceLess(Operation *op) {
    std::optional<OpAccess> access =
        op->hasAttr(tileAttrName) ? OpAccess::get(op) : std::nullopt;
    SmallVector<unsigned> loops =
        access ? access->loopsRunWhole() : SmallVector<unsigned>();
    if (loops.empty())
      return false;
    unsigned loop = oneOf(loops);
    if (access->domain().loops[loop].extent() < 2)
      return false;
    SmallVector<std::pair<OpOperand *, int64_t>> reads;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = access->mapOf(operand.getOperandNumber());
      for (auto [dim, index] : llvm::enumerate(map.getResults()))
        if (auto read = dyn_cast<AffineDimExpr>(index);
            read && read.getPosition() == loop) {
          if (!canBeShorter(operand.get()))
            return false;
          reads.push_back({&operand, static_cast<int64_t>(dim)});
        }
    }
    for (auto [operand, dim] : reads)
      operand->set(shorter(operand->get(), dim));
    return !reads.empty();
  }

  /// Takes a load of a tile out and says instead that what it would have
  /// brought, or more or less than that, is padding. Possible of a load into a
  /// tensor of its own.
  bool callPadding(Operation *op) {
    TransferOp load = dyn_cast<TransferOp>(op);
    if (!load || load.getTo().size() != 1 ||
        load.getTo().front() == TransferOp::ddr ||
        !isUnwritten(load.getDests().front()))
      return false;
    Value before = load.getDests().front();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(before.getType()).getShape();
    if (shape.empty() || llvm::is_contained(shape, 0))
      return false;
    Value empty = emptyLike(before.getDefiningOp(), shape);
    Padding padding;
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (random.oneIn(2))
        padding.push_back(
            {dim, {random.oneIn(2) ? 0 : random.below(extent), extent}});
    Operation *made = empty.getDefiningOp();
    if (padding.empty())
      made->setAttr(paddingAttrName, UnitAttr::get(op->getContext()));
    else
      setPadding(made->getResult(0), padding);
    SmallVector<int64_t> begin;
    for (int64_t dim : load.getDestOrderOrIdentity())
      begin.push_back(load.getOffset()[dim]);
    if (random.oneIn(2))
      made->setAttr(beginAttrName, listOf(op, begin));
    return replace(op, empty);
  }

  bool replace(Operation *op, ValueRange values) {
    if (values.empty())
      return false;
    op->replaceAllUsesWith(values);
    llvm::erase(operations, op);
    op->erase();
    return true;
  }

  bool leaveOut(Operation *op) {
    if (auto transfer = dyn_cast<TransferOp>(op))
      return replace(op, llvm::to_vector(ValueRange(transfer.getDests())));
    if (!moves(op))
      return false;
    if (isInsertion(op))
      return !valuesBefore(op->getResult(0)).empty() &&
             replace(op, writtenOver(op));
    return isa<PermuteCastOp>(op) &&
           op->getOperand(0).getType() == op->getResult(0).getType() &&
           replace(op, op->getOperand(0));
  }

  /// The second writes over the first, where they write.
  bool makeTwice(Operation *op) {
    if (!moves(op))
      return false;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *again = builder.clone(*op);
    op->replaceAllUsesWith(again->getResults());
    if (auto transfer = dyn_cast<TransferOp>(op))
      cast<TransferOp>(again).getDestsMutable().assign(transfer.getResults());
    else
      for (OpOperand &operand : again->getOpOperands())
        if (isFilledBySlice(operand))
          operand.set(op->getResult(0));
    return true;
  }

  RandomNumbers random;
  SmallVector<Operation *> operations;
};

} // namespace

std::string editTileProgram(ModuleOp program, uint64_t seed) {
  return Editor(program, seed).edit();
}

} // namespace npu
