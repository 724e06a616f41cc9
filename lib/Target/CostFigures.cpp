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
    {"output_sums", "operations per result",
     "sums in the output stage, at no cost", 0, kMostGranule,
     &EngineFigures::outputSums},
    {"output_products", "operations per result",
     "products in the output stage, at no cost", 0, kMostGranule,
     &EngineFigures::outputProducts},
    {"output_bounds", "operations per result",
     "maxima and minima in the output stage, at no cost", 0, kMostGranule,
     &EngineFigures::outputBounds},
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
    {"input_padding", "positions per 1000 of a window but one",
     "zeros at each end that the engine adds while it reads, at no cost", 0,
     kMostGranule, &CostFigures::inputPadding},
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
    {"vector_move_rate", "elements per 1000 cycles",
     "what a kernel loads and stores, while it computes", 1, kMostRate,
     &CostFigures::vectorMoveRate},
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
    {"vector_softmax_rate", "elements per 1000 cycles", "softmax as one kernel",
     1, kMostRate, &CostFigures::vectorSoftmaxRate},
};

constexpr CostFigures npu3720 = {
    .f16 = {.macsPerCycle = 1024,
            .inputGranule = 16,
            .contractionOverhead = 192,
            .contractionRead = 84767,
            .contractionWrite = 85057,
            .elementwiseOverhead = 152,
            .elementwiseRate = 12153,
            .elementwiseLeastPixels = 29,
            .depthwiseOverhead = 435,
            .depthwiseTaps = 42302,
            .depthwiseInputs = 228414,
            .depthwiseLeastPixels = 25,
            .poolingOverhead = 326,
            .poolingTaps = 45372,
            .poolingInputs = 121421,
            .poolingLeastPixels = 9,
            .outputSums = 1,
            .outputProducts = 1,
            .outputBounds = 2},
    .i8 = {.macsPerCycle = 2048,
           .inputGranule = 32,
           .contractionOverhead = 136,
           .contractionRead = 83838,
           .contractionWrite = 115660,
           .elementwiseOverhead = 124,
           .elementwiseRate = 35140,
           .elementwiseLeastPixels = 38,
           .depthwiseOverhead = 171,
           .depthwiseTaps = 87225,
           .depthwiseInputs = 313020,
           .depthwiseLeastPixels = 59,
           .poolingOverhead = 64,
           .poolingTaps = 91692,
           .poolingInputs = 222910,
           .poolingLeastPixels = 76,
           .outputSums = 1,
           .outputProducts = 1,
           .outputBounds = 2},
    .rowGranule = 16,
    .outputGranule = 16,
    .grid = 128,
    .windowChannels = 64,
    .inputPadding = 500,
    .ddrToTileLatency = 740,
    .ddrToTileRate = 21147,
    .tileToDdrLatency = 260,
    .tileToDdrRate = 23745,
    .tileToTileLatency = 129,
    .tileToTileRate = 12053,
    .ddrToDdrLatency = 687,
    .ddrToDdrRate = 20780,
    .vectorOverhead = 3626,
    // Of the vendor's emulated kernels: no row that is fitted depends on it.
    .vectorMoveRate = 7362,
    .vectorSimpleRate = 2179,
    .vectorSpecialRate = 921,
    .vectorSigmoidRate = 1986,
    .vectorDivideRate = 592,
    .vectorReduceRate = 2087,
    .vectorSoftmaxRate = 144,
};

constexpr CostFigures npu4000 = {
    .f16 = {.macsPerCycle = 1024,
            .inputGranule = 16,
            .contractionOverhead = 199,
            .contractionRead = 124389,
            .contractionWrite = 85751,
            .elementwiseOverhead = 146,
            .elementwiseRate = 12564,
            .elementwiseLeastPixels = 30,
            .depthwiseOverhead = 211,
            .depthwiseTaps = 110698,
            .depthwiseInputs = 48032,
            .depthwiseLeastPixels = 94,
            .poolingOverhead = 120,
            .poolingTaps = 72846,
            .poolingInputs = 81444,
            .poolingLeastPixels = 75,
            .outputSums = 1,
            .outputProducts = 1,
            .outputBounds = 2},
    .i8 = {.macsPerCycle = 2048,
           .inputGranule = 32,
           .contractionOverhead = 151,
           .contractionRead = 114291,
           .contractionWrite = 972345946644540,
           .elementwiseOverhead = 127,
           .elementwiseRate = 42805,
           .elementwiseLeastPixels = 53,
           .depthwiseOverhead = 220,
           .depthwiseTaps = 270844,
           .depthwiseInputs = 72899,
           .depthwiseLeastPixels = 97,
           .poolingOverhead = 211,
           .poolingTaps = 108795,
           .poolingInputs = 12129624,
           .poolingLeastPixels = 33,
           .outputSums = 1,
           .outputProducts = 1,
           .outputBounds = 2},
    .rowGranule = 16,
    .outputGranule = 16,
    .grid = 128,
    .windowChannels = 64,
    .inputPadding = 500,
    // By hand: docs/devices.md says why these are not the fitted 763 and 34425.
    .ddrToTileLatency = 765,
    .ddrToTileRate = 34000,
    .tileToDdrLatency = 326,
    .tileToDdrRate = 29933,
    .tileToTileLatency = 265,
    .tileToTileRate = 35953,
    .ddrToDdrLatency = 706,
    .ddrToDdrRate = 22268,
    .vectorOverhead = 4161,
    .vectorMoveRate = 13807,
    .vectorSimpleRate = 12373,
    .vectorSpecialRate = 6697,
    .vectorSigmoidRate = 6432,
    .vectorDivideRate = 3115,
    .vectorReduceRate = 3535,
    .vectorSoftmaxRate = 430,
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

Result<> checkCostFigure(const CostField &field, int64_t value) {
  if (value >= field.least && value <= field.most)
    return Success();
  return Error{"expected '" + field.name + "' from " +
               std::to_string(field.least) + " to " +
               std::to_string(field.most) + ", got " + std::to_string(value)};
}

Result<> checkCosts(const CostFigures &figures) {
  for (const CostField &field : costFields())
    if (Result<> wrong = checkCostFigure(field, field.of(figures)); !wrong)
      return wrong;
  return Success();
}

const CostFigures &costFiguresOf(std::string_view target) {
  return target == "npu3720" ? npu3720 : npu4000;
}

} // namespace npu
