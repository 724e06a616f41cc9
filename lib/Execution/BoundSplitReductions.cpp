// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundSplitReductions.h"
#include "npu/Analysis/SplitReduction.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace npu {
namespace {

RankedTensorType inF64(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(),
                               Float64Type::get(value.getContext()));
}

/// 2 * gamma(n); infinite where n is too large for the type to say anything.
double twiceGamma(int64_t n, FloatType type) {
  double unit = std::ldexp(1.0, -int(type.getFPMantissaWidth()));
  double share = double(n) * unit;
  return share < 1 ? 2 * share / (1 - share)
                   : std::numeric_limits<double>::infinity();
}

class BoundBuilder {
public:
  BoundBuilder(func::FuncOp function, ArrayRef<SplitReductionNote> splits)
      : splits(splits), builder(function.getContext()) {
    llvm::StringMap<int64_t> counts;
    function.walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
      StringRef name = op->getName().getStringRef();
      for (const SplitReductionNote &split : splits)
        if (split.op == name && split.number == counts[name])
          splitOps[op] = &split;
      ++counts[name];
    });
  }

  /// The bound at `value`, or null where it is not known.
  Value at(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || value.getParentBlock() != &op->getParentRegion()->front())
      return {};
    if (auto it = splitOps.find(op); it != splitOps.end())
      return ofReduction(cast<linalg::LinalgOp>(op), *it->second);
    bool moves =
        isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::CastOp, linalg::TransposeOp>(op);
    if (!moves || !isa<RankedTensorType>(value.getType()))
      return {};
    Value source = at(op->getOperand(0));
    if (!source)
      return {};
    builder.setInsertionPointAfter(op);
    RankedTensorType type = inF64(value);
    if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
      Value empty = tensor::EmptyOp::create(
          builder, op->getLoc(), type.getShape(), type.getElementType());
      return linalg::TransposeOp::create(builder, op->getLoc(), source, empty,
                                         transpose.getPermutation())
          ->getResult(0);
    }
    SmallVector<Value> operands(op->getOperands());
    operands[0] = source;
    return clone(builder, op, TypeRange{type}, operands)->getResult(0);
  }

private:
  Value ofReduction(linalg::LinalgOp op, const SplitReductionNote &split) {
    std::optional<Reduction> reduction = matchReduction(op);
    int64_t terms = reduction ? termsOf(op) : 0;
    auto type =
        dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    if (!reduction || !type || !reduction->rounds || type.getWidth() > 64 ||
        terms != split.terms)
      return {};
    builder.setInsertionPointAfter(op);
    // Each term takes part in at most the additions of its part, and in one for
    // every part; so does the initial value.
    double factor = twiceGamma(split.terms + split.parts + 1, type);
    Value magnitude = isa<arith::AddFOp>(reduction->combiner)
                          ? sumOfMagnitudes(op, *reduction)
                          : op->getResult(0);
    return elementwise(op.getLoc(), magnitude, [&](Value in) -> Value {
      Location loc = op.getLoc();
      Value scale = arith::ConstantOp::create(builder, loc,
                                              builder.getF64FloatAttr(factor));
      return arith::MulFOp::create(builder, loc, magnitudeOf(loc, in), scale);
    });
  }

  /// |init| + sum of |terms|, in f64.
  Value sumOfMagnitudes(linalg::LinalgOp op, const Reduction &reduction) {
    Location loc = op.getLoc();
    OpOperand *output = op.getDpsInitOperand(0);
    Value init = elementwise(loc, output->get(),
                             [&](Value in) { return magnitudeOf(loc, in); });
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{init.getType()}, op.getDpsInputs(), init,
        op.getIndexingMapsArray(), op.getIteratorTypesArray());
    IRMapping mapping;
    op->getRegion(0).cloneInto(&generic.getRegion(), mapping);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = generic.getBody();
    Operation *combiner = mapping.lookup(reduction.combiner);
    BlockArgument accumulator = body->getArguments().back();
    Value term = combiner->getOperand(0) == accumulator
                     ? combiner->getOperand(1)
                     : combiner->getOperand(0);
    accumulator.setType(builder.getF64Type());
    builder.setInsertionPoint(combiner);
    Value sum = arith::AddFOp::create(builder, loc, accumulator,
                                      magnitudeOf(loc, term));
    body->getTerminator()->setOperand(0, sum);
    combiner->erase();
    return generic.getResult(0);
  }

  Value magnitudeOf(Location loc, Value scalar) {
    if (!scalar.getType().isF64())
      scalar =
          arith::ExtFOp::create(builder, loc, builder.getF64Type(), scalar);
    return math::AbsFOp::create(builder, loc, scalar);
  }

  Value elementwise(Location loc, Value from,
                    llvm::function_ref<Value(Value)> compute) {
    RankedTensorType type = inF64(from);
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> kinds(type.getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{type}, ValueRange{from}, ValueRange{empty},
        ArrayRef<AffineMap>{map, map}, kinds);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(
        &generic.getRegion(), {},
        {getElementTypeOrSelf(from.getType()), type.getElementType()},
        {loc, loc});
    linalg::YieldOp::create(builder, loc, compute(body->getArgument(0)));
    return generic.getResult(0);
  }

  ArrayRef<SplitReductionNote> splits;
  OpBuilder builder;
  llvm::DenseMap<Operation *, const SplitReductionNote *> splitOps;
};

} // namespace

std::vector<SplitReductionNote> splitReductionsIn(ModuleOp module) {
  std::vector<SplitReductionNote> notes;
  module.walk([&](Operation *op) {
    auto attr = op->getAttrOfType<DictionaryAttr>(splitReductionAttrName);
    auto function = op->getParentOfType<func::FuncOp>();
    if (!attr || !function)
      return;
    auto number = [&](StringRef name) {
      auto value = attr.getAs<IntegerAttr>(name);
      return value && value.getType().isInteger(64) ? value.getInt() : 0;
    };
    auto name = attr.getAs<StringAttr>("op");
    SplitReductionNote note{
        function.getName().str(), name ? name.str() : "an operation",
        number("number"),         number("parts"),
        number("terms"),          op->getLoc()};
    bool known = llvm::any_of(notes, [&](const SplitReductionNote &other) {
      return other.function == note.function && other.op == note.op &&
             other.number == note.number;
    });
    if (!known && note.parts > 0 && note.terms > 0)
      notes.push_back(std::move(note));
  });
  return notes;
}

std::optional<std::vector<std::optional<unsigned>>>
returnBounds(func::FuncOp function, ArrayRef<SplitReductionNote> splits) {
  std::vector<SplitReductionNote> inEntry;
  for (const SplitReductionNote &split : splits)
    if (split.function == function.getName())
      inEntry.push_back(split);
  if (inEntry.empty() || !function.getBody().hasOneBlock())
    return std::nullopt;
  BoundBuilder bounds(function, inEntry);
  Operation *terminator = function.front().getTerminator();
  std::vector<std::optional<unsigned>> numbers;
  SmallVector<Value> returned;
  for (Value result : terminator->getOperands()) {
    Value bound = bounds.at(result);
    numbers.push_back(bound ? std::optional<unsigned>(returned.size())
                            : std::nullopt);
    if (bound)
      returned.push_back(bound);
  }
  if (returned.empty())
    return std::nullopt;
  terminator->setOperands(returned);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(),
                                             ValueRange(returned).getTypes()));
  function.removeResAttrsAttr();
  return numbers;
}

} // namespace npu
