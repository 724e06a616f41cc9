// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ShapeOps.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

using Extents = SmallVector<int64_t>;

std::optional<int64_t> exponential(int64_t exponent) {
  if (exponent < 0 || exponent > 62)
    return std::nullopt;
  return int64_t(1) << exponent;
}

/// The operation on one extent of each operand; nothing where it is undefined.
std::optional<int64_t> compute(Operation *op, int64_t a, int64_t b) {
  bool divides = a >= 0 && b > 0;
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<tosa::AddShapeOp>([&](auto) { return llvm::checkedAdd(a, b); })
      .Case<tosa::SubShapeOp>([&](auto) { return llvm::checkedSub(a, b); })
      .Case<tosa::MulShapeOp>([&](auto) { return llvm::checkedMul(a, b); })
      .Case<tosa::MaxShapeOp>([&](auto) { return std::max(a, b); })
      .Case<tosa::MinShapeOp>([&](auto) { return std::min(a, b); })
      .Case<tosa::DivFloorShapeOp>(
          [&](auto) { return divides ? std::optional(a / b) : std::nullopt; })
      .Case<tosa::DivCeilShapeOp>([&](auto) {
        return divides ? std::optional(a / b + (a % b != 0)) : std::nullopt;
      })
      .Case<tosa::ModShapeOp>(
          [&](auto) { return divides ? std::optional(a % b) : std::nullopt; })
      .Case<tosa::Exp2ShapeOp>([&](auto) { return exponential(a); })
      .Case<tosa::Log2FloorShapeOp>([&](auto) {
        return a > 0 ? std::optional<int64_t>(llvm::Log2_64(a)) : std::nullopt;
      })
      .Case<tosa::Log2CeilShapeOp>([&](auto) {
        return a > 0 ? std::optional<int64_t>(llvm::Log2_64_Ceil(a))
                     : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Extents> elementwise(Operation *op) {
  std::optional<Extents> a = constantShape(op->getOperand(0));
  std::optional<Extents> b =
      op->getNumOperands() > 1 ? constantShape(op->getOperand(1)) : a;
  if (!a || !b || a->size() != b->size())
    return std::nullopt;
  Extents result;
  for (auto [first, second] : llvm::zip(*a, *b)) {
    std::optional<int64_t> extent = compute(op, first, second);
    if (!extent)
      return std::nullopt;
    result.push_back(*extent);
  }
  return result;
}

std::optional<int64_t> constantNumber(Value value) {
  DenseIntElementsAttr values;
  if (!matchPattern(value, m_Constant(&values)) || values.getNumElements() != 1)
    return std::nullopt;
  return (*values.value_begin<APInt>()).getSExtValue();
}

std::optional<Extents> extentsOf(Operation *op) {
  if (auto constant = dyn_cast<tosa::ConstShapeOp>(op))
    return Extents(constant.getValues().getValues<int64_t>());
  if (auto dim = dyn_cast<tosa::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getInput1().getType());
    if (!type || type.isDynamicDim(dim.getAxis()))
      return std::nullopt;
    return Extents{type.getDimSize(dim.getAxis())};
  }
  if (auto concat = dyn_cast<tosa::ConcatShapeOp>(op)) {
    Extents result;
    for (Value part : concat.getInput()) {
      std::optional<Extents> extents = constantShape(part);
      if (!extents)
        return std::nullopt;
      result.append(*extents);
    }
    return result;
  }
  if (auto slice = dyn_cast<tosa::SliceShapeOp>(op)) {
    std::optional<Extents> input = constantShape(slice.getInput());
    std::optional<int64_t> start = constantNumber(slice.getStart());
    std::optional<int64_t> size = constantNumber(slice.getSize());
    if (!input || !start || !size || *start < 0 || *size < 0 ||
        *size > static_cast<int64_t>(input->size()) - *start)
      return std::nullopt;
    return Extents(ArrayRef(*input).slice(*start, *size));
  }
  return elementwise(op);
}

} // namespace

std::optional<Extents> constantShape(Value shape) {
  Operation *op = shape.getDefiningOp();
  auto type = dyn_cast<tosa::shapeType>(shape.getType());
  if (!op || !type)
    return std::nullopt;
  std::optional<Extents> extents = extentsOf(op);
  if (!extents || static_cast<int>(extents->size()) != type.getRank())
    return std::nullopt;
  return extents;
}

} // namespace npu
