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

std::string TransferOp::nameOfEndpoint(int64_t place) {
  return place == ddr ? "ddr" : "tile " + std::to_string(place);
}

/// The memory space of a place; 0 is the DDR, which types do not name.
static int64_t spaceOf(int64_t place) {
  static_assert(TransferOp::ddr == -1);
  return place + 1;
}

/// Constraint 2. DestinationStyleOpInterface verifies the types of results.
static LogicalResult verifyKinds(TransferOp op) {
  bool buffers = isa<MemRefType>(op.getSource().getType());
  for (Value dest : op.getDests())
    if (isa<MemRefType>(dest.getType()) != buffers)
      return op.emitOpError()
             << "expected tensors or memrefs on all sides, got "
             << op.getSource().getType() << " and " << dest.getType();
  for (Type type : op->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getEncoding())
      return op.emitOpError()
             << "expected tensors without a layout, each of them a part that "
                "one tile or DDR has, got "
             << type;
  size_t results = buffers ? 0 : op.getDests().size();
  if (op.getNumResults() != results)
    return op.emitOpError()
           << "expected one result for each destination that is a tensor, "
           << results << " in all, got " << op.getNumResults();
  return success();
}

/// Constraint 7: each buffer is in the memory of the place that the transfer
/// names.
static LogicalResult verifySpace(TransferOp op, Value side, int64_t place) {
  auto type = dyn_cast<MemRefType>(side.getType());
  if (!type)
    return success();
  auto space = dyn_cast_or_null<IntegerAttr>(type.getMemorySpace());
  bool isNumber = space && space.getValue().isSignedIntN(64);
  if (type.getMemorySpace() ? isNumber && space.getInt() == spaceOf(place)
                            : place == TransferOp::ddr)
    return success();
  return op.emitOpError() << "expected a buffer of "
                          << TransferOp::nameOfEndpoint(place)
                          << " in memory space " << spaceOf(place) << ", got "
                          << type;
}

/// Constraint 8: no element is written before it has been read.
static LogicalResult verifyApart(TransferOp op, unsigned dest) {
  if (op.getSource() != op.getDests()[dest] ||
      !isa<MemRefType>(op.getSource().getType()))
    return success();
  Box from = op.getSourcePart(), to = op.getDestPart(dest);
  bool isSame = from == to &&
                op.getSourceOrderOrIdentity() == op.getDestOrderOrIdentity();
  if (isSame || intersect(from, to).isEmpty())
    return success();
  return op.emitOpError() << "expected parts of one buffer that lie apart or "
                             "are the same in the same order, got "
                          << toString(from) << " and " << toString(to);
}

/// The bytes of constraint 6; nothing where elements have no size, or where the
/// number does not fit.
static std::optional<int64_t> countBytes(TransferOp op) {
  std::optional<int64_t> bits =
      elementBits(op.getSource().getType().getElementType());
  if (!bits)
    return std::nullopt;
  SmallVector<int64_t> factors(op.getSize());
  if (llvm::is_contained(factors, 0))
    return 0;
  factors.push_back(*bits);
  std::optional<int64_t> all = checkedProduct(factors);
  return all ? std::optional(toBytes(*all, 1)) : std::nullopt;
}

/// Constraint 1.
static LogicalResult verifyPlaces(TransferOp op) {
  ArrayRef<int64_t> to = op.getTo();
  if (op.getDests().empty() || op.getDests().size() != to.size())
    return op.emitOpError() << "expected one destination for each of the "
                               "receivers, got "
                            << op.getDests().size() << " destinations and "
                            << to.size() << " receivers";
  if (llvm::is_contained(to, TransferOp::ddr) && to.size() != 1)
    return op.emitOpError() << "expected DDR to be the only receiver";
  auto isPlace = [](int64_t place) {
    return place >= TransferOp::ddr && place < kMaxTiles;
  };
  if (!isPlace(static_cast<int64_t>(op.getFrom())) ||
      !llvm::all_of(to, isPlace))
    return op.emitOpError() << "expected tiles from 0 to " << kMaxTiles - 1;
  return success();
}

/// Constraints 3 and 4, and that a box of 5 is somewhere in a tensor.
static LogicalResult verifyBox(TransferOp op) {
  size_t rank = op.getSource().getType().getRank();
  if (rank > kMaxRank || op.getSourceOffset().size() != rank ||
      op.getOffset().size() != rank || op.getSize().size() != rank ||
      op.getDestOffsets().size() != rank * op.getDests().size())
    return op.emitOpError() << "expected offsets and a box of rank " << rank
                            << ", at most " << kMaxRank;
  for (auto [begin, size] : llvm::zip(op.getOffset(), op.getSize()))
    if (begin < 0 || size < 0 ||
        begin > std::numeric_limits<int64_t>::max() - size)
      return op.emitOpError()
             << "expected a box that begins at 0 or above and has an end, got "
                "offset ["
             << op.getOffset() << "] and size [" << op.getSize() << "]";
  for (std::optional<ArrayRef<int64_t>> order :
       {op.getSourceOrder(), op.getDestOrder()})
    if (order && (order->size() != rank ||
                  !isPermutation({order->data(), order->size()})))
      return op.emitOpError()
             << "expected orders that are permutations of rank " << rank
             << ", got [" << *order << "]";
  return success();
}

/// Constraint 5: each side has the box.
static LogicalResult verifySides(TransferOp op) {
  ShapedType source = op.getSource().getType();
  if (!fitsAt(op.getSourceOffset(), op.getSourceSizes(), source))
    return op.emitOpError()
           << "expected box " << toString(op.getBox()) << " at ["
           << op.getSourceOffset() << "] inside the source " << source;
  for (auto [i, dest] : llvm::enumerate(op.getDests())) {
    auto type = cast<ShapedType>(dest.getType());
    if (type.getRank() != source.getRank() ||
        type.getElementType() != source.getElementType())
      return op.emitOpError() << "expected one rank and element type on all "
                                 "sides, got "
                              << source << " and " << type;
    if (!fitsAt(op.getDestOffset(i), op.getDestSizes(), type))
      return op.emitOpError() << "expected box " << toString(op.getBox())
                              << " at [" << op.getDestOffset(i)
                              << "] inside destination #" << i << ", " << type;
  }
  return success();
}

/// Constraint 6.
static LogicalResult verifyBytes(TransferOp op) {
  std::optional<int64_t> bytes = countBytes(op);
  if (!bytes)
    return op.emitOpError() << "expected a box whose size in bits is known and "
                               "fits in 63 bits, got "
                            << toString(op.getBox()) << " of "
                            << op.getSource().getType().getElementType();
  if (static_cast<int64_t>(op.getBytes()) != *bytes)
    return op.emitOpError()
           << "expected bytes = " << *bytes << ", got " << op.getBytes();
  return success();
}

LogicalResult TransferOp::verify() {
  if (failed(verifyPlaces(*this)) || failed(verifyKinds(*this)) ||
      failed(verifyBox(*this)) || failed(verifySides(*this)) ||
      failed(verifyBytes(*this)) ||
      failed(verifySpace(*this, getSource(), static_cast<int64_t>(getFrom()))))
    return failure();
  for (auto [i, dest] : llvm::enumerate(getDests()))
    if (failed(verifySpace(*this, dest, getTo()[i])) ||
        failed(verifyApart(*this, i)))
      return failure();
  return success();
}

} // namespace npu
