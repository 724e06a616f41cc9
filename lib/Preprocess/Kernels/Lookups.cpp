// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lookups.h"

#include "npu/Analysis/Kernels/Lookup.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Interfaces/ModelOf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

bool isTensor(Type type) { return isa<TensorType>(type); }

/// Values of a body that can be computed for all iterations before it runs.
class ComputedApart {
public:
  /// Nothing where that takes more than scalars and the inputs' entries.
  static std::optional<ComputedApart> of(linalg::GenericOp op,
                                         ArrayRef<Value> values) {
    ComputedApart apart(op, values);
    if (!apart.findLoops())
      return std::nullopt;
    return apart;
  }

  /// The loops that the values depend on, in their order.
  ArrayRef<int64_t> loops() const { return dependsOn; }

  /// What the operation reads of a result over these loops.
  AffineMap mapOfResult() const {
    SmallVector<AffineExpr> exprs;
    for (int64_t loop : dependsOn)
      exprs.push_back(getAffineDimExpr(loop, op.getContext()));
    return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
  }

  bool readsInputs() const { return !slice.arguments.empty(); }

  /// A tensor over the first loops of the operation `overLoops`, which have to
  /// be all that the values depend on, with one more dimension for the values.
  /// Number i is at most `extents[i]`, counted without a sign.
  linalg::GenericOp create(OpBuilder &builder, ArrayRef<int64_t> overLoops,
                           ArrayRef<int64_t> extents, Type element,
                           bool isStacked) const {
    MLIRContext *context = builder.getContext();
    SmallVector<int64_t> ranges = op.getStaticLoopRanges(), shape;
    int64_t rank = std::ssize(overLoops) + isStacked;
    SmallVector<AffineExpr> newDims(ranges.size(),
                                    getAffineConstantExpr(0, context));
    for (auto [dim, loop] : llvm::enumerate(overLoops)) {
      newDims[loop] = getAffineDimExpr(dim, context);
      shape.push_back(ranges[loop]);
    }
    if (isStacked)
      shape.push_back(std::ssize(values));
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (BlockArgument argument : slice.arguments) {
      OpOperand &input = op->getOpOperand(argument.getArgNumber());
      inputs.push_back(input.get());
      maps.push_back(op.getMatchingIndexingMap(&input).replaceDimsAndSymbols(
          newDims, {}, rank, 0));
    }
    maps.push_back(builder.getMultiDimIdentityMap(rank));
    Value empty = tensor::EmptyOp::create(builder, op.getLoc(), shape, element);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    return linalg::GenericOp::create(
        builder, op.getLoc(), empty.getType(), inputs, empty, maps, iterators,
        [&](OpBuilder &inner, Location loc, ValueRange arguments) {
          IRMapping mapping;
          for (auto [old, argument] : llvm::zip(slice.arguments, arguments))
            mapping.map(old, argument);
          Value yielded =
              computeAt(inner, loc, mapping, overLoops, extents, isStacked);
          if (!element.isIndex())
            yielded = arith::IndexCastOp::create(inner, loc, element, yielded);
          linalg::YieldOp::create(inner, loc, yielded);
        });
  }

private:
  ComputedApart(linalg::GenericOp op, ArrayRef<Value> values)
      : op(op), values(values), slice(sliceOf(op.getBody(), values)) {}

  bool findLoops() {
    llvm::SmallBitVector used(op.getNumLoops());
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    // What runs anyway may as well run before.
    bool surelyRuns =
        llvm::all_of(ranges, [](int64_t range) { return range > 0; });
    for (Operation *inner : slice.operations) {
      if (inner->getNumRegions() > 0 || !isMemoryEffectFree(inner) ||
          !(surelyRuns || isSpeculatable(inner)) ||
          llvm::any_of(inner->getOperandTypes(), isTensor))
        return false;
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        used.set(index.getDim());
    }
    for (BlockArgument argument : slice.arguments) {
      OpOperand &input = op->getOpOperand(argument.getArgNumber());
      auto type = dyn_cast<RankedTensorType>(input.get().getType());
      if (!op.isDpsInput(&input) || !type || hasLayout(type))
        return false;
      AffineMap map = op.getMatchingIndexingMap(&input);
      for (int64_t loop = 0; loop < op.getNumLoops(); ++loop)
        if (map.isFunctionOfDim(loop))
          used.set(loop);
    }
    for (unsigned loop : used.set_bits()) {
      if (ShapedType::isDynamic(ranges[loop]))
        return false;
      dependsOn.push_back(loop);
    }
    return true;
  }

  Value computeAt(OpBuilder &inner, Location loc, IRMapping &mapping,
                  ArrayRef<int64_t> overLoops, ArrayRef<int64_t> extents,
                  bool isStacked) const {
    for (Operation *each : slice.operations) {
      auto index = dyn_cast<linalg::IndexOp>(each);
      if (!index) {
        inner.clone(*each, mapping);
        continue;
      }
      int64_t dim = llvm::find(overLoops, index.getDim()) - overLoops.begin();
      mapping.map(index.getResult(),
                  linalg::IndexOp::create(inner, loc, dim).getResult());
    }
    Value chosen;
    for (auto [number, value] : llvm::enumerate(values)) {
      Value most = arith::ConstantIndexOp::create(inner, loc, extents[number]);
      Value at = arith::MinUIOp::create(inner, loc,
                                        mapping.lookupOrDefault(value), most);
      if (!chosen) {
        chosen = at;
        continue;
      }
      assert(isStacked && "expected one value for each point of the loops");
      Value which = linalg::IndexOp::create(inner, loc, overLoops.size());
      Value wanted = arith::ConstantIndexOp::create(inner, loc, number);
      Value isWanted = arith::CmpIOp::create(
          inner, loc, arith::CmpIPredicate::eq, which, wanted);
      chosen = arith::SelectOp::create(inner, loc, isWanted, at, chosen);
    }
    return chosen;
  }

  mutable linalg::GenericOp op;
  SmallVector<Value> values;
  BodySlice slice;
  SmallVector<int64_t> dependsOn;
};

/// Whether a coordinate of a read is the number of `loop`, which goes through a
/// whole dimension of `extent` entries. One loop of one iteration is as good as
/// the number 0.
bool isNumberOf(Value coordinate, int64_t loop, int64_t extent,
                ArrayRef<int64_t> ranges) {
  if (loop < 0 || ranges[loop] != extent)
    return false;
  auto index = coordinate.getDefiningOp<linalg::IndexOp>();
  bool isFirst = matchPattern(coordinate, m_Zero());
  return (index && static_cast<int64_t>(index.getDim()) == loop) ||
         (isFirst && extent == 1);
}

/// The read of a lookup that yields one entry of one static table for each
/// iteration, in the order of its result.
EntryReadOpInterface onlyRead(linalg::GenericOp op) {
  if (!op || op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return {};
  // What has an effect besides has to stay.
  auto onlyComputes = [](Operation &inner) {
    return wouldOpBeTriviallyDead(&inner);
  };
  if (!llvm::all_of(op.getBody()->without_terminator(), onlyComputes))
    return {};
  SmallVector<EntryReadOpInterface> reads = tableReads(op);
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  if (reads.size() != 1 || reads.front() != yielded.getDefiningOp())
    return {};
  Value table = reads.front().getReadTensor().get();
  auto type = dyn_cast<RankedTensorType>(table.getType()),
       result = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  bool isPlain = type && result && type.hasStaticShape() &&
                 result.hasStaticShape() && !hasLayout(type) &&
                 !hasLayout(result) && type.getNumElements() > 0 &&
                 result.getNumElements() > 0;
  return isPlain && !op->isAncestor(table.getParentRegion()->getParentOp())
             ? reads.front()
             : EntryReadOpInterface();
}

/// A position of a lookup that is computed in front of it.
struct Position {
  /// The most entries of a dimension that it is a position in.
  int64_t extent;
  ComputedApart apart;
  Type element;
};
using Positions = llvm::MapVector<Value, Position>;

/// The positions that a lookup computes from inputs; nothing where one cannot
/// be computed apart, or has no type.
std::optional<Positions>
positionsOf(linalg::GenericOp lookup,
            llvm::function_ref<Type(int64_t)> typeFor) {
  llvm::MapVector<Value, int64_t> extents;
  for (EntryReadOpInterface read : tableReads(lookup)) {
    auto table =
        dyn_cast<RankedTensorType>(read.getReadTensor().get().getType());
    for (auto [dim, position] :
         llvm::enumerate(MutableOperandRange(read.getReadPosition()))) {
      int64_t extent = table ? table.getDimSize(dim) : ShapedType::kDynamic;
      int64_t &most = extents[position.get()];
      most = ShapedType::isDynamic(extent) || ShapedType::isDynamic(most)
                 ? ShapedType::kDynamic
                 : std::max(most, extent);
    }
  }
  Positions found;
  SmallVector<OpOperand *> inputs = positionsOfLookup(lookup);
  for (auto [value, extent] : extents) {
    BodySlice slice = sliceOf(lookup.getBody(), value);
    bool reads = llvm::any_of(inputs, [&](OpOperand *input) {
      return slice.arguments.contains(lookup.getMatchingBlockArgument(input));
    });
    if (!reads)
      continue;
    auto apart = ComputedApart::of(lookup, value);
    Type element =
        apart && !ShapedType::isDynamic(extent) ? typeFor(extent) : Type();
    if (!element)
      return std::nullopt;
    found.insert({value, Position{extent, std::move(*apart), element}});
  }
  return found;
}

/// What a body still needs where its reads get positions from tensors.
struct Rest {
  /// In their order in the body.
  SmallVector<Operation *> operations;
  llvm::SmallDenseSet<Value> values;
};

Rest restWithout(linalg::GenericOp lookup, const Positions &positions) {
  Rest rest;
  for (Operation &inner : llvm::reverse(*lookup.getBody())) {
    bool isKept = inner.getNumRegions() > 0 ||
                  !wouldOpBeTriviallyDead(&inner) ||
                  modelOf<EntryReadOpInterface>(&inner) ||
                  llvm::any_of(inner.getResults(), [&](Value result) {
                    return rest.values.contains(result);
                  });
    if (!isKept)
      continue;
    rest.operations.push_back(&inner);
    inner.walk([&](Operation *op) {
      auto read = modelOf<EntryReadOpInterface>(op);
      for (OpOperand &operand : op->getOpOperands())
        if (!read || &operand == &read.getReadTensor() ||
            !positions.contains(operand.get()))
          rest.values.insert(operand.get());
    });
  }
  std::reverse(rest.operations.begin(), rest.operations.end());
  return rest;
}

/// The inputs that the body still needs, and those that give loops their
/// extents without being read.
SmallVector<OpOperand *> inputsToKeep(linalg::GenericOp lookup,
                                      const Positions &positions,
                                      const Rest &rest) {
  SmallVector<OpOperand *> kept = lookup.getDpsInputOperands();
  auto areLoopsKnownWithout = [&](OpOperand *left) {
    SmallVector<AffineMap> all;
    for (OpOperand *input : kept)
      if (input != left)
        all.push_back(lookup.getMatchingIndexingMap(input));
    for (const auto &[value, position] : positions)
      all.push_back(position.apart.mapOfResult());
    for (OpOperand &output : lookup.getDpsInitsMutable())
      all.push_back(lookup.getMatchingIndexingMap(&output));
    return static_cast<bool>(
        inversePermutation(concatAffineMaps(all, lookup.getContext())));
  };
  for (OpOperand *input : lookup.getDpsInputOperands())
    if (!rest.values.contains(lookup.getMatchingBlockArgument(input)) &&
        areLoopsKnownWithout(input))
      kept.erase(llvm::find(kept, input));
  return kept;
}

} // namespace

Value onlyTableOf(Operation *op) {
  EntryReadOpInterface read = onlyRead(dyn_cast<linalg::GenericOp>(op));
  return read ? read.getReadTensor().get() : Value();
}

Value asGather(OpBuilder &builder, linalg::GenericOp lookup, Type element) {
  EntryReadOpInterface read = onlyRead(lookup);
  if (!read)
    return {};
  Value table = read.getReadTensor().get();
  auto type = cast<RankedTensorType>(table.getType()),
       result = cast<RankedTensorType>(lookup.getResult(0).getType());
  SmallVector<Value> at;
  for (OpOperand &position : MutableOperandRange(read.getReadPosition()))
    at.push_back(position.get());
  SmallVector<int64_t> ranges = lookup.getStaticLoopRanges();
  int64_t rank = type.getRank(), loops = std::ssize(ranges), whole = 0,
          batch = 0;
  while (whole < rank && isNumberOf(at[rank - whole - 1], loops - whole - 1,
                                    type.getDimSize(rank - whole - 1), ranges))
    ++whole;
  int64_t overLoops = loops - whole;
  while (batch < rank - whole - 1 && batch < overLoops &&
         isNumberOf(at[batch], batch, type.getDimSize(batch), ranges))
    ++batch;
  ArrayRef<Value> tuple = ArrayRef(at).slice(batch, rank - whole - batch);
  if (tuple.empty())
    return {};
  std::optional<ComputedApart> apart = ComputedApart::of(lookup, tuple);
  if (!apart || !apart->readsInputs() ||
      llvm::any_of(apart->loops(),
                   [&](int64_t loop) { return loop >= overLoops; }))
    return {};
  ArrayRef<int64_t> extents = type.getShape().slice(batch, tuple.size());
  if (unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
      llvm::maxIntN(width) < *llvm::max_element(extents))
    return {};
  auto firstLoops = llvm::to_vector(llvm::seq<int64_t>(0, overLoops));
  linalg::GenericOp positions =
      apart->create(builder, firstLoops, extents, element, /*isStacked=*/true);
  return GatherOp::create(builder, lookup.getLoc(), result, table,
                          positions.getResult(0), batch);
}

std::optional<LookupAtTensors>
computePositionsApart(OpBuilder &builder, linalg::GenericOp lookup,
                      llvm::function_ref<Type(int64_t)> typeFor) {
  std::optional<Positions> found = positionsOf(lookup, typeFor);
  if (!found)
    return std::nullopt;
  Rest rest = restWithout(lookup, *found);
  LookupAtTensors made;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<BlockArgument> arguments;
  for (OpOperand *input : inputsToKeep(lookup, *found, rest)) {
    operands.push_back(input->get());
    maps.push_back(lookup.getMatchingIndexingMap(input));
    arguments.push_back(lookup.getMatchingBlockArgument(input));
  }
  for (const auto &[value, position] : *found) {
    linalg::GenericOp computed = position.apart.create(
        builder, position.apart.loops(), position.extent, position.element,
        /*isStacked=*/false);
    made.positions.push_back(computed);
    made.entries = std::max(made.entries, position.extent);
    operands.push_back(computed.getResult(0));
    maps.push_back(position.apart.mapOfResult());
  }
  for (OpOperand &output : lookup.getDpsInitsMutable()) {
    maps.push_back(lookup.getMatchingIndexingMap(&output));
    arguments.push_back(lookup.getMatchingBlockArgument(&output));
  }
  SmallVector<Value> positions;
  made.op = linalg::GenericOp::create(
      builder, lookup.getLoc(), lookup->getResultTypes(), operands,
      lookup.getDpsInits(), maps, lookup.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange entries) {
        size_t before = operands.size() - found->size();
        IRMapping mapping;
        for (auto [number, argument] : llvm::enumerate(arguments))
          mapping.map(
              argument,
              entries[number < before ? number : number + found->size()]);
        for (Value entry : entries.slice(before, found->size()))
          positions.push_back(
              entry.getType().isIndex()
                  ? entry
                  : arith::IndexCastOp::create(inner, loc, inner.getIndexType(),
                                               entry));
        for (Operation *each : rest.operations)
          inner.clone(*each, mapping);
      },
      getPrunedAttributeList(lookup));
  // Elsewhere a value stays what it is, also where it is no position.
  for (auto [read, old] :
       llvm::zip_equal(tableReads(made.op), tableReads(lookup)))
    for (auto [position, oldPosition] :
         llvm::zip_equal(MutableOperandRange(read.getReadPosition()),
                         MutableOperandRange(old.getReadPosition())))
      if (auto it = found->find(oldPosition.get()); it != found->end())
        position.set(positions[it - found->begin()]);
  return made;
}

} // namespace npu
