// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tensor type's encoding says: the layout, the order, the placement. All
// code above the dialect asks here.

#ifndef NPU_DIALECT_NPU_IR_TENSORPLACEMENT_H
#define NPU_DIALECT_NPU_IR_TENSORPLACEMENT_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

namespace npu {

/// The layout that the type's encoding is, or null (no encoding, or another
/// dialect's).
LayoutAttr getLayout(mlir::Type type);

/// Whether the type's encoding is a layout.
inline bool hasLayout(mlir::Type type) {
  return static_cast<bool>(getLayout(type));
}

/// The type of a value that is a ranked tensor; null of any other.
mlir::RankedTensorType rankedType(mlir::Value value);

/// True when the type's encoding has a distribution.
bool isDistributed(mlir::Type type);

/// The dimension order; identity of the type's rank unless the layout has
/// another. Precondition: rank at most kMaxRank.
Permutation getOrder(mlir::RankedTensorType type);

/// How tiles store what they hold of a tensor; linear where its layout says
/// nothing.
Storage getStorage(mlir::RankedTensorType type);

/// The type with another storage. Precondition: it is distributed; tensors in
/// an order of their own are linear.
mlir::RankedTensorType withStorage(mlir::RankedTensorType type,
                                   Storage storage);

/// True when both orders put every tensor of this shape at the same addresses
/// (they may differ in where dimensions of extent 1 stand).
bool sameMemoryOrder(mlir::ArrayRef<int64_t> shape, const Permutation &a,
                     const Permutation &b);

/// The shape as Extents. Precondition: it is static and its rank is at most
/// kMaxRank.
Extents toExtents(mlir::ArrayRef<int64_t> shape);

/// The placement, or null when the type is not distributed or (in types that
/// were built without verification) its layout does not fit its shape.
const Placement *getPlacement(mlir::RankedTensorType type);

/// Why `getPlacement` is null for a distributed type, for a message.
std::string whyNoPlacement(mlir::RankedTensorType type);

/// The type with another layout; a null layout drops the encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  LayoutAttr layout);

/// The type in DDR, with the same dimension order.
mlir::RankedTensorType inDdr(mlir::RankedTensorType type);

/// Whether the extents of a tensor are not all known.
bool isDynamic(mlir::Type type);

/// The attribute of a layout; null when the layout says nothing (no
/// distribution and the identity order), which is how an ordinary tensor is
/// written. Precondition: `checkDistribution` finds no error.
LayoutAttr makeLayout(mlir::MLIRContext *context, Layout layout);

/// Whether several elements of a tensor or a buffer share a byte: integers of 2
/// and 4 bits do.
bool isPacked(mlir::Type elementType);

/// How many elements share a byte: 2 of i4, 4 of i2, 1 of others.
int64_t elementsPerByte(mlir::Type elementType);

/// Where a tensor may be cut between bytes; all ones where no elements share
/// one. Preconditions: a static shape, of a rank that boxes can have.
Extents cutsBetweenBytes(mlir::RankedTensorType type);

/// The bits that an element takes where tensors are stored and moved: those of
/// `bufferBytes`, so an i1 takes 8, an i24 32 and index 64, and a complex
/// number twice its part. Integers of 2 and 4 bits lie several to a byte and
/// take their own bits. Nothing for types without a size.
std::optional<int64_t> elementBits(mlir::Type elementType);

/// The bytes that `elements` elements take together, rounded up to whole bytes.
int64_t toBytes(int64_t elements, int64_t elementBits);

/// The bytes that one element takes in a buffer of its own: whole bytes, as
/// many as LLVM steps over from one element to the next. An i1 takes one byte
/// and an i24 four. For vectors and for integers of odd widths, an upper bound;
/// nothing for types without a size.
std::optional<int64_t> bufferBytes(mlir::Type elementType);

/// The bytes of all elements of a shape, which are packed where `isPacked` says
/// so; nothing where the shape is not static
/// or the number does not fit.
std::optional<int64_t> bufferBytes(mlir::Type elementType,
                                   mlir::ArrayRef<int64_t> shape);

/// The dimension map of a permute_cast from input to result dimensions
/// (castDimensions of its orders and mem_perm).
Permutation getInputDimensions(PermuteCastOp cast);

/// The layout that the result of `cast` has when it keeps its input's
/// distribution, with the result's own order; null when that is a plain tensor.
LayoutAttr getExpectedLayout(PermuteCastOp cast);

/// Whether input and result of `cast` have the same boxes on the same tiles, or
/// neither is distributed.
bool hasSameMemory(PermuteCastOp cast);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_TENSORPLACEMENT_H
