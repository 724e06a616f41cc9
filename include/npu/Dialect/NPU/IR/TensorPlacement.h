// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a tensor type to what its encoding says: the layout, the order, the
// placement. Everything above the dialect asks here.

#ifndef NPU_DIALECT_NPU_IR_TENSORPLACEMENT_H
#define NPU_DIALECT_NPU_IR_TENSORPLACEMENT_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

namespace npu {

/// The layout that the type's encoding is, or null (no encoding, or another
/// dialect's).
LayoutAttr getLayout(mlir::Type type);

/// The type of a value that is a ranked tensor; null of any other.
mlir::RankedTensorType rankedType(mlir::Value value);

/// True when the type's encoding has a distribution.
bool isDistributed(mlir::Type type);

/// The dimension order; identity of the type's rank unless the layout has
/// another. Precondition: rank at most kMaxRank.
Permutation getOrder(mlir::RankedTensorType type);

/// True when both orders put every tensor of this shape at the same addresses
/// (they may differ in where dimensions of extent 1 stand).
bool sameMemoryOrder(mlir::ArrayRef<int64_t> shape, const Permutation &a,
                     const Permutation &b);

/// A static shape of rank at most kMaxRank. Precondition: it is one.
Extents toExtents(mlir::ArrayRef<int64_t> shape);

/// The placement, or null when the type is not distributed or (in types that
/// were built without verification) its layout does not fit its shape.
const Placement *getPlacement(mlir::RankedTensorType type);

/// Why `getPlacement` is null for a distributed type, for a message.
std::string whyNoPlacement(mlir::RankedTensorType type);

/// The type with another layout; null drops the encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  LayoutAttr layout);

/// A layout attribute; null when it would say nothing (no distribution and
/// identity order), which is how an ordinary tensor is spelled. Precondition:
/// `checkDistribution` has nothing to say.
LayoutAttr makeLayout(mlir::MLIRContext *context, Layout layout);

/// Bits per element (i1 is 1, index is 64, complex twice its part); nothing for
/// types without a size.
std::optional<int64_t> elementBits(mlir::Type elementType);

/// Bytes that so many elements take, rounded up to whole bytes.
int64_t toBytes(int64_t elements, int64_t elementBits);

/// Bytes that one element takes in a buffer: whole ones, as many as LLVM steps
/// over from one element to the next. An i1 takes one and an i24 four, although
/// transfers count their bits. At least that many for vectors and for integers
/// of odd widths; nothing for types without a size.
std::optional<int64_t> bufferBytes(mlir::Type elementType);

/// The same for all elements of a shape; nothing where that is not static or
/// does not fit.
std::optional<int64_t> bufferBytes(mlir::Type elementType,
                                   mlir::ArrayRef<int64_t> shape);

/// The dimension map of a permute_cast from input to result dimensions
/// (castDimensions of its orders and mem_perm).
Permutation getInputDimensions(PermuteCastOp cast);

/// The layout that the result of `cast` has when it keeps its input's
/// distribution, with the result's own order; null when that is a plain tensor.
LayoutAttr getExpectedLayout(PermuteCastOp cast);

/// Both sides hold the same boxes on the same tiles, or neither is distributed.
bool hasSameMemory(PermuteCastOp cast);

} // namespace npu

#endif // NPU_DIALECT_NPU_IR_TENSORPLACEMENT_H
