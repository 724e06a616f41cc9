// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers of the layout attribute. The numbers are those of the
// constraints in NPUAttributes.td. Floor 0 checks all that does not need MLIR.

#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "npu/Placement/Distributions/WholeBytes.h"

using namespace mlir;

namespace npu {

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Layout layout) {
  // Constraint 1.
  if (!layout.distribution && layout.order.empty() &&
      layout.storage == Storage::Linear)
    return emitError() << "expected a layout that says something: a mode ("
                       << listModes() << ") or an order";
  // Constraint 7.
  if (!isPermutation(layout.order.span()))
    return emitError() << "expected order to be a permutation of 0.."
                       << layout.order.size() - 1 << ", got "
                       << toString(layout.order);
  if (layout.storage != Storage::Linear && !layout.distribution)
    return emitError() << "expected a mode (" << listModes()
                       << ") beside storage = " << toString(layout.storage)
                       << ": a tensor in DDR is stored linearly";
  if (layout.storage != Storage::Linear && !npu::isIdentity(layout.order))
    return emitError() << "expected no order beside storage = "
                       << toString(layout.storage)
                       << ", in which images have their own, got "
                       << toString(layout.order);
  if (!layout.distribution)
    return success();
  // Constraints 2 to 6.
  if (Result<> problem = checkDistribution(*layout.distribution); !problem)
    return emitError() << problem.error().message;
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  // The parser has reported the error in the element type, and goes on.
  if (!elementType)
    return success();
  // Constraint 8.
  size_t rank = shape.size();
  if (!getOrder().empty() && getOrder().size() != rank)
    return emitError() << "expected an order of rank " << rank
                       << " for a tensor of rank " << rank << ", got "
                       << toString(getOrder());
  // Constraint 11.
  if (getStorage() == Storage::Tiled2d && rank != 4)
    return emitError()
           << "expected a tensor of rank 4 under storage = tiled2d, "
              "got rank "
           << rank;
  if (!isDistributed())
    return success();
  if (rank > kMaxRank)
    return emitError() << "expected a distributed tensor of rank at most "
                       << kMaxRank << ", got rank " << rank;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(extent))
      return emitError() << "expected a static shape under a distribution, but "
                            "dimension "
                         << dim << " is dynamic";
  Extents extents = toExtents(shape);
  // The number of bits that all tiles together may hold or receive must fit in
  // 63 bits: as many copies of the tensor as there are tiles.
  int64_t bits = elementBits(elementType).value_or(64);
  int64_t tiles = tileCount(getDistribution());
  SmallVector<int64_t> factors(shape);
  // An image has whole groups of channels.
  if (getStorage() == Storage::Tiled2d &&
      factors[1] < std::numeric_limits<int64_t>::max() - channelsPacked)
    factors[1] = llvm::alignTo(factors[1], channelsPacked);
  factors.append({bits, tiles});
  if (llvm::none_of(shape, [](int64_t e) { return e == 0; }) &&
      !checkedProduct(factors))
    return emitError() << "expected a tensor whose size in bits fits in 63 "
                          "bits for all "
                       << tiles << " tiles together, got shape "
                       << toString(extents) << " of " << bits
                       << "-bit elements";
  // Constraints 9 and 10.
  auto *dialect = cast<NPUDialect>(&getDialect());
  const Result<Placement> &placement = dialect->getPlacement(*this, extents);
  if (!placement)
    return emitError() << placement.error().message;
  if (isPacked(elementType)) {
    int64_t perByte = elementsPerByte(elementType);
    if (auto cut = findByteCut(*placement, getOrder(), perByte))
      return emitError() << "expected boxes of whole bytes of "
                         << toString(extents) << " " << elementType << ", but "
                         << toString(*cut, perByte);
  }
  return success();
}

// A layout is a memref's layout map only for the parser, which asks it here
// whether it fits. Without the interface, upstream takes it for a memory space,
// which may be anything.

LogicalResult
LayoutAttr::verifyLayout(ArrayRef<int64_t> shape,
                         function_ref<InFlightDiagnostic()> emitError) const {
  return emitError() << "expected #npu.layout on a tensor, got it on a memref, "
                        "which is one buffer in one memory; npu-to-buffers "
                        "makes a buffer of every tile's part of a tensor";
}

AffineMap LayoutAttr::getAffineMap() const {
  return AffineMap::get(getContext());
}

bool LayoutAttr::isIdentity() const { return false; }

LogicalResult LayoutAttr::getStridesAndOffset(ArrayRef<int64_t>,
                                              SmallVectorImpl<int64_t> &,
                                              int64_t &) const {
  return failure();
}

} // namespace npu
