// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries added around a tensor, or taken away.

#include "../Build/NumberBounds.h"
#include "../Build/Positions.h"
#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

enum class PadMode { Constant, Reflect, Edge, Wrap };

FailureOr<PadMode> padMode(NodeImport &node) {
  std::string mode = node.text("mode", "constant");
  if (mode == "constant")
    return PadMode::Constant;
  if (mode == "reflect")
    return PadMode::Reflect;
  if (mode == "edge")
    return PadMode::Edge;
  if (mode == "wrap")
    return PadMode::Wrap;
  return node.error() << "expected mode constant, reflect, edge or wrap, got '"
                      << mode << "'";
}

/// The value of added entries, an element of the operand's type.
FailureOr<Value> filler(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  if (!node.has(2))
    return node.build.scalar(operand.elementType(), node.real("value", 0));
  const OnnxTensor &given = node.operand(2);
  Value scalar = node.build.reshape(given.value, {});
  if (!scalar || given.elementType() != operand.elementType())
    return node.error() << "expected one element of the operand's type as the "
                           "value, got "
                        << NodeImport::describe(given);
  OpBuilder &builder = node.build.builder;
  auto dense =
      dyn_cast_or_null<DenseElementsAttr>(TensorBuilder::constantOf(scalar));
  if (dense)
    return arith::ConstantOp::create(
               builder, node.loc,
               cast<TypedAttr>(dense.getSplatValue<Attribute>()))
        .getResult();
  ScalarBuilder s(builder, node.loc, operand.element);
  return TensorBuilder::read(s, scalar, {});
}

/// The entry of a dimension that stands at position `at` outside of it.
int64_t reflected(int64_t at, int64_t extent) {
  if (extent == 1)
    return 0;
  int64_t period = 2 * (extent - 1);
  at = ((at % period) + period) % period;
  return at < extent ? at : period - at;
}

int64_t sourceOf(PadMode mode, int64_t at, int64_t extent) {
  if (mode == PadMode::Reflect)
    return reflected(at, extent);
  if (mode == PadMode::Wrap)
    return ((at % extent) + extent) % extent;
  return std::clamp<int64_t>(at, 0, extent - 1);
}

/// A position of run time moved into a dimension.
Value insideOf(ScalarBuilder &s, Value position, Value extent) {
  Value last = s.create<arith::SubIOp>(extent, indexConstant(s, 1));
  return clamped(s, position, indexConstant(s, 0), last);
}

/// The same as sourceOf of a position and an extent of run time, for reflected
/// and repeated entries; others stay where they are.
Value sourceAtRunTime(ScalarBuilder &s, PadMode mode, Value position,
                      Value extent) {
  auto rest = [&](Value a, Value by) {
    Value sum = s.create<arith::AddIOp>(s.create<arith::RemSIOp>(a, by), by);
    return s.create<arith::RemSIOp>(sum, by);
  };
  if (mode == PadMode::Wrap)
    return rest(position, extent);
  if (mode != PadMode::Reflect)
    return position;
  Value one = indexConstant(s, 1);
  Value last = s.create<arith::SubIOp>(extent, one);
  // One entry is reflected in itself.
  Value period = s.create<arith::MaxSIOp>(
      s.create<arith::MulIOp>(last, indexConstant(s, 2)), one);
  Value phase = rest(position, period);
  Value isFirst =
      s.create<arith::CmpIOp>(arith::CmpIPredicate::slt, phase, extent);
  return s.select(isFirst, phase, s.create<arith::SubIOp>(period, phase));
}

/// Pads one dimension, or takes entries away, by positions that follow from
/// shapes.
Value padByPositions(NodeImport &node, PadMode mode, Value tensor, int64_t dim,
                     Number front, Number size) {
  TensorBuilder &build = node.build;
  TensorBuilder::Sizes sizes = build.sizes(tensor);
  sizes[dim] = size;
  Value extent = build.extent(tensor, dim);
  Value before = build.numbersHere().valueOf(front);
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return build.generate(sizes, type, [&](ScalarBuilder &s, ValueRange at) {
    SmallVector<Value> source(at);
    Value position = s.create<arith::SubIOp>(at[dim], before);
    source[dim] =
        insideOf(s, sourceAtRunTime(s, mode, position, extent), extent);
    return TensorBuilder::read(s, tensor, source);
  });
}

std::string describe(Number number) {
  std::optional<int64_t> constant = getConstantIntValue(number);
  return constant ? std::to_string(*constant)
                  : "a number that is computed of shapes";
}

/// Reflected and repeated entries are listed one by one, up to so many.
constexpr int64_t kMostPaddedPositions = int64_t(1) << 20;

/// Adds low and high entries, numbers of which follow from shapes. Negative
/// ones take entries away.
LogicalResult padBy(NodeImport &node, PadMode mode, ArrayRef<Number> low,
                    ArrayRef<Number> high, Value value) {
  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  const OnnxTensor &operand = node.operand(0);
  Number zero = numbers.constant(0);
  Value result = operand.value;
  TensorBuilder::Sizes own = build.sizes(operand.value), before, after, sizes;
  for (auto [dim, extent, front, back] : llvm::enumerate(own, low, high)) {
    before.push_back(numbers.max(front, zero));
    after.push_back(numbers.max(back, zero));
    sizes.push_back(numbers.add(numbers.add(front, extent), back));
    if (!sizes.back() || !numbers.ensureAtLeast(sizes.back(), 0))
      return node.error() << "pads " << describe(front) << " and "
                          << describe(back) << " of dimension " << dim
                          << ", whose extent "
                          << (getConstantIntValue(extent)
                                  ? "of " + describe(extent) + " becomes "
                                  : "becomes ")
                          << describeBelow(sizes.back(), 0);
  }
  SmallVector<int64_t> shape = Numbers::inType(sizes);
  if (!llvm::is_contained(shape, ShapedType::kDynamic) && !elementCount(shape))
    return node.error() << "its result has more than " << kMostElements
                        << " elements";
  if (mode == PadMode::Constant) {
    TensorBuilder::Sizes first, parts;
    for (auto [dim, extent, front, back] : llvm::enumerate(own, low, high)) {
      first.push_back(numbers.max(numbers.sub(zero, front), zero));
      Number cut = numbers.max(numbers.sub(zero, back), zero);
      parts.push_back(numbers.sub(numbers.sub(extent, first.back()), cut));
      // All entries may go, those of the other side with them.
      if (numbers.ensureAtMost(parts.back(), 0))
        return node.setResult(0, build.filled(sizes, value));
      if (!numbers.ensureAtLeast(parts.back(), 0))
        return node.error() << "pads " << describe(front) << " and "
                            << describe(back) << " of dimension " << dim
                            << " take away more entries than it has: left are "
                            << describeBelow(parts.back(), 0);
    }
    return node.setResult(
        0, build.padAround(build.sliceAt(result, first, parts, {}), before,
                           after, value));
  }
  for (auto [dim, front, back] : llvm::enumerate(low, high)) {
    if (isConstantIntValue(front, 0) && isConstantIntValue(back, 0))
      continue;
    std::optional<int64_t> extent = getConstantIntValue(own[dim]),
                           first = getConstantIntValue(front),
                           last = getConstantIntValue(back);
    if (!extent || !first || !last) {
      result = padByPositions(node, mode, result, static_cast<int64_t>(dim),
                              front, sizes[dim]);
      continue;
    }
    if (*extent == 0 || shape[dim] > kMostPaddedPositions)
      return node.error() << "cannot pad dimension " << dim << " of " << *extent
                          << " entries to " << shape[dim] << " with others";
    SmallVector<int64_t> positions;
    for (int64_t at = -*first; at < *extent + *last; ++at)
      positions.push_back(sourceOf(mode, at, *extent));
    result = build.take(result, static_cast<int64_t>(dim), positions);
  }
  return node.setResult(0, result);
}

/// Pads of run time, with a result of the shape that the model declares: `low`
/// has the number of entries in front of each dimension.
Value padAtRunTime(NodeImport &node, PadMode mode, const OnnxTensor &pads,
                   ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                   Value value) {
  const OnnxTensor &operand = node.operand(0);
  auto body = [&](ScalarBuilder &s, ValueRange at) -> Value {
    SmallVector<Value> source(at);
    Value isInside;
    for (auto [number, dim] : llvm::enumerate(dims)) {
      Value extent = indexConstant(s, operand.shape()[dim]);
      Value front = s.toIndex(TensorBuilder::read(
          s, pads.value, indexConstant(s, static_cast<int64_t>(number))));
      Value position = s.create<arith::SubIOp>(at[dim], front);
      position = sourceAtRunTime(s, mode, position, extent);
      source[dim] = insideOf(s, position, extent);
      Value same = s.create<arith::CmpIOp>(arith::CmpIPredicate::eq, position,
                                           source[dim]);
      isInside = isInside ? s.create<arith::AndIOp>(isInside, same) : same;
    }
    Value entry = TensorBuilder::read(s, operand.value, source);
    if (mode != PadMode::Constant || !isInside)
      return entry;
    return s.select(isInside, entry, value);
  };
  TensorBuilder typed(node.build.builder, node.loc, pads.element);
  return typed.generate(typed.sizes(shape), operand.elementType(), body);
}

/// Pads are an attribute before version 11 and an operand since.
LogicalResult buildPad(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  FailureOr<PadMode> mode = padMode(node);
  if (failed(mode))
    return failure();
  auto axes = node.integersOf("axes", 3);
  if (failed(axes))
    return failure();
  FailureOr<SmallVector<int64_t>> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, operand.rank()));
  if (*axes)
    dims = node.dimensions(**axes, operand.rank());
  if (failed(dims))
    return failure();
  FailureOr<Value> value = filler(node);
  if (failed(value))
    return failure();
  auto known = node.knownIntegers(1);
  bool isKnown =
      !node.has(1) || (known && !llvm::is_contained(*known, Number()));
  auto declared = node.declaredShape(0);
  if (!isKnown && declared && operand.type().hasStaticShape() &&
      static_cast<int64_t>(declared->size()) == operand.rank() &&
      elementCount(operand.shape()).value_or(0) > 0 &&
      node.operand(1).shape() ==
          ArrayRef<int64_t>{2 * static_cast<int64_t>(dims->size())}) {
    node.remark() << "its pads are values of run time; the extents of its "
                     "result are taken to be the declared ones";
    return node.setResult(0, padAtRunTime(node, *mode, node.operand(1), *dims,
                                          *declared, *value));
  }
  auto pads =
      node.numbersOf(node.hasAttribute("paddings") ? "paddings" : "pads", 1);
  if (failed(pads))
    return failure();
  if (!*pads || (*pads)->size() != 2 * dims->size())
    return node.error() << "expected " << 2 * dims->size() << " pads, got "
                        << (*pads ? (*pads)->size() : 0);
  Number zero = node.build.numbersHere().constant(0);
  SmallVector<Number> low(operand.rank(), zero), high(operand.rank(), zero);
  for (auto [number, dim] : llvm::enumerate(*dims)) {
    low[dim] = (**pads)[number];
    high[dim] = (**pads)[number + dims->size()];
  }
  return padBy(node, *mode, low, high, *value);
}

/// Cuts or pads dimensions to given extents, the middle of them kept.
LogicalResult buildCenterCropPad(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  FailureOr<SmallVector<int64_t>> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, operand.rank()));
  if (auto axes = node.integers("axes"))
    dims = node.dimensions(*axes, operand.rank());
  if (failed(dims))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = node.constantIntegers(1, "the shape");
  if (failed(shape))
    return failure();
  if (shape->size() != dims->size())
    return node.error() << "expected " << dims->size() << " extents, got "
                        << shape->size();
  Numbers numbers = node.build.numbersHere();
  SmallVector<Number> low(operand.rank(), numbers.constant(0)),
      high(operand.rank(), numbers.constant(0));
  for (auto [dim, wanted] : llvm::zip_equal(*dims, *shape)) {
    int64_t extent = operand.shape()[dim];
    if (wanted < 0 || wanted > kMostElements || ShapedType::isDynamic(extent))
      return node.error() << "cannot bring " << NodeImport::describe(operand)
                          << " to " << wanted << " entries of dimension "
                          << dim;
    // An odd one more is cut in front, and added after.
    int64_t more = wanted - extent;
    int64_t before = more >= 0 ? more / 2 : -((-more) / 2);
    low[dim] = numbers.constant(before);
    high[dim] = numbers.constant(more - before);
  }
  return padBy(node, PadMode::Constant, low, high,
               node.build.scalar(operand.elementType(), 0));
}

} // namespace

void addPads(OperatorTable &table) {
  table.add("Pad", 1, buildPad);
  table.add("CenterCropPad", 2, buildCenterCropPad);
}

} // namespace npu
