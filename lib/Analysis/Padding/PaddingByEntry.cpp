// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which operations are rewritten to read entry by entry, and which of
// their results' entries are real. An operation whose real entries do not stay
// together cannot be padded as it is, but each entry of its result can be
// computed from the real positions at which it reads its operands: by a
// linalg.generic that reads by tensor.extract, which the analysis understands.

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PaddingOpInterface.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

LogicalResult PaddingAnalysis::readByEntry(Operation *op, Refusal why) {
  // With a static prompt length in the types, a result that is read entry by
  // entry would have the same extent at every length.
  if (prompt.length || lengthOfTypes)
    return workOnRealPart(op, why);
  auto model = modelOf<PaddingOpInterface>(op);
  if (!model || op->getNumResults() != 1)
    return workOnRealPart(op, why);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<AffineExpr> extents = model.realExtents(*this);
  if (!type || extents.empty() || int64_t(extents.size()) != type.getRank())
    return workOnRealPart(op, why);
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (!extent) {
      why.rule += fmt::format("; how many entries dimension {} of its result "
                              "has is no known expression of the prompt length",
                              dim);
      return workOnRealPart(op, why);
    }
  if (MaybeRefused body = refuseBody(op))
    return workOnRealPart(op, *body);
  PaddingState state;
  if (MaybeRefused unbounded = stateOf(extents, state))
    return workOnRealPart(op, *unbounded);
  setResult(op->getResult(0), std::move(state));
  byEntry.push_back({op, std::move(extents), {}});
  return success();
}

/// "it reads '%x' along dimension 0, the prompt, at positions shifted by 1".
Refusal PaddingAnalysis::refuseRead(Value operand, unsigned dim,
                                    AffineExpr expr) const {
  const PaddingState &state = of(operand);
  std::string where = "at positions " + spell(expr);
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (sum && sum.getKind() == AffineExprKind::Add &&
      isa<AffineDimExpr>(sum.getLHS()))
    if (auto by = dyn_cast<AffineConstantExpr>(sum.getRHS()))
      where = fmt::format("at positions shifted by {}", by.getValue());
  if (isa<AffineConstantExpr>(expr))
    where = "at position " + spell(expr);
  bool padded = dim < state.size() && state[dim];
  return Refusal(
      fmt::format("it reads {{}} along dimension {}, {}, {}", dim,
                  padded
                      ? "of which " + spell(state[dim]->real) + " entries of " +
                            std::to_string(state[dim]->extent) + " are real"
                      : std::string("beside the prompt"),
                  where),
      operand);
}

LogicalResult PaddingAnalysis::readByEntry(linalg::LinalgOp op,
                                           ArrayRef<unsigned> operands,
                                           const Refusal &why) {
  llvm::SmallBitVector counted(op.getNumLoops());
  for (auto [number, map] : llvm::enumerate(op.getIndexingMapsArray()))
    if (!llvm::is_contained(operands, number))
      for (AffineExpr expr : map.getResults())
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          counted.set(loop.getPosition());
  // Each loop needs an operand that gives its extent, and results cannot be
  // written entry by entry.
  bool isRewritten = !prompt.length && !lengthOfTypes && counted.all() &&
                     llvm::all_of(operands, [&](unsigned number) {
                       return number < op.getNumDpsInputs();
                     });
  if (!isRewritten)
    return workOnRealPart(op, why);
  byEntry.push_back({op, {}, SmallVector<unsigned>(operands)});
  return success();
}

} // namespace npu
