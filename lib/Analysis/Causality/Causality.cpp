// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a prefill function, and the dependences of scalars and results.

#include "npu/Analysis/Causality/Causality.h"
#include "CausalBody.h"
#include "npu/Interfaces/HarmlessOperands.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
Causality::Causality(func::FuncOp function, const Prefill &prefill,
                     bool assumeFinite)
    : function(function), context(function.getContext()), prefill(prefill),
      assumeFinite(assumeFinite) {}

Dependence Causality::of(Value value) const {
  return dependences.lookup(value);
}

AffineExpr Causality::exprOf(OpFoldResult value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constantExprOf(*number, context);
  auto it = indices.find(dyn_cast<Value>(value));
  return it == indices.end() ? AffineExpr() : it->second;
}

bool Causality::isSame(AffineExpr expr, std::optional<unsigned> rowLoop,
                       bool last) const {
  auto symbol = [&](unsigned number) {
    return getAffineSymbolExpr(number, context);
  };
  // Express the same row in a run that begins `shift` rows later.
  AffineExpr shift = symbol(2);
  AffineExpr later;
  unsigned loops = rowLoop ? *rowLoop + 1 : 0;
  expr.walk([&](AffineExpr each) {
    if (auto dim = dyn_cast<AffineDimExpr>(each))
      loops = std::max(loops, dim.getPosition() + 1);
  });
  if (last) {
    later = expr.replaceSymbols({symbol(0) + shift, symbol(1) - shift});
  } else {
    if (expr.isFunctionOfSymbol(1))
      return false;
    SmallVector<AffineExpr> dims;
    for (unsigned loop = 0; loop < loops; ++loop) {
      AffineExpr dim = getAffineDimExpr(loop, context);
      dims.push_back(loop == rowLoop ? dim - shift : dim);
    }
    later = expr.replaceDimsAndSymbols(dims, {symbol(0) + shift, symbol(1)});
  }
  AffineExpr difference = simplifyAffineExpr(later - expr, loops, 3);
  auto number = dyn_cast<AffineConstantExpr>(difference);
  return number && number.getValue() == 0;
}

bool Causality::isSame(OpFoldResult scalar, bool last) const {
  if (AffineExpr expr = exprOf(scalar))
    return isSame(expr, std::nullopt, last);
  return !differing.contains(dyn_cast<Value>(scalar));
}

LogicalResult Causality::refuse(Operation *op, const Twine &why) {
  return marked(op->emitError() << "'" << op->getName()
                                << "' cannot be run in chunks: " << why,
                RefusalKind::NotChunked);
}

LogicalResult Causality::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "expected a function of one block to run in chunks, got "
           << function.getBody().getBlocks().size() << " blocks";
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    const auto &rows = prefill.prompt.dims[number];
    const std::optional<int64_t> &cacheDim = prefill.cacheDims[number];
    if (number == prefill.offset)
      indices[argument] = getAffineSymbolExpr(0, context);
    if (rows.size() > 1)
      return function.emitError()
             << "argument #" << number
             << " cannot be cut into chunks: expected one prompt dimension, "
                "got "
             << rows.size();
    Dependence dependence;
    if (rows.size() == 1)
      dependence.row = rows.front();
    if (cacheDim) {
      dependence.position = cacheDim;
      dependence.cache = number;
      dependence.updated = false;
    }
    if (!dependence.isIndependent())
      dependences[argument] = dependence;
  }
  for (Operation &op : function.front())
    if (failed(visit(&op)))
      return failure();
  return success();
}

Causality::Reads Causality::readsOf(Operation *op) const {
  Reads reads;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      Dependence dependence = of(value);
      reads.rows |= !dependence.isIndependent();
      reads.oldCache |= !dependence.updated;
      reads.numbers |=
          !isa<TensorType>(value.getType()) && !isSame(value, /*last=*/false);
    }
  });
  return reads;
}

LogicalResult Causality::visit(Operation *op) {
  if (op->hasTrait<OpTrait::ReturnLike>())
    return visitReturn(op);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return visitAssert(assertion);
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op);
      dim && isa<TensorType>(dim.getShapedValue().getType())) {
    visitDim(dim);
    return success();
  }
  Reads reads = readsOf(op);
  auto model = modelOf<CausalOpInterface>(op);
  if (reads.oldCache && !(model && model.updatesCaches()))
    return refuse(op, "it reads a cache before the prompt's entries are in it, "
                      "so that a later chunk would find others there");
  auto takesNumbers = [&] {
    bool ofNumbers = llvm::none_of(
        op->getOperandTypes(), [](Type type) { return isa<ShapedType>(type); });
    return (reads.numbers || ofNumbers) && model.takesNumbers();
  };
  if (model && (reads.rows || takesNumbers()))
    return ask(model);
  if (!reads.rows)
    return visitIndependent(op, reads.numbers);
  if (isPromised<CausalOpInterface>(op))
    return refuse(op, "its dialect promises a model of npu::CausalOpInterface, "
                      "which is not registered");
  return refuse(op, rowsNotUnderstood);
}

void Causality::visitDim(ShapedDimOpInterface op) {
  Value extent = op->getResult(0);
  std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
  auto type = dyn_cast<RankedTensorType>(op.getShapedValue().getType());
  if (dim && type && *dim >= 0 && *dim < type.getRank()) {
    if (!type.isDynamicDim(*dim))
      indices[extent] = getAffineConstantExpr(type.getDimSize(*dim), context);
    else if (of(op.getShapedValue()).row == *dim)
      indices[extent] = getAffineSymbolExpr(1, context);
  }
  if (!indices.contains(extent))
    differing.insert(extent);
}

LogicalResult Causality::ask(CausalOpInterface op) {
  if (WhyNotCausal why = op.transferRows(*this))
    return refuse(op, *why);
  // The region of a LinalgOp is checked for effects on its own.
  if (!isa<linalg::LinalgOp>(op.getOperation()) && !isMemoryEffectFree(op))
    return refuse(op, "it has effects of its own");
  for (OpResult result : op->getResults()) {
    if (!isa<TensorType>(result.getType()))
      continue;
    auto answer = dependences.find(result);
    if (answer == dependences.end())
      return refuse(op, rowsNotUnderstood);
    std::optional<unsigned> cache = answer->second.cache;
    if (cache && op.updatesCaches() && !updated.insert(*cache).second)
      return refuse(op, cacheUpdatedTwice(*cache));
  }
  setAnsweredFacts(op);
  return success();
}

void Causality::set(Value result, const Dependence &dependence) {
  dependences[result] = dependence;
}

/// Handles scalars that follow from the offset and the length, and operations
/// that depend on neither the prompt nor such scalars.
LogicalResult Causality::visitIndependent(Operation *op, bool readsNumbers) {
  bool scalars = llvm::none_of(op->getResultTypes(),
                               [](Type type) { return isa<ShapedType>(type); });
  if (readsNumbers && !scalars)
    return refuse(op, "it follows from the offset or the prompt's length in a "
                      "way that is not understood");
  if (readsNumbers && mayTrap(op))
    return refuse(op, "it may trap on the offset or the length of a chunk");
  double capacity = static_cast<double>(prefill.capacity);
  PositionLimits limits{{}, {capacity, capacity}};
  for (Value result : op->getResults()) {
    AffineExpr expr;
    if (op->getNumResults() == 1 && result.getType().isIntOrIndex())
      expr =
          indexExprOf(op, limits, [&](Value value) { return exprOf(value); });
    if (expr)
      indices[result] = simplifyAffineExpr(expr, 0, 2);
    else if (readsNumbers)
      differing.insert(result);
  }
  if (!isMemoryEffectFree(op))
    return refuse(op, "it has effects of its own");
  setIndependentFacts(op);
  return success();
}

bool Causality::holdsInChunks(arith::CmpIOp compare) const {
  AffineExpr a = exprOf(compare.getLhs()), b = exprOf(compare.getRhs());
  if (!a || !b)
    return false;
  auto symbol = [&](unsigned number) {
    return getAffineSymbolExpr(number, context);
  };
  // Consider a chunk of `rows` rows that begins with row `begin` of the prompt.
  AffineExpr offset = symbol(0), length = symbol(1), begin = symbol(2),
             rows = symbol(3);
  PositionFacts facts(/*numLoops=*/0, /*numSymbols=*/4);
  for (AffineExpr each : {offset, begin, rows - 1, length - begin - rows,
                          prefill.capacity - offset - length})
    facts.atLeastZero(each);
  SmallVector<AffineExpr> parts =
      facts.conditionsOf(compare.getPredicate(), a, b);
  for (AffineExpr part : parts)
    facts.atLeastZero(part);
  return !parts.empty() && llvm::all_of(parts, [&](AffineExpr part) {
    return facts.never(-part.replaceSymbols({offset + begin, rows}) - 1);
  });
}

LogicalResult Causality::visitAssert(cf::AssertOp op) {
  auto compare = op.getArg().getDefiningOp<arith::CmpIOp>();
  if (isSame(op.getArg(), /*last=*/false) ||
      (compare && holdsInChunks(compare)))
    return success();
  return refuse(op, "it may hold for the prompt and not for a chunk of it");
}

LogicalResult Causality::visitReturn(Operation *op) {
  llvm::SmallBitVector returned(function.getNumArguments());
  for (OpOperand &operand : op->getOpOperands()) {
    Dependence dependence = of(operand.get());
    unsigned number = operand.getOperandNumber();
    auto where = [&] { return "result #" + Twine(number).str(); };
    if (dependence.row && !dependence.position) {
      resultKinds.push_back({PrefillResult::Rows, *dependence.row, 0});
    } else if (dependence.cache) {
      if (!dependence.updated)
        return refuse(op,
                      where() + " is the cache without the prompt's entries");
      if (returned.test(*dependence.cache))
        return refuse(op, "the cache of argument #" + Twine(*dependence.cache) +
                              " is returned twice");
      returned.set(*dependence.cache);
      resultKinds.push_back({PrefillResult::Cache, 0, *dependence.cache});
    } else if (dependence.last) {
      resultKinds.push_back({PrefillResult::Last, 0, 0});
    } else {
      return refuse(op, where() + (dependence.position
                                       ? " follows from a cache, but is none"
                                       : " does not follow from the prompt"));
    }
    if (resultKinds.back().kind != PrefillResult::Rows) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || !type.hasStaticShape())
        return refuse(op, where() + " has no static shape");
    }
  }
  for (auto [argument, dim] : llvm::enumerate(prefill.cacheDims))
    if (dim && !returned.test(argument))
      return refuse(op, "the cache of argument #" + Twine(argument) +
                            " is not returned with the prompt's entries, so "
                            "that the next chunk would not find them");
  return success();
}

} // namespace npu
