// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionTraffic.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Placement/Plans/Machines.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// A redistribution, or a tensor.cast that is one; casts of this dialect, which
/// move nothing, are listed as well, unless they are a tile's, and rename a
/// part.
bool isListed(Operation *op) {
  if (op->hasAttr(tileAttrName))
    return false;
  return isa<LayoutChangeOpInterface>(op) || isMovingCast(op);
}

class Collector {
public:
  Collector(FunctionOpInterface function, bool saysWhyNot)
      : saysWhyNot(saysWhyNot) {
    traffic.function = function;
  }

  FailureOr<FunctionTraffic> run() {
    FunctionOpInterface function = traffic.function;
    FailureOr<Machines> machines = machinesOf(function);
    if (failed(machines))
      return failure();
    traffic.machines = *machines;
    bool planned = true;
    function->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { planned &= succeeded(add(op)); });
    if (!planned)
      return failure();
    if (!function.isExternal())
      for (Value argument : function.getArguments())
        if (!argument.use_empty())
          addAtBoundary(argument, /*isLoad=*/true);
    return std::move(traffic);
  }

private:
  LogicalResult add(Operation *op) {
    if (auto transfer = dyn_cast<TransferOp>(op))
      addTransfer(transfer);
    else if (std::optional<HostFallback> fallback = question.of(op))
      addHostFallback(op, *fallback);
    else if (isListed(op))
      return addMove(op);
    else if (isLoadedConstant(op))
      addAtBoundary(op->getResult(0), /*isLoad=*/true);
    else if (op->hasTrait<OpTrait::ReturnLike>() &&
             op->getParentOp() == traffic.function)
      addResults(op);
    return success();
  }

  LogicalResult addMove(Operation *op) {
    auto from = cast<RankedTensorType>(op->getOperand(0).getType());
    auto to = cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<int64_t> bits = elementBits(to.getElementType());
    if (!bits)
      return refuse(op, [&](InFlightDiagnostic &error) {
        error << "expected elements of a known size, got "
              << to.getElementType();
      });
    MoveRow row{op, to, *bits, {}};
    row.ofNothing = origins.isRematerializedAsEmpty(op);
    auto change = dyn_cast<LayoutChangeOpInterface>(op);
    if (!change || change.movesData()) {
      Result<RedistributionPlan> plan =
          planBetween(from, to, paddingOf(op->getResult(0)), traffic.machines);
      if (!plan && !row.ofNothing)
        return refuse(op, [&](InFlightDiagnostic &error) {
          error << plan.error().message;
        });
      if (plan)
        row.plan = std::move(*plan);
      row.relaid = elementsRelaid(from, to);
    }
    if (!row.ofNothing) {
      TrafficTotals &totals = traffic.totals;
      totals.received += row.plan.received.value * *bits;
      totals.injected += row.plan.injected.value * *bits;
      totals.relaid += row.relaid * *bits;
      totals.ddr += row.plan.ddr * *bits;
      addBetweenMachines(row.plan, *bits);
    }
    traffic.moves.push_back(std::move(row));
    return success();
  }

  template <typename Say>
  LogicalResult refuse(Operation *op, Say say) const {
    if (saysWhyNot) {
      InFlightDiagnostic error = op->emitOpError();
      say(error);
    }
    return failure();
  }

  void addBetweenMachines(const RedistributionPlan &plan, int64_t bits) {
    Bounded &total = traffic.totals.betweenMachines;
    total.value += plan.betweenMachines.value * bits;
    total.bound += plan.betweenMachines.bound * bits;
  }

  /// What a load or a store of a value brings from one machine to another.
  void addBetweenMachines(Value value, bool isLoad) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!traffic.machines.areSeveral() || !type || !isDistributed(type))
      return;
    RankedTensorType inDdr = withLayout(type, {});
    Result<RedistributionPlan> plan =
        planBetween(isLoad ? inDdr : type, isLoad ? type : inDdr,
                    paddingOf(value), traffic.machines);
    if (plan)
      addBetweenMachines(*plan,
                         elementBits(type.getElementType()).value_or(64));
  }

  void addHostFallback(Operation *op, const HostFallback &fallback) {
    int64_t bits = fallback.storedBits + fallback.loadedBits;
    if (bits == 0)
      return;
    HostFallbackValues values = hostFallbackValues(op, origins);
    for (Value value : values.stored)
      addBetweenMachines(value, /*isLoad=*/false);
    for (Value value : values.loaded)
      addBetweenMachines(value, /*isLoad=*/true);
    traffic.fallbacks.push_back({op, fallback});
    traffic.totals.fallbacks += bits;
    traffic.totals.ddr += bits;
  }

  void addAtBoundary(Value value, bool isLoad) {
    traffic.totals.boundary += bitsThroughDdr(value);
    traffic.totals.ddr += bitsThroughDdr(value);
    addBetweenMachines(value, isLoad);
  }

  /// Each value once, however many results it is.
  void addResults(Operation *op) {
    llvm::SmallPtrSet<Value, 4> stored;
    for (OpOperand &operand : op->getOpOperands())
      if (isDistributed(operand.get().getType()) &&
          isBroughtToDdr(operand, origins) &&
          stored.insert(operand.get()).second)
        addAtBoundary(operand.get(), /*isLoad=*/false);
  }

  void addTransfer(TransferOp transfer) {
    int64_t bits = transfer.getBox().volume() *
                   elementBits(transfer.getSource().getType().getElementType())
                       .value_or(64);
    TrafficTotals &totals = traffic.totals;
    if (static_cast<int64_t>(transfer.getFrom()) == TransferOp::ddr ||
        llvm::is_contained(transfer.getTo(), TransferOp::ddr)) {
      totals.ddr += bits;
    } else {
      totals.injected += bits;
      totals.received += bits * static_cast<int64_t>(transfer.getTo().size());
    }
    // The program has no boxes that a bound would follow from.
    totals.betweenMachines.value +=
        bits * countCrossings(traffic.machines,
                              static_cast<int64_t>(transfer.getFrom()),
                              transfer.getTo());
    traffic.transfers.push_back(transfer);
  }

  bool saysWhyNot;
  EmptyOrigins origins;
  HostFallbackQuery question{origins};
  FunctionTraffic traffic;
};

} // namespace

FailureOr<FunctionTraffic> trafficOf(FunctionOpInterface function,
                                     bool saysWhyNot) {
  return Collector(function, saysWhyNot).run();
}

} // namespace npu
