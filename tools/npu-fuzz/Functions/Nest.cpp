// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/Nest.h"

#include "npu-fuzz/Functions/ElementwiseRows.h"
#include "npu/Execution/Jit/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// Whether a value is at least `least` at every length, whatever tensors hold.
bool isAtLeast(Value value, int64_t least) {
  // Small integers wrap around.
  if (isa<FloatType>(value.getType()) || value.getType().isInteger(1))
    return false;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.sge(least);
  Operation *op = value.getDefiningOp();
  if (value.getType().isInteger(8))
    return false;
  if (!op) // an offset, or an entry
    return value.getType().isIndex() && least <= 0;
  if (isa<ShapedDimOpInterface>(op))
    return least <= 1;
  if (isa<linalg::IndexOp>(op))
    return least <= 0;
  if (isa<arith::IndexCastOp>(op))
    return isAtLeast(op->getOperand(0), least);
  auto are = [&](int64_t first, int64_t second) {
    return isAtLeast(op->getOperand(0), first) &&
           isAtLeast(op->getOperand(1), second);
  };
  if (isa<arith::AddIOp>(op))
    return are(least, 0) || are(0, least);
  return isa<arith::MaxSIOp>(op) && (isAtLeast(op->getOperand(0), least) ||
                                     isAtLeast(op->getOperand(1), least));
}

/// Whether an index stands inside of the extent at every length.
bool standsInside(Value index, const Extent &extent, const Dims &loops) {
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number)))
    return number.sge(0) && number.slt(extent.at(1));
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  return loop && loop.getDim() < loops.size() && loops[loop.getDim()] == extent;
}

} // namespace

Scalar Scalars::bounded(Value value, ElementType type, double most) {
  if (type != kIndex && !maker.mayReach(type, most))
    maker.refuse();
  return {value, type, most};
}

Scalar Scalars::number(ElementType type, double value) {
  return {maker.constant(at, type, value), type, std::fabs(value)};
}

Scalar Region::loop(int64_t loop, int64_t extent) {
  OpBuilder front(at.getContext());
  front.setInsertionPointToStart(at.getBlock());
  return {linalg::IndexOp::create(front, at.getUnknownLoc(), loop), kIndex,
          static_cast<double>(extent)};
}

Scalar Scalars::op(const std::string &name, std::vector<Scalar> operands) {
  SmallVector<Value> values;
  for (const Scalar &operand : operands)
    values.push_back(operand.value);
  Value made =
      FunctionMaker::call(at, name, values, values[0].getType())->getResult(0);
  double a = operands[0].most, b = operands.back().most;
  if (isExtremum(name))
    return bounded(made, operands[0].type, std::max(a, b));
  const ElementwiseRow *row = rowNamed(name);
  if (maker.hasBounds() && (!row || (maker.exact() && !row->isExact)))
    maker.refuse();
  return bounded(made, operands[0].type, row ? row->most(a, b) : 0);
}

Scalar Scalars::either(const char *name, const Scalar &a, const Scalar &b) {
  return op(std::string("arith.") + name + (isFloat(a.type) ? "f" : "i"),
            {a, b});
}

Scalar Scalars::largest(const Scalar &a, const Scalar &b) {
  return op(isFloat(a.type) ? "arith.maximumf" : "arith.maxsi", {a, b});
}

Scalar Scalars::divide(const std::string &name, const Scalar &a, Scalar by) {
  APInt number;
  bool isNegative =
      matchPattern(by.value, m_ConstantInt(&number)) && number.slt(-1);
  if (!isNegative && !isAtLeast(by.value, 1))
    by.value = FunctionMaker::call(at, "arith.maxsi",
                                   {by.value, maker.constant(at, by.type, 1)},
                                   by.value.getType())
                   ->getResult(0);
  return {FunctionMaker::call(at, name, {a.value, by.value}, a.value.getType())
              ->getResult(0),
          a.type, a.most};
}

Scalar Scalars::compare(llvm::StringRef predicate, const Scalar &a,
                        const Scalar &b) {
  Location loc = at.getUnknownLoc();
  if (isFloat(a.type))
    return {arith::CmpFOp::create(at, loc,
                                  *arith::symbolizeCmpFPredicate(predicate),
                                  a.value, b.value),
            ElementType::Bool, 1};
  return {arith::CmpIOp::create(at, loc,
                                *arith::symbolizeCmpIPredicate(predicate),
                                a.value, b.value),
          ElementType::Bool, 1};
}

Scalar Scalars::choose(const Scalar &condition, const Scalar &yes,
                       const Scalar &no) {
  return {arith::SelectOp::create(at, at.getUnknownLoc(), condition.value,
                                  yes.value, no.value),
          yes.type, std::max(yes.most, no.most)};
}

Scalar Scalars::cast(const std::string &name, ElementType type,
                     Scalar operand) {
  // A conversion of a float outside of the integer type is undefined: clamp it.
  if (name == "arith.fptosi")
    for (auto [by, bound] :
         {std::pair("arith.maxnumf", -100.), std::pair("arith.minnumf", 100.)})
      operand.value =
          FunctionMaker::call(
              at, by, {operand.value, maker.constant(at, operand.type, bound)},
              operand.value.getType())
              ->getResult(0);
  return bounded(
      FunctionMaker::call(at, name, operand.value, maker.elementType(type))
          ->getResult(0),
      type, operand.most);
}

Scalar Scalars::positionAs(ElementType type, const Scalar &position) {
  if (!isFloat(type))
    return cast("arith.index_cast", type, position);
  return cast("arith.sitofp", type,
              cast("arith.index_cast", ElementType::I32, position));
}

Scalar Scalars::extract(const Fact &from, ArrayRef<Scalar> indices) {
  SmallVector<Value> values;
  for (const Scalar &index : indices)
    values.push_back(index.value);
  return {tensor::ExtractOp::create(at, at.getUnknownLoc(), from.value, values),
          from.type, from.most};
}

Scalar Scalars::extractClamped(const Fact &from, std::vector<Scalar> indices) {
  for (auto [index, extent] : llvm::zip(indices, from.dims)) {
    if (standsInside(index.value, extent, loops))
      continue;
    Scalar end = extent.grows() ? Scalar{maker.extent(extent), kIndex}
                                : this->index(extent.number);
    Scalar zero = this->index(0);
    Scalar last = op("arith.subi", {end, this->index(1)});
    index = op("arith.maxsi", {index, zero});
    index = op("arith.minsi", {index, last});
  }
  return extract(from, indices);
}

Scalar Scalars::extractGuarded(const Fact &from, ArrayRef<Scalar> indices) {
  std::optional<Scalar> inside;
  for (auto [index, extent] : llvm::zip(indices, from.dims)) {
    if (standsInside(index.value, extent, loops))
      continue;
    Scalar end = extent.grows() ? Scalar{maker.extent(extent), kIndex}
                                : this->index(extent.number);
    Scalar fits = compare("ult", index, end);
    inside = inside ? op("arith.andi", {*inside, fits}) : fits;
  }
  if (!inside)
    return extract(from, indices);
  return ifElse(
      *inside, [&](Scalars &here) { return here.extract(from, indices); },
      [&](Scalars &here) { return here.number(from.type, 0); });
}

Scalar Scalars::ifElse(const Scalar &condition,
                       llvm::function_ref<Scalar(Scalars &)> yes,
                       llvm::function_ref<Scalar(Scalars &)> no) {
  Scalar first, second;
  auto branch = [&](llvm::function_ref<Scalar(Scalars &)> of, Scalar &result) {
    return [this, of, &result](OpBuilder &inner, Location loc) {
      Scalars here(maker, inner);
      here.loops = loops;
      result = of(here);
      scf::YieldOp::create(inner, loc, result.value);
    };
  };
  auto op = scf::IfOp::create(at, at.getUnknownLoc(), condition.value,
                              branch(yes, first), branch(no, second));
  return {op.getResult(0), first.type, std::max(first.most, second.most)};
}

const char *conversion(ElementType from, ElementType to) {
  auto width = [](ElementType type) {
    return type == ElementType::Bool ? 0 : byteSize(type);
  };
  int64_t bits = width(from), wanted = width(to);
  if (from == to || (bits == wanted && isFloat(from) == isFloat(to)))
    return nullptr;
  if (isFloat(from) && isFloat(to))
    return bits < wanted ? "arith.extf" : "arith.truncf";
  if (!isFloat(from) && !isFloat(to))
    return bits < wanted ? "arith.extsi" : "arith.trunci";
  return isFloat(to) ? "arith.sitofp" : nullptr;
}

bool isReduction(ArrayRef<AffineMap> outputs, unsigned loop) {
  return llvm::none_of(
      outputs, [&](AffineMap map) { return map.isFunctionOfDim(loop); });
}

Operation *build(FunctionMaker &maker, const Nest &nest,
                 llvm::function_ref<std::vector<Scalar>(Region &)> body,
                 std::vector<double> *most) {
  OpBuilder &b = maker.b;
  Location loc = b.getUnknownLoc();
  SmallVector<Value> inputs;
  for (const Fact &input : nest.inputs)
    inputs.push_back(input.value);
  auto outputs = ArrayRef(nest.maps).drop_front(inputs.size());
  SmallVector<utils::IteratorType> kinds;
  SmallVector<int64_t> reduced;
  for (unsigned loop = 0; loop < nest.maps[0].getNumDims(); ++loop) {
    bool reduces =
        nest.reduces.empty() ? isReduction(outputs, loop) : nest.reduces[loop];
    kinds.push_back(reduces ? utils::IteratorType::reduction
                            : utils::IteratorType::parallel);
    if (reduces)
      reduced.push_back(loop);
  }
  auto fill = [&](OpBuilder &inner, Location loc, ValueRange arguments) {
    Region region(maker, inner, nest.loops);
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      if (i < inputs.size()) {
        region.in.push_back(
            {argument, nest.inputs[i].type, nest.inputs[i].most});
        continue;
      }
      std::size_t number = i - inputs.size();
      region.out.push_back({argument, *elementTypeOf(argument.getType()), 0});
      if (number < nest.begins.size())
        region.out.back().most = nest.begins[number];
    }
    std::vector<Scalar> results = body(region);
    SmallVector<Value> yielded;
    for (const Scalar &result : results) {
      yielded.push_back(result.value);
      if (most)
        most->push_back(result.most);
    }
    linalg::YieldOp::create(inner, loc, yielded);
  };
  if (nest.form == Nest::Map)
    return linalg::MapOp::create(b, loc, inputs, nest.inits[0], fill);
  if (nest.form == Nest::Reduce)
    return linalg::ReduceOp::create(b, loc, inputs, nest.inits, reduced, fill);
  return linalg::GenericOp::create(b, loc, ValueRange(nest.inits).getTypes(),
                                   inputs, nest.inits, nest.maps, kinds, fill);
}

Value entryByEntry(FunctionMaker &maker, std::vector<Fact> inputs, Fact &result,
                   llvm::function_ref<Scalar(Region &)> body,
                   std::vector<std::vector<int64_t>> loops, Nest::Form form) {
  auto rank = static_cast<int64_t>(result.dims.size());
  Nest nest{form, std::move(inputs)};
  for (std::size_t i = 0; i < nest.inputs.size(); ++i)
    nest.maps.push_back(i < loops.size() ? maker.mapTo(rank, loops[i])
                                         : maker.identity(rank));
  nest.maps.push_back(maker.identity(rank));
  nest.inits = {maker.empty(result)};
  std::vector<double> most;
  Operation *op = build(
      maker, nest, [&](Region &region) { return std::vector{body(region)}; },
      &most);
  result.most = most[0];
  return op->getResult(0);
}

} // namespace npu
