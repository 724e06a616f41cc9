// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/StepGroup.h"

#include "npu/Analysis/Choices/LoopCuts.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/ConstantPad.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;

namespace npu {
namespace {

/// Whether each dimension of the tensor is a loop of its own.
bool isPlain(AffineMap map) {
  return map.isProjectedPermutation() && map.getNumResults() > 0;
}

/// For each loop of `maker`, the loop of the group's last operation that the
/// reader has for it; nothing where a step would not read a box that `maker`
/// can make.
std::optional<SmallVector<int64_t>> loopsThrough(linalg::LinalgOp maker,
                                                 const StepMember &reader,
                                                 OpOperand &operand) {
  linalg::LinalgOp op = reader.op;
  AffineMap made = maker.getMatchingIndexingMap(maker.getDpsInitOperand(0));
  AffineMap read = op.getMatchingIndexingMap(&operand);
  if (!isPlain(made) || !isPlain(read))
    return std::nullopt;
  SmallVector<int64_t> loops(maker.getNumLoops(), -1);
  for (unsigned dim = 0; dim < made.getNumResults(); ++dim)
    loops[made.getDimPosition(dim)] = reader.loops[read.getDimPosition(dim)];
  return loops;
}

/// Whether steps can make slices of the operation's result.
bool canBeMadeInSteps(linalg::LinalgOp op) {
  return mayRunInSteps(op) && !loadsOutput(op) &&
         !isMadeAnywhere(op->getResult(0));
}

/// Whether steps can pad slices of what the operation pads.
bool canPadInSteps(Operation *op) {
  std::optional<ConstantPad> pad = asConstantPad(op);
  return pad && !hasLayout(op->getResult(0).getType()) &&
         !hasLayout(pad->sourceType()) && !isMadeAnywhere(pad->source->get());
}

} // namespace

SmallVector<int64_t> StepMember::iterations(ArrayRef<int64_t> last) const {
  SmallVector<int64_t> own(extents);
  for (auto [count, loop] : llvm::zip_equal(own, loops))
    if (loop >= 0)
      count = last[loop];
  return own;
}

bool StepMember::changesWith(AffineMap map, int64_t lastLoop) const {
  return llvm::any_of(map.getResults(),
                      [&](AffineExpr at) { return changesWith(at, lastLoop); });
}

bool StepMember::changesWith(AffineExpr at, int64_t lastLoop) const {
  for (auto [number, loop] : llvm::enumerate(loops))
    if (loop == lastLoop && at.isFunctionOfDim(number))
      return true;
  return false;
}

StepGroup StepGroup::grow(linalg::LinalgOp last, Accepts accepts,
                          AcceptsPad acceptsPad) {
  llvm::SmallDenseSet<int64_t> whole;
  // Members from the last one to the first, each after all of its readers.
  std::vector<StepMember> members;
  llvm::DenseMap<Operation *, size_t> known;
  auto add = [&](linalg::LinalgOp op, SmallVector<int64_t> loops) {
    known[op] = members.size();
    members.push_back({op, std::move(loops), op.getStaticLoopRanges()});
  };
  add(last, llvm::to_vector(llvm::seq<int64_t>(0, last.getNumLoops())));
  // Candidates for members, the last one of the block first.
  llvm::SmallSetVector<Operation *, 8> makers;
  auto addMakers = [&](linalg::LinalgOp reader) {
    for (OpOperand *operand : reader.getDpsInputOperands())
      if (auto maker = operand->get().getDefiningOp<linalg::LinalgOp>();
          maker && maker->getBlock() == last->getBlock())
        makers.insert(maker);
  };
  addMakers(last);
  while (!makers.empty()) {
    auto latest =
        std::ranges::max_element(makers, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        });
    auto maker = cast<linalg::LinalgOp>(*latest);
    makers.remove(*latest);
    if (!accepts(maker) || !canBeMadeInSteps(maker))
      continue;
    std::optional<SmallVector<int64_t>> loops;
    SmallVector<int64_t> inParts;
    bool isRead = true;
    for (OpOperand &use : maker->getUses()) {
      auto reader = known.find(use.getOwner());
      if (reader == known.end() || members[reader->second].op.isDpsInit(&use)) {
        isRead = false;
        break;
      }
      auto through = loopsThrough(maker, members[reader->second], use);
      isRead = through.has_value();
      if (!isRead)
        break;
      // A loop of which one reader has a part and another one all runs whole.
      if (loops)
        for (auto [one, other] : llvm::zip_equal(*loops, *through))
          if (one != other)
            for (int64_t loop : {one, other})
              if (loop >= 0)
                inParts.push_back(loop);
      loops = std::move(through);
    }
    if (!isRead || !loops)
      continue;
    whole.insert(inParts.begin(), inParts.end());
    add(maker, std::move(*loops));
    addMakers(maker);
  }
  for (StepMember &member : llvm::drop_begin(members))
    for (int64_t &loop : member.loops)
      if (whole.contains(loop))
        loop = -1;
  StepGroup group;
  group.whole.assign(whole.begin(), whole.end());
  llvm::sort(group.whole);
  group.found.assign(std::make_move_iterator(members.rbegin()),
                     std::make_move_iterator(members.rend()));
  for (auto [number, member] : llvm::enumerate(group.found))
    group.numberOf[member.op] = number;
  group.findPads(acceptsPad);
  return group;
}

void StepGroup::findPads(AcceptsPad accepts) {
  for (StepUse use : inputs()) {
    Operation *pad = operandOf(use).get().getDefiningOp();
    if (!canPadInSteps(pad) || llvm::is_contained(padded, pad) ||
        !accepts(pad) || pad->getBlock() != last().op->getBlock())
      continue;
    bool isReadInStepsAlone =
        llvm::all_of(pad->getUses(), [&](OpOperand &reader) {
          auto member = numberOf.find(reader.getOwner());
          return member != numberOf.end() &&
                 !found[member->second].op.isDpsInit(&reader);
        });
    if (isReadInStepsAlone)
      padded.push_back(pad);
  }
}

StepGroup StepGroup::of(linalg::LinalgOp op) {
  return grow(
      op, [](linalg::LinalgOp) { return false; },
      [](Operation *) { return false; });
}

StepGroup StepGroup::marked(linalg::LinalgOp last) {
  return grow(
      last, [](linalg::LinalgOp op) { return isInStepsOfReader(op); },
      [](Operation *pad) { return isInStepsOfReader(pad); });
}

StepGroup StepGroup::before(linalg::LinalgOp last) {
  auto sumsProducts = [](linalg::LinalgOp op) {
    return linalg::isaContractionOpInterface(op) ||
           linalg::isaConvolutionOpInterface(op);
  };
  // What is read by a product before the last operation is no member.
  return grow(
      last,
      [&](linalg::LinalgOp op) {
        return llvm::none_of(op->getUsers(), [&](Operation *user) {
          auto reader = dyn_cast<linalg::LinalgOp>(user);
          return reader && reader != last && sumsProducts(reader);
        });
      },
      [](Operation *) { return true; });
}

Operation *StepGroup::padOf(StepUse use) const {
  Operation *pad = operandOf(use).get().getDefiningOp();
  return llvm::is_contained(padded, pad) ? pad : nullptr;
}

std::optional<size_t> StepGroup::makerOf(StepUse use) const {
  Operation *maker = operandOf(use).get().getDefiningOp();
  auto found = numberOf.find(maker);
  if (!maker || found == numberOf.end())
    return std::nullopt;
  return found->second;
}

OpOperand &StepGroup::operandOf(StepUse use) const {
  return found[use.member].op->getOpOperand(use.operand);
}

AffineMap StepGroup::mapOf(StepUse use) const {
  linalg::LinalgOp op = found[use.member].op;
  return op.getMatchingIndexingMap(&operandOf(use));
}

StepUse StepGroup::outputOf(size_t member) const {
  linalg::LinalgOp op = found[member].op;
  return {member, op.getDpsInitOperand(0)->getOperandNumber()};
}

SmallVector<SmallVector<int64_t>> StepGroup::stridesOf(StepUse use) const {
  AffineMap map = mapOf(use);
  SmallVector<SmallVector<int64_t>> strides(map.getNumResults());
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
    SmallVector<int64_t> second(map.getNumDims(), 0);
    second[loop] = 1;
    for (auto [dim, position] : llvm::enumerate(map.compose(second)))
      strides[dim].push_back(position);
  }
  return strides;
}

int64_t StepGroup::multipleOf(int64_t lastLoop) const {
  int64_t multiple = 1;
  SmallVector<StepUse> uses = inputs();
  for (size_t number = 0; number < found.size(); ++number)
    uses.push_back(outputOf(number));
  for (StepUse use : uses)
    multiple = std::lcm(
        multiple,
        multipleOfCuts(cast<RankedTensorType>(operandOf(use).get().getType()),
                       mapOf(use), [&](unsigned loop) {
                         return found[use.member].loops[loop] == lastLoop;
                       }));
  return multiple;
}

SmallVector<StepUse> StepGroup::inputs() const {
  SmallVector<StepUse> uses;
  for (auto [number, member] : llvm::enumerate(found)) {
    linalg::LinalgOp op = member.op;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isa<RankedTensorType>(operand->get().getType()))
        uses.push_back({number, operand->getOperandNumber()});
  }
  return uses;
}

bool StepGroup::readSame(StepUse a, StepUse b, ArrayRef<int64_t> cut) const {
  if (a == b)
    return true;
  if (operandOf(a).get() != operandOf(b).get())
    return false;
  // The same sums of loops of the last operation, and of loops that are whole.
  auto describe = [&](StepUse use) {
    const StepMember &member = found[use.member];
    SmallVector<SmallVector<std::pair<int64_t, int64_t>>> dims;
    for (ArrayRef<int64_t> strides : stridesOf(use)) {
      auto &dim = dims.emplace_back();
      for (auto [loop, extent, stride] :
           llvm::zip_equal(member.loops, member.extents, strides))
        if (stride != 0)
          dim.emplace_back(llvm::is_contained(cut, loop) ? loop : -1 - extent,
                           stride);
      llvm::sort(dim);
    }
    return dims;
  };
  return describe(a) == describe(b);
}

bool StepGroup::isWhole(const OperationSteps &steps, StepUse use) const {
  auto type = dyn_cast<RankedTensorType>(operandOf(use).get().getType());
  return type && !makerOf(use) && !padOf(use) && levelOf(steps, use) == 0 &&
         ArrayRef<int64_t>(sliceShape(mapOf(use), found[use.member].extents)) ==
             type.getShape();
}

LayoutAttr StepGroup::layoutOf(const OperationSteps &steps, StepUse use) {
  return use.member < steps.before.size()
             ? steps.before[use.member][use.operand]
             : steps.layouts[use.operand];
}

LayoutAttr StepGroup::layoutMade(const OperationSteps &steps,
                                 size_t member) const {
  return layoutOf(steps, outputOf(member));
}

size_t StepGroup::levelOf(const OperationSteps &steps, StepUse use) const {
  size_t level = steps.loops.size();
  while (level > 0 &&
         !found[use.member].changesWith(mapOf(use), steps.loops[level - 1]))
    --level;
  return level;
}

size_t StepGroup::levelOf(const OperationSteps &steps, size_t member) const {
  return member + 1 == found.size() ? steps.loops.size()
                                    : levelOf(steps, outputOf(member));
}

std::vector<SmallVector<StepUse, 1>>
StepGroup::slicesIn(const OperationSteps &steps) const {
  std::vector<SmallVector<StepUse, 1>> slices;
  for (StepUse use : inputs()) {
    if (makerOf(use))
      continue;
    LayoutAttr layout = layoutOf(steps, use);
    auto same = llvm::find_if(slices, [&](ArrayRef<StepUse> others) {
      return layoutOf(steps, others.front()) == layout &&
             readSame(others.front(), use, steps.loops);
    });
    if (same == slices.end())
      slices.push_back({use});
    else
      same->push_back(use);
  }
  return slices;
}

Value bringBetweenTiles(OpBuilder &builder, Value slice,
                        RankedTensorType type) {
  auto from = cast<RankedTensorType>(slice.getType());
  if (relate(from, type) == Relation::DataMoves)
    return RedistributeOp::create(builder, slice.getLoc(), type, slice);
  return DistributionCastOp::create(builder, slice.getLoc(), type, slice);
}

bool isInStepsOfReader(Operation *op) {
  auto steps = op->getAttrOfType<DictionaryAttr>(stepsAttrName);
  return steps && !steps.contains("loops");
}

} // namespace npu
