// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-compile-for-device: finds the device that counts, and runs the phases of
// npu-compile for it, or for one device after the other.

#include "BuildPhases.h"
#include "npu/Analysis/DeviceOf.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_COMPILEFORDEVICE
#include "npu/Conversion/Compile/Passes.h.inc"

namespace {

/// What a device has against a model: the first error of the phases.
struct DeviceRefusal {
  std::string device;
  std::string why;
  Location loc;
};

std::string nameOf(DeviceKind kind) {
  return kind == DeviceKind::Cpu ? "CPU" : "NPU";
}

/// The settings for one mode.
PhaseSettings with(const PhaseSettings &settings, DeviceMode mode,
                   const std::string &target) {
  PhaseSettings changed = settings;
  changed.mode = mode;
  changed.target = target;
  changed.gather = mode == DeviceMode::Npu ? HostFallbackPolicy::Error
                                           : HostFallbackPolicy::Allow;
  return changed;
}

struct CompileForDevicePass : impl::CompileForDeviceBase<CompileForDevicePass> {
  using CompileForDeviceBase::CompileForDeviceBase;

  CompileForDevicePass(const CompileOptions &options, StringRef text)
      : options(options) {
    optionsText = text.str();
  }
  CompileForDevicePass(const CompileForDevicePass &other)
      : CompileForDeviceBase(other), options(other.options) {}

  LogicalResult initializeOptions(
      StringRef text,
      llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) override {
    if (failed(CompileForDeviceBase::initializeOptions(text, fail)))
      return failure();
    FailureOr<CompileOptions> parsed = parseCompileOptions(optionsText, fail);
    if (failed(parsed))
      return failure();
    options = *parsed;
    return success();
  }

  /// The passes are made when the module is there, while dialects have to be
  /// there before.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NPUDialect, DLTIDialect>();
    PhaseSettings settings;
    settings.to = CompilePhase::Llvm;
    settings.mode = DeviceMode::Hetero;
    OpPassManager passes(ModuleOp::getOperationName());
    buildPhases(passes, settings);
    OpPassManager cpu(ModuleOp::getOperationName());
    settings.mode = DeviceMode::Cpu;
    buildPhases(cpu, settings);
    passes.getDependentDialects(registry);
    cpu.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto fail = [&](const Twine &message) -> LogicalResult {
      return mlir::emitError(module.getLoc()) << message;
    };
    FailureOr<PhaseSettings> settings = readSettings(options, fail);
    if (failed(settings))
      return signalPassFailure();
    FailureOr<ModuleDevice> device = deviceOf(
        module, options.device, settings->target, options.strictDevice);
    if (failed(device) ||
        (!options.targetFile.empty() &&
         failed(verifyTargetFileCounts(module, device->choice, "target-file"))))
      return signalPassFailure();
    if (options.printDevice)
      llvm::errs() << device->account;
    // The file goes on with the device that it is compiled for.
    if (module->hasAttr(deviceAttrName))
      module->setAttr(
          deviceAttrName,
          StringAttr::get(&getContext(), toString(device->choice.request)));
    if (failed(compileFor(device->choice, *settings)))
      signalPassFailure();
  }

private:
  LogicalResult compileFor(const DeviceChoice &choice,
                           const PhaseSettings &settings) {
    const DeviceRequest &request = choice.request;
    bool isCpuFirst = request.devices.front().kind == DeviceKind::Cpu;
    PhaseSettings whole =
        with(settings, isCpuFirst ? DeviceMode::Cpu : DeviceMode::Npu,
             choice.target);
    PhaseSettings hetero = with(settings, DeviceMode::Hetero, choice.target);
    // What the CPU has before it is asked for the NPU, it keeps.
    if (isCpuFirst || request.devices.size() == 1)
      return run(whole);
    if (request.way == DeviceWay::Hetero)
      return run(hetero);
    std::vector<DeviceRefusal> refusals;
    for (const NamedDevice &device : request.devices) {
      DeviceMode mode =
          device.kind == DeviceKind::Cpu ? DeviceMode::Cpu : DeviceMode::Npu;
      std::optional<DeviceRefusal> refusal =
          tryOut(with(settings, mode, choice.target), nameOf(device.kind));
      if (!refusal) {
        tell(request, refusals, nameOf(device.kind));
        return success();
      }
      refusals.push_back(std::move(*refusal));
      if (request.way == DeviceWay::Auto && device.kind == DeviceKind::Npu) {
        // Where the NPU's share does not fit, the CPU is left.
        OwningOpRef<ModuleOp> before = getOperation().clone();
        std::optional<DeviceRefusal> mixed = tryOut(hetero, "HETERO:NPU,CPU");
        if (mixed) {
          refusals.push_back(std::move(*mixed));
          continue;
        }
        // Once more, for what there is to be said of it.
        getOperation().getBodyRegion().takeBody(before->getBodyRegion());
        getOperation()->setAttrs((*before)->getAttrDictionary());
        tell(request, refusals, "HETERO:NPU,CPU");
        return run(hetero);
      }
    }
    InFlightDiagnostic error = mlir::emitError(getOperation().getLoc())
                               << "no device of '" << toString(request)
                               << "' takes the whole model";
    for (const DeviceRefusal &refusal : refusals)
      error.attachNote(refusal.loc) << refusal.device << ": " << refusal.why;
    return error;
  }

  /// Says what was taken where it is not what was asked for first.
  void tell(const DeviceRequest &request,
            const std::vector<DeviceRefusal> &refusals,
            const std::string &taken) {
    for (const DeviceRefusal &refusal : refusals)
      mlir::emitRemark(refusal.loc)
          << "device " << toString(request) << ": " << refusal.device
          << " does not take the whole model (" << refusal.why
          << "), so that it is " << taken;
  }

  LogicalResult run(const PhaseSettings &settings) {
    OpPassManager passes(ModuleOp::getOperationName());
    buildPhases(passes, settings);
    bool isNpu = settings.mode == DeviceMode::Npu, isSaid = false;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
      if (isNpu && isError && !std::exchange(isSaid, true))
        diagnostic.attachNote(diagnostic.getLocation())
            << "the device is the NPU alone; HETERO:NPU,CPU lets the CPU do "
               "what the NPU cannot";
      return failure();
    });
    return runPipeline(passes, getOperation());
  }

  /// Compiles a copy of the module, at least to where every buffer has a place,
  /// and takes the copy where that is as far as was asked for. Nothing where it
  /// succeeds.
  std::optional<DeviceRefusal> tryOut(PhaseSettings settings,
                                      const std::string &device) {
    CompilePhase asked = settings.to;
    settings.to = std::max(asked, CompilePhase::Scratchpad);
    std::string report = settings.placementReport;
    if (asked != settings.to)
      settings.placementReport = "";
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager passes(&getContext());
    // The phases verify the IR.
    passes.enableVerifier(false);
    std::optional<DeviceRefusal> refusal;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !refusal)
        refusal =
            DeviceRefusal{device, diagnostic.str(), diagnostic.getLocation()};
      return success();
    });
    buildPhases(passes, settings);
    bool isTaken = succeeded(passes.run(*copy));
    if (!isTaken && !refusal)
      refusal = DeviceRefusal{device, "it cannot be compiled", copy->getLoc()};
    if (!isTaken)
      return refusal;
    if (asked != settings.to) {
      settings.to = asked;
      settings.placementReport = report;
      if (failed(run(settings)))
        return DeviceRefusal{device, "it cannot be compiled", copy->getLoc()};
      return std::nullopt;
    }
    getOperation().getBodyRegion().takeBody(copy->getBodyRegion());
    getOperation()->setAttrs((*copy)->getAttrDictionary());
    return std::nullopt;
  }

  CompileOptions options;
};

} // namespace

std::unique_ptr<Pass> createCompileForDevice(const CompileOptions &options,
                                             StringRef text) {
  return std::make_unique<CompileForDevicePass>(options, text);
}

} // namespace npu
