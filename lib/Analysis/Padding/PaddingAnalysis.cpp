// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a function: structured operations are analysed here, and the
// models of all others are asked what they do with padding.

#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "../Positions/PositionFacts.h"
#include "UnknownNumbers.h"
#include "npu/Analysis/Padding/InlinableCalls.h"
#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Analysis/Positions/LargestExtent.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Support/Naming.h"
#include "npu/Support/NoteNode.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The operands of `op`, and the values that its regions use from outside.
llvm::SetVector<Value> usedValues(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), values);
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
    : function(function), context(function.getContext()), prompt(prompt) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    continuesCaches |=
        bool(function.getArgAttr(i, NPUDialect::CacheAttrHelper::getNameStr()));
}

AffineExpr PaddingAnalysis::constant(int64_t value) const {
  return getAffineConstantExpr(value, context);
}

AffineExpr PaddingAnalysis::lengthExpr(unsigned number) const {
  return prompt.length ? constant(*prompt.length)
                       : getAffineSymbolExpr(number, context);
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
  answered.insert(value);
  if (isPadded(state))
    states[value] = std::move(state);
}

void PaddingAnalysis::decomposeFirst(Operation *op) {
  aggregates.push_back(op);
}

void PaddingAnalysis::seeThrough(Operation *op) { seenThrough.insert(op); }

RankedTensorType PaddingAnalysis::paddedType(Value value) const {
  return npu::paddedType(cast<RankedTensorType>(value.getType()), of(value));
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
  // The operation that defines a tensor without padding of its own may know the
  // extent.
  Operation *op = tensor.getDefiningOp();
  auto model = op && (isSeenThrough(op) || isUnpadded(op))
                   ? modelOf<PaddingOpInterface>(op)
                   : PaddingOpInterface();
  if (!model)
    return {};
  SmallVector<AffineExpr> extents = model.realExtents(*this);
  return dim < int64_t(extents.size()) ? extents[dim] : AffineExpr();
}

LogicalResult PaddingAnalysis::run() {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "expected a function of one block to pad, got "
           << function.getBody().getBlocks().size() << " blocks";
  for (auto [argument, dims, symbols] :
       llvm::zip(function.getArguments(), prompt.dims, prompt.symbols)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || dims.empty())
      continue;
    PaddingState state(type.getRank());
    if (int64_t extent = type.getDimSize(dims.front());
        !ShapedType::isDynamic(extent))
      lengthOfTypes = extent;
    for (auto [dim, symbol] : llvm::zip_equal(dims, symbols)) {
      AffineExpr length = lengthExpr(symbol);
      state[dim] =
          PaddedDim{length,
                    prompt.side == PaddingSide::Right ? length : constant(0),
                    prompt.maxLength,
                    {}};
    }
    setResult(argument, std::move(state));
  }
  for (Operation &op : function.front())
    if (failed(visit(&op)) || failed(checkResults(&op)))
      return failure();
  return success();
}

/// Refuses a tensor of which one dimension is padded and another has an unknown
/// extent: padded tensors have static shapes.
MaybeRefused PaddingAnalysis::refusePartly(Value tensor,
                                           const PaddingState &padding) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || prompt.length || !isPadded(padding))
    return std::nullopt;
  Operation *op = tensor.getDefiningOp();
  auto model = op ? modelOf<PaddingOpInterface>(op) : PaddingOpInterface();
  for (auto [dim, padded] : llvm::enumerate(padding)) {
    if (padded || !type.isDynamicDim(dim))
      continue;
    SmallVector<AffineExpr> extents;
    if (model)
      extents = model.realExtents(*this);
    bool isKnown = dim < extents.size() &&
                   isa_and_present<AffineConstantExpr>(extents[dim]);
    return Refusal(
        fmt::format(
            "dimension {} of {{}} has {}, beside another that is padded", dim,
            isKnown ? spell(extents[dim]) +
                          " entries at every length, which its type "
                          "does not say"
                    : "a number of entries that is no expression of "
                      "the prompt length"),
        tensor);
  }
  return std::nullopt;
}

/// Checks that a dimension whose extent is static in the IR has that extent at
/// every prompt length.
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
        real = simplified(real.replaceSymbols({constant(*lengthOfTypes)}));
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
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getShapedValue().getType());
    if (std::optional<int64_t> number = getConstantIntValue(dim.getDimension());
        number && type && *number >= 0 && *number < type.getRank())
      expr = realExtent(dim.getShapedValue(), *number);
  } else if (isa<arith::MinSIOp, arith::MaxSIOp>(op)) {
    expr = knownExtremum(isa<arith::MaxSIOp>(op), exprOf(op->getOperand(0)),
                         exprOf(op->getOperand(1)),
                         {prompt.minLength(), prompt.maxLength});
  } else {
    PositionLimits limits{
        {},
        SmallVector<double>(prompt.count(),
                            static_cast<double>(prompt.maxLength))};
    expr = indexExprOf(op, limits, [&](Value value) { return exprOf(value); });
  }
  if (expr)
    indices[op->getResult(0)] = simplified(expr);
}

/// Says which prompts the lengths in an error are those of, where there are
/// several.
void PaddingAnalysis::notePrompts(InFlightDiagnostic &error) const {
  if (prompt.count() == 1)
    return;
  Diagnostic &note = error.attachNote();
  for (auto [number, name] : llvm::enumerate(prompt.names))
    note << (number ? ", " : "") << spell(getAffineSymbolExpr(number, context))
         << " is the length of '" << name << "'";
  note
      << "; where two of them always have one length, say so with "
      << promptDimAttrName
      << ", and where a dimension is as long as several of them together, name "
         "it after their sum, as in 'past + new', which a run asserts";
}

LogicalResult PaddingAnalysis::workOnRealPart(Operation *op,
                                              const Refusal &why) {
  if (prompt.length) {
    unpadded.insert(op);
    for (Value result : op->getResults())
      states.erase(result);
    return success();
  }
  InFlightDiagnostic error =
      emitError(op->getLoc())
      << "'" << op->getName()
      << "' cannot be padded to max-prompt-len = " << prompt.maxLength
      << " and stay exact: " << toString(why);
  notePrompts(error);
  noteNode(error, op);
  if (prompt.count() == 1)
    noteUnknownSize(error, op, prompt.maxLength,
                    [&](Value value) { return exprOf(value); });
  return marked(std::move(error), prompt.count() > 1
                                      ? RefusalKind::SeveralPrompts
                                      : RefusalKind::NotPadded);
}

MaybeRefused PaddingAnalysis::stateOf(ArrayRef<AffineExpr> extents,
                                      PaddingState &state) const {
  state.assign(extents.size(), std::nullopt);
  for (auto [dim, real] : llvm::enumerate(extents)) {
    if (!real || !npu::followsPrompt(real))
      continue;
    std::optional<int64_t> extent =
        largestOverLengths(real, {prompt.minLength(), prompt.maxLength});
    if (!extent || *extent < 0)
      return Refusal(fmt::format("dimension {} of its result has {} entries, "
                                 "which is {}",
                                 dim, spell(real),
                                 extent ? "below zero at every length"
                                        : "not known to be bounded"),
                     {}, Refusal::WorkOnRealPart);
    state[dim] =
        PaddedDim{real,
                  prompt.side == PaddingSide::Right ? real : constant(0),
                  *extent,
                  {}};
  }
  return std::nullopt;
}

LogicalResult PaddingAnalysis::refuse(Operation *op, const Refusal &why) {
  switch (why.way) {
  case Refusal::ReadByEntry:
    return readByEntry(op, why);
  case Refusal::WorkOnRealPart:
    return workOnRealPart(op, why);
  case Refusal::Fail:
    break;
  }
  InFlightDiagnostic error = emitError(op->getLoc()) << toString(why);
  notePrompts(error);
  noteNode(error, op);
  return marked(std::move(error), prompt.count() > 1
                                      ? RefusalKind::SeveralPrompts
                                      : RefusalKind::PaddingConflicts);
}

/// Whether `op` has to be asked although no operand is padded: its result is as
/// long as the prompt, or it uses an operation that is seen through.
bool PaddingAnalysis::isAskedAnyway(Operation *op) const {
  auto model = modelOf<PaddingOpInterface>(op);
  if (!model)
    return false;
  return (model.makesEntries() && followsPrompt(op)) ||
         llvm::any_of(op->getOperands(), [&](Value value) {
           return value.getDefiningOp() && isSeenThrough(value.getDefiningOp());
         });
}

/// Asks the model of `op` what it does with padding.
LogicalResult PaddingAnalysis::ask(Operation *op, Value padded) {
  auto model = modelOf<PaddingOpInterface>(op);
  answered.clear();
  MaybeRefused why;
  if (model)
    why = model.transferPadding(*this);
  else if (isPromised<PaddingOpInterface>(op))
    why = "its dialect promises a model of npu::PaddingOpInterface, which is "
          "not registered";
  else
    why = unknownPaddingTransfer();
  if (!why && !isSeenThrough(op) &&
      llvm::any_of(op->getResults(),
                   [&](Value result) { return !answered.contains(result); }))
    why = unknownPaddingTransfer();
  if (!why)
    return success();
  for (Value result : op->getResults())
    states.erase(result);
  // The operation that was to be seen through is padded after all.
  if (Operation *seen = why->seenThrough; seenThrough.erase(seen))
    return failed(readByEntry(seen, *why)) ? failure() : visit(op);
  if (!why->operand)
    why->operand = padded;
  return refuse(op, *why);
}

LogicalResult PaddingAnalysis::visit(Operation *op) {
  visitIndex(op);
  if (op->hasTrait<OpTrait::ReturnLike>())
    return success();
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
    Value of = dim.getShapedValue();
    // What remains is a dim in the function's block whose constant is no
    // dimension of the tensor.
    if (!isPadded(this->of(of)) || exprOf(op->getResult(0)))
      return success();
    return emitError(op->getLoc())
           << "'" << op->getName() << "' of '" << nameOf(of)
           << "': expected one of its "
           << cast<RankedTensorType>(of.getType()).getRank()
           << " dimensions, got "
           << getConstantIntValue(dim.getDimension())
                  .value_or(ShapedType::kDynamic);
  }
  auto structuredOp = dyn_cast<linalg::LinalgOp>(op);
  if (!structuredOp && isAskedAnyway(op))
    return ask(op, {});
  Value padded;
  for (Value value : usedValues(op))
    if (isPadded(of(value)) && !padded)
      padded = value;
  if (!padded)
    return success();
  if (isa<CallOpInterface>(op))
    return workOnRealPart(op, prompt.length ? "" : whyNotInlined(op));
  if (structuredOp) {
    if (MaybeRefused why = refuseBody(op))
      return workOnRealPart(op, *why);
    return visitStructured(structuredOp);
  }
  if (readsAsWritten(op))
    return success();
  return ask(op, padded);
}

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
  keepConstantExtents(type, extents, state);
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

/// Whether a concatenation puts each part where the real entries of those
/// before it end. That is done where the function has caches, to which rows are
/// added in place, and can be done where all padding along it comes last.
bool PaddingAnalysis::canBePacked(Operation *op,
                                  const Concatenation &parts) const {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!continuesCaches || prompt.length || lengthOfTypes ||
      prompt.side != PaddingSide::Right || type.getEncoding())
    return false;
  return llvm::all_of(parts.parts, [&](Value part) {
    const PaddingState &state = of(part);
    return int64_t(state.size()) <= parts.along || !state[parts.along] ||
           state[parts.along]->endsInPadding();
  });
}

MaybeRefused PaddingAnalysis::concatenate(Operation *op,
                                          const Concatenation &parts) {
  int64_t along = parts.along;
  PaddingState result(
      cast<RankedTensorType>(op->getResult(0).getType()).getRank());
  std::optional<PaddedDim> hole;
  AffineExpr before = constant(0);
  int64_t more = 0;
  bool isPacked = canBePacked(op, parts);
  for (Value input : parts.parts) {
    const PaddingState &state = of(input);
    for (auto [dim, padded] : llvm::enumerate(state))
      if (padded && int64_t(dim) != along)
        result[dim] = PaddedDim{padded->real, padded->hole, padded->extent, {}};
    AffineExpr real = realExtent(input, along);
    if (!real)
      return Refusal(fmt::format("how many entries {{}} has along dimension {} "
                                 "does not follow from the prompt length",
                                 along),
                     input);
    if (int64_t(state.size()) > along && state[along]) {
      if (hole && isPacked) {
        more += state[along]->extent;
        before = simplified(before + real);
        continue;
      }
      if (hole)
        return Refusal(fmt::format("{{}} is the second part with padding along "
                                   "dimension {}; expected one hole",
                                   along),
                       input);
      hole = PaddedDim{constant(0), simplified(before + state[along]->hole),
                       state[along]->extent,
                       besideOtherRows(state[along]->content)};
    } else if (auto number = dyn_cast<AffineConstantExpr>(real)) {
      more += number.getValue();
    } else {
      return Refusal(fmt::format("{{}} has {} entries along dimension {}, and "
                                 "no padding",
                                 spell(real), along),
                     input);
    }
    before = simplified(before + real);
  }
  if (hole) {
    hole->real = before;
    hole->extent += more;
    // Where only the last part has padding, it comes last in any case.
    isPacked &= !areEqual(hole->hole, before);
    if (isPacked)
      hole = PaddedDim{before, before, hole->extent, {}};
    result[along] = hole;
  }
  setResult(op->getResult(0), std::move(result));
  concatenations[op] = parts;
  concatenations[op].isPacked = isPacked && hole;
  return std::nullopt;
}

/// A padded tensor that the operation uses otherwise than by reading one entry;
/// null where there is none.
static Value usesWithPadding(Operation *op, const PaddingAnalysis &analysis) {
  auto read = modelOf<EntryReadOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isPadded(analysis.of(operand.get())) &&
        (!read || &read.getReadTensor() != &operand))
      return operand.get();
  return {};
}

/// The operation needs no rewriting where it uses padded tensors only by reads
/// of single entries.
bool PaddingAnalysis::readsAsWritten(Operation *op) const {
  if (prompt.length || lengthOfTypes ||
      llvm::any_of(op->getResults(),
                   [&](Value result) { return isPadded(of(result)); }))
    return false;
  return !op->walk([&](Operation *inner) {
              return usesWithPadding(inner, *this) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
            }).wasInterrupted();
}

/// Whether the body of `op` computes the scalar `value`.
static bool isComputedIn(Operation *op, Value value) {
  return value.getType().isIntOrIndex() && !matchPattern(value, m_Constant()) &&
         op->isAncestor(value.getParentBlock()->getParentOp());
}

/// Whether `inner` is a loop in the body of `op` whose number of iterations the
/// body computes.
static bool repeatsByData(Operation *inner, Operation *op) {
  auto isComputed = [&](Value value) { return isComputedIn(op, value); };
  if (isa<scf::WhileOp>(inner))
    return true;
  if (isa<scf::IfOp, scf::IndexSwitchOp>(inner))
    return false;
  // A value that a loop carries may be data.
  if (auto loop = dyn_cast<scf::ForOp>(inner))
    return llvm::any_of(
        ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        isComputed);
  return inner->getNumRegions() != 0 &&
         llvm::any_of(inner->getOperands(), isComputed);
}

/// Whether `inner` makes a tensor, or writes a slice, whose number of entries
/// the body of `op` computes.
static bool growsByData(Operation *inner, Operation *op) {
  auto isComputed = [&](Value value) { return isComputedIn(op, value); };
  if (auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(inner))
    return llvm::any_of(slice.getSizes(), isComputed);
  // The result has as many entries as its destination, whatever part is
  // written.
  if (isa<DestinationStyleOpInterface>(inner))
    return false;
  bool grows = llvm::any_of(inner->getResultTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  });
  return grows && llvm::any_of(inner->getOperands(), isComputed);
}

/// Refuses a structured operation whose body, run on padding, might not end,
/// has effects, or uses a padded tensor otherwise than by position.
MaybeRefused PaddingAnalysis::refuseBody(Operation *op) {
  MaybeRefused why;
  op->walk([&](Operation *inner) {
    if (inner == op || inner->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    std::string name = inner->getName().getStringRef().str();
    if (Value value = usesWithPadding(inner, *this))
      why =
          Refusal("'" + name + "' in its body uses {} with its padding", value);
    if (isa<CallOpInterface>(inner))
      why = Refusal("in its body, " +
                    (prompt.length ? "a call" : whyNotInlined(inner)));
    else if (repeatsByData(inner, op))
      why = Refusal("'" + name +
                    "' in its body has a data-dependent trip count, which "
                    "padding could make infinite");
    else if (growsByData(inner, op))
      why = Refusal("'" + name +
                    "' in its body is of as many entries as data say, and "
                    "padding may say any number");
    else if (!isMemoryEffectFree(inner))
      why = Refusal("'" + name + "' in its body has effects, on padding too");
    return why ? WalkResult::interrupt() : WalkResult::advance();
  });
  return why;
}

} // namespace npu
