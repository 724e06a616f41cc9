// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PaddedValues.h"

#include "npu/Analysis/Choices/Movement.h"
#include "npu/Analysis/Padding/PaddedType.h"
#include "npu/Analysis/Positions/LargestExtent.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace npu {
namespace {

/// A box of real entries, by its offsets in the tensor with padding and in the
/// one without, and its sizes.
struct Segment {
  SmallVector<AffineExpr> inPadded, inReal, sizes;
};

/// The boxes of real entries: one, or two for each dimension with a hole
/// between real entries.
SmallVector<Segment> segmentsOf(RankedTensorType padded,
                                const PaddingState &state) {
  MLIRContext *context = padded.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<Segment> segments(1);
  for (int64_t dim = 0; dim < padded.getRank(); ++dim) {
    struct Run {
      AffineExpr inPadded, inReal, size;
    };
    SmallVector<Run, 2> runs;
    if (!state[dim]) {
      runs.push_back(
          {zero, zero, getAffineConstantExpr(padded.getDimSize(dim), context)});
    } else {
      const PaddedDim &d = *state[dim];
      auto simplify = [](AffineExpr e) { return simplified(e); };
      if (!d.beginsWithPadding())
        runs.push_back({zero, zero, d.hole});
      if (!d.endsInPadding())
        runs.push_back({simplify(d.hole + d.extent - d.real), d.hole,
                        simplify(d.real - d.hole)});
    }
    SmallVector<Segment> next;
    for (const Segment &segment : segments)
      for (const Run &run : runs) {
        next.push_back(segment);
        next.back().inPadded.push_back(run.inPadded);
        next.back().inReal.push_back(run.inReal);
        next.back().sizes.push_back(run.size);
      }
    segments = std::move(next);
  }
  return segments;
}

/// Builds a slice in DDR: the layout of the whole need not fit the slice.
Value slice(OpBuilder &builder, Location loc, Value source,
            ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto part = RankedTensorType::get(shape, type.getElementType());
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, part, source, offsets,
                                        sizes, strides);
}

bool hasNoEntries(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

/// NaN for floats, 0xAB in every byte for integers.
TypedAttr poisonOf(Type type) {
  if (auto floating = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getNaN(floating.getFloatSemantics()));
  unsigned width = type.getIntOrFloatBitWidth();
  APInt bytes = APInt::getSplat(llvm::alignTo(width, 8), APInt(8, 0xAB));
  return IntegerAttr::get(type, bytes.trunc(width));
}

} // namespace

Value PaddedValues::valueOf(AffineExpr expr) {
  Value &number = numbers[expr];
  if (number)
    return number;
  OpBuilder::InsertionGuard guard(builder);
  // The last length comes after all others.
  if (Operation *def =
          lengths.empty() ? nullptr : lengths.back().getDefiningOp())
    builder.setInsertionPointAfter(def);
  else
    builder.setInsertionPointToStart(&function.front());
  // Insert after the values that the number may be computed from, because
  // numbers are made on demand.
  Location loc = function.getLoc();
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    number = arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    number = lengths[symbol.getPosition()];
  else
    number = affine::expandAffineExpr(builder, loc, expr, {}, lengths);
  return number;
}

OpFoldResult PaddedValues::sizeOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return builder.getIndexAttr(constant.getValue());
  return valueOf(expr);
}

SmallVector<OpFoldResult> PaddedValues::sizesOf(ArrayRef<AffineExpr> exprs) {
  return llvm::map_to_vector(exprs,
                             [&](AffineExpr expr) { return sizeOf(expr); });
}

void PaddedValues::set(Value original, Value padded) {
  paddedValues[original] = padded;
  if (auto result = dyn_cast<OpResult>(padded))
    setPadding(result, unknownPadding(analysis.of(original)));
}

void PaddedValues::replace(Value original, Value made) {
  original.replaceAllUsesWith(made);
  replaced[original] = made;
}

Value PaddedValues::emptyPadding(RankedTensorType type,
                                 const PaddingState &state, Location loc) {
  auto empty = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  Padding known = unknownPadding(state);
  if (known.empty())
    empty->setAttr(paddingAttrName, builder.getUnitAttr());
  else
    setPadding(cast<OpResult>(empty.getResult()), known);
  if (!poison || !type.getElementType().isIntOrFloat())
    return empty;
  Value value =
      arith::ConstantOp::create(builder, loc, poisonOf(type.getElementType()));
  return linalg::FillOp::create(builder, loc, value, empty.getResult())
      .getResult(0);
}

Value PaddedValues::enlarge(Value source, RankedTensorType type,
                            const PaddingState &state, Location loc) {
  Value result = emptyPadding(type, state, loc);
  // Upstream's slices cannot be in tensors without elements.
  if (hasNoEntries(type))
    return result;
  SmallVector<Segment> segments = segmentsOf(type, state);
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  for (const Segment &segment : segments) {
    SmallVector<OpFoldResult> sizes = sizesOf(segment.sizes);
    Value part = source;
    if (segments.size() > 1)
      part = slice(builder, loc, source, sizesOf(segment.inReal), sizes);
    // Sizes have to be static where the type of the source is.
    auto partType = cast<RankedTensorType>(part.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!partType.isDynamicDim(dim))
        sizes[dim] = builder.getIndexAttr(partType.getDimSize(dim));
      else if (isa<Attribute>(sizes[dim]))
        sizes[dim] = tensor::DimOp::create(builder, loc, part, dim).getResult();
    result = tensor::InsertSliceOp::create(
        builder, loc, part, result, sizesOf(segment.inPadded), sizes, strides);
  }
  setPadding(cast<OpResult>(result), unknownPadding(state));
  return result;
}

Value PaddedValues::made(Value original, RankedTensorType type, Location loc) {
  auto empty = [&] {
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType(), type.getEncoding());
  };
  if (isUnwritten(original))
    return empty();
  if (Value each = uniformValueOf(original))
    return linalg::FillOp::create(builder, loc, each, empty().getResult())
        .getResult(0);
  DenseElementsAttr elements;
  if (matchPattern(original, m_Constant(&elements)) && elements.isSplat())
    return arith::ConstantOp::create(builder, loc, type,
                                     elements.resizeSplat(type));
  return {};
}

Value PaddedValues::moved(Value source, const PaddingState &found,
                          RankedTensorType type, const PaddingState &wanted,
                          Location loc) {
  auto number = [&](AffineExpr expr) { return valueOf(simplified(expr)); };
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{builder.getMultiDimIdentityMap(type.getRank())},
      kinds, [&](OpBuilder &body, Location, ValueRange) {
        using arith::CmpIPredicate;
        auto isBelow = [&](CmpIPredicate predicate, Value at,
                           AffineExpr bound) {
          return arith::CmpIOp::create(body, loc, predicate, at, number(bound))
              .getResult();
        };
        Value zero = arith::ConstantIndexOp::create(body, loc, 0);
        SmallVector<Value> from;
        Value isReal;
        for (int64_t dim = 0; dim < type.getRank(); ++dim) {
          Value at = linalg::IndexOp::create(body, loc, dim);
          const auto &to = wanted[dim], &in = found[dim];
          bool isSame = (!to && !in) || (to && in && to->sameEntries(*in));
          if (isSame) {
            from.push_back(at);
            continue;
          }
          // The position among real entries, and from there in the source.
          Value inside, place = at;
          if (to && to->hasPadding()) {
            AffineExpr padding = to->extent - to->real;
            Value later = arith::SubIOp::create(body, loc, at, number(padding));
            Value inFront = isBelow(CmpIPredicate::slt, at, to->hole);
            Value after = isBelow(CmpIPredicate::sge, at, to->hole + padding);
            place = arith::SelectOp::create(body, loc, inFront, at, later);
            inside = arith::OrIOp::create(body, loc, inFront, after);
          }
          if (in && in->hasPadding())
            place = positionWithPadding(body, loc, place, *in, *this);
          if (inside) {
            place = arith::SelectOp::create(body, loc, inside, place, zero);
            isReal = isReal ? arith::AndIOp::create(body, loc, isReal, inside)
                                  .getResult()
                            : inside;
          }
          from.push_back(place);
        }
        Value entry = tensor::ExtractOp::create(body, loc, source, from);
        Type element = type.getElementType();
        if (poison && isReal && element.isIntOrFloat()) {
          Value filler =
              arith::ConstantOp::create(body, loc, poisonOf(element));
          entry = arith::SelectOp::create(body, loc, isReal, entry, filler);
        }
        linalg::YieldOp::create(body, loc, entry);
      });
  setPadding(cast<OpResult>(generic.getResult(0)), unknownPadding(wanted));
  return generic.getResult(0);
}

RankedTensorType PaddedValues::paddedType(Value original) const {
  return npu::paddedType(cast<RankedTensorType>(original.getType()),
                         of(original));
}

bool PaddedValues::havePaddedShapes(ArrayRef<Value> made,
                                    ValueRange results) const {
  auto fits = [&](Value padded, Value result) {
    auto type = dyn_cast_if_present<RankedTensorType>(padded ? padded.getType()
                                                             : Type());
    if (!type || !isa<RankedTensorType>(result.getType()))
      return padded && padded.getType() == result.getType();
    RankedTensorType wanted = paddedType(result);
    return type.getShape() == wanted.getShape() &&
           type.getElementType() == wanted.getElementType();
  };
  return made.size() == results.size() &&
         llvm::all_of(llvm::zip(made, results), [&](auto pair) {
           return fits(std::get<0>(pair), std::get<1>(pair));
         });
}

Value PaddedValues::redistributed(Value have, RankedTensorType want,
                                  Location loc) {
  if (relate(cast<RankedTensorType>(have.getType()), want) !=
      Relation::DataMoves)
    return {};
  return RedistributeOp::create(builder, loc, want, have);
}

Value PaddedValues::padded(Value original, const PaddingState &wanted,
                           Location loc) {
  const PaddingState &found = analysis.of(original);
  if (auto it = paddedValues.find(original);
      it != paddedValues.end() && sameEntries(found, wanted))
    return it->second;
  if (!isPadded(wanted))
    return real(original, loc);
  RankedTensorType type =
      npu::paddedType(cast<RankedTensorType>(original.getType()), wanted);
  if (Value again = made(original, type, loc))
    return again;
  // At run-time lengths, the real part alone would have a dynamic shape.
  Value source = paddedValues.lookup(original);
  auto sourceType =
      source ? cast<RankedTensorType>(source.getType()) : RankedTensorType();
  if (!lengths.empty() && source && type.hasStaticShape() &&
      sourceType.hasStaticShape() && !type.getEncoding() &&
      !sourceType.getEncoding() && !hasNoEntries(type) &&
      !hasNoEntries(sourceType))
    return moved(source, found, type, wanted, loc);
  return enlarge(real(original, loc), type, wanted, loc);
}

Value PaddedValues::enlargeReal(Value value, Location loc) {
  const PaddingState &state = analysis.of(value);
  realValues[value] = value;
  return enlarge(value, paddedType(value), state, loc);
}

Value PaddedValues::real(Value original, Location loc) {
  const PaddingState &state = analysis.of(original);
  if (!isPadded(state)) {
    Value made = replaced.lookup(original);
    return made ? made : original;
  }
  if (Value known = realValues.lookup(original))
    return known;
  Value source = padded(original, loc);
  auto type = cast<RankedTensorType>(original.getType());
  auto sourceType = cast<RankedTensorType>(source.getType());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(source);
  auto empty = [&]() -> Value {
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(valueOf(state[dim]->real));
    return tensor::EmptyOp::create(builder, loc, type, sizes);
  };
  if (hasNoEntries(type) || hasNoEntries(sourceType))
    return realValues[original] = empty();
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  SmallVector<Segment> segments = segmentsOf(sourceType, state);
  Value result;
  if (segments.size() == 1) {
    SmallVector<OpFoldResult> sizes = sizesOf(segments[0].sizes);
    // The original may not say a size that is the same at every length.
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(dim))
        size = valueOf(segments[0].sizes[dim]);
    result = tensor::ExtractSliceOp::create(builder, loc, type, source,
                                            sizesOf(segments[0].inPadded),
                                            sizes, strides);
  } else {
    // The parts together cover the whole value, so that nothing else is read.
    result = empty();
    if (type.hasStaticShape())
      result.getDefiningOp()->setAttr(paddingAttrName, builder.getUnitAttr());
    for (const Segment &segment : segments) {
      Value part = slice(builder, loc, source, sizesOf(segment.inPadded),
                         sizesOf(segment.sizes));
      result = tensor::InsertSliceOp::create(builder, loc, part, result,
                                             sizesOf(segment.inReal),
                                             sizesOf(segment.sizes), strides);
    }
  }
  return realValues[original] = result;
}

void PaddedValues::readPadded(EntryReadOpInterface read, Value padded) {
  Location loc = read.getLoc();
  const PaddingState &state = analysis.of(read.getReadTensor().get());
  if (!isPadded(state))
    return;
  OpBuilder at(read);
  for (auto [dim, padding] : llvm::enumerate(state)) {
    if (!padding || padding->endsInPadding())
      continue;
    OpOperand &index = read.getReadPosition()[dim];
    Value moved = positionWithPadding(at, loc, index.get(), *padding, *this);
    // Where no entry is real, the first real position would be after the
    // tensor.
    const Prompt &prompt = analysis.getPrompt();
    LengthRange lengths{prompt.minLength(), prompt.maxLength};
    if (smallestOverLengths(padding->real, lengths).value_or(0) < 1) {
      Value last = arith::ConstantIndexOp::create(at, loc, padding->extent - 1);
      moved = arith::MinSIOp::create(at, loc, moved, last);
    }
    index.set(moved);
  }
  read.getReadTensor().set(padded);
}

} // namespace npu
