// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileOrders.h"
#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Access/WrittenParts.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/OpAccess.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/TileProgram/TileProgram.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace npu {
namespace {

/// The tensor whose order the result of `op` has; null where the operation does
/// not take the order of another tensor.
Value orderedLike(OpResult result) {
  Operation *op = result.getOwner();
  if (OpOperand *output = tiedOutput(op, result.getResultNumber()))
    return output->get();
  auto rankOf = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getRank() : -1;
  };
  Value like = op->getNumResults() == 1 ? movedOrViewed(op) : Value();
  auto model = modelOf<PartwiseOpInterface>(op);
  if (!like && model && model.partsBeginTogether())
    for (Value operand : op->getOperands())
      if (rankOf(operand) >= 0) {
        like = operand;
        break;
      }
  return like && rankOf(like) == rankOf(result) ? like : Value();
}

} // namespace

std::optional<Permutation> TileOrders::orderOf(Value value) {
  llvm::SetVector<Value> chain;
  std::optional<Permutation> order;
  while (chain.insert(value)) {
    if (auto it = known.find(value); it != known.end()) {
      order = it->second;
      break;
    }
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() > static_cast<int64_t>(kMaxRank))
      break;
    Operation *op = value.getDefiningOp();
    if (auto transfer = dyn_cast_if_present<TransferOp>(op)) {
      order = transfer.getDestOrderOrIdentity();
      break;
    }
    if (op)
      if (auto stated = op->getAttrOfType<DenseI64ArrayAttr>(orderAttrName)) {
        order.emplace();
        for (int64_t dim : stated.asArrayRef())
          order->push_back(dim);
        break;
      }
    // Of what loops and branches hand on, all ways have one order.
    SmallVector<Value> before = handedOnAs(value);
    if (!before.empty()) {
      value = before.front();
      continue;
    }
    Value like = op ? orderedLike(cast<OpResult>(value)) : Value();
    if (!like) {
      if (!op || !isa<RegionBranchOpInterface>(op))
        order = identityPermutation(type.getRank());
      break;
    }
    value = like;
  }
  for (Value each : chain)
    known[each] = order;
  return order;
}

LogicalResult TileOrders::verify(Operation *op) {
  auto mismatch = [&](const Permutation &got, Value value, const Twine &what) {
    std::optional<Permutation> expected = orderOf(value);
    if (!expected || *expected == got)
      return success();
    InFlightDiagnostic error = mlir::emitError(op->getLoc())
                               << "'" << op->getName() << "' expected " << what
                               << " order " << toString(*expected) << ", got "
                               << toString(got);
    error.attachNote(value.getLoc())
        << "the tensor lies in this order ('" << orderAttrName
        << "' where it is made, or the transfers that put it together)";
    return LogicalResult(error);
  };
  if (auto transfer = dyn_cast<TransferOp>(op)) {
    if (!transfer.hasPureTensorSemantics())
      return success();
    if (failed(mismatch(transfer.getSourceOrderOrIdentity(),
                        transfer.getSource(), "source")))
      return failure();
    return success(llvm::all_of(transfer.getDests(), [&](Value dest) {
      return succeeded(
          mismatch(transfer.getDestOrderOrIdentity(), dest, "destination"));
    }));
  }
  auto handedOn = [&](Value value) {
    std::optional<Permutation> order = orderOf(value);
    return !order || llvm::all_of(handedOnAs(value), [&](Value before) {
      return succeeded(mismatch(*order, before, "handed-on"));
    });
  };
  bool fine = llvm::all_of(op->getResults(), handedOn);
  for (Region &region : op->getRegions())
    fine = fine && llvm::all_of(region.getArguments(), handedOn);
  for (Block *block : op->getSuccessors())
    fine = fine && llvm::all_of(block->getArguments(), handedOn);
  return success(fine);
}

} // namespace npu
