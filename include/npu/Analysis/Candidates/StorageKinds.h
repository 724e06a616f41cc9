// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The storage kind of every tensor of rank 4 that tiles may hold, chosen before
// layouts are. What counts, in this order: an `npu.storage` on what makes the
// tensor, or on the argument; the option; and otherwise the fewest bytes in
// conversions, which are proved to be the fewest, and among equal ones the kind
// that the device prefers.
//
// Kernels take one kind or both (#npu.kernels, `storage`). Tensors in DDR, and
// what needs no kernel (slices, reshapes, control flow), are linear.
//
// Example: a convolution whose kernel takes images alone, between two
// operations that take either kind. All three work on images; what the first
// one reads and the last one stores is linear, and nothing is converted.

#ifndef NPU_ANALYSIS_CANDIDATES_STORAGEKINDS_H
#define NPU_ANALYSIS_CANDIDATES_STORAGEKINDS_H

#include "npu/Analysis/Kernels/KernelTable.h"
#include "npu/Target/Target.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// The attribute of an operation or an argument that asks for a storage kind.
inline constexpr llvm::StringLiteral storageAttrName = "npu.storage";

/// What decides beside kernels and `npu.storage`.
struct StorageChoice {
  /// The kind that is asked for; nothing where it is chosen by cost.
  std::optional<Storage> option;
  /// Of kinds that are as good, linear is taken, whatever the device prefers:
  /// its images do not fit the scratchpads.
  bool avoidsImages = false;
};

/// Why a tensor has its kind.
enum class WhyStorage {
  /// `npu.storage` says so.
  Attribute,
  /// The option says so.
  Option,
  /// The device has no images, or none that are large enough.
  NoImage,
  /// The kernels of what makes or reads it take no other.
  Kernel,
  /// It is what operations without a kernel work on, and control flow hands on.
  NoKernel,
  /// Fewer bytes are converted so.
  FewerBytes,
  /// It is as good as the other, and the device prefers it.
  Preferred,
  /// It is as good as the other, and what the device prefers does not fit.
  TooLarge,
};

/// The kind of one tensor.
struct StorageDecision {
  mlir::Value value;
  /// The storage kind of the tensor where it is made. An argument of the
  /// function is linear in DDR, and each load brings it into the kind that its
  /// reader takes.
  Storage kind = Storage::Linear;
  WhyStorage why = WhyStorage::Preferred;
  /// "16385 places in a row of its image, and npu4000 has at most 16384".
  std::string detail;
  /// How many operations read it in the other kind.
  unsigned convertedFor = 0;

  /// "tiled2d: npu.storage says so; converted to linear for 1 reader".
  std::string text(const StorageRules &rules) const;
};

class StorageKinds {
public:
  /// Chooses kinds in `function`. `kernels` may be null: a device without a
  /// table. Where `target` wants channels innermost in memory, contractions
  /// work on linear tensors.
  StorageKinds(mlir::FunctionOpInterface function, const Target &target,
               const KernelTable *kernels, const StorageChoice &choice);

  Storage ofResult(mlir::Value result) const {
    return images.contains(result) ? Storage::Tiled2d : Storage::Linear;
  }
  Storage ofOperand(mlir::OpOperand &operand) const {
    return imagesRead.contains(&operand) ? Storage::Tiled2d : Storage::Linear;
  }
  /// Whether there is an image anywhere.
  bool hasImages() const { return !images.empty() || !imagesRead.empty(); }

private:
  friend class KindChooser;
  friend std::vector<StorageDecision>
  explainStorage(mlir::FunctionOpInterface function, const Target &target,
                 const KernelTable *kernels, const StorageChoice &choice);

  StorageKinds() = default;

  llvm::DenseSet<mlir::Value> images;
  llvm::DenseSet<mlir::OpOperand *> imagesRead;
};

/// What StorageKinds says of the same, with its reasons: one decision for each
/// tensor that can have a layout, but for those that are made wherever they are
/// wanted, in program order.
std::vector<StorageDecision> explainStorage(mlir::FunctionOpInterface function,
                                            const Target &target,
                                            const KernelTable *kernels,
                                            const StorageChoice &choice);

/// The kind that `npu.storage` asks for, on what makes `value` or on the
/// argument that it is.
std::optional<Storage> storageAskedFor(mlir::Value value);

/// Takes every `npu.storage` off operations and arguments in `root`.
void dropStorageAsked(mlir::Operation *root);

/// Errors: `option` or an `npu.storage` is a kind that the device does not
/// have, or asks for an image that is larger than its images; the option asks
/// for images of what kernels take as images. Where an `npu.storage` and the
/// option disagree, a remark says that the `npu.storage` counts.
llvm::LogicalResult verifyStorage(mlir::ModuleOp module,
                                  llvm::StringRef whoAsks,
                                  const KernelTable &kernels,
                                  std::optional<Storage> option);

} // namespace npu

#endif // NPU_ANALYSIS_CANDIDATES_STORAGEKINDS_H
