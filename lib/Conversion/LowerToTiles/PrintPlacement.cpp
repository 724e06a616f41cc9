// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-print-placement: prints on which device every operation runs.

#include "LoweredCopy.h"
#include "npu/Analysis/Devices/DeviceTable.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {

#define GEN_PASS_DEF_PRINTPLACEMENT
#include "npu/Conversion/LowerToTiles/Passes.h.inc"

namespace {

struct PrintPlacementPass : impl::PrintPlacementBase<PrintPlacementPass> {
  using PrintPlacementBase::PrintPlacementBase;

  LogicalResult initialize(MLIRContext *context) override {
    return verifyFormat(UnknownLoc::get(context), getArgument(), format);
  }

  void runOnOperation() override {
    auto lowered = loweredCopyOf(getOperation(), HostFallbackPolicy::Allow);
    if (failed(lowered))
      return signalPassFailure();
    DeviceTable table = deviceTableOf(*lowered ? **lowered : getOperation());
    if (onNpu && failed(verifyOnNpu(table)))
      return signalPassFailure();
    std::string text;
    llvm::raw_string_ostream os(text);
    if (format == "json")
      printDeviceTableAsJson(table, os);
    else
      printDeviceTable(table, os);
    if (!outputFile.empty() &&
        failed(writeReport(getOperation(), getArgument(), outputFile, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace npu
