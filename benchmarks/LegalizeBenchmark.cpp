// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-legalize-distributions on functions of N operations that each need one
// redistribution, beside the limit of 4 microseconds per operation and beside
// what parsing the same text takes in the same run. Processor time, the best of
// some repetitions.

#include "ProcessorTime.h"

#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

constexpr double limitMicroseconds = 4.0;

/// The tensor's type under one of two layouts; `width` tells shapes apart.
std::string tensor(int64_t width, bool heads) {
  return fmt::format("tensor<1x28x64x{}xf16, {}>", width,
                     heads ? "#heads" : "#sequence");
}

constexpr const char *layouts =
    "#heads = #npu.layout<SEGMENTED, tiles = [1, 4, 1, 1]>\n"
    "#sequence = #npu.layout<SEGMENTED, tiles = [1, 1, 4, 1]>\n";

/// Each permute_cast declares the other layout than its input has.
std::string chainOfCasts(int64_t n) {
  std::string text = layouts;
  text += fmt::format("func.func @main(%x0: {}) {{\n", tensor(128, true));
  for (int64_t i = 0; i < n; ++i)
    text +=
        fmt::format("  %x{} = npu.permute_cast %x{} mem_perm = [0, 1, 2, 3] "
                    ": {} to {}\n",
                    i + 1, i, tensor(128, i % 2 == 0), tensor(128, i % 2 == 1));
  return text + "  return\n}\n";
}

/// Each elementwise operation is declared under the other layout.
std::string chainOfElementwise(int64_t n) {
  std::string text = layouts;
  text += fmt::format("func.func @main(%x0: {0}) {{\n"
                      "  %e0 = tensor.empty() : {0}\n"
                      "  %e1 = tensor.empty() : {1}\n",
                      tensor(128, true), tensor(128, false));
  for (int64_t i = 0; i < n; ++i)
    text += fmt::format("  %x{0} = linalg.exp ins(%x{1} : {2}) outs(%e{3} : "
                        "{4}) -> {4}\n",
                        i + 1, i, tensor(128, i % 2 == 0), (i + 1) % 2,
                        tensor(128, i % 2 == 1));
  return text + "  return\n}\n";
}

/// N users want one value under one other layout.
std::string manyUsers(int64_t n) {
  std::string text = layouts;
  text += fmt::format("func.func @main(%x: {}) {{\n"
                      "  %e = tensor.empty() : {}\n",
                      tensor(128, true), tensor(128, false));
  for (int64_t i = 0; i < n; ++i)
    text += fmt::format("  %u{0} = linalg.exp ins(%x : {1}) outs(%e : {2}) -> "
                        "{2}\n",
                        i, tensor(128, true), tensor(128, false));
  return text + "  return\n}\n";
}

/// No two pairs of layout and shape are equal.
std::string allDistinct(int64_t n) {
  std::string text = layouts;
  text += "func.func @main() {\n";
  for (int64_t i = 0; i < n; ++i)
    text += fmt::format("  %a{0} = tensor.empty() : {1}\n"
                        "  %c{0} = npu.permute_cast %a{0} mem_perm = [0, 1, 2, "
                        "3] : {1} to {2}\n"
                        "  %d{0} = npu.permute_cast %c{0} mem_perm = [0, 1, 2, "
                        "3] : {2} to {2}\n",
                        i, tensor(i + 4, true), tensor(i + 4, false));
  return text + "  return\n}\n";
}

void legalize(benchmark::State &state, std::string (*textOf)(int64_t)) {
  std::string text = textOf(state.range(0));
  double parsing = 1e9, running = 1e9;
  for (auto _ : state) {
    mlir::DialectRegistry registry;
    npu::registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::OwningOpRef<mlir::ModuleOp> module;
    parsing = std::min(parsing, npu::processorSeconds([&] {
                         module = mlir::parseSourceString<mlir::ModuleOp>(
                             text, &context);
                       }));
    mlir::PassManager passes(&context);
    passes.enableVerifier(false);
    passes.addPass(npu::createLegalizeDistributions());
    bool failed = !module;
    double once = npu::processorSeconds(
        [&] { failed = failed || mlir::failed(passes.run(*module)); });
    if (failed)
      return state.SkipWithError("did not legalize");
    running = std::min(running, once);
    state.SetIterationTime(once);
  }
  double perOp = running * 1e6 / static_cast<double>(state.range(0));
  state.counters["us_per_op"] = perOp;
  state.counters["of_4us_limit"] = perOp / limitMicroseconds;
  state.counters["of_parse_time"] = running / parsing;
}

} // namespace

#define LEGALIZE(NAME)                                                         \
  BENCHMARK_CAPTURE(legalize, NAME, NAME)                                      \
      ->Arg(1000)                                                              \
      ->Arg(10000)                                                             \
      ->Arg(100000)                                                            \
      ->Iterations(5)                                                          \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

LEGALIZE(chainOfCasts);
LEGALIZE(chainOfElementwise);
LEGALIZE(manyUsers);
LEGALIZE(allDistinct);

BENCHMARK_MAIN();
