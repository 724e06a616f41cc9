// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors: slices, splits, reversed sequences, triangles.

#include "../Build/NumberBounds.h"
#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// What a slice takes of one dimension; `first` is the lowest position, also
/// where the step is negative.
struct DimSlice {
  Number first, size;
  int64_t step = 1;
};

/// A bound that counts from the end where it is negative, moved into
/// `lowest .. highest`; null where it is not known at which end it counts.
Number moved(Numbers &numbers, Number bound, Number extent, Number lowest,
             Number highest) {
  // Exporters write bounds that no dimension has.
  if (std::optional<int64_t> constant = getConstantIntValue(bound)) {
    if (*constant >= std::numeric_limits<int32_t>::max())
      return highest;
    if (*constant <= std::numeric_limits<int32_t>::min())
      return lowest;
  }
  if (numbers.ensureAtMost(bound, -1))
    bound = numbers.add(bound, extent);
  else if (!numbers.ensureAtLeast(bound, 0))
    return {};
  return numbers.max(numbers.min(bound, highest), lowest);
}

/// The standard's rules: negative bounds count from the end, then bounds are
/// moved into the dimension; backwards, only the end may be before its first
/// entry, so that x[-9::-1] of three entries has the first one.
DimSlice sliceOf(Numbers numbers, Number extent, Number start, Number end,
                 int64_t step) {
  step = std::clamp(step, -kMostElements, kMostElements);
  Number zero = numbers.constant(0), one = numbers.constant(1),
         none = numbers.constant(-1), last = numbers.sub(extent, one);
  bool isForward = step > 0;
  start = isForward ? moved(numbers, start, extent, zero, extent)
                    : moved(numbers, start, extent, none, last);
  // Where the last entry is the first one that is taken, no run needs to know
  // whether there is one.
  if (!isForward && start && boundsOf(start).least.value_or(-1) < 0)
    start = numbers.max(start, numbers.min(zero, last));
  end = isForward ? moved(numbers, end, extent, zero, extent)
                  : moved(numbers, end, extent, none, last);
  Number entries =
      isForward ? numbers.sub(end, start) : numbers.sub(start, end);
  Number size = numbers.ceilDiv(numbers.max(entries, zero),
                                numbers.constant(std::abs(step)));
  if (!size)
    return {};
  if (getConstantIntValue(size) == 0)
    return {zero, size, 1};
  if (isForward)
    return {start, size, step};
  Number reach = numbers.mul(numbers.sub(size, one), numbers.constant(step));
  return {numbers.add(start, reach), size, step};
}

/// The slices of all dimensions, some of which are reversed after.
Value sliceAndReverse(NodeImport &node, ArrayRef<DimSlice> slices) {
  TensorBuilder &build = node.build;
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder::Sizes offsets, sizes;
  SmallVector<int64_t> steps, reversed;
  bool isEmpty = false;
  for (auto [dim, slice] : llvm::enumerate(slices)) {
    offsets.push_back(slice.first);
    sizes.push_back(slice.size);
    steps.push_back(std::abs(slice.step));
    std::optional<int64_t> size = getConstantIntValue(slice.size);
    isEmpty |= size == 0;
    if (slice.step < 0 && size.value_or(2) > 1)
      reversed.push_back(static_cast<int64_t>(dim));
  }
  if (isEmpty)
    return build.empty(sizes, operand.elementType());
  Value part = build.sliceAt(operand.value, offsets, sizes, steps);
  return reversed.empty() ? part : build.reverse(part, reversed);
}

/// The slices that take all of a tensor.
SmallVector<DimSlice> wholeOf(NodeImport &node) {
  SmallVector<DimSlice> slices;
  for (Number extent : node.build.sizes(node.operand(0).value))
    slices.push_back({node.build.builder.getIndexAttr(0), extent, 1});
  return slices;
}

/// A slice whose bounds are values of run time, with a result of the shape that
/// the model declares: a part of that shape which begins where operand 1 says,
/// moved so that it is inside of the operand.
LogicalResult sliceAtRunTime(NodeImport &node, ArrayRef<int64_t> dims,
                             ArrayRef<int64_t> steps,
                             ArrayRef<int64_t> declared) {
  const OnnxTensor &operand = node.operand(0), &starts = node.operand(1);
  TensorBuilder &build = node.build;
  if (!operand.type().hasStaticShape())
    return node.error() << "expected a static shape, got "
                        << NodeImport::describe(operand);
  ScalarBuilder s(build.builder, node.loc, starts.element);
  SmallVector<int64_t> sizes(operand.shape()), ones(operand.rank(), 1),
      reversed;
  TensorBuilder::Sizes offsets =
      build.sizes(SmallVector<int64_t>(operand.rank(), 0));
  TensorBuilder::Sizes stepSizes = build.sizes(ones);
  for (auto [number, dim, step] : llvm::enumerate(dims, steps)) {
    int64_t extent = operand.shape()[dim], size = declared[dim];
    int64_t stride = std::min(std::abs(step), kMostElements), reach = 0;
    if (size > extent || llvm::MulOverflow(size - 1, stride, reach) ||
        reach >= std::max<int64_t>(extent, 1))
      return node.error() << "the declared extent " << size << " of dimension "
                          << dim << " does not fit " << extent
                          << " entries with a step of " << step;
    sizes[dim] = size;
    stepSizes[dim] = build.builder.getIndexAttr(stride);
    if (step < 0)
      reversed.push_back(dim);
    if (size == 0)
      continue;
    Value at = s.toIndex(TensorBuilder::read(
        s, starts.value, indexConstant(s, static_cast<int64_t>(number))));
    at = countedFromEnd(s, at, indexConstant(s, extent));
    if (step < 0)
      at = s.create<arith::SubIOp>(at, indexConstant(s, reach));
    offsets[dim] = clamped(s, at, indexConstant(s, 0),
                           indexConstant(s, extent - 1 - reach));
  }
  node.remark() << "its bounds are values of run time; the extents of its "
                   "result are taken to be the declared ones";
  if (llvm::is_contained(sizes, 0))
    return node.setResult(
        0, build.empty(build.sizes(sizes), operand.elementType()));
  Value part =
      tensor::ExtractSliceOp::create(build.builder, node.loc, operand.value,
                                     offsets, build.sizes(sizes), stepSizes);
  return node.setResult(0, reversed.empty() ? part
                                            : build.reverse(part, reversed));
}

/// Whether an operand with bounds depends on data.
bool isAtRunTime(NodeImport &node, unsigned operand) {
  if (!node.has(operand))
    return false;
  auto known = node.knownIntegers(operand);
  return !known || llvm::is_contained(*known, Number());
}

/// Bounds are attributes before version 10 and operands since.
LogicalResult buildSlice(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  std::optional<std::size_t> count;
  if (node.has(1) && node.operand(1).rank() == 1 &&
      node.operand(1).type().hasStaticShape())
    count = node.operand(1).shape()[0];
  else if (auto starts = node.integers("starts"))
    count = starts->size();
  if (!count || static_cast<int64_t>(*count) > operand.rank())
    return node.error() << "expected starts for at most " << operand.rank()
                        << " dimensions";
  auto axes = node.integersOf("axes", 3);
  auto steps = node.integersOf("steps", 4);
  if (failed(axes) || failed(steps))
    return failure();
  SmallVector<int64_t> listed =
      axes->value_or(llvm::to_vector(llvm::seq<int64_t>(0, *count)));
  SmallVector<int64_t> stride =
      steps->value_or(SmallVector<int64_t>(*count, 1));
  FailureOr<SmallVector<int64_t>> dims =
      node.dimensions(listed, operand.rank());
  if (failed(dims))
    return failure();
  if (listed.size() != *count || stride.size() != *count)
    return node.error() << "expected " << *count << " axes and steps, got "
                        << listed.size() << " and " << stride.size();
  if (llvm::is_contained(stride, 0))
    return node.error() << "expected steps other than 0";
  if (isAtRunTime(node, 1) || isAtRunTime(node, 2)) {
    auto declared = node.declaredShape(0);
    if (declared && static_cast<int64_t>(declared->size()) == operand.rank())
      return sliceAtRunTime(node, *dims, stride, *declared);
  }
  auto starts = node.numbersOf("starts", 1);
  auto ends = failed(starts) ? starts : node.numbersOf("ends", 2);
  if (failed(ends))
    return failure();
  if (!*ends || (*ends)->size() != *count)
    return node.error() << "expected " << *count << " ends";
  SmallVector<DimSlice> slices = wholeOf(node);
  for (auto [dim, start, end, step] :
       llvm::zip_equal(*dims, **starts, **ends, stride)) {
    slices[dim] =
        sliceOf(node.build.numbersHere(), slices[dim].size, start, end, step);
    if (!slices[dim].size)
      return node.error()
             << "expected bounds of dimension " << dim
             << " that count from the same end at every length, got numbers "
                "that are negative at some lengths alone";
  }
  return node.setResult(0, sliceAndReverse(node, slices));
}

/// The extents of a split's results: given, declared, or all the same with a
/// smaller last one.
FailureOr<SmallVector<int64_t>> splitExtents(NodeImport &node, int64_t dim,
                                             int64_t extent) {
  auto count = static_cast<int64_t>(node.resultCount());
  if (isAtRunTime(node, 1)) {
    SmallVector<int64_t> declared;
    for (int64_t result = 0; result < count; ++result)
      if (auto shape = node.declaredShape(result);
          shape && dim < static_cast<int64_t>(shape->size()))
        declared.push_back((*shape)[dim]);
    if (static_cast<int64_t>(declared.size()) == count) {
      node.remark() << "its parts, values of run time, are taken to have the "
                       "declared extents";
      return declared;
    }
  }
  auto given = node.integersOf("split", 1);
  if (failed(given))
    return failure();
  if (*given)
    return **given;
  if (node.integer("num_outputs", count) != count)
    return node.error() << "num_outputs is "
                        << node.integer("num_outputs", count) << " for "
                        << count << " results";
  if (extent % count != 0 && !node.hasAttribute("num_outputs"))
    return node.error() << "cannot split " << extent << " entries into "
                        << count << " equal parts";
  int64_t part = llvm::divideCeil(extent, count);
  SmallVector<int64_t> sizes;
  for (int64_t left = extent; static_cast<int64_t>(sizes.size()) < count;
       left -= sizes.back())
    sizes.push_back(std::min(part, left));
  return sizes;
}

/// Parts of a dimension that a prompt is as long as: given ones, or equal ones
/// where that is so at every length.
LogicalResult splitPrompt(NodeImport &node, int64_t dim) {
  Numbers numbers = node.build.numbersHere();
  Number extent = node.build.sizes(node.operand(0).value)[dim];
  auto count = static_cast<int64_t>(node.resultCount());
  auto given = node.numbersOf("split", 1);
  if (failed(given))
    return failure();
  SmallVector<Number> sizes;
  if (*given) {
    sizes = **given;
  } else if (auto whole = numbers.productOf(extent);
             whole && whole->factor % count == 0) {
    sizes.assign(count, numbers.floorDiv(extent, numbers.constant(count)));
  } else if (node.hasAttribute("num_outputs")) {
    // The last part has what the others leave.
    Number part = numbers.ceilDiv(extent, numbers.constant(count));
    Number all = numbers.mul(part, numbers.constant(count - 1));
    sizes.assign(count - 1, part);
    sizes.push_back(numbers.sub(extent, all));
  } else {
    return node.error() << "cannot split dimension " << dim << " of "
                        << NodeImport::describe(node.operand(0)) << " into "
                        << count << " equal parts at every length";
  }
  Number sum = numbers.constant(0);
  for (Number size : sizes)
    sum = numbers.add(sum, size);
  if (sizes.size() != node.resultCount() || !numbers.areEqual(sum, extent))
    return node.error() << "expected " << count << " parts that are dimension "
                        << dim << " of "
                        << NodeImport::describe(node.operand(0))
                        << " together at every length";
  Number offset = numbers.constant(0);
  for (auto [result, size] : llvm::enumerate(sizes)) {
    SmallVector<DimSlice> slices = wholeOf(node);
    if (!numbers.ensureAtLeast(size, 0))
      return node.error() << "part #" << result << " would have "
                          << describeBelow(size, 0) << " entries";
    slices[dim] = {offset, size, 1};
    offset = numbers.add(offset, size);
    if (node.wants(result) &&
        failed(node.setResult(result, sliceAndReverse(node, slices))))
      return failure();
  }
  return success();
}

LogicalResult buildSplit(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  FailureOr<int64_t> dim =
      node.dimension(node.integer("axis", 0), operand.rank());
  if (failed(dim))
    return failure();
  int64_t extent = operand.shape()[*dim];
  if (node.resultCount() == 0)
    return node.error() << "expected results";
  if (ShapedType::isDynamic(extent))
    return splitPrompt(node, *dim);
  FailureOr<SmallVector<int64_t>> sizes = splitExtents(node, *dim, extent);
  if (failed(sizes))
    return failure();
  int64_t sum = 0;
  for (int64_t size : *sizes)
    if (size < 0 || llvm::AddOverflow(sum, size, sum))
      return node.error() << "a part has " << size << " entries";
  if (sizes->size() != node.resultCount() || sum != extent)
    return node.error() << "expected " << node.resultCount() << " parts of "
                        << extent << " entries together, got " << sizes->size()
                        << " of " << sum;
  int64_t offset = 0;
  for (auto [result, size] : llvm::enumerate(*sizes)) {
    SmallVector<DimSlice> slices = wholeOf(node);
    Numbers numbers = node.build.numbersHere();
    slices[*dim] = {numbers.constant(size ? offset : 0), numbers.constant(size),
                    1};
    offset += size;
    if (node.wants(result) &&
        failed(node.setResult(result, sliceAndReverse(node, slices))))
      return failure();
  }
  return success();
}

LogicalResult buildReverseSequence(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0), &lengths = node.operand(1);
  auto time = node.dimension(node.integer("time_axis", 0), operand.rank());
  auto batch = node.dimension(node.integer("batch_axis", 1), operand.rank());
  if (failed(time) || failed(batch))
    return failure();
  if (*time == *batch || lengths.rank() != 1 ||
      lengths.shape()[0] != operand.shape()[*batch])
    return node.error() << "expected a length for each entry of dimension "
                        << *batch << " of " << NodeImport::describe(operand)
                        << ", got " << NodeImport::describe(lengths);
  TensorBuilder typed(node.build.builder, node.loc, lengths.element);
  Value result = typed.generate(
      typed.sizes(operand.value), operand.elementType(),
      [&](ScalarBuilder &s, ValueRange at) {
        Value length =
            s.toIndex(TensorBuilder::read(s, lengths.value, at[*batch]));
        length = clamped(s, length, indexConstant(s, 0),
                         typed.extent(operand.value, *time));
        Value isInside = s.create<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                 at[*time], length);
        Value last = s.create<arith::SubIOp>(length, indexConstant(s, 1));
        SmallVector<Value> source(at);
        source[*time] = s.select(
            isInside, s.create<arith::SubIOp>(last, at[*time]), at[*time]);
        return TensorBuilder::read(s, operand.value, source);
      });
  return node.setResult(0, result);
}

/// Zeros above or below a diagonal of the last two dimensions.
LogicalResult buildTrilu(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  int64_t rank = operand.rank();
  if (rank < 2)
    return node.error() << "expected matrices, got "
                        << NodeImport::describe(operand);
  bool keepsUpper = node.integer("upper", 1) != 0;
  Value diagonal = build.reshape(build.integers({0}), {});
  if (node.has(1))
    diagonal = build.reshape(node.operand(1).value, ArrayRef<int64_t>());
  if (!diagonal)
    return node.error() << "expected a scalar as the diagonal, got "
                        << NodeImport::describe(node.operand(1));
  // A diagonal that follows from prompts is computed with positions.
  Number known;
  if (auto numbers = node.knownIntegers(1); numbers && numbers->size() == 1)
    known = numbers->front();
  Value moved = known && isa<Value>(known) ? cast<Value>(known) : Value();
  MLIRContext *context = build.builder.getContext();
  AffineMap all = build.builder.getMultiDimIdentityMap(rank);
  AffineMap none = AffineMap::get(rank, 0, context);
  Value result = build.structured(
      {operand.value, diagonal},
      build.empty(build.sizes(operand.value), operand.elementType()),
      {all, none, all}, [&](ScalarBuilder &s, ValueRange v) {
        Type wide = s.builder.getI64Type();
        Value row = s.create<arith::IndexCastOp>(
            wide, s.create<linalg::IndexOp>(rank - 2));
        Value column = s.create<arith::IndexCastOp>(
            wide, s.create<linalg::IndexOp>(rank - 1));
        auto predicate =
            keepsUpper ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
        Value isKept = s.create<arith::CmpIOp>(
            predicate, s.create<arith::SubIOp>(column, row),
            moved ? s.fromIndex(moved, wide) : v[1]);
        return s.select(isKept, v[0], s.constant(operand.elementType(), 0));
      });
  return node.setResult(0, result);
}

} // namespace

void addSlices(OperatorTable &table) {
  table.add("Slice", 1, buildSlice);
  table.add("Split", 1, buildSplit);
  table.add("ReverseSequence", 2, buildReverseSequence);
  table.add("Trilu", 1, buildTrilu);
}

} // namespace npu
