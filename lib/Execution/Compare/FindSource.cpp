// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows an element back through transfers and local copies: each of them
// either wrote the element, which is then at some place in what was written, or
// passes on the element of its destination.

#include "FindSource.h"
#include "npu/Interfaces/LinearForm.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"

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

/// The coordinates of `at` inside a box at `offset`, or nothing.
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

std::string describe(TransferOp transfer, int64_t receiver) {
  return fmt::format(
      "transfer of box {}, {} -> {} ({})", toString(transfer.getBox()),
      TransferOp::nameOfEndpoint(static_cast<int64_t>(transfer.getFrom())),
      TransferOp::nameOfEndpoint(receiver), nameOfLocation(transfer.getLoc()));
}

/// The element's place in the source of a transfer; nothing when this transfer
/// did not write the element.
std::optional<Place> throughTransfer(TransferOp transfer, unsigned dest,
                                     ArrayRef<int64_t> at) {
  auto relative =
      inside(at, transfer.getDestOffset(dest), transfer.getDestSizes());
  if (!relative)
    return std::nullopt;
  // Permute from memory order of the destination to logical order, and from
  // there to memory order of the source.
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

/// The place in an operand from which a copy (a slice, an insertion) has its
/// entry, for maps that are a plain box of all dimensions. The tensor is null
/// where no operand has the entry.
Place throughCopy(Operation *op, ArrayRef<int64_t> at) {
  std::optional<OpAccess> access = OpAccess::get(op);
  if (!access)
    return {};
  for (unsigned number : modelOf<PartwiseOpInterface>(op).copiedOperands()) {
    Value operand = op->getOperand(number);
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    AffineMap map = access->mapOf(number);
    Place place{operand, {}};
    for (AffineExpr expr : map.getResults()) {
      std::optional<LinearForm> form = asLinearForm(expr);
      if (!form || form->factors.size() != 1 ||
          form->factors.begin()->second != 1)
        return {};
      place.at.push_back(at[form->factors.begin()->first] + form->offset);
    }
    SmallVector<int64_t> zeros(shape.size(), 0);
    if (shape.size() != at.size())
      return {};
    if (inside(place.at, zeros, shape))
      return place;
  }
  return {};
}

constexpr size_t transfersShown = 8;

/// The transfers that brought the operands of `end` to its tile, in program
/// order.
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

/// The text for the operation at which the search ends.
std::string whatMade(Operation *op) {
  auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
  std::string where = tile ? nameOfTile(tile.getInt()) : "DDR";
  if (op->getNumResults() == 1 && isUnwritten(op->getResult(0)))
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
    } else if (Place source = throughCopy(op, place.at); source.tensor) {
      place = source;
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
