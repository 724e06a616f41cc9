// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first entries of a dimension in sorted order. Every entry of a short
// dimension is compared with all others, which tells its rank and can be
// distributed; a long dimension is searched once for each entry that is wanted.

#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

using Iterator = utils::IteratorType;

/// A dimension of so many entries is short.
constexpr int64_t kMostPairs = 4096;

Value isNan(ScalarBuilder &s, Value x) {
  return s.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}

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
  SmallVector<Iterator> loops(rank, Iterator::parallel);
  loops.push_back(Iterator::reduction);
  Type wide = builder.getI64Type();
  Value zeros = build.filled(build.sizes(operand.value), build.scalar(wide, 0));
  return build.structured(
      {operand.value, operand.value}, zeros, {own, others, own}, loops,
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
Value byRank(NodeImport &node, Value ranks, int64_t axis, int64_t count,
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
  SmallVector<Iterator> loops(rank, Iterator::parallel);
  loops.push_back(Iterator::reduction);
  TensorBuilder::Sizes sizes = build.sizes(operand.value);
  sizes[axis] = builder.getIndexAttr(count);
  Value zeros = build.filled(sizes, build.scalar(type, 0));
  return build.structured(
      {operand.value, ranks}, zeros, {entries, entries, results}, loops,
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

/// The loops of a tensor, its own map, and that of a result without the axis.
struct Fold {
  Fold(OpBuilder &builder, int64_t rank, int64_t axis)
      : loops(rank, Iterator::parallel),
        all(builder.getMultiDimIdentityMap(rank)) {
    loops[axis] = Iterator::reduction;
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != axis)
        exprs.push_back(builder.getAffineDimExpr(dim));
    rest = AffineMap::get(rank, 0, exprs, builder.getContext());
  }

  SmallVector<Iterator> loops;
  AffineMap all, rest;
};

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
  Fold fold(build.builder, operand.rank(), order.axis);
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
      {fold.all, fold.rest, fold.rest, fold.rest}, fold.loops,
      [&](ScalarBuilder &s, ValueRange v) {
        Value better =
            s.create<arith::AndIOp>(isLeft(s, v[0], v[1], v[2]),
                                    isBefore(s, v[0], v[3], order.isLargest));
        return s.select(better, v[0], v[3]);
      });
  Value farthest =
      ScalarBuilder(build.builder, node.loc, OnnxElement::Int64).highest(wide);
  Value position = build.structured(
      {operand.value, last.first, last.second, value},
      build.filled(sizes, farthest),
      {fold.all, fold.rest, fold.rest, fold.rest, fold.rest}, fold.loops,
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
  int64_t extent = operand.shape()[*axis], count = node.integer("k", -1);
  if (node.has(1)) {
    const OnnxTensor &given = node.operand(1);
    auto declared = node.declaredShape(0);
    if (!TensorBuilder::integersOf(given.value, given.element) && declared &&
        *axis < static_cast<int64_t>(declared->size())) {
      node.remark() << "the number of entries, a value of run time, is taken "
                       "to be the declared one";
      count = (*declared)[*axis];
    } else {
      FailureOr<SmallVector<int64_t>> numbers =
          node.constantIntegers(1, "the number of entries");
      if (failed(numbers))
        return failure();
      count = numbers->size() == 1 ? numbers->front() : -1;
    }
  }
  if (ShapedType::isDynamic(extent) || count < 0 || count > extent)
    return node.error() << "cannot take " << count << " entries of dimension "
                        << *axis << " of " << NodeImport::describe(operand);
  Order order{*axis, count, node.integer("largest", 1) != 0};
  if (extent > kMostPairs) {
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

void addTopK(OperatorTable &table) { table.add("TopK", 1, buildTopK); }

} // namespace npu
