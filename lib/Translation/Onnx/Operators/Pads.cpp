// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries added around a tensor, or taken away.

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

/// Reflected and repeated entries are listed one by one, up to so many.
constexpr int64_t kMostPaddedPositions = int64_t(1) << 20;

/// Adds low and high entries, numbers of which are known. Negative ones take
/// entries away.
LogicalResult padBy(NodeImport &node, PadMode mode, ArrayRef<int64_t> low,
                    ArrayRef<int64_t> high, Value value) {
  TensorBuilder &build = node.build;
  const OnnxTensor &operand = node.operand(0);
  Value result = operand.value;
  SmallVector<int64_t> before, after, shape;
  for (auto [dim, extent, front, back] :
       llvm::enumerate(operand.shape(), low, high)) {
    before.push_back(std::max<int64_t>(front, 0));
    after.push_back(std::max<int64_t>(back, 0));
    shape.push_back(extent);
    if (front == 0 && back == 0)
      continue;
    if (ShapedType::isDynamic(extent))
      return node.error() << "expected a static extent of dimension " << dim
                          << ", got " << NodeImport::describe(operand);
    if (front > kMostElements || back > kMostElements ||
        front < -kMostElements || back < -kMostElements ||
        extent + front + back < 0)
      return node.error() << "pads " << front << " and " << back
                          << " of dimension " << dim << ", which has " << extent
                          << " entries";
    shape.back() = extent + front + back;
  }
  if (!llvm::is_contained(shape, ShapedType::kDynamic) && !elementCount(shape))
    return node.error() << "its result has more than " << kMostElements
                        << " elements";
  for (auto [dim, front, back] : llvm::enumerate(low, high)) {
    int64_t extent = operand.shape()[dim];
    if (mode == PadMode::Constant) {
      int64_t first = std::max<int64_t>(-front, 0);
      int64_t end = extent - std::max<int64_t>(-back, 0);
      if (first == 0 && end == extent)
        continue;
      // All entries may go, those of the other side with them.
      if (first >= end) {
        TensorBuilder::Sizes all = build.sizes(operand.value);
        for (auto [each, size] : llvm::enumerate(shape))
          if (!ShapedType::isDynamic(size))
            all[each] = build.builder.getIndexAttr(size);
        return node.setResult(0, build.filled(all, value));
      }
      result =
          build.sliceDim(result, static_cast<int64_t>(dim), first, end - first);
      continue;
    }
    if (front == 0 && back == 0)
      continue;
    if (extent == 0 || shape[dim] > kMostPaddedPositions)
      return node.error() << "cannot pad dimension " << dim << " of " << extent
                          << " entries to " << shape[dim] << " with others";
    SmallVector<int64_t> positions;
    for (int64_t at = -front; at < extent + back; ++at)
      positions.push_back(sourceOf(mode, at, extent));
    result = build.take(result, static_cast<int64_t>(dim), positions);
  }
  if (mode == PadMode::Constant)
    result = build.pad(result, before, after, value);
  return node.setResult(0, result);
}

/// Pads of run time, with a result of the shape that the model declares: `low`
/// has the number of entries in front of each dimension.
Value padAtRunTime(NodeImport &node, PadMode mode, const OnnxTensor &pads,
                   ArrayRef<int64_t> dims, ArrayRef<int64_t> shape,
                   Value value) {
  const OnnxTensor &operand = node.operand(0);
  auto body = [&](ScalarBuilder &s, ValueRange at) -> Value {
    auto sub = [&](Value a, Value b) { return s.create<arith::SubIOp>(a, b); };
    auto add = [&](Value a, Value b) { return s.create<arith::AddIOp>(a, b); };
    auto rest = [&](Value a, Value by) {
      return s.create<arith::RemSIOp>(add(s.create<arith::RemSIOp>(a, by), by),
                                      by);
    };
    SmallVector<Value> source(at);
    Value isInside;
    for (auto [number, dim] : llvm::enumerate(dims)) {
      int64_t count = operand.shape()[dim];
      Value extent = indexConstant(s, count), zero = indexConstant(s, 0);
      Value front = s.toIndex(TensorBuilder::read(
          s, pads.value, indexConstant(s, static_cast<int64_t>(number))));
      Value position = sub(at[dim], front);
      if (mode == PadMode::Reflect && count > 1) {
        Value period = indexConstant(s, 2 * (count - 1));
        Value phase = rest(position, period);
        Value isFirst =
            s.create<arith::CmpIOp>(arith::CmpIPredicate::slt, phase, extent);
        position = s.select(isFirst, phase, sub(period, phase));
      } else if (mode == PadMode::Wrap) {
        position = rest(position, extent);
      }
      source[dim] = clamped(s, position, zero, indexConstant(s, count - 1));
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
  bool isKnown =
      !node.has(1) ||
      TensorBuilder::integersOf(node.operand(1).value, node.operand(1).element);
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
      node.integersOf(node.hasAttribute("paddings") ? "paddings" : "pads", 1);
  if (failed(pads))
    return failure();
  if (!*pads || (*pads)->size() != 2 * dims->size())
    return node.error() << "expected " << 2 * dims->size() << " pads, got "
                        << (*pads ? (*pads)->size() : 0);
  SmallVector<int64_t> low(operand.rank(), 0), high(operand.rank(), 0);
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
  SmallVector<int64_t> low(operand.rank(), 0), high(operand.rank(), 0);
  for (auto [dim, wanted] : llvm::zip_equal(*dims, *shape)) {
    int64_t extent = operand.shape()[dim];
    if (wanted < 0 || wanted > kMostElements || ShapedType::isDynamic(extent))
      return node.error() << "cannot bring " << NodeImport::describe(operand)
                          << " to " << wanted << " entries of dimension "
                          << dim;
    // An odd one more is cut in front, and added after.
    int64_t more = wanted - extent;
    low[dim] = more >= 0 ? more / 2 : -((-more) / 2);
    high[dim] = more - low[dim];
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
