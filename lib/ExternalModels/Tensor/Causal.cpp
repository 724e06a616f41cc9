// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of CausalOpInterface for operations of tensor, the update of a cache
// among them.

#include "../Models.h"
#include "npu/Interfaces/CausalOpInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace npu {
namespace {

struct EmptyRows
    : CausalOpInterface::ExternalModel<EmptyRows, tensor::EmptyOp> {
  bool takesNumbers(Operation *) const { return true; }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto empty = cast<tensor::EmptyOp>(op);
    Dependence result;
    for (auto [dim, size] : llvm::enumerate(empty.getMixedSizes())) {
      if (rows.isLength(size) && !result.row)
        result.row = dim;
      else if (rows.isLength(size))
        return llvm::formatv(
            "dimensions {0} and {1} are both the rows of the prompt, so that "
            "row 0 has an entry of the last row, which is in another chunk: "
            "what is attended to must come from the cache",
            *result.row, dim);
      else if (empty.getType().isDynamicDim(dim))
        return llvm::formatv(
            "dimension {0} is neither static nor the rows of the prompt", dim);
    }
    rows.set(empty, result);
    return std::nullopt;
  }
};

struct CastRows : CausalOpInterface::ExternalModel<CastRows, tensor::CastOp> {
  SmallVector<unsigned> getCopied(Operation *) const { return {0}; }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto cast = llvm::cast<tensor::CastOp>(op);
    auto from = dyn_cast<RankedTensorType>(cast.getSource().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    if (!to)
      return rowsNotUnderstood.str();
    if (!from || from.getShape() != to.getShape())
      return llvm::formatv(
          "expected a cast that keeps the shape, got {0} to {1}",
          cast.getSource().getType(), to);
    rows.set(cast, rows.of(cast.getSource()));
    return std::nullopt;
  }
};

struct ExtractSliceRows
    : CausalOpInterface::ExternalModel<ExtractSliceRows,
                                       tensor::ExtractSliceOp> {
  SmallVector<unsigned> getCopied(Operation *) const { return {0}; }
  bool takesNumbers(Operation *) const { return true; }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    Dependence source = rows.of(slice.getSource());
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    Dependence result;
    result.last = source.last;
    int64_t next = 0;
    for (int64_t dim = 0; dim < slice.getSourceType().getRank(); ++dim) {
      OpFoldResult offset = slice.getMixedOffsets()[dim];
      OpFoldResult size = slice.getMixedSizes()[dim];
      OpFoldResult stride = slice.getMixedStrides()[dim];
      bool whole = rows.isWhole(slice.getSource(), dim, offset, size, stride);
      if (source.row == dim) {
        if (whole)
          result.row = next;
        else if (rows.isLastRow(offset) && isConstantIntValue(size, 1))
          result.last = true;
        else
          return "it takes rows that are neither all of the chunk's nor the "
                 "prompt's last one";
      } else if (source.position == dim) {
        if (!whole)
          return "it takes a part of the positions";
        result.position = next;
      } else if (rows.isOffset(offset) && rows.isLength(size) &&
                 isConstantIntValue(stride, 1) && !source.row && !source.last &&
                 !result.row) {
        // The source is a table with an entry for each position.
        result.row = next;
      } else if (!rows.exprOf(offset) || !rows.isSame(offset, source.last) ||
                 !getConstantIntValue(size) || !getConstantIntValue(stride)) {
        return llvm::formatv(
            "what it takes along dimension {0} differs in every chunk", dim);
      }
      next += !dropped[dim];
    }
    if (result.last) {
      if (result.row)
        return rowsFollowFromLast.str();
      result.position = std::nullopt;
    }
    rows.set(slice, result);
    return std::nullopt;
  }
};

struct InsertSliceRows
    : CausalOpInterface::ExternalModel<InsertSliceRows, tensor::InsertSliceOp> {
  SmallVector<unsigned> getCopied(Operation *) const { return {0, 1}; }
  bool takesNumbers(Operation *) const { return true; }
  bool updatesCaches(Operation *) const { return true; }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    Dependence source = rows.of(slice.getSource());
    Dependence dest = rows.of(slice.getDest());
    bool cache = dest.cache.has_value();
    if (source.last || dest.last || source.position || (cache && !source.row) ||
        (dest.position && !cache) || !source.updated)
      return "it is not known what it does with the prompt's rows; expected "
             "the chunk's rows to go into a cache";
    if (cache && dest.updated)
      return cacheUpdatedTwice(*dest.cache);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t from = 0;
    for (int64_t dim = 0; dim < slice.getDestType().getRank(); ++dim) {
      bool row = !dropped[dim] && source.row == from;
      WhyNotCausal why = cache && dest.position == dim
                             ? whyNoUpdate(slice, dim, row, rows)
                             : whyNotBeside(slice, dim, row, dest, rows);
      if (why)
        return why;
      from += !dropped[dim];
    }
    dest.updated = true;
    rows.set(slice, dest);
    return std::nullopt;
  }

private:
  /// Why an insertion is no update along the dimension of positions.
  static WhyNotCausal whyNoUpdate(tensor::InsertSliceOp slice, int64_t dim,
                                  bool row, const RowTransfer &rows) {
    if (row && rows.isOffset(slice.getMixedOffsets()[dim]) &&
        rows.isLength(slice.getMixedSizes()[dim]) &&
        isConstantIntValue(slice.getMixedStrides()[dim], 1))
      return std::nullopt;
    return "expected the chunk's rows, all of them, to go into the cache at "
           "the offset";
  }

  /// Why an insertion is no update along another dimension.
  static WhyNotCausal whyNotBeside(tensor::InsertSliceOp slice, int64_t dim,
                                   bool row, const Dependence &dest,
                                   const RowTransfer &rows) {
    OpFoldResult offset = slice.getMixedOffsets()[dim];
    OpFoldResult size = slice.getMixedSizes()[dim];
    OpFoldResult stride = slice.getMixedStrides()[dim];
    bool whole = rows.isWhole(slice.getDest(), dim, offset, size, stride);
    if (row) {
      // The slice becomes other columns of the same rows.
      if (dest.row != dim || !whole)
        return "it puts rows of the prompt elsewhere";
    } else if (dest.cache) {
      if (!whole)
        return llvm::formatv(
            "expected the whole of dimension {0} of the cache to be written",
            dim);
    } else if (dest.row == dim || !getConstantIntValue(offset) ||
               !getConstantIntValue(size) || !getConstantIntValue(stride)) {
      return llvm::formatv(
          "what it writes along dimension {0} differs in every chunk", dim);
    }
    return std::nullopt;
  }
};

struct ConcatRows
    : CausalOpInterface::ExternalModel<ConcatRows, tensor::ConcatOp> {
  SmallVector<unsigned> getCopied(Operation *op) const {
    return llvm::to_vector(llvm::seq<unsigned>(op->getNumOperands()));
  }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto concat = cast<tensor::ConcatOp>(op);
    Dependence result;
    if (WhyNotCausal why = rows.join(op, result))
      return why;
    auto along = static_cast<int64_t>(concat.getDim());
    for (Value input : concat.getInputs()) {
      Dependence each = rows.of(input);
      if (each.row == along || each.position == along)
        return "it puts something before or after rows of the prompt or "
               "positions of the cache";
    }
    rows.set(concat, result);
    return std::nullopt;
  }
};

/// Sets the dependence of a reshape. `through` gives the result dimension of
/// each dimension that counts rows or positions, or nothing where its entries
/// do not stay separate.
WhyNotCausal
transferReshape(Value source, Value result, RowTransfer &rows,
                llvm::function_ref<std::optional<int64_t>(int64_t)> through) {
  Dependence from = rows.of(source), to;
  to.last = from.last;
  for (auto [before, after] : {std::pair(&from.row, &to.row),
                               std::pair(&from.position, &to.position)}) {
    if (!*before)
      continue;
    *after = through(**before);
    if (!*after)
      return "it merges or splits rows of the prompt or positions of the cache";
  }
  rows.set(result, to);
  return std::nullopt;
}

struct ExpandShapeRows
    : CausalOpInterface::ExternalModel<ExpandShapeRows, tensor::ExpandShapeOp> {
  SmallVector<unsigned> getCopied(Operation *) const { return {0}; }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    return transferReshape(expand.getSrc(), expand, rows, [&](int64_t dim) {
      return onlyLarge(expand.getReassociationIndices()[dim],
                       expand.getResultType());
    });
  }

private:
  /// The only one of these dimensions whose extent is not 1, or the last one if
  /// all extents are 1; nothing where there are several.
  static std::optional<int64_t> onlyLarge(ArrayRef<int64_t> dims,
                                          RankedTensorType type) {
    std::optional<int64_t> large;
    for (int64_t dim : dims) {
      if (type.getDimSize(dim) == 1)
        continue;
      if (large)
        return std::nullopt;
      large = dim;
    }
    return large ? large : dims.back();
  }
};

struct CollapseShapeRows
    : CausalOpInterface::ExternalModel<CollapseShapeRows,
                                       tensor::CollapseShapeOp> {
  SmallVector<unsigned> getCopied(Operation *) const { return {0}; }

  WhyNotCausal transferRows(Operation *op, RowTransfer &rows) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    RankedTensorType type = collapse.getSrcType();
    return transferReshape(
        collapse.getSrc(), collapse, rows,
        [&](int64_t dim) -> std::optional<int64_t> {
          for (auto [number, group] :
               llvm::enumerate(collapse.getReassociationIndices())) {
            if (!llvm::is_contained(group, dim))
              continue;
            bool alone = llvm::all_of(group, [&](int64_t each) {
              return each == dim || type.getDimSize(each) == 1;
            });
            return alone ? std::optional<int64_t>(number) : std::nullopt;
          }
          return std::nullopt;
        });
  }
};

} // namespace

void registerTensorCausalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::EmptyOp::attachInterface<EmptyRows>(*context);
    tensor::CastOp::attachInterface<CastRows>(*context);
    tensor::ExtractSliceOp::attachInterface<ExtractSliceRows>(*context);
    tensor::InsertSliceOp::attachInterface<InsertSliceRows>(*context);
    tensor::ConcatOp::attachInterface<ConcatRows>(*context);
    tensor::ExpandShapeOp::attachInterface<ExpandShapeRows>(*context);
    tensor::CollapseShapeOp::attachInterface<CollapseShapeRows>(*context);
  });
}

} // namespace npu
