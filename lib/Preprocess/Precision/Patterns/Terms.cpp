// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Terms.h"
#include "npu/Analysis/Access/Transposes.h"
#include "npu/Analysis/Body/RowMaximum.h"
#include "npu/Interfaces/PartwiseOpInterface.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

bool isFloatCast(Operation *op) {
  return isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op);
}

std::optional<double> numberOf(TypedAttr attr) {
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

bool hasArithmetic(linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->without_terminator(), [](Operation &each) {
    return !isFloatCast(&each) && !each.hasTrait<OpTrait::ConstantLike>();
  });
}

/// The body that a scalar is computed in.
Block *blockOf(const Term &term) {
  return linalg::LinalgOp(term.frame->op).getBlock();
}

/// The indices into the operand of a reshape that only adds or drops
/// dimensions of extent 1.
std::optional<SmallVector<AffineExpr, 4>>
throughUnitDims(RankedTensorType from, RankedTensorType to,
                ArrayRef<AffineExpr> at, MLIRContext *context) {
  SmallVector<AffineExpr, 4> kept;
  SmallVector<int64_t> keptExtents;
  for (auto [extent, index] : llvm::zip(to.getShape(), at))
    if (extent != 1) {
      kept.push_back(index);
      keptExtents.push_back(extent);
    }
  SmallVector<AffineExpr, 4> indices;
  unsigned next = 0;
  for (int64_t extent : from.getShape()) {
    if (extent == 1) {
      indices.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    if (next == kept.size() || keptExtents[next] != extent)
      return std::nullopt;
    indices.push_back(kept[next++]);
  }
  if (next != kept.size())
    return std::nullopt;
  return indices;
}

/// The operation in the body that combines the output with a term, by a sum or
/// the largest of both; null where the body does otherwise. Casts may stand
/// between.
Operation *combinerOf(linalg::LinalgOp op, OpResult result, Value &term) {
  auto strip = [](Value value) {
    while (isFloatCast(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value;
  };
  Block *body = op.getBlock();
  Value output = op.getMatchingBlockArgument(
      op.getDpsInitOperand(result.getResultNumber()));
  Operation *combiner =
      strip(body->getTerminator()->getOperand(result.getResultNumber()))
          .getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp>(
          combiner))
    return nullptr;
  for (unsigned side : {0u, 1u})
    if (strip(combiner->getOperand(side)) == output) {
      term = combiner->getOperand(1 - side);
      return combiner;
    }
  return nullptr;
}

} // namespace

Term Terms::inBody(linalg::LinalgOp op, Value scalar) {
  Frame frame{op, {}, {}};
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    frame.loops.push_back(getAffineDimExpr(nextDim + loop, context));
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    extents[nextDim + loop] = extent;
  nextDim += op.getNumLoops();
  frames.push_back(frame);
  return {scalar, &frames.back(), {}};
}

/// The operation where it computes the entry `at` of `result`. Loops that the
/// result does not say are those of the reduction, which get dimensions.
const Frame *Terms::frameOf(linalg::LinalgOp op, OpResult result,
                            ArrayRef<AffineExpr> at) {
  AffineMap made = op.getIndexingMapMatchingResult(result);
  if (!made.isProjectedPermutation())
    return nullptr;
  Frame frame{op, SmallVector<AffineExpr>(op.getNumLoops()), {}};
  for (auto [dim, index] : llvm::enumerate(at))
    frame.loops[made.getDimPosition(dim)] = index;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [loop, value] : llvm::enumerate(frame.loops)) {
    if (value)
      continue;
    if (kinds[loop] != utils::IteratorType::reduction)
      return nullptr;
    value = getAffineDimExpr(nextDim, context);
    extents[nextDim] = ranges[loop];
    frame.reduced.push_back(nextDim++);
  }
  // A loop that the result says and that reduces all the same, overwrites.
  if (frame.reduced.size() != op.getNumReductionLoops())
    return nullptr;
  frames.push_back(frame);
  return &frames.back();
}

/// The entry that a movement of data has put there; nothing where the defining
/// operation is none.
std::optional<Term> Terms::moved(const Term &entry) {
  Operation *op = entry.value.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return std::nullopt;
  Value source = op->getOperand(0);
  auto from = dyn_cast<RankedTensorType>(source.getType());
  auto to = dyn_cast<RankedTensorType>(entry.value.getType());
  if (!from || !to)
    return std::nullopt;
  if (isa<linalg::LinalgOp>(op))
    return std::nullopt;
  std::optional<LogicalPermutation> transposed = matchTranspose(op);
  if (!transposed && viewedTensor(op) == source) {
    auto indices = throughUnitDims(from, to, entry.at, context);
    return indices ? std::optional(Term{source, nullptr, *indices})
                   : std::nullopt;
  }
  if (!transposed)
    return std::nullopt;
  Term before{transposed->input, nullptr, {}};
  before.at.resize(entry.at.size());
  for (unsigned dim = 0; dim < entry.at.size(); ++dim)
    before.at[transposed->inputDims[dim]] = entry.at[dim];
  return before;
}

/// The entry that an argument of a body is; nothing for what is no argument.
std::optional<Term> Terms::scalarArgument(const Term &term) {
  auto argument = dyn_cast<BlockArgument>(term.value);
  linalg::LinalgOp op = term.frame->op;
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (!isa<RankedTensorType>(operand->get().getType()))
    return Term{operand->get(), term.frame, {}};
  Term entry{operand->get(), nullptr, {}};
  for (AffineExpr index : op.getMatchingIndexingMap(operand).getResults())
    entry.at.push_back(index.replaceDims(term.frame->loops));
  return entry;
}

void Terms::reduce(const Frame *frame, OpResult result, ArrayRef<AffineExpr> at,
                   View &view) {
  Value term;
  linalg::LinalgOp op = frame->op;
  Operation *combiner = combinerOf(op, result, term);
  if (!combiner)
    return;
  view.kind =
      isa<arith::AddFOp>(combiner) ? View::Kind::Sum : View::Kind::Largest;
  view.frame = frame;
  view.op = op;
  view.term = {term, frame, {}};
  view.begin = {op.getDpsInits()[result.getResultNumber()], nullptr,
                SmallVector<AffineExpr, 4>(at)};
  view.entered.push_back(op);
}

/// Goes from an entry of a tensor to what it was moved from or is computed
/// from. Returns whether that is another term; otherwise `view` has its kind.
bool Terms::enterEntry(Term &term, View &view, bool &plain) {
  auto type = cast<RankedTensorType>(term.value.getType());
  for (auto [extent, index] : llvm::zip(type.getShape(), term.at))
    if (extent == 1)
      index = getAffineConstantExpr(0, context);
  if (plain)
    view.stripped = term;
  if (std::optional<double> number = numberOf(splatOf(term.value))) {
    view.kind = View::Kind::Constant;
    view.constant = *number;
    return false;
  }
  if (std::optional<Term> before = moved(term)) {
    term = *before;
    return true;
  }
  auto op = term.value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics())
    return false;
  auto result = cast<OpResult>(term.value);
  const Frame *frame = frameOf(op, result, term.at);
  if (!frame)
    return false;
  if (!frame->reduced.empty()) {
    reduce(frame, result, term.at, view);
    return false;
  }
  view.entered.push_back(op);
  plain &= !hasArithmetic(op);
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  term = {yielded, frame, {}};
  return true;
}

/// The same for a scalar in a body.
bool Terms::enterScalar(Term &term, View &view) {
  if (std::optional<Term> argument = scalarArgument(term)) {
    bool another = argument->isEntry() || argument->value != term.value;
    term = *argument;
    return another;
  }
  TypedAttr constant;
  if (matchPattern(term.value, m_Constant(&constant)))
    if (std::optional<double> number = numberOf(constant)) {
      view.kind = View::Kind::Constant;
      view.constant = *number;
      return false;
    }
  Operation *op = term.value.getDefiningOp();
  if (!op || op->getBlock() != blockOf(term) || op->getNumResults() != 1 ||
      op->getNumRegions() > 0)
    return false;
  if (isFloatCast(op)) {
    term.value = op->getOperand(0);
    return true;
  }
  view.kind = View::Kind::Apply;
  view.op = op;
  view.frame = term.frame;
  for (Value operand : op->getOperands())
    view.operands.push_back({operand, term.frame, {}});
  return false;
}

View Terms::view(const Term &start) {
  View view;
  Term term = start;
  bool plain = true;
  view.stripped = start;
  while (++looks <= mostLooks) {
    if (plain)
      view.stripped = term;
    if (!(term.isEntry() ? enterEntry(term, view, plain)
                         : enterScalar(term, view)))
      break;
  }
  return view;
}

namespace {

bool sameIndex(AffineExpr one, AffineExpr two, ArrayRef<unsigned> targets,
               ArrayRef<unsigned> free, Binding &binding) {
  auto dimOne = dyn_cast<AffineDimExpr>(one);
  auto dimTwo = dyn_cast<AffineDimExpr>(two);
  if (dimTwo && llvm::is_contained(free, dimTwo.getPosition())) {
    if (!dimOne)
      return false;
    auto [it, isNew] =
        binding.try_emplace(dimTwo.getPosition(), dimOne.getPosition());
    if (!isNew)
      return it->second == dimOne.getPosition();
    if (!llvm::is_contained(targets, dimOne.getPosition()))
      return false;
    // No two dimensions stand for one.
    return llvm::count_if(binding, [&](auto &each) {
             return each.second == dimOne.getPosition();
           }) == 1;
  }
  auto binaryOne = dyn_cast<AffineBinaryOpExpr>(one);
  auto binaryTwo = dyn_cast<AffineBinaryOpExpr>(two);
  if (!binaryOne || !binaryTwo)
    return one == two;
  return binaryOne.getKind() == binaryTwo.getKind() &&
         sameIndex(binaryOne.getLHS(), binaryTwo.getLHS(), targets, free,
                   binding) &&
         sameIndex(binaryOne.getRHS(), binaryTwo.getRHS(), targets, free,
                   binding);
}

} // namespace

bool Terms::same(const Term &one, const Term &two, ArrayRef<unsigned> targets,
                 ArrayRef<unsigned> free, Binding &binding, unsigned depth) {
  View first = view(one), second = view(two);
  const Term &left = first.stripped, &right = second.stripped;
  if (left.isEntry() && right.isEntry() && left.value == right.value) {
    Binding trial = binding;
    if (llvm::all_of(llvm::zip(left.at, right.at), [&](auto pair) {
          return sameIndex(std::get<0>(pair), std::get<1>(pair), targets, free,
                           trial);
        })) {
      binding = trial;
      return true;
    }
  }
  if (first.kind != second.kind || depth > 8)
    return false;
  if (first.kind == View::Kind::Constant)
    return first.constant == second.constant;
  if (first.kind != View::Kind::Apply)
    // A scalar from outside of the body is the same everywhere.
    return left.frame && right.frame && first.kind == View::Kind::Leaf &&
           left.value == right.value &&
           Value(left.value).getParentBlock() != blockOf(left);
  auto indexOne = dyn_cast<linalg::IndexOp>(first.op);
  auto indexTwo = dyn_cast<linalg::IndexOp>(second.op);
  if (indexOne && indexTwo)
    return sameIndex(first.frame->loops[indexOne.getDim()],
                     second.frame->loops[indexTwo.getDim()], targets, free,
                     binding);
  if (first.op->getName() != second.op->getName() ||
      first.op->getAttrs() != second.op->getAttrs() ||
      first.operands.size() != second.operands.size())
    return false;
  return llvm::all_of(llvm::zip(first.operands, second.operands),
                      [&](auto pair) {
                        return same(std::get<0>(pair), std::get<1>(pair),
                                    targets, free, binding, depth + 1);
                      });
}

} // namespace npu
