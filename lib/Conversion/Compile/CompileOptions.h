// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of npu-compile, and the passes that follow from them once it is
// known on which device the module runs.

#ifndef NPU_LIB_CONVERSION_COMPILE_COMPILEOPTIONS_H
#define NPU_LIB_CONVERSION_COMPILE_COMPILEOPTIONS_H

#include "npu/Conversion/Compile/Phases.h"
#include "npu/Dialect/NPU/Transforms/Verify/ReportGathers.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace npu {

using ErrorHandler =
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;

struct CompileOptions : mlir::PassPipelineOptions<CompileOptions> {
  Option<std::string> from{
      *this, "compile-from",
      llvm::cl::desc("the phase that has written the file; the next one is the "
                     "first to run (start: none has)"),
      llvm::cl::init("start")};
  Option<std::string> to{*this, "compile-to",
                         llvm::cl::desc("the last phase that runs"),
                         llvm::cl::init("scratchpad")};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("the device, instead of the module's own")};
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc("the function to compile, with what it calls; without it "
                     "all, or the only one in a program around a model")};
  Option<std::string> policy{
      *this, "policy",
      llvm::cl::desc("accuracy or performance: in which types distances, "
                     "variances and softmax of a risky form are computed")};
  Option<std::string> overrides{
      *this, "precision-overrides",
      llvm::cl::desc("file that names operations by location, and the types "
                     "that they store, accumulate and compute in")};
  Option<std::string> distances{
      *this, "distances",
      llvm::cl::desc("under policy=accuracy: norms or direct"),
      llvm::cl::init("norms")};
  Option<std::string> softmax{
      *this, "softmax",
      llvm::cl::desc("under policy=accuracy: keep or subtract-maximum"),
      llvm::cl::init("keep")};
  ListOption<int64_t> maxPromptLen{
      *this, "max-prompt-len",
      llvm::cl::desc("pad prompt dimensions to this length, or to the smallest "
                     "of several that fits")};
  Option<std::string> side{
      *this, "side",
      llvm::cl::desc("where padding goes: right (real part first) or left"),
      llvm::cl::init("right")};
  Option<bool> staticSignature{
      *this, "static-signature",
      llvm::cl::desc(
          "callers give and take padded tensors, and give the length"),
      llvm::cl::init(false)};
  Option<bool> poison{
      *this, "poison",
      llvm::cl::desc("fill padding with NaN (integers: 0xAB bytes), for tests"),
      llvm::cl::init(false)};
  Option<std::string> strategy{
      *this, "strategy",
      llvm::cl::desc("how npu-assign-distributions chooses layouts")};
  Option<int64_t> tiles{
      *this, "tiles",
      llvm::cl::desc("number of tiles; 0: as many as the target uses"),
      llvm::cl::init(0)};
  Option<std::string> report{
      *this, "report",
      llvm::cl::desc("file for the report of npu-assign-distributions")};
  Option<bool> splitReductions{
      *this, "split-reductions",
      llvm::cl::desc("let tiles reduce the parts they hold, where that moves "
                     "fewer bytes; false keeps every sum in its order; true, "
                     "if it is written, is for npu-assign-distributions, too"),
      llvm::cl::init(true)};
  Option<std::string> gather{
      *this, "gather",
      llvm::cl::desc("what to say where an operation is done on gathered data: "
                     "warn, error or allow"),
      llvm::cl::init("warn")};
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("tiles run at the same time (llvm)"),
                        llvm::cl::init(false)};
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("the device: NPU, NPU.0, 0, a target's name, CPU, "
                     "HETERO:LIST, AUTO, AUTO:LIST or a list")};
  Option<bool> strictDevice{
      *this, "strict-device",
      llvm::cl::desc("only the first device counts, and nothing falls back"),
      llvm::cl::init(false)};
  Option<bool> printDevice{
      *this, "print-device",
      llvm::cl::desc("say on standard error how the device was chosen"),
      llvm::cl::init(false)};
  Option<std::string> placementReport{
      *this, "placement-report",
      llvm::cl::desc("file for the placement report, as JSON where it ends in "
                     ".json; - for text on standard output")};

  /// Whether somebody asks for a device.
  bool asksForDevice() const {
    return device.hasValue() || strictDevice || printDevice;
  }
};

/// What the device makes of the phases.
enum class DeviceMode {
  /// Nobody has asked for a device: operations that tiles do not do are done in
  /// DDR, and `gather` says what is said of that.
  AsWritten,
  /// An operation that computes on the CPU is an error.
  Npu,
  /// The CPU computes what tiles do not, and the placement report tells.
  Hetero,
  /// Layouts are taken off, and no tensor is given one.
  Cpu,
};

/// The options, read.
struct Compilation {
  const CompileOptions &options;
  CompilePhase from;
  CompilePhase to;
  GatherPolicy gather;
  DeviceMode mode = DeviceMode::AsWritten;
  /// The target that counts; empty where the module's own does.
  std::string target;
  /// The file for the placement report; empty for none.
  std::string placementReport = options.placementReport;
};

/// Reads the options; an error where one says nothing known.
mlir::FailureOr<Compilation> readOptions(const CompileOptions &options,
                                         ErrorHandler fail);

/// Adds the passes of all phases that run.
mlir::LogicalResult buildPhases(mlir::OpPassManager &passes,
                                const Compilation &compilation,
                                ErrorHandler fail);

} // namespace npu

#endif // NPU_LIB_CONVERSION_COMPILE_COMPILEOPTIONS_H
