// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of npu-compile that follow from its options once it is known on
// which device the module runs.

#ifndef NPU_LIB_CONVERSION_COMPILE_BUILDPHASES_H
#define NPU_LIB_CONVERSION_COMPILE_BUILDPHASES_H

#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Conversion/Phases.h"

#include "mlir/Pass/PassManager.h"

namespace npu {

/// What the device makes of the phases.
enum class DeviceMode {
  /// Nobody has asked for a device: operations that tiles do not do are done in
  /// DDR, and `gather` says what is said of that.
  AsWritten,
  /// An operation that falls back to the host is an error.
  Npu,
  /// The CPU computes what tiles do not, and the placement report tells.
  Hetero,
  /// Layouts are taken off, and no tensor is given one.
  Cpu,
};

/// Which phases run, and for what.
struct PhaseSettings {
  CompileOptions options;
  CompilePhase from = CompilePhase::Start;
  CompilePhase to = CompilePhase::Scratchpad;
  HostFallbackPolicy gather = HostFallbackPolicy::Warn;
  DeviceMode mode = DeviceMode::AsWritten;
  /// The target that counts; empty where the module's own does.
  std::string target;
  /// The file for the placement report; empty for none.
  std::string placementReport;
};

/// Reads the options; an error where one says nothing known.
mlir::FailureOr<PhaseSettings> readSettings(const CompileOptions &options,
                                            ErrorHandler fail);

/// Adds the passes of all phases that run.
void buildPhases(mlir::OpPassManager &passes, const PhaseSettings &settings);

/// Finds the device that counts when the module is there, and runs the phases
/// for it. `text` is how users wrote the options, for printed pipelines.
std::unique_ptr<mlir::Pass>
createCompileForDevice(const CompileOptions &options, llvm::StringRef text);

} // namespace npu

#endif // NPU_LIB_CONVERSION_COMPILE_BUILDPHASES_H
