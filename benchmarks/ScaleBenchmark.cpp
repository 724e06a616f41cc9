// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How plans grow with the number of tiles, from 4 to 4,096: machines of eight
// tiles each (of four, where there are four). One JSON object a line, for each
// kind of movement and each number of tiles:
//   transfers   of the plan, and `pairs` of a sender and a receiver
//   listed      whether they are a list, or found one after the other
//   rounds      the most partners that one tile sends to or receives from: as
//               many rounds of pairs that exchange at the same time suffice
//   across      the part of what tiles receive that comes from other machines
//   us          processor time of one plan, the median of `runs`, with the
//               least and the most
//   plan_bytes  that the plan itself takes, and `peak_bytes` while it is made
//   refused     instead of all these, where the planner refuses
//
//   ScaleBenchmark [RUNS]

#include "ProcessorTime.h"

#include "../test/unit/Placement/Layouts.h"
#include "npu/Placement/Plans/RedistributionPlan.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

/// Bytes that are allocated now, and the most since it was last set back.
std::size_t allocated = 0, peak = 0;

void *allocate(std::size_t size) {
  void *memory = std::malloc(size);
  if (!memory)
    std::abort();
  allocated += malloc_usable_size(memory);
  peak = std::max(peak, allocated);
  return memory;
}

void release(void *memory) {
  if (memory)
    allocated -= malloc_usable_size(memory);
  std::free(memory);
}

} // namespace

void *operator new(std::size_t size) { return allocate(size); }
void operator delete(void *memory) noexcept { release(memory); }
void operator delete(void *memory, std::size_t) noexcept { release(memory); }

namespace npu {
namespace {

struct Case {
  const char *name;
  Distribution source, target;
};

/// The movements between tiles, of which machines have `inMachine` each.
std::vector<Case> casesOf(int64_t tiles, int64_t inMachine) {
  int64_t machines = tiles / inMachine;
  return {
      {"halo", split({tiles, 1}), halo(split({tiles, 1}))},
      {"balanced to ceil", split({tiles, 1}), ceil(split({tiles, 1}))},
      {"columns to rows inside machines", split({machines, inMachine}),
       split({tiles, 1})},
      {"grid to its transpose", split({machines, inMachine}),
       split({inMachine, machines})},
      {"copies inside machines", split({tiles, 1}),
       split({machines, 1}, inMachine)},
      {"copies across machines to rows", split({1, inMachine}, machines),
       split({tiles, 1})},
      {"one copy for each tile", split({tiles, 1}), duplicated(tiles)},
      {"rows to columns", split({tiles, 1}), split({1, tiles})},
  };
}

struct Traffic {
  std::size_t pairs = 0;
  int64_t rounds = 0;
  double across = 0;

  Traffic(const RedistributionPlan &plan, int64_t tiles, int64_t inMachine) {
    std::vector<int64_t> sent(tiles), received(tiles);
    double all = 0;
    for (const Transfer &transfer : plan.transfers)
      for (int to : transfer.to) {
        auto volume = static_cast<double>(transfer.box.volume());
        ++pairs;
        all += volume;
        across += transfer.from / inMachine != to / inMachine ? volume : 0;
        rounds = std::max({rounds, ++sent[transfer.from], ++received[to]});
      }
    across = all > 0 ? across / all : 0;
  }
};

void report(const Case &each, int64_t tiles, int64_t machines, int runs) {
  Extents shape{16389, 16389};
  Placement source = *place(each.source, shape);
  Placement target = *place(each.target, shape);
  std::printf(R"({"case": "%s", "tiles": %ld, "machines": %ld, )", each.name,
              long(tiles), long(machines));
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    std::size_t before = peak = allocated;
    Result<RedistributionPlan> plan = Error{};
    times.push_back(processorSeconds([&] {
      plan = planRedistribution(source, target, {}, {}, {tiles / machines});
    }));
    if (run + 1 < runs)
      continue;
    std::sort(times.begin(), times.end());
    std::printf(R"("us": %.1f, "least_us": %.1f, "most_us": %.1f, )",
                times[times.size() / 2] * 1e6, times.front() * 1e6,
                times.back() * 1e6);
    if (!plan) {
      std::printf("\"refused\": \"%s\"}\n", plan.error().message.c_str());
      continue;
    }
    std::size_t planBytes = allocated - before, peakBytes = peak - before;
    Traffic traffic(*plan, tiles, tiles / machines);
    std::printf(
        R"("transfers": %zu, "listed": %s, "pairs": %zu, "rounds": %ld, )"
        R"("across": %.3f, "plan_bytes": %zu, "peak_bytes": %zu})"
        "\n",
        plan->transfers.size(), plan->transfers.areListed() ? "true" : "false",
        traffic.pairs, long(traffic.rounds), traffic.across, planBytes,
        peakBytes);
  }
  std::fflush(stdout);
}

} // namespace
} // namespace npu

int main(int argc, char **argv) {
  int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  if (runs < 1) {
    std::fprintf(stderr, "ScaleBenchmark: expected a number of runs, got %s\n",
                 argv[1]);
    return 1;
  }
  for (int64_t tiles : {4, 8, 64, 512, 4096}) {
    int64_t inMachine = std::min<int64_t>(tiles, tiles == 4 ? 2 : 8);
    for (const npu::Case &each : npu::casesOf(tiles, inMachine))
      npu::report(each, tiles, tiles / inMachine, runs);
  }
  return 0;
}
