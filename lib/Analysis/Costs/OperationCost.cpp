// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EngineWork.h"
#include "VectorWork.h"
#include "npu/Analysis/Choices/TileIterations.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"
#include "npu/Target/Count.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether the result of `op` is made where it is used (nothing, one value) or
/// lies there already (a constant, whose loads are movements).
bool isMadeOfNothing(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return needsNoData(op) && dataNeedOf(op->getResult(0)) != DataNeed::Positions;
}

/// Whether `op` is work of its own: not a view, a movement, control flow, a
/// call, or of scalars.
bool isWork(Operation *op) {
  if (!llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  if (isa<PermuteCastOp, DistributionCastOp, RedistributeOp, TransferOp,
          CallOpInterface, RegionBranchOpInterface, FunctionOpInterface>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return !isView(op) && !isMadeOfNothing(op);
}

/// Whether `op` becomes structured operations on the same layouts.
bool isStructuredOnTiles(Operation *op) {
  auto form = modelOf<StructuredFormOpInterface>(op);
  return form && form.hasStructuredForm() && form.keepsLayouts();
}

/// The iterations by which tiles do their parts of `op`; nothing where they
/// cannot, as hostFallbackOf answers it for the types that an operation has.
std::optional<TileIterations> partsOf(Operation *op, const OpAccess *access,
                                      TypeRange resultTypes) {
  if (!access || !llvm::all_of(resultTypes, isDistributed))
    return std::nullopt;
  auto model = modelOf<PartwiseOpInterface>(op);
  if (!model || (model.whyNotCut() && !isStructuredOnTiles(op)))
    return std::nullopt;
  TileIterations parts = iterationsForMemory(*access, resultTypes);
  if (findOverrun(*access, op, parts, resultTypes))
    return std::nullopt;
  return parts;
}

/// The bytes of a tensor; a dynamic extent counts as 1.
int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  Count bits{elementBits(tensor.getElementType()).value_or(64)};
  for (int64_t extent : tensor.getShape())
    bits *= Count{ShapedType::isDynamic(extent) ? 1 : extent};
  return dividedUp(bits, 8).value;
}

ModelledCost costInDdr(Operation *op, TypeRange resultTypes,
                       const CostFigures &figures) {
  Count bytes{0};
  if (std::optional<unsigned> elements = elementOperandOf(op))
    bytes = {bytesOf(op->getOperand(*elements).getType())};
  else
    for (Type type : resultTypes)
      bytes += Count{bytesOf(type)};
  return {transferCycles(figures, Direction::DdrToDdr, bytes.value), 0,
          bytes.value};
}

} // namespace

ModelledCost operationCost(Operation *op, const OpAccess *access,
                           TypeRange resultTypes, const Target &target) {
  const CostFigures &figures = target.costs;
  if (!isWork(op))
    return {};
  std::optional<TileIterations> parts = partsOf(op, access, resultTypes);
  if (!parts)
    return costInDdr(op, resultTypes, figures);
  std::optional<EngineWork> engine = findEngineWork(op, *access);
  VectorBody body = engine ? VectorBody() : vectorBodyOf(op);
  int64_t bits = widestElementOf(op);
  auto resultType = cast<RankedTensorType>(resultTypes[0]);
  ModelledCost cost;
  for (auto [tile, iteration] : llvm::enumerate(*parts)) {
    int64_t cycles =
        engine ? engineCycles(*engine, *access, iteration, resultType, figures)
               : vectorCycles(figures, body, elementsOf(op, *access, iteration),
                              bits);
    if (cycles > cost.cycles)
      cost = {cycles, static_cast<int64_t>(tile), 0};
  }
  return cost;
}

} // namespace npu
