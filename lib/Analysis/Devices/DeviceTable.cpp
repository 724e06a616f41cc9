// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations are rows, on which device each of them is, and why.

#include "npu/Analysis/Devices/DeviceTable.h"

#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Devices/TileOfBuffers.h"
#include "npu/Analysis/Kernels/NameOfKernel.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/ExternalModels/Tensor/TensorOps.h"
#include "npu/Interfaces/EntryReadOpInterface.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <string>

using namespace mlir;

namespace npu {
namespace {

/// Counts how often operations of a module run. The callers of all functions
/// are read once, and what is known of a function is kept.
class ExecutionCounts {
public:
  /// Precondition: the module does not change while this exists.
  ExecutionCounts(mlir::ModuleOp module, llvm::StringRef entry);

  /// How often `op` runs while `entry`, a function of the module, runs once;
  /// while each public function does where it is empty. A loop whose trip count
  /// is constant counts as often; other loops may run any number of times, and
  /// a branch may not run at all. Nothing is said of recursion.
  Executions of(mlir::Operation *op);

private:
  Executions ofFunction(mlir::FunctionOpInterface function);
  Executions fromCallers(mlir::FunctionOpInterface function);

  std::string entry;
  /// What refers to each symbol.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> users;
  /// Whether all that may refer to a symbol is known.
  bool usersAreKnown = false;
  llvm::DenseMap<mlir::Operation *, Executions> known;
  /// How many functions are being counted, each for one that it calls.
  int depth = 0;
};

constexpr Executions anyNumber{0, std::nullopt};
/// Calls deeper than this are not followed.
constexpr int kDeepest = 16;

std::optional<int64_t> product(std::optional<int64_t> a,
                               std::optional<int64_t> b) {
  int64_t result = 0;
  if (!a || !b || llvm::MulOverflow(*a, *b, result))
    return std::nullopt;
  return result;
}

Executions times(Executions a, Executions b) {
  return {product(a.least, b.least).value_or(0), product(a.most, b.most)};
}

Executions plus(Executions a, Executions b) {
  Executions sum{0, 0};
  if (llvm::AddOverflow(a.least, b.least, sum.least))
    sum.least = 0;
  int64_t most = 0;
  if (!a.most || !b.most || llvm::AddOverflow(*a.most, *b.most, most))
    sum.most = std::nullopt;
  else
    sum.most = most;
  return sum;
}

/// How often a block runs while the operation around it runs once.
Executions ofBlock(Block *block, Operation *around) {
  // Blocks after branches may run in loops, or not at all.
  if (!block->isEntryBlock())
    return anyNumber;
  if (isa<FunctionOpInterface>(around))
    return {};
  if (auto loop = dyn_cast<scf::ForOp>(around)) {
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->getActiveBits() > 62)
      return anyNumber;
    auto count = static_cast<int64_t>(trips->getZExtValue());
    return {count, count};
  }
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(around))
    return {0, 1};
  return anyNumber;
}

ExecutionCounts::ExecutionCounts(ModuleOp module, StringRef entry)
    : entry(entry) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return;
  usersAreKnown = true;
  SymbolTableCollection symbols;
  for (SymbolTable::SymbolUse use : *uses)
    if (Operation *symbol =
            symbols.lookupNearestSymbolFrom(use.getUser(), use.getSymbolRef()))
      users[symbol].push_back(use.getUser());
}

Executions ExecutionCounts::of(Operation *op) {
  Executions executions;
  while (Operation *around = op->getParentOp()) {
    executions = times(executions, ofBlock(op->getBlock(), around));
    if (auto function = dyn_cast<FunctionOpInterface>(around))
      return times(executions, ofFunction(function));
    op = around;
  }
  return executions;
}

Executions ExecutionCounts::ofFunction(FunctionOpInterface function) {
  // Until its callers are counted, a recursive function runs any number of
  // times.
  auto [place, isNew] = known.try_emplace(function, anyNumber);
  if (!isNew)
    return place->second;
  ++depth;
  Executions executions = fromCallers(function);
  --depth;
  known[function] = executions;
  return executions;
}

Executions ExecutionCounts::fromCallers(FunctionOpInterface function) {
  if (entry.empty() && function.isPublic())
    return {};
  if (depth > kDeepest || !usersAreKnown)
    return anyNumber;
  ArrayRef<Operation *> callers;
  if (auto found = users.find(function); found != users.end())
    callers = found->second;
  // A recursive entry runs any number of times.
  if (function.getName() == entry)
    return callers.empty() ? Executions{} : Executions{1, std::nullopt};
  Executions sum{0, 0};
  for (Operation *caller : callers) {
    if (!isa<CallOpInterface>(caller))
      return anyNumber;
    sum = plus(sum, of(caller));
  }
  return sum;
}

/// Which transfers of a tile program bring data to a host fallback and
/// take its results to tiles.
class Crossings {
public:
  /// The bytes of the transfers from tiles that put operands of `op` together,
  /// also after slices and reshapes, without those that were counted before.
  int64_t fromTiles(mlir::Operation *op);

  /// The bytes of the transfers that bring results of `op` to tiles, in each
  /// scratchpad once, without those that were counted before.
  int64_t toTiles(mlir::Operation *op);

private:
  llvm::SmallPtrSet<mlir::Operation *, 16> counted;
};

/// Values that are still to be visited, each once.
class Queue {
public:
  void add(Value value) {
    if (isa<RankedTensorType>(value.getType()) && seen.insert(value).second)
      values.push_back(value);
  }
  Value take() { return values.empty() ? Value() : values.pop_back_val(); }

private:
  llvm::SmallVector<Value> values;
  llvm::DenseSet<Value> seen;
};

bool isOfDdr(int64_t tile) { return tile == TransferOp::ddr; }

bool storesToDdr(TransferOp transfer) {
  return !isOfDdr(static_cast<int64_t>(transfer.getFrom())) &&
         llvm::all_of(transfer.getTo(), isOfDdr);
}

/// Whether the operation's result has entries of its operands, at other places.
bool handsOn(Operation *op) {
  return isa<PermuteCastOp>(op) || isPartOrReshape(op) || putsBesideOthers(op);
}

int64_t Crossings::fromTiles(Operation *op) {
  Queue queue;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                         captured.takeVector()))
    queue.add(value);
  int64_t bytes = 0;
  while (Value value = queue.take()) {
    Operation *made = value.getDefiningOp();
    if (!made)
      continue;
    if (auto transfer = dyn_cast<TransferOp>(made)) {
      if (storesToDdr(transfer) && counted.insert(transfer).second)
        bytes += static_cast<int64_t>(transfer.getBytes());
      queue.add(transfer.getDests()[cast<OpResult>(value).getResultNumber()]);
    } else if (handsOn(made)) {
      for (Value operand : made->getOperands())
        queue.add(operand);
    }
  }
  return bytes;
}

int64_t Crossings::toTiles(Operation *op) {
  Queue queue;
  for (Value result : op->getResults())
    queue.add(result);
  int64_t bytes = 0;
  while (Value value = queue.take())
    for (OpOperand &use : value.getUses()) {
      auto transfer = dyn_cast<TransferOp>(use.getOwner());
      if (!transfer) {
        if (handsOn(use.getOwner()))
          queue.add(use.getOwner()->getResult(0));
        continue;
      }
      if (use.getOperandNumber() != 0) {
        queue.add(transfer.getResults()[use.getOperandNumber() - 1]);
        continue;
      }
      auto tiles = static_cast<int64_t>(llvm::count_if(
          transfer.getTo(), [](int64_t tile) { return !isOfDdr(tile); }));
      if (tiles > 0 && counted.insert(transfer).second)
        bytes += tiles * static_cast<int64_t>(transfer.getBytes());
    }
  return bytes;
}

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
    row.kernel = nameOfKernel(op);
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
