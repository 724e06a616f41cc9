// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-pad-to-max-prompt-len on decoders of 7, 14, 28 and 56 layers whose prompt
// has a run-time length of at most 512. Counters, in processor time, the best
// of some repetitions:
//
//   us_per_layer   the pass by itself
//   x_parse        the same in units of parsing the text in the same run; the
//                  limit is 2 at 28 layers

#include "ProcessorTime.h"
#include "PromptLayers.h"

#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Preprocess/Padding/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <benchmark/benchmark.h>

namespace {

constexpr double limitOfParsing = 2.0;

void pad(benchmark::State &state, const char *side) {
  std::string text = npu::promptLayers(state.range(0));
  double parsing = 1e9, padding = 1e9;
  for (auto _ : state) {
    mlir::DialectRegistry registry;
    npu::registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::OwningOpRef<mlir::ModuleOp> module;
    parsing = std::min(parsing, npu::processorSeconds([&] {
                         module = mlir::parseSourceString<mlir::ModuleOp>(
                             text, &context);
                       }));
    if (!module)
      return state.SkipWithError("does not parse");
    npu::PadToMaxPromptLenOptions options;
    options.maxPromptLen = 512;
    options.side = side;
    mlir::PassManager passes(&context);
    passes.enableVerifier(false);
    passes.addPass(npu::createPadToMaxPromptLen(options));
    bool failed = false;
    double once = npu::processorSeconds(
        [&] { failed = mlir::failed(passes.run(*module)); });
    if (failed)
      return state.SkipWithError("was not padded");
    padding = std::min(padding, once);
    state.SetIterationTime(once);
  }
  auto layers = static_cast<double>(state.range(0));
  state.counters["us_per_layer"] = padding * 1e6 / layers;
  state.counters["x_parse"] = padding / parsing;
  state.counters["of_limit"] = padding / parsing / limitOfParsing;
}

} // namespace

#define PAD(SIDE)                                                              \
  BENCHMARK_CAPTURE(pad, SIDE, #SIDE)                                          \
      ->Arg(7)                                                                 \
      ->Arg(14)                                                                \
      ->Arg(28)                                                                \
      ->Arg(56)                                                                \
      ->Iterations(5)                                                          \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

PAD(right);
PAD(left);

BENCHMARK_MAIN();
