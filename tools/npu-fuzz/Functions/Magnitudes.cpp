// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/Magnitudes.h"

#include "npu-fuzz/Functions/ElementwiseRows.h"
#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// The largest of some bounds; 0 of none.
double largestOf(ArrayRef<double> bounds) {
  return bounds.empty() ? 0 : *llvm::max_element(bounds);
}

/// A bound that holds for every value of the type.
double within(Type type, double most) {
  type = getElementTypeOrSelf(type);
  if (type.isInteger(1))
    return 1;
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? std::min(most, std::ldexp(1.0, integer.getWidth() - 1))
                 : most;
}

double magnitude(Attribute constant) {
  if (auto number = dyn_cast<FloatAttr>(constant))
    return std::fabs(number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return std::fabs(static_cast<double>(number.getValue().getSExtValue()));
  double most = 0;
  if (auto elements = dyn_cast<DenseElementsAttr>(constant))
    for (Attribute each : elements.getValues<Attribute>())
      most = std::max(most, magnitude(each));
  return most;
}

/// How often a loop runs.
int64_t tripCount(Operation *op) {
  // Others count to less than this.
  constexpr int64_t kMostTrips = 3;
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : std::nullopt;
  return trips ? trips->getSExtValue() : kMostTrips;
}

} // namespace

double Magnitudes::of(Value value) const {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  // Arguments of `main` and tensors of nobody's.
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
  return within(value.getType(), isFloat ? 4 : 8);
}

void Magnitudes::set(Value value, double most) {
  Type type = getElementTypeOrSelf(value.getType());
  known[value] = most = within(type, most);
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return;
  double limit = isExact        ? std::ldexp(1.0, floating.getFPMantissaWidth())
                 : type.isF16() ? 1e4
                                : 1e30;
  isFine &= most <= limit;
}

bool Magnitudes::mayRound(Operation *op) const {
  const ElementwiseRow *row = rowNamed(op->getName().getStringRef());
  return row ? !row->isExact : isa<math::MathDialect>(op->getDialect());
}

bool Magnitudes::learn(Operation *op) {
  isFine = true;
  for (auto [result, most] : llvm::zip(op->getResults(), boundsOf(op)))
    set(result, most);
  return isFine;
}

Magnitudes::Bounds Magnitudes::all(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return of(value); });
}

Magnitudes::Bounds Magnitudes::run(Block &block, ArrayRef<double> arguments) {
  for (auto [argument, most] : llvm::zip(block.getArguments(), arguments))
    set(argument, most);
  for (Operation &op : block.without_terminator())
    for (auto [result, most] : llvm::zip(op.getResults(), boundsOf(&op)))
      set(result, most);
  return all(block.getTerminator()->getOperands());
}

/// What a region that accumulates adds with each term is what it adds with the
/// second one. Of minima and maxima, that is nothing.
Magnitudes::Bounds Magnitudes::structured(linalg::LinalgOp op) {
  double terms = 1;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (auto [kind, extent] : llvm::zip(kinds, op.getStaticLoopRanges()))
    if (kind == utils::IteratorType::reduction)
      terms *=
          static_cast<double>(ShapedType::isDynamic(extent) ? longest : extent);
  Bounds inputs = all(op.getDpsInputs()), begin = all(op.getDpsInits());
  auto once = [&](const Bounds &outputs) {
    Bounds arguments = inputs;
    llvm::append_range(arguments, outputs);
    return run(*op.getBlock(), arguments);
  };
  Bounds first = once(begin);
  if (op.getNumReductionLoops() != 0) {
    Bounds second = once(first);
    for (auto [one, two, from] : llvm::zip(first, second, begin))
      if (two > one)
        one = from + terms * (two - one);
  }
  // Entries that are not written keep what they begin with.
  for (auto [one, from] : llvm::zip(first, begin))
    one = std::max(one, from);
  return first;
}

/// Every iteration gets what the one before it made. A body that never runs has
/// to be fine as well.
Magnitudes::Bounds Magnitudes::looped(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  Bounds carried =
      all(loop ? ValueRange(loop.getInits()) : ValueRange(op->getOperands()));
  Bounds most = carried;
  int64_t trips = tripCount(op);
  for (int64_t trip = 0; trip < std::max<int64_t>(trips, 1); ++trip) {
    Bounds next;
    if (loop) {
      Bounds arguments = carried;
      arguments.insert(arguments.begin(), 8);
      next = run(*loop.getBody(), arguments);
    } else {
      Bounds handed = run(op->getRegion(0).front(), carried);
      handed.erase(handed.begin());
      next = run(op->getRegion(1).front(), handed);
    }
    if (trips == 0)
      break;
    carried = next;
    for (auto [all, each] : llvm::zip(most, carried))
      all = std::max(all, each);
  }
  return loop ? carried : most;
}

Magnitudes::Bounds Magnitudes::boundsOf(Operation *op) {
  if (isExact && mayRound(op))
    isFine = false;
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return this->structured(structured);
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return looped(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, call.getCalleeAttr());
    return run(callee.getBody().front(), all(op->getOperands()));
  }
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return {magnitude(constant)};
  Bounds operands = all(op->getOperands());
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto around = op->getParentOfType<linalg::LinalgOp>();
    int64_t extent = around.getStaticLoopRanges()[index.getDim()];
    return {
        static_cast<double>(ShapedType::isDynamic(extent) ? longest : extent)};
  }
  if (auto read = modelOf<EntryReadOpInterface>(op))
    return {of(read.getReadTensor().get())};
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return {1};
  if (isa<arith::SelectOp>(op))
    return {std::max(operands[1], operands[2])};
  if (op->getNumResults() == 1 && isUnwritten(op->getResult(0)))
    return {0};
  if (op->getName().getStringRef() == "tosa.reduce_sum") {
    auto count = [](Value value) {
      return static_cast<double>(
          cast<ShapedType>(value.getType()).getNumElements());
    };
    return {operands[0] * count(op->getOperand(0)) / count(op->getResult(0))};
  }
  // What regions hand on, or else what a padding or a value keeps.
  Bounds most(op->getNumResults(), 0);
  if (!isa<RegionBranchOpInterface>(op))
    most.assign(op->getNumResults(), largestOf(operands));
  for (Region &region : op->getRegions())
    if (!region.empty())
      for (auto [all, each] : llvm::zip(
               most, run(region.front(), Bounds(region.getNumArguments(), 64))))
        all = std::max(all, each);
  if (auto of = fuzzExtension().magnitudeOf)
    if (std::optional<double> bound = of(op, operands))
      return Bounds(op->getNumResults(), *bound);
  const ElementwiseRow *row = rowNamed(op->getName().getStringRef());
  if (row && !operands.empty() && !isExtremum(row->op))
    return {row->most(operands[0], operands.back())};
  return most;
}

} // namespace npu
