// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placements by (layout, shape). Encodings are verified at every textual use
// of a type and every pass asks for boxes again: each pair is computed once
// per context.

#ifndef NPU_LIB_DIALECT_NPU_IR_PLACEMENTCACHE_H
#define NPU_LIB_DIALECT_NPU_IR_PLACEMENTCACHE_H

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "llvm/Support/RWMutex.h"

#include <unordered_map>

namespace npu {

class PlacementCache {
public:
  const Result<Placement> &get(LayoutAttr layout, const Extents &shape);

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
  /// Node-based, so that references stay valid while it grows.
  std::unordered_map<Key, Result<Placement>, KeyHash> placements;
};

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_IR_PLACEMENTCACHE_H
