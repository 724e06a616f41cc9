// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AuditCommandLine.h"

#include "npu/Audit/Faults/InjectFault.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/Naming.h"

#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

namespace npu {

AuditCommandLine::AuditCommandLine(cl::OptionCategory &category)
    : audit("audit",
            cl::desc("Run every operation in the device's arithmetic and in "
                     "f64, and say why they differ: rounding, overflow, "
                     "cancellation or a fault"),
            cl::cat(category)),
      format("format", cl::desc("The audit's report: text or json"),
             cl::value_desc("how"), cl::init("text"), cl::cat(category)),
      outputFile("output-file",
                 cl::desc("File for the audit's report, - for standard output"),
                 cl::value_desc("file"), cl::init("-"), cl::cat(category)),
      fault("inject-fault",
            cl::desc("Make one operation of the device's side of an audit "
                     "compute something wrong, to see that it is found: "
                     "wrong-scale, dropped-row, swapped-operands, "
                     "off-by-one-window or wrong-broadcast, with @NUMBER or "
                     "@LOCATION of the operation, or random:SEED"),
            cl::value_desc("fault"), cl::cat(category)),
      reproducer("emit-reproducer",
                 cl::desc("Write the smallest function that shows the worst "
                          "operation of an audit"),
                 cl::value_desc("m.mlir"), cl::cat(category)) {}

/// Injects a fault and says on standard error which.
static llvm::LogicalResult injectFaultAloud(mlir::func::FuncOp function,
                                            const FaultSpec &spec) {
  InjectedFault injected{FaultKind::WrongScale, function.getLoc(), "", 0, ""};
  if (mlir::failed(injectFault(function, spec, &injected)))
    return mlir::failure();
  llvm::WithColor::note(llvm::errs(), "npu-run")
      << "fault injected: " << nameOf(injected.kind) << " in " << injected.name
      << " at " << nameOfLocation(injected.loc) << ": " << injected.what
      << "\n";
  return mlir::success();
}

Result<> AuditCommandLine::read(AuditOptions &options) const {
  if (!audit)
    return Success();
  if (format != "text" && format != "json")
    return Error{"--format: expected text or json, got '" + format + "'"};
  if (reproducer.getNumOccurrences() > 0 && reproducer.empty())
    return Error{"--emit-reproducer: expected a file, got no name"};
  if (fault.getNumOccurrences() > 0) {
    Result<FaultSpec> spec = parseFault(fault.getValue());
    if (!spec)
      return Error{"--inject-fault: " + spec.error().message};
    options.changeDevice = [spec = *spec](mlir::func::FuncOp device) {
      return injectFaultAloud(device, spec);
    };
  }
  options.json = format == "json";
  options.outputFile = outputFile;
  options.reproducer = reproducer;
  return Success();
}

Result<> AuditCommandLine::checkFiles() const {
  if (!audit)
    return Success();
  std::vector<NamedFile> written{{"--output-file", outputFile}};
  if (!reproducer.empty())
    for (std::string &path : filesOfReproducer(reproducer))
      written.push_back({"--emit-reproducer", std::move(path)});
  return checkOutputs(written);
}

} // namespace npu
