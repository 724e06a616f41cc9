// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"

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

Value Region::loop(int64_t loop) {
  OpBuilder front(at.getContext());
  front.setInsertionPointToStart(at.getBlock());
  return linalg::IndexOp::create(front, at.getUnknownLoc(), loop);
}

Value Scalars::op(llvm::StringRef name, ValueRange operands) {
  return FunctionMaker::call(at, name, operands, operands[0].getType())
      ->getResult(0);
}

Value Scalars::either(llvm::StringRef name, Value a, Value b) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  return op(("arith." + name + (isFloat ? "f" : "i")).str(), {a, b});
}

Value Scalars::largest(Value a, Value b) {
  return op(isa<FloatType>(a.getType()) ? "arith.maximumf" : "arith.maxsi",
            {a, b});
}

Value Scalars::divide(llvm::StringRef name, Value a, Value by) {
  APInt constant;
  bool isNegative =
      matchPattern(by, m_ConstantInt(&constant)) && constant.slt(-1);
  if (!isNegative && !isAtLeast(by, 1))
    by = op("arith.maxsi", {by, number(by.getType(), 1)});
  return op(name, {a, by});
}

Value Scalars::compare(llvm::StringRef predicate, Value a, Value b) {
  Location loc = at.getUnknownLoc();
  if (isa<FloatType>(getElementTypeOrSelf(a.getType())))
    return arith::CmpFOp::create(
        at, loc, *arith::symbolizeCmpFPredicate(predicate), a, b);
  return arith::CmpIOp::create(at, loc,
                               *arith::symbolizeCmpIPredicate(predicate), a, b);
}

Value Scalars::choose(Value condition, Value yes, Value no) {
  return arith::SelectOp::create(at, at.getUnknownLoc(), condition, yes, no);
}

Value Scalars::cast(llvm::StringRef name, ElementType type, Value operand) {
  // A conversion of a float outside of the integer type is undefined: clamp it.
  if (name == "arith.fptosi")
    for (auto [by, bound] :
         {std::pair("arith.maxnumf", -100.), std::pair("arith.minnumf", 100.)})
      operand = op(by, {operand, number(operand.getType(), bound)});
  return FunctionMaker::call(at, name, operand, maker.elementType(type))
      ->getResult(0);
}

Value Scalars::positionAs(ElementType type, Value position) {
  if (!isFloat(type))
    return cast("arith.index_cast", type, position);
  return cast("arith.sitofp", type,
              cast("arith.index_cast", ElementType::I32, position));
}

Value Scalars::extract(const Fact &from, ValueRange indices) {
  return tensor::ExtractOp::create(at, at.getUnknownLoc(), from.value, indices);
}

Value Scalars::endOf(const Extent &extent) {
  return extent.grows() ? maker.extent(extent) : index(extent.number);
}

Value Scalars::extractClamped(const Fact &from, SmallVector<Value> indices) {
  for (auto [each, extent] : llvm::zip(indices, from.dims)) {
    if (standsInside(each, extent, loops))
      continue;
    Value zero = index(0);
    Value last = op("arith.subi", {endOf(extent), index(1)});
    each = op("arith.maxsi", {each, zero});
    each = op("arith.minsi", {each, last});
  }
  return extract(from, indices);
}

Value Scalars::extractGuarded(const Fact &from, ValueRange indices) {
  Value inside;
  for (auto [each, extent] : llvm::zip(indices, from.dims)) {
    if (standsInside(each, extent, loops))
      continue;
    Value fits = compare("ult", each, endOf(extent));
    inside = inside ? op("arith.andi", {inside, fits}) : fits;
  }
  if (!inside)
    return extract(from, indices);
  return ifElse(
      inside, [&](Scalars &here) { return here.extract(from, indices); },
      [&](Scalars &here) { return here.number(from.type, 0); });
}

Value Scalars::ifElse(Value condition, llvm::function_ref<Value(Scalars &)> yes,
                      llvm::function_ref<Value(Scalars &)> no) {
  auto branch = [&](llvm::function_ref<Value(Scalars &)> of) {
    return [this, of](OpBuilder &inner, Location loc) {
      Scalars here(maker, inner);
      here.loops = loops;
      Value made = of(here);
      scf::YieldOp::create(inner, loc, made);
    };
  };
  return scf::IfOp::create(at, at.getUnknownLoc(), condition, branch(yes),
                           branch(no))
      .getResult(0);
}

const char *conversion(ElementType from, ElementType to) {
  auto width = [](ElementType type) {
    return type == ElementType::Bool ? 0 : bitSize(type);
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
                 llvm::function_ref<SmallVector<Value>(Region &)> body) {
  OpBuilder &b = maker.b;
  Location loc = b.getUnknownLoc();
  auto outputs = ArrayRef(nest.maps).drop_front(nest.inputs.size());
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
    Region region(maker, inner);
    region.loops = nest.loops;
    region.in.assign(arguments.begin(), arguments.end());
    region.out.assign(arguments.begin() + nest.inputs.size(), arguments.end());
    region.in.truncate(nest.inputs.size());
    linalg::YieldOp::create(inner, loc, body(region));
  };
  if (nest.form == Nest::Map)
    return linalg::MapOp::create(b, loc, nest.inputs, nest.inits[0], fill);
  if (nest.form == Nest::Reduce)
    return linalg::ReduceOp::create(b, loc, nest.inputs, nest.inits, reduced,
                                    fill);
  return linalg::GenericOp::create(b, loc, ValueRange(nest.inits).getTypes(),
                                   nest.inputs, nest.inits, nest.maps, kinds,
                                   fill);
}

Value buildOne(FunctionMaker &maker, const Nest &nest,
               llvm::function_ref<Value(Region &)> body) {
  return build(maker, nest,
               [&](Region &region) { return SmallVector<Value>{body(region)}; })
      ->getResult(0);
}

Value entryByEntry(FunctionMaker &maker, ArrayRef<Value> inputs,
                   const Fact &result, llvm::function_ref<Value(Region &)> body,
                   ArrayRef<std::vector<int64_t>> loops, Nest::Form form) {
  auto rank = static_cast<int64_t>(result.dims.size());
  Nest nest{form};
  for (auto [i, input] : llvm::enumerate(inputs))
    nest.read(input, i < loops.size() ? maker.mapTo(rank, loops[i])
                                      : maker.identity(rank));
  nest.maps.push_back(maker.identity(rank));
  nest.inits = {maker.empty(result)};
  return buildOne(maker, nest, body);
}

} // namespace npu
