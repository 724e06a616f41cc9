// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlacementCache.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

using namespace mlir;

namespace npu {

PlacementIndex::Slot &PlacementIndex::Table::find(const void *type) const {
  for (std::size_t i = llvm::hash_value(type);; ++i) {
    Slot &slot = slots[i & (size - 1)];
    const void *found = slot.type.load(std::memory_order_acquire);
    if (!found || found == type)
      return slot;
  }
}

const Result<Placement> *PlacementIndex::lookup(const void *type) const {
  Slot &slot = current.load(std::memory_order_acquire)->find(type);
  // Another thread may have filled an empty slot with another type meanwhile.
  return slot.type.load(std::memory_order_acquire) == type ? slot.placement
                                                           : nullptr;
}

void PlacementIndex::insert(const void *type,
                            const Result<Placement> *placement) {
  auto put = [](Table &table, const void *type,
                const Result<Placement> *placement) {
    Slot &slot = table.find(type);
    if (slot.type.load(std::memory_order_relaxed))
      return;
    slot.placement = placement;
    slot.type.store(type, std::memory_order_release);
    ++table.taken;
  };
  Table *table = tables.back().get();
  if (table->taken * 2 < table->size)
    return put(*table, type, placement);
  auto larger = std::make_unique<Table>(table->size * 2);
  for (std::size_t i = 0; i < table->size; ++i)
    if (const Slot &slot = table->slots[i];
        const void *known = slot.type.load(std::memory_order_relaxed))
      put(*larger, known, slot.placement);
  put(*larger, type, placement);
  publish(std::move(larger));
}

void PlacementIndex::publish(std::unique_ptr<Table> table) {
  current.store(table.get(), std::memory_order_release);
  tables.push_back(std::move(table));
}

const Result<Placement> &PlacementCache::get(LayoutAttr layout,
                                             const Extents &shape) {
  Key key{layout, shape};
  {
    llvm::sys::ScopedReader lock(mutex);
    if (auto it = placements.find(key); it != placements.end())
      return it->second;
  }
  // Compute outside of the lock; of two threads that race, the first one's
  // result is kept, and both results are equal.
  Result<Placement> placement = place(layout.getDistribution(), shape);
  llvm::sys::ScopedWriter lock(mutex);
  return placements.try_emplace(key, std::move(placement)).first->second;
}

const Result<Placement> &PlacementCache::get(RankedTensorType type) {
  if (const Result<Placement> *placement =
          ofTypes.lookup(type.getAsOpaquePointer()))
    return *placement;
  Key key{getLayout(type), toExtents(type.getShape())};
  {
    // The encoding of a type that was parsed has been placed already: one lock
    // for looking and for remembering.
    llvm::sys::ScopedWriter lock(mutex);
    if (auto it = placements.find(key); it != placements.end()) {
      ofTypes.insert(type.getAsOpaquePointer(), &it->second);
      return it->second;
    }
  }
  const Result<Placement> &placement = get(key.layout, key.shape);
  llvm::sys::ScopedWriter lock(mutex);
  ofTypes.insert(type.getAsOpaquePointer(), &placement);
  return placement;
}

const Result<Placement> &NPUDialect::getPlacement(LayoutAttr layout,
                                                  const Extents &shape) {
  return placements->get(layout, shape);
}

const Result<Placement> &NPUDialect::getPlacement(RankedTensorType type) {
  return placements->get(type);
}

} // namespace npu
