// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LimitsOfTarget.h"
#include "EachValue.h"

#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Support/Naming.h"
#include "npu/Support/RefusalKind.h"
#include "npu/TileProgram/TileProgram.h"

using namespace mlir;

namespace npu {
namespace {

/// The most errors that name a value: naming takes numbering the whole
/// function.
constexpr unsigned kMaxErrors = 20;

/// The tile with the largest memory box.
size_t fullestTile(const Placement &placement) {
  size_t fullest = 0;
  for (size_t tile = 0; tile < placement.tiles.size(); ++tile)
    if (placement.memoryOf(tile).volume() >
        placement.memoryOf(fullest).volume())
      fullest = tile;
  return fullest;
}

/// How values of a type exceed the target.
struct Excess {
  std::string text;
  bool isOfBytes = false;
};

/// Nothing where they do not.
std::optional<Excess> beyond(RankedTensorType type, const Target &target,
                             const StorageRules &storage, StringRef value) {
  const Placement *placement = getPlacement(type);
  if (!placement || placement->tiles.empty())
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tiles = static_cast<int64_t>(placement->tiles.size());
  if (tiles > target.maxTiles) {
    os << "expected " << value << " on at most " << target.maxTiles
       << " tiles, which " << target.name << " has, got " << tiles;
    return Excess{text};
  }
  Storage kind = getStorage(type);
  if (!storage.has(kind)) {
    os << "expected " << value << " in a storage kind of " << target.name
       << " (" << storage.namesOfKinds() << "), got "
       << StringRef(toString(kind));
    return Excess{text};
  }
  if (kind == Storage::Tiled2d)
    for (unsigned tile = 0; tile < placement->tiles.size(); ++tile) {
      const Box &held = placement->memoryOf(tile);
      std::string why = held.isEmpty() ? "" : storage.whyNoImage(held.sizes());
      if (why.empty())
        continue;
      os << "expected " << value << " on " << nameOfTile(tile)
         << " to fit an image, got " << why;
      return Excess{text};
    }
  size_t tile = fullestTile(*placement);
  const Box &box = placement->memoryOf(tile);
  auto bytes =
      bufferBytes(type.getElementType(), storedType(type, tile).getShape());
  if (!bytes || *bytes <= target.scratchpadBytes)
    return std::nullopt;
  os << "expected " << value << " on " << nameOfTile(tile)
     << " to fit the scratchpad of " << target.name << ", "
     << nameOfBytes(target.scratchpadBytes) << ", got " << nameOfBytes(*bytes)
     << " in " << nameOfHeld(box);
  return Excess{text, /*isOfBytes=*/true};
}

} // namespace

LogicalResult verifyLimits(Operation *root, const Target &target,
                           const StorageRules &storage) {
  llvm::DenseMap<Type, bool> within;
  unsigned errors = 0;
  auto check = [&](Value value, Location loc) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !isDistributed(type))
      return;
    auto [it, isNew] = within.try_emplace(type);
    if (isNew)
      it->second = !beyond(type, target, storage, "");
    if (it->second || ++errors > kMaxErrors)
      return;
    Excess excess = *beyond(type, target, storage, nameOf(value));
    InFlightDiagnostic error = mlir::emitError(loc) << excess.text;
    if (excess.isOfBytes)
      mark(error, RefusalKind::ValueTooLarge);
  };
  forEachValue(root, check);
  if (errors > kMaxErrors)
    mlir::emitError(root->getLoc())
        << errors - kMaxErrors << " more values are beyond what " << target.name
        << " has";
  return success(errors == 0);
}

} // namespace npu
