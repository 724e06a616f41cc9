// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Third operations in made-up functions.

#include "Steps.h"

#include "npu-fuzz/Functions/OperationMaker.h"

using npu::ElementType, npu::Fact, npu::OperationMaker;

namespace third {
namespace {

/// Takes values with entries, of f32 and two dimensions.
std::optional<unsigned> pickMatrix(OperationMaker &maker) {
  if (!maker.hasLayouts())
    return std::nullopt;
  return maker.pick([](const Fact &value) {
    return value.type == ElementType::F32 && value.shape.size() == 2 &&
           value.volume() > 0;
  });
}

void reverse(OperationMaker &maker) {
  auto value = maker.pickFilled();
  if (!value || !maker.hasLayouts())
    return;
  const Fact from = maker[*value];
  int64_t dim = maker.below(std::ssize(from.shape));
  maker.makeLaidOut(maker.tensor(from.type, from.dims), from,
                    [&](const Fact &made) {
                      return maker.call("third.reverse", from.value, made,
                                        maker.number("dim", dim));
                    });
}

/// Sums over a window of some rows.
void blur(OperationMaker &maker) {
  auto value = pickMatrix(maker);
  if (!value)
    return;
  const Fact from = maker[*value];
  int64_t rows = maker.between(1, from.shape[0]);
  npu::Dims dims = from.dims;
  dims[0] = npu::fixed(from.shape[0] - rows + 1);
  maker.makeLaidOut(maker.tensor(from.type, dims), from, [&](const Fact &made) {
    mlir::Value into = maker.filled(made, 1);
    return maker.call("third.blur", {from.value, into}, made);
  });
}

void minMax(OperationMaker &maker) {
  auto value = pickMatrix(maker);
  if (!value)
    return;
  const Fact from = maker[*value];
  Fact low = maker.tensor(from.type, {from.dims[0]}), high = low;
  low.layout = maker.layout(low.shape);
  high.layout = maker.layout(high.shape);
  maker.makePair(low, high, [&](const Fact &one, const Fact &other) {
    return maker.call("third.minmax", from.value,
                      {maker.typeOf(one), maker.typeOf(other)});
  });
}

void take(OperationMaker &maker) {
  auto table = pickMatrix(maker);
  if (!table)
    return;
  const Fact from = maker[*table];
  npu::Dims places = {npu::fixed(maker.between(1, 6))};
  const Fact at = maker[maker.valueOf(places, ElementType::I32)];
  maker.makeLaidOut(maker.tensor(from.type, {places[0], from.dims[1]}), from,
                    [&](const Fact &made) {
                      return maker.call("third.take", {from.value, at.value},
                                        made);
                    });
}

constexpr npu::StepKind kKinds[] = {reverse, blur, minMax, take};

} // namespace

std::span<const npu::StepKind> stepKinds() { return kKinds; }

std::optional<double> magnitudeOf(mlir::Operation *op,
                                  llvm::ArrayRef<double> operands) {
  if (op->getName().getStringRef() != "third.blur")
    return std::nullopt;
  auto rows = [](mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getDimSize(0);
  };
  // Each row of the result is a sum of so many of the operand, and what it
  // begins with.
  int64_t terms = rows(op->getOperand(0)) - rows(op->getResult(0)) + 1;
  return operands[0] * static_cast<double>(terms) + operands[1];
}

} // namespace third
