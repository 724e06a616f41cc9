// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies that everything that has to move can be planned, by no more
// transfers than a program may have. What cannot is reported here, where the
// operation is known, and not in the middle of a conversion.

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

class PlanVerifier {
public:
  explicit PlanVerifier(Machines machines) : machines(machines) {}

  LogicalResult verify(Operation *op) {
    auto change = dyn_cast<LayoutChangeOpInterface>(op);
    if (change && !change.movesData())
      return success();
    if (change || isTensorCast(op)) {
      RankedTensorType from = rankedType(op->getOperand(0)),
                       to = rankedType(op->getResult(0));
      // An unwritten tensor needs no plan.
      if ((from && to && isSureOf(from, to)) ||
          origins.isRematerializedAsEmpty(op))
        return success();
      return verifyMove(op, op->getOperand(0), from, to,
                        paddingOf(op->getResult(0)));
    }
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      return function.isExternal() ? success()
                                   : verifyLoads(op, function.getArguments());
    if (op->hasTrait<OpTrait::ReturnLike>())
      return isa<FunctionOpInterface>(op->getParentOp())
                 ? verifyStores(op, op->getOperands())
                 : success();
    if (isLoadedConstant(op))
      return verifyLoads(op, op->getResults());
    // Ask for the host fallback only where its loads or stores may fail.
    if ((isSureOfAll(op->getOperandTypes()) &&
         isSureOfAll(op->getResultTypes())) ||
        !question.of(op))
      return success();
    return success(succeeded(verifyStores(op, op->getOperands())) &&
                   succeeded(verifyLoads(op, op->getResults())));
  }

private:
  LogicalResult verifyStores(Operation *op, ValueRange values) {
    for (Value value : values)
      if (RankedTensorType type = rankedType(value))
        if (failed(verifyMove(op, value, type, withLayout(type, {}),
                              paddingOf(value))))
          return failure();
    return success();
  }

  LogicalResult verifyLoads(Operation *op, ValueRange values) {
    for (Value value : values)
      if (RankedTensorType type = rankedType(value))
        if (failed(verifyMove(op, value, withLayout(type, {}), type,
                              paddingOf(value))))
          return failure();
    return success();
  }

  /// Whether all of these can be loaded and stored.
  bool isSureOfAll(TypeRange types) {
    return llvm::all_of(types, [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || !isDistributed(tensor) || isSureOf(tensor, tensor);
    });
  }

  bool isSureOf(RankedTensorType from, RankedTensorType to) {
    SmallVector<const Placement *, 2> placements;
    for (RankedTensorType type : {from, to})
      if (const Placement *placement = getPlacement(type))
        placements.push_back(placement);
    std::span<const Placement *const> sides(placements.data(),
                                            placements.size());
    if (sides.empty() || hasFewBoxes(sides, machines))
      return true;
    auto [it, isNew] = surely.try_emplace({from, to});
    if (isNew)
      it->second = isSurelyPlannable(sides, machines);
    return it->second;
  }

  LogicalResult verifyMove(Operation *op, Value value, RankedTensorType from,
                           RankedTensorType to, const Padding &padding) {
    if (!from || !to || from == to || from.getShape() != to.getShape() ||
        (!getPlacement(from) && !getPlacement(to)))
      return success();
    if (isSureOf(from, to))
      return success();
    Result<RedistributionPlan> plan = planBetween(from, to, padding, machines);
    Result<> outcome = plan ? checkFewTransfers(*plan) : Result<>(plan.error());
    if (outcome)
      return success();
    InFlightDiagnostic error = mlir::emitError(op->getLoc())
                               << "what '" << op->getName() << "' moves of "
                               << nameOf(value) << " from " << nameOfSide(from)
                               << " to " << nameOfSide(to) << " cannot be "
                               << (plan ? "lowered" : "planned") << ": "
                               << outcome.error().message;
    if (isDistributed(from) && isDistributed(to))
      error.attachNote() << "two redistributions can be, by way of DDR or of a "
                            "placement between the two";
    return error;
  }

  static std::string nameOfSide(RankedTensorType type) {
    const Placement *placement = getPlacement(type);
    return placement ? fmt::format("{} tiles", placement->tiles.size()) : "DDR";
  }

  Machines machines;
  EmptyOrigins origins;
  HostFallbackQuery question{origins};
  llvm::DenseMap<std::pair<Type, Type>, bool> surely;
};

} // namespace

LogicalResult verifyPlans(Operation *root) {
  FailureOr<Machines> machines = machinesOf(root);
  if (failed(machines))
    return failure();
  PlanVerifier verifier(*machines);
  // Report only the first error: a model has the same one in every layer.
  return success(!root->walk<WalkOrder::PreOrder>([&](Operation *op) {
                        return WalkResult(verifier.verify(op));
                      })
                      .wasInterrupted());
}

} // namespace npu
