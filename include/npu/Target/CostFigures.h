// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a device's speed, as plain numbers. The formulas that they
// stand in are in Costs.h.

#ifndef NPU_TARGET_COSTFIGURES_H
#define NPU_TARGET_COSTFIGURES_H

#include "npu/Placement/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace npu {

/// One tile's matrix engine on elements of one width. A rate is per 1000
/// cycles, so that all figures are integers.
struct EngineFigures {
  /// Multiply-accumulates per cycle. From the vendor's headers.
  int64_t macsPerCycle = 0;
  /// Input channels are rounded up to this; also the channels of windows.
  int64_t inputGranule = 0;
  /// Contractions: cycles; bytes of operands read and of results written per
  /// 1000 cycles.
  int64_t contractionOverhead = 0;
  int64_t contractionRead = 0;
  int64_t contractionWrite = 0;
  /// Elementwise: cycles; elements per 1000 cycles; fewer pixels take as long.
  int64_t elementwiseOverhead = 0;
  int64_t elementwiseRate = 0;
  int64_t elementwiseLeastPixels = 0;
  /// Depthwise convolutions: cycles per workload; taps (results times window)
  /// and inputs per 1000 cycles; fewer pixels take as long.
  int64_t depthwiseOverhead = 0;
  int64_t depthwiseTaps = 0;
  int64_t depthwiseInputs = 0;
  int64_t depthwiseLeastPixels = 0;
  /// Pooling: the same.
  int64_t poolingOverhead = 0;
  int64_t poolingTaps = 0;
  int64_t poolingInputs = 0;
  int64_t poolingLeastPixels = 0;
  /// The output stage: sums, products, and bounds (the larger or the smaller of
  /// two) that each result goes through while it is written, at no cost.
  int64_t outputSums = 0;
  int64_t outputProducts = 0;
  int64_t outputBounds = 0;

  bool operator==(const EngineFigures &) const = default;
};

/// All figures of a device. docs/devices.md has the table with the values,
/// where each comes from, and how far the modelled cycles are from known ones.
struct CostFigures {
  /// Elements of up to 16 bits, and of up to 8.
  EngineFigures f16, i8;
  /// Rows and output channels of a contraction are rounded up to these.
  int64_t rowGranule = 0;
  int64_t outputGranule = 0;
  /// The engine computes squares of this many pixels and channels, or strips
  /// twice as long and half as wide; operands are read again for each.
  int64_t grid = 0;
  /// Channels of one workload of a depthwise convolution or a pooling.
  int64_t windowChannels = 0;
  /// Zeros that the engine adds at each end of what a window slides over, while
  /// it reads, at no cost: so many for 1000 positions of the window but one.
  int64_t inputPadding = 0;
  /// One transfer: cycles before the first byte, and bytes per 1000 cycles.
  int64_t ddrToTileLatency = 0, ddrToTileRate = 0;
  int64_t tileToDdrLatency = 0, tileToDdrRate = 0;
  int64_t tileToTileLatency = 0, tileToTileRate = 0;
  int64_t ddrToDdrLatency = 0, ddrToDdrRate = 0;
  /// One vector engine: cycles per kernel, and elements of up to 16 bits per
  /// 1000 cycles: those that are loaded and stored, and those of each kind of
  /// work (VectorBody), which is done at the same time.
  int64_t vectorOverhead = 0;
  int64_t vectorMoveRate = 0;
  int64_t vectorSimpleRate = 0;
  int64_t vectorSpecialRate = 0;
  int64_t vectorSigmoidRate = 0;
  int64_t vectorDivideRate = 0;
  int64_t vectorReduceRate = 0;
  int64_t vectorSoftmaxRate = 0;

  bool operator==(const CostFigures &) const = default;
};

/// One figure: its name in target descriptions, its unit, its meaning, and the
/// values that it may have. Example: "contraction_read_f16", "bytes per 1000
/// cycles".
struct CostField {
  std::string name;
  std::string_view unit;
  std::string_view meaning;
  int64_t least = 1;
  int64_t most = 0;
  /// Of an engine, or of the device.
  EngineFigures CostFigures::*engine = nullptr;
  int64_t EngineFigures::*inEngine = nullptr;
  int64_t CostFigures::*inDevice = nullptr;

  int64_t &of(CostFigures &figures) const {
    return engine ? figures.*engine.*inEngine : figures.*inDevice;
  }
  int64_t of(const CostFigures &figures) const {
    return engine ? figures.*engine.*inEngine : figures.*inDevice;
  }
};

/// Every figure, in the order of the structs.
std::span<const CostField> costFields();

/// The field of that name, or null.
const CostField *findCostField(std::string_view name);

/// Nothing wrong, or "expected 'grid' from 2 to 1024, got 0".
Result<> checkCostFigure(const CostField &field, int64_t value);

/// Nothing wrong, or the first figure that no device has.
Result<> checkCosts(const CostFigures &figures);

/// The figures of the built-in target of that name. Any other device begins
/// with those of npu4000, and says what it knows better.
const CostFigures &costFiguresOf(std::string_view target);

} // namespace npu

#endif // NPU_TARGET_COSTFIGURES_H
