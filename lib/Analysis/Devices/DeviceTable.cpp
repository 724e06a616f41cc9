// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations are rows, on which device each of them is, and why.

#include "npu/Analysis/Devices/DeviceTable.h"

#include "Crossings.h"
#include "Executions.h"
#include "Kernel.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Devices/TileOfBuffers.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

bool isShaped(Type type) { return isa<ShapedType>(type); }

bool touchesData(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isShaped) ||
         llvm::any_of(op->getResultTypes(), isShaped);
}

/// Whether the operation gives a tile's part other indices, and nothing else.
bool onlyRenames(Operation *op) {
  return isa<PermuteCastOp>(op) &&
         op->getOperand(0).getType() == op->getResult(0).getType();
}

/// Whether the operation only makes, names or frees memory, or is a transfer.
bool onlyPlaces(Operation *op) {
  if (isa<TransferOp>(op) || onlyRenames(op) ||
      op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() || isPartOrReshape(op) ||
      asksForShapeOnly(op) || isTensorCast(op))
    return true;
  if (isa_and_nonnull<memref::MemRefDialect>(op->getDialect()))
    return !isa<memref::LoadOp, memref::StoreOp>(op);
  return isa_and_nonnull<bufferization::BufferizationDialect,
                         ml_program::MLProgramDialect>(op->getDialect()) ||
         llvm::any_of(op->getResults(), isUnwritten);
}

bool hasNoEntries(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && shaped.hasStaticShape() &&
         shaped.getNumElements() == 0;
}

/// Whether nothing is done, because there are no entries.
bool isForNoEntries(Operation *op) {
  if (auto writes = dyn_cast<DestinationStyleOpInterface>(op))
    return writes->getNumOperands() > 0 &&
           llvm::all_of(writes.getDpsInits(), [&](Value value) {
             return hasNoEntries(value.getType());
           });
  return op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), hasNoEntries);
}

/// Whether the operation reads or writes one entry.
bool isOfOneEntry(Operation *op) {
  return modelOf<EntryReadOpInterface>(op) || entryWrittenBy(op) ||
         isa<memref::LoadOp, memref::StoreOp>(op);
}

/// Whether loops and branches inside `op` have operations that are rows of
/// their own, or transfers.
bool hasRows(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        if (inner == op)
          return WalkResult::advance();
        bool isRow =
            isa<TransferOp>(inner) || inner->hasAttr(tileAttrName) ||
            (touchesData(inner) && !onlyPlaces(inner) && !isOfOneEntry(inner) &&
             !isa<RegionBranchOpInterface>(inner));
        return isRow ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a loop or a branch reads or writes single entries.
bool worksOnEntries(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isOfOneEntry(inner) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the entries of the result are entries of operands.
bool onlyMoves(Operation *op) {
  if (putsBesideOthers(op) || modelOf<EntryReadOpInterface>(op))
    return true;
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         llvm::all_of(structured.getBlock()->getTerminator()->getOperands(),
                      llvm::IsaPred<BlockArgument>);
}

/// Whether nobody reads what the operation computes. The depth is limited: what
/// is read further away counts as read.
bool isUnread(Operation *op, int depth = 0) {
  constexpr int deepest = 8;
  return depth < deepest && op->getNumResults() > 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return isUnread(user, depth + 1);
         });
}

/// Whether upstream's passes may drop or fold the operation: then nothing of it
/// is executed.
bool mayVanish(Operation *op) {
  return (onlyMoves(op) && !needsNoData(op)) || isUnread(op) ||
         llvm::any_of(op->getOperandTypes(), hasNoEntries);
}

/// Whether the result of an operation on a tile is made in DDR, of scalars, and
/// brought to the tile: upstream bufferizes it to memory of no other space.
bool isMadeInDdr(Operation *op) {
  return op->getNumResults() == 1 && !isa<RegionBranchOpInterface>(op) &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
}

class Collector {
public:
  Collector(DeviceTable &table, ModuleOp module, StringRef entry)
      : table(table), executions(module, entry) {}

  void collect(FunctionOpInterface function) {
    hasTiles = function->hasAttr(tilesAttrName);
    for (Block &block : function.getFunctionBody())
      collect(block);
  }

private:
  void collect(Block &block) {
    for (Operation &op : block) {
      if (isa<RegionBranchOpInterface>(op) && hasRows(&op)) {
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            collect(inner);
        continue;
      }
      bool isRow = isa<RegionBranchOpInterface>(op) ? worksOnEntries(&op)
                                                    : touchesData(&op);
      if (isRow && !onlyPlaces(&op) && !isForNoEntries(&op))
        add(&op);
    }
  }

  void add(Operation *op) {
    DeviceRow row;
    row.function = nameOfFunction(op).str();
    row.name = op->getName().getStringRef().str();
    row.location = nameOfLocation(op->getLoc());
    row.kernel = kernelOf(op);
    row.executions = executions.of(op);
    bool onBuffers = llvm::any_of(op->getOperandTypes(), [](Type type) {
      return isa<BaseMemRefType>(type);
    });
    if (mayVanish(op))
      row.executions.least = 0;
    bool isDerived = false;
    if (auto tile = op->getAttrOfType<IntegerAttr>(tileAttrName);
        tile && !isMadeInDdr(op)) {
      row.tile = tile.getInt();
    } else if (onBuffers) {
      std::set<std::optional<int64_t>> tiles = tilesOfBuffers(op);
      row.tile = *tiles.begin();
      isDerived = true;
    }
    explain(op, row);
    if (onBuffers)
      row.bytesFromTiles = row.bytesToTiles = std::nullopt;
    else if (!row.tile) {
      row.bytesFromTiles = crossings.fromTiles(op);
      row.bytesToTiles = crossings.toTiles(op);
    }
    table.rows.push_back(std::move(row));
    table.ops.push_back(op);
    table.isDerived.push_back(isDerived);
  }

  void explain(Operation *op, DeviceRow &row) const {
    if (row.tile) {
      row.reason = "the tile holds its part";
      return;
    }
    if (auto said = op->getAttrOfType<StringAttr>(hostAttrName)) {
      row.reason = said.getValue().str();
    } else if (!hasTiles) {
      row.reason = "the function has no layouts";
    } else if (needsNoData(op) || onlyMoves(op) || isMadeInDdr(op) ||
               isOfOneEntry(op)) {
      row.computes = false;
      row.reason = "it only fills or moves what lies in DDR";
    } else if (std::optional<HostFallback> kept = hostFallbackInDdr(op)) {
      row.reason = kept->reason;
    } else {
      row.reason = "its data is in DDR";
    }
  }

  DeviceTable &table;
  ExecutionCounts executions;
  Crossings crossings;
  bool hasTiles = false;
};

} // namespace

DeviceTable deviceTableOf(ModuleOp module, StringRef entry) {
  DeviceTable table;
  Collector collector(table, module, entry);
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      collector.collect(function);
  return table;
}

Operation *computesOnCpu(const DeviceTable &table) {
  for (auto [row, op] : llvm::zip(table.rows, table.ops))
    if (!row.tile && row.computes)
      return op;
  return nullptr;
}

LogicalResult verifyOnNpu(const DeviceTable &table) {
  Operation *op = computesOnCpu(table);
  if (!op)
    return success();
  auto found = llvm::find(table.ops, op);
  return mlir::emitError(op->getLoc())
         << "'" << op->getName()
         << "' falls back to the host, and the device is to be the NPU alone: "
         << table.rows[found - table.ops.begin()].reason;
}

std::string nameOfDevice(std::optional<int64_t> tile) {
  return tile ? "NPU.0 tile " + std::to_string(*tile) : "CPU";
}

} // namespace npu
