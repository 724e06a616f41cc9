// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dynamic shapes of TOSA become in upstream's lowering, and what is left
// of it where all of them follow the prompt length: broadcasts that are chosen
// at run time and repeat nothing, concatenations in steps, and reshapes by way
// of one flat dimension.

#include "npu/Analysis/Padding/PaddingAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// scf.if (%measured == 1) { its entry along `dim`, `wanted` times }
/// else { `source` }
struct BroadcastChoice {
  Value source, measured;
  unsigned dim;
  OpFoldResult wanted;
};

/// The dimension along which `op` repeats one entry of its only input, and
/// copies it along all others.
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

bool isOne(AffineExpr expr) {
  auto number = dyn_cast_or_null<AffineConstantExpr>(expr);
  return number && number.getValue() == 1;
}

} // namespace

/// Where as many entries are wanted as there are, one entry is repeated once:
/// both branches give the source.
LogicalResult PaddingAnalysis::visitChoice(scf::IfOp choice) {
  std::optional<BroadcastChoice> broadcast = matchBroadcast(choice);
  AffineExpr have;
  if (broadcast)
    have = realExtent(broadcast->source, broadcast->dim);
  if (!broadcast)
    return workOnRealPart(
        choice, "it is not known what it does with padding; expected a choice "
                "that repeats one entry along a dimension where there is one");
  AffineExpr measured = exprOf(broadcast->measured);
  if (!have || have != measured)
    return workOnRealPart(
        choice,
        Refusal(fmt::format("it is not known what it does with padding; "
                            "expected it to ask for the extent of dimension {} "
                            "of {{}}, {}, got {}",
                            broadcast->dim, have ? spell(have) : "?",
                            measured ? spell(measured) : "?"),
                broadcast->source));
  AffineExpr want = exprOf(broadcast->wanted);
  if (have != want)
    return workOnRealPart(
        choice,
        fmt::format("dimension {} is repeated where it has one entry; expected "
                    "as many entries to be wanted as there are, got {} of {}",
                    broadcast->dim, want ? spell(want) : "?", spell(have)));
  anyway[choice] = broadcast->source;
  setResult(choice.getResult(0), of(broadcast->source));
  return success();
}

/// Parts that are inserted one behind the other until nothing is left of what
/// they are inserted into. What holds some of them is no tensor of its own.
MaybeRefused
PaddingAnalysis::visitInsertAlongPadding(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> inserts{last};
  Value into = last.getDest();
  while (into.getDefiningOp() && isSeenThrough(into.getDefiningOp())) {
    inserts.push_back(into.getDefiningOp<tensor::InsertSliceOp>());
    into = inserts.back().getDest();
  }
  auto refuse = [&](const std::string &what) {
    return Refusal("it writes a part of {} along its padding, and " + what +
                       "; expected parts one behind the other, until nothing "
                       "is left",
                   into);
  };
  if (!canBeMadeAgain(into))
    return refuse("that is no empty tensor");
  if (last.getDestType().getEncoding())
    return refuse("that has a layout");
  Concatenation whole;
  std::optional<int64_t> along;
  AffineExpr end = constant(0);
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts)) {
    if (insert.getDroppedDims().any())
      return refuse("a part has fewer dimensions");
    bool isPart = false;
    for (int64_t dim = 0; dim < last.getDestType().getRank(); ++dim) {
      AffineExpr offset = exprOf(insert.getMixedOffsets()[dim]);
      AffineExpr size = exprOf(insert.getMixedSizes()[dim]);
      if (!offset || !size || !isOne(exprOf(insert.getMixedStrides()[dim])))
        return refuse(fmt::format("where dimension {} of a part goes does not "
                                  "follow from the prompt length",
                                  dim));
      if (offset == constant(0) && size == realExtent(into, dim))
        continue;
      if (along.value_or(dim) != dim || offset != end ||
          size != realExtent(insert.getSource(), dim))
        return refuse(fmt::format("a part of {} entries stands at {} of "
                                  "dimension {}, where {} end",
                                  spell(size), spell(offset), dim, spell(end)));
      along = dim;
      end = simplify(end + size);
      isPart = true;
    }
    if (!isPart)
      return refuse("one part is written over another");
    whole.parts.push_back(insert.getSource());
  }
  whole.along = *along;
  AffineExpr all = realExtent(into, *along);
  if (end == all)
    return concatenate(last, whole);
  auto next = last->hasOneUse()
                  ? dyn_cast<tensor::InsertSliceOp>(*last->user_begin())
                  : tensor::InsertSliceOp();
  if (!next || next.getDest() != last.getResult())
    return refuse(fmt::format("nothing is written behind the first {} of {} "
                              "entries of dimension {}",
                              spell(end), all ? spell(all) : "?", *along));
  seenThrough.insert(last);
  return std::nullopt;
}

/// A dimension outside of the prompt would repeat the padding; no such tensor
/// is needed for its extents, nor by a reshape that undoes it.
bool PaddingAnalysis::seeThrough(tensor::CollapseShapeOp collapse) {
  // Layouts are those of this way, not of another.
  bool seen = !collapse.getSrcType().getEncoding() &&
              llvm::all_of(collapse->getUsers(), [](Operation *user) {
                auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
                return isa<tensor::DimOp>(user) ||
                       (expand && !expand.getResultType().getEncoding());
              });
  if (seen)
    seenThrough.insert(collapse);
  return seen;
}

/// There and back, a reshape moves dimensions of extent 1 at most.
LogicalResult PaddingAnalysis::visitExpandOfSeen(tensor::ExpandShapeOp expand,
                                                 tensor::CollapseShapeOp seen) {
  const PaddingState &state = of(seen.getSrc());
  // Extents other than 1, and dimensions that have them. A prompt that is known
  // to have one entry counts here, and is found nowhere there.
  SmallVector<AffineExpr> before, after;
  SmallVector<int64_t> from, to;
  for (int64_t dim = 0; dim < seen.getSrcType().getRank(); ++dim)
    if (AffineExpr extent = realExtent(seen.getSrc(), dim);
        state[dim] || !isOne(extent)) {
      before.push_back(extent);
      from.push_back(dim);
    }
  for (auto [dim, size] : llvm::enumerate(expand.getMixedOutputShape()))
    if (AffineExpr extent = exprOf(size); !isOne(extent)) {
      after.push_back(extent);
      to.push_back(int64_t(dim));
    }
  if (llvm::is_contained(before, AffineExpr()) || before != after) {
    seenThrough.erase(seen);
    auto spelled = [](ArrayRef<AffineExpr> extents) {
      std::string text;
      for (AffineExpr extent : extents)
        text += (text.empty() ? "" : " x ") + (extent ? spell(extent) : "?");
      return text;
    };
    if (failed(readByEntry(
            seen, Refusal(fmt::format("what is outside of the prompt would "
                                      "repeat its padding, and of {{}} the "
                                      "reshape makes {} of {}",
                                      spelled(after), spelled(before)),
                          seen.getSrc()))))
      return failure();
    return isPadded(of(expand.getSrc())) ? visit(expand) : success();
  }
  PaddingState result(expand.getResultType().getRank());
  for (auto [before, after] : llvm::zip(from, to))
    result[after] = state[before];
  setResult(expand, std::move(result));
  return success();
}

} // namespace npu
