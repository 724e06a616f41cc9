// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk, and operations that are neither structured nor views.

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "../Positions/PositionFacts.h"
#include "npu/Analysis/Padding/InlinableCalls.h"
#include "npu/Analysis/Positions/LargestExtent.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Operands, and what regions use from outside.
SmallVector<Value> usedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (!op->isProperAncestor(value.getParentBlock()->getParentOp()) &&
            value.getParentBlock()->getParentOp() != op)
          values.push_back(value);
    });
  return values;
}

} // namespace

std::string toString(const Refusal &refusal) {
  std::string result = refusal.rule;
  if (size_t at = result.find("{}"); at != std::string::npos)
    result.replace(at, 2,
                   refusal.operand ? "'" + nameOf(refusal.operand) + "'"
                                   : "an operand");
  return result;
}

PaddingAnalysis::PaddingAnalysis(func::FuncOp function, const Prompt &prompt)
    : function(function), context(function.getContext()), prompt(prompt) {}

AffineExpr PaddingAnalysis::simplify(AffineExpr expr) const {
  return simplifyAffineExpr(expr, 0, 1);
}

AffineExpr PaddingAnalysis::constant(int64_t value) const {
  return getAffineConstantExpr(value, context);
}

AffineExpr PaddingAnalysis::lengthExpr() const {
  return prompt.length ? constant(*prompt.length)
                       : getAffineSymbolExpr(0, context);
}

const PaddingState &PaddingAnalysis::of(Value value) const {
  static const PaddingState none;
  auto it = states.find(value);
  return it == states.end() ? none : it->second;
}

const StructuredPadding *PaddingAnalysis::of(linalg::LinalgOp op) const {
  auto it = structured.find(op);
  return it == structured.end() ? nullptr : &it->second;
}

const Concatenation *PaddingAnalysis::concatenationBy(Operation *op) const {
  auto it = concatenations.find(op);
  return it == concatenations.end() ? nullptr : &it->second;
}

void PaddingAnalysis::setResult(Value value, PaddingState state) {
  if (isPadded(state))
    states[value] = std::move(state);
}

AffineExpr PaddingAnalysis::exprOf(OpFoldResult value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constantExprOf(*number, context);
  auto it = indices.find(dyn_cast<Value>(value));
  return it == indices.end() ? AffineExpr() : it->second;
}

AffineExpr PaddingAnalysis::realExtent(Value tensor, int64_t dim) const {
  const PaddingState &state = of(tensor);
  if (dim < int64_t(state.size()) && state[dim])
    return state[dim]->real;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return {};
  AffineExpr product = constant(1);
  ReassociationIndices group = collapse.getReassociationIndices()[dim];
  for (int64_t each : group) {
    AffineExpr extent = realExtent(collapse.getSrc(), each);
    if (!extent ||
        !(isa<AffineConstantExpr>(product) || isa<AffineConstantExpr>(extent)))
      return {};
    product = simplify(product * extent);
  }
  return product;
}

LogicalResult PaddingAnalysis::run() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "expected a function of one block to pad, got "
           << function.getBody().getBlocks().size() << " blocks";
  for (auto [argument, dims] :
       llvm::zip(function.getArguments(), prompt.dims)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || dims.empty())
      continue;
    PaddingState state(type.getRank());
    if (int64_t extent = type.getDimSize(dims.front());
        !ShapedType::isDynamic(extent))
      lengthOfTypes = extent;
    for (int64_t dim : dims)
      state[dim] = PaddedDim{lengthExpr(),
                             prompt.side == PaddingSide::Right ? lengthExpr()
                                                               : constant(0),
                             prompt.maxLength,
                             {}};
    setResult(argument, std::move(state));
  }
  for (Operation &op : function.front())
    if (failed(visit(&op)) || failed(checkResults(&op)))
      return failure();
  return success();
}

/// A tensor has a static shape with its padding, or none of its dimensions is
/// padded.
MaybeRefused PaddingAnalysis::refusePartly(Value tensor,
                                           const PaddingState &padding) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || prompt.length || !isPadded(padding))
    return std::nullopt;
  for (auto [dim, padded] : llvm::enumerate(padding))
    if (!padded && type.isDynamicDim(dim))
      return Refusal(
          fmt::format("dimension {} of {{}} has a number of entries that is no "
                      "expression of the prompt length, beside another that "
                      "is padded",
                      dim),
          tensor);
  return std::nullopt;
}

/// What has a static extent has it at every length.
LogicalResult PaddingAnalysis::checkResults(Operation *op) {
  for (OpResult result : op->getResults())
    if (MaybeRefused why = refusePartly(result, of(result)))
      return workOnRealPart(op, *why);
  for (OpResult result : op->getResults())
    for (auto [dim, padded] : llvm::enumerate(of(result))) {
      int64_t extent = cast<RankedTensorType>(result.getType()).getDimSize(dim);
      if (!padded || ShapedType::isDynamic(extent))
        continue;
      AffineExpr real = padded->real;
      if (lengthOfTypes)
        real = simplify(real.replaceSymbols({constant(*lengthOfTypes)}));
      if (real == constant(extent))
        continue;
      std::string why = fmt::format(
          "dimension {} of its result has {} entries at every length, and {} "
          "by its operands",
          dim, extent, spell(padded->real));
      return workOnRealPart(op, why);
    }
  return success();
}

void PaddingAnalysis::visitIndex(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return;
  AffineExpr expr;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (std::optional<int64_t> number = dim.getConstantIndex();
        number && type && *number >= 0 && *number < type.getRank())
      expr = realExtent(dim.getSource(), *number);
  } else {
    PositionLimits limits{{}, {static_cast<double>(prompt.maxLength)}};
    expr = indexExprOf(op, limits, [&](Value value) { return exprOf(value); });
  }
  if (expr)
    indices[op->getResult(0)] = simplify(expr);
}

LogicalResult PaddingAnalysis::workOnRealPart(Operation *op,
                                              const Refusal &why) {
  if (prompt.length) {
    unpadded.insert(op);
    for (Value result : op->getResults())
      states.erase(result);
    return success();
  }
  return emitError(op->getLoc())
         << "'" << op->getName()
         << "' cannot be padded to max-prompt-len = " << prompt.maxLength
         << " and stay exact: " << toString(why);
}

FailureOr<PaddingState> PaddingAnalysis::stateOf(Operation *op,
                                                 ArrayRef<AffineExpr> extents) {
  PaddingState state(extents.size());
  for (auto [dim, real] : llvm::enumerate(extents)) {
    if (!real || !real.isFunctionOfSymbol(0))
      continue;
    std::optional<int64_t> extent = largestOverLengths(real, prompt.maxLength);
    if (!extent || *extent < 0)
      return emitError(op->getLoc())
             << "'" << op->getName()
             << "' cannot be padded to max-prompt-len = " << prompt.maxLength
             << " and stay exact: dimension " << dim << " of its result has "
             << spell(real) << " entries, which is "
             << (extent ? "below zero at every length"
                        : "not known to be bounded");
    state[dim] =
        PaddedDim{real,
                  prompt.side == PaddingSide::Right ? real : constant(0),
                  *extent,
                  {}};
  }
  return state;
}

LogicalResult PaddingAnalysis::visitElementwise(Operation *op) {
  PaddingState loops;
  for (OpOperand &operand : op->getOpOperands()) {
    const PaddingState &state = of(operand.get());
    loops.resize(std::max(loops.size(), state.size()));
    for (auto [dim, padded] : llvm::enumerate(state))
      if (padded &&
          failed(joinLoop(op, dim, *padded, operand.getOperandNumber(), loops)))
        return failure();
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return readByEntry(op, "an integer division of padding can trap; as a "
                           "linalg.generic it can be guarded "
                           "(convert-elementwise-to-linalg)");
  for (Value operand : op->getOperands())
    if (MaybeRefused why = refusePartly(operand, loops))
      return workOnRealPart(op, *why);
  for (auto &dim : loops)
    if (dim)
      dim->content = {};
  for (Value result : op->getResults())
    setResult(result, loops);
  return success();
}

LogicalResult PaddingAnalysis::joinLoop(Operation *op, unsigned loop,
                                        const PaddedDim &dim, unsigned operand,
                                        PaddingState &loops) {
  std::optional<PaddedDim> &known = loops[loop];
  if (!known) {
    known = dim;
    return success();
  }
  if (known->real == dim.real)
    return success();
  return emitError(op->getLoc())
         << "conflicting padding along loop " << loop << " of '"
         << op->getName() << "': operand #" << operand << " has "
         << spell(dim.real) << " real entries of " << dim.extent
         << ", another has " << spell(known->real) << " of " << known->extent;
}

/// Made of nothing that is padded, as long as the prompt: a tensor.generate
/// (say), or a tensor.pad by as many entries.
bool PaddingAnalysis::followsPromptAlone(Operation *op) const {
  if (prompt.length ||
      !isa<tensor::GenerateOp, tensor::SplatOp, tensor::PadOp>(op))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value value) {
    AffineExpr expr = value.getType().isIndex() ? exprOf(value) : AffineExpr();
    return expr && expr.isFunctionOfSymbol(0);
  });
}

LogicalResult PaddingAnalysis::visitMade(Operation *op) {
  auto empty = dyn_cast<tensor::EmptyOp>(op);
  if (!empty)
    return readByEntry(op, "it is made of as many entries as the prompt has");
  SmallVector<AffineExpr> extents = llvm::map_to_vector(
      empty.getMixedSizes(), [&](OpFoldResult size) { return exprOf(size); });
  FailureOr<PaddingState> state = stateOf(op, extents);
  if (failed(state))
    return failure();
  // As it is, it is dynamic, and exact, until it meets what is padded.
  if (!refusePartly(empty, *state))
    setResult(empty, std::move(*state));
  return success();
}

LogicalResult PaddingAnalysis::visit(Operation *op) {
  visitIndex(op);
  if (op->hasTrait<OpTrait::ReturnLike>())
    return success();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    // Others stand in the function's block, for constant dimensions.
    if (!isPadded(of(dim.getSource())) || exprOf(dim.getResult()))
      return success();
    return emitError(op->getLoc())
           << "'tensor.dim' of '" << nameOf(dim.getSource())
           << "': expected one of its "
           << cast<RankedTensorType>(dim.getSource().getType()).getRank()
           << " dimensions, got "
           << dim.getConstantIndex().value_or(ShapedType::kDynamic);
  }
  if (isa<tensor::EmptyOp>(op) || followsPromptAlone(op))
    return visitMade(op);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    if (auto collapse =
            expand.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
        collapse && isSeenThrough(collapse))
      return visitExpandOfSeen(expand, collapse);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    if (Operation *dest = insert.getDest().getDefiningOp();
        dest && isSeenThrough(dest)) {
      MaybeRefused why = visitInsertAlongPadding(insert);
      return why ? readByEntry(op, *why) : success();
    }
  Value padded;
  for (Value value : usedValues(op))
    if (isPadded(of(value)) && !padded)
      padded = value;
  if (!padded)
    return success();
  if (isa<CallOpInterface>(op))
    return workOnRealPart(op, prompt.length ? "" : whyNotInlined(op));
  if (auto structuredOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (MaybeRefused why = refuseBody(op))
      return workOnRealPart(op, *why);
    return visitStructured(structuredOp);
  }
  if (readsAsWritten(op))
    return success();
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return visitChoice(choice);
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op)) {
    const PaddingState &state = of(softmax.getInput());
    if (isPadded(state) && state[softmax.getDimension()])
      alongPadding.push_back(softmax);
    PaddingState result = state;
    for (auto &dim : result)
      if (dim)
        dim->content = {};
    setResult(op->getResult(0), std::move(result));
    return success();
  }
  if (op->getNumRegions() == 0 && OpTrait::hasElementwiseMappableTraits(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return visitElementwise(op);
  MaybeRefused why = visitView(op);
  if (!why)
    return success();
  if (!why->operand)
    why->operand = padded;
  return readByEntry(op, *why);
}

} // namespace npu
