// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/OperationSteps.h"

#include "npu/Analysis/Choices/StepParts.h"
#include "npu/Analysis/Choices/StepPlace.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "llvm/ADT/SmallSet.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Whether the expression is a sum of loops, each of them times a positive
/// number, or 0: consecutive iterations read entries of one box.
bool isSumOfLoops(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  if (isa<AffineDimExpr>(expr))
    return true;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return isSumOfLoops(binary.getLHS()) && isSumOfLoops(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() > 0 && isSumOfLoops(binary.getLHS());
}

bool isReduction(utils::IteratorType kind) {
  return kind != utils::IteratorType::parallel;
}

Error expected(const std::string &what) { return {"expected " + what}; }

/// An error where sums would be added up in another order.
Result<> checkOrder(linalg::LinalgOp op, const OperationSteps &steps) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  std::optional<int64_t> whole, before;
  for (int64_t loop = 0; loop < static_cast<int64_t>(kinds.size()); ++loop) {
    if (!isReduction(kinds[loop]) || extents[loop] == 1)
      continue;
    const auto *found = llvm::find(steps.loops, loop);
    bool isCut = found != steps.loops.end();
    if (isCut && whole)
      return expected(fmt::format("sums in their order: loop {} reduces before "
                                  "loop {}, and is not done one by one",
                                  *whole, loop));
    if (!isCut || steps.sizes[found - steps.loops.begin()] > 1)
      whole = whole.value_or(loop);
    if (isCut && before &&
        llvm::find(steps.loops, *before) > llvm::find(steps.loops, loop))
      return expected("loops that reduce in their order");
    if (isCut)
      before = loop;
  }
  return Success();
}

} // namespace

size_t OperationSteps::firstReduction(linalg::LinalgOp op) const {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  return llvm::find_if(loops,
                       [&](int64_t loop) { return isReduction(kinds[loop]); }) -
         loops.begin();
}

/// The layouts of an operation's operands, a unit attribute where there is
/// none.
static ArrayAttr arrayOf(Builder &builder, ArrayRef<LayoutAttr> layouts) {
  SmallVector<Attribute> each;
  for (LayoutAttr layout : layouts)
    each.push_back(layout ? Attribute(layout) : builder.getUnitAttr());
  return builder.getArrayAttr(each);
}

DictionaryAttr OperationSteps::attributeBefore(MLIRContext *context,
                                               size_t number) const {
  Builder builder(context);
  return builder.getDictionaryAttr(
      builder.getNamedAttr("layouts", arrayOf(builder, before[number])));
}

DictionaryAttr OperationSteps::attributeOfPad(MLIRContext *context) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      builder.getNamedAttr("layouts", arrayOf(builder, {})));
}

DictionaryAttr OperationSteps::attribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<NamedAttribute> members = {
      builder.getNamedAttr("loops", builder.getDenseI64ArrayAttr(loops)),
      builder.getNamedAttr("sizes", builder.getDenseI64ArrayAttr(sizes)),
      builder.getNamedAttr("layouts", arrayOf(builder, layouts))};
  if (llvm::any_of(slots, [](int64_t count) { return count > 1; }))
    members.push_back(
        builder.getNamedAttr("slots", builder.getDenseI64ArrayAttr(slots)));
  return builder.getDictionaryAttr(members);
}

bool hasSteps(Operation *op) {
  Attribute steps = op->getAttr(stepsAttrName);
  return steps && !isa<UnitAttr>(steps);
}

Result<> mayRunInSteps(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.hasDynamicShape())
    return expected("an operation on tensors of static shape with one result");
  if (llvm::is_contained(op.getStaticLoopRanges(), 0))
    return expected("at least one iteration of each loop");
  for (AffineMap map : op.getIndexingMapsArray())
    if (map.getNumSymbols() > 0 ||
        !llvm::all_of(map.getResults(), isSumOfLoops))
      return expected("entries at sums of loops, so that a slice is a box");
  // Of a result that is written along a diagonal, steps would leave entries
  // that belong to no step.
  if (!op.getMatchingIndexingMap(op.getDpsInitOperand(0))
           .isProjectedPermutation())
    return expected("a result with a loop for each dimension");
  return Success();
}

bool loadsOutput(linalg::LinalgOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  bool isOverwritten = !op.payloadUsesValueFromOperand(init) &&
                       op.getMatchingIndexingMap(init).isProjectedPermutation();
  return !isOverwritten && !isMadeAnywhere(init->get());
}

/// The layouts of the operation's slices as its `npu.steps` says them.
static Result<SmallVector<LayoutAttr>> readLayouts(linalg::LinalgOp op,
                                                   ArrayAttr layouts) {
  if (!layouts || layouts.size() != op->getNumOperands())
    return expected("a layout for each operand");
  SmallVector<LayoutAttr> each;
  for (auto [operand, layout] : llvm::zip_equal(op->getOpOperands(), layouts)) {
    auto told = dyn_cast<LayoutAttr>(layout);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    bool isRead = type && (op.isDpsInit(&operand) ||
                           op.payloadUsesValueFromOperand(&operand));
    if (isRead != (told && told.isDistributed()))
      return expected("a distribution for each tensor that is read, and for "
                      "the result");
    if (isRead && hasLayout(type) && getLayout(type) != told)
      return expected("tensors in DDR, or under the layout of their slices");
    each.push_back(told);
  }
  return each;
}

/// An error where no operation after `op` has steps that make its slices.
static Result<> checkInStepsOfReader(Operation *op) {
  Operation *reader = op;
  while (reader && isInStepsOfReader(reader))
    reader = reader->use_empty() ? nullptr : *reader->user_begin();
  auto last = dyn_cast_if_present<linalg::LinalgOp>(reader);
  if (last && hasSteps(last)) {
    StepGroup group = StepGroup::marked(last);
    auto isOp = [&](const StepMember &member) { return member.op == op; };
    if (llvm::any_of(group.members(), isOp) ||
        llvm::is_contained(group.pads(), op))
      return Success();
  }
  return expected("one operation after it that has loops in its steps, and "
                  "whose steps make all that is read of its result");
}

/// An error where a pad is not made in the steps of its readers.
static Result<> checkPad(Operation *pad) {
  auto layouts = isInStepsOfReader(pad)
                     ? pad->getAttrOfType<DictionaryAttr>(stepsAttrName)
                           .getAs<ArrayAttr>("layouts")
                     : ArrayAttr();
  if (!layouts || !layouts.empty())
    return expected("layouts, of which a pad has none of its own");
  if (!asConstantPad(pad))
    return expected("static shapes, and one value everywhere that is added");
  return checkInStepsOfReader(pad);
}

Result<> checkSteps(Operation *op) {
  if (isPad(op))
    return checkPad(op);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return expected("an operation of linalg, or a pad of what one reads");
  Result<OperationSteps> steps = readSteps(structured);
  return steps ? Result<>(Success()) : Result<>(steps.error());
}

Result<OperationSteps> readSteps(linalg::LinalgOp op) {
  if (isInStepsOfReader(op)) {
    if (Result<> wrong = checkInStepsOfReader(op); !wrong)
      return wrong.error();
    return OperationSteps();
  }
  auto dictionary =
      dyn_cast_or_null<DictionaryAttr>(op->getAttr(stepsAttrName));
  auto loops = dictionary ? dictionary.getAs<DenseI64ArrayAttr>("loops")
                          : DenseI64ArrayAttr();
  auto sizes = dictionary ? dictionary.getAs<DenseI64ArrayAttr>("sizes")
                          : DenseI64ArrayAttr();
  auto layouts =
      dictionary ? dictionary.getAs<ArrayAttr>("layouts") : ArrayAttr();
  auto slots = dictionary ? dictionary.getAs<DenseI64ArrayAttr>("slots")
                          : DenseI64ArrayAttr();
  if (!loops || !sizes || !layouts || dictionary.size() != (slots ? 4 : 3))
    return expected("loops, sizes and layouts, perhaps slots, and nothing "
                    "else");
  if (Result<> wrong = mayRunInSteps(op); !wrong)
    return wrong.error();
  if (loops.empty() || loops.size() != sizes.size())
    return expected("one size for each of its loops, and at least one loop");
  if (slots && (slots.size() != loops.size() ||
                !llvm::all_of(slots.asArrayRef(), [](int64_t count) {
                  return count >= 1 && count <= kMaxSlots;
                })))
    return expected(
        fmt::format("1 to {} slots for each of its loops", kMaxSlots));
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  AffineMap made = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  llvm::SmallSet<int64_t, 4> seen;
  bool reduces = false;
  for (auto [loop, size] :
       llvm::zip_equal(loops.asArrayRef(), sizes.asArrayRef())) {
    if (loop < 0 || loop >= static_cast<int64_t>(extents.size()) ||
        !seen.insert(loop).second)
      return expected("loops of the operation, each once");
    if (size < 1 || size > extents[loop])
      return expected(fmt::format("steps of 1 to {} iterations of loop {}",
                                  extents[loop], loop));
    if (isReduction(kinds[loop]) == made.isFunctionOfDim(loop))
      return expected(
          fmt::format("loop {} to be one of the result, or one that "
                      "reduces",
                      loop));
    if (!isReduction(kinds[loop]) && reduces)
      return expected("loops that reduce after all others");
    reduces |= isReduction(kinds[loop]);
  }
  OperationSteps steps{llvm::to_vector(loops.asArrayRef()),
                       llvm::to_vector(sizes.asArrayRef()),
                       slots ? llvm::to_vector(slots.asArrayRef())
                             : SmallVector<int64_t>(loops.size(), 1),
                       {},
                       {}};
  if (Result<> wrong = checkOrder(op, steps); !wrong)
    return wrong.error();
  StepGroup group = StepGroup::marked(op);
  for (int64_t loop : group.wholeLoops())
    if (llvm::is_contained(steps.loops, loop))
      return expected(fmt::format("loop {} to run whole, which operations "
                                  "before it read in different parts",
                                  loop));
  for (auto [loop, size] : llvm::zip_equal(steps.loops, steps.sizes)) {
    int64_t multiple = group.multipleOf(loop);
    if (size < extents[loop] && (multiple == 0 || size % multiple != 0))
      return expected(
          multiple == 0
              ? fmt::format(
                    "loop {} to run whole, whose steps would cut a byte", loop)
              : fmt::format("steps of a multiple of {} iterations of loop {}, "
                            "which cut no byte",
                            multiple, loop));
  }
  if (!readsInsideOfPads(group, steps))
    return expected("each step to read more of a padded tensor than its pad");
  for (auto [number, member] : llvm::enumerate(group.members())) {
    bool isLast = number + 1 == group.size();
    auto own = isLast ? layouts
                      : member.op->getAttrOfType<DictionaryAttr>(stepsAttrName)
                            .getAs<ArrayAttr>("layouts");
    Result<SmallVector<LayoutAttr>> read = readLayouts(member.op, own);
    if (!read)
      return read.error();
    if (isLast)
      steps.layouts = std::move(*read);
    else
      steps.before.push_back(std::move(*read));
  }
  auto isOnTiles = [&](StepUse use) {
    return isDistributed(group.operandOf(use).get().getType());
  };
  if (!partsOfLoops(group, steps, isOnTiles))
    return expected("tensors that are cut in DDR, or on tiles that have equal "
                    "parts of them, of which each step has equal pieces in "
                    "whole bytes");
  return steps;
}

LogicalResult refuseSteps(Operation *op, const Error &why) {
  return op->emitOpError() << "with '" << stepsAttrName << "': " << why.message;
}

LogicalResult refuseWithoutLoops(Operation *op) {
  return refuseSteps(op,
                     {"expected loops, which npu-run-in-steps makes of it"});
}

SmallVector<int64_t> sliceShape(AffineMap map, ArrayRef<int64_t> iterations) {
  SmallVector<int64_t> last, shape;
  for (int64_t count : iterations)
    last.push_back(count - 1);
  for (int64_t position : map.compose(last))
    shape.push_back(position + 1);
  return shape;
}

} // namespace npu
