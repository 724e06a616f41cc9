// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The marks, the walk, scalars and structured operations.

#include "npu/Analysis/Causality.h"
#include "CausalBody.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

FailureOr<std::optional<int64_t>> cacheDimOf(func::FuncOp function,
                                             unsigned argument) {
  Attribute attr = function.getArgAttr(argument, cacheDimAttrName);
  if (!attr)
    return std::optional<int64_t>();
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  auto dim = dyn_cast<IntegerAttr>(attr);
  if (!type || !dim || dim.getInt() < 0 || dim.getInt() >= type.getRank())
    return function.emitError()
           << "argument #" << argument << ": expected " << cacheDimAttrName
           << " to be a dimension of " << function.getArgumentTypes()[argument]
           << ", got " << attr;
  if (!type.hasStaticShape())
    return function.emitError()
           << "argument #" << argument
           << ": expected a cache of static shape, got " << type;
  return std::optional<int64_t>(dim.getInt());
}

} // namespace

FailureOr<Prefill> findPrefill(func::FuncOp function, bool &found) {
  Prefill prefill;
  std::optional<unsigned> offset, cache;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dim = cacheDimOf(function, i);
    if (failed(dim))
      return failure();
    prefill.cacheDims.push_back(*dim);
    Type type = function.getArgumentTypes()[i];
    if (*dim) {
      int64_t entries = cast<RankedTensorType>(type).getDimSize(**dim);
      prefill.capacity = cache ? std::min(prefill.capacity, entries) : entries;
      cache = i;
    }
    if (!function.getArgAttr(i, cacheOffsetAttrName))
      continue;
    if (!type.isIntOrIndex())
      return function.emitError()
             << "argument #" << i << ": expected " << cacheOffsetAttrName
             << " on an index or integer, got " << type;
    if (offset)
      return function.emitError()
             << "expected one argument with " << cacheOffsetAttrName
             << ", got #" << *offset << " and #" << i;
    offset = i;
  }
  found = cache || offset;
  if (!found)
    return prefill;
  if (!cache || !offset)
    return function.emitError()
           << "expected both a cache (" << cacheDimAttrName
           << ") and the position of the prompt's first row ("
           << cacheOffsetAttrName << ") to be marked, got the "
           << (cache ? "cache" : "position") << " alone";
  prefill.offset = *offset;
  bool hasPrompt = false;
  auto prompt =
      findPrompt(function, prefill.capacity, PaddingSide::Right, hasPrompt);
  if (failed(prompt))
    return failure();
  if (!hasPrompt)
    return function.emitError()
           << "expected a prompt dimension to divide into chunks: make it "
              "dynamic";
  if (prompt->length)
    return function.emitError()
           << "expected a prompt length that is known at run time alone, got "
           << *prompt->length << ": make its dimensions dynamic";
  prefill.prompt = std::move(*prompt);
  return prefill;
}

Causality::Causality(func::FuncOp function, const Prefill &prefill,
                     bool assumeFinite)
    : function(function), context(function.getContext()), prefill(prefill),
      assumeFinite(assumeFinite) {}

const Dependence &Causality::of(Value value) const {
  static const Dependence independent;
  auto it = dependences.find(value);
  return it == dependences.end() ? independent : it->second;
}

AffineExpr Causality::exprOf(OpFoldResult value) const {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return getAffineConstantExpr(*number, context);
  auto it = indices.find(dyn_cast<Value>(value));
  return it == indices.end() ? AffineExpr() : it->second;
}

bool Causality::isSame(AffineExpr expr, std::optional<unsigned> rowLoop,
                       bool last) const {
  auto symbol = [&](unsigned number) {
    return getAffineSymbolExpr(number, context);
  };
  // The same row, in a run that begins `shift` rows later.
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

bool Causality::isSame(Value scalar, bool last) const {
  if (AffineExpr expr = exprOf(scalar))
    return isSame(expr, std::nullopt, last);
  return !differing.contains(scalar);
}

bool Causality::isLength(OpFoldResult size) const {
  return exprOf(size) == getAffineSymbolExpr(1, context);
}

bool Causality::isOffset(OpFoldResult value) const {
  return exprOf(value) == getAffineSymbolExpr(0, context);
}

LogicalResult Causality::refuse(Operation *op, const Twine &why) {
  return op->emitError() << "'" << op->getName()
                         << "' cannot be run in chunks: " << why;
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
      dependence.position = *cacheDim;
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

LogicalResult Causality::visit(Operation *op) {
  if (op->hasTrait<OpTrait::ReturnLike>())
    return visitReturn(op);
  if (isa<cf::AssertOp>(op))
    return success();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto number = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (number && type && *number >= 0 && *number < type.getRank()) {
      if (!type.isDynamicDim(*number))
        indices[dim.getResult()] =
            getAffineConstantExpr(type.getDimSize(*number), context);
      else if (of(dim.getSource()).row == *number)
        indices[dim.getResult()] = getAffineSymbolExpr(1, context);
    }
    if (!indices.contains(dim.getResult()))
      differing.insert(dim.getResult());
    return success();
  }
  // Which of what it reads follows from the prompt.
  bool reads = false, readsLast = false, readsDiffering = false;
  bool readsOldCache = false;
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      const Dependence &dependence = of(value);
      reads |= !dependence.isIndependent();
      readsLast |= dependence.last;
      readsOldCache |= !dependence.updated;
      readsDiffering |=
          !isa<TensorType>(value.getType()) && !isSame(value, /*last=*/false);
    }
  });
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    Dependence dependence;
    for (auto [dim, size] : llvm::enumerate(empty.getMixedSizes())) {
      if (isLength(size) && !dependence.row)
        dependence.row = dim;
      else if (empty.getType().isDynamicDim(dim))
        return refuse(op, "dimension " + Twine(dim) +
                              " is neither static nor the rows of the prompt");
    }
    if (dependence.row)
      dependences[empty.getResult()] = dependence;
    return success();
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op);
      insert && (reads || readsDiffering))
    return visitInsert(insert);
  if (readsOldCache)
    return refuse(op, "it reads a cache before the prompt's entries are in it, "
                      "so that a later chunk would find others there");
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op);
      extract && (reads || readsDiffering))
    return visitExtract(extract);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op);
      structured && (reads || readsDiffering))
    return visitStructured(structured);
  if (!reads) {
    // Scalars of the offset and the length, and what does not care for either.
    bool scalars = llvm::none_of(
        op->getResultTypes(), [](Type type) { return isa<ShapedType>(type); });
    if (readsDiffering && !scalars)
      return refuse(op, "it follows from the offset or the prompt's length in "
                        "a way that is not understood");
    for (Value result : op->getResults()) {
      AffineExpr expr;
      if (op->getNumResults() == 1 && result.getType().isIntOrIndex())
        expr = indexExprOf(op, [&](Value value) { return exprOf(value); });
      if (expr)
        indices[result] = simplifyAffineExpr(expr, 0, 2);
      else if (readsDiffering)
        differing.insert(result);
    }
    if (!isMemoryEffectFree(op))
      return refuse(op, "it has effects of its own");
    return success();
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visitReshape(op, expand.getSrc(), /*expands=*/true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return visitReshape(op, collapse.getSrc(), /*expands=*/false);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return visitConcat(concat);
  if (auto cast = dyn_cast<tensor::CastOp>(op);
      cast && isa<RankedTensorType>(cast.getType())) {
    Dependence dependence = of(cast.getSource());
    dependences[cast.getResult()] = dependence;
    return success();
  }
  if (op->getNumRegions() == 0 && op->getNumResults() == 1 &&
      OpTrait::hasElementwiseMappableTraits(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return visitElementwise(op);
  return refuse(op, "it is not known what it does with the prompt's rows");
}

LogicalResult Causality::visitElementwise(Operation *op) {
  Dependence result;
  SmallVector<BehindRow> behind;
  for (Value operand : op->getOperands()) {
    const Dependence &dependence = of(operand);
    if (dependence.row)
      result.row = dependence.row;
    if (dependence.position) {
      if (result.position && result.position != dependence.position)
        return refuse(op, "positions of the cache stand in two dimensions");
      result.position = dependence.position;
    }
    result.last |= dependence.last;
    behind.push_back(dependence.row || !dependence.position
                         ? dependence.behind
                         : BehindRow{BehindRow::Differs, {}});
    if (!isa<TensorType>(operand.getType()) && !isSame(operand, result.last))
      return refuse(op, "a number that follows from the offset or from the "
                        "prompt's length is used: both differ in every chunk");
  }
  if (result.last && result.row)
    return refuse(op, "rows follow from the prompt's last rows");
  if (result.last)
    result.position = std::nullopt;
  if (result.row && result.position) {
    bool assumed = false;
    result.behind = computedFrom(op, behind, assumeFinite, assumed);
    if (assumed)
      assuming.push_back(op);
  }
  dependences[op->getResult(0)] = result;
  return success();
}

LogicalResult Causality::visitStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return refuse(op, "it does not work on tensors alone");
  CausalLoops loops;
  auto meet = [&](std::optional<unsigned> &loop, AffineExpr expr,
                  StringRef what) -> LogicalResult {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return refuse(op, "it reads " + what + " through a window");
    if (loop && *loop != dim.getPosition())
      return refuse(op, "two of its loops run over " + what +
                            (what == "rows"
                                 ? ", and a chunk has only its own: what is "
                                   "attended to must come from the cache"
                                 : ""));
    loop = dim.getPosition();
    return success();
  };
  for (OpOperand &operand : op->getOpOperands()) {
    const Dependence &dependence = of(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    loops.last |= dependence.last;
    if (dependence.row &&
        failed(meet(loops.row, map.getResult(*dependence.row), "rows")))
      return failure();
    if (dependence.position &&
        failed(meet(loops.position, map.getResult(*dependence.position),
                    "positions")))
      return failure();
  }
  if (loops.row && loops.row == loops.position)
    return refuse(op,
                  "rows of the prompt meet positions of the cache, of which "
                  "they have the same number only by chance");
  if (loops.last && loops.row)
    return refuse(op, "rows follow from the prompt's last rows");
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto isReduction = [&](std::optional<unsigned> loop) {
    return loop && kinds[*loop] == utils::IteratorType::reduction;
  };
  if (isReduction(loops.row))
    return refuse(op, "it reduces over the rows of the prompt, and a chunk has "
                      "only its own");
  // What is made of the full cache alone is the same at the end.
  if (!loops.row && isReduction(loops.position))
    loops.last = true;
  if (loops.last)
    loops.position = std::nullopt;

  bool assumed = false;
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    CausalBody visible(*this, op, loops, /*behindRow=*/false);
    if (visible.yielded(number).kind == BehindRow::Differs)
      return refuse(op, visible.why());
    Dependence dependence;
    dependence.last = loops.last;
    AffineMap map = op.getIndexingMapMatchingResult(result);
    auto dimOf = [&](std::optional<unsigned> loop) -> std::optional<int64_t> {
      if (!loop)
        return std::nullopt;
      auto dim =
          map.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
      return dim ? std::optional<int64_t>(*dim) : std::nullopt;
    };
    dependence.row = dimOf(loops.row);
    dependence.position = dimOf(loops.position);
    if ((loops.row && !dependence.row) ||
        (loops.position && !dependence.position &&
         !isReduction(loops.position)))
      return refuse(op, "result #" + Twine(number) +
                            " has no dimension for a loop that runs over rows "
                            "or positions");
    if (loops.row && loops.position) {
      CausalBody body(*this, op, loops, /*behindRow=*/true);
      dependence.behind = body.yielded(number);
      assumed |= body.assumedFinite();
      if (!dependence.position && (dependence.behind.kind != BehindRow::Same &&
                                   dependence.behind.kind != BehindRow::Zero))
        return refuse(op, body.why().empty()
                              ? "what it reduces over positions behind a row "
                                "is not neutral"
                              : body.why());
    }
    if (!dependence.isIndependent())
      dependences[result] = dependence;
  }
  if (assumed)
    assuming.push_back(op);
  return success();
}

LogicalResult Causality::visitReturn(Operation *op) {
  llvm::SmallBitVector returned(function.getNumArguments());
  for (OpOperand &operand : op->getOpOperands()) {
    const Dependence &dependence = of(operand.get());
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
