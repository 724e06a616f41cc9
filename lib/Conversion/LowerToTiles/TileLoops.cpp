// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileLoops.h"
#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Support/Naming.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace npu {
namespace {

InFlightDiagnostic reportAt(Operation *op) {
  return mlir::emitError(op->getLoc())
         << "'" << op->getName() << "' of "
         << nameOfTile(op->getAttrOfType<IntegerAttr>(tileAttrName).getInt())
         << " ";
}

RankedTensorType staticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

/// An index by which a structured operation reads or writes a dimension.
struct OperandIndex {
  OpOperand *operand;
  unsigned dim;
  AffineExpr index;
  /// The extent of the dimension; nothing of a tensor of dynamic shape.
  std::optional<int64_t> extent;
};

SmallVector<OperandIndex> indicesOf(linalg::LinalgOp op) {
  SmallVector<OperandIndex> indices;
  for (OpOperand &operand : op->getOpOperands()) {
    RankedTensorType type = staticType(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      indices.push_back(
          {&operand, static_cast<unsigned>(dim), index,
           type ? std::optional(type.getDimSize(dim)) : std::nullopt});
  }
  return indices;
}

/// The first value of `expr` that is no index of a dimension of this extent,
/// over all iterations of the loops that it has; nothing where there is none,
/// or where there are more iterations than are worth counting.
std::optional<int64_t> valueBeyond(AffineExpr expr,
                                   ArrayRef<std::optional<int64_t>> extents,
                                   int64_t extent) {
  constexpr int64_t mostIterations = 1 << 16;
  SmallVector<unsigned> loops;
  int64_t iterations = 1;
  for (auto [loop, range] : llvm::enumerate(extents))
    if (expr.isFunctionOfDim(loop)) {
      if (!range || *range == 0 || *range > mostIterations / iterations)
        return std::nullopt;
      loops.push_back(loop);
      iterations *= *range;
    }
  AffineMap map = AffineMap::get(extents.size(), 0, expr);
  SmallVector<int64_t> at(extents.size(), 0);
  for (int64_t i = 0; i < iterations; ++i) {
    int64_t rest = i;
    for (unsigned loop : loops) {
      at[loop] = rest % *extents[loop];
      rest /= *extents[loop];
    }
    int64_t value = map.compose(at).front();
    if (value < 0 || value >= extent)
      return value;
  }
  return std::nullopt;
}

/// Verifies that there is an entry for every iteration. The operation's own
/// verifier takes an extent of 0 for one that is not known, and looks at the
/// first and the last iteration only, where a remainder need not have its
/// largest value.
LogicalResult verifyEntries(linalg::LinalgOp op) {
  SmallVector<OperandIndex> indices = indicesOf(op);
  SmallVector<std::optional<int64_t>> extents(op.getNumLoops());
  auto report = [&](const OperandIndex &at, const Twine &expected,
                    int64_t got) {
    return LogicalResult(reportAt(op)
                         << "expected " << expected << " in dimension "
                         << at.dim << " of operand #"
                         << at.operand->getOperandNumber() << ", got " << got);
  };
  for (const OperandIndex &at : indices) {
    auto loop = dyn_cast<AffineDimExpr>(at.index);
    if (!loop || !at.extent)
      continue;
    std::optional<int64_t> &extent = extents[loop.getPosition()];
    if (!extent)
      extent = at.extent;
    if (*extent != *at.extent)
      return report(at, Twine(*extent) + " entries", *at.extent);
  }
  if (llvm::is_contained(extents, std::optional<int64_t>(0)))
    return success();
  for (const OperandIndex &at : indices) {
    if (!at.extent)
      continue;
    if (*at.extent == 0)
      return report(at, "entries", 0);
    if (asLinearForm(at.index))
      continue;
    if (std::optional<int64_t> beyond =
            valueBeyond(at.index, extents, *at.extent))
      return report(at, "indices from 0 to " + Twine(*at.extent - 1), *beyond);
  }
  return success();
}

/// The dimension of the source that dimension `dim` of a slice is taken from.
int64_t sourceDim(Operation *slice, int64_t dim) {
  auto result = cast<RankedTensorType>(slice->getResult(0).getType());
  std::optional<llvm::SmallDenseSet<unsigned>> dropped =
      computeRankReductionMask(
          cast<OffsetSizeAndStrideOpInterface>(slice).getStaticSizes(),
          result.getShape());
  int64_t source = 0;
  for (;; ++source)
    if (!dropped->contains(source) && dim-- == 0)
      return source;
}

} // namespace

std::optional<ModelSlice> modelSliceOf(Operation *op) {
  auto whole = op->getAttrOfType<DenseI64ArrayAttr>(offsetAttrName);
  if (!whole || !cutsOut(op))
    return std::nullopt;
  ArrayRef<int64_t> numbers = whole;
  size_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  if (numbers.size() != 3 * rank)
    return std::nullopt;
  return ModelSlice{numbers.take_front(rank), numbers.slice(rank, rank),
                    numbers.take_back(rank)};
}

namespace {

/// The dimension of a transfer's source in which the entries of dimension `dim`
/// of its destinations are.
int64_t sourceDim(TransferOp transfer, int64_t dim) {
  return inverse(
      transfer
          .getSourceOrderOrIdentity())[transfer.getDestOrderOrIdentity()[dim]];
}

/// The tensors of which a tile's `maker` hands on all or a part as `value`, so
/// that their dimensions, each beside `dim` of `value`, have as many entries as
/// a whole. A tensor with indices of its own has others.
SmallVector<std::pair<Value, int64_t>> sameDimension(Operation *maker,
                                                     Value value, int64_t dim) {
  if (auto transfer = dyn_cast<TransferOp>(maker)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return {{transfer.getSource(), sourceDim(transfer, dim)},
            {transfer.getDests()[number], dim}};
  }
  if (cutsOut(maker)) {
    if (maker->hasAttr(offsetAttrName))
      return {};
    return {{maker->getOperand(0), sourceDim(maker, dim)}};
  }
  if (isa<PermuteCastOp>(maker)) {
    if (maker->hasAttr(offsetAttrName) || maker->hasAttr(orderAttrName) ||
        maker->getOperand(0).getType() != value.getType())
      return {};
    return {{maker->getOperand(0), dim}};
  }
  if (Value into = writtenOver(maker))
    return {{into, dim}};
  SmallVector<std::pair<Value, int64_t>> same;
  if (auto structured = dyn_cast<linalg::LinalgOp>(maker)) {
    AffineExpr loop =
        structured.getIndexingMapMatchingResult(cast<OpResult>(value))
            .getResult(dim);
    if (isa<AffineDimExpr>(loop))
      for (const OperandIndex &at : indicesOf(structured))
        if (at.index == loop)
          same.push_back({at.operand->get(), at.dim});
    return same;
  }
  auto model = modelOf<PartwiseOpInterface>(maker);
  if (model && model.partsBeginTogether())
    for (Value operand : maker->getOperands())
      if (RankedTensorType type = staticType(operand);
          type && dim < type.getRank())
        same.push_back({operand, dim});
  return same;
}

/// The operation that takes fewer entries than there are in a dimension, so
/// that `value` has fewer of them in dimension `dim`; null where there is none.
Operation *cutAfter(Value value, int64_t dim) {
  SmallVector<std::pair<Value, int64_t>> values = {{value, dim}};
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  while (!values.empty()) {
    auto [each, at] = values.pop_back_val();
    if (!seen.insert({each, at}).second)
      continue;
    for (Value before : handedOnAs(each))
      values.push_back({before, at});
    Operation *maker = each.getDefiningOp();
    if (!maker || !(isa<TransferOp>(maker) || maker->hasAttr(tileAttrName)))
      continue;
    for (auto [before, dimBefore] : sameDimension(maker, each, at)) {
      RankedTensorType type = staticType(before);
      if (type && type.getDimSize(dimBefore) > staticType(each).getDimSize(at))
        return maker;
      if (type && type.getDimSize(dimBefore) == staticType(each).getDimSize(at))
        values.push_back({before, dimBefore});
    }
  }
  return nullptr;
}

} // namespace

std::optional<TileLoops::Whole> TileLoops::wholeOf(Value value, int64_t dim) {
  if (auto it = wholes.find({value, dim}); it != wholes.end())
    return it->second;
  // All of these are dimensions of tensors with as many entries.
  SmallVector<std::pair<Value, int64_t>> values = {{value, dim}};
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  std::optional<Whole> found;
  while (!values.empty() && !found) {
    auto [each, at] = values.pop_back_val();
    RankedTensorType type = staticType(each);
    if (!type || !seen.insert({each, at}).second)
      continue;
    for (Value before : handedOnAs(each))
      values.push_back({before, at});
    Operation *maker = each.getDefiningOp();
    auto transfer = dyn_cast_if_present<TransferOp>(maker);
    if (transfer &&
        static_cast<int64_t>(transfer.getFrom()) == TransferOp::ddr) {
      RankedTensorType source = staticType(transfer.getSource());
      if (source)
        found = Whole{source.getDimSize(sourceDim(transfer, at)), maker};
    } else if (maker && maker->hasAttr(tileAttrName) && modelSliceOf(maker)) {
      found = Whole{modelSliceOf(maker)->sizes[sourceDim(maker, at)], maker};
    } else if (transfer || (maker && maker->hasAttr(tileAttrName))) {
      llvm::append_range(values, sameDimension(maker, each, at));
    }
  }
  for (auto &each : seen)
    wholes[each] = found;
  return found;
}

SmallVector<TileLoops::ReadWhole>
TileLoops::wholesRead(Operation *op, const OpAccess &access, unsigned loop) {
  SmallVector<ReadWhole> wholes;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = staticType(operand.get())
                        ? access.mapOf(operand.getOperandNumber())
                        : AffineMap();
    if (!map)
      continue;
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      if (auto read = dyn_cast<AffineDimExpr>(index);
          read && read.getPosition() == loop)
        if (std::optional<Whole> whole = wholeOf(operand.get(), dim))
          wholes.push_back({operand.get(), static_cast<int64_t>(dim), *whole});
  }
  return wholes;
}

bool TileLoops::followFromTensors(Operation *op) {
  std::optional<OpAccess> access = OpAccess::get(op);
  return access && llvm::all_of(access->loopsRunWhole(), [&](unsigned loop) {
           int64_t extent = access->domain().loops[loop].extent();
           return llvm::any_of(wholesRead(op, *access, loop),
                               [&](const ReadWhole &read) {
                                 return read.whole.extent == extent;
                               });
         });
}

LogicalResult TileLoops::verifyWhole(Operation *op) {
  std::optional<OpAccess> access = OpAccess::get(op);
  SmallVector<unsigned> loops =
      access ? access->loopsRunWhole() : SmallVector<unsigned>();
  if (loops.empty())
    return success();
  auto said = op->getAttrOfType<DenseI64ArrayAttr>(extentsAttrName);
  if (said && said.size() != static_cast<int64_t>(loops.size()))
    return reportAt(op) << "reduces " << loops.size()
                        << " loops, expected as many numbers in '"
                        << extentsAttrName << "', got " << said.size();
  for (auto [number, loop] : llvm::enumerate(loops)) {
    int64_t extent = access->domain().loops[loop].extent();
    auto report = [&](int64_t expected) {
      return reportAt(op) << "reduces " << extent << " of " << expected
                          << " entries";
    };
    bool known = said != nullptr;
    for (const ReadWhole &read : wholesRead(op, *access, loop)) {
      known = true;
      // A part that the model pads or joins to others, and which lies at the
      // same indices of the larger tensor, is that tensor's part as it is.
      if (read.whole.extent <= extent)
        continue;
      InFlightDiagnostic error = report(read.whole.extent);
      Operation *cut = cutAfter(read.value, read.dim);
      error.attachNote((cut ? cut : read.whole.says)->getLoc())
          << "this takes fewer entries than there are ('" << offsetAttrName
          << "' says what a slice of the model takes)";
      return error;
    }
    if (said && said[number] != extent) {
      InFlightDiagnostic error = report(said[number]);
      error.attachNote() << "the model reduces " << said[number] << " ('"
                         << extentsAttrName << "')";
      return error;
    }
    if (!known) {
      InFlightDiagnostic error = reportAt(op)
                                 << "reduces " << extent
                                 << " entries, and nothing says that the model "
                                    "does";
      error.attachNote() << "'" << extentsAttrName
                         << "' has the extent of each loop that is reduced";
      return error;
    }
  }
  return success();
}

LogicalResult TileLoops::verify(Operation *op) {
  if (!op->hasAttr(tileAttrName))
    return success();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    if (failed(verifyEntries(structured)))
      return failure();
  return verifyWhole(op);
}

} // namespace npu
