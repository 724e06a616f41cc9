// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placements by (layout, shape). Encodings are verified at every textual use of
// a type, and every pass asks for boxes again: each pair is computed once per
// context. The placement of a type is found without a lock.

#ifndef NPU_LIB_DIALECT_NPU_IR_PLACEMENTCACHE_H
#define NPU_LIB_DIALECT_NPU_IR_PLACEMENTCACHE_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "llvm/Support/RWMutex.h"

#include <atomic>
#include <unordered_map>

namespace npu {

/// A hash table of addresses that grows and never forgets. Reading it takes no
/// lock, and mostly one probe.
class PlacementIndex {
public:
  PlacementIndex() { publish(std::make_unique<Table>(64)); }

  /// The placement of a type; null if it has not been inserted.
  const Result<Placement> *lookup(const void *type) const;

  /// Inserts the placement of a type. Precondition: one thread at a time calls
  /// this.
  void insert(const void *type, const Result<Placement> *placement);

private:
  /// A slot whose `type` is set does not change any more.
  struct Slot {
    std::atomic<const void *> type = nullptr;
    const Result<Placement> *placement = nullptr;
  };
  /// The number of slots is a power of two, at most half of them taken.
  struct Table {
    explicit Table(std::size_t size) : size(size), slots(new Slot[size]) {}
    Slot &find(const void *type) const;

    std::size_t size;
    std::size_t taken = 0;
    std::unique_ptr<Slot[]> slots;
  };

  void publish(std::unique_ptr<Table> table);

  std::atomic<const Table *> current;
  /// All tables: the last one is `current`, and older ones are kept for threads
  /// that still read them.
  std::vector<std::unique_ptr<Table>> tables;
};

class PlacementCache {
public:
  const Result<Placement> &get(LayoutAttr layout, const Extents &shape);
  const Result<Placement> &get(mlir::RankedTensorType type);

private:
  struct Key {
    LayoutAttr layout;
    Extents shape;
    bool operator==(const Key &other) const {
      return layout == other.layout && shape == other.shape;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key &key) const {
      return llvm::hash_combine(
          key.layout,
          llvm::hash_combine_range(key.shape.begin(), key.shape.end()));
    }
  };

  llvm::sys::RWMutex mutex;
  /// This map is node-based, so that references stay valid while it grows.
  std::unordered_map<Key, Result<Placement>, KeyHash> placements;
  PlacementIndex ofTypes;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_IR_PLACEMENTCACHE_H
