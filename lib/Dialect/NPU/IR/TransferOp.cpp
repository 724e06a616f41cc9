// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu.transfer: accessors, effects and verifier. The numbers are those of the
// constraints in NPUOps.td.

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace npu {
namespace {

Permutation orderOrIdentity(std::optional<ArrayRef<int64_t>> order,
                            size_t rank) {
  return order ? toExtents(*order) : identityPermutation(rank);
}

SmallVector<int64_t> inOrder(ArrayRef<int64_t> sizes,
                             std::optional<ArrayRef<int64_t>> order) {
  return order ? applyPermutation(sizes, *order) : llvm::to_vector(sizes);
}

bool fitsAt(ArrayRef<int64_t> offset, ArrayRef<int64_t> sizes,
            ShapedType type) {
  for (auto [begin, size, extent] : llvm::zip(offset, sizes, type.getShape()))
    if (begin < 0 || size < 0 || begin > extent - size)
      return false;
  return true;
}

} // namespace

Box TransferOp::getBox() {
  return Box::fromOffsetsAndSizes(toExtents(getOffset()), toExtents(getSize()));
}

Permutation TransferOp::getSourceOrderOrIdentity() {
  return orderOrIdentity(getSourceOrder(), getSource().getType().getRank());
}

Permutation TransferOp::getDestOrderOrIdentity() {
  return orderOrIdentity(getDestOrder(), getSource().getType().getRank());
}

ArrayRef<int64_t> TransferOp::getDestOffset(unsigned i) {
  size_t rank = getSource().getType().getRank();
  return getDestOffsets().slice(i * rank, rank);
}

SmallVector<int64_t> TransferOp::getSourceSizes() {
  return inOrder(getSize(), getSourceOrder());
}

SmallVector<int64_t> TransferOp::getDestSizes() {
  return inOrder(getSize(), getDestOrder());
}

Box TransferOp::getSourcePart() {
  return Box::fromOffsetsAndSizes(toExtents(getSourceOffset()),
                                  toExtents(getSourceSizes()));
}

Box TransferOp::getDestPart(unsigned i) {
  return Box::fromOffsetsAndSizes(toExtents(getDestOffset(i)),
                                  toExtents(getDestSizes()));
}

/// On tensors a transfer has no effects; on buffers it reads and writes.
void TransferOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!hasPureBufferSemantics())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(),
                       SideEffects::DefaultResource::get());
  for (OpOperand &dest : getDestsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &dest,
                         SideEffects::DefaultResource::get());
}

Speculation::Speculatability TransferOp::getSpeculatability() {
  return hasPureBufferSemantics() ? Speculation::NotSpeculatable
                                  : Speculation::Speculatable;
}

/// Names results by the tiles that receive them: %t1, %t2.
void TransferOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  for (auto [result, tile] : llvm::zip(getResults(), getTo()))
    setName(result, tile == ddr ? "ddr" : "t" + std::to_string(tile));
}

/// Constraint 2. DestinationStyleOpInterface verifies the types of results.
static LogicalResult verifyKinds(TransferOp op) {
  bool buffers = isa<MemRefType>(op.getSource().getType());
  for (Value dest : op.getDests())
    if (isa<MemRefType>(dest.getType()) != buffers)
      return op.emitOpError()
             << "expected tensors or memrefs on all sides, got "
             << op.getSource().getType() << " and " << dest.getType();
  size_t results = buffers ? 0 : op.getDests().size();
  if (op.getNumResults() != results)
    return op.emitOpError()
           << "expected one result for each destination that is a tensor, "
           << results << " in all, got " << op.getNumResults();
  return success();
}

LogicalResult TransferOp::verify() {
  ShapedType source = getSource().getType();
  size_t rank = source.getRank();
  // Constraint 1.
  if (getDests().empty() || getDests().size() != getTo().size())
    return emitOpError() << "expected one destination for each of the "
                            "receivers, got "
                         << getDests().size() << " destinations and "
                         << getTo().size() << " receivers";
  if (llvm::is_contained(getTo(), ddr) && getTo().size() != 1)
    return emitOpError() << "expected DDR to be the only receiver";
  auto isPlace = [](int64_t tile) { return tile >= ddr && tile < kMaxTiles; };
  if (!isPlace(getFrom()) || !llvm::all_of(getTo(), isPlace))
    return emitOpError() << "expected tiles from 0 to " << kMaxTiles - 1;
  if (failed(verifyKinds(*this)))
    return failure();
  // Constraint 3.
  if (rank > kMaxRank || getSourceOffset().size() != rank ||
      getOffset().size() != rank || getSize().size() != rank ||
      getDestOffsets().size() != rank * getDests().size())
    return emitOpError() << "expected offsets and a box of rank " << rank
                         << ", at most " << kMaxRank;
  // Constraint 4.
  for (std::optional<ArrayRef<int64_t>> order :
       {getSourceOrder(), getDestOrder()})
    if (order && (order->size() != rank ||
                  !isPermutation({order->data(), order->size()})))
      return emitOpError() << "expected orders that are permutations of rank "
                           << rank << ", got [" << *order << "]";
  // Constraint 5.
  if (!fitsAt(getSourceOffset(), getSourceSizes(), source))
    return emitOpError() << "expected box " << toString(getBox()) << " at ["
                         << getSourceOffset() << "] inside the source "
                         << source;
  for (auto [i, dest] : llvm::enumerate(getDests())) {
    auto type = cast<ShapedType>(dest.getType());
    if (type.getRank() != source.getRank() ||
        type.getElementType() != source.getElementType())
      return emitOpError() << "expected one rank and element type on all "
                              "sides, got "
                           << source << " and " << type;
    if (!fitsAt(getDestOffset(i), getDestSizes(), type))
      return emitOpError() << "expected box " << toString(getBox()) << " at ["
                           << getDestOffset(i) << "] inside destination #" << i
                           << ", " << type;
  }
  // Constraint 6.
  auto bits = elementBits(source.getElementType());
  int64_t bytes = bits ? toBytes(getBox().volume(), *bits) : -1;
  if (static_cast<int64_t>(getBytes()) != bytes)
    return emitOpError() << "expected bytes = " << bytes << ", got "
                         << getBytes();
  return success();
}

} // namespace npu
