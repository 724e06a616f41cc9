// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches hand pairs on. Where an error may decide which way a
// program takes, nothing bounds what comes out.

#include "Tracker.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {
namespace {

void trackFor(Tracker &tracker, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Value> inits =
      tracker.expand(loop.getInitArgs(), /*withMass=*/false);
  auto copy = scf::ForOp::create(
      tracker.builder, loop.getLoc(), tracker.own(loop.getLowerBound()),
      tracker.own(loop.getUpperBound()), tracker.own(loop.getStep()), inits,
      [&](OpBuilder &inner, Location loc, Value index, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(tracker.builder);
        tracker.builder.restoreInsertionPoint(inner.saveInsertionPoint());
        tracker.setCopy(loop.getInductionVar(), index);
        tracker.bind(loop.getRegionIterArgs(), arguments, /*withMass=*/false);
        tracker.trackBlock(*loop.getBody());
        scf::YieldOp::create(
            tracker.builder, loc,
            tracker.expand(loop.getBody()->getTerminator()->getOperands(),
                           /*withMass=*/false));
      });
  tracker.bind(loop.getResults(), copy.getResults(), /*withMass=*/false);
  tracker.unboundWhere(
      op, tracker.totalError(
              {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}));
}

void trackIf(Tracker &tracker, Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Type> types =
      tracker.expand(branch.getResultTypes(), /*withMass=*/false);
  auto copy = scf::IfOp::create(
      tracker.builder, op->getLoc(), types, tracker.own(branch.getCondition()),
      /*addThenBlock=*/true,
      /*addElseBlock=*/!branch.getElseRegion().empty());
  auto fill = [&](Region &from, Region &to) {
    if (from.empty())
      return;
    Block *block = &to.front();
    if (block->mightHaveTerminator())
      block->getTerminator()->erase();
    OpBuilder::InsertionGuard guard(tracker.builder);
    tracker.builder.setInsertionPointToEnd(block);
    tracker.trackBlock(from.front());
    scf::YieldOp::create(
        tracker.builder, op->getLoc(),
        tracker.expand(from.front().getTerminator()->getOperands(),
                       /*withMass=*/false));
  };
  fill(branch.getThenRegion(), copy.getThenRegion());
  fill(branch.getElseRegion(), copy.getElseRegion());
  tracker.bind(branch.getResults(), copy.getResults(), /*withMass=*/false);
  tracker.unboundWhere(op, tracker.totalError(branch.getCondition()));
}

void trackWhile(Tracker &tracker, Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Location loc = op->getLoc();
  // Whether any condition on the way was open is one more value of the loop.
  Arithmetic64 f(tracker.builder, loc);
  SmallVector<Value> inits =
      tracker.expand(loop.getInits(), /*withMass=*/false);
  inits.push_back(f.constant(0));
  SmallVector<Type> types =
      tracker.expand(loop.getResultTypes(), /*withMass=*/false);
  types.push_back(tracker.builder.getF64Type());
  auto copy = scf::WhileOp::create(
      tracker.builder, loc, types, inits,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(tracker.builder);
        tracker.builder.restoreInsertionPoint(inner.saveInsertionPoint());
        tracker.bind(loop.getBeforeArguments(), arguments.drop_back(),
                     /*withMass=*/false);
        tracker.trackBlock(*loop.getBeforeBody());
        scf::ConditionOp condition = loop.getConditionOp();
        SmallVector<Value> handed =
            tracker.expand(condition.getArgs(), /*withMass=*/false);
        Value open = tracker.errorOf(condition.getCondition());
        handed.push_back(Arithmetic64(tracker.builder, at)
                             .addBounds(arguments.back(), open));
        scf::ConditionOp::create(tracker.builder, at,
                                 tracker.own(condition.getCondition()), handed);
      },
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(tracker.builder);
        tracker.builder.restoreInsertionPoint(inner.saveInsertionPoint());
        tracker.bind(loop.getAfterArguments(), arguments.drop_back(),
                     /*withMass=*/false);
        tracker.trackBlock(*loop.getAfterBody());
        SmallVector<Value> handed =
            tracker.expand(loop.getYieldOp().getOperands(), /*withMass=*/false);
        handed.push_back(arguments.back());
        scf::YieldOp::create(tracker.builder, at, handed);
      });
  tracker.bind(loop.getResults(), copy.getResults().drop_back(),
               /*withMass=*/false);
  tracker.unboundWhere(op, copy.getResults().back());
}

} // namespace

bool trackControl(Tracker &tracker, Operation *op) {
  if (isa<scf::ForOp>(op))
    trackFor(tracker, op);
  else if (isa<scf::IfOp>(op))
    trackIf(tracker, op);
  else if (isa<scf::WhileOp>(op))
    trackWhile(tracker, op);
  else
    return false;
  return true;
}

} // namespace npu
