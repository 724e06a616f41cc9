// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NamedRows.h"

#include "Repairs.h"
#include "npu/Analysis/Costs/LoadedRows.h"
#include "npu/Analysis/Costs/ModelledCost.h"
#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/ExternalModels/GatherLookup.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Target/PlanCost.h"

#include "mlir/IR/Matchers.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Whether a tensor without a layout lies in DDR before anything runs: an
/// argument, a constant, or the whole of one in another shape.
bool liesInDdr(Value tensor) {
  Operation *maker = tensor.getDefiningOp();
  while (maker && isView(maker)) {
    tensor = maker->getOperand(0);
    maker = tensor.getDefiningOp();
  }
  return !maker || maker->hasTrait<OpTrait::ConstantLike>();
}

/// The entries of one slice that a gather takes.
int64_t entriesOfRow(GatherOp gather) {
  Count entries{1};
  for (int64_t extent :
       gather.getData().getType().getShape().drop_front(gather.getFirstWhole()))
    entries *= Count{extent};
  return entries.value;
}

/// The bytes of a table that each tile holds at least: its part of every row.
int64_t leastHeld(GatherOp gather, const Target &device) {
  int64_t parts = std::min(device.tiles, entriesOfRow(gather));
  return llvm::divideCeil(bytesInMemory(gather.getData().getType()),
                          std::max<int64_t>(parts, 1));
}

/// Whether a row of the table takes a lookup, or would, were its positions of
/// another type.
bool mayHaveKernel(Operation *lookup, const KernelTable &table) {
  KernelAnswer answer = table.find(lookup);
  return answer.isTaken ||
         llvm::any_of(answer.refusals, [](const KernelRefusal &refusal) {
           return refusal.item == kernelIndices;
         });
}

} // namespace

bool NamedRows::areBetter(linalg::GenericOp lookup, GatherOp gather) const {
  std::optional<LoadedRows> rows = LoadedRows::of(lookup);
  std::optional<OpAccess> access = OpAccess::get(lookup);
  if (!rows || !access)
    return false;
  int64_t bytes = bytesInMemory(gather.getData().getType());
  bool isInDdr = liesInDdr(gather.getData());
  Count held{isInDdr ? bytes : leastHeld(gather, device)};
  if (held.value > mostHeld())
    return true;
  // Loads run in steps, and a gather does not.
  held += dividedUp(Count{bytesInMemory(gather.getType())} +
                        Count{bytesInMemory(gather.getIndices().getType())},
                    std::max<int64_t>(device.tiles, 1));
  if (held.value > device.scratchpadBytes / 2)
    return true;
  if (!isInDdr)
    return false;
  int64_t ports = std::max<int64_t>(device.dmaPorts, 1);
  int64_t loading =
      llvm::divideCeil(rows->cyclesOf(access->domain(), 0, device), ports);
  Count holding{transferCycles(device.costs, Direction::DdrToTile,
                               llvm::divideCeil(bytes, ports))};
  holding += Count{evenCost(gather, device)};
  return loading < holding.value;
}

Value NamedRows::load(IRRewriter &rewriter, GatherOp gather) const {
  auto isPlain = [](RankedTensorType type) {
    return type.hasStaticShape() && type.getNumElements() > 0;
  };
  RankedTensorType data = gather.getData().getType();
  if (!isPlain(data) || hasLayout(data) || !isPlain(gather.getType()) ||
      !gather.getIndices().getType().hasStaticShape() ||
      (gather.getDepth() > 1 && hasLayout(gather.getIndices().getType())))
    return {};
  Attempt attempt(gather);
  rewriter.setInsertionPoint(gather);
  Value made = asLookup(rewriter, gather);
  auto lookup = made.getDefiningOp<linalg::GenericOp>();
  if (mayHaveKernel(lookup, table) && areBetter(lookup, gather))
    return made;
  attempt.undo(rewriter);
  return {};
}

std::optional<std::string> NamedRows::whyNeither(GatherOp gather) const {
  int64_t held = leastHeld(gather, device);
  if (held <= device.scratchpadBytes)
    return std::nullopt;
  return fmt::format(
      "each tile would hold {} bytes that positions are in, of {} of its "
      "scratchpad, and {}",
      held, device.scratchpadBytes,
      gather.getFirstWhole() == gather.getData().getType().getRank()
          ? "single entries are no rows that it could load"
          : "it has no kernel that reads them in DDR");
}

} // namespace npu
