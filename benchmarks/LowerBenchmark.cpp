// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-lower-to-tiles on decoders of 7, 14, 28 and 56 layers and four tiles.
// Twice the layers may take twice the time: us_per_layer stays where it is.
// Counters, in processor time, the best of some repetitions:
//
//   us_per_layer   the pass by itself, its two verifiers included
//   x_parse        the same in units of parsing the text in the same run
//   parallel_us_per_layer   npu-run-tiles-in-parallel on the buffers

#include "DecoderLayers.h"
#include "ProcessorTime.h"

#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Conversion/Threads/Passes.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <benchmark/benchmark.h>

namespace {

void lower(benchmark::State &state) {
  std::string text = npu::decoderLayers(state.range(0));
  double parsing = 1e9, lowering = 1e9, parallel = 1e9;
  for (auto _ : state) {
    mlir::DialectRegistry registry;
    npu::registerDialects(registry);
    npu::registerLoweringInterfaces(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::OwningOpRef<mlir::ModuleOp> module;
    parsing = std::min(parsing, npu::processorSeconds([&] {
                         module = mlir::parseSourceString<mlir::ModuleOp>(
                             text, &context);
                       }));
    if (!module)
      return state.SkipWithError("does not parse");
    mlir::PassManager toTiles(&context), toBuffers(&context),
        inParallel(&context);
    toTiles.enableVerifier(false);
    toTiles.addPass(npu::createLowerToTiles());
    npu::buildLowering(toBuffers, npu::CompilePhase::Tiles,
                       npu::CompilePhase::Scratchpad);
    inParallel.enableVerifier(false);
    inParallel.addPass(npu::createRunTilesInParallel());
    bool failed = false;
    double once = npu::processorSeconds(
        [&] { failed = mlir::failed(toTiles.run(*module)); });
    failed = failed || mlir::failed(toBuffers.run(*module));
    double then = npu::processorSeconds(
        [&] { failed = failed || mlir::failed(inParallel.run(*module)); });
    if (failed)
      return state.SkipWithError("did not lower");
    lowering = std::min(lowering, once);
    parallel = std::min(parallel, then);
    state.SetIterationTime(once);
  }
  auto layers = static_cast<double>(state.range(0));
  state.counters["us_per_layer"] = lowering * 1e6 / layers;
  state.counters["x_parse"] = lowering / parsing;
  state.counters["parallel_us_per_layer"] = parallel * 1e6 / layers;
}

} // namespace

BENCHMARK(lower)
    ->Arg(7)
    ->Arg(14)
    ->Arg(28)
    ->Arg(56)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
