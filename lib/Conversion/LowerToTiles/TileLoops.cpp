// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileLoops.h"
#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Support/Naming.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

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

bool isReducedWhole(linalg::LinalgOp op, unsigned loop) {
  return llvm::none_of(op->getResults(), [&](OpResult result) {
    return op.getIndexingMapMatchingResult(result).isFunctionOfDim(loop);
  });
}

LogicalResult TileLoops::verifyWhole(Operation *op, Value reduced,
                                     int64_t dimOfReduced) {
  SmallVector<std::pair<Value, int64_t>> values = {{reduced, dimOfReduced}};
  while (!values.empty()) {
    auto [value, dim] = values.pop_back_val();
    RankedTensorType type = staticType(value);
    if (!type || !whole.insert({value, dim}).second)
      continue;
    for (Value before : handedOnAs(value))
      values.push_back({before, dim});
    Operation *maker = value.getDefiningOp();
    if (!maker || !maker->hasAttr(tileAttrName))
      continue;
    if (cutsOut(maker)) {
      int64_t at = sourceDim(maker, dim);
      int64_t expected;
      if (std::optional<ModelSlice> slice = modelSliceOf(maker)) {
        expected = slice->sizes[at];
      } else {
        // What is read at a loop and a constant begins elsewhere in its tensor,
        // which has other extents.
        if (maker->hasAttr(offsetAttrName))
          continue;
        Value source = maker->getOperand(0);
        expected = cast<RankedTensorType>(source.getType()).getDimSize(at);
        values.push_back({source, at});
      }
      if (expected == type.getDimSize(dim))
        continue;
      InFlightDiagnostic error = reportAt(op)
                                 << "reduces " << type.getDimSize(dim) << " of "
                                 << expected << " entries";
      error.attachNote(maker->getLoc())
          << "this slice cuts dimension " << at << " ('" << offsetAttrName
          << "' says what a slice of the model takes)";
      return error;
    }
    if (isa<PermuteCastOp>(maker)) {
      if (!maker->hasAttr(offsetAttrName) &&
          maker->getOperand(0).getType() == type)
        values.push_back({maker->getOperand(0), dim});
      continue;
    }
    auto structured = dyn_cast<linalg::LinalgOp>(maker);
    if (!structured)
      continue;
    AffineExpr loop =
        structured.getIndexingMapMatchingResult(cast<OpResult>(value))
            .getResult(dim);
    if (!isa<AffineDimExpr>(loop))
      continue;
    for (const OperandIndex &at : indicesOf(structured))
      if (at.index == loop)
        values.push_back({at.operand->get(), at.dim});
  }
  return success();
}

LogicalResult TileLoops::verify(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || !op->hasAttr(tileAttrName))
    return success();
  if (failed(verifyEntries(structured)))
    return failure();
  for (const OperandIndex &at : indicesOf(structured)) {
    auto loop = dyn_cast<AffineDimExpr>(at.index);
    if (loop && isReducedWhole(structured, loop.getPosition()) &&
        failed(verifyWhole(op, at.operand->get(), at.dim)))
      return failure();
  }
  return success();
}

} // namespace npu
