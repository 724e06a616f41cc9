// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-assert-bounds: asserts that parts and entries of buffers lie inside of
// them.

#include "IndexRanges.h"
#include "npu/Conversion/ToLLVM/Passes.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_ASSERTBOUNDS
#include "npu/Conversion/ToLLVM/Passes.h.inc"

namespace {

using arith::CmpIPredicate;

/// "the 4 entries of dimension 1".
std::string entriesOf(MemRefType type, int64_t dim) {
  return type.isDynamicDim(dim)
             ? fmt::format("the entries of dimension {}", dim)
             : fmt::format("the {} entries of dimension {}",
                           type.getDimSize(dim), dim);
}

/// One dimension of a part of a buffer.
struct SliceDim {
  OpFoldResult offset, size, stride;
};

/// Whether a dimension is known to be inside; nothing where that depends on the
/// run.
std::optional<bool> isKnownInside(const SliceDim &slice, int64_t extent) {
  auto offset = getConstantIntValue(slice.offset),
       size = getConstantIntValue(slice.size),
       stride = getConstantIntValue(slice.stride);
  if (!offset || !size || !stride || ShapedType::isDynamic(extent))
    return std::nullopt;
  if (*size == 0)
    return true;
  int64_t steps = 0, last = 0;
  return *size > 0 && *offset >= 0 && *offset < extent &&
         !llvm::MulOverflow(*size - 1, *stride, steps) &&
         !llvm::AddOverflow(*offset, steps, last) && last >= 0 && last < extent;
}

/// Writes the assertions in front of one operation.
class Assertions {
public:
  explicit Assertions(Operation *op) : op(op), builder(op), loc(op->getLoc()) {}

  /// Fails where a part is known to be outside.
  LogicalResult add() {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](memref::SubViewOp part) { return addPart(part); })
        .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
          addEntry(access.getMemRefType(), access.getMemRef(),
                   access.getIndices());
          return success();
        })
        .Case([&](memref::CopyOp copy) {
          addSameShape(copy.getSource(), copy.getTarget());
          return success();
        })
        .Case([&](memref::CastOp cast) {
          addCast(cast);
          return success();
        })
        .Case([&](memref::ExpandShapeOp expand) {
          addExpansion(expand);
          return success();
        })
        .Case([&](linalg::LinalgOp structured) {
          addLoops(structured);
          return success();
        })
        .Default(success());
  }

private:
  LogicalResult addPart(memref::SubViewOp part) {
    MemRefType source = part.getSourceType();
    SmallVector<SliceDim> dims;
    for (auto [offset, size, stride] :
         llvm::zip_equal(part.getMixedOffsets(), part.getMixedSizes(),
                         part.getMixedStrides()))
      dims.push_back({offset, size, stride});
    // A part without entries may lie anywhere.
    if (llvm::any_of(dims, [](const SliceDim &slice) {
          return isConstantIntValue(slice.size, 0);
        }))
      return success();
    for (auto [dim, slice] : llvm::enumerate(dims))
      if (isKnownInside(slice, source.getDimSize(dim)) == false)
        return op->emitError()
               << "expected a slice inside " << entriesOf(source, dim)
               << ", got " << *getConstantIntValue(slice.size)
               << " entries from " << *getConstantIntValue(slice.offset)
               << " in steps of " << *getConstantIntValue(slice.stride);
    Value isEmpty;
    for (const SliceDim &slice : dims)
      if (!getConstantIntValue(slice.size))
        isEmpty = either(
            isEmpty, compare(CmpIPredicate::eq, value(slice.size), number(0)));
    for (auto [dim, slice] : llvm::enumerate(dims))
      if (!isKnownInside(slice, source.getDimSize(dim)))
        require(either(isEmpty, isInside(slice, extentOf(part.getSource(),
                                                         source, dim))),
                "expected a slice inside " + entriesOf(source, dim));
    return success();
  }

  /// Whether one dimension of a part is inside of `extent` entries.
  Value isInside(const SliceDim &slice, Value extent) {
    Value offset = value(slice.offset), size = value(slice.size);
    Value begins = compare(CmpIPredicate::sge, offset, number(0));
    if (isConstantIntValue(slice.stride, 1)) {
      Value counts = compare(CmpIPredicate::sge, size, number(0));
      Value rest = builder.createOrFold<arith::SubIOp>(loc, extent, size);
      return both(both(counts, begins),
                  compare(CmpIPredicate::sle, offset, rest));
    }
    Value counts = compare(CmpIPredicate::sgt, size, number(0));
    // Steps of another stride may overflow.
    auto steps = arith::MulSIExtendedOp::create(
        builder, loc,
        asI64(builder.createOrFold<arith::SubIOp>(loc, size, number(1))),
        asI64(value(slice.stride)));
    Value sign = arith::ShRSIOp::create(
        builder, loc, steps.getLow(),
        arith::ConstantIntOp::create(builder, loc, 63, 64));
    Value fits = arith::CmpIOp::create(builder, loc, CmpIPredicate::eq,
                                       steps.getHigh(), sign);
    Value last = arith::AddIOp::create(
        builder, loc, offset,
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                   steps.getLow()));
    Value ends = both(compare(CmpIPredicate::sge, last, number(0)),
                      compare(CmpIPredicate::slt, last, extent));
    return both(
        both(both(counts, begins), compare(CmpIPredicate::slt, offset, extent)),
        both(fits, ends));
  }

  void addEntry(MemRefType type, Value buffer, ValueRange indices) {
    for (auto [dim, index] : llvm::enumerate(indices)) {
      int64_t extent = type.getDimSize(dim);
      if (!ShapedType::isDynamic(extent) && isWithin(index, 0, extent - 1))
        continue;
      require(compare(CmpIPredicate::ult, index, extentOf(buffer, type, dim)),
              "expected an index of " + entriesOf(type, dim));
    }
  }

  void addSameShape(Value source, Value target) {
    auto from = dyn_cast<MemRefType>(source.getType()),
         to = dyn_cast<MemRefType>(target.getType());
    if (!from || !to)
      return;
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      if (from.isDynamicDim(dim) || to.isDynamicDim(dim))
        require(compare(CmpIPredicate::eq, extentOf(source, from, dim),
                        extentOf(target, to, dim)),
                fmt::format("expected as many entries in dimension {} of what "
                            "is copied as of where it is copied to",
                            dim));
  }

  void addCast(memref::CastOp cast) {
    auto from = dyn_cast<MemRefType>(cast.getSource().getType()),
         to = dyn_cast<MemRefType>(cast.getType());
    if (!from || !to)
      return;
    for (int64_t dim = 0; dim < from.getRank(); ++dim)
      if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
        require(compare(CmpIPredicate::eq,
                        extentOf(cast.getSource(), from, dim),
                        number(to.getDimSize(dim))),
                fmt::format("expected {} entries in dimension {}",
                            to.getDimSize(dim), dim));
  }

  /// Asserts that a dimension is expanded into as many entries as it has.
  void addExpansion(memref::ExpandShapeOp expand) {
    auto source = cast<MemRefType>(expand.getSrc().getType());
    SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      if (!source.isDynamicDim(dim))
        continue;
      Value extent = asI64(extentOf(expand.getSrc(), source, dim));
      Value count, fits;
      for (int64_t each : group) {
        if (isConstantIntValue(sizes[each], 1))
          continue;
        Value size = asI64(value(sizes[each]));
        if (!count) {
          count = size;
          continue;
        }
        // A product may overflow.
        auto product =
            arith::MulUIExtendedOp::create(builder, loc, count, size);
        Value none = arith::ConstantIntOp::create(builder, loc, 0, 64);
        Value isWhole = compare(CmpIPredicate::eq, product.getHigh(), none);
        fits = fits ? both(fits, isWhole) : isWhole;
        count = product.getLow();
      }
      if (!count)
        count = arith::ConstantIntOp::create(builder, loc, 1, 64);
      Value holds = compare(CmpIPredicate::eq, count, extent);
      if (fits)
        holds = both(fits, holds);
      require(holds,
              fmt::format("expected sizes whose product is the number of "
                          "entries in dimension {}",
                          dim));
    }
  }

  /// Asserts that the loops of a structured operation, which go as far as the
  /// first operand says that they index by themselves, stay inside of all
  /// operands, and end where those do that they index by themselves.
  void addLoops(linalg::LinalgOp structured) {
    if (!structured.hasDynamicShape())
      return;
    // The extent of every loop, and the dimension that it is the extent of.
    SmallVector<std::pair<Value, std::string>> extents(
        structured.getNumLoops());
    auto eachDim = [&](auto see) {
      for (OpOperand &operand : structured->getOpOperands()) {
        auto type = dyn_cast<MemRefType>(operand.get().getType());
        if (!type)
          continue;
        AffineMap map = structured.getMatchingIndexingMap(&operand);
        for (auto [dim, expr] : llvm::enumerate(map.getResults()))
          see(operand, type, static_cast<int64_t>(dim), expr);
      }
    };
    eachDim(
        [&](OpOperand &operand, MemRefType type, int64_t dim, AffineExpr expr) {
          auto loop = dyn_cast<AffineDimExpr>(expr);
          if (!loop)
            return;
          Value extent = extentOf(operand.get(), type, dim);
          auto &[known, whose] = extents[loop.getPosition()];
          std::string what = fmt::format("dimension {} of operand #{}", dim,
                                         operand.getOperandNumber());
          if (known)
            require(compare(CmpIPredicate::eq, extent, known),
                    fmt::format("expected as many entries in {} as in {}", what,
                                whose));
          else
            std::tie(known, whose) = std::pair(extent, what);
        });
    SmallVector<Value> loops(llvm::make_first_range(extents));
    if (llvm::is_contained(loops, Value()))
      return;
    eachDim(
        [&](OpOperand &operand, MemRefType type, int64_t dim, AffineExpr expr) {
          if (!isa<AffineDimExpr>(expr) && !isa<AffineConstantExpr>(expr))
            addWindow(loops, expr, extentOf(operand.get(), type, dim),
                      fmt::format("expected windows inside {} of operand #{}",
                                  entriesOf(type, dim),
                                  operand.getOperandNumber()));
        });
  }

  /// Asserts that a sum of multiples of the loops' numbers is from 0 to below
  /// `extent`, unless a loop never runs.
  void addWindow(ArrayRef<Value> loops, AffineExpr expr, Value extent,
                 const std::string &what) {
    SmallVector<int64_t> sum;
    if (failed(getFlattenedAffineExpr(expr, loops.size(), 0, &sum)) ||
        sum.size() != loops.size() + 1)
      return;
    Value least = number(sum.back()), most = least, never;
    for (auto [count, factor] : llvm::zip_first(loops, sum)) {
      never = either(never, compare(CmpIPredicate::sle, count, number(0)));
      Value last = builder.createOrFold<arith::SubIOp>(loc, count, number(1));
      Value more =
          builder.createOrFold<arith::MulIOp>(loc, last, number(factor));
      Value &end = factor < 0 ? least : most;
      end = builder.createOrFold<arith::AddIOp>(loc, end, more);
    }
    Value inside = both(compare(CmpIPredicate::sge, least, number(0)),
                        compare(CmpIPredicate::slt, most, extent));
    require(either(never, inside), what);
  }

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value value(OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(builder, loc, index);
  }

  Value asI64(Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  }

  Value extentOf(Value buffer, MemRefType type, int64_t dim) {
    return type.isDynamicDim(dim)
               ? builder.createOrFold<memref::DimOp>(loc, buffer, dim)
               : number(type.getDimSize(dim));
  }

  Value compare(CmpIPredicate how, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, how, a, b);
  }

  Value both(Value a, Value b) {
    return builder.createOrFold<arith::AndIOp>(loc, a, b);
  }

  Value either(Value a, Value b) {
    return a ? builder.createOrFold<arith::OrIOp>(loc, a, b) : b;
  }

  void require(Value holds, const std::string &what) {
    if (!isConstantIntValue(holds, 1))
      cf::AssertOp::create(builder, loc, holds, what);
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};

struct AssertBoundsPass : impl::AssertBoundsBase<AssertBoundsPass> {
  using AssertBoundsBase::AssertBoundsBase;

  void runOnOperation() override {
    SmallVector<Operation *> accesses;
    getOperation()->walk([&](Operation *op) {
      if (isa<memref::SubViewOp, memref::LoadOp, memref::StoreOp,
              memref::CopyOp, memref::CastOp, memref::ExpandShapeOp,
              linalg::LinalgOp>(op))
        accesses.push_back(op);
    });
    for (Operation *op : accesses)
      if (failed(Assertions(op).add()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace npu
