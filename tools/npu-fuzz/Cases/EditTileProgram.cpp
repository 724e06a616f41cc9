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

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The attributes of numbers that say where something is.
constexpr StringLiteral kNumbers[] = {"static_offsets", "static_sizes",
                                      "static_strides", "source_offset",
                                      "dest_offsets",   "offset",
                                      "size",           "bytes",
                                      "from",           "to",
                                      "source_order",   "dest_order",
                                      "mem_perm",       tileAttrName,
                                      tilesAttrName,    beginAttrName,
                                      offsetAttrName,   orderAttrName,
                                      ofAttrName,       extentsAttrName,
                                      paddingAttrName,  paddingsAttrName};

/// Those that an operation can do without.
constexpr StringLiteral kOptional[] = {
    "source_order",  "dest_order",    tileAttrName, beginAttrName,
    offsetAttrName,  orderAttrName,   ofAttrName,   extentsAttrName,
    paddingAttrName, paddingsAttrName};

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

/// The tensor that `op` writes `value` over, if it is a transfer or an
/// insertion of a tile.
Value destinationOf(Operation *op, Value value) {
  if (auto transfer = dyn_cast<TransferOp>(op))
    return transfer.getDests()[cast<OpResult>(value).getResultNumber()];
  return isInsertion(op) && op->hasAttr(tileAttrName) ? writtenOver(op)
                                                      : Value();
}

/// Whether a tensor is put together from nothing: by insertions first, and then
/// by transfers. What the model inserts into a tensor that has been written, or
/// loaded, is what it computes.
bool isPutTogether(Value value) {
  bool inserted = false;
  while (Operation *op = value.getDefiningOp()) {
    Value into = destinationOf(op, value);
    if (!into)
      return isUnwritten(value);
    if (inserted && isa<TransferOp>(op))
      return false;
    inserted |= !isa<TransferOp>(op);
    value = into;
  }
  return false;
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
  if (isUnwritten(value))
    return true;
  auto load = value.getDefiningOp<TransferOp>();
  return load && static_cast<int64_t>(load.getFrom()) == TransferOp::ddr &&
         isUnwritten(load.getDests()[cast<OpResult>(value).getResultNumber()]);
}

/// `value` with one entry less in dimension `dim`, for its tile alone.
Value shorter(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  --shape[dim];
  auto load = value.getDefiningOp<TransferOp>();
  if (!load)
    return emptyLike(value.getDefiningOp(), shape);
  unsigned number = cast<OpResult>(value).getResultNumber();
  Value empty = emptyLike(load.getDests()[number].getDefiningOp(), shape);
  SmallVector<int64_t> sizes(load.getSize());
  int64_t logical = load.getDestOrderOrIdentity()[dim];
  int64_t bytes = static_cast<int64_t>(load.getBytes()) / sizes[logical] *
                  (sizes[logical] - 1);
  --sizes[logical];
  OpBuilder builder(load);
  return TransferOp::create(
             builder, load.getLoc(), TypeRange{empty.getType()},
             load.getSource(), ValueRange{empty}, load.getSourceOffset(),
             load.getFrom(), ArrayRef<int64_t>{load.getTo()[number]},
             load.getDestOffset(number), load.getOffset(), sizes, bytes,
             load.getSourceOrderAttr(), load.getDestOrderAttr())
      .getResult(0);
}

/// Makes a tile run fewer iterations of a loop that it reduces: every operand
/// that the loop reads as it is gets one entry less, from its load on, or where
/// nobody has written it (the window of a pooling). Returns false, and leaves
/// the program as it was, where one of them is made in another way.
///
/// Example: a tile that loads [0:4, 0:6] of a tensor and adds up its columns
/// loads [0:4, 0:5] and adds up five.
bool reduceLess(Operation *op, RandomNumbers &random) {
  std::optional<OpAccess> access =
      op->hasAttr(tileAttrName) ? OpAccess::get(op) : std::nullopt;
  SmallVector<unsigned> loops =
      access ? access->loopsRunWhole() : SmallVector<unsigned>();
  if (loops.empty())
    return false;
  unsigned loop = loops[random.below(static_cast<int64_t>(loops.size()))];
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

/// Takes a load of a tile out and says instead that what it would have brought,
/// or more or less than that, is padding (`npu.padding`). Returns false where
/// `op` is no load into a tensor of its own.
bool callPadding(Operation *op, RandomNumbers &random) {
  auto load = dyn_cast<TransferOp>(op);
  if (!load || load.getTo().size() != 1 ||
      load.getTo().front() == TransferOp::ddr ||
      !isUnwritten(load.getDests().front()))
    return false;
  Value before = load.getDests().front();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(before.getType()).getShape();
  if (shape.empty() || llvm::is_contained(shape, 0))
    return false;
  Value empty = emptyLike(before.getDefiningOp(), shape);
  Operation *made = empty.getDefiningOp();
  Padding padding;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (random.oneIn(2)) {
      int64_t begin = random.oneIn(2) ? 0 : random.below(extent);
      padding.push_back({dim, {begin, extent}});
    }
  if (padding.empty())
    made->setAttr(paddingAttrName, UnitAttr::get(op->getContext()));
  else
    setPadding(made->getResult(0), padding);
  if (random.oneIn(2))
    made->setAttr(beginAttrName, DenseI64ArrayAttr::get(op->getContext(), [&] {
                    SmallVector<int64_t> begin;
                    for (int64_t dim : load.getDestOrderOrIdentity())
                      begin.push_back(load.getOffset()[dim]);
                    return begin;
                  }()));
  op->getResult(0).replaceAllUsesWith(empty);
  op->erase();
  return true;
}

class Editor {
public:
  Editor(ModuleOp program, uint64_t seed) : random(seed, 0) {
    program.walk([&](Operation *op) {
      Operation *parent = op->getParentOp();
      // The regions of structured operations compute.
      if (parent && isa<func::FuncOp, RegionBranchOpInterface>(parent))
        operations.push_back(op);
      else if (isa<func::FuncOp>(op) && op->hasAttr(tilesAttrName))
        operations.push_back(op);
    });
  }

  std::string edit() {
    constexpr int tries = 200;
    for (int i = 0; !operations.empty() && i < tries; ++i) {
      Operation *op = operations[random.below(operations.size())];
      std::string before = spell(op);
      std::optional<std::string> after = editOne(op);
      if (after)
        return before + "\n  became " + *after;
    }
    return "";
  }

private:
  /// What the operation is after an edit; nothing where the chosen edit cannot
  /// be made.
  std::optional<std::string> editOne(Operation *op) {
    switch (random.below(15)) {
    case 10:
      return storeElsewhere(op) ? std::optional(spell(op)) : std::nullopt;
    case 11:
      return reduceLess(op, random) ? std::optional(spell(op)) : std::nullopt;
    case 12: {
      std::string text = spell(op);
      return callPadding(op, random) ? std::optional("padding for " + text)
                                     : std::nullopt;
    }
    case 13:
    case 14:
      return isInFrontOfReshape(op) &&
                     (random.oneIn(2) ? loadElsewhere(op) : editNumber(op))
                 ? std::optional(spell(op))
                 : std::nullopt;
    case 8:
      return takeFromElsewhere(op) ? std::optional(spell(op)) : std::nullopt;
    case 9:
      return loadElsewhere(op) ? std::optional(spell(op)) : std::nullopt;
    case 0:
    case 1:
    case 2:
      return editNumber(op) ? std::optional(spell(op)) : std::nullopt;
    case 3:
      return leaveAttributeOut(op) ? std::optional(spell(op)) : std::nullopt;
    case 4:
    case 5:
      return editOperand(op) ? std::optional(spell(op)) : std::nullopt;
    case 6:
      return leaveOut(op) ? std::optional<std::string>("nothing")
                          : std::nullopt;
    default:
      return makeTwice(op) ? std::optional<std::string>("two") : std::nullopt;
    }
  }

  template <size_t N>
  SmallVector<StringRef> present(Operation *op,
                                 const StringLiteral (&names)[N]) {
    SmallVector<StringRef> found;
    for (StringRef name : names)
      if (op->getAttr(name) && (moves(op) || name.starts_with("npu.")))
        found.push_back(name);
    if (op->hasAttr(tileAttrName) && op->getAttr(kListedExtents))
      found.push_back(kListedExtents);
    return found;
  }

  bool editNumber(Operation *op) {
    SmallVector<StringRef> names = present(op, kNumbers);
    if (names.empty())
      return false;
    StringRef name = names[random.below(names.size())];
    Builder builder(op->getContext());
    if (auto number = op->getAttrOfType<IntegerAttr>(name)) {
      op->setAttr(name,
                  IntegerAttr::get(number.getType(), other(number.getInt())));
      return true;
    }
    if (auto lists = op->getAttrOfType<ArrayAttr>(name)) {
      Attribute edited = otherIn(lists);
      op->setAttr(name, edited);
      return edited != lists;
    }
    auto array = op->getAttrOfType<DenseI64ArrayAttr>(name);
    if (!array || array.empty())
      return false;
    SmallVector<int64_t> numbers(array.asArrayRef());
    size_t at = random.below(numbers.size()), next = (at + 1) % numbers.size();
    if (random.below(3) == 0 && numbers[at] != numbers[next])
      std::swap(numbers[at], numbers[next]);
    else
      numbers[at] = other(numbers[at]);
    op->setAttr(name, builder.getDenseI64ArrayAttr(numbers));
    // A slice of another size has another type.
    if (name == "static_sizes" && isSliceOfSameRank(op) &&
        llvm::all_of(numbers, [](int64_t size) { return size >= 0; }))
      op->getResult(0).setType(RankedTensorType::get(
          numbers, getElementTypeOrSelf(op->getResult(0))));
    return true;
  }

  /// Lists of lists of numbers in which one number is another one.
  Attribute otherIn(Attribute attr) {
    if (auto number = dyn_cast<IntegerAttr>(attr))
      return IntegerAttr::get(number.getType(), other(number.getInt()));
    auto list = dyn_cast<ArrayAttr>(attr);
    if (!list || list.empty())
      return attr;
    SmallVector<Attribute> each(list.getValue());
    Attribute &chosen = each[random.below(static_cast<int64_t>(each.size()))];
    chosen = otherIn(chosen);
    return ArrayAttr::get(attr.getContext(), each);
  }

  /// Whether what the operation moves is reshaped, mostly after operations
  /// that compute with it.
  static bool isInFrontOfReshape(Operation *op) {
    constexpr int steps = 4;
    if (!moves(op) || op->getNumResults() == 0)
      return false;
    SmallVector<Operation *> users = {op};
    for (int step = 0; step < steps; ++step) {
      SmallVector<Operation *> next;
      for (Operation *each : users)
        llvm::append_range(next, each->getUsers());
      if (llvm::any_of(next, [](Operation *each) {
            return reassociationOf(each).has_value();
          }))
        return true;
      users = std::move(next);
    }
    return false;
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
    if (others.empty())
      return false;
    dest.set(others[random.below(static_cast<int64_t>(others.size()))]);
    return true;
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

  /// Adds a number in one dimension of an attribute.
  static void shift(Operation *op, StringRef name, size_t dim, int64_t by) {
    SmallVector<int64_t> numbers(
        op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef());
    numbers[dim] += by;
    op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), numbers));
  }

  /// Whether another tile has a part of the same operand or result.
  bool isOnOtherTiles(Operation *op) {
    Attribute of = op->getAttr(ofAttrName);
    return of && llvm::any_of(operations, [&](Operation *other) {
             return other != op && other->getAttr(ofAttrName) == of &&
                    other->getParentOfType<func::FuncOp>() ==
                        op->getParentOfType<func::FuncOp>();
           });
  }

  /// A slice or an insertion at another offset of its part and, by as much, of
  /// the whole tensor. Where one tile has all of it, the model would have
  /// another offset.
  bool takeFromElsewhere(Operation *op) {
    auto offsets = op->getAttrOfType<DenseI64ArrayAttr>("static_offsets");
    if (!offsets || offsets.empty() || !isOnOtherTiles(op))
      return false;
    size_t dim = random.below(offsets.size());
    int64_t by = other(offsets[dim]) - offsets[dim];
    shift(op, "static_offsets", dim, by);
    shift(op, offsetAttrName, dim, by);
    return true;
  }

  /// A load of another box, from where that is.
  bool loadElsewhere(Operation *op) {
    auto transfer = dyn_cast<TransferOp>(op);
    if (!transfer ||
        static_cast<int64_t>(transfer.getFrom()) != TransferOp::ddr ||
        transfer.getOffset().empty())
      return false;
    size_t dim = random.below(transfer.getOffset().size());
    Permutation order = transfer.getSourceOrderOrIdentity();
    int64_t begin = transfer.getOffset()[order[dim]];
    int64_t by = other(begin) - begin;
    shift(op, "source_offset", dim, by);
    shift(op, "offset", order[dim], by);
    return true;
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
      return number + (random.below(2) == 0 ? 1000000000 : -1000000000);
    default:
      return random.below(2) == 0 ? number + 1 : number - 1;
    }
  }

  bool leaveAttributeOut(Operation *op) {
    SmallVector<StringRef> names = present(op, kOptional);
    if (names.empty())
      return false;
    op->removeAttr(names[random.below(names.size())]);
    return true;
  }

  bool editOperand(Operation *op) {
    if (op->getNumOperands() == 0 || isa<func::FuncOp>(op))
      return false;
    OpOperand &operand = op->getOpOperand(random.below(op->getNumOperands()));
    std::optional<int64_t> place = placeOf(operand.get());
    if (!isa<RankedTensorType>(operand.get().getType()) || !place)
      return false;
    SmallVector<Value> others = before(operand.get());
    llvm::append_range(others, valuesAt(op, operand.get(), [&](int64_t at) {
                         return at != *place;
                       }));
    if (others.empty())
      return false;
    operand.set(others[random.below(others.size())]);
    return true;
  }

  /// What a tensor was before something was written to it.
  static SmallVector<Value> before(Value value) {
    SmallVector<Value> values;
    if (!isPutTogether(value))
      return values;
    while (Value into = destinationOf(value.getDefiningOp(), value)) {
      values.push_back(into);
      value = into;
    }
    return values;
  }

  /// What stands for the results of an operation that is left out.
  static SmallVector<Value> withoutIt(Operation *op) {
    if (auto transfer = dyn_cast<TransferOp>(op))
      return llvm::to_vector(ValueRange(transfer.getDests()));
    if (isInsertion(op) && isPutTogether(op->getResult(0)))
      return {writtenOver(op)};
    if (isa<PermuteCastOp>(op) &&
        op->getOperand(0).getType() == op->getResult(0).getType())
      return {op->getOperand(0)};
    return {};
  }

  bool leaveOut(Operation *op) {
    SmallVector<Value> values =
        moves(op) ? withoutIt(op) : SmallVector<Value>();
    if (values.empty())
      return false;
    op->replaceAllUsesWith(values);
    op->erase();
    return true;
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
