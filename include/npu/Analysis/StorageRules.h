// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which storage kinds a device has, which one it prefers, and how large its
// images may be: entries of a target description.
//
//   "npu.storage_kinds" = ["tiled2d", "linear"]   // the preferred one first
//   "npu.image_extent" = 16384 : i64              // rows, or places of a row
//
// A device that says nothing has both kinds, prefers linear, and has images of
// 16384 by 16384 places.

#ifndef NPU_ANALYSIS_STORAGERULES_H
#define NPU_ANALYSIS_STORAGERULES_H

#include "npu/Placement/Distributions/Storage.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace npu {

struct StorageRules {
  /// The kinds that the device has, the preferred one first. Every device has
  /// linear tensors.
  llvm::SmallVector<Storage, 2> kinds = {Storage::Linear, Storage::Tiled2d};
  /// The most rows of an image, and the most places of a row.
  int64_t imageExtent = 16384;
  /// The name of the device, for messages.
  std::string device = "the device";

  /// Those of the device that `target` names, or that `op` or an
  /// operation around it describes. An
  /// error where there is no such device.
  static mlir::FailureOr<StorageRules> of(mlir::Operation *op,
                                          llvm::StringRef target);

  bool has(Storage kind) const { return llvm::is_contained(kinds, kind); }
  Storage preferred() const { return kinds.front(); }
  /// "linear, tiled2d"
  std::string namesOfKinds() const;

  /// Why no tile can hold all of a tensor as an image; empty where each can.
  /// Examples: "3 dimensions, an image has 4"; "16385 places in a row of its
  /// image, and npu4000 has at most 16384".
  std::string whyNoImage(mlir::RankedTensorType type) const;
  /// The same for a box of rank 4 of such sizes.
  std::string whyNoImage(const Extents &sizes) const;
};

} // namespace npu

#endif // NPU_ANALYSIS_STORAGERULES_H
