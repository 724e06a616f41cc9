// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables: the names of all cost figures, and those of the built-in targets.
// What is not fitted is from the vendor's headers; the rest is what
// scripts/fit-costs.py prints (docs/devices.md says for which rows).

#include "npu/Target/CostFigures.h"

#include <algorithm>
#include <vector>

namespace npu {
namespace {

/// Limits with which no product in Costs.cpp that has to be exact overflows.
constexpr int64_t kMostRate = int64_t{1} << 50;
constexpr int64_t kMostGranule = int64_t{1} << 20;

struct EngineField {
  std::string_view name, unit, meaning;
  int64_t least, most;
  int64_t EngineFigures::*value;
};

struct DeviceField {
  std::string_view name, unit, meaning;
  int64_t least, most;
  int64_t CostFigures::*value;
};

const EngineField engineFields[] = {
    {"macs_per_cycle", "multiply-accumulates per cycle", "the engine's peak", 1,
     kMostRate, &EngineFigures::macsPerCycle},
    {"input_granule", "channels", "input channels are rounded up to this", 1,
     kMostGranule, &EngineFigures::inputGranule},
    {"contraction_overhead", "cycles",
     "a contraction takes this beside its work", 0, kMostRate,
     &EngineFigures::contractionOverhead},
    {"contraction_read", "bytes per 1000 cycles",
     "operands that the engine reads", 1, kMostRate,
     &EngineFigures::contractionRead},
    {"contraction_write", "bytes per 1000 cycles",
     "results that the engine writes", 1, kMostRate,
     &EngineFigures::contractionWrite},
    {"elementwise_overhead", "cycles",
     "an elementwise operation takes this beside its work", 0, kMostRate,
     &EngineFigures::elementwiseOverhead},
    {"elementwise_rate", "elements per 1000 cycles", "elementwise results", 1,
     kMostRate, &EngineFigures::elementwiseRate},
    {"elementwise_least_pixels", "pixels", "fewer take as long", 1,
     kMostGranule, &EngineFigures::elementwiseLeastPixels},
    {"depthwise_overhead", "cycles", "each workload of a depthwise convolution",
     0, kMostRate, &EngineFigures::depthwiseOverhead},
    {"depthwise_taps", "taps per 1000 cycles",
     "results times window of a depthwise convolution", 1, kMostRate,
     &EngineFigures::depthwiseTaps},
    {"depthwise_inputs", "inputs per 1000 cycles",
     "what a depthwise convolution reads", 1, kMostRate,
     &EngineFigures::depthwiseInputs},
    {"depthwise_least_pixels", "pixels", "fewer take as long", 1, kMostGranule,
     &EngineFigures::depthwiseLeastPixels},
    {"pooling_overhead", "cycles", "each workload of a pooling", 0, kMostRate,
     &EngineFigures::poolingOverhead},
    {"pooling_taps", "taps per 1000 cycles",
     "results times window of a pooling", 1, kMostRate,
     &EngineFigures::poolingTaps},
    {"pooling_inputs", "inputs per 1000 cycles", "what a pooling reads", 1,
     kMostRate, &EngineFigures::poolingInputs},
    {"pooling_least_pixels", "pixels", "fewer take as long", 1, kMostGranule,
     &EngineFigures::poolingLeastPixels},
};

const DeviceField deviceFields[] = {
    {"row_granule", "rows", "rows are rounded up to this", 1, kMostGranule,
     &CostFigures::rowGranule},
    {"output_granule", "channels", "output channels are rounded up to this", 1,
     kMostGranule, &CostFigures::outputGranule},
    {"grid", "pixels and channels",
     "a square that the engine computes at a time", 2, kMostGranule,
     &CostFigures::grid},
    {"window_channels", "channels",
     "one workload of a depthwise convolution or a pooling", 1, kMostGranule,
     &CostFigures::windowChannels},
    {"ddr_to_tile_latency", "cycles",
     "before the first byte from DDR to a tile", 0, kMostRate,
     &CostFigures::ddrToTileLatency},
    {"ddr_to_tile_rate", "bytes per 1000 cycles", "from DDR to a tile", 1,
     kMostRate, &CostFigures::ddrToTileRate},
    {"tile_to_ddr_latency", "cycles",
     "before the first byte from a tile to DDR", 0, kMostRate,
     &CostFigures::tileToDdrLatency},
    {"tile_to_ddr_rate", "bytes per 1000 cycles", "from a tile to DDR", 1,
     kMostRate, &CostFigures::tileToDdrRate},
    {"tile_to_tile_latency", "cycles", "before the first byte between tiles", 0,
     kMostRate, &CostFigures::tileToTileLatency},
    {"tile_to_tile_rate", "bytes per 1000 cycles", "between tiles", 1,
     kMostRate, &CostFigures::tileToTileRate},
    {"ddr_to_ddr_latency", "cycles", "before the first byte within DDR", 0,
     kMostRate, &CostFigures::ddrToDdrLatency},
    {"ddr_to_ddr_rate", "bytes per 1000 cycles", "within DDR", 1, kMostRate,
     &CostFigures::ddrToDdrRate},
    {"vector_overhead", "cycles", "one kernel of a vector engine", 0, kMostRate,
     &CostFigures::vectorOverhead},
    {"vector_simple_rate", "elements per 1000 cycles",
     "sums, products, comparisons", 1, kMostRate,
     &CostFigures::vectorSimpleRate},
    {"vector_special_rate", "elements per 1000 cycles",
     "exponentials, logarithms, roots", 1, kMostRate,
     &CostFigures::vectorSpecialRate},
    {"vector_sigmoid_rate", "elements per 1000 cycles",
     "sigmoids, hyperbolic tangents", 1, kMostRate,
     &CostFigures::vectorSigmoidRate},
    {"vector_divide_rate", "elements per 1000 cycles", "quotients", 1,
     kMostRate, &CostFigures::vectorDivideRate},
    {"vector_reduce_rate", "elements per 1000 cycles", "steps of a reduction",
     1, kMostRate, &CostFigures::vectorReduceRate},
};

constexpr CostFigures npu3720 = {
    .f16 = {.macsPerCycle = 1024,
            .inputGranule = 16,
            .contractionOverhead = 203,
            .contractionRead = 85383,
            .contractionWrite = 86936,
            .elementwiseOverhead = 152,
            .elementwiseRate = 12153,
            .elementwiseLeastPixels = 29,
            .depthwiseOverhead = 444,
            .depthwiseTaps = 42281,
            .depthwiseInputs = 244224,
            .depthwiseLeastPixels = 25,
            .poolingOverhead = 356,
            .poolingTaps = 46138,
            .poolingInputs = 118355,
            .poolingLeastPixels = 1},
    .i8 = {.macsPerCycle = 2048,
           .inputGranule = 32,
           .contractionOverhead = 133,
           .contractionRead = 83636,
           .contractionWrite = 112916,
           .elementwiseOverhead = 125,
           .elementwiseRate = 35336,
           .elementwiseLeastPixels = 39,
           .depthwiseOverhead = 171,
           .depthwiseTaps = 87176,
           .depthwiseInputs = 318884,
           .depthwiseLeastPixels = 59,
           .poolingOverhead = 147,
           .poolingTaps = 81772,
           .poolingInputs = 441875,
           .poolingLeastPixels = 23},
    .rowGranule = 16,
    .outputGranule = 16,
    .grid = 128,
    .windowChannels = 64,
    .ddrToTileLatency = 740,
    .ddrToTileRate = 21147,
    .tileToDdrLatency = 260,
    .tileToDdrRate = 23745,
    .tileToTileLatency = 129,
    .tileToTileRate = 12053,
    .ddrToDdrLatency = 687,
    .ddrToDdrRate = 20780,
    .vectorOverhead = 3557,
    .vectorSimpleRate = 2176,
    .vectorSpecialRate = 920,
    .vectorSigmoidRate = 2554,
    .vectorDivideRate = 592,
    .vectorReduceRate = 430,
};

constexpr CostFigures npu4000 = {
    .f16 = {.macsPerCycle = 1024,
            .inputGranule = 16,
            .contractionOverhead = 206,
            .contractionRead = 124748,
            .contractionWrite = 86294,
            .elementwiseOverhead = 146,
            .elementwiseRate = 12564,
            .elementwiseLeastPixels = 30,
            .depthwiseOverhead = 139,
            .depthwiseTaps = 117112,
            .depthwiseInputs = 35636,
            .depthwiseLeastPixels = 109,
            .poolingOverhead = 120,
            .poolingTaps = 75481,
            .poolingInputs = 78377,
            .poolingLeastPixels = 78},
    .i8 = {.macsPerCycle = 2048,
           .inputGranule = 32,
           .contractionOverhead = 147,
           .contractionRead = 115008,
           .contractionWrite = 702140,
           .elementwiseOverhead = 127,
           .elementwiseRate = 42805,
           .elementwiseLeastPixels = 53,
           .depthwiseOverhead = 231,
           .depthwiseTaps = 260553,
           .depthwiseInputs = 79117,
           .depthwiseLeastPixels = 95,
           .poolingOverhead = 175,
           .poolingTaps = 119942,
           .poolingInputs = 878687,
           .poolingLeastPixels = 58},
    .rowGranule = 16,
    .outputGranule = 16,
    .grid = 128,
    .windowChannels = 64,
    .ddrToTileLatency = 750,
    .ddrToTileRate = 34367,
    .tileToDdrLatency = 348,
    .tileToDdrRate = 30253,
    .tileToTileLatency = 265,
    .tileToTileRate = 35955,
    .ddrToDdrLatency = 706,
    .ddrToDdrRate = 22268,
    .vectorOverhead = 4007,
    .vectorSimpleRate = 6978,
    .vectorSpecialRate = 7049,
    .vectorSigmoidRate = 6372,
    .vectorDivideRate = 3107,
    .vectorReduceRate = 1174,
};

std::vector<CostField> allFields() {
  std::vector<CostField> fields;
  for (auto [suffix, engine] : {std::pair{"_f16", &CostFigures::f16},
                                std::pair{"_i8", &CostFigures::i8}})
    for (const EngineField &field : engineFields)
      fields.push_back({std::string(field.name) + suffix, field.unit,
                        field.meaning, field.least, field.most, engine,
                        field.value, nullptr});
  for (const DeviceField &field : deviceFields)
    fields.push_back({std::string(field.name), field.unit, field.meaning,
                      field.least, field.most, nullptr, nullptr, field.value});
  return fields;
}

} // namespace

std::span<const CostField> costFields() {
  static const std::vector<CostField> fields = allFields();
  return fields;
}

const CostField *findCostField(std::string_view name) {
  std::span<const CostField> fields = costFields();
  auto found = std::ranges::find(fields, name, &CostField::name);
  return found == fields.end() ? nullptr : &*found;
}

Check checkCostFigure(const CostField &field, int64_t value) {
  if (value >= field.least && value <= field.most)
    return std::nullopt;
  return Error{"expected '" + field.name + "' from " +
               std::to_string(field.least) + " to " +
               std::to_string(field.most) + ", got " + std::to_string(value)};
}

Check checkCosts(const CostFigures &figures) {
  for (const CostField &field : costFields())
    if (Check wrong = checkCostFigure(field, field.of(figures)))
      return wrong;
  return std::nullopt;
}

const CostFigures &costFiguresOf(std::string_view target) {
  return target == "npu3720" ? npu3720 : npu4000;
}

} // namespace npu
