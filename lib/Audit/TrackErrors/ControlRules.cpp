// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and branches hand pairs on. Where an error may decide which way a
// program takes, nothing bounds what comes out.

#include "Tracker.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {

bool Tracker::trackControl(Operation *op) {
  if (isa<scf::ForOp>(op))
    trackFor(op);
  else if (isa<scf::IfOp>(op))
    trackIf(op);
  else if (isa<scf::WhileOp>(op))
    trackWhile(op);
  else
    return false;
  return true;
}

void Tracker::trackFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<Value> inits = expand(loop.getInitArgs(), /*withMass=*/false);
  auto copy = scf::ForOp::create(
      builder, loop.getLoc(), own(loop.getLowerBound()),
      own(loop.getUpperBound()), own(loop.getStep()), inits,
      [&](OpBuilder &inner, Location loc, Value index, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        copies.map(loop.getInductionVar(), index);
        bind(loop.getRegionIterArgs(), arguments, /*withMass=*/false);
        trackBlock(*loop.getBody());
        scf::YieldOp::create(
            builder, loc,
            expand(loop.getBody()->getTerminator()->getOperands(),
                   /*withMass=*/false));
      });
  bind(loop.getResults(), copy.getResults(), /*withMass=*/false);
  unboundWhere(op, totalError({loop.getLowerBound(), loop.getUpperBound(),
                               loop.getStep()}));
}

void Tracker::trackIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Type> types = expand(branch.getResultTypes(), /*withMass=*/false);
  auto copy =
      scf::IfOp::create(builder, op->getLoc(), types,
                        own(branch.getCondition()), /*addThenBlock=*/true,
                        /*addElseBlock=*/!branch.getElseRegion().empty());
  auto fill = [&](Region &from, Region &to) {
    if (from.empty())
      return;
    Block *block = &to.front();
    if (block->mightHaveTerminator())
      block->getTerminator()->erase();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    trackBlock(from.front());
    scf::YieldOp::create(builder, op->getLoc(),
                         expand(from.front().getTerminator()->getOperands(),
                                /*withMass=*/false));
  };
  fill(branch.getThenRegion(), copy.getThenRegion());
  fill(branch.getElseRegion(), copy.getElseRegion());
  bind(branch.getResults(), copy.getResults(), /*withMass=*/false);
  unboundWhere(op, totalError(branch.getCondition()));
}

void Tracker::trackWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Location loc = op->getLoc();
  // Whether any condition on the way was open is one more value of the loop.
  Arithmetic64 f(builder, loc);
  SmallVector<Value> inits = expand(loop.getInits(), /*withMass=*/false);
  inits.push_back(f.constant(0));
  SmallVector<Type> types = expand(loop.getResultTypes(), /*withMass=*/false);
  types.push_back(builder.getF64Type());
  auto copy = scf::WhileOp::create(
      builder, loc, types, inits,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        bind(loop.getBeforeArguments(), arguments.drop_back(),
             /*withMass=*/false);
        trackBlock(*loop.getBeforeBody());
        scf::ConditionOp condition = loop.getConditionOp();
        SmallVector<Value> handed =
            expand(condition.getArgs(), /*withMass=*/false);
        Value open = errorOf(condition.getCondition());
        handed.push_back(
            Arithmetic64(builder, at).addBounds(arguments.back(), open));
        scf::ConditionOp::create(builder, at, own(condition.getCondition()),
                                 handed);
      },
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(inner.saveInsertionPoint());
        bind(loop.getAfterArguments(), arguments.drop_back(),
             /*withMass=*/false);
        trackBlock(*loop.getAfterBody());
        SmallVector<Value> handed =
            expand(loop.getYieldOp().getOperands(), /*withMass=*/false);
        handed.push_back(arguments.back());
        scf::YieldOp::create(builder, at, handed);
      });
  bind(loop.getResults(), copy.getResults().drop_back(), /*withMass=*/false);
  unboundWhere(op, copy.getResults().back());
}

} // namespace npu
