// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MeasureScratchpads.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <algorithm>

using namespace mlir;

namespace npu {

int64_t mostBytes(const ArenaBytes &arenas) {
  int64_t most = 0;
  for (auto [tile, bytes] : arenas)
    most = std::max(most, bytes);
  return most;
}

std::optional<ArenaBytes> measureScratchpads(ModuleOp module, StringRef name) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  // Whatever is taken is measured, also beyond what the device has.
  module->removeAttr(DLTIDialect::kTargetSystemDescAttrName);
  PassManager passes(module.getContext());
  if (failed(parsePassPipeline("npu-lower-to-tiles,npu-to-buffers", passes,
                               llvm::nulls())) ||
      failed(passes.run(module)))
    return std::nullopt;
  ArenaBytes arenas;
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return std::nullopt;
  for (BlockArgument argument : function.getArguments()) {
    auto tile = function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), NPUDialect::ArenaAttrHelper::getNameStr());
    if (tile)
      arenas[tile.getInt()] =
          cast<MemRefType>(argument.getType()).getNumElements();
  }
  return arenas;
}

} // namespace npu
