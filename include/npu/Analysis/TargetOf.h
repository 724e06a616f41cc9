// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device a module is compiled for: the one that the module describes, in
// upstream's attribute for that, or the one that an option names.
//
//   module attributes {dlti.target_system_spec = #dlti.target_system_spec<
//       "NPU" = #dlti.target_device_spec<"npu.name" = "npu4000">>} { ... }
//
// A built-in name brings its figures, and single entries override them. So does
// `"npu.like" = "npu4000"` beside any other name. Without it, such a name needs
// its memory (npu.tiles or npu.max_tiles, and npu.scratchpad_bytes). Figures of
// costs that it does not give are those of npu4000, which whoever asks for
// costs is warned of.

#ifndef NPU_ANALYSIS_TARGETOF_H
#define NPU_ANALYSIS_TARGETOF_H

#include "npu/Analysis/StorageRules.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Target/Target.h"
#include "npu/Target/TargetJson.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// A described device, and where its figures come from.
struct TargetDescription {
  Target target;
  /// The operation that describes it.
  mlir::Operation *owner = nullptr;
  /// The built-in device whose figures stand for those that are not given, and
  /// who says so: its own name, `npu.like`, or nobody. Empty where everything
  /// is given.
  std::string base;
  enum class Base { None, OwnName, Like, Assumed } why = Base::None;
  /// The table of kernels that it gives (`npu.kernels`), or null.
  KernelsAttr kernels;
  /// Its storage kinds (`npu.storage_kinds`, `npu.image_extent`).
  StorageRules storage;
  /// Entries by name: those that are written, those that follow from another
  /// one ("npu.max_tiles"), those that are of `base`, and those that nobody
  /// knows. Figures of costs are listed like others.
  llvm::SmallVector<std::string> given, following, taken, unknown;
};

/// The description of the device of `op`, as describedTarget finds it.
mlir::FailureOr<std::optional<TargetDescription>>
targetDescription(mlir::Operation *op);

/// Where the figures of a described device come from, in lines that begin with
/// `indent`: "given: npu.tiles, npu.scratchpad_bytes", "of npu4000 (npu.like):
/// npu.dma_ports and 57 figures of costs".
std::string accountOf(const TargetDescription &description,
                      llvm::StringRef indent);

/// The device that `op` or the closest operation around it describes; nothing
/// where none does. An error at the describing operation where the description
/// is no valid target.
mlir::FailureOr<std::optional<Target>> describedTarget(mlir::Operation *op);

/// The machines of that device: one where none is described. Errors are those
/// of its description, which is read only where it says something of machines.
mlir::FailureOr<Machines> machinesOf(mlir::Operation *op);

/// The target that `option` (a pass's `target=`) names: a built-in one, or the
/// described one by its name; the described one where the option is empty.
/// Where there is no such target, an error at `op` that lists the names.
mlir::FailureOr<std::optional<Target>> targetOf(mlir::Operation *op,
                                                llvm::StringRef option);

/// The same for passes that ask what things cost: a warning at the describing
/// operation says where figures of costs are npu4000's although nobody said so.
mlir::FailureOr<std::optional<Target>> targetWithCosts(mlir::Operation *op,
                                                       llvm::StringRef option);

/// Describes a device in the module. Where the module describes one of another
/// name, that is replaced; where it describes this one, its figures stay.
/// `name` is a built-in device's or that of the module's own; `kernels` may be
/// null.
void describeTarget(mlir::ModuleOp module, llvm::StringRef name,
                    KernelsAttr kernels = {});

/// Describes this target in the module, instead of the one that it may
/// describe, with the built-in one that it is like, if there is one. Figures
/// that are those of a built-in target of its name, or of that one, are not
/// written.
void describeTarget(mlir::ModuleOp module, const TargetFile &file);

/// Reads a target from a file of JSON (TargetJson.h), which is noted as an
/// input. An error at the file where it is not one.
mlir::FailureOr<TargetFile> readTargetFile(mlir::MLIRContext *context,
                                           llvm::StringRef file);

/// Fails where an option for a target was written without a name: "expected the
/// name of a target as target=, got none; there are npu3720, npu4000". `fail`
/// is what Pass::initializeOptions and pipelines are given.
llvm::LogicalResult verifyTargetOption(
    bool isGiven, llvm::StringRef target,
    llvm::function_ref<llvm::LogicalResult(const llvm::Twine &)> fail);

} // namespace npu

#endif // NPU_ANALYSIS_TARGETOF_H
