// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitReductions.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Arith/DropPromises.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

/// The padding of partial results, from that of the result: each dimension is
/// one further behind.
Padding ofPartials(Padding padding) {
  for (PaddedRange &padded : padding)
    ++padded.dim;
  return padding;
}

/// The map of an operand in the operation that computes a series: the number of
/// the part is the first loop, and a cut loop runs through one part.
AffineMap mapOfSeries(AffineMap map, const ReductionSplit &split,
                      const PartSeries &series) {
  Builder builder(map.getContext());
  AffineExpr part = builder.getAffineDimExpr(0);
  SmallVector<AffineExpr> loops;
  const PartRange *range = series.ranges.begin();
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
    AffineExpr expr = builder.getAffineDimExpr(loop + 1);
    loops.push_back(split.cutLoops.test(loop)
                        ? series.beginOf(*range++, part) + expr
                        : expr);
  }
  return map.replaceDimsAndSymbols(loops, {}, map.getNumDims() + 1, 0);
}

/// The begin of a cut loop's range in the part that runs, for the body of a
/// generic whose loop 0 counts the parts of a series.
Value beginInBody(OpBuilder &builder, Location loc, const PartSeries &series,
                  const PartRange &range) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value digit = linalg::IndexOp::create(builder, loc, 0);
  if (range.period > 1)
    digit = arith::DivUIOp::create(builder, loc, digit, constant(range.period));
  if (series.hasRemainder(range))
    digit = arith::RemUIOp::create(builder, loc, digit, constant(range.count));
  Value distance =
      arith::MulIOp::create(builder, loc, digit, constant(range.step));
  if (range.begin == 0)
    return distance;
  return arith::AddIOp::create(builder, loc, distance, constant(range.begin));
}

/// Corrects the positions in the body of `generic`: its cut loops run through
/// one part only, behind the loop of the parts.
void countFromParts(linalg::GenericOp generic, const ReductionSplit &split,
                    const PartSeries &series) {
  OpBuilder builder(generic.getContext());
  SmallVector<linalg::IndexOp> indices;
  generic.walk([&](linalg::IndexOp index) { indices.push_back(index); });
  for (linalg::IndexOp index : indices) {
    unsigned loop = index.getDim();
    index.setDim(loop + 1);
    if (!split.cutLoops.test(loop))
      continue;
    unsigned cut = llvm::count_if(split.cutLoops.set_bits(),
                                  [&](unsigned each) { return each < loop; });
    builder.setInsertionPointAfter(index);
    Value begin =
        beginInBody(builder, index.getLoc(), series, series.ranges[cut]);
    auto sum = arith::AddIOp::create(builder, index.getLoc(), begin, index);
    index.getResult().replaceAllUsesExcept(sum, sum);
  }
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
  for (const IterationDomain &part : plan.split.parts)
    for (int64_t loop : loops) {
      ranges.push_back(part.loops[loop].begin);
      ranges.push_back(part.loops[loop].end);
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
  int64_t bytes = movement.bytes(result, plan.combined, rankedType(result));
  bytes += movement.bytes(ofPartials(paddingOf(result)), plan.split.partials,
                          partialsToCombine(plan.split, plan.combined));
  double cost = roundsOf(op->getBlock()) * static_cast<double>(bytes);
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

Value ReductionSplitter::partials(linalg::LinalgOp op, const Plan &plan,
                                  const ReductionSeries &series,
                                  ArrayRef<Value> sources, Value neutral) {
  Location loc = op.getLoc();
  RankedTensorType type = series.type;
  Value empty = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  Value start =
      linalg::FillOp::create(builder, loc, neutral, empty).getResult(0);
  // The maps of operands say where a part begins and not where it ends: an
  // unread operand, of which only the shape counts, gives the extents of cut
  // loops.
  SmallVector<int64_t> window;
  SmallVector<AffineExpr> windowLoops;
  for (auto [loop, range] :
       llvm::zip(plan.split.cutLoops.set_bits(), series.parts.ranges)) {
    window.push_back(range.extent);
    windowLoops.push_back(builder.getAffineDimExpr(loop + 1));
  }
  unsigned loops = op.getNumLoops() + 1;
  SmallVector<Value> inputs(sources.drop_back());
  inputs.push_back(
      tensor::EmptyOp::create(builder, loc, window, builder.getI1Type()));
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(mapOfSeries(map, plan.split, series.parts));
  maps.back() = maps.back().insertResult(builder.getAffineDimExpr(0), 0);
  maps.insert(maps.end() - 1,
              AffineMap::get(loops, 0, windowLoops, builder.getContext()));
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.insert(kinds.begin(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, loc, TypeRange{type},
                                           inputs, start, maps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  Block *body = generic.getBody();
  body->insertArgument(body->getNumArguments() - 1, builder.getI1Type(), loc);
  countFromParts(generic, plan.split, series.parts);
  // A property of the whole sum need not hold of a part.
  dropPromises(generic);
  setPadding(cast<OpResult>(generic.getResult(0)),
             ofPartials(paddingOf(op->getResult(0))));
  return generic.getResult(0);
}

Value ReductionSplitter::combine(Operation *op, const Plan &plan,
                                 Value partials, Value accumulator) {
  // The loop of the parts is the outermost, so that inner loops run through
  // contiguous memory.
  unsigned loops = plan.combined.getRank() + 1;
  AffineMap all = builder.getMultiDimIdentityMap(loops);
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  kinds.front() = utils::IteratorType::reduction;
  // Clone the combiner with the accumulator on the same side.
  Operation *combiner = plan.reduction.combiner;
  auto outputs = cast<linalg::LinalgOp>(op).getRegionOutputArgs();
  auto generic = linalg::GenericOp::create(
      builder, op->getLoc(), TypeRange{plan.combined}, ValueRange{partials},
      ValueRange{accumulator}, ArrayRef<AffineMap>{all, all.dropResult(0)},
      kinds, [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping mapping;
        for (Value operand : combiner->getOperands())
          mapping.map(operand,
                      operand == outputs[0] ? arguments[1] : arguments[0]);
        Operation *copy = body.clone(*combiner, mapping);
        linalg::YieldOp::create(body, loc, copy->getResults());
      });
  dropPromises(generic);
  setPadding(cast<OpResult>(generic.getResult(0)), paddingOf(op->getResult(0)));
  if (plan.reduction.rounds)
    generic->setAttr(splitReductionAttrName, describe(op, plan));
  generic->setOperand(
      0, materializer.materialize(
             partials, partialsToCombine(plan.split, plan.combined), generic));
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
  // All new operations stand between `before` and `op`.
  Operation *before = op->getPrevNode();
  builder.setInsertionPoint(op);
  Value neutral =
      arith::ConstantOp::create(builder, op->getLoc(), plan.reduction.neutral);
  SmallVector<Value> made;
  for (const ReductionSeries &series : plan.split.series)
    made.push_back(
        partials(cast<linalg::LinalgOp>(op), plan, series, sources, neutral));
  Value all = made.front();
  if (made.size() > 1) {
    auto rows = tensor::ConcatOp::create(builder, op->getLoc(),
                                         plan.split.partials, /*dim=*/0, made);
    setPadding(cast<OpResult>(rows.getResult()),
               ofPartials(paddingOf(op->getResult(0))));
    all = rows;
  }
  accumulator = combine(op, plan, all, accumulator);
  Value declared =
      materializer.materialize(accumulator, rankedType(op->getResult(0)), op);
  op->replaceAllUsesWith(ValueRange{declared});
  SmallVector<Operation *> created;
  Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
  for (Operation *each = first; each != op; each = each->getNextNode())
    if (touchesTiles(each))
      created.push_back(each);
  return created;
}

} // namespace npu
