// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Functions/RandomTask.h"

#include "npu/Target/Target.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

/// A value of every order of magnitude that the figure may have.
int64_t randomFigure(RandomNumbers &random, const CostField &field) {
  int64_t most = field.least;
  for (int64_t doublings = random.below(20); doublings > 0; --doublings)
    most = std::min(field.most, 2 * std::max<int64_t>(most, 1));
  return random.between(field.least, std::max(field.least, most));
}

/// Lets the device have a figure of that range.
void setFigure(RandomNumbers &random, AssignTask &task, const char *name,
               int64_t least, int64_t most) {
  std::erase_if(task.figures,
                [&](const auto &other) { return other.first == name; });
  if (const CostField *field = findCostField(name))
    task.figures.emplace_back(name, std::clamp(random.between(least, most),
                                               field->least, field->most));
}

void addFigures(RandomNumbers &random, AssignTask &task) {
  int64_t oneOf = random.between(2, 12);
  for (const CostField &field : costFields())
    if (random.oneIn(oneOf))
      task.figures.emplace_back(field.name, randomFigure(random, field));
  // Transfers that begin almost at once, so that small tensors are worth a
  // split.
  if (random.oneIn(2))
    for (const char *latency : {"ddr_to_tile_latency", "tile_to_ddr_latency",
                                "tile_to_tile_latency", "ddr_to_ddr_latency"})
      setFigure(random, task, latency, 0, 20);
}

/// Lets the tiles be of several machines, with a link of any speed.
void addMachines(RandomNumbers &random, AssignTask &task) {
  task.figures.emplace_back("machine_tiles", random.between(1, 4));
  task.figures.emplace_back("machine_link_latency", random.between(1, 2000));
  task.figures.emplace_back("machine_link_rate", random.between(10, 40000));
}

} // namespace

AssignTask randomTask(RandomNumbers &random) {
  constexpr const char *kDevices[] = {"npu3720", "npu4000", "described",
                                      "described"};
  AssignTask task;
  task.device = kDevices[random.below(std::size(kDevices))];
  bool isDescribed = task.device == "described";
  if (isDescribed) {
    task.tiles = random.between(1, 16);
    task.scratchpadBytes = int64_t(1) << 20;
  }
  if (isDescribed || random.oneIn(3))
    addFigures(random, task);
  if (random.oneIn(4))
    addMachines(random, task);
  constexpr const char *kStrategies[] = {"least", "least",     "least",
                                         "least", "least",     "greedy",
                                         "beam",  "duplicate", "rows"};
  task.strategy = kStrategies[random.below(std::size(kStrategies))];
  if (random.oneIn(6))
    task.states = random.between(1, 4);
  return task;
}

void favourSumsInParts(RandomNumbers &random, AssignTask &task) {
  struct Figure {
    const char *name;
    int64_t least, most;
  };
  constexpr Figure kFigures[] = {
      {"vector_overhead", 0, 20},          {"vector_reduce_rate", 1000, 100000},
      {"tile_to_tile_latency", 0, 20},     {"tile_to_tile_rate", 1000, 100000},
      {"ddr_to_tile_latency", 0, 20},      {"ddr_to_tile_rate", 10, 1000},
      {"contraction_overhead_f16", 0, 20}, {"contraction_overhead_i8", 0, 20}};
  for (const Figure &figure : kFigures)
    setFigure(random, task, figure.name, figure.least, figure.most);
}

int64_t tilesOf(const AssignTask &task) {
  return task.tiles > 0 ? task.tiles : findBuiltinTarget(task.device)->maxTiles;
}

void chooseScratchpads(RandomNumbers &random, int64_t largestBytes,
                       AssignTask &task) {
  if (random.oneIn(2))
    task.scratchpadBytes =
        random.between(std::max<int64_t>(16, largestBytes / 32),
                       std::max<int64_t>(64, 3 * largestBytes));
  // The fewest bytes are moved where several operations run in the same steps.
  if (random.oneIn(3))
    task.bytePrice = random.oneIn(2) ? 50 : 100000;
}

void chooseMemoryOrders(RandomNumbers &random, AssignTask &task) {
  if (random.oneIn(2))
    task.figures.emplace_back("channels_innermost", 1);
}

void chooseStorage(RandomNumbers &random, AssignTask &task) {
  task.prefersImages = random.oneIn(4);
  if (random.oneIn(3))
    task.storage = random.oneIn(4) ? "linear" : "tiled2d";
}

void chooseKernels(RandomNumbers &random, AssignTask &task) {
  constexpr const char *kOps[] = {
      "contraction",    "convolution", "pooling",    "reduction",
      "elementwise",    "movement",    "npu.gather", "npu.scatter",
      "linalg.softmax", "lookup"};
  constexpr const char *kTypes[] = {"f16, bf16", "f32", "i8, i32", "f16, f32"};
  std::string rows;
  for (const char *op : kOps) {
    if (random.oneIn(4))
      continue;
    std::string items;
    if (random.oneIn(4))
      items += fmt::format(", inputs = [{}]",
                           kTypes[random.below(std::size(kTypes))]);
    bool hasPositions = llvm::StringRef(op).starts_with("npu.") ||
                        llvm::StringRef(op) == "lookup";
    if (hasPositions && random.oneIn(2))
      items += random.oneIn(2) ? ", indices = [i8, i64]" : ", indices = [i16]";
    if (random.oneIn(8))
      items += fmt::format(", ranks = [{}, 4]", random.between(1, 3));
    if (random.oneIn(8))
      items += random.oneIn(2) ? ", orders = [\"NHWC\"]"
                               : ", orders = [\"NWHC\", \"NCHW\"]";
    if (random.oneIn(8))
      items += fmt::format(", extents = {}", random.between(2, 12));
    if (random.oneIn(5))
      items += random.oneIn(3) ? ", storage = [\"linear\"]"
                               : ", storage = [\"tiled2d\"]";
    rows +=
        fmt::format("{}{{op = \"{}\"{}}}", rows.empty() ? "" : ", ", op, items);
  }
  if (rows.empty())
    rows = "{op = \"movement\"}";
  task.kernels = "#npu.kernels<" + rows + ">";
}

} // namespace npu
