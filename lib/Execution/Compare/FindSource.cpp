// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps back through transfers and local copies: each either wrote the element,
// and then it lies somewhere in what was written, or passes on what it was
// given.

#include "FindSource.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/Naming.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/SetVector.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// An element of a tensor, in that tensor's own coordinates.
struct Place {
  Value tensor;
  SmallVector<int64_t> at;
};

/// Where `at` lies inside a box at `offset`, or nothing.
std::optional<SmallVector<int64_t>>
inside(ArrayRef<int64_t> at, ArrayRef<int64_t> offset, ArrayRef<int64_t> size) {
  SmallVector<int64_t> relative;
  for (auto [index, begin, extent] : llvm::zip(at, offset, size)) {
    if (index < begin || index >= begin + extent)
      return std::nullopt;
    relative.push_back(index - begin);
  }
  return relative;
}

std::string endpoint(int64_t tile) {
  return tile == TransferOp::ddr ? "ddr" : nameOfTile(tile);
}

std::string describe(TransferOp transfer, int64_t receiver) {
  return fmt::format("transfer of box {}, {} -> {} ({})",
                     toString(transfer.getBox()), endpoint(transfer.getFrom()),
                     endpoint(receiver), nameOfLocation(transfer.getLoc()));
}

/// The element's place in the transfer's source, or nothing when this
/// transfer did not write it.
std::optional<Place> throughTransfer(TransferOp transfer, unsigned dest,
                                     ArrayRef<int64_t> at) {
  auto relative =
      inside(at, transfer.getDestOffset(dest), transfer.getDestSizes());
  if (!relative)
    return std::nullopt;
  // Memory order of the destination, to logical order, to the source's.
  Permutation destOrder = transfer.getDestOrderOrIdentity();
  Permutation sourceOrder = transfer.getSourceOrderOrIdentity();
  SmallVector<int64_t> logical(relative->size());
  for (auto [memory, dim] : llvm::enumerate(destOrder))
    logical[dim] = (*relative)[memory];
  Place place{transfer.getSource(), {}};
  for (auto [memory, dim] : llvm::enumerate(sourceOrder))
    place.at.push_back(transfer.getSourceOffset()[memory] + logical[dim]);
  return place;
}

/// The same for a local copy; nothing also where it is not a plain box.
std::optional<Place> throughInsertion(tensor::InsertSliceOp insert,
                                      ArrayRef<int64_t> at) {
  auto relative =
      inside(at, insert.getStaticOffsets(), insert.getStaticSizes());
  if (!relative ||
      insert.getSourceType().getRank() != static_cast<int64_t>(at.size()))
    return std::nullopt;
  return Place{insert.getSource(), *relative};
}

std::optional<Place> throughExtraction(tensor::ExtractSliceOp extract,
                                       ArrayRef<int64_t> at) {
  ArrayRef<int64_t> offsets = extract.getStaticOffsets();
  if (offsets.size() != at.size() ||
      llvm::any_of(offsets, ShapedType::isDynamic) || !extract.hasUnitStride())
    return std::nullopt;
  Place place{extract.getSource(), {}};
  for (auto [index, offset] : llvm::zip(at, offsets))
    place.at.push_back(index + offset);
  return place;
}

constexpr size_t transfersShown = 8;

/// The transfers that brought to a tile what `end` was computed from, in
/// program order.
std::vector<std::string> transfersInto(Operation *end) {
  SetVector<Value> reached(end->operand_begin(), end->operand_end());
  SmallVector<OpResult> brought;
  for (size_t i = 0; i < reached.size(); ++i) {
    auto result = dyn_cast<OpResult>(reached[i]);
    if (!result)
      continue;
    if (auto transfer = dyn_cast<TransferOp>(result.getOwner())) {
      brought.push_back(result);
      reached.insert(transfer.getDests()[result.getResultNumber()]);
    } else {
      reached.insert(result.getOwner()->operand_begin(),
                     result.getOwner()->operand_end());
    }
  }
  llvm::sort(brought, [](OpResult a, OpResult b) {
    return a.getOwner()->getBlock() == b.getOwner()->getBlock() &&
           a.getOwner()->isBeforeInBlock(b.getOwner());
  });
  std::vector<std::string> lines;
  for (OpResult result : ArrayRef(brought).take_front(transfersShown)) {
    auto transfer = cast<TransferOp>(result.getOwner());
    lines.push_back(
        "what came by " +
        describe(transfer, transfer.getTo()[result.getResultNumber()]));
  }
  if (brought.size() > transfersShown)
    lines.push_back(fmt::format("what came by {} more transfers",
                                brought.size() - transfersShown));
  return lines;
}

/// The end of the trail.
std::string whatMade(Operation *op) {
  auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
  std::string where = tile ? nameOfTile(tile.getInt()) : "DDR";
  if (isa<tensor::EmptyOp>(op))
    return fmt::format("nothing wrote it there: {} only has room for it ({})",
                       where, nameOfLocation(op->getLoc()));
  return fmt::format("computed by {} on {} ({})",
                     op->getName().getStringRef().str(), where,
                     nameOfLocation(op->getLoc()));
}

} // namespace

std::vector<std::string> findSource(func::FuncOp program, unsigned result,
                                    const std::vector<int64_t> &index) {
  std::vector<std::string> lines;
  Operation *end = program.back().getTerminator();
  Place place{end->getOperand(result), {index.begin(), index.end()}};
  while (Operation *op = place.tensor.getDefiningOp()) {
    if (auto transfer = dyn_cast<TransferOp>(op)) {
      unsigned dest = cast<OpResult>(place.tensor).getResultNumber();
      if (auto source = throughTransfer(transfer, dest, place.at)) {
        lines.push_back(describe(transfer, transfer.getTo()[dest]));
        place = *source;
      } else {
        place.tensor = transfer.getDests()[dest];
      }
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op);
               insert && insert.hasUnitStride() &&
               !llvm::any_of(insert.getStaticOffsets(),
                             ShapedType::isDynamic)) {
      if (auto source = throughInsertion(insert, place.at))
        place = *source;
      else
        place.tensor = insert.getDest();
    } else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
      auto source = throughExtraction(extract, place.at);
      if (!source)
        break;
      place = *source;
    } else {
      break;
    }
  }
  if (Operation *op = place.tensor.getDefiningOp()) {
    lines.push_back(whatMade(op));
    llvm::append_range(lines, transfersInto(op));
  } else {
    lines.push_back(
        fmt::format("argument #{} of the function",
                    cast<BlockArgument>(place.tensor).getArgNumber()));
  }
  return lines;
}

} // namespace npu
