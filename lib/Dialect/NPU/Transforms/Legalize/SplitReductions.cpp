// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitReductions.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/TileProgram/ShiftIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

RankedTensorType tensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// A scalar's partial results are tensors of one element: a layout cannot say
/// that a tile lacks a scalar.
bool isScalar(const ReductionSplitter::Plan &plan) {
  return plan.combined.getRank() == 0;
}

/// Where all tiles that combine read a scalar's partial result.
RankedTensorType readType(const ReductionSplitter::Plan &plan,
                          RankedTensorType partial) {
  if (!isScalar(plan))
    return plan.combined;
  Distribution everywhere;
  everywhere.mode = Mode::Duplicated;
  everywhere.tileCount = getPlacement(plan.combined)->tiles.size();
  return withLayout(partial,
                    makeLayout(partial.getContext(), {everywhere, {}}));
}

} // namespace

void ReductionSplitter::count(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    reductions = 0;
  else if (isReduction(op))
    numbers[op] = reductions++;
}

DictionaryAttr ReductionSplitter::describe(Operation *op, const Plan &plan) {
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto array = [&](StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  };
  SmallVector<int64_t> loops, ranges;
  for (unsigned loop : plan.split.cutLoops.set_bits())
    loops.push_back(loop);
  for (const ReductionSplit::Part &part : plan.split.parts)
    for (int64_t loop : loops) {
      ranges.push_back(part.iterations.loops[loop].begin);
      ranges.push_back(part.iterations.loops[loop].end);
    }
  StringRef name = op->getName().getStringRef();
  return builder.getDictionaryAttr(
      {array("loops", loops), number("number", numbers.lookup(op)),
       builder.getNamedAttr("op", builder.getStringAttr(name)),
       number("parts", plan.split.parts.size()), array("ranges", ranges),
       number("terms", termsOf(op))});
}

double ReductionSplitter::costOf(Operation *op, const Plan &plan) {
  Value result = op->getResult(0);
  double bytes = movement.bytes(result, plan.combined, tensorType(result));
  for (const ReductionSplit::Part &part : plan.split.parts)
    bytes += movement.bytes(result, part.type, readType(plan, part.type));
  double cost = roundsOf(op->getBlock()) * bytes;
  Value init = tiedOutput(op, 0)->get();
  if (init.getType() != plan.combined)
    cost += materializer.cost(init, plan.combined);
  for (const OperandNeed &need : plan.split.needs)
    cost += materializer.cost(op->getOperand(need.operand), need.type);
  return cost;
}

std::optional<ReductionSplitter::Plan>
ReductionSplitter::cheapest(Operation *op) {
  // Most operations are no reductions; what they read takes longer to find.
  std::optional<Reduction> reduction = matchReduction(op);
  if (!reduction)
    return std::nullopt;
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return std::nullopt;
  std::optional<Plan> best;
  for (ReductionSplit &split : reductionSplits(op, *access))
    for (RankedTensorType type : combiningTypes(
             tensorType(op->getResult(0)), int64_t(split.iterations.size()))) {
      Plan plan{*reduction, split, type, 0};
      plan.cost = costOf(op, plan);
      if (!best || plan.cost < best->cost)
        best = std::move(plan);
    }
  return best;
}

Value ReductionSplitter::partial(linalg::LinalgOp op, const Plan &plan,
                                 unsigned part, ArrayRef<Value> sources,
                                 Value neutral) {
  Location loc = op.getLoc();
  const ReductionSplit::Part &made = plan.split.parts[part];
  Value empty = tensor::EmptyOp::create(builder, loc, made.type.getShape(),
                                        made.type.getElementType(),
                                        made.type.getEncoding());
  SmallVector<Value> operands;
  for (auto [map, source] : llvm::zip(op.getIndexingMapsArray(), sources)) {
    RankedTensorType type = tensorType(source);
    RankedTensorType sliced =
        type ? slicedOperand(plan.split, part, type, map) : type;
    if (!type || sliced.getShape() == type.getShape()) {
      operands.push_back(source);
      continue;
    }
    SmallVector<OpFoldResult> offsets, sizes,
        strides(type.getRank(), builder.getIndexAttr(1));
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      bool cut = loop && plan.split.cutLoops.test(loop.getPosition());
      offsets.push_back(builder.getIndexAttr(
          cut ? made.iterations.loops[loop.getPosition()].begin : 0));
      sizes.push_back(builder.getIndexAttr(sliced.getDimSize(dim)));
    }
    operands.push_back(tensor::ExtractSliceOp::create(
        builder, loc, sliced, source, offsets, sizes, strides));
  }
  operands.back() =
      linalg::FillOp::create(builder, loc, neutral, empty).getResult(0);
  Operation *local;
  if (!isScalar(plan)) {
    local = clone(builder, op, TypeRange{made.type}, operands);
    local->removeAttr("linalg.memoized_indexing_maps");
  } else {
    // One more loop, of one round, for the dimension that a scalar lacks.
    unsigned loops = op.getNumLoops();
    SmallVector<AffineMap> maps;
    for (AffineMap map : op.getIndexingMapsArray())
      maps.push_back(map.shiftDims(1, /*offset=*/loops));
    maps.back() = AffineMap::get(loops + 1, 0, builder.getAffineDimExpr(loops));
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    kinds.push_back(utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{made.type},
        ArrayRef<Value>(operands).drop_back(), operands.back(), maps, kinds);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    local = generic;
  }
  shiftIndices(local, made.iterations, builder);
  return local->getResult(0);
}

Value ReductionSplitter::combine(Operation *op, const Plan &plan, Value partial,
                                 Value accumulator) {
  int64_t rank = plan.combined.getRank();
  AffineMap identity =
      builder.getMultiDimIdentityMap(std::max<int64_t>(rank, 1));
  AffineMap into =
      isScalar(plan) ? AffineMap::get(1, 0, builder.getContext()) : identity;
  SmallVector<utils::IteratorType> kinds(
      identity.getNumDims(), isScalar(plan) ? utils::IteratorType::reduction
                                            : utils::IteratorType::parallel);
  // The combiner as it stands, with the accumulator on its side.
  Operation *combiner = plan.reduction.combiner;
  auto outputs = cast<linalg::LinalgOp>(op).getRegionOutputArgs();
  auto generic = linalg::GenericOp::create(
      builder, op->getLoc(), TypeRange{plan.combined}, ValueRange{partial},
      ValueRange{accumulator}, ArrayRef<AffineMap>{identity, into}, kinds,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (Value operand : combiner->getOperands())
          mapping.map(operand,
                      operand == outputs[0] ? arguments[1] : arguments[0]);
        Operation *copy = body.clone(*combiner, mapping);
        linalg::YieldOp::create(body, loc, copy->getResults());
      });
  setPadding(cast<OpResult>(generic.getResult(0)), paddingOf(op->getResult(0)));
  if (plan.reduction.rounds)
    generic->setAttr(splitReductionAttrName, describe(op, plan));
  return generic.getResult(0);
}

SmallVector<Operation *> ReductionSplitter::apply(Operation *op,
                                                  const Plan &plan) {
  SmallVector<Value> sources(op->getOperands());
  for (const OperandNeed &need : plan.split.needs)
    sources[need.operand] =
        materializer.materialize(sources[need.operand], need.type, op);
  Value accumulator =
      materializer.materialize(tiedOutput(op, 0)->get(), plan.combined, op);
  // Everything from here on stands between these two.
  Operation *before = op->getPrevNode();
  builder.setInsertionPoint(op);
  Value neutral =
      arith::ConstantOp::create(builder, op->getLoc(), plan.reduction.neutral);
  for (unsigned part = 0; part < plan.split.parts.size(); ++part) {
    Value made =
        partial(cast<linalg::LinalgOp>(op), plan, part, sources, neutral);
    accumulator = combine(op, plan, made, accumulator);
  }
  Value declared =
      materializer.materialize(accumulator, tensorType(op->getResult(0)), op);
  op->replaceAllUsesWith(ValueRange{declared});
  SmallVector<Operation *> created;
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  for (Operation *each = first; each != op; each = each->getNextNode())
    if (touchesTiles(each))
      created.push_back(each);
  return created;
}

} // namespace npu
