// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk collects who uses each buffer in DDR.

#include "BufferHomes.h"

#include "npu/Conversion/BufferProgram.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace npu {

/// The number of tiles of a program: as it says, and at least as many as it has
/// memory spaces for, and as `tiles`.
static int64_t tilesOf(func::FuncOp function, int64_t tiles) {
  if (auto said = function->getAttrOfType<IntegerAttr>(
          NPUDialect::TilesAttrHelper::getNameStr()))
    tiles = std::max(tiles, said.getInt());
  auto note = [&](Type type) {
    auto buffer = dyn_cast<BaseMemRefType>(type);
    auto space = buffer ? dyn_cast_or_null<IntegerAttr>(buffer.getMemorySpace())
                        : IntegerAttr();
    if (space)
      tiles = std::max(tiles, space.getInt());
  };
  llvm::for_each(function.getArgumentTypes(), note);
  function.walk(
      [&](Operation *op) { llvm::for_each(op->getResultTypes(), note); });
  return tiles;
}

bool touchesNoBuffer(Operation *root) {
  return !root->walk([](Operation *op) {
                auto isBuffer = [](Type type) {
                  return isa<BaseMemRefType>(type);
                };
                return llvm::any_of(op->getOperandTypes(), isBuffer)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether the operation's parts are looked at, and not the whole.
static bool isLookedInto(Operation *op) {
  return isa<func::FuncOp>(op) || isa<RegionBranchOpInterface>(op);
}

BufferHomes::BufferHomes(func::FuncOp function, int64_t ranks,
                         int64_t leastTiles)
    : ranks(ranks), tiles(tilesOf(function, leastTiles)) {
  for (BlockArgument argument : function.getArguments())
    if (isa<BaseMemRefType>(argument.getType()))
      homes[argument] = everyRank;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isLookedInto(op))
      return WalkResult::advance();
    note(op);
    return WalkResult::skip();
  });
  for (auto &[root, home] : homes)
    if (writesUnknown || (readsUnknown && home != everyRank))
      home = 0;
}

void BufferHomes::note(Operation *op) {
  if (isa<memref::DeallocOp>(op) || touchesNoBuffer(op))
    return;
  auto accesses = accessesOf(op);
  if (!accesses) {
    readsUnknown = writesUnknown = true;
    return;
  }
  // The rank of the tiles whose memory the operation touches; 0 where it
  // touches none, or that of several ranks.
  std::optional<int64_t> user;
  for (const BufferAccess &access : *accesses)
    if (access.space > 0) {
      int64_t rank = rankOfTile(access.space - 1);
      user = user && *user != rank ? 0 : rank;
    }
  for (const BufferAccess &access : *accesses) {
    if (access.space > 0)
      continue;
    if (!access.root) {
      (access.writes ? writesUnknown : readsUnknown) = true;
      continue;
    }
    bool isArgument = isa<BlockArgument>(access.root);
    if (access.root.getDefiningOp<memref::GetGlobalOp>() ||
        (isArgument && !access.writes))
      continue;
    int64_t rank = user.value_or(0);
    auto [home, isNew] = homes.try_emplace(access.root, rank);
    if (isArgument || (!isNew && home->second != rank))
      home->second = 0;
  }
}

int64_t BufferHomes::homeOf(const BufferAccess &access) const {
  if (access.space > 0)
    return rankOfTile(access.space - 1);
  if (!access.root)
    return 0;
  // Roots in DDR without an entry are constants.
  if (access.root.getDefiningOp<memref::GetGlobalOp>())
    return everyRank;
  auto home = homes.find(access.root);
  return home == homes.end() ? 0 : home->second;
}

} // namespace npu
