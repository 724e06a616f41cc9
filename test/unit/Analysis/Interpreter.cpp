// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interpreter.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace npu {
namespace {

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluate(binary.getLHS(), loops);
  int64_t b = evaluate(binary.getRHS(), loops);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  default:
    throw std::logic_error("a map that no test has");
  }
}

Scalar numberOf(Attribute attr) {
  if (auto floating = dyn_cast<FloatAttr>(attr))
    return {.f = floating.getValue().convertToFloat()};
  return {.i = cast<IntegerAttr>(attr).getValue().getSExtValue()};
}

} // namespace

int64_t HostArray::numEntries() const {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

Scalar &HostArray::at(ArrayRef<int64_t> position) {
  int64_t offset = 0;
  for (auto [index, extent] : llvm::zip_equal(position, shape)) {
    if (index < 0 || index >= extent)
      throw Trap("a position outside of a tensor");
    offset = offset * extent + index;
  }
  return entries[offset];
}

bool sameBits(const Scalar &a, const Scalar &b, Type type) {
  if (!isa<FloatType>(type))
    return a.i == b.i;
  if (std::isnan(a.f) || std::isnan(b.f))
    return std::isnan(a.f) && std::isnan(b.f);
  return std::bit_cast<uint32_t>(a.f) == std::bit_cast<uint32_t>(b.f);
}

void forEachPosition(
    ArrayRef<int64_t> shape,
    llvm::function_ref<void(const std::vector<int64_t> &)> visit) {
  if (llvm::any_of(shape, [](int64_t extent) { return extent <= 0; }))
    return;
  std::vector<int64_t> position(shape.size(), 0);
  while (true) {
    visit(position);
    int64_t dim = int64_t(shape.size()) - 1;
    while (dim >= 0 && ++position[dim] == shape[dim])
      position[dim--] = 0;
    if (dim < 0)
      return;
  }
}

HostValue &Interpreter::of(Value value) {
  auto it = values.find(value.getAsOpaquePointer());
  if (it == values.end())
    throw std::logic_error("a value that was not computed");
  return it->second;
}

int64_t Interpreter::integer(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attr).getInt();
  return of(cast<Value>(value)).scalar.i;
}

std::vector<int64_t> Interpreter::integers(ArrayRef<OpFoldResult> these) {
  std::vector<int64_t> result;
  for (OpFoldResult each : these)
    result.push_back(integer(each));
  return result;
}

std::vector<HostValue> Interpreter::run(func::FuncOp function,
                                        ArrayRef<HostValue> arguments) {
  values.clear();
  made.clear();
  for (auto [formal, actual] :
       llvm::zip_equal(function.getArguments(), arguments))
    place(formal) = actual;
  runBlock(function.front());
  std::vector<HostValue> results;
  for (Value result : function.front().getTerminator()->getOperands())
    results.push_back(of(result));
  return results;
}

void Interpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    run(op);
}

void Interpreter::slice(Operation &op) {
  auto move = [&](HostArray &whole, HostArray &part, ArrayRef<int64_t> offsets,
                  const llvm::SmallBitVector &dropped, bool in) {
    forEachPosition(part.shape, [&](const std::vector<int64_t> &at) {
      std::vector<int64_t> there(offsets);
      unsigned next = 0;
      for (unsigned dim = 0; dim < there.size(); ++dim)
        if (!dropped[dim])
          there[dim] += at[next++];
      (in ? whole.at(there) : part.at(at)) = in ? part.at(at) : whole.at(there);
    });
  };
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    HostArray whole = of(extract.getSource()).array, part;
    std::vector<int64_t> sizes = integers(extract.getMixedSizes());
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (!extract.getDroppedDims()[dim])
        part.shape.push_back(sizes[dim]);
    part.entries.resize(part.numEntries());
    move(whole, part, integers(extract.getMixedOffsets()),
         extract.getDroppedDims(), /*in=*/false);
    place(extract.getResult()).array = std::move(part);
    return;
  }
  auto insert = cast<tensor::InsertSliceOp>(op);
  HostArray whole = of(insert.getDest()).array;
  HostArray part = of(insert.getSource()).array;
  move(whole, part, integers(insert.getMixedOffsets()), insert.getDroppedDims(),
       /*in=*/true);
  place(insert.getResult()).array = std::move(whole);
}

void Interpreter::runStructured(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::vector<int64_t> extents(op.getNumLoops(), -1);
  for (auto [map, operand] : llvm::zip(maps, op->getOperands()))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        extents[loop.getPosition()] = of(operand).array.shape[dim];
  std::vector<HostArray> outputs;
  for (Value init : op.getDpsInits())
    outputs.push_back(of(init).array);
  Block *body = op.getBlock();
  std::vector<int64_t> outer = position;
  forEachPosition(extents, [&](const std::vector<int64_t> &at) {
    position = at;
    for (auto [number, argument] : llvm::enumerate(body->getArguments())) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      Value value = operand->get();
      if (!isa<TensorType>(value.getType())) {
        place(argument).scalar = of(value).scalar;
        continue;
      }
      std::vector<int64_t> index;
      for (AffineExpr expr : maps[operand->getOperandNumber()].getResults())
        index.push_back(evaluate(expr, at));
      HostArray &array =
          op.isDpsInit(operand)
              ? outputs[op.getTiedOpResult(operand).getResultNumber()]
              : of(value).array;
      place(argument).scalar = array.at(index);
    }
    runBlock(*body);
    for (auto [number, yielded] :
         llvm::enumerate(body->getTerminator()->getOperands())) {
      OpOperand *init = op.getDpsInitOperand(number);
      std::vector<int64_t> index;
      for (AffineExpr expr : maps[init->getOperandNumber()].getResults())
        index.push_back(evaluate(expr, at));
      outputs[number].at(index) = of(yielded).scalar;
    }
  });
  position = outer;
  if (!isa<linalg::FillOp>(op.getOperation()))
    made.push_back(outputs);
  for (auto [result, output] : llvm::zip_equal(op->getResults(), outputs))
    place(result).array = output;
}

void Interpreter::run(Operation &op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return runStructured(structured);
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
    return slice(op);
  if (isa<cf::AssertOp>(op))
    return;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    HostValue value;
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue())) {
      value.array.shape = elements.getType().getShape().vec();
      for (Attribute each : elements.getValues<Attribute>())
        value.array.entries.push_back(numberOf(each));
    } else {
      value.scalar = numberOf(constant.getValue());
    }
    place(constant.getResult()) = std::move(value);
    return;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    place(dim.getResult()).scalar.i =
        of(dim.getSource()).array.shape[of(dim.getIndex()).scalar.i];
    return;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    HostArray array;
    array.shape = integers(empty.getMixedSizes());
    for (int64_t i = 0, e = array.numEntries(); i < e; ++i)
      array.entries.push_back(garbage(empty.getType().getElementType()));
    place(empty.getResult()).array = std::move(array);
    return;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    place(index.getResult()).scalar.i = position[index.getDim()];
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    std::vector<int64_t> at;
    for (Value each : extract.getIndices())
      at.push_back(of(each).scalar.i);
    place(extract.getResult()).scalar = of(extract.getTensor()).array.at(at);
    return;
  }
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    Block &taken = of(choice.getCondition()).scalar.i != 0
                       ? choice.getThenRegion().front()
                       : choice.getElseRegion().front();
    runBlock(taken);
    for (auto [result, yielded] :
         llvm::zip(choice.getResults(), taken.getTerminator()->getOperands()))
      place(result) = HostValue(of(yielded));
    return;
  }
  std::vector<Scalar> operands;
  for (Value operand : op.getOperands())
    operands.push_back(of(operand).scalar);
  place(op.getResult(0)).scalar = computeScalar(op, operands);
}

} // namespace npu
