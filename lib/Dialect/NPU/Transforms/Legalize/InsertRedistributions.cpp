// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-insert-redistributions: visits the operations once, in program order, and
// makes each compatible.

#include "npu/Dialect/NPU/Transforms/Legalize/InsertRedistributions.h"

#include "../Reports/FunctionTraffic.h"
#include "../Verify/WhyLeftAlone.h"
#include "Materializer.h"
#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/VerifyDistributions.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Decisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

bool isOnTiles(FunctionOpInterface function) {
  auto visit = [](Operation *op) {
    return WalkResult(failure(touchesTiles(op)));
  };
  return llvm::any_of(function.getArgumentTypes(), isDistributed) ||
         function->walk(visit).wasInterrupted();
}

void remarkTotal(FunctionOpInterface function) {
  auto remark =
      remark::analysis(function.getLoc(), decision("total", function));
  if (!remark)
    return;
  FailureOr<FunctionTraffic> traffic =
      trafficOf(function, /*saysWhyNot=*/false);
  if (failed(traffic)) {
    remark << remark::reason(
        "{0}", StringRef("nobody knows the size of an element that moves"));
    return;
  }
  remark << remark::reason(
      "{0}", StringRef("all that moves, in one round of each loop"));
  auto sum = [&](StringRef name, int64_t bits) {
    remark << remark::metric(name, toBytes(bits, 1));
  };
  const TrafficTotals &totals = traffic->totals;
  sum("bytes_received", totals.received);
  sum("bytes_injected", totals.injected);
  sum("bytes_relaid", totals.relaid);
  if (traffic->machines.areSeveral()) {
    sum("bytes_between_machines", totals.betweenMachines.value);
    sum("bytes_between_machines_bound", totals.betweenMachines.bound);
  }
  sum("ddr_bytes", totals.ddr);
  sum("gathered_bytes", totals.fallbacks);
  sum("boundary_bytes", totals.boundary);
}

/// Remarks the totals of npu-print-transfers for each function in `root` that
/// has a tensor on tiles. Precondition: all moves can be planned.
void remarkTotals(Operation *root) {
  if (!isListeningToDecisions(root->getContext()))
    return;
  root->walk([](FunctionOpInterface function) {
    if (!function.isExternal() && isOnTiles(function))
      remarkTotal(function);
  });
}

/// Splits a reduction so that it runs where its operands are: tiles compute
/// partial results, rows of one tensor, and a reduction over these rows
/// combines them in the order of the parts.
class ReductionSplitter {
public:
  ReductionSplitter(mlir::MLIRContext *context, MovementCache &movement,
                    Materializer &materializer)
      : builder(context), movement(movement), materializer(materializer) {}

  /// Numbers the reductions. To be called with every operation in program
  /// order, so that a split reduction can be found in the original function.
  void count(mlir::Operation *op) { numbers.count(op); }

  struct Plan {
    Reduction reduction;
    ReductionSplit split;
    /// The layout under which partial results are combined; the result is then
    /// moved to the declared one.
    mlir::RankedTensorType combined;
    double cost;
  };

  /// The split that moves at the lowest price, if `op` can be split at all.
  std::optional<Plan> cheapest(mlir::Operation *op);

  /// Builds the split reduction before `op` and replaces the uses of `op`.
  /// Returns the new operations on tiles in program order; the caller erases
  /// `op`.
  llvm::SmallVector<mlir::Operation *> apply(mlir::Operation *op,
                                             const Plan &plan);

private:
  double costOf(mlir::Operation *op, const Plan &plan);

  mlir::OpBuilder builder;
  MovementCache &movement;
  Materializer &materializer;
  ReductionNumbers numbers;
};

double ReductionSplitter::costOf(Operation *op, const Plan &plan) {
  Value result = op->getResult(0);
  auto price = static_cast<double>(
      movement.price(result, plan.combined, rankedType(result)));
  price += static_cast<double>(
      movement.price(paddingOfPartials(paddingOf(result)), plan.split.partials,
                     partialsToCombine(plan.split, plan.combined)));
  double cost = roundsOf(op->getBlock()) * price;
  Value init = tiedOutput(op, 0)->get();
  if (init.getType() != plan.combined)
    cost += materializer.cost(init, plan.combined);
  for (const OperandNeed &need : plan.split.needs)
    cost += materializer.cost(op->getOperand(need.operand), need.type);
  return cost;
}

std::optional<ReductionSplitter::Plan>
ReductionSplitter::cheapest(Operation *op) {
  // Ask first whether the operation is a reduction, because its access takes
  // longer to compute.
  std::optional<Reduction> reduction = matchReduction(op);
  if (!reduction)
    return std::nullopt;
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return std::nullopt;
  std::optional<Plan> best;
  for (ReductionSplit &split : reductionSplits(op, *access))
    for (RankedTensorType type : combiningTypes(
             rankedType(op->getResult(0)), int64_t(split.iterations.size()))) {
      Plan plan{*reduction, split, type, 0};
      plan.cost = costOf(op, plan);
      if (!best || plan.cost < best->cost)
        best = std::move(plan);
    }
  return best;
}

SmallVector<Operation *> ReductionSplitter::apply(Operation *op,
                                                  const Plan &plan) {
  auto structured = cast<linalg::LinalgOp>(op);
  SmallVector<Value> sources(op->getOperands());
  for (const OperandNeed &need : plan.split.needs)
    sources[need.operand] =
        materializer.materialize(sources[need.operand], need.type, op);
  Value accumulator =
      materializer.materialize(tiedOutput(op, 0)->get(), plan.combined, op);
  // All new operations stand between `before` and `op`.
  Operation *before = op->getPrevNode();
  builder.setInsertionPoint(op);
  SplitReductionBuilder parts(builder, structured, plan.reduction, plan.split);
  Value made = parts.partials(ArrayRef<Value>(sources).drop_back());
  linalg::GenericOp sum = parts.combine(made, accumulator, numbers.of(op));
  // Moves all partial results to where they are combined.
  sum->setOperand(0,
                  materializer.materialize(
                      made, partialsToCombine(plan.split, plan.combined), sum));
  Value declared = materializer.materialize(sum.getResult(0),
                                            rankedType(op->getResult(0)), op);
  op->replaceAllUsesWith(ValueRange{declared});
  SmallVector<Operation *> created;
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  for (Operation *each = first; each != op; each = each->getNextNode())
    if (touchesTiles(each))
      created.push_back(each);
  return created;
}

} // namespace

#define GEN_PASS_DEF_INSERTREDISTRIBUTIONS
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h.inc"

namespace {

class Inserter {
public:
  Inserter(MLIRContext *context, bool splitReductions)
      : splitReductions(splitReductions), choices(movement),
        log(context, movement), materializer(context, movement, choices, log),
        splitter(context, movement, materializer), builder(context) {}

  LogicalResult run(Operation *root) {
    FailureOr<SmallVector<Operation *>> onTiles = survey(root);
    if (failed(onTiles) || failed(setPrice(root)))
      return failure();
    for (Operation *op : *onTiles)
      repair(op);
    for (Operation *op : replaced)
      op->erase();
    materializer.eraseDead();
    mergeWithNeighbours();
    log.emitRemarks();
    return success();
  }

private:
  /// Looks at every operation once, before any of them changes: in a large
  /// function each visit is a miss of the processor's caches. Returns the
  /// operations that touch tiles; an error where a layout does not fit.
  FailureOr<SmallVector<Operation *>> survey(Operation *root) {
    SmallVector<Operation *> onTiles;
    bool layoutsFit = true, hasPadding = false;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      layoutsFit &= succeeded(verifyOwnLayoutsFit(op));
      hasPadding = hasPadding || hasPaddingAttr(op);
      splitter.count(op);
      if (touchesTiles(op))
        onTiles.push_back(op);
    });
    if (!layoutsFit)
      return failure();
    movement.setHasPadding(hasPadding);
    return onTiles;
  }

  /// Between several machines, what moves costs the time that the links take:
  /// bytes within a machine and from one to another do not compare.
  LogicalResult setPrice(Operation *root) {
    FailureOr<Machines> machines = machinesOf(root);
    if (failed(machines) || !machines->areSeveral())
      return machines;
    FailureOr<std::optional<Target>> described = describedTarget(root);
    if (failed(described))
      return failure();
    movement.setPrice(
        [target = **described](RankedTensorType from, RankedTensorType to,
                               std::span<const PaddedRange> padding) {
          return movementCost(from, to, padding, target).cycles;
        },
        "cycles");
    return success();
  }

  void repair(Operation *op) {
    if (auto cast = dyn_cast<PermuteCastOp>(op))
      return repairCast(cast);
    if (isTensorCast(op))
      return repairTensorCast(op);
    if (isa<CallOpInterface>(op))
      return log.leaveAlone(op, [] { return calleeDecides.str(); });
    if (agreesByItself(op) || needsNoData(op))
      return;
    repairUse(op);
  }

  /// Gives a cast the type of its memory, and brings the declared type after
  /// it.
  void repairCast(PermuteCastOp cast) {
    RankedTensorType declared = cast.getResult().getType();
    RankedTensorType expected = movement.expectedType(cast);
    Relation relation = movement.relation(expected, declared);
    if (relation == Relation::Identical) {
      log.leaveAlone(cast, [] {
        return "both sides of the permute_cast describe the same boxes in the "
               "same words";
      });
      return;
    }
    restore(llvm::cast<OpResult>(cast.getResult()), expected, [&] {
      switch (relation) {
      case Relation::SameMemory:
        return fmt::format("every tile holds the same boxes on both sides of "
                           "the permute_cast, only the label differs: {} "
                           "becomes {}",
                           nameOfLayout(expected), nameOfLayout(declared));
      case Relation::Contained:
        return std::string("every tile holds what the result of the "
                           "permute_cast declares, and more");
      default:
        return fmt::format("tiles do not hold what the result of the "
                           "permute_cast declares: {} becomes {}",
                           nameOfLayout(expected), nameOfLayout(declared));
      }
    });
  }

  /// Gives `result` the type `made`, and its users the declared type.
  template <typename Reason>
  void restore(OpResult result, RankedTensorType made, Reason reason) {
    RankedTensorType declared = rankedType(result);
    Operation *op = result.getOwner();
    if (Operation *restored = materializer.restoreType(result, made))
      log.make(nameOf(movement.relation(made, declared)), op, restored, reason);
    else
      log.note("relabel", op, nullptr, [&] {
        return fmt::format("nobody uses result #{}, and it is declared as {}",
                           result.getResultNumber(), nameOfLayout(made));
      });
  }

  /// Repairs a tensor.cast between layouts, as which upstream's patterns write
  /// a change of layout.
  void repairTensorCast(Operation *op) {
    Value source = op->getOperand(0);
    Type type = op->getResult(0).getType();
    auto from = dyn_cast<RankedTensorType>(source.getType());
    auto to = dyn_cast<RankedTensorType>(type);
    if (from && to && from.getEncoding() == to.getEncoding())
      return;
    // A side of dynamic shape or without rank is in DDR: the change of the
    // shape comes before a load or after a store.
    builder.setInsertionPoint(op);
    bool toTiles = to && isDistributed(to);
    RankedTensorType moved = toTiles ? to : withLayout(from, getLayout(type));
    if (toTiles && (!from || from.getShape() != to.getShape()))
      source = tensor::CastOp::create(
          builder, op->getLoc(), withLayout(to, getLayout(source.getType())),
          source);
    Value result = materializer.materialize(source, moved, op);
    if (result.getType() != type) {
      builder.setInsertionPoint(op);
      result = tensor::CastOp::create(builder, op->getLoc(), type, result);
    }
    op->getResult(0).replaceAllUsesWith(result);
    replaced.push_back(op);
  }

  void repairUse(Operation *op) {
    const std::vector<ComputeChoice> &all = choices.of(op);
    if (all.empty()) {
      if (hostFallbackOf(op))
        log.leaveAlone(op, [&] { return whyNoTileDoes(op); });
      return;
    }
    if (all.size() == 1 && all[0].needs.empty() && all[0].resultBytes == 0) {
      log.leaveAlone(op, [] { return "every tile holds what it reads"; });
      return;
    }
    const auto &[choice, cost] = cheapest(op, all);
    if (combinePartialResults(op, cost))
      return;
    apply(op, choice);
  }

  /// The cheapest choice and its cost.
  std::pair<const ComputeChoice &, double>
  cheapest(Operation *op, const std::vector<ComputeChoice> &all) {
    size_t best = 0;
    double bestCost = 0;
    for (auto [i, choice] : llvm::enumerate(all)) {
      double cost = roundsOf(op->getBlock()) * choice.resultPrice;
      for (auto [value, type] : valuesNeeded(op, choice))
        cost += materializer.cost(value, type);
      if (i == 0 || cost < bestCost) {
        best = i;
        bestCost = cost;
      }
    }
    return {all[best], bestCost};
  }

  /// Runs a reduction where its operands are, if what that moves costs less
  /// than `costWhole`. Returns whether it does.
  bool combinePartialResults(Operation *op, double costWhole) {
    if (!splitReductions || costWhole == 0)
      return false;
    std::optional<ReductionSplitter::Plan> plan = splitter.cheapest(op);
    if (!plan || plan->cost >= costWhole)
      return false;
    // The moves are redistributions that have remarks of their own.
    log.note("split-reduction", op, nullptr, [&] {
      return fmt::format("'{}' makes {} partial results where its operands "
                         "lie, combined as {}, for {} {}; bringing the "
                         "operands together would move {} {}{}",
                         op->getName().getStringRef().str(),
                         plan->split.parts.size(), nameOfLayout(plan->combined),
                         int64_t(plan->cost), movement.unit().str(),
                         int64_t(costWhole), movement.unit().str(),
                         roundingInParts(op, plan->reduction));
    });
    for (Operation *made : splitter.apply(op, *plan))
      repair(made);
    replaced.push_back(op);
    return true;
  }

  void apply(Operation *op, const ComputeChoice &choice) {
    for (const OperandNeed &need : choice.needs) {
      Value operand = op->getOperand(need.operand);
      op->setOperand(
          need.operand,
          need.unread ? materializer.materializeUnread(operand, need.type, op)
                      : materializer.materialize(operand, need.type, op));
    }
    for (OpResult result : op->getResults()) {
      RankedTensorType made = choice.resultTypes[result.getResultNumber()];
      RankedTensorType declared = rankedType(result);
      if (made == declared)
        continue;
      restore(result, made, [&] {
        if (!isDistributed(made))
          return fmt::format("result #{} is made in DDR and loaded as {}",
                             result.getResultNumber(), nameOfLayout(declared));
        if (!isDistributed(declared))
          return fmt::format("tiles compute result #{} as {}, and it is stored",
                             result.getResultNumber(), nameOfLayout(made));
        return fmt::format("tiles compute result #{} as {}, and its users get "
                           "{}",
                           result.getResultNumber(), nameOfLayout(made),
                           nameOfLayout(declared));
      });
    }
  }

  /// Merges inserted operations with adjacent redistributions of the input, so
  /// that data is moved once. All other operations stay as they are.
  void mergeWithNeighbours() {
    llvm::SmallSetVector<Operation *, 8> meeting;
    // Include the first operation, which is dead after merging.
    auto meet = [&](Operation *first, Operation *second) {
      meeting.insert(first);
      meeting.insert(second);
      log.meet(first, second);
    };
    for (Operation *op : materializer.inserted()) {
      Operation *before = op->getOperand(0).getDefiningOp();
      if (keepsIndices(before) && before->hasOneUse())
        meet(before, op);
      if (op->hasOneUse() && keepsIndices(*op->user_begin()))
        meet(op, *op->user_begin());
    }
    if (meeting.empty())
      return;
    MLIRContext *context = builder.getContext();
    RewritePatternSet patterns(context);
    DistributionCastOp::getCanonicalizationPatterns(patterns, context);
    RedistributeOp::getCanonicalizationPatterns(patterns, context);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (log.isListening())
      config.setListener(&log);
    (void)applyOpPatternsGreedily(meeting.getArrayRef(), std::move(patterns),
                                  config);
  }

  bool splitReductions;
  MovementCache movement;
  ComputeChoices choices;
  DecisionLog log;
  Materializer materializer;
  ReductionSplitter splitter;
  OpBuilder builder;
  SmallVector<Operation *> replaced;
};

struct InsertRedistributionsPass
    : impl::InsertRedistributionsBase<InsertRedistributionsPass> {
  using InsertRedistributionsBase::InsertRedistributionsBase;

  void runOnOperation() override {
    if (failed(insertRedistributions(getOperation(), splitReductions)) ||
        failed(reportHostFallbacks(getOperation(), gather)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult insertRedistributions(Operation *root, bool splitReductions) {
  if (failed(Inserter(root->getContext(), splitReductions).run(root)) ||
      failed(verifyPlans(root)))
    return failure();
  remarkTotals(root);
  return success();
}

} // namespace npu
