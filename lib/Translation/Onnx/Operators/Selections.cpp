// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions of extreme entries, running sums, one-hot rows, entries where a
// condition holds, and the first entries in sorted order.

#include "../Build/NumberBounds.h"
#include "../Build/Positions.h"
#include "../Graph/GraphImport.h"
#include "../Graph/OperatorTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

/// Sums of so many entries are computed each by itself, which can be
/// distributed; more in a loop, which cannot.
constexpr int64_t kMostSummedPairs = 512;

SmallVector<int64_t> without(ArrayRef<int64_t> shape, int64_t dim) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + dim);
  return rest;
}

Value isNan(ScalarBuilder &s, Value x) {
  return s.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}

/// The position of the extreme entry: that entry first, then the least (or the
/// greatest) position that has it. NaN counts as extreme.
template <bool isMax>
LogicalResult buildArgExtreme(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  auto axis = node.dimension(node.integer("axis", 0), operand.rank());
  if (failed(axis))
    return failure();
  int64_t extent = operand.shape()[*axis], rank = operand.rank();
  if (extent == 0)
    return node.error() << "expected entries along dimension " << *axis;
  build.numbersHere().assertAtLeast(build.sizes(operand.value)[*axis], 1);
  bool isLast = node.integer("select_last_index", 0) != 0;
  ScalarBuilder outside(build.builder, node.loc, operand.element);
  Type type = operand.elementType(), wide = build.builder.getI64Type();
  Value init = isMax ? outside.lowest(type) : outside.highest(type);
  Value extreme = build.reduce(
      operand.value, *axis, init, [](ScalarBuilder &s, ValueRange v) {
        return isMax ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
      });
  SmallVector<int64_t> kept = without(operand.shape(), *axis);
  extreme = build.reshape(extreme, kept);
  TensorBuilder::Sizes sizes = build.sizes(operand.value);
  sizes.erase(sizes.begin() + *axis);
  ScalarBuilder integers(build.builder, node.loc, OnnxElement::Int64);
  Value none = isLast ? integers.lowest(wide) : integers.highest(wide);
  AffineMap rest = build.builder.getMultiDimIdentityMap(rank).dropResult(*axis);
  Value positions = build.structured(
      {operand.value, extreme}, build.filled(sizes, none),
      {build.builder.getMultiDimIdentityMap(rank), rest, rest},
      [&](ScalarBuilder &s, ValueRange v) {
        Value isHit = s.compare(Comparison::Equal, v[0], v[1]);
        if (isa<FloatType>(type))
          isHit = s.create<arith::OrIOp>(isHit, isNan(s, v[0]));
        Value at = s.fromIndex(s.create<linalg::IndexOp>(*axis), wide);
        Value found =
            s.select(isHit, at, s.integer(wide, isLast ? 0 : INT64_MAX));
        return isLast ? s.create<arith::MaxSIOp>(v[2], found)
                      : s.create<arith::MinSIOp>(v[2], found);
      });
  if (node.integer("keepdims", 1)) {
    kept.insert(kept.begin() + *axis, 1);
    positions = build.reshape(positions, kept);
  }
  return node.setResult(0, positions, OnnxElement::Int64);
}

//===----------------------------------------------------------------------===//
// Running sums
//===----------------------------------------------------------------------===//

/// Every sum by itself: the parts of a dimension that it adds.
Value sumsOfPairs(NodeImport &node, int64_t axis, bool isExclusive,
                  bool isReverse) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  int64_t rank = operand.rank();
  SmallVector<AffineExpr> exprs(
      builder.getMultiDimIdentityMap(rank).getResults());
  AffineMap sums = AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  exprs[axis] = builder.getAffineDimExpr(rank);
  AffineMap entries = AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = isReverse
                            ? (isExclusive ? Predicate::sgt : Predicate::sge)
                            : (isExclusive ? Predicate::slt : Predicate::sle);
  Value zeros = build.filled(build.sizes(operand.value),
                             build.scalar(operand.elementType(), 0));
  return build.structured(
      operand.value, zeros, {entries, sums},
      [&](ScalarBuilder &s, ValueRange v) {
        Value isAdded =
            s.create<arith::CmpIOp>(predicate, s.create<linalg::IndexOp>(rank),
                                    s.create<linalg::IndexOp>(axis));
        Value part =
            s.select(isAdded, v[0], s.constant(operand.elementType(), 0));
        return s.add(v[1], part);
      });
}

/// One sum after another, in a loop over the dimension.
Value sumsInLoop(NodeImport &node, int64_t axis, bool isExclusive,
                 bool isReverse) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  int64_t extent = operand.shape()[axis], rank = operand.rank();
  SmallVector<int64_t> shape(operand.shape());
  shape[axis] = 1;
  ScalarBuilder s(builder, node.loc, operand.element);
  Type type = operand.elementType();
  Value zeros = build.filled(build.sizes(shape), build.scalar(type, 0));
  Value out = build.empty(build.sizes(operand.value), type);
  auto loop = scf::ForOp::create(
      builder, node.loc, indexConstant(s, 0), indexConstant(s, extent),
      indexConstant(s, 1), ValueRange{out, zeros},
      [&](OpBuilder &, Location, Value at, ValueRange current) {
        if (isReverse)
          at = s.create<arith::SubIOp>(indexConstant(s, extent - 1), at);
        TensorBuilder::Sizes offsets =
            build.sizes(SmallVector<int64_t>(rank, 0));
        TensorBuilder::Sizes ones = build.sizes(SmallVector<int64_t>(rank, 1));
        offsets[axis] = at;
        Value row =
            tensor::ExtractSliceOp::create(builder, node.loc, operand.value,
                                           offsets, build.sizes(shape), ones);
        Value sum = build.map(
            {current[1], row}, type,
            [](ScalarBuilder &in, ValueRange v) { return in.add(v[0], v[1]); });
        Value next = tensor::InsertSliceOp::create(
            builder, node.loc, isExclusive ? current[1] : sum, current[0],
            offsets, build.sizes(shape), ones);
        scf::YieldOp::create(builder, node.loc, ValueRange{next, sum});
      });
  return loop.getResult(0);
}

LogicalResult buildCumSum(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  FailureOr<SmallVector<int64_t>> given = node.constantIntegers(1, "the axis");
  if (failed(given))
    return failure();
  if (given->size() != 1)
    return node.error() << "expected one axis, got " << given->size();
  auto axis = node.dimension(given->front(), operand.rank());
  if (failed(axis))
    return failure();
  bool isExclusive = node.integer("exclusive", 0) != 0;
  bool isReverse = node.integer("reverse", 0) != 0;
  auto sums =
      operand.shape()[*axis] > kMostSummedPairs ? sumsInLoop : sumsOfPairs;
  return node.setResult(0, sums(node, *axis, isExclusive, isReverse));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// How many entries a one-hot row has: a number that follows from shapes, or as
/// declared.
FailureOr<Number> oneHotDepth(NodeImport &node, int64_t axis) {
  const OnnxTensor &depth = node.operand(1);
  Numbers numbers = node.build.numbersHere();
  auto integers = node.knownIntegers(1);
  auto reals = TensorBuilder::numbersOf(depth.value);
  if (integers && integers->size() == 1 && integers->front())
    return integers->front();
  if (reals && reals->size() == 1 && std::abs((*reals)[0]) < 1e12)
    return numbers.constant(static_cast<int64_t>((*reals)[0]));
  auto declared = node.declaredShape(0);
  if (declared && axis < static_cast<int64_t>(declared->size())) {
    node.remark() << "the depth, a value of run time, is taken to be the "
                     "declared one";
    return numbers.constant((*declared)[axis]);
  }
  node.graph.errorNotConstant(node, 1, "the depth");
  return failure();
}

LogicalResult buildOneHot(NodeImport &node) {
  const OnnxTensor &indices = node.operand(0), &values = node.operand(2);
  int64_t rank = indices.rank() + 1;
  auto axis = node.dimension(node.integer("axis", -1), rank);
  if (failed(axis))
    return failure();
  FailureOr<Number> depth = oneHotDepth(node, *axis);
  if (failed(depth))
    return failure();
  if (!node.build.numbersHere().ensureAtLeast(*depth, 0))
    return node.error() << "expected a depth of at least 0, got "
                        << describeBelow(*depth, 0);
  if (getConstantIntValue(*depth).value_or(0) > kMostElements)
    return node.error() << "expected a depth of at most " << kMostElements
                        << ", got " << *getConstantIntValue(*depth);
  if (values.shape() != ArrayRef<int64_t>{2})
    return node.error() << "expected two values, for off and on, got "
                        << NodeImport::describe(values);
  TensorBuilder &build = node.build;
  Value off = build.reshape(build.sliceDim(values.value, 0, 0, 1), {});
  Value on = build.reshape(build.sliceDim(values.value, 0, 1, 1), {});
  TensorBuilder::Sizes sizes = build.sizes(indices.value);
  sizes.insert(sizes.begin() + *axis, *depth);
  Value most = build.numbersHere().valueOf(*depth);
  AffineMap none = AffineMap::get(rank, 0, build.builder.getContext());
  Value result = build.structured(
      {indices.value, off, on}, build.empty(sizes, values.elementType()),
      {build.builder.getMultiDimIdentityMap(rank).dropResult(*axis), none, none,
       build.builder.getMultiDimIdentityMap(rank)},
      [&](ScalarBuilder &s, ValueRange v) {
        Value wanted = countedFromEnd(s, s.toIndex(v[0]), most);
        Value isIt = s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, wanted,
                                             s.create<linalg::IndexOp>(*axis));
        return s.select(isIt, v[2], v[1]);
      });
  return node.setResult(0, result, values.element);
}

/// Entries where a constant condition holds. One of run time would leave the
/// shape open.
LogicalResult buildCompress(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0), &condition = node.operand(1);
  auto holds = constantPositions(condition);
  if (!holds) {
    node.graph.errorNotConstant(node, 1,
                                "the condition, on which the shape of the "
                                "result depends");
    return failure();
  }
  Value data = operand.value;
  int64_t dim = 0;
  if (node.hasAttribute("axis")) {
    auto axis = node.dimension(node.integer("axis", 0), operand.rank());
    if (failed(axis))
      return failure();
    dim = *axis;
  } else {
    std::optional<int64_t> count = elementCount(operand.shape());
    data = count ? node.build.reshape(data, *count) : Value();
  }
  if (!data)
    return node.setResult(0, Value());
  int64_t extent = cast<RankedTensorType>(data.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(extent))
    return node.error() << "expected a static extent of what is selected from, "
                           "got "
                        << NodeImport::describe(operand);
  if (condition.rank() != 1 || static_cast<int64_t>(holds->size()) > extent)
    return node.error() << "expected a condition for each of " << extent
                        << " entries, got " << NodeImport::describe(condition);
  SmallVector<int64_t> positions;
  for (auto [position, isKept] : llvm::enumerate(*holds))
    if (isKept)
      positions.push_back(static_cast<int64_t>(position));
  return node.setResult(0, node.build.take(data, dim, positions));
}

/// Positions of the entries of a constant that are not 0, one column for each.
LogicalResult buildNonZero(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  SmallVector<bool> holds;
  if (auto integers = constantPositions(operand))
    for (int64_t number : *integers)
      holds.push_back(number != 0);
  else if (auto reals = TensorBuilder::numbersOf(operand.value))
    for (double number : *reals)
      holds.push_back(number != 0);
  else
    return node.error() << "out of scope: the shape of its result depends on "
                           "data";
  SmallVector<SmallVector<int64_t>> rows(operand.rank());
  const bool *next = holds.begin();
  forEachPosition(operand.shape(), [&](ArrayRef<int64_t> position) {
    if (!*next++)
      return;
    for (auto [row, at] : llvm::zip_equal(rows, position))
      row.push_back(at);
  });
  SmallVector<int64_t> numbers;
  for (const SmallVector<int64_t> &row : rows)
    llvm::append_range(numbers, row);
  int64_t count = rows.empty() ? 0 : static_cast<int64_t>(rows[0].size());
  return node.setResult(
      0,
      node.build.reshape(node.build.integers(numbers), {operand.rank(), count}),
      OnnxElement::Int64);
}

//===----------------------------------------------------------------------===//
// The first entries of a dimension in sorted order. Every entry of a short
// dimension is compared with all others, which tells its rank and can be
// distributed; a long dimension is searched once for each entry that is wanted.
//===----------------------------------------------------------------------===//

/// A dimension of so many entries is short.
constexpr int64_t kMostPairs = 4096;

/// What a node asks for.
struct Order {
  int64_t axis = 0, count = 0;
  bool isLargest = true;
};

/// Whether `a` comes before `b`; neither where they are the same. NaN is the
/// largest number.
Value isBefore(ScalarBuilder &s, Value a, Value b, bool isLargest) {
  Value ordered =
      s.compare(isLargest ? Comparison::Greater : Comparison::Less, a, b);
  if (!isa<FloatType>(a.getType()))
    return ordered;
  Value first = isLargest ? a : b, second = isLargest ? b : a;
  Value one = s.create<arith::ConstantOp>(s.builder.getBoolAttr(true));
  Value onlyFirst = s.create<arith::AndIOp>(
      isNan(s, first), s.create<arith::XOrIOp>(isNan(s, second), one));
  return s.create<arith::OrIOp>(ordered, onlyFirst);
}

//===----------------------------------------------------------------------===//
// Short dimensions
//===----------------------------------------------------------------------===//

/// For each entry, how many of its dimension come before it; of equal entries
/// the one with the lower position does.
Value ranksOf(NodeImport &node, int64_t axis, bool isLargest) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  int64_t rank = operand.rank();
  AffineMap own = AffineMap::get(
      rank + 1, 0, builder.getMultiDimIdentityMap(rank).getResults(),
      builder.getContext());
  SmallVector<AffineExpr> exprs(own.getResults());
  exprs[axis] = builder.getAffineDimExpr(rank);
  AffineMap others = AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  Type wide = builder.getI64Type();
  Value zeros = build.filled(build.sizes(operand.value), build.scalar(wide, 0));
  return build.structured(
      {operand.value, operand.value}, zeros, {own, others, own},
      [&](ScalarBuilder &s, ValueRange v) {
        Value before = isBefore(s, v[1], v[0], isLargest);
        Value after = isBefore(s, v[0], v[1], isLargest);
        Value isLower = s.create<arith::CmpIOp>(
            arith::CmpIPredicate::slt, s.create<linalg::IndexOp>(rank),
            s.create<linalg::IndexOp>(axis));
        Value no = s.create<arith::ConstantOp>(s.builder.getBoolAttr(false));
        Value isTie = s.select(after, no, isLower);
        Value counts = s.create<arith::OrIOp>(before, isTie);
        Value one = s.integer(wide, 1), zero = s.integer(wide, 0);
        return s.create<arith::AddIOp>(v[2], s.select(counts, one, zero));
      });
}

/// Of the entries of a dimension, `picked` of that with rank 0, 1 ... count
/// - 1.
Value byRank(NodeImport &node, Value ranks, int64_t axis, Number count,
             Type type,
             llvm::function_ref<Value(ScalarBuilder &, Value, Value)> picked) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  int64_t rank = operand.rank();
  // Loop `rank` goes over the entries, loop `axis` over the results.
  SmallVector<AffineExpr> exprs(
      builder.getMultiDimIdentityMap(rank).getResults());
  AffineMap results = AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  exprs[axis] = builder.getAffineDimExpr(rank);
  AffineMap entries = AffineMap::get(rank + 1, 0, exprs, builder.getContext());
  TensorBuilder::Sizes sizes = build.sizes(operand.value);
  sizes[axis] = count;
  Value zeros = build.filled(sizes, build.scalar(type, 0));
  return build.structured(
      {operand.value, ranks}, zeros, {entries, entries, results},
      [&](ScalarBuilder &s, ValueRange v) {
        Value wanted = s.create<arith::IndexCastOp>(
            s.builder.getI64Type(), s.create<linalg::IndexOp>(axis));
        Value isIt =
            s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, v[1], wanted);
        Value at = s.create<linalg::IndexOp>(rank);
        return s.select(isIt, picked(s, v[0], at), v[2]);
      });
}

//===----------------------------------------------------------------------===//
// Long dimensions
//===----------------------------------------------------------------------===//

/// A number that comes before or after all others, or is the same as the first
/// or last of them.
Value outermost(NodeImport &node, Type type, bool isLargest, bool isFirst) {
  ScalarBuilder s(node.build.builder, node.loc, node.operand(0).element);
  auto floatType = dyn_cast<FloatType>(type);
  // NaN is the largest number.
  if (floatType && isFirst == isLargest)
    return s.create<arith::ConstantOp>(s.builder.getFloatAttr(
        floatType, APFloat::getNaN(floatType.getFloatSemantics())));
  return isFirst == isLargest ? s.highest(type) : s.lowest(type);
}

/// The value and the position of the entry that follows, in order, the one of
/// value and position `last`. All have no dimension `axis`.
std::pair<Value, Value> following(NodeImport &node, const Order &order,
                                  std::pair<Value, Value> last) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  AffineMap all = build.builder.getMultiDimIdentityMap(operand.rank()),
            rest = all.dropResult(order.axis);
  Type type = operand.elementType(), wide = build.builder.getI64Type();
  auto sizes = build.sizes(last.first);
  // Whether an entry comes after `last`.
  auto isLeft = [&](ScalarBuilder &s, Value entry, Value value,
                    Value position) {
    Value after = isBefore(s, value, entry, order.isLargest);
    Value before = isBefore(s, entry, value, order.isLargest);
    Value at = s.fromIndex(s.create<linalg::IndexOp>(order.axis), wide);
    Value isLater =
        s.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, at, position);
    Value no = s.create<arith::ConstantOp>(s.builder.getBoolAttr(false));
    return s.create<arith::OrIOp>(after, s.select(before, no, isLater));
  };
  Value none = outermost(node, type, order.isLargest, /*isFirst=*/false);
  Value value = build.structured(
      {operand.value, last.first, last.second}, build.filled(sizes, none),
      {all, rest, rest, rest}, [&](ScalarBuilder &s, ValueRange v) {
        Value better =
            s.create<arith::AndIOp>(isLeft(s, v[0], v[1], v[2]),
                                    isBefore(s, v[0], v[3], order.isLargest));
        return s.select(better, v[0], v[3]);
      });
  Value farthest =
      ScalarBuilder(build.builder, node.loc, OnnxElement::Int64).highest(wide);
  Value position = build.structured(
      {operand.value, last.first, last.second, value},
      build.filled(sizes, farthest), {all, rest, rest, rest, rest},
      [&](ScalarBuilder &s, ValueRange v) {
        Value differs =
            s.create<arith::OrIOp>(isBefore(s, v[0], v[3], order.isLargest),
                                   isBefore(s, v[3], v[0], order.isLargest));
        Value at = s.fromIndex(s.create<linalg::IndexOp>(order.axis), wide);
        Value isIt = s.select(
            differs, s.create<arith::ConstantOp>(s.builder.getBoolAttr(false)),
            isLeft(s, v[0], v[1], v[2]));
        return s.select(isIt, s.create<arith::MinSIOp>(v[4], at), v[4]);
      });
  return {value, position};
}

/// Values and positions, one after another.
std::pair<Value, Value> searched(NodeImport &node, const Order &order) {
  const OnnxTensor &operand = node.operand(0);
  TensorBuilder &build = node.build;
  Type type = operand.elementType(), wide = build.builder.getI64Type();
  SmallVector<int64_t> shape(operand.shape()), rest(operand.shape());
  shape[order.axis] = order.count;
  rest.erase(rest.begin() + order.axis);
  SmallVector<int64_t> entry(shape);
  entry[order.axis] = 1;
  ScalarBuilder s(build.builder, node.loc, OnnxElement::Int64);
  Value first = outermost(node, type, order.isLargest, /*isFirst=*/true);
  SmallVector<Value> inits{build.filled(build.sizes(rest), first),
                           build.filled(build.sizes(rest), s.integer(wide, -1)),
                           build.empty(build.sizes(shape), type),
                           build.empty(build.sizes(shape), wide)};
  auto loop = scf::ForOp::create(
      build.builder, node.loc, indexConstant(s, 0),
      indexConstant(s, order.count), indexConstant(s, 1), inits,
      [&](OpBuilder &, Location, Value at, ValueRange current) {
        auto [value, position] =
            following(node, order, {current[0], current[1]});
        SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
        TensorBuilder::Sizes offsets = build.sizes(zeros);
        offsets[order.axis] = at;
        SmallVector<Value> next{value, position};
        for (unsigned column : {0u, 1u})
          next.push_back(tensor::InsertSliceOp::create(
              build.builder, node.loc, build.reshape(next[column], entry),
              current[2 + column], offsets, build.sizes(entry),
              build.sizes(ones)));
        scf::YieldOp::create(build.builder, node.loc, next);
      });
  return {loop.getResult(2), loop.getResult(3)};
}

LogicalResult buildTopK(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  auto axis = node.dimension(node.integer("axis", -1), operand.rank());
  if (failed(axis))
    return failure();
  Numbers numbers = node.build.numbersHere();
  Number extent = numbers.extentOf(operand.value, *axis),
         count = numbers.constant(node.integer("k", -1));
  if (node.has(1)) {
    auto known = node.knownIntegers(1);
    auto declared = node.declaredShape(0);
    if (known && known->size() == 1 && known->front()) {
      count = known->front();
    } else if (declared && *axis < static_cast<int64_t>(declared->size())) {
      node.remark() << "the number of entries, a value of run time, is taken "
                       "to be the declared one";
      count = numbers.constant((*declared)[*axis]);
    } else {
      return LogicalResult(node.integersOfShapes(1, "the number of entries"));
    }
  }
  std::optional<int64_t> few = getConstantIntValue(count);
  Number left = numbers.sub(extent, count);
  if (!numbers.ensureAtLeast(count, 0) || !numbers.ensureAtLeast(left, 0)) {
    InFlightDiagnostic error = node.error();
    error << "cannot take ";
    if (!numbers.ensureAtLeast(count, 0))
      return error << describeBelow(count, 0) << " entries of dimension "
                   << *axis << " of " << NodeImport::describe(operand);
    if (few)
      error << *few;
    else
      error << "as many";
    error << " entries of dimension " << *axis << " of "
          << NodeImport::describe(operand);
    if (few && !getConstantIntValue(extent))
      error << ", which has " << describeBelow(extent, *few);
    else if (!few)
      error << ": left are " << describeBelow(left, 0);
    return error;
  }
  Order order{*axis, few.value_or(0), node.integer("largest", 1) != 0};
  if (operand.shape()[*axis] > kMostPairs) {
    if (!operand.type().hasStaticShape())
      return node.error() << "expected a static shape, got "
                          << NodeImport::describe(operand);
    auto [values, positions] = searched(node, order);
    if (failed(node.setResult(0, values)))
      return failure();
    return node.setResult(1, positions, OnnxElement::Int64);
  }
  Value ranks = ranksOf(node, *axis, order.isLargest);
  Type wide = node.build.builder.getI64Type();
  Value values = byRank(node, ranks, *axis, count, operand.elementType(),
                        [](ScalarBuilder &, Value x, Value) { return x; });
  if (failed(node.setResult(0, values)))
    return failure();
  if (!node.wants(1))
    return success();
  Value positions = byRank(node, ranks, *axis, count, wide,
                           [&](ScalarBuilder &s, Value, Value at) -> Value {
                             return s.create<arith::IndexCastOp>(wide, at);
                           });
  return node.setResult(1, positions, OnnxElement::Int64);
}

} // namespace

void addSelections(OperatorTable &table) {
  table.add("ArgMax", 1, buildArgExtreme<true>);
  table.add("ArgMin", 1, buildArgExtreme<false>);
  table.add("CumSum", 2, buildCumSum);
  table.add("OneHot", 3, buildOneHot);
  table.add("Compress", 2, buildCompress);
  table.add("NonZero", 1, buildNonZero);
  table.add("TopK", 1, buildTopK);
}

} // namespace npu
