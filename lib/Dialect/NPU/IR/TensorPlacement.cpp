// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "npu/Placement/Distributions/WholeBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {

LayoutAttr getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

RankedTensorType rankedType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

bool isDistributed(Type type) {
  LayoutAttr layout = getLayout(type);
  return layout && layout.isDistributed();
}

Permutation getOrder(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  if (!layout || layout.getOrder().empty())
    return identityPermutation(type.getRank());
  return layout.getOrder();
}

Storage getStorage(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  return layout ? layout.getStorage() : Storage::Linear;
}

RankedTensorType withStorage(RankedTensorType type, Storage storage) {
  if (getStorage(type) == storage)
    return type;
  Layout layout = getLayout(type).getLayout();
  layout.storage = storage;
  return withLayout(type, makeLayout(type.getContext(), std::move(layout)));
}

bool sameMemoryOrder(ArrayRef<int64_t> shape, const Permutation &a,
                     const Permutation &b) {
  auto largeDims = [&](const Permutation &order) {
    return llvm::make_filter_range(
        order, [&](int64_t dim) { return shape[dim] != 1; });
  };
  return llvm::equal(largeDims(a), largeDims(b));
}

Extents toExtents(ArrayRef<int64_t> shape) {
  return Extents(std::span<const int64_t>(shape.data(), shape.size()));
}

/// The cached placement of a distributed type, or why there is none; null for
/// types that have no static shape of a rank that boxes can have.
static const Result<Placement> *lookUpPlacement(RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  if (!layout || !layout.isDistributed() || !type.hasStaticShape() ||
      type.getRank() > kMaxRank)
    return nullptr;
  auto *dialect = cast<NPUDialect>(&layout.getDialect());
  return &dialect->getPlacement(type);
}

/// The box of a tile that cuts a byte of a packed tensor; nothing where none
/// does.
static std::optional<ByteCut> byteCutOf(RankedTensorType type,
                                        const Placement &placement) {
  if (!isPacked(type.getElementType()))
    return std::nullopt;
  return findByteCut(placement, getOrder(type),
                     elementsPerByte(type.getElementType()));
}

const Placement *getPlacement(RankedTensorType type) {
  const Result<Placement> *placement = lookUpPlacement(type);
  if (!placement || !*placement || byteCutOf(type, **placement))
    return nullptr;
  return &**placement;
}

std::string whyNoPlacement(RankedTensorType type) {
  const Result<Placement> *placement = lookUpPlacement(type);
  if (!placement)
    return "expected a static shape of rank at most " +
           std::to_string(kMaxRank) + " under a distribution";
  if (!*placement)
    return placement->error().message;
  auto cut = byteCutOf(type, **placement);
  return cut ? toString(*cut, elementsPerByte(type.getElementType())) : "";
}

RankedTensorType withLayout(RankedTensorType type, LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

RankedTensorType inDdr(RankedTensorType type) {
  return withLayout(type, makeLayout(type.getContext(), {{}, getOrder(type)}));
}

bool isDynamic(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

LayoutAttr makeLayout(MLIRContext *context, Layout layout) {
  if (isIdentity(layout.order))
    layout.order.clear();
  if (!layout.distribution && layout.order.empty())
    return {};
  if (layout.distribution)
    normalize(*layout.distribution);
  return LayoutAttr::get(context, layout);
}

bool isPacked(Type elementType) {
  return elementType.isInteger(2) || elementType.isInteger(4);
}

int64_t elementsPerByte(Type elementType) {
  return isPacked(elementType) ? 8 / elementType.getIntOrFloatBitWidth() : 1;
}

Extents cutsBetweenBytes(RankedTensorType type) {
  return cutsBetweenBytes(toExtents(type.getShape()), getOrder(type),
                          elementsPerByte(type.getElementType()));
}

std::optional<int64_t> elementBits(Type elementType) {
  if (isPacked(elementType))
    return elementType.getIntOrFloatBitWidth();
  std::optional<int64_t> bytes =
      isa<VectorType>(elementType) ? std::nullopt : bufferBytes(elementType);
  return bytes ? std::optional(8 * *bytes) : std::nullopt;
}

int64_t toBytes(int64_t elements, int64_t elementBits) {
  int64_t bits = elements * elementBits;
  return bits / 8 + (bits % 8 != 0);
}

std::optional<int64_t> bufferBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    auto part = bufferBytes(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(elementType)) {
    // In LLVM, a vector of several dimensions is an array of vectors of one
    // dimension, whose sizes are rounded up to powers of two.
    SmallVector<int64_t> shape(vector.getShape());
    if (vector.isScalable())
      return std::nullopt;
    if (!shape.empty())
      shape.back() = static_cast<int64_t>(llvm::PowerOf2Ceil(shape.back()));
    return bufferBytes(vector.getElementType(), shape);
  }
  if (!elementType.isIntOrIndexOrFloat())
    return std::nullopt;
  unsigned bits = elementType.isIndex() ? IndexType::kInternalStorageBitWidth
                                        : elementType.getIntOrFloatBitWidth();
  auto bytes = std::max<int64_t>(llvm::divideCeil(bits, 8), 1);
  auto powerOf2 = static_cast<int64_t>(llvm::PowerOf2Ceil(bytes));
  int64_t alignment = std::min<int64_t>(powerOf2, 16);
  return static_cast<int64_t>(llvm::alignTo(bytes, alignment));
}

std::optional<int64_t> bufferBytes(Type elementType, ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = bufferBytes(elementType);
  if (!bytes || ShapedType::isDynamicShape(shape))
    return std::nullopt;
  if (llvm::is_contained(shape, 0))
    return 0;
  for (int64_t extent : shape)
    if (llvm::MulOverflow(*bytes, extent, *bytes))
      return std::nullopt;
  // Of a type of less than a byte, these were elements.
  int64_t perByte = elementsPerByte(elementType);
  return *bytes / perByte + (*bytes % perByte != 0);
}

Permutation getInputDimensions(PermuteCastOp cast) {
  ArrayRef<int64_t> memPerm = cast.getMemPerm();
  return castDimensions(getOrder(cast.getInput().getType()), toExtents(memPerm),
                        getOrder(cast.getResult().getType()));
}

LayoutAttr getExpectedLayout(PermuteCastOp cast) {
  RankedTensorType resultType = cast.getResult().getType();
  Layout expected;
  expected.order = getOrder(resultType);
  LayoutAttr layout = getLayout(cast.getInput().getType());
  if (layout && layout.isDistributed())
    expected.distribution =
        permute(layout.getDistribution(), getInputDimensions(cast));
  return makeLayout(cast.getContext(), std::move(expected));
}

bool hasSameMemory(PermuteCastOp cast) {
  RankedTensorType inputType = cast.getInput().getType();
  RankedTensorType resultType = cast.getResult().getType();
  if (isDistributed(inputType) != isDistributed(resultType))
    return false;
  if (!isDistributed(inputType))
    return true;
  // In the most common case, each label is the image of the other.
  if (getExpectedLayout(cast) == getLayout(resultType))
    return true;
  const Placement *input = getPlacement(inputType);
  const Placement *result = getPlacement(resultType);
  return input && result &&
         sameMemory(permute(*input, getInputDimensions(cast)), *result);
}

} // namespace npu
