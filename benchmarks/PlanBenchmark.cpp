// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a fresh redistribution plan takes: six tiles, rank 4, a spread of
// pairs of splits. A search over distributions asks for thousands of plans, so
// one must stay below 20 us.
//
// Counters, in processor time, the best of some repetitions:
//   us         one plan
//   x_pairs    the same in units of the least that any planner has to do, which
//              is to intersect each box of the source with each of the target
//   x_memcpy   the same in units of copying the bytes of the plan once on this
//              machine (f16): below 1, planning costs less than moving

#include "npu/Placement/Plans/RedistributionPlan.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace npu {
namespace {

struct Case {
  const char *name;
  Distribution source;
  Distribution target;
};

Distribution split(Extents tiles, Mode mode = Mode::Segmented) {
  Distribution result;
  result.mode = mode;
  result.tiles = tiles;
  return result;
}

Distribution duplicated() {
  Distribution result;
  result.mode = Mode::Duplicated;
  result.tileCount = 6;
  return result;
}

Distribution halo(Extents tiles, std::vector<Window> windows) {
  Distribution result = split(tiles, Mode::Overlapped);
  result.windows = std::move(windows);
  return result;
}

Distribution ceil(Distribution distribution) {
  distribution.split = Split::Ceil;
  return distribution;
}

Distribution copied(Extents tiles, int64_t copies) {
  Distribution result = split(tiles);
  result.copies = copies;
  return result;
}

Distribution major(Extents tiles, Permutation order) {
  Distribution result = split(tiles);
  result.major = order;
  return result;
}

const Extents kShape{1, 28, 336, 128};
const Window kRowWindow{2, 3, 1, 1, 1, 1}, kColumnWindow{3, 3, 1, 1, 1, 1};

std::vector<Case> cases() {
  return {
      {"heads->rows", split({1, 6, 1, 1}), split({1, 1, 6, 1})},
      {"heads->whole", split({1, 6, 1, 1}), duplicated()},
      {"whole on 3->heads", copied({1, 1, 1, 3}, 2), split({1, 6, 1, 1})},
      {"rows->halo", split({1, 1, 6, 1}), halo({1, 1, 6, 1}, {kRowWindow})},
      {"halo->heads", halo({1, 1, 6, 1}, {kRowWindow}), split({1, 6, 1, 1})},
      {"balanced->ceil", split({1, 6, 1, 1}), ceil(split({1, 6, 1, 1}))},
      {"2x3->3x2", split({1, 2, 3, 1}), split({1, 3, 2, 1})},
      {"2x3->other two", split({1, 2, 3, 1}), split({1, 3, 1, 2})},
      {"2x3->other major", split({1, 2, 3, 1}), major({1, 2, 3, 1}, {2, 1})},
      {"2x3->2d halo", split({1, 1, 2, 3}),
       halo({1, 1, 2, 3}, {kRowWindow, kColumnWindow})},
      {"2d halo->2x3", halo({1, 1, 2, 3}, {kRowWindow, kColumnWindow}),
       split({1, 2, 3, 1})},
      {"2 parts of 3->6", copied({1, 2, 1, 1}, 3), split({1, 1, 6, 1})},
      {"3 parts of 2->3x2", copied({1, 1, 3, 1}, 2), split({1, 3, 2, 1})},
  };
}

/// Processor seconds that `work` takes: the best of five repetitions, each of
/// as many runs as fill some milliseconds.
template <typename Work>
double timeOf(Work work) {
  auto measure = [&](int64_t runs) {
    std::clock_t begin = std::clock();
    for (int64_t i = 0; i < runs; ++i)
      work();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  int64_t runs = 16;
  while (measure(runs) < 0.005)
    runs *= 4;
  double best = measure(runs);
  for (int repetition = 1; repetition < 5; ++repetition)
    best = std::min(best, measure(runs));
  return best / static_cast<double>(runs);
}

void intersectPairs(const Placement &source, const Placement &target) {
  int64_t total = 0;
  for (const TileBoxes &from : source.tiles)
    for (const TileBoxes &to : target.tiles)
      total += intersect(from.memory, to.memory).volume();
  benchmark::DoNotOptimize(total);
}

void plan(benchmark::State &state, const Case &pair) {
  Result<Placement> source = place(pair.source, kShape);
  Result<Placement> target = place(pair.target, kShape);
  if (!source || !target) {
    state.SkipWithError("no placement");
    return;
  }
  auto makePlan = [&] {
    benchmark::DoNotOptimize(planRedistribution(*source, *target));
  };
  for (auto _ : state)
    makePlan();
  double each = timeOf(makePlan);

  RedistributionPlan result = *planRedistribution(*source, *target);
  std::size_t bytes = static_cast<std::size_t>(2 * result.received.value);
  std::vector<char> from(bytes, 1), to(bytes);
  double copying = timeOf([&] {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  });
  double pairs = timeOf([&] { intersectPairs(*source, *target); });
  state.counters["us"] = each * 1e6;
  state.counters["x_pairs"] = each / pairs;
  state.counters["x_memcpy"] = each / copying;
  state.counters["transfers"] = static_cast<double>(result.transfers.size());
}

} // namespace
} // namespace npu

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<npu::Case> cases = npu::cases();
  for (const npu::Case &pair : cases)
    benchmark::RegisterBenchmark(pair.name, [&pair](benchmark::State &state) {
      npu::plan(state, pair);
    });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
