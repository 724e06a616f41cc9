// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This project's dialect, models and passes for upstream's mlir-opt. It has to
// be given twice, because mlir-opt keeps dialects and passes apart:
//
//   mlir-opt --load-dialect-plugin=TilewrightPlugin.so
//     --load-pass-plugin=TilewrightPlugin.so
//     --pass-pipeline='builtin.module(npu-legalize-distributions)' file.mlir

#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/InitAllPasses.h"
#include "npu/Tools/Version.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/WithColor.h"

static constexpr const char *name = "Tilewright";

/// Says that the plugin adds nothing to a tool that has what it brings, such as
/// npu-opt. Upstream aborts when a name is registered for a second time.
static void warnOfSecond(llvm::StringRef what) {
  llvm::WithColor::warning(llvm::errs(), name)
      << "the tool has this plugin's " << what
      << " already, which are left as they are\n";
}

static void registerPasses() {
  if (mlir::PassInfo::lookup("npu-legalize-distributions"))
    return warnOfSecond("passes");
  npu::registerAllPasses();
}

static void registerDialects(mlir::DialectRegistry *registry) {
  if (llvm::is_contained(registry->getDialectNames(), "npu"))
    return warnOfSecond("dialects");
  npu::registerDialects(*registry);
  npu::registerLoweringInterfaces(*registry);
}

extern "C" mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, name, npu::version().data(), registerPasses};
}

extern "C" mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, name, npu::version().data(),
          registerDialects};
}
