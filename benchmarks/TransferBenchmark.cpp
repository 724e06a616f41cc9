// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers beside memcpy of as many bytes, turn by turn in one run: a box of R
// runs of B bytes is copied from one buffer into another, as npu-to-buffers
// writes a transfer and npu-to-llvm compiles it.
//
//   rows_to_columns   what one of four tiles sends another when an activation
//                     that is split by rows is wanted by columns: the sender
//                     has whole rows, the receiver a quarter of each. Hidden
//                     sizes of models, f32
//   strided           both sides with twice as many bytes in a row; sizes that
//                     are powers of two, where half of a cache's sets go unused
//
//   of_memcpy   bandwidth in units of memcpy's; at least 0.8 is wanted where a
//               transfer has 64 KiB or more and its runs 1 KiB or more

#include "npu/Conversion/PlanScratchpad/Lowering.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/TargetSelect.h"

#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace {

/// Aligned like scratchpads and the buffers in them.
struct Buffer {
  explicit Buffer(int64_t bytes, float value)
      : elements(static_cast<float *>(std::aligned_alloc(4096, bytes))) {
    std::fill_n(elements, bytes / 4, value);
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { std::free(elements); }

  float *elements;
};

/// `fromRow` and `toRow`: elements of a row on either side.
std::string transfer(int64_t runs, int64_t elements, int64_t fromRow,
                     int64_t toRow) {
  return fmt::format(R"(
func.func @main(%from: memref<{0}x{2}xf32, 1>, %to: memref<{0}x{3}xf32, 2>) attributes {{llvm.emit_c_interface}} {{
  %0 = memref.subview %from[0, 0] [{0}, {1}] [1, 1] : memref<{0}x{2}xf32, 1> to memref<{0}x{1}xf32, strided<[{2}, 1]>, 1>
  %1 = memref.subview %to[0, {4}] [{0}, {1}] [1, 1] : memref<{0}x{3}xf32, 2> to memref<{0}x{1}xf32, strided<[{3}, 1], offset: {4}>, 2>
  memref.copy %0, %1 : memref<{0}x{1}xf32, strided<[{2}, 1]>, 1> to memref<{0}x{1}xf32, strided<[{3}, 1], offset: {4}>, 2>
  return
}})",
                     runs, elements, fromRow, toRow, toRow - elements);
}

void measure(benchmark::State &state, int64_t runs, int64_t elements,
             int64_t fromRow, int64_t toRow) {
  int64_t bytes = runs * elements * 4;
  mlir::DialectRegistry registry;
  npu::registerDialects(registry);
  npu::registerExecutionInterfaces(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      transfer(runs, elements, fromRow, toRow), &context);
  mlir::PassManager passes(&context);
  npu::buildLowering(passes, npu::CompilePhase::Freed, npu::CompilePhase::Llvm);
  if (!module || mlir::failed(passes.run(*module)))
    return state.SkipWithError("does not compile");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  mlir::ExecutionEngineOptions options;
  auto transformer = mlir::makeOptimizingTransformer(2, 0, nullptr);
  options.transformer = transformer;
  auto engine = mlir::ExecutionEngine::create(*module, options);
  if (!engine)
    return state.SkipWithError(llvm::toString(engine.takeError()).c_str());
  auto call = (*engine)->lookupPacked("_mlir_ciface_main");
  if (!call)
    return state.SkipWithError(llvm::toString(call.takeError()).c_str());

  Buffer from(4 * runs * fromRow, 1.0f), to(4 * runs * toRow, 2.0f);
  Buffer plainFrom(bytes, 1.0f), plainTo(bytes, 2.0f);
  struct Descriptor {
    float *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  };
  auto describe = [&](Buffer &buffer, int64_t row) {
    return Descriptor{
        buffer.elements, buffer.elements, 0, {runs, row}, {row, 1}};
  };
  Descriptor source = describe(from, fromRow), target = describe(to, toRow);
  void *pointers[] = {&source, &target};
  void *arguments[] = {&pointers[0], &pointers[1]};

  auto seconds = [](auto work) {
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  // As many at a time as take some hundred microseconds.
  int64_t times = std::max<int64_t>(1, (int64_t{4} << 20) / bytes);
  double moved = 1e9, copied = 1e9;
  for (auto _ : state) {
    double once = seconds([&] {
      for (int64_t i = 0; i < times; ++i)
        (*call)(arguments);
    });
    copied =
        std::min(copied, seconds([&] {
                   for (int64_t i = 0; i < times; ++i) {
                     std::memcpy(plainTo.elements, plainFrom.elements, bytes);
                     benchmark::ClobberMemory();
                   }
                 }));
    moved = std::min(moved, once);
    state.SetIterationTime(once / static_cast<double>(times));
  }
  if (to.elements[toRow - elements] != 1.0f ||
      (toRow > elements && to.elements[0] != 2.0f))
    return state.SkipWithError("did not move what it should");
  state.counters["GB_per_s"] = static_cast<double>(bytes * times) / moved / 1e9;
  state.counters["of_memcpy"] = copied / moved;
}

/// Arguments: KiB of the whole transfer, bytes of a run.
void strided(benchmark::State &state) {
  int64_t elements = state.range(1) / 4;
  measure(state, state.range(0) * 1024 / state.range(1), elements, 2 * elements,
          2 * elements);
}

/// Arguments: the hidden size, KiB of the transfer (rounded to whole runs).
void rows_to_columns(benchmark::State &state) {
  int64_t hidden = state.range(0), elements = hidden / 4;
  int64_t runs = (state.range(1) * 1024 + 4 * elements - 1) / (4 * elements);
  measure(state, runs, elements, hidden, elements);
}

} // namespace

BENCHMARK(rows_to_columns)
    ->ArgsProduct({{1536, 2048, 2304, 3072, 3584, 4096}, {64, 256, 1024}})
    ->ArgNames({"hidden", "KiB"})
    ->Iterations(100)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK(strided)
    ->ArgsProduct({{64, 256, 1024, 4096, 16384}, {1024, 4096, 16384, 65536}})
    ->ArgNames({"KiB", "run"})
    ->Iterations(100)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
