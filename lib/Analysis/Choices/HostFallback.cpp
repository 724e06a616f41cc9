// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Analysis/Choices/StoresInPlace.h"
#include "npu/ExternalModels/Tensor/CacheMemory.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

struct Why {
  HostFallbackKind kind;
  std::string reason;
};

/// Whether `op` takes its types from other operations: operations with regions,
/// branches, terminators.
bool isStructural(Operation *op) {
  return isa<RegionBranchOpInterface, FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether tiles do `op` without its having an access, because it has no
/// operands.
bool isAlwaysCut(Operation *op) {
  return needsNoData(op) && !isa<linalg::LinalgOp>(op) &&
         cast<RankedTensorType>(op->getResult(0).getType()).hasStaticShape();
}

std::optional<Why> whyCastNotCut(Operation *op) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (from && to && from.getShape() == to.getShape())
    return std::nullopt;
  return Why{HostFallbackKind::NotCut, "it changes what is known of a shape"};
}

/// Why no model says what `op` reads, or why the host does it nonetheless.
Why whyNotUnderstood(Operation *op) {
  if (auto why = op->getAttrOfType<StringAttr>(hostAttrName))
    return {HostFallbackKind::NoKernel, why.str()};
  if (isPromised<PartwiseOpInterface>(op))
    return {HostFallbackKind::NotRegistered,
            "its dialect promises a model of npu::PartwiseOpInterface, which "
            "is not registered"};
  return {HostFallbackKind::NotUnderstood,
          "it is not known which part of its operands it reads"};
}

/// Why a call falls back: for what it is marked for, or because it is one.
Why whyCalled(Operation *op) {
  if (auto why = op->getAttrOfType<StringAttr>(hostAttrName))
    return {HostFallbackKind::NoKernel, why.str()};
  return {HostFallbackKind::Call,
          "what it calls takes and gives whole tensors"};
}

/// Why tiles cannot do `op` part by part, whatever its operands are made of;
/// nothing where they can.
std::optional<Why> whyNotCut(Operation *op) {
  if (isa<CallOpInterface>(op))
    return whyCalled(op);
  if (isAlwaysCut(op))
    return std::nullopt;
  if (isTensorCast(op))
    return whyCastNotCut(op);
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return whyNotUnderstood(op);
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getResultTypes(), isDistributed))
    return Why{HostFallbackKind::NotCut, "not all of its results are on tiles"};
  if (auto reason = modelOf<PartwiseOpInterface>(op).whyNotCut())
    return Why{HostFallbackKind::NotCut, std::move(*reason)};
  // A tile must hold what it writes of the outputs. That it holds what it reads
  // of the operands, the verifier has checked.
  if (findOverrun(*access, op, iterationsForMemory(*access, op),
                  op->getResultTypes()))
    return Why{HostFallbackKind::WritesBeyond,
               "no box of iterations writes only "
               "what a tile holds of its results"};
  return std::nullopt;
}

/// Why tiles cannot do `op` part by part; nothing where they can. An operation
/// on an unwritten tensor is replaced by a tensor.empty and does not fall back.
std::optional<Why> whyFallsBack(Operation *op, EmptyOrigins &origins) {
  std::optional<Why> why = whyNotCut(op);
  return why && !origins.isRematerializedAsEmpty(op) ? why : std::nullopt;
}

/// An operation that the device has no kernel for stays what it is.
bool becomesStructured(Operation *op) {
  if (op->hasAttr(hostAttrName))
    return false;
  auto form = modelOf<StructuredFormOpInterface>(op);
  return form && form.hasStructuredForm() && form.keepsLayouts();
}

bool mayFallBack(Operation *op) {
  return !isa<LayoutChangeOpInterface>(op) && !isStructural(op) &&
         !hasSteps(op) &&
         (llvm::any_of(op->getOperandTypes(), hasLayout) ||
          llvm::any_of(op->getResultTypes(), hasLayout));
}

HostFallback withCost(Operation *op, const Why &why, EmptyOrigins &origins) {
  HostFallback fallback{why.kind, why.reason};
  HostFallbackValues values = hostFallbackValues(op, origins);
  for (Value stored : values.stored)
    fallback.storedBits += bitsThroughDdr(stored);
  for (Value loaded : values.loaded)
    fallback.loadedBits += bitsThroughDdr(loaded);
  return fallback;
}

/// The bits of a tensor in DDR; 0 of a shape, and of what is no tensor.
int64_t bitsInDdr(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getElementType().isIndex())
    return 0;
  int64_t bits = elementBits(type.getElementType()).value_or(64);
  for (int64_t extent : type.getShape())
    if (llvm::MulOverflow(bits, extent, bits))
      return std::numeric_limits<int64_t>::max() / 64;
  return bits;
}

/// Whether `op` computes nothing: constants, unwritten tensors, views, parts of
/// tensors, questions for their shapes.
bool onlyPlaces(Operation *op) {
  return needsNoData(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         asksForShapeOnly(op) || isPartOrReshape(op);
}

/// Whether `op` is of the body of a structured operation, whose kernel does it.
bool isInBody(Operation *op) {
  return static_cast<bool>(op->getParentOfType<linalg::LinalgOp>());
}

std::optional<Why> whyKept(Operation *op) {
  if (isa<CallOpInterface>(op))
    return whyCalled(op);
  if (storesInPlace(op) || handsOnInPlace(op) || addsToCache(op))
    return std::nullopt;
  if (isa<RegionBranchOpInterface>(op))
    return Why{HostFallbackKind::Regions,
               "the tensors that it hands from one region to the next have no "
               "layouts"};
  if (OpAccess::get(op))
    return std::nullopt;
  return whyNotUnderstood(op);
}

} // namespace

int64_t bitsThroughDdr(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isDistributed(type))
    return 0;
  return elementsThroughDdr(type, paddingOf(value)) *
         elementBits(type.getElementType()).value_or(64);
}

HostFallbackValues hostFallbackValues(Operation *op, EmptyOrigins &origins) {
  HostFallbackValues values;
  for (OpOperand &operand : op->getOpOperands())
    if (isDistributed(operand.get().getType()) &&
        isBroughtToDdr(operand, origins) &&
        !llvm::is_contained(values.stored, operand.get()))
      values.stored.push_back(operand.get());
  for (Value result : op->getResults())
    if (isDistributed(result.getType()) && !result.use_empty())
      values.loaded.push_back(result);
  return values;
}

bool isMovingCast(Operation *op) {
  if (!isTensorCast(op))
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return from && to && (hasLayout(from) || hasLayout(to)) &&
         from.getEncoding() != to.getEncoding();
}

bool isLoweredAsStructured(Operation *op) {
  EmptyOrigins origins;
  return mayFallBack(op) && becomesStructured(op) && whyFallsBack(op, origins);
}

bool isLoadedConstant(Operation *op) {
  return op->getNumResults() == 1 &&
         isDistributed(op->getResult(0).getType()) &&
         dataNeedOf(op->getResult(0)) == DataNeed::Stored;
}

bool isBroughtToDdr(OpOperand &operand, EmptyOrigins &origins) {
  Operation *op = operand.getOwner();
  if (origins.isMadeOfNothing(operand.get()) || asksForShapeOnly(op))
    return false;
  // Only few operations get here: structured ones that are not cut.
  auto style = dyn_cast<DestinationStyleOpInterface>(op);
  if (!style)
    return true;
  std::optional<OpAccess> access = OpAccess::get(op);
  return !access || access->reads(operand.getOperandNumber());
}

static std::optional<HostFallback> hostFallbackOf(Operation *op,
                                                  EmptyOrigins &origins) {
  if (!mayFallBack(op))
    return std::nullopt;
  std::optional<Why> why = whyFallsBack(op, origins);
  if (!why || becomesStructured(op))
    return std::nullopt;
  return withCost(op, *why, origins);
}

std::optional<HostFallback> hostFallbackOf(Operation *op) {
  EmptyOrigins origins;
  return hostFallbackOf(op, origins);
}

std::optional<HostFallback> hostFallbackInDdr(Operation *op) {
  if (isa<LayoutChangeOpInterface, FunctionOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || onlyPlaces(op) || isInBody(op))
    return std::nullopt;
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    if (llvm::any_of(types, hasLayout) || llvm::any_of(types, isDynamic))
      return std::nullopt;
  llvm::SmallPtrSet<Value, 4> counted;
  HostFallback kept;
  for (Value operand : op->getOperands())
    if (counted.insert(operand).second)
      kept.storedBits += bitsInDdr(operand);
  for (Value result : op->getResults())
    kept.loadedBits += bitsInDdr(result);
  if (kept.storedBits + kept.loadedBits == 0)
    return std::nullopt;
  std::optional<Why> why = whyKept(op);
  if (!why || becomesStructured(op))
    return std::nullopt;
  kept.kind = why->kind;
  kept.reason = std::move(why->reason);
  return kept;
}

std::optional<std::string> whyNoModel(Operation *op) {
  auto hasTensor = [](TypeRange types) {
    return llvm::any_of(types, llvm::IsaPred<RankedTensorType>);
  };
  if (isa<LayoutChangeOpInterface, FunctionOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>() || onlyPlaces(op) || isInBody(op) ||
      (!hasTensor(op->getOperandTypes()) && !hasTensor(op->getResultTypes())) ||
      becomesStructured(op))
    return std::nullopt;
  std::optional<Why> why = whyKept(op);
  return why ? std::optional(std::move(why->reason)) : std::nullopt;
}

std::optional<HostFallback> HostFallbackQuery::of(Operation *op) {
  if (!mayFallBack(op))
    return std::nullopt;
  // The key has no attributes or regions of other operations (the value of a
  // pad, for instance), so that their answers are not remembered.
  if (!isa<linalg::LinalgOp>(op) && !isElementwise(op))
    return hostFallbackOf(op, origins);
  auto [it, isNew] = fallsBack.try_emplace(ComputeChoices::keyOf(op), false);
  if (!isNew && !it->second)
    return std::nullopt;
  std::optional<HostFallback> fallback = hostFallbackOf(op, origins);
  it->second = fallback.has_value();
  return fallback;
}

} // namespace npu
