// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Choices/BuildSplitReduction.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Arith/DropPromises.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

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
/// one part only, after the loop of the parts.
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

Padding paddingOfPartials(Padding padding) {
  for (PaddedRange &padded : padding)
    ++padded.dim;
  return padding;
}

llvm::SmallBitVector loopsOfParts(linalg::LinalgOp op) {
  llvm::SmallBitVector cut(op.getNumLoops());
  if (!isa<linalg::GenericOp>(op) || op.getNumDpsInputs() == 0 ||
      op.getNumDpsInits() != 1)
    return cut;
  // What gives the extents of the cut loops: nobody reads it.
  OpOperand *window = op.getDpsInputOperands().back();
  auto type = dyn_cast<RankedTensorType>(window->get().getType());
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!type || !type.getElementType().isInteger(1) ||
      op.payloadUsesValueFromOperand(window) || result.getNumResults() == 0 ||
      result.getResult(0) != getAffineDimExpr(0, op.getContext()))
    return cut;
  for (AffineExpr position : op.getMatchingIndexingMap(window).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(position);
    if (!loop || result.isFunctionOfDim(loop.getPosition()))
      return llvm::SmallBitVector(op.getNumLoops());
    cut.set(loop.getPosition());
  }
  return cut;
}

void ReductionNumbers::count(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    reductions = 0;
  else if (isReduction(op))
    numbers[op] = reductions++;
}

DictionaryAttr SplitReductionBuilder::describe(int64_t number) {
  auto entry = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  auto array = [&](StringRef name, ArrayRef<int64_t> values) {
    return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(values));
  };
  SmallVector<int64_t> loops, ranges;
  for (unsigned loop : split.cutLoops.set_bits())
    loops.push_back(loop);
  for (const IterationDomain &part : split.parts)
    for (int64_t loop : loops) {
      ranges.push_back(part.loops[loop].begin);
      ranges.push_back(part.loops[loop].end);
    }
  StringRef name = op->getName().getStringRef();
  return builder.getDictionaryAttr(
      {array("loops", loops), entry("number", number),
       builder.getNamedAttr("op", builder.getStringAttr(name)),
       entry("parts", split.parts.size()), array("ranges", ranges),
       entry("terms", termsOf(op))});
}

Value SplitReductionBuilder::ofSeries(const ReductionSeries &series,
                                      ValueRange inputs, Value neutral) {
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
       llvm::zip(split.cutLoops.set_bits(), series.parts.ranges)) {
    window.push_back(range.extent);
    windowLoops.push_back(builder.getAffineDimExpr(loop + 1));
  }
  unsigned loops = op.getNumLoops() + 1;
  SmallVector<Value> operands(inputs);
  operands.push_back(
      tensor::EmptyOp::create(builder, loc, window, builder.getI1Type()));
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(mapOfSeries(map, split, series.parts));
  maps.back() = maps.back().insertResult(builder.getAffineDimExpr(0), 0);
  maps.insert(maps.end() - 1,
              AffineMap::get(loops, 0, windowLoops, builder.getContext()));
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.insert(kinds.begin(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, loc, TypeRange{type},
                                           operands, start, maps, kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
  Block *body = generic.getBody();
  body->insertArgument(body->getNumArguments() - 1, builder.getI1Type(), loc);
  countFromParts(generic, split, series.parts);
  // A property of the whole sum need not hold of a part.
  dropPromises(generic);
  setPadding(cast<OpResult>(generic.getResult(0)),
             paddingOfPartials(paddingOf(op->getResult(0))));
  return generic.getResult(0);
}

Value SplitReductionBuilder::partials(ValueRange inputs) {
  Value neutral =
      arith::ConstantOp::create(builder, op.getLoc(), reduction.neutral);
  SmallVector<Value> made;
  for (const ReductionSeries &series : split.series)
    made.push_back(ofSeries(series, inputs, neutral));
  if (made.size() == 1)
    return made.front();
  auto rows = tensor::ConcatOp::create(builder, op.getLoc(), split.partials,
                                       /*dim=*/0, made);
  setPadding(cast<OpResult>(rows.getResult()),
             paddingOfPartials(paddingOf(op->getResult(0))));
  return rows;
}

linalg::GenericOp SplitReductionBuilder::combine(Value rows, Value accumulator,
                                                 int64_t number) {
  // The loop of the parts is the outermost, so that inner loops run through
  // contiguous memory.
  auto combined = cast<RankedTensorType>(accumulator.getType());
  unsigned loops = combined.getRank() + 1;
  AffineMap all = builder.getMultiDimIdentityMap(loops);
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  kinds.front() = utils::IteratorType::reduction;
  // Clone the combiner with the accumulator on the same side.
  Operation *combiner = reduction.combiner;
  auto outputs = op.getRegionOutputArgs();
  auto generic = linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange{combined}, ValueRange{rows},
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
  if (reduction.rounds)
    generic->setAttr(splitReductionAttrName, describe(number));
  return generic;
}

} // namespace npu
